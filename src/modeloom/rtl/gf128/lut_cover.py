# SPDX-License-Identifier: Apache-2.0
"""Covers sums of products, which may share parts, with LUTs of K inputs.

A *term* is a signal (1 input of a LUT) or a product of two signals (2 inputs).  A sum is a set of terms, and has its own signal::

    sum of s inputs in the smallest number of LUTs        K = 6, s = 16: 8 products, 3 LUTs, no input free

    p p p ── LUT ──┐                                       s inputs need ceil((s - 1) / (K - 1)) LUTs, as every LUT but the
    p p p ── LUT ──┴ p p ── LUT ── sum                     last hands one input on; up to K - 2 inputs stay free

Free inputs waste area.  A term can always be removed from a sum if it is added to all sums that read this sum.  Terms are therefore moved
from sums that need a few inputs more than their LUTs have to readers with free inputs, until no move helps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp
from random import Random

__all__ = ["Lut", "Network", "Term", "Terms", "lut_count"]

Term = int | tuple[int, int]
"""A signal, or a product of two."""

Terms = frozenset[Term]
"""A sum.  The sum of two sums is their symmetric difference, ``^``."""


def lut_count(slots: int, inputs: int) -> int:
    """Number of LUTs with ``inputs`` inputs for a sum whose terms have ``slots`` inputs in total.  A single signal needs none."""
    return max(0, -(-(slots - 1) // (inputs - 1)))


def _size(term: Term) -> int:
    return 1 if isinstance(term, int) else 2


def _slots(terms: Iterable[Term]) -> int:
    return sum(_size(term) for term in terms)


@dataclass(frozen=True)
class Lut:
    """One LUT.  ``signal`` is the sum of ``terms``, which have at most K inputs.  ``level`` is 1 more than the highest level of its
    inputs."""

    signal: int
    terms: tuple[Term, ...]
    level: int


class Network:
    """A network of inputs, sums of inputs (factors of products), and sums of products.

    Signals are numbers.  Factors and sums come after the signals on which they depend.  No factor depends on a sum.

    Parameters
    ----------
    inputs : int
        Inputs of a LUT.  The number is even, so products can fill all inputs.

    Attributes
    ----------
    count : int
        Number of signals so far.
    factors : dict
        The terms of each sum of inputs.  All of them are signals.
    sums : dict
        The terms of each sum of products.
    """

    def __init__(self, inputs: int) -> None:
        if inputs not in (4, 6):
            raise ValueError(f"a cover is for LUTs of 4 or 6 inputs, not {inputs}")
        self.inputs = inputs
        self.count = 0
        self.factors: dict[int, Terms] = {}
        self.sums: dict[int, Terms] = {}

    def new(self) -> int:
        """A new signal.  It is an input if it becomes neither a factor nor a sum."""
        self.count += 1
        return self.count - 1

    def factor(self, left: int, right: int) -> int:
        """The sum of two inputs or factors, which takes one LUT."""
        terms = self.factors.get(left, frozenset([left])) ^ self.factors.get(right, frozenset([right]))
        signal = self.new()
        self.factors[signal] = terms if len(terms) <= self.inputs else frozenset([left, right])
        return signal

    def signal(self, terms: Terms) -> int:
        """A new signal with the value of a sum."""
        signal = self.new()
        self.sums[signal] = terms
        return signal

    def sum(self, terms: Terms) -> Terms:
        """The same sum as one term.  An empty sum and a single signal are returned unchanged."""
        return terms if _slots(terms) <= 1 else frozenset([self.signal(terms)])

    def _readers(self, sums: Mapping[int, Mapping[Term, None]]) -> dict[int, dict[int, None]]:
        """For each signal, the sums that have it as a term."""
        readers: dict[int, dict[int, None]] = {signal: {} for signal in range(self.count)}
        for signal, terms in sums.items():
            for term in terms:
                if isinstance(term, int):
                    readers[term][signal] = None
        return readers

    def fill(self, outputs: set[int], rounds: int = 160, seed: int = 1) -> None:
        """Moves terms between sums to reduce the number of LUTs.  Every output keeps its value.

        This is simulated annealing with a fixed seed.  A move removes a term from a sum, or adds one, and does the same in all its readers.
        Free inputs also count in the cost, because only several of them together save a LUT.

        Parameters
        ----------
        outputs : set of int
            Sums that are read from outside.
        rounds : int
            Number of moves to try for each sum.  About 200,000 moves take a second.
        seed : int
            Seed of the random numbers.
        """
        random = Random(seed).random
        sums: dict[int, dict[Term, None]] = {signal: dict.fromkeys(sorted(terms, key=_order)) for signal, terms in self.sums.items()}
        readers = self._readers(sums)
        movable = [signal for signal in sums if signal not in outputs]
        slots = {signal: _slots(terms) for signal, terms in sums.items()}
        limit = 2 * max(slots.values(), default=0) + 64
        cost = [lut_count(number, self.inputs) + _FREE_INPUT * number for number in range(limit + 1)]
        steps = rounds * len(movable)
        for step in range(steps):
            temperature = _HOT * (_COLD / _HOT) ** (step / steps)
            signal = movable[int(random() * len(movable))]
            touched = (signal, *readers[signal])
            if len(touched) == 1:
                continue
            choice = tuple(sums[touched[int(random() * 2)]])
            term = choice[int(random() * len(choice))]
            size = _size(term)
            if (isinstance(term, int) and term >= signal) or (len(sums[signal]) == 1 and term in sums[signal]):
                continue  # a loop, or an empty sum
            if any(slots[place] + size > limit for place in touched):
                continue
            change = 0.0
            for place in touched:
                now = slots[place]
                change += cost[now - size if term in sums[place] else now + size] - cost[now]
            if change > 0 and random() >= exp(-change / temperature):
                continue
            for place in touched:
                if term in sums[place]:
                    del sums[place][term]
                    slots[place] -= size
                    if isinstance(term, int):
                        del readers[term][place]
                else:
                    sums[place][term] = None
                    slots[place] += size
                    if isinstance(term, int):
                        readers[term][place] = None
        self.sums = _without_copies(sums, outputs)

    def cover(self, outputs: set[int]) -> list[Lut]:
        """LUTs of all factors and sums that ``outputs`` need.  Each comes after the LUTs that it reads."""
        level = dict.fromkeys(range(self.count), 0)
        luts: list[Lut] = []
        made = {**dict(sorted(self.factors.items())), **dict(sorted(self.sums.items()))}
        needed = set(outputs)
        for signal in reversed(made):
            if signal in needed:
                for term in made[signal]:
                    needed.update([term] if isinstance(term, int) else term)
        for signal, terms in made.items():
            if signal not in needed:
                continue
            while _slots(terms) > self.inputs:
                chosen = self._earliest(terms, level)
                luts.append(self._lut(self.new(), chosen, level))
                terms = terms - chosen | {luts[-1].signal}
            luts.append(self._lut(signal, terms, level))
        return luts

    def _lut(self, signal: int, terms: Iterable[Term], level: dict[int, int]) -> Lut:
        level[signal] = 1 + max(_level(term, level) for term in terms)
        return Lut(signal, tuple(sorted(terms, key=_order)), level[signal])

    def _earliest(self, terms: Terms, level: dict[int, int]) -> Terms:
        """The earliest terms that fill a LUT."""
        ordered = sorted(terms, key=lambda term: (_level(term, level), _order(term)))
        chosen: list[Term] = []
        free = self.inputs
        for term in ordered:
            size = _size(term)
            if size <= free:
                chosen.append(term)
                free -= size
        if free:  # an odd number of signals and no other signal: one signal less makes room for a product
            chosen.remove(next(term for term in reversed(chosen) if isinstance(term, int)))
            chosen.append(next(term for term in ordered if term not in chosen and not isinstance(term, int)))
        return frozenset(chosen)


_FREE_INPUT = 0.06
"""Cost of a used input, in LUTs."""

_HOT, _COLD = 0.03, 0.01
"""Temperature of the first and the last step, in LUTs."""


def _without_copies(sums: Mapping[int, Iterable[Term]], outputs: set[int]) -> dict[int, Terms]:
    """The sums without empty sums and sums of one signal, which are replaced in their readers."""
    same: dict[Term, Terms] = {}
    result: dict[int, Terms] = {}
    for signal in sorted(sums):
        rest: Terms = frozenset()
        for term in sums[signal]:
            rest ^= same.get(term, frozenset([term]))
        if signal not in outputs and _slots(rest) <= 1:
            same[signal] = rest
        else:
            result[signal] = rest
    return result


def _order(term: Term) -> tuple[int, int]:
    return (term, -1) if isinstance(term, int) else term


def _level(term: Term, level: dict[int, int]) -> int:
    return level[term] if isinstance(term, int) else max(level[term[0]], level[term[1]])
