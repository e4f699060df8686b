# SPDX-License-Identifier: Apache-2.0
"""Provokes every status code, and loads, replaces and erases keys while messages are in flight."""

from __future__ import annotations

from itertools import cycle
from typing import Any

from modeloom.interfaces.messages import MessageCode
from modeloom.protocol.contract import MOST_STATED
from modeloom.protocol.outcome import possible_codes as codes_of
from modeloom.protocol.scenarios import FAULTS
from modeloom.sim import AT_REST
from modeloom.verification.host import BUSES, key_packets
from modeloom.verification.stream.host import MessageHost, StreamSubject, host_of
from modeloom.verification.stream.pace import same_room

__all__ = ["MESSAGES", "PATTERNS", "check_lengths", "check_messages", "check_reloads", "check_statuses", "possible_codes"]


# -- messages --------------------------------------------------------------------------------------------------------------------------

# Tests messages of every class of lengths, with every nonce and tag length, then random ones with pauses and faults.

PATTERNS: tuple[dict[str, float], ...] = (
    {}, dict.fromkeys(BUSES, 0.1), {"m_axis": 0.7}, {"s_axis": 0.7}, {"s_axis_cmd": 0.95}, {"m_axis_status": 0.97},
    {"s_axis": 0.5, "m_axis": 0.5, "m_axis_status": 0.5}, {"m_axis": 0.95},
)  # fmt: skip
"""Probabilities of pauses: none, a few everywhere, one slow bus at a time, and slow data on all buses."""

MESSAGES = 2000
"""Default number of random messages."""

CHUNK = 64
"""Number of messages with the same pattern of pauses and the same keys."""


def check_lengths(subject: StreamSubject) -> tuple[str, dict[str, Any]]:
    """Runs messages of every length of associated data and text up to two blocks and a byte, and with each length of nonces and tags, with
    and without associated data.

    Some tags are wrong.
    """
    rng, d = subject.rng("lengths"), subject.description
    host = host_of(subject, rng)
    host.load_all()
    # In a core that is made for it, messages bring keys of their own.
    host.renews = True
    slots, most = cycle(host.used), 2 * d.beat_bytes + 1
    for ad in range(most + 1):
        for text in range(most + 1):
            host.job(slot=next(slots), decrypt=rng.choice(subject.ways), ad=ad, text=text)
        host.settle()
    for decrypt in subject.ways:
        for nonce in d.nonces:
            for tag in d.tag_bytes:
                for ad in (0, 1 + nonce % 3):
                    host.job(slot=next(slots), decrypt=decrypt, ad=ad, text=tag, nonce=nonce, tag_bytes=tag)
        host.settle()
    for decrypt in filter(None, subject.ways):
        for tag in d.tag_bytes:
            for bit in range(8 * tag):
                host.job(slot=next(slots), decrypt=decrypt, ad=3, text=d.block_bytes + 1, tag_bytes=tag, wrong_bit=bit)
                if not bit % 8:
                    host.job(slot=next(slots), decrypt=decrypt, ad=3, text=d.block_bytes + 1, tag_bytes=tag)
            host.settle()
    wrong = ", wrong tags with each bit inverted" if d.compares else ""
    told = f"{host.messages} messages of all lengths up to {most} bytes, all lengths of nonces and tags{wrong}"
    return told, {"messages": host.messages}


def check_messages(subject: StreamSubject, wanted: int | None = None) -> tuple[str, dict[str, Any]]:
    """Runs random messages in chunks.  Each chunk has new keys and another pattern of pauses."""
    rng = subject.rng("messages")
    host = host_of(subject, rng)
    # In a core that is made for it, messages bring keys of their own.
    host.renews = True
    with same_room(host):
        sent = _random_messages(host, rng, wanted or MESSAGES)
    reference = "the independent reference" if subject.independent else "the definition"
    return f"{sent} random messages with pauses and back-pressure agree with {reference}", {"messages": sent}


