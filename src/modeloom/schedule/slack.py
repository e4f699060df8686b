# SPDX-License-Identifier: Apache-2.0
"""Slack scheduling with ejection: places all operations within a given latency, or gives up.

The operation with the least slack (latest minus earliest start) comes first, so the critical path takes its slots before anything
else, wherever in the sector it lies.  An operation that finds no free slot takes one by force; whatever is in its way is placed anew.
After Huff, Lifetime-sensitive modulo scheduling, PLDI 1993, and Rau, Iterative modulo scheduling, MICRO 1994.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modeloom.schedule.greedy import Placement
from modeloom.schedule.problem import Problem

__all__ = ["SlackSearch", "Bias", "Infeasible"]

Numbers = NDArray[np.int32]
_NEVER = -(1 << 28)
"""Delay between operations that do not depend on each other."""


class Infeasible(Exception):
    """A chain of the graph does not fit into the initiation interval."""


@dataclass(frozen=True)
class Bias:
    """How operations are placed within their slack.

    Attributes
    ----------
    first, rest : float
        Probability that an operation goes to its latest free slot instead of its earliest: before the first cipher call (a hash
        that the sector begins with), and after it.
    noise : float
        Cycles by which the order of slacks is perturbed.
    """

    first: float
    rest: float
    noise: float = 1.0


class SlackSearch:
    """The search on one problem and interval; results are left out.

    Parameters
    ----------
    ii : int
        Initiation interval.
    windows : bool
        Whether the registers of chains are taken again after ``ii`` cycles, which a plain schedule does not know.

    Raises
    ------
    Infeasible
        A chain has more uses than the interval has cycles.
    """

    def __init__(self, problem: Problem, ii: int, windows: bool = True):
        self.ii = ii
        self.members = [i for i in range(len(problem.unit)) if not problem.is_result(i)]
        self.before = self._distances(problem, windows)
        self.after = np.ascontiguousarray(self.before.T)
        earliest, ends = problem.earliest(), problem.tails()
        least = np.array([earliest[i] for i in self.members], dtype=np.int32)
        tails = np.array([ends[i] for i in self.members], dtype=np.int32)
        self.least = (self.before + least[:, None]).max(0)
        self.tail = (self.before + tails[None, :]).max(1)
        self.first = [problem.phase[i] == 0 for i in self.members]
        self._resources(problem)
        self.steps = 0

    def _distances(self, problem: Problem, windows: bool) -> Numbers:
        """Longest paths: start[j] >= start[i] + distance[i, j]."""
        place = {i: n for n, i in enumerate(self.members)}
        size = len(self.members)
        after = np.full((size, size), _NEVER, dtype=np.int32)
        for j, i in enumerate(self.members):
            after[j, j] = 0
            for p, delay in problem.preds[i].items():
                np.maximum(after[j], after[place[p]] + delay, out=after[j])
        before = np.ascontiguousarray(after.T)
        for members in problem.chain_uses.values() if windows else ():
            (a, offset_a), (b, offset_b) = members[0], members[-1]
            back = offset_b - offset_a - (self.ii - 1)
            a, b = place[a], place[b]
            if before[a, b] + back > 0:
                raise Infeasible
            np.maximum(before, before[:, b, None] + back + before[a], out=before)
        before[before < _NEVER // 2] = _NEVER
        return before

    def _resources(self, problem: Problem) -> None:
        """For each operation, (first table of a unit kind, cycles) that it takes, and the instances it may take."""
        tables: dict[str, int] = {}
        self.tables = 0
        self.claims: list[list[tuple[int, int]]] = []
        self.choices: list[Sequence[int]] = []
        for i in self.members:
            unit, bound = problem.unit[i], problem.bound_to[i]
            kinds = [(unit.kind, unit.interval)]
            if problem.slow[i]:
                kinds.append((unit.kind + ".slow", unit.slow_interval))
            claims = []
            for kind, interval in kinds:
                if kind not in tables:
                    tables[kind] = self.tables
                    self.tables += unit.count
                claims.append((tables[kind], interval))
            self.claims.append(claims)
            self.choices.append(range(unit.count) if bound is None else (bound,))

    def run(
        self, latency: int, limit: int, bias: Bias, rng: random.Random, near: Placement | None = None, drop: float = 0.0
    ) -> dict[int, tuple[int, int]] | None:
        """Start cycle and instance of each operation; None if ``limit`` placements were not enough.

        ``steps`` is the number of placements made.

        Parameters
        ----------
        near : Placement or None
            A placement to start from.  What it has after a random cycle moves earlier by the cycles that it is too long.
        drop : float
            Share of its operations that are placed anew in any case.
        """
        self.steps = 0
        latest = latency - self.tail
        if (latest < self.least).any():
            return None
        state = _State(self, latest)
        if near is not None:
            self._adopt(state, near, latency, drop, rng)
        noise = np.array([rng.random() for _ in self.members]) * bias.noise
        while state.left:
            if self.steps >= limit:
                return None
            self.steps += 1
            slack = state.high - state.low + noise
            slack[state.placed] = np.inf
            n = int(slack.argmin())
            share = bias.first if self.first[n] else bias.rest
            late = share == 1 or share > 0 and rng.random() < share
            slot = state.free_slot(n, late)
            if slot is None:
                slot = state.yielded_slot(n, rng) or state.forced_slot(n, rng)
                for m in state.eject_for(n, *slot):
                    noise[m] = rng.random() * bias.noise
            state.place(n, *slot)
        return {i: (state.start[n], state.instance[n]) for n, i in enumerate(self.members)}


    def _adopt(self, state: _State, near: Placement, latency: int, drop: float, rng: random.Random) -> None:
        """Takes over what fits of another placement, in random order."""
        starts = [near[0][i] for i in self.members]
        excess = max(0, max(start + int(tail) for start, tail in zip(starts, self.tail)) - latency)
        cut = sorted(starts)[int(rng.random() * len(starts))]
        order = sorted(range(len(starts)), key=[rng.random() for _ in starts].__getitem__)
        for n in order:
            if rng.random() >= drop:
                start = starts[n] - excess if starts[n] > cut else starts[n]
                if state.fits(n, start, near[1][self.members[n]]):
                    state.place(n, start, near[1][self.members[n]])
                    self.steps += 1


class _State:
    """A partial schedule: bounds of every operation under the placed ones, and free slots as bit sets."""

    def __init__(self, search: SlackSearch, latest: Numbers):
        self.search = search
        size = len(search.members)
        self.left = size
        self.full = (1 << search.ii) - 1
        self.low, self.high = search.least.copy(), latest.copy()
        self.least, self.latest = search.least, latest
        # Rows of placed operations; the column maximum and minimum are the bounds.
        self.push = np.full((size, size), _NEVER, dtype=np.int32)
        self.pull = np.full((size, size), -_NEVER, dtype=np.int32)
        self.placed = np.zeros(size, dtype=bool)
        self.start, self.instance, self.forced = [0] * size, [0] * size, [-1] * size
        self.free = [self.full] * search.tables
        self.owner = [[-1] * search.ii for _ in range(search.tables)]

    def free_slot(self, n: int, late: bool) -> tuple[int, int] | None:
        """The latest or earliest start within the bounds where an instance is free."""
        return self._free_within(n, int(self.low[n]), int(self.high[n]), late)

    def _free_within(self, n: int, low: int, high: int, late: bool) -> tuple[int, int] | None:
        ii = self.search.ii
        width = min(high - low + 1, ii)
        if width <= 0:
            return None
        base = high - width + 1 if late else low
        turn, mask = base % ii, (1 << width) - 1
        best: tuple[int, int] | None = None
        for instance in self.search.choices[n]:
            free = self.full
            for table, interval in self.search.claims[n]:
                row = self.free[table + instance]
                for ahead in range(interval):
                    ahead %= ii
                    free &= row >> ahead | row << (ii - ahead)
            free = (free >> turn | free << (ii - turn)) & mask
            if free:
                start = base + (free.bit_length() if late else (free & -free).bit_length()) - 1
                if best is None or (start > best[0] if late else start < best[0]):
                    best = start, instance
        return best

    def fits(self, n: int, start: int, instance: int) -> bool:
        """Whether an operation can take a start as things are."""
        if not self.low[n] <= start <= self.high[n]:
            return False
        return all(
            self.free[table + instance] >> (start + ahead) % self.search.ii & 1
            for table, interval in self.search.claims[n]
            for ahead in range(interval)
        )

    def yielded_slot(self, n: int, rng: random.Random) -> tuple[int, int] | None:
        """A start within the bounds whose operation can go to a free slot itself; the first from a random one on."""
        search, ii = self.search, self.search.ii
        low = int(self.low[n])
        width = min(int(self.high[n]) - low + 1, ii)
        first = int(rng.random() * width)
        before, after = search.before[n], search.after[n]
        for ahead in range(width):
            start = low + (first + ahead) % width
            for instance in search.choices[n]:
                m = self.owner[search.claims[n][0][0] + instance][start % ii]
                if m < 0:
                    continue
                low_m = max(int(self.low[m]), start + int(before[m]))
                high_m = min(int(self.high[m]), start - int(after[m]))
                if low_m < high_m and self._free_within(m, low_m, high_m, False):
                    return start, instance
        return None

    def forced_slot(self, n: int, rng: random.Random) -> tuple[int, int]:
        """A random start, if possible within the bounds, not the one forced before."""
        low, high = int(self.low[n]), int(self.high[n])
        if high < low:
            start = low if rng.random() < 0.5 else high
        else:
            start = low + int(rng.random() * (high - low + 1))
        if start == self.forced[n]:
            start += 1 if rng.random() < 0.5 else -1
        start = min(max(start, int(self.least[n])), int(self.latest[n]))
        self.forced[n] = start
        choices = self.search.choices[n]
        return start, choices[int(rng.random() * len(choices))]

    def eject_for(self, n: int, start: int, instance: int) -> list[int]:
        """Removes what keeps an operation from a start: those in its slots and those its dependences forbid."""
        ii = self.search.ii
        out: set[int] = set()
        for table, interval in self.search.claims[n]:
            owner = self.owner[table + instance]
            out.update(owner[(start + ahead) % ii] for ahead in range(interval))
        out.discard(-1)
        late = self.push[:, n] > start
        early = self.pull[:, n] < start
        out.update(np.nonzero(late | early)[0].tolist())
        ordered = sorted(out)
        for m in ordered:
            self.placed[m] = False
            self.push[m] = _NEVER
            self.pull[m] = -_NEVER
            for table, interval in self.search.claims[m]:
                table += self.instance[m]
                for ahead in range(interval):
                    slot = (self.start[m] + ahead) % ii
                    self.owner[table][slot] = -1
                    self.free[table] |= 1 << slot
        self.left += len(ordered)
        np.maximum(self.push.max(0), self.least, out=self.low)
        np.minimum(self.pull.min(0), self.latest, out=self.high)
        return ordered

    def place(self, n: int, start: int, instance: int) -> None:
        """Places an operation on slots that are free."""
        search = self.search
        self.start[n], self.instance[n] = start, instance
        self.placed[n] = True
        self.left -= 1
        for table, interval in search.claims[n]:
            table += instance
            for ahead in range(interval):
                slot = (start + ahead) % search.ii
                self.owner[table][slot] = n
                self.free[table] &= ~(1 << slot)
        np.add(search.before[n], start, out=self.push[n])
        np.subtract(start, search.after[n], out=self.pull[n])
        # Its own bounds stay those that the others leave it.
        self.push[n, n], self.pull[n, n] = _NEVER, -_NEVER
        np.maximum(self.low, self.push[n], out=self.low)
        np.minimum(self.high, self.pull[n], out=self.high)
