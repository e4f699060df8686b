# SPDX-License-Identifier: Apache-2.0
"""Measures the figures in ``core.json`` at the pins: the latency of a lone message, and the distance of successive messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from modeloom.sim import AT_REST
from modeloom.verification.stream.host import MessageHost, StreamSubject, host_of

__all__ = ["check_full", "check_pace", "cycles_told", "fill_up", "full_units", "latencies", "same_room"]


# -- room ------------------------------------------------------------------------------------------------------------------------------

# Fills a core until it takes nothing more, and compares what it took before other traffic and behind it.
#
#     statuses at rest   commands ──▶ 13 are taken      other traffic      commands ──▶ 11 are taken: places were lost
#
# A core counts its free places.  If a place is lost, or comes back twice, each message may still be right for a long time.

MORE = 8
"""Commands that are sent before the next look whether the core takes any more."""

MOST = 4096
"""Commands after which a core that takes any more has no end."""

STEADY = 4
"""Rounds of commands without more of them under way after which no queue fills up."""

ROOMS = ("m_axis_status", "m_axis")
"""The buses behind which places are counted."""


def fill_up(host: MessageHost, kind: Callable[[], None], rest: tuple[str, ...]) -> int:
    """Sends messages of a kind with some buses at rest until the core takes no more.  Returns the number of commands that it took."""
    d = host.description
    host.runner.accepted("s_axis_cmd")
    host.runner.accepted("s_axis")
    host.set_gaps(dict.fromkeys(rest, AT_REST))
    # A core in which nothing moves for so long does not move any more.
    still = d.message_cycles(2 * d.beat_bytes, 10 * d.beat_bytes)
    taken = under_way = 0
    for number in range(MOST // MORE):
        for _ in range(MORE):
            kind()
        host.run(still)
        moved = len(host.runner.accepted("s_axis_cmd"))
        taken += moved
        # What rests may be an input itself: then the other one comes to its end.
        if not moved and not host.runner.accepted("s_axis"):
            return taken
        # Messages of this kind may need no bus at rest, and then come to their end.
        if number % STEADY == STEADY - 1:
            if host.under_way <= under_way:
                return taken
            under_way = host.under_way
    host.fail(f"takes {taken} commands with {' and '.join(rest)} at rest")
    return taken


@contextmanager
def same_room(host: MessageHost) -> Iterator[None]:
    """Fails if the core takes another number of commands behind what is sent within, with statuses or data at rest."""
    before = _room(host)
    yield
    after = _room(host)
    for (bus, channel), number in before.items():
        if (now := after[bus, channel]) != number:
            of = "".join(f" of {name} {n}" for name, n in host.description.channel_fields.named(channel).items())
            host.fail(f"takes {now} commands{of} with {bus} at rest, and took {number} before {host.messages} messages")


def _room(host: MessageHost) -> dict[tuple[str, int], int]:
    """The number of short messages of the first and of the last channel that the core takes with each of the buses at rest."""
    d = host.description
    found: dict[tuple[str, int], int] = {}
    host.set_gaps({})
    host.settle()
    host.load(host.subject.good_key(host.rng), 0)
    host.settle()
    renews, host.renews = host.renews, False
    for bus in ROOMS:
        for channel in sorted({0, d.channels - 1}):
            job = partial(host.job, slot=0, decrypt=host.subject.ways[0], text=1, channel=channel)
            found[bus, channel] = fill_up(host, job, (bus,))
            host.set_gaps({})
            host.settle()
    host.renews = renews
    return found


# -- full ------------------------------------------------------------------------------------------------------------------------------

# Fills every queue of a core with the bus behind it, or the one beside it, at rest, and then lets one beat pass at a time.
#
#     m_axis_status at rest     commands ──▶ core takes no more ──▶ one status ──▶ full again ──▶ ... ──▶ all
#     statuses that wait        1 2 3 ...    N, and one beyond      N - 1          N
#
# No depth is known here: commands come until the core takes nothing more.  All queues between the buses are then as full as they can be
# with messages of this kind, and what a queue must not take waits before it.

RESTS: tuple[tuple[str, ...], ...] = (("m_axis_status",), ("m_axis",), ("m_axis_status", "m_axis"), ("s_axis",), ("s_axis_cmd",))
"""The buses that rest while all others go on."""

SINGLE = 6
"""Beats that pass one at a time, and the core fills up again."""

CYCLES = 4
"""Number of cycles in which such a beat must pass, if there is one."""


def check_full(subject: StreamSubject) -> tuple[str, dict[str, Any]]:
    """Fills the core with messages of each kind with each bus at rest.  Every message must have its result in the end."""
    most = [unit(subject) for unit in full_units(subject).values()]
    told = f"with each bus at rest the core takes up to {max(most)} commands, and all of them have their results afterwards"
    return told, {"most_commands": max(most), "fillings": len(most)}


def full_units(subject: StreamSubject) -> dict[str, Callable[[StreamSubject], int]]:
    """The parts of this check, each with a core of its own: one for each kind of messages and each bus at rest.  Each returns the number of
    commands that the core took."""

    def unit(kind: str, rest: tuple[str, ...]) -> Callable[[StreamSubject], int]:
        return lambda subject: _fill(subject, kind, rest)

    return {f"{kind}, {' and '.join(rest)} at rest": unit(kind, rest) for rest in RESTS for kind in _kinds(subject)}


def _kinds(subject: StreamSubject) -> dict[str, Callable[[MessageHost], dict[str, Any]]]:
    """Messages: short ones with text, without text, refused ones, some long ones, ones to open with a wrong tag, and a mixture."""
    d = subject.description
    size = d.beat_bytes
    longest = min(9 * size, *map(d.room, d.ways))
    kinds: dict[str, Callable[[MessageHost], dict[str, Any]]] = {
        "short": lambda host: {"text": host.rng.choice((1, size))}, "empty": lambda host: {"ad": host.rng.choice((0, 1))},
        "refused": lambda host: {"ad": 1, "text": 1, "tag_bytes": 255},
        "long": lambda host: {"ad": host.rng.choice((0, size)), "text": host.rng.choice((0, longest))},
    }  # fmt: skip
    if any(subject.ways) and d.compares:
        way = [one for one in subject.ways if one][-1]
        kinds["wrong"] = lambda host: {"text": host.rng.choice((0, 3)), "decrypt": way, "wrong_bit": 0}
    single = list(kinds.values())
    kinds["mixed"] = lambda host: host.rng.choice(single)(host)
    return kinds


def _fill(subject: StreamSubject, name: str, rest: tuple[str, ...]) -> int:
    d, rng, kind = subject.description, subject.rng(f"full: {name} {rest}"), _kinds(subject)[name]
    host = host_of(subject, rng)
    host.load_all()
    slots, size = host.used, d.beat_bytes

    def job() -> None:
        host.job(**{"slot": rng.choice(slots), "decrypt": rng.choice(subject.ways), **kind(host)})

    most = fill_up(host, job, rest)
    for _ in range(SINGLE):
        # One beat may pass on one of the buses at rest, and the core fills up again.
        _one_beat(host, rng.choice(rest), rest)
        host.set_gaps(dict.fromkeys(rest, AT_REST))
        host.run(d.message_cycles(size, size))
    if rng.random() < 0.5:
        # Keys wait for the messages of their slots.
        for slot in slots[:2]:
            host.load(subject.good_key(rng), slot)
    host.set_gaps({})
    host.settle()
    return most


def _one_beat(host: MessageHost, name: str, rest: tuple[str, ...]) -> None:
    """Lets a beat pass on one of the buses at rest, if there is any."""
    before = host.runner.waiting(name)
    host.set_gaps(dict.fromkeys((other for other in rest if other != name), AT_REST))
    for _ in range(CYCLES):
        host.runner.run(max_cycles=1)
        if host.runner.waiting(name) != before:
            break
    host.compare()


# -- pace ------------------------------------------------------------------------------------------------------------------------------

COUNT = 24
"""Number of messages of each shape, back to back.  The distances in the second half are compared, or the mean of so many of them."""

STARTED = 64
"""Messages, amply, that have started before the first of them ends.  Their distances are others, and so are those of as many at the end."""

ALONGSIDE = 2
"""Cycles by which tokens alongside those of messages move a status."""

BURST = 12
"""Longest run of messages in which a period of bursts is looked for, in latencies."""

PHASES = 13
"""Number of cycles of the cadence of a deriver in which a lone message comes."""

MOST_STORED = 256
"""Beats of the longest message whose pace is measured."""

LAST = 6
"""Cycles by which the last status of messages with new keys may come later than in the mean, beside what it waits for a cadence."""

MOST_TOLD = 4
"""Numbers of cycles that an error tells one by one."""

TURNS = 80
"""Number of messages with a new key each, of each length.  The mean distance in the second half is compared."""


def check_pace(subject: StreamSubject) -> tuple[str, dict[str, Any]]:
    """Measures the latency and the distances of messages of several shapes, with one key and with another slot for each message."""
    rng, d = subject.rng("pace"), subject.description
    host = host_of(subject, rng)
    host.load_all()
    size, slots = d.beat_bytes, host.used
    # In a core that holds text, an opened message waits for its verdict, so only sealed messages are measured.
    ways: Sequence[int] = [way for way in subject.ways if way < 2 and not d.held(way)] or [1]
    if d.timed:
        for way in d.timed:
            stated = d.latency_of(way)
            found = latencies(host, way, slots[0])
            if max(found) != stated or min(found) < stated - d.waits:
                host.fail(f"takes {cycles_told(found)} cycles from text to text, core.json states {stated}")
    even = d.even
    shapes: list[tuple[int, int, int | None]] = [(0, 1, None), (1, 0, None), (0, size, None), (size + 1, 3 * size - 1, None)]
    shapes += [(1, size, lengths[0]) for lengths in d.nonce_bytes[1:]]
    if d.unused is not None:
        # These leave most cycles in which no token fits, in a pipeline and with a cadence.
        shapes += [(size + 1, 4 * size, None), (1, size, None)]
    # Second passes may have other distances than first ones and openings.
    second = 2 in d.ways and not d.held(2)
    measured: list[tuple[Sequence[int], bool]] = [(ways, one) for one in (True, False)] + [([2], True)] * second
    for ad, text, nonce in shapes if even else ():
        for sent, one in measured:
            messages, stated = d.steady(ad, text, nonce, second=sent == [2])
            what = f"{f'{messages} ' * (messages > 1)}{'second passes' if sent == [2] else 'messages'} of {ad} and {text} bytes"
            what += f" with {nonce} bytes of nonce" if nonce else ""
            if d.varies:
                # Tokens beside those of messages change the distances, and tags may come in bursts, but the mean is as stated.
                lead = d.latency * messages // stated + STARTED
                cycles = _statuses(host, slots[:1] if one else slots, sent, 2 * COUNT + 2 * lead, ad, text, nonce)[lead : lead + 2 * COUNT]
                took = sum(cycles[COUNT:]) - sum(cycles[:COUNT])
                # With a cadence, the last status may come a batch later than its place in the mean.
                if took * messages > COUNT * (stated * COUNT + messages * (d.waits + ALONGSIDE)):
                    each = f"each {messages}" if messages > 1 else "each"
                    host.fail(f"gives {COUNT} {what} in {took / COUNT:.1f} cycles, core.json states {stated} for {each}")
                continue
            cycles = _statuses(host, slots[:1] if one else slots, sent, COUNT, ad, text, nonce)
            steps = _steps(cycles, messages)
            if steps != {stated}:
                # Short messages may come in bursts, whose tags follow together.
                cycles = _statuses(host, slots[:1] if one else slots, sent, COUNT + BURST * d.latency, ad, text, nonce)
                bursts = range(messages, len(cycles) // 4, messages)
                if any(_steps(cycles, burst) == {burst * stated // messages} for burst in bursts):
                    continue
                host.fail(f"gives {what} every {cycles_told(steps)} cycles, core.json states {stated}")
    if d.message_buffer is not None:
        return _stored(host, subject, slots)
    if d.derive_interval is not None:
        told = _derived(host, slots, ways)
        return told, {"messages": host.messages, "derive_interval": d.derive_interval}
    if d.inline:
        turns = _check_turns(host, subject, ways)
        told = (
            f"latency is {d.latency} cycles, and messages follow each other as core.json states; a new key costs at most {d.cost_of_key} "
            f"cycles of messages of {turns} bytes"
        )
        return told, {"messages": host.messages, "shapes": len(shapes), "most_lost": d.cost_of_key}
    if not even:
        return f"latency is {d.latency} cycles{_chained(host, slots, ways)}", {"messages": host.messages}
    channels = host.sharing.alternating(partial(_interleaved, host, slots, ways))
    passes = ", second passes too" if second else ""
    told = (
        f"latency is {d.latency} cycles{channels}, and messages follow each other as core.json states{passes}, with one key and with one "
        "for each message"
    )
    return told, {"messages": host.messages, "shapes": len(shapes)}


def _statuses(
    host: MessageHost, slots: list[int], ways: Sequence[int], count: int, ad: int, text: int, nonce: int | None
) -> list[int]:
    """The cycles of the statuses of equal messages back to back, in slots and directions in turn."""
    host.status_cycles = []
    for number in range(count):
        host.job(
            slot=slots[number % len(slots)], decrypt=ways[number // 2 % len(ways)], ad=ad, text=text, nonce=nonce,
            channel=number % host.description.channels,
        )  # fmt: skip
    host.flush("packets")
    host.settle()
    return host.status_cycles


def cycles_told(cycles: set[int]) -> str:
    """Numbers of cycles in one phrase.  A cadence gives as many of them as it has phases."""
    found = sorted(cycles)
    return " or ".join(map(str, found)) if len(found) <= MOST_TOLD else f"{found[0]} to {found[-1]}"


def _steps(cycles: list[int], messages: int) -> set[int]:
    """The distances of messages that are so many messages apart, in the second half."""
    half = cycles[len(cycles) // 2 :]
    return {b - a for a, b in zip(half, half[messages:])}


def latencies(host: MessageHost, way: int, slot: int, phases: int | None = None) -> set[int]:
    """The cycles from text to text of lone messages.  With a cadence, they come in all of its phases, or in a number of them."""
    d = host.description
    interval = phases or d.entry.interval
    found: dict[int, int] = {}
    # Cycles from the command of a run to the beat in the core.
    before = 0
    for phase in [0, *range(interval)]:
        host.run(d.message_cycles(0, d.beat_bytes))
        host.run((phase - before - host.core.cycles) % interval)
        host.runner.accepted("s_axis")
        host.output_cycles()
        asked = host.core.cycles
        host.job(slot=slot, decrypt=way, text=d.beat_bytes, channel=0)
        host.settle()
        come = host.runner.accepted("s_axis")[0]
        before, latency = come - asked, host.output_cycles()[0] - come
        if found.setdefault(come % interval, latency) != latency and phases is None:
            host.fail(f"takes {latency} cycles from text to text, and {found[come % interval]} in the same phase of its cadence")
    if len(found) < interval and phases is None:
        raise ValueError(f"messages came in {len(found)} of {interval} phases")
    return set(found.values())


def _check_turns(host: MessageHost, subject: StreamSubject, ways: Sequence[int]) -> int:
    """Measures the cycles that a new key for every message costs.

    Returns the number of bytes of the shortest messages that lose few cycles.
    """
    d, rng = subject.description, host.rng
    assert d.key_interval is not None
    least = d.key_interval * d.beat_bytes
    for text in (1, least, 2 * least + 1):
        host.status_cycles = []
        for number in range(TURNS):
            host.load(subject.good_key(rng), 0)
            host.job(decrypt=ways[number // 2 % len(ways)], text=text)
        host.settle()
        half = host.status_cycles[TURNS // 2 :]
        mean, stated = (half[-1] - half[0]) / (len(half) - 1), max(d.cycles_of(0, text) + d.cost_of_key, d.key_interval)
        # Single distances vary, so the last one of them may be longer.
        if half[-1] - half[0] > stated * (len(half) - 1) + LAST + d.waits:
            host.fail(f"gives messages of {text} bytes with a new key each every {mean:.1f} cycles; core.json allows {stated}")
    return least


def _derived(host: MessageHost, slots: list[int], ways: Sequence[int]) -> str:
    """Measures lone messages and messages back to back, each of whose keys the core derives."""
    d = host.description
    assert d.derive_interval is not None
    measured = [way for way in ways if d.text_of(way, 1) and not d.held(way)][:1]
    places = {slots[0], slots[-1]} if measured else ()
    longest = max((found for slot in places for found in latencies(host, measured[0], slot, PHASES)), default=0)
    if longest > d.latency:
        host.fail(f"takes {longest} cycles from text to text, core.json states at most {d.latency}")
    least = d.derive_interval * d.beat_bytes
    for text in (0, 1, least, 2 * least + 1):
        cycles = _statuses(host, slots, ways, TURNS, 0, text, None)[TURNS // 2 :]
        mean, stated = (cycles[-1] - cycles[0]) / (len(cycles) - 1), max(d.cycles_of(0, text) + d.cost_of_key, d.derive_interval)
        # Single distances vary, so the last one of them may be longer.
        if cycles[-1] - cycles[0] > stated * len(cycles):
            host.fail(f"gives messages of {text} bytes every {mean:.1f} cycles; core.json allows {stated}")
    return (
        f"latency is at most {longest} of {d.latency} cycles, and a message with its key takes {d.derive_interval} cycles or those of its "
        "blocks"
    )


def _stored(host: MessageHost, subject: StreamSubject, slots: list[int]) -> tuple[str, dict[str, Any]]:
    """Measures lone messages that the core stores, and such messages back to back: each takes the cycles of both passes."""
    d = host.description
    assert d.buffered_beats is not None
    longest = max(latencies(host, False, slots[0], PHASES))
    if longest > d.latency:
        host.fail(f"takes {longest} cycles from text to text, core.json states at most {d.latency}")
    shapes = [min(beats, d.buffered_beats) * d.beat_bytes for beats in (8, 24, d.buffered_beats) if beats <= MOST_STORED]
    for text in dict.fromkeys(shapes):
        cycles = _statuses(host, slots, [False], TURNS, 0, text, None)[TURNS // 2 :]
        mean, stated = (cycles[-1] - cycles[0]) / (len(cycles) - 1), d.sealed_cycles(0, text)
        if cycles[-1] - cycles[0] > stated * len(cycles):
            host.fail(f"seals messages of {text} bytes every {mean:.1f} cycles; core.json allows {stated}")
    text = f"latency is at most {longest} of {d.latency} cycles, and messages to seal take the cycles of both passes"
    return text, {"messages": host.messages, "shapes": len(shapes)}


def _interleaved(host: MessageHost, slots: list[int], ways: Sequence[int]) -> str:
    """Changes the channel at every beat: the messages take no cycle more than one after another."""
    d = host.description
    ad, text = d.beat_bytes + 1, 5 * d.beat_bytes
    host.runner.accepted("s_axis")
    count = 6 * d.channels
    for number in range(count):
        host.job(slot=slots[number % len(slots)], decrypt=ways[number % len(ways)], ad=ad, text=text, channel=number % d.channels)
    host.flush("beats")
    host.settle()
    cycles = host.runner.accepted("s_axis")
    stated = count * d.cycles_of(ad, text)
    if (took := cycles[-1] - cycles[0] + 1) > stated:
        host.fail(f"takes {took} cycles for {count} messages of {d.channels} channels that alternate, core.json states {stated}")
    return ", another channel at every beat costs nothing"


def _chained(host: MessageHost, slots: list[int], ways: Sequence[int]) -> str:
    """Changes the channel at every beat, where a block waits for the one before it.

    All channels take the same step at about the same time.  A step whose last token comes c - 1 cycles after its begin takes a channel
    turn + c - 1 cycles, and all channels together c cycles each.
    """
    d = host.description
    assert d.explain.turn is not None
    ad, text, rounds = d.beat_bytes + 1, 5 * d.beat_bytes, 6
    host.runner.accepted("s_axis")
    host.status_cycles = []
    count = rounds * d.channels
    for number in range(count):
        host.job(slot=slots[number % len(slots)], decrypt=ways[number % len(ways)], ad=ad, text=text, channel=number % d.channels)
    host.flush("beats")
    host.settle()
    tokens, (associated, blocks) = d.tokens_of(ad, text), d.blocks_of(ad, text)
    steps = [d.cycles.start] * (d.cycles.start > 0) + [d.cycles.associated] * associated + [d.cycles.text] * blocks + [d.cycles.tag]
    # With a cadence, a channel also waits for a batch.
    one_round = sum(max(d.explain.turn + step - 1 + d.waits, d.channels * step) for step in steps)
    stated = rounds * one_round + d.latency + d.explain.stages
    cycles = host.runner.accepted("s_axis")
    if (took := host.status_cycles[-1] - cycles[0] + 1) > stated:
        host.fail(f"takes {took} cycles for {count} messages of {d.channels} channels that alternate, core.json states {stated}")
    return f", and {d.channels} channels that alternate take a block every {took / (rounds * d.channels * tokens):.2f} cycles"