def _random_messages(host: MessageHost, rng: Any, wanted: int) -> int:
    """Sends at least so many.  Returns the number."""
    subject, d, before = host.subject, host.description, host.messages
    patterns = cycle(PATTERNS)
    while host.messages - before < wanted:
        host.set_gaps({})
        for slot in host.used:
            if host.slots > 1 and rng.random() < 0.1:
                host.erase(slot)
            else:
                host.load(subject.good_key(rng), slot)
        host.settle()
        host.set_gaps(next(patterns))
        for _ in range(min(CHUNK, wanted + before - host.messages)):
            decrypt = rng.choice(subject.ways)
            host.job(
                slot=rng.choice(host.used), decrypt=decrypt, ad=_length(rng, d.beat_bytes), text=_length(rng, d.beat_bytes),
                nonce=rng.choice(d.nonces) if rng.random() < 0.2 else None, tag_bytes=rng.choice(d.tag_bytes),
                wrong_bit=rng.randrange(8 * min(d.tag_bytes)) if decrypt and rng.random() < 0.2 else None,
                fault=rng.choice(FAULTS) if rng.random() < 0.05 else None,
            )  # fmt: skip
        if rng.random() < 0.2:
            # The host takes nothing until the core is full.
            host.set_gaps({"m_axis": AT_REST} if rng.random() < 0.5 else {"m_axis_status": AT_REST})
            host.run(4 * d.message_cycles(64, 64))
            host.set_gaps({})
        host.settle()
    return host.messages - before


def _length(rng: Any, size: int) -> int:
    """A random number of bytes.  It is often 0 or a number of whole blocks, mostly small, and sometimes large."""
    kind = rng.random()
    if kind < 0.2:
        return 0
    if kind < 0.4:
        return int(size * rng.randrange(1, 6))
    return int(rng.randrange(1, 5 * size) if kind < 0.95 else rng.randrange(30 * size))


# -- statuses --------------------------------------------------------------------------------------------------------------------------

MOST_SENT = 1 << 14
"""Most bytes of a message that is sent to see that it is too long to be stored."""

ROUNDS = 40
"""Number of rounds of traffic.  A key comes in the middle of each round."""


def possible_codes(subject: StreamSubject) -> set[MessageCode]:
    """The codes that a core with these options can return in this check."""
    d = subject.description
    not_sent = {
        # Lengths of 2^36 bytes are not simulated, but a command may state them.
        MessageCode.TOO_LONG: not d.lengths_first and not (d.text_first and d.most_text < MOST_STATED),
        MessageCode.TOO_LONG_TO_HOLD: min(map(d.room, d.ways)) > MOST_SENT,
    }
    return {code for code in codes_of(d) if not not_sent.get(code, False)}


def check_statuses(subject: StreamSubject) -> tuple[str, dict[str, Any]]:
    """Makes each error that a host can make.  Each must give one status, and the next message must be correct."""
    rng = subject.rng("statuses")
    host = host_of(subject, rng)
    for slot in host.used:
        host.job(slot=slot, decrypt=subject.ways[0], ad=5, text=20)
    host.settle()
    with same_room(host):
        _errors(host)
    host.set_gaps({})
    refused = _refused_keys(host)
    possible = possible_codes(subject)
    if host.codes != possible:
        differ = ", ".join(sorted(code.name for code in possible ^ host.codes))
        host.fail(f"gave other statuses than it can: {differ}")
    told = f"{', '.join(code.name for code in sorted(possible))} are returned when they must be; {refused} key packets refused"
    return told, {"messages": host.messages, "codes": [code.name for code in sorted(possible)], "refused_key_packets": refused}


def _errors(host: MessageHost) -> None:
    """Sends faulty packets and commands with each pattern of pauses, with good messages between them."""
    rng, subject, d = host.rng, host.subject, host.description
    size, slots = d.beat_bytes, host.used
    for gaps in ({}, {"s_axis_cmd": 0.98}, {"s_axis": 0.9}, {"m_axis_status": 0.98}):
        host.set_gaps({})
        host.load_all()
        host.set_gaps(gaps)
        for fault in FAULTS:
            for ad, text in ((0, 0), (0, 3 * size), (2 * size + 3, 0), (size - 1, 2 * size + 1), (3 * size, 1)):
                host.job(slot=rng.choice(slots), decrypt=rng.choice(subject.ways), ad=ad, text=text, fault=fault)
                if rng.random() < 0.6:
                    host.job(slot=rng.choice(slots), decrypt=rng.choice(subject.ways), ad=7, text=size + 2)
        for change in _changes(host):
            way = subject.ways[0]
            host.job(**{"slot": rng.choice(slots), "decrypt": way, "ad": 4, "text": 2 * size, **change})
            host.job(slot=rng.choice(slots), decrypt=rng.choice(subject.ways), ad=1, text=3)
        for way in (way for way in d.ways if d.room(way) <= MOST_SENT):
            for ad, more in ((0, 0), (0, 1), (0, 5 * size), (size, 0), (size, 5 * size)):
                host.job(slot=rng.choice(slots), decrypt=way, ad=ad, text=d.room(way) - ad + more)
            host.job(slot=host.slots, decrypt=way, text=d.room(way) + 1)
        # A second pass compares its tag, too.
        for kind in filter(None, d.ways):
            host.job(slot=slots[0], decrypt=kind, ad=3, text=9, wrong_bit=0)
            host.job(slot=slots[0], decrypt=kind, ad=3, text=9)
        host.settle()


