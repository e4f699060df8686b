# SPDX-License-Identifier: Apache-2.0
"""Finds the registers and words of memories that count the beats of a message, by what they do, and moves them on.

::

    beats so far      1    2    3    4    ...   messages with other data and another nonce: the same values
    a register        4    5    6    7          it counts: + 1 each
    a word of 119 bits        + 2^13 each       it has a counter from bit 13 on
    the upper part    0    0    0    0          + 1 each time that the lower part begins anew

No names and no widths are known here, so this holds for a core whose Verilog was edited.  A queue counts, too, but does not begin anew
with each message, so its pointers are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from modeloom.sim import Simulation

__all__ = ["Counting", "Key", "Words", "find_counting"]

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
    wraps : int or None
        Beats, as a power of two, after which the lower part of a counter in several parts begins anew; None while none is known.
    upper : dict
        What is added to the words of upper parts each time.
    """

    steps: Words
    widths: Words
    wraps: int | None = None
    upper: Words = field(default_factory=dict)

    @property
    def keys(self) -> list[Key]:
        """All words that count."""
        return [*self.steps, *(key for key in self.upper if key not in self.steps)]

    def low(self, key: Key, value: int) -> int:
        """The lower part of a counter in a word."""
        assert self.wraps is not None
        step = abs(self.steps[key])
        return value // step % (1 << self.wraps)

    def splits(self, key: Key) -> bool:
        """Whether a word has a counter, or the lower part of one, with as many bits as begin anew; others count on."""
        if self.wraps is None or key not in self.steps:
            return False
        return key in self.parted

    parted: set[Key] = field(default_factory=set)

    def carries(self, before: Words, beats: int) -> list[bool]:
        """For each lower part, whether it begins anew within some more beats.  One part may be ahead of another by a beat."""
        if self.wraps is None:
            return []
        return [bool(self.low(key, before[key]) + beats >> self.wraps) for key in self.parted]

    def after(self, before: Words, beats: int, carried: bool | None = None) -> Words:
        """What the words must be after some more beats, no more than once past the place at which the lower parts begin anew.

        The upper parts have *carried* by default if any lower part began anew.
        """
        found = {}
        carried = any(self.carries(before, beats)) if carried is None else carried
        for key in self.keys:
            value = before[key] + beats * self.steps.get(key, 0)
            if self.splits(key) and self.low(key, before[key]) + beats >> (self.wraps or 0):
                value -= self.steps[key] << (self.wraps or 0)
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
                key for key in self.keys
                if (self.low(key, now[key]) != self.low(key, wanted[key]) if self.splits(key) else now[key] != wanted[key])
            ]  # fmt: skip

        carries = self.carries(before, beats)
        return min((unlike(self.after(before, beats, carried)) for carried in (any(carries), all(carries))), key=len)

    def moved(self, now: Words, beats: int) -> Words:
        """What the words are if so many beats more had come, or fewer: lower and upper parts."""
        found = {}
        times = 0
        if self.wraps is not None and self.parted:
            key = next(iter(self.parted))
            times = self.low(key, now[key]) + beats >> self.wraps
        for key in self.keys:
            value = now[key] + times * self.upper.get(key, 0)
            if key in self.steps:
                more = beats
                if self.splits(key):
                    low = self.low(key, now[key])
                    more = (low + beats) % (1 << (self.wraps or 0)) - low
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
