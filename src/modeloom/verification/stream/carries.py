# SPDX-License-Identifier: Apache-2.0
"""Takes the counters of a message across each carry, and each limit, from values that are put into the core while a message rests.

::

    beats       1 2 3 4 5 6   rest, and every counter is moved on   2^12 - 4  ...  2^12 + 3   rest   limit - 4 ... limit
    definition  1 2 3 4 5 6   blocks that are counted, and not there          ...

The definition runs with the same numbers of blocks, lengths and counters.  So the core must find the text and the tag of such a message,
and its end, as those of a message that is too long for a simulation.  What counts is found by ``counting``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from modeloom.definition.messages import Moved, StreamModel
from modeloom.emit.simulators import CheckFailed
from modeloom.interfaces.messages import MessageCode
from modeloom.product.beats import PacketBeats
from modeloom.protocol.outcome import releases
from modeloom.protocol.transactions import Command
from modeloom.sim import Simulation
from modeloom.spec.counters import COUNTERS, Counter
from modeloom.spec.stream import State
from modeloom.verification.stream.host import StreamSubject

__all__ = ["Counting", "Crossed", "Key", "Words", "carries_units", "check_carries", "find_counting"]

# Finds the registers and words of memories that count the beats of a message, by what they do, and moves them on.
#
#     beats so far      1    2    3    4    ...   messages with other data and another nonce: the same values
#     a register        4    5    6    7          it counts: + 1 each
#     a word of 119 bits        + 2^13 each       it has a counter from bit 13 on
#     the upper part    0    0    0    0          + 1 each time that the lower part begins anew
#
# No names and no widths are known here, so this holds for a core whose Verilog was edited.  A queue counts, too, but does not begin anew
# with each message, so its pointers are left out.

Key = tuple[str, int | None]
"""A register, or a word of a memory."""

Words = dict[Key, int]


@dataclass
class Counting:
    """What counts the beats of one part of a message.

    Attributes
    ----------
    steps : dict
        For each word what a beat adds to it.
    widths : dict
        Bits of each register or word.
    wraps : int
        Beats, as a power of two, after which the lower part of a counter in several parts begins anew; 0 while none is known.
    upper : dict
        What is added to the words of upper parts each time.
    parted : set
        Words with a counter, or the lower part of one, with as many bits as begin anew; others count on.
    """

    steps: Words
    widths: Words
    wraps: int = 0
    upper: Words = field(default_factory=dict)
    parted: set[Key] = field(default_factory=set)

    @property
    def words(self) -> list[Key]:
        """All words that count."""
        return [*self.steps, *(key for key in self.upper if key not in self.steps)]

    def low(self, key: Key, value: int) -> int:
        """The lower part of a counter in a word."""
        return value // abs(self.steps[key]) % (1 << self.wraps)

    def carries(self, before: Words, beats: int) -> list[bool]:
        """For each lower part, whether it begins anew within some more beats.  One part may be ahead of another by a beat."""
        return [bool(self.low(key, before[key]) + beats >> self.wraps) for key in self.parted]

    def after(self, before: Words, beats: int, carried: bool | None = None) -> Words:
        """What the words must be after some more beats, no more than once past the place at which the lower parts begin anew.

        The upper parts have *carried* by default if any lower part began anew.
        """
        found = {}
        carried = any(self.carries(before, beats)) if carried is None else carried
        for key in self.words:
            value = before[key] + beats * self.steps.get(key, 0)
            if key in self.parted and self.low(key, before[key]) + beats >> self.wraps:
                value -= self.steps[key] << self.wraps
            if carried:
                value += self.upper.get(key, 0)
            found[key] = value % (1 << self.widths[key])
        return found

    def wrong(self, before: Words, now: Words, beats: int) -> list[Key]:
        """Words that are not what they must be after some more beats.

        A word with a lower part may have more beside it, such as whether the upper part is that of a limit, so its other bits are not
        compared.  While one lower part has begun anew and another has not, the upper parts may have carried.
        """

        def unlike(wanted: Words) -> list[Key]:
            return [
                key for key in self.words
                if (self.low(key, now[key]) != self.low(key, wanted[key]) if key in self.parted else now[key] != wanted[key])
            ]  # fmt: skip

        carries = self.carries(before, beats)
        return min((unlike(self.after(before, beats, carried)) for carried in (any(carries), all(carries))), key=len)

    def moved(self, now: Words, beats: int) -> Words:
        """What the words are if so many beats more had come, or fewer: lower and upper parts."""
        found = {}
        times = next((self.low(key, now[key]) + beats >> self.wraps for key in self.parted), 0)
        for key in self.words:
            value = now[key] + times * self.upper.get(key, 0)
            if key in self.steps:
                more = beats
                if key in self.parted:
                    low = self.low(key, now[key])
                    more = (low + beats) % (1 << self.wraps) - low
                value += more * self.steps[key]
            found[key] = value % (1 << self.widths[key])
        return found


def state_words(simulation: Simulation) -> list[Key]:
    """All registers and words of memories of a core."""
    found: list[Key] = []
    for name, item in simulation.objects.items():
        if item.kind == "state":
            found.append((name, None))
        elif item.kind == "memory":
            found += [(name, word) for word in range(item.depth)]
    return found


def find_counting(simulation: Simulation, run: Callable[[Sequence[Key]], list[Words]], keys: Sequence[Key]) -> Counting:
    """Finds the words that count.

    Parameters
    ----------
    run : callable
        Sends the same number of beats of a message of other data, and gives the values of some words after each of them.
    keys : sequence
        The words in question.
    """
    first = run(keys)
    steps = {}
    for key in keys:
        differ = {later[key] - earlier[key] for earlier, later in zip(first, first[1:])}
        if len(differ) == 1 and (step := differ.pop()) and not abs(step) & (abs(step) - 1):
            steps[key] = step
    again = run(list(steps))
    steps = {key: step for key, step in steps.items() if all(one[key] == other[key] for one, other in zip(first, again, strict=True))}
    widths = {key: simulation.objects[key[0]].width for key in keys}
    return Counting(steps, widths)


def values(simulation: Simulation, keys: Sequence[Key]) -> Words:
    """The values of some words."""
    return {key: simulation.get(*key) for key in keys}


def put(simulation: Simulation, words: Mapping[Key, int]) -> None:
    """Gives words other values."""
    for (name, word), value in words.items():
        simulation.put(name, value, word)


# -- carries -----------------------------------------------------------------------------------------------------------------------

PARTS = ("associated", "text")

LEAD = 6
"""Beats before the counters are moved, and an even number, as the second block of a pair is not moved away from its first one."""

NEAR = 4
"""Beats from a move to the carry, and from the carry to what follows: a counter may be ahead by some."""

LEARN = 9
"""Beats of a message in which counters are looked for: an odd number, so that a pointer of a queue is elsewhere in the next message."""

USUAL = 1 << 10 | 1 << 4
"""A number of blocks, and no place of a carry, to which counters are moved to see whether they are all there is."""

MORE_BITS = 2
"""Most bits that a register has beside a counter of the state."""

PROBE = 1 << 9
"""What is added to a counter of the state to see whether it is one."""

REST = 16
"""Cycles beyond the latency after which nothing moves that belongs to beats that have come."""

LEAST_BIT = 4
"""Carries into lower bits are those of the messages of other checks."""


def check_carries(subject: StreamSubject) -> tuple[str, dict[str, Any]]:
    """Takes the counters of associated data and text in each direction across the carry into each bit, and the limits of their lengths."""
    why = _left_out(subject)
    found = [unit(subject) for unit in carries_units(subject).values()]
    carries, limits = sum(one.carries for one in found), sum(one.limits for one in found)
    states = sorted(set().union(*(one.states for one in found)))
    left = [why] if why else [one.left for one in found if one.left]
    told = f"counters of lengths and blocks carry into each bit, {carries} times, and end at {limits} limits, as in the definition"
    if not carries:
        told = "no carries" if found else "skipped"
    elif states:
        told += f"; so do those of the state: {', '.join(states)}"
    return told, {"carries": carries, "limits": limits, "counters_of_the_state": len(states), "skipped": left}


def _left_out(subject: StreamSubject) -> str:
    """Why a core is not checked; empty if it is."""
    d = subject.description
    if d.form.rests and not any(map(d.stored, d.ways)):
        return ""
    return "carries of counters: a message that the core stores, or whose packet has its tag, does not rest at a beat"


@dataclass(frozen=True)
class Crossed:
    """What became of a part of a message in a direction.

    Attributes
    ----------
    carries, limits : int
        Numbers of places at which the counters were taken across a carry, and of limits.
    states : frozenset of str
        The counters of the state among them.
    left : str
        Why the counters of this part were left out; empty if they were not.
    """

    carries: int = 0
    limits: int = 0
    states: frozenset[str] = frozenset()
    left: str = ""


def carries_units(subject: StreamSubject) -> dict[str, Callable[[StreamSubject], Crossed]]:
    """The parts of this check, each with a core of its own: one for each part of a message in each direction."""
    if _left_out(subject):
        return {}

    def unit(part: str, way: int) -> Callable[[StreamSubject], Crossed]:
        return lambda subject: _Carries(subject, f"{part} {way}").trials(part, way)

    return {f"{part}, direction {way}": unit(part, way) for way in sorted(set(map(int, subject.ways))) for part in PARTS}


class _Carries:
    """The core with a key, and its counters as far as they are known."""

    def __init__(self, subject: StreamSubject, name: str):
        self.subject, self.d = subject, subject.description
        self.rng = subject.rng(f"carries of {name}")
        self.core = subject.core()
        self.simulation = self.core.simulation
        self.key = subject.good_key(self.rng)
        self.model = StreamModel(subject.mode, self.key, self.d.cipher, derived=self.d.derives)
        self.states: set[str] = set()
        self.copies: set[Key] = set()
        self.found: dict[tuple[str, int], list[_Found]] = {}
        self.messages = 0
        self.core.load_message_key(self.key, 0)
        self.every = state_words(self.simulation)
        size = self.d.beat_bytes
        self.rest_cycles = self.d.latency + self.d.cycles_of(size, size) + REST

    def fail(self, what: str) -> None:
        """Raises ``CheckFailed``."""
        raise CheckFailed(f"{self.subject.directory}: at cycle {self.core.cycles} the core {what}")

    def most(self, part: str) -> int:
        """Most bytes of a part."""
        return self.d.most_associated if part == "associated" else self.d.text_with(self.d.nonces[0])

    def stated(self, part: str) -> bool:
        """Whether a command states the bytes of a part."""
        return not self.d.text_first if part == "associated" else self.d.states_text

    # -- a message that rests ------------------------------------------------------------------------------------------------------

    def begin(self, part: str, way: int, total: int, seed: int | None = None, tag: bytes | None = None) -> _Resting:
        """Sends the command of a message with so many bytes of a part, by the counters, and what comes before this part."""
        return _Resting(self, part, way, total, self.rng.getrandbits(64) if seed is None else seed, tag)

    def learn(self, part: str, way: int) -> Counting:
        """Finds the counters of a part."""

        def run(keys: Any) -> list[Words]:
            message = self.begin(part, way, (LEARN + 3) * self.d.beat_bytes)
            found = []
            for number in range(LEARN):
                message.send(1)
                message.rest()
                if number > 1:
                    found.append(values(self.simulation, keys))
            message.send(3, last=self.d.beat_bytes)
            message.finish()
            return found

        counting = find_counting(self.simulation, run, self.every)
        # A counter of the state is moved with the state, and not with the numbers of blocks.
        self.found_in(part, way)
        for key in self.copies:
            counting.steps.pop(key, None)
        return counting

    def usable(self, counting: Counting, part: str, way: int, usual: int) -> bool:
        """Whether a core goes on from other numbers of blocks as the definition does, if there is no carry beyond the lowest bits.

        It does not if the state is where it is not found: in a word that counts, or in a register with a part of a counter.  Raises
        ``CheckFailed`` if the core does not compute such a message either when all of it is sent.
        """
        seed = self.rng.getrandbits(64)
        try:
            self._trial(counting, part, way, usual, False, seed, usual=True)
        except CheckFailed:
            self.anew()
            self._whole(part, way, usual, seed)
            return False
        return True

    def _whole(self, part: str, way: int, usual: int, seed: int) -> None:
        """A message of this length whose counters are not moved."""
        size = self.d.beat_bytes
        last = random.Random(seed).randrange(1, size)
        message = self.begin(part, way, (usual + 5 * NEAR) * size + last, seed)
        message.send(usual + 5 * NEAR)
        message.send(1, last=last)
        message.finish()

    def anew(self) -> None:
        """Gives the core its key again, behind a reset."""
        self.core.runner.forget()
        self.core.runner.reset(4)
        self.core.runner.run(max_cycles=self.d.erase_cycles + 4)
        self.core.load_message_key(self.key, 0)

    # -- trials --------------------------------------------------------------------------------------------------------------------

    def trials(self, part: str, way: int) -> Crossed:
        """All carries and limits of a part in a direction."""
        d = self.d
        named = f"carries of {part} to {'open' if way == 1 else 'seal'}{' in the second pass' if way == 2 else ''}"
        most = self.most(part)
        if part == "text" and d.held(way):
            most = min(most, d.room(way))
            if not self.stated(part):
                # It is counted as it is stored, and the end of the store is sent by another check.
                return Crossed(left=f"{named}: the core holds it back, at most {most} bytes")
        most //= d.beat_bytes
        usual = min(USUAL, most - 6 * NEAR)
        if usual < LEARN + NEAR:
            return Crossed(left=f"{named}: it has at most {most * d.beat_bytes} bytes")
        counting = self.learn(part, way)
        if not counting.steps:
            # A mode may read nothing of a part that has no limit.
            return Crossed(left=f"{named}: no counter is found")
        if not self.usable(counting, part, way, usual):
            return Crossed(left=f"{named}: its counters are not found")
        places = [1 << bit for bit in range(LEAST_BIT, max(1, most).bit_length())]
        places = [one for one in places if one + 4 * NEAR <= most]
        for place in places:
            self.parts_of(counting, part, way, place)
            self.trial(counting, part, way, place, limit=False)
        # All parts of the counters are known now.
        limited = places if not self.stated(part) else []
        for place in limited:
            self.trial(counting, part, way, place, limit=True)
        return Crossed(len(places), len(limited), frozenset(self.states))

    def parts_of(self, counting: Counting, part: str, way: int, place: int) -> None:
        """Finds the upper parts of counters whose lower parts begin anew at a place, if there are any."""
        bit = place.bit_length() - 1
        if counting.wraps:
            return
        seen: list[list[Words]] = []
        anew: set[Key] = set()
        moving: set[Key] = set()
        whole = {key for key in counting.steps if counting.widths[key] == bit and counting.steps[key] == 1}
        for _ in range(2):
            message = self.begin(part, way, min(64 * place * self.d.beat_bytes, self.most(part)))
            message.send(LEAD)
            message.rest()
            snapshots: list[Words] = []
            for _ in range(3):
                # As many beats as below, and no carry: what they change is no upper part, such as the level of a queue.
                message.send(2 * NEAR)
                message.rest()
                if snapshots:
                    calm = values(self.simulation, self.every)
                    moving |= {key for key in self.every if key not in counting.steps and calm[key] != snapshots[-1][key]}
                message.move(counting, place - NEAR - message.count % place)
                before = values(self.simulation, counting.words)
                message.send(2 * NEAR)
                message.rest()
                now = values(self.simulation, counting.words)
                anew |= {key for key in counting.steps if now[key] != counting.after(before, 2 * NEAR)[key]}
                if not anew | whole:
                    message.drop()
                    return
                snapshots.append(values(self.simulation, self.every))
            seen.append(snapshots)
            message.drop()
        upper = {}
        for key in (key for key in self.every if key not in moving):
            one, two = (seen[0][at + 1][key] - seen[0][at][key] for at in range(2))
            if one and one == two and one > 0 and all(first[key] == again[key] for first, again in zip(*seen, strict=True)):
                upper[key] = one
        parted = anew | whole
        # The words of lower parts in which nothing else counts are as before.
        upper = {key: more for key, more in upper.items() if key not in counting.steps or key in parted}
        if not upper:
            name = sorted(parted, key=str)[0][0]
            self.fail(f"has a counter of {part}, {name}, that loses the carry into bit {bit}")
        counting.wraps, counting.upper, counting.parted = bit, upper, parted

    def trial(self, counting: Counting, part: str, way: int, place: int, *, limit: bool) -> None:
        """A message whose counters carry at a place, and which then ends; or, with *limit*, comes to the most bytes of its mode, with a
        place like this limit but for one bit on its way.  A message to open comes once with a wrong tag, and once with the right one."""
        seed = self.rng.getrandbits(64)
        tag = self._trial(counting, part, way, place, limit, seed)
        if tag:
            self._trial(counting, part, way, place, limit, seed, tag)

    def _trial(
        self, counting: Counting, part: str, way: int, place: int, limit: bool, seed: int, tag: bytes | None = None, usual: bool = False
    ) -> bytes:  # fmt: skip
        """One of them; gives the tag of the message, if it is known.  With *usual*, the place is reached by the move itself."""
        size, most, rng = self.d.beat_bytes, self.most(part), random.Random(seed)
        last, whole = rng.randrange(1, size), most // size
        if not limit:
            total = (place + NEAR) * size + last
            stops = [place - NEAR]
            if usual:
                total, stops = (place + 5 * NEAR) * size + last, [place + NEAR]
        else:
            # One byte beyond the most, or the most.
            beyond = rng.random() < 0.5
            last, total = most % size + beyond, most + beyond
            stops = sorted({place - NEAR, (whole ^ place) - NEAR, whole - 2 * NEAR})
        found = None if limit else self.found_in(part, way)
        message = self.begin(part, way, total, seed, tag)
        message.send(LEAD)
        message.rest()
        field = self.field(message, place) if found else None
        for stop in stops:
            if stop < message.count or stop + 2 * NEAR > whole + 1:
                continue
            self.go(counting, message, stop)
            if field is not None:
                field()
            before = values(self.simulation, counting.words)
            beats = 2 * NEAR if stop + 2 * NEAR < total // size else NEAR
            message.send(beats)
            message.rest()
            if wrong := counting.wrong(before, values(self.simulation, counting.words), beats):
                bit = place.bit_length() - 1
                self.fail(f"has a wrong counter of {part}, {wrong[0][0]}, behind {message.count} beats, at the carry into bit {bit}")
        rest = total // size - message.count
        message.send(rest + (1 if last else 0), last=last or size)
        message.finish()
        return message.right_tag

    def go(self, counting: Counting, message: _Resting, stop: int) -> None:
        """Moves the counters to a number of beats.  What is known of an upper part beside its limit is made when it is reached."""
        if counting.upper:
            whole = 1 << counting.wraps
            if (stop >> counting.wraps) != (message.count >> counting.wraps) and stop % whole > 2 * NEAR:
                edge = (stop >> counting.wraps << counting.wraps) - NEAR
                if edge > message.count:
                    message.move(counting, edge - message.count)
                message.send(2 * NEAR)
                message.rest()
        if stop > message.count:
            message.move(counting, stop - message.count)

    def found_in(self, part: str, way: int) -> list[_Found]:
        """The counters of the state that each block of a part adds to, and where the core has them.

        A register may have the same value for another reason, such as that of the last block in a pipeline.  So the value is changed: two
        beats later, a counter of the state has gone on from there.
        """
        if (part, way) in self.found:
            return self.found[part, way]
        nbytes, result = self.d.block_bytes, self.found.setdefault((part, way), [])
        message = self.begin(part, way, 1 << 10)
        message.send(LEAD)
        message.rest()
        for name, counter in message.counters():
            widths = range(counter.bits, 8 * nbytes + 1)
            words = values(self.simulation, [key for key in self.every if self.simulation.objects[key[0]].width in widths])
            # Some blocks may wait before the pipeline, which then has the state in front of them.
            for late, state in enumerate(message.states()):
                if places := _places(words, self.simulation, state[name], counter, 8 * nbytes):
                    result.append(_Found(name, counter, late, places))
                    self.copies |= {key for key, shift in places if shift is None}
        message.drop()
        result[:] = [one for one in result if self.continues(one, part, way)]
        self.copies |= {key for one in result for key, _ in one.places}
        names = [one.name for one in result]
        result[:] = [one for at, one in enumerate(result) if one.name not in names[:at]]
        return result

    def continues(self, found: _Found, part: str, way: int) -> bool:
        """Whether a counter of the state goes on from another value that it is given."""
        nbytes = self.d.block_bytes
        message = self.begin(part, way, 1 << 10)
        message.send(LEAD)
        message.rest()
        old = message.states()[found.late][found.name]
        new = found.counter.add(old, PROBE, nbytes)
        places = [(key, shift) for key, shift in found.places if found.holds(self.simulation, key, shift, old, nbytes)]
        for key, shift in places:
            found.put(self.simulation, key, shift, new, nbytes)
        message.send(2)
        message.rest()
        step = found.counter.add(new, 2, nbytes)
        going = bool(places) and any(found.holds(self.simulation, key, shift, step, nbytes) for key, shift in places)
        message.drop()
        return going

    def field(self, message: _Resting, place: int) -> Callable[[], None] | None:
        """What gives the counters of the state, if the core has any where they are found, a value before the carry of a place."""
        nbytes = self.d.block_bytes
        found = [one for one in self.found_in(message.part, message.way) if place.bit_length() < one.counter.bits]
        if not found:
            return None

        def change() -> None:
            states = message.states()
            for one in found:
                old = states[one.late][one.name]
                places = [(key, shift) for key, shift in one.places if one.holds(self.simulation, key, shift, old, nbytes)]
                if not places:
                    continue
                count = one.counter.of(old, nbytes)
                new = one.counter.add(old, (count & ~(2 * place - 1) | place - 2) - count, nbytes)
                for key, shift in places:
                    one.put(self.simulation, key, shift, new, nbytes)
                message.change_state({one.name: new}, one.late)
                self.states.add(one.name)

        return change


@dataclass(frozen=True)
class _Found:
    """A counter of the state, and the words of the core that have the whole block or the counter alone."""

    name: str
    counter: Counter
    late: int
    places: list[tuple[Key, int | None]]
    """Each word with the bit from which on it has the counter; None if it has the whole block."""

    def holds(self, simulation: Any, key: Key, shift: int | None, block: int, nbytes: int) -> bool:
        """Whether a word has a value of the state."""
        one = simulation.get(*key)
        if shift is None:
            return bool(one == block)
        return bool(one >> shift & (1 << self.counter.bits) - 1 == _slice(block, self.counter, nbytes))

    def put(self, simulation: Any, key: Key, shift: int | None, block: int, nbytes: int) -> None:
        """Gives a word another value of the state."""
        one, mask = block, (1 << self.counter.bits) - 1
        if shift is not None:
            one = simulation.get(*key) & ~(mask << shift) | _slice(block, self.counter, nbytes) << shift
        put(simulation, {key: one})


def _slice(block: int, counter: Counter, nbytes: int) -> int:
    """The bits of a counter in a block."""
    return block >> counter.low(8 * nbytes) & (1 << counter.bits) - 1


def _places(words: Words, simulation: Any, value: int, counter: Counter, width: int) -> list[tuple[Key, int | None]]:
    """The words that hold a value of the state, whole, or its counter from some bit on."""
    nbytes = width // 8
    part, mask = _slice(value, counter, nbytes), (1 << counter.bits) - 1
    found: list[tuple[Key, int | None]] = []
    for key, one in words.items():
        wide = simulation.objects[key[0]].width
        if one == value and wide == width:
            found.append((key, None))
        elif part and one and counter.bits <= wide <= counter.bits + MORE_BITS and wide < width:
            found += [(key, shift) for shift in range(wide - counter.bits + 1) if one >> shift & mask == part][:1]
    return found


class _Resting:
    """A message that is sent in pieces, and what its definition says of it.

    Attributes
    ----------
    count : int
        Beats of the part, as the counters have them.
    """

    def __init__(self, run: _Carries, part: str, way: int, total: int, seed: int, tag: bytes | None):
        self.run, self.part, self.way, self.total = run, part, way, total
        d, rng = run.d, random.Random(seed)
        self.rng, self.right_tag = rng, b""
        self.count = 0
        self.sent = bytearray()
        self.blocks: dict[tuple[str, int], int] = {}
        self.state: dict[tuple[str, int], Callable[[State], State]] = {}
        self.nonce = rng.randbytes(d.nonces[0])
        self.other = rng.randbytes(3)
        self.tag_bytes = d.tag_bytes[0]
        self.tag = (tag or rng.randbytes(self.tag_bytes)) if way else b""
        self.finished = False
        associated, text = (total, 3) if part == "associated" else (3, total)
        # The part in question may come behind the other one.
        self.comes_first = (part == "text") == d.text_first
        command = Command(
            nonce=self.nonce, nonce_bytes=len(self.nonce), tag=self.tag, tag_bytes=self.tag_bytes, id=run.messages % 65536, decrypt=way,
            new_key=run.core.bring_key(), associated=associated, text=text,
        ).pack(d)  # fmt: skip
        run.core.runner.feed("s_axis_cmd", {"s_axis_cmd_tdata": command})
        if not self.comes_first:
            self._beats(self.other, ends=False)

    def _beats(self, data: bytes, *, ends: bool) -> None:
        beats = PacketBeats(self.run.d.beat_bytes)
        beats.add_part(data)
        if ends:
            beats.end()
        self.run.core.feed_beats(beats, bytes(len(beats)))

    def send(self, beats: int, last: int | None = None) -> None:
        """Sends beats of the part.  With *last*, they are its end, and the last beat has so many bytes."""
        size = self.run.d.beat_bytes
        data = self.rng.randbytes(beats * size if last is None else (beats - 1) * size + last)
        self.sent += data
        self.count += beats
        if data:
            self._beats(data, ends=last is not None and not self.comes_first)
        if last is not None and self.comes_first:
            self._beats(self.other, ends=True)
        self.finished = last is not None

    def rest(self) -> None:
        """Runs until nothing moves."""
        runner = self.run.core.runner
        runner.run({}, drain=True, max_cycles=16 * self.run.rest_cycles)
        runner.run(max_cycles=self.run.rest_cycles)

    def move(self, counting: Counting, beats: int) -> None:
        """Moves the counters on, in the core and in the definition."""
        simulation = self.run.simulation
        put(simulation, counting.moved(values(simulation, counting.words), beats))
        at = (self.part, len(self.sent) // self.run.d.block_bytes)
        self.blocks[at] = self.blocks.get(at, 0) + beats * (self.run.d.beat_bytes // self.run.d.block_bytes)
        self.count += beats

    def change_state(self, changed: dict[str, int], late: int) -> None:
        """Parts of the state are others, so many blocks before the last one that was sent."""
        at = (self.part, len(self.sent) // self.run.d.block_bytes - late)
        earlier = self.state.get(at, lambda s: s)
        self.state[at] = lambda s: earlier(s).replace(**changed)

    def states(self) -> list[dict[str, int]]:
        """The state after what was sent, and after each block before it."""
        blocks = len(self.sent) // self.run.d.block_bytes
        seen: dict[int, dict[str, int]] = {}

        def look(at: int) -> Callable[[State], State]:
            earlier = self.state.get((self.part, at), lambda s: s)

            def note(s: State) -> State:
                s = earlier(s)
                seen[at] = dict(s.items())
                return s

            return note

        state = {**self.state, **{(self.part, at): look(at) for at in range(max(1, blocks - LEAD + 1), blocks + 1)}}
        # The block behind what was sent is there, so that none of it is the last one.
        self._model(bytes(self.sent) + bytes(2 * self.run.d.block_bytes), state)
        return [seen[at] for at in sorted(seen, reverse=True)]

    def counters(self) -> list[tuple[str, Counter]]:
        """The parts of the state to which each block of this part adds a small number, with all counters that may be meant: a carry out of
        the shortest of them would tell them apart."""
        states, nbytes = self.states()[::-1], self.run.d.block_bytes
        found = []
        for name in states[0] if len(states) > 1 else ():
            for counter in COUNTERS.values():
                adds = counter.bits <= 8 * nbytes and any(
                    all(counter.add(a[name], more, nbytes) == b[name] for a, b in zip(states, states[1:])) for more in (1, 2)
                )
                if adds and states[0][name] != states[1][name]:
                    found.append((name, counter))
        return found

    def _model(self, data: bytes, state: Any) -> tuple[bytes, bytes]:
        ad, text = (data, self.other) if self.part == "associated" else (self.other, data)
        direction = self.run.model.mode.text_steps()[self.way]
        return self.run.model.run(direction, self.nonce, text, ad, self.tag_bytes, self.tag, Moved(self.blocks, state))

    def drop(self) -> None:
        """Ends a message about whose result nothing is asked, with a reset."""
        core = self.run.core
        core.runner.reset(4)
        core.runner.run(max_cycles=self.run.d.erase_cycles + 4)
        core.load_message_key(self.run.key, 0)

    def finish(self) -> None:
        """Waits for the status, and compares what came with the definition."""
        run, d, size = self.run, self.run.d, self.run.d.beat_bytes
        run.messages += 1
        limit = (len(self.sent) // size + 8) * run.rest_cycles + 4 * d.message_cycles(size, size)
        run.core.runner.run({"m_axis_status": 1}, max_cycles=limit)
        statuses = run.core.runner.take("m_axis_status")
        beats = run.core.runner.take("m_axis")
        if statuses.count != 1:
            run.fail(f"gives no status for a message whose counters were moved to {self.count} beats of {self.part}")
        packing = next(group for group in d.interfaces if group.name == "m_axis_status").packing
        fields = packing.unpack(statuses.values("m_axis_status_tdata")[0].to_bytes(packing.bits // 8, "little"))
        text = b"".join(
            beats.columns["m_axis_tdata"][at * d.beat_bytes :][: keep.bit_count()] for at, keep in enumerate(beats.values("m_axis_tkeep"))
        )
        where = f"a message whose counters were moved to {self.count} beats of {self.part}"
        if fields["code"] > max(MessageCode):
            run.fail(f"gives the code {fields['code']} for {where}")
        code = MessageCode(fields["code"])
        lasts, cuts = beats.values("m_axis_tlast"), beats.values("m_axis_tuser")
        if any(lasts[:-1]) or any(cuts[:-1]) or not all(lasts[-1:]):
            run.fail(f"does not end the packet once, with its last beat, for {where}")
        if self.total > run.most(self.part):
            if code != MessageCode.TOO_LONG:
                run.fail(f"gives {code.name} where TOO_LONG is right for {where}")
            if self.part == "text" and d.text_of(self.way, 1) and not d.held(self.way) and not any(cuts):
                run.fail(f"gives no end of the packet of {where}, which is too long")
            return
        if any(cuts):
            run.fail(f"cuts the packet of {where}")
        wanted, tag = self._model(bytes(self.sent), self.state)
        right = MessageCode.OK
        if self.way:
            self.right_tag = d.passes.right_tag(tag[: self.tag_bytes])
            right = MessageCode.WRONG_TAG if tag[: self.tag_bytes] != self.tag else MessageCode.OK
            tag = b""
        if code != right:
            run.fail(f"gives {code.name} where {right.name} is right for {where}")
        if releases(code, d.held(self.way)) and d.text_of(self.way, 1) and text != wanted:
            run.fail(f"computes a wrong text for {where}")
        if fields["tag"].to_bytes(d.block_bytes, "little")[: self.tag_bytes] != tag[: self.tag_bytes].ljust(self.tag_bytes, b"\0"):
            run.fail(f"computes a wrong tag for {where}")
