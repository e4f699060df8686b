# SPDX-License-Identifier: Apache-2.0
"""Slack scheduling with ejection: places all operations within a given latency, or gives up.

The operation with the least slack (latest minus earliest start) comes first.  The critical path therefore takes its slots before anything
else, wherever it lies in the sector.  An operation without a free slot takes one by force.  The operations that it displaces are placed
again.
After Huff, Lifetime-sensitive modulo scheduling, PLDI 1993, and Rau, Iterative modulo scheduling, MICRO 1994.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modeloom.schedule.bound import NEVER, Numbers, longest_paths
from modeloom.schedule.greedy import FREE, Grid, Placement
from modeloom.schedule.problem import Problem

__all__ = ["SlackSearch", "Bias"]

_FAR = 1e9
"""Slack of a placed operation."""

ADOPTED = 8
"""Operations that are taken over from another placement in the time of one that is placed."""


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
    """The search on one problem and interval, without the operations that only output results.

    Parameters
    ----------
    ii : int
        Initiation interval.
    windows : bool
        Whether the registers of chains are needed again after ``ii`` cycles.  This is not so in a plain schedule.
    grid : Grid
        Cycles in which operations may start.

    Raises
    ------
    Infeasible
        A chain has more uses than the interval has cycles.
    """

    def __init__(self, problem: Problem, ii: int, windows: bool = True, grid: Grid = FREE):
        self.ii, self.grid = ii, grid
        self.members = [i for i in range(len(problem.unit)) if not problem.is_result(i)]
        self.before = longest_paths(problem, self.members, ii if windows else 0)
        earliest, ends = problem.earliest(), problem.tails()
        least = np.array([earliest[i] for i in self.members], dtype=np.int32)
        tails = np.array([ends[i] for i in self.members], dtype=np.int32)
        self.least = (self.before + least[:, None]).max(0)
        self.tail = (self.before + tails[None, :]).max(1)
        self.first = [problem.phase[i] == 0 for i in self.members]
        # An operation does not bound itself.
        np.fill_diagonal(self.before, NEVER)
        self.after = np.ascontiguousarray(self.before.T)
        self.before_rows, self.after_rows = list(self.before), list(self.after)
        self._resources(problem)
        self._starts(problem)
        self.steps = 0

    def _resources(self, problem: Problem) -> None:
        """For each operation, (first table of a unit kind, cycles) that it takes, and the instances it may take."""
        tables: dict[str, int] = {}
        self.tables = 0
        self.claims: list[list[tuple[int, int]]] = []
        self.choices: list[Sequence[int]] = []
        for i in self.members:
            unit, bound = problem.unit[i], problem.bound_to[i]
            kinds: list[tuple[str, int]] = [(unit.kind, unit.interval)]
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
        self.bound = [problem.bound_to[i] is not None for i in self.members]
        self.counts = [problem.unit[i].count for i in self.members]

    def _starts(self, problem: Problem) -> None:
        """For each operation its unit and the slots it may start in, as a bit set and as an array."""
        self.unit = [problem.unit[i] for i in self.members]
        on_grid = {u.kind: [slot for slot in range(self.ii) if self.grid.next(u, slot) == slot] for u in self.unit}
        self.slots = [sum(1 << slot for slot in on_grid[u.kind]) for u in self.unit]
        self.gridded = [n for n, u in enumerate(self.unit) if self.grid.restricts(u)]
        self.batched = [n for n, i in enumerate(self.members) if i in problem.in_batches]

    def run(
        self,
        latency: int,
        limit: int,
        bias: Bias,
        rng: random.Random,
        near: Placement | None = None,
        drop: float = 0.0,
        pin: tuple[int, int] | None = None,
    ) -> dict[int, tuple[int, int]] | None:
        """Finds the start cycle and instance of each operation; None if ``limit`` placements did not suffice.

        ``steps`` is the number of placements made.

        Parameters
        ----------
        near : Placement or None
            A placement to start from.  Its operations after a random cycle move earlier by as many cycles as it is too long.
        drop : float
            Share of its operations that are placed again in any case.
        pin : (int, int) or None
            An operation and the cycle in which it has to start.
        """
        self.steps = 0
        least, latest = self.least, latency - self.tail
        if pin is not None:
            n, start = self.members.index(pin[0]), pin[1]
            least, latest = np.maximum(least, self.before[n] + start), np.minimum(latest, start - self.after[n])
            least[n], latest[n] = max(least[n], start), min(latest[n], start)
        if self.gridded:
            least, latest = least.copy(), latest.copy()
            for n in self.gridded:
                least[n], latest[n] = self.grid.next(self.unit[n], int(least[n])), self.grid.last(self.unit[n], int(latest[n]))
        if (latest < least).any():
            return None
        state = _State(self, least, latest)
        if near is not None:
            state.adopt(*self._retained(near, latency, drop, rng))
            self.steps += (len(self.members) - state.left) // ADOPTED
        noise = np.array([rng.random() for _ in self.members]) * bias.noise
        noise[state.placed] += _FAR
        slack = np.empty_like(noise)
        while state.left:
            if self.steps >= limit:
                return None
            self.steps += 1
            np.subtract(state.high, state.low, out=slack)
            np.add(slack, noise, out=slack)
            n = int(slack.argmin())
            share = bias.first if self.first[n] else bias.rest
            late = share == 1 or share > 0 and rng.random() < share
            slot = state.free_slot(n, late)
            if slot is None:
                slot = state.yielded_slot(n, rng) or state.forced_slot(n, rng)
                for m in state.eject_for(n, *slot):
                    noise[m] = rng.random() * bias.noise
            state.place(n, *slot)
            noise[n] = _FAR
        return {i: (int(state.start[n]), state.instance[n]) for n, i in enumerate(self.members)}

    def _retained(self, near: Placement, latency: int, drop: float, rng: random.Random) -> tuple[Numbers, list[int], NDArray[np.bool_]]:
        """Starts, instances and operations to take over from another placement."""
        starts = np.array([near[0][i] for i in self.members], dtype=np.int32)
        excess = max(0, int((starts + self.tail).max()) - latency)
        cut = int(np.sort(starts)[int(rng.random() * len(starts))])
        moved = starts > cut
        for n in self.batched:
            # What would leave its batch stays, if it ends early enough.
            moved[n] &= self.slots[n] >> int(starts[n] - excess) % self.ii & 1
        starts[moved] -= excess
        keep = np.array([rng.random() >= drop for _ in self.members], dtype=bool)
        return starts, [near[1][i] for i in self.members], keep


def _runs(row: int, ii: int, length: int) -> int:
    """The slots of a row from which so many slots in a circle are free, as bit sets; at least one."""
    twice, have = row | row << ii, 1
    while have < min(length, ii):
        step = min(have, length - have)
        twice &= twice >> step
        have += step
    return twice


class _State:
    """A partial schedule: bounds of every operation, given the placed ones, and free slots as bit sets."""

    def __init__(self, search: SlackSearch, least: Numbers, latest: Numbers):
        self.search = search
        size = len(search.members)
        self.left = size
        self.full = (1 << search.ii) - 1
        self.low, self.high = least.copy(), latest.copy()
        self.least, self.latest = least, latest
        self.placed = np.zeros(size, dtype=bool)
        self.start = np.zeros(size, dtype=np.int32)
        # Starts of the placed operations; those of the others bound nothing.
        self.pushing = np.full(size, NEVER, dtype=np.int32)
        self.pulling = np.full(size, -NEVER, dtype=np.int32)
        self.instance, self.forced = [0] * size, [-1] * size
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
            free = self.search.slots[n]
            for table, interval in self.search.claims[n]:
                row = self.free[table + instance]
                free &= row if interval == 1 else _runs(row, ii, interval)
            free = (free >> turn | free << (ii - turn)) & mask
            if free:
                start = base + (free.bit_length() if late else (free & -free).bit_length()) - 1
                if best is None or (start > best[0] if late else start < best[0]):
                    best = start, instance
        return best

    def yielded_slot(self, n: int, rng: random.Random) -> tuple[int, int] | None:
        """A start within the bounds whose operation can go to a free slot itself; the first from a random one on."""
        search, ii = self.search, self.search.ii
        low = int(self.low[n])
        width = min(int(self.high[n]) - low + 1, ii)
        if width <= 0:
            return None
        table = search.claims[n][0][0]
        rows = [(instance, self.owner[table + instance]) for instance in search.choices[n]]
        before, after, grid = search.before_rows[n], search.after_rows[n], search.slots[n]
        first = int(rng.random() * width)
        # Free slots of two turns: of each instance, and of any.
        free = [row | row << ii for row in self.free[table : table + search.counts[n]]]
        some = 0
        for row in free:
            some |= row
        if not some:
            return None
        # Most windows are a few cycles wide, so that whole arrays would take longer.
        for ahead in range(first, first + width):
            start = low + ahead % width
            slot = start % ii
            if not grid >> slot & 1:
                continue
            for instance, owner in rows:
                m = owner[slot]
                if m < 0:
                    continue
                low_m, high_m = max(self.low.item(m), start + before.item(m)), min(self.high.item(m), start - after.item(m))
                if low_m >= high_m:
                    continue
                free_m = (free[instance] if search.bound[m] else some) >> low_m % ii
                if 0 < (free_m & -free_m).bit_length() <= high_m - low_m + 1 and self._free_within(m, low_m, high_m, False):
                    return start, instance
        return None

    def forced_slot(self, n: int, rng: random.Random) -> tuple[int, int]:
        """A random start, if possible within the bounds, not the one forced before."""
        search, low, high = self.search, int(self.low[n]), int(self.high[n])
        if high < low:
            start = low if rng.random() < 0.5 else high
        else:
            start = low + int(rng.random() * (high - low + 1))
        if start == self.forced[n]:
            start += 1 if rng.random() < 0.5 else -1
        start = min(max(search.grid.next(search.unit[n], start), int(self.least[n])), int(self.latest[n]))
        self.forced[n] = start
        choices = search.choices[n]
        return start, choices[int(rng.random() * len(choices))]

    def eject_for(self, n: int, start: int, instance: int) -> list[int]:
        """Removes what keeps an operation from a start: those in its slots and those its dependences forbid."""
        search, ii = self.search, self.search.ii
        out: set[int] = set()
        for table, interval in search.claims[n]:
            owner = self.owner[table + instance]
            out.update(owner[(start + ahead) % ii] for ahead in range(interval))
        out.discard(-1)
        if self.low[n] > start or self.high[n] < start:
            late = self.pushing + search.after_rows[n] > start
            early = self.pulling - search.before_rows[n] < start
            out.update((late | early).nonzero()[0].tolist())
        ordered = sorted(out)
        loose = tight = np.zeros(len(self.low), dtype=bool)
        for m in ordered:
            begin = self.start.item(m)
            loose = loose | (self.low == search.before_rows[m] + begin)
            tight = tight | (self.high == begin - search.after_rows[m])
            self.placed[m] = False
            self.pushing[m], self.pulling[m] = NEVER, -NEVER
            for table, interval in search.claims[m]:
                table += self.instance[m]
                for ahead in range(interval):
                    slot = (begin + ahead) % ii
                    self.owner[table][slot] = -1
                    self.free[table] |= 1 << slot
        if not ordered:
            return ordered
        self.left += len(ordered)
        # Only operations that one of them held back can move further now.
        i = loose.nonzero()[0]
        if len(i):
            pushed = np.maximum.reduce(search.after.take(i, axis=0) + self.pushing, axis=1)
            self.low[i] = np.maximum(pushed, self.least.take(i))
        i = tight.nonzero()[0]
        if len(i):
            pulled = np.minimum.reduce(self.pulling - search.before.take(i, axis=0), axis=1)
            self.high[i] = np.minimum(pulled, self.latest.take(i))
        return ordered

    def place(self, n: int, start: int, instance: int) -> None:
        """Places an operation on slots that are free."""
        search = self.search
        self._take(n, start, instance)
        np.maximum(self.low, search.before_rows[n] + start, out=self.low)
        np.minimum(self.high, start - search.after_rows[n], out=self.high)

    def _take(self, n: int, start: int, instance: int) -> None:
        self.start[n], self.instance[n] = start, instance
        self.pushing[n] = self.pulling[n] = start
        self.placed[n] = True
        self.left -= 1
        for table, interval in self.search.claims[n]:
            table += instance
            for ahead in range(interval):
                slot = (start + ahead) % self.search.ii
                self.owner[table][slot] = n
                self.free[table] &= ~(1 << slot)

    def adopt(self, starts: Numbers, instances: list[int], keep: NDArray[np.bool_]) -> None:
        """Places those of the given operations that fit."""
        search = self.search
        keep = keep & (starts >= self.least) & (starts <= self.latest)
        # If two operations conflict, the one with more conflicts is removed.
        while True:
            pushing = np.where(keep, starts, NEVER)
            against = ((search.after + pushing) > starts[:, None]) & keep[:, None]
            if not against.any():
                break
            partners = against.sum(0) + against.sum(1)
            keep[int(partners.argmax())] = False
        for n in np.nonzero(keep)[0].tolist():
            start = int(starts[n])
            if all(
                self.free[table + instances[n]] >> (start + ahead) % search.ii & 1
                for table, interval in search.claims[n]
                for ahead in range(interval)
            ):
                self._take(n, start, instances[n])
        np.maximum((search.after + self.pushing).max(1), self.least, out=self.low)
        np.minimum((self.pulling - search.before).min(1), self.latest, out=self.high)