def _changes(host: MessageHost) -> list[dict[str, Any]]:
    """Values of fields that the core does not accept, alone and together."""
    d = host.description
    changes: list[dict[str, Any]] = [{"slot": slot} for slot in (host.slots, (1 << 16) - 1)]
    changes += [{"nonce_bytes": length} for length in (0, d.block_bytes + 1, 255) if length not in d.nonces]
    changes += [{"tag_bytes": length} for length in (0, 1, d.block_bytes + 1, 255) if length not in d.tag_bytes]
    changes += [{"channel": channel} for channel in (d.channels, 255) if channel < 256]
    changes += [{"decrypt": way} for way in range(1 << host.command.field("decrypt").bits) if way not in d.ways]
    changes += [{"stated": min(nbytes, MOST_STATED)} for nbytes in (0, 1, d.text_with(d.nonces[0]) + 1, MOST_STATED)]
    return [*changes, {"nonce_bytes": 0, "tag_bytes": 0, "slot": host.slots}, {"channel": 255, "slot": host.slots}]


def _refused_keys(host: MessageHost) -> int:
    """Sends key packets of wrong lengths, with gaps, and for missing slots.  A correct packet and a message follow each of them."""
    rng, subject, d = host.rng, host.subject, host.description
    wrong = [length for length in {1, *(n + more for n in d.packet_sizes for more in (-1, 1, 16))} if length not in d.packet_sizes]
    packets: list[tuple[bytes, int, tuple[int, ...] | None]]
    packets = [(rng.randbytes(n), rng.choice(host.used), None) for n in sorted(wrong)]
    total = d.packet_sizes[0]
    beats = -(-total // 16)
    packets.append((rng.randbytes(total), 0, (0xFFFE,) + (0xFFFF,) * (beats - 1)))
    missing = host.missing_slots()
    packets += [(rng.randbytes(total), slot, None) for slot in (*missing[:1], *missing[-1:])]
    for data, slot, keeps in packets:
        host.wrong_key(data, slot, keeps)
        host.settle()
        host.behind_wrong_key()
        if slot >= host.slots:
            # The keys that the core has are not touched.
            host.with_each_key()
        good = slot if slot < host.slots else 0
        host.load(subject.good_key(rng), good)
        host.settle()
        host.job(slot=good, decrypt=subject.ways[0], ad=1, text=17)
        host.settle()
    return len(packets)


def check_reloads(subject: StreamSubject, rounds: int | None = None) -> tuple[str, dict[str, Any]]:
    """Loads, replaces and erases keys while messages of all slots are in flight.

    The results of a slot must use the old key, be ``NO_KEY``, or use the new key, in this order.  Other slots must not be affected.
    """
    rng = subject.rng("reloads")
    host = host_of(subject, rng)
    host.load_all()
    with same_room(host):
        loads, erasures = _reload(host, ROUNDS if rounds is None else rounds)
    return f"{loads} keys loaded and {erasures} erased while {host.messages} messages were in flight", {
        "loads": loads, "erasures": erasures, "messages": host.messages,
    }  # fmt: skip


def _reload(host: MessageHost, rounds: int) -> tuple[int, int]:
    """Sends keys and messages.  Returns the numbers of loads and of erasures."""
    rng, subject, d = host.rng, host.subject, host.description
    slots = host.used
    loads = erasures = 0
    kinds = key_packets(rng)
    for number in range(rounds):
        slot = slots[number % len(slots)]
        host.set_gaps({} if number % 3 else {rng.choice(BUSES): rng.choice((0.3, 0.9))})

        def traffic(count: int, slot: int = slot) -> None:
            for _ in range(count):
                target = slot if rng.random() < 0.5 else rng.choice(slots)
                host.job(slot=target, decrypt=rng.choice(subject.ways), ad=rng.randrange(40), text=rng.randrange(80))

        traffic(rng.randrange(4, 12))
        host.run(rng.randrange(1, d.message_cycles(40, 80)))
        for _ in range(rng.choice((1, 1, 2))):
            kind = next(kinds)
            if kind == "erase":
                host.erase(slot)
                erasures += 1
            elif kind == "wrong":
                host.wrong_key(rng.randbytes(5), slot)
            else:
                host.load(subject.good_key(rng), slot)
                loads += 1
        traffic(rng.randrange(2, 10))
        host.run(rng.randrange(1, host.key_cycles // 3))
        traffic(rng.randrange(2, 10))
        host.settle()
    return loads, erasures
