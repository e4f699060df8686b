# SPDX-License-Identifier: Apache-2.0
"""A lower bound of the latency of an overlapped schedule, from the slots of the interval.

Sectors share the slots of the units modulo the interval.  Two parts of a sector that lie a multiple of it apart therefore compete for the
same slots.  Neither paths nor issue rates show this::

    first hash  ├── M ──┤              needs every slot of the multipliers from a to b
    second hash              ├──── N ────┤  needs slots after c; those from a to b are taken again one interval later
                a       b    c      a + II

For each latency, the bound asks whether a schedule may exist.  It uses three conditions that every schedule meets:

1. *One case for each start of the pivot*, an operation with much work before it and after it (where the hash of a mode is complete).
   Every schedule is one of the cases.  In each case, an operation has a window: it starts no earlier than its longest path from the
   beginning or from the pivot allows, and no later than its longest path to the pivot or to the end allows.
2. *Windows modulo the interval* (Hall).  Each arc of the circle of II slots has room for as many operations as it has slots, times the
   number of instances of the unit.  No more operations may have their windows in it.  If an operation takes several cycles, each
   instance has room for as many as fit one after another.  A unit that takes batches has room for the blocks of as many batches as an
   arc may reach into.  For operations of one cycle the condition is also enough, since the slots
   around a set of windows make up arcs.
3. *Feeders.*  Operations b_1 ... b_n may each wait d cycles or more for an operation a_1 ... a_n of its own, of a unit that starts c
   a cycle.  The k-th a to start does so no earlier than where a list schedule of their earliest starts has its k-th, since that
   has started the most at any time.  So the k-th b to start, in the order of starts, is d cycles later at least; it starts no
   earlier than the k-th smallest earliest start of the b, and no later than their k-th smallest latest start.  The b fill the slots of
   these n windows, one each, whichever of them goes where: condition 2 holds with them in place of the windows of the b.

All three conditions only omit constraints, so no schedule has a smaller latency than the bound.  A larger latency makes the windows longer,
so there is one latency below which nothing fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modeloom.schedule.problem import Problem
from modeloom.spec.cadence import EVERY_CYCLE, Cadence

__all__ = ["NEVER", "Cases", "Infeasible", "Numbers", "circle_holds", "least_latency", "longest_paths"]

# Longest paths between all operations of a problem, including the windows of its chains.

Numbers = NDArray[np.int32]

NEVER = -(1 << 28)
"""The delay between operations that do not depend on each other."""


class Infeasible(Exception):
    """A chain of the graph does not fit into the initiation interval."""


def longest_paths(problem: Problem, members: Sequence[int], ii: int) -> Numbers:
    """Cycles that the second of two operations starts after the first, at least: start[j] >= start[i] + result[i, j].

    Parameters
    ----------
    members : sequence of int
        The operations, in the order of the graph.  They include everything that they depend on.
    ii : int
        Initiation interval, after which the register of a chain is needed again; 0 for a plain schedule, where it is not.

    Returns
    -------
    array of (operations, operations)
        ``NEVER`` where there is no path; 0 or less from an operation to itself.

    Raises
    ------
    Infeasible
        A chain has more uses than the interval has cycles.
    """
    place = {i: n for n, i in enumerate(members)}
    after = np.full((len(place), len(place)), NEVER, dtype=np.int32)
    for j, i in enumerate(members):
        after[j, j] = 0
        for p, delay in problem.preds[i].items():
            np.maximum(after[j], after[place[p]] + delay, out=after[j])
    before = np.ascontiguousarray(after.T)
    for uses in problem.chain_uses.values() if ii else ():
        (a, offset_a), (b, offset_b) = uses[0], uses[-1]
        back = offset_b - offset_a - (ii - 1)
        a, b = place[a], place[b]
        if before[a, b] + back > 0:
            raise Infeasible
        np.maximum(before, before[:, b, None] + back + before[a], out=before)
    before[before < NEVER // 2] = NEVER
    return before


# -- bound -------------------------------------------------------------------------------------------------------------------------

_EVER = -NEVER
"""A start without an upper limit."""


def least_latency(problem: Problem, ii: int) -> int:
    """A lower bound of the latency in cycles, at the interval ``ii`` or, if ``ii`` is 0, of a plain schedule.

    ``problem.least`` remembers it.
    """
    if ii not in problem.least:
        problem.least[ii] = problem.latency_bound()
        if ii and problem.unit:
            try:
                problem.least[ii] = Cases(problem, ii).least(problem.least[ii])
            except Infeasible:
                # There is no schedule at this interval, so any bound is correct.
                pass
    return problem.least[ii]


def circle_holds(low: Numbers, high: Numbers, ii: int, count: int, cycles: int = 1, cadence: Cadence = EVERY_CYCLE) -> bool:
    """Whether no arc of the slots modulo ``ii`` contains more windows than fit into it, with ``count`` units and ``cycles`` slots for each
    window.  If the units take batches, with a ``cadence``, an arc has the most slots that it has for any phase of them.

    Parameters
    ----------
    low, high : array of int
        First and last start of each window.
    """
    room = cadence.room
    if (low > high).any() or len(low) > count * (room(ii) // cycles):
        return False
    width = high - low + cycles
    short = width < ii
    begin = low[short] % ii
    end = begin + width[short]
    if not len(begin):
        return True
    # inside[a, e]: windows from first[a] up to last[e], on a line of three turns.  Other arcs hold no more than a shorter one of these.
    first, last = np.unique(begin), np.unique(np.append(end, end + ii))
    starts = np.append(first, first + ii)
    inside = np.zeros((len(starts), len(last)), dtype=np.int32)
    np.add.at(inside, (np.searchsorted(starts, begin), np.searchsorted(last, end)), 1)
    np.add.at(inside, (np.searchsorted(starts, begin + ii), np.searchsorted(last, end + ii)), 1)
    inside = inside[::-1].cumsum(0)[::-1][: len(first)].cumsum(1)
    length = last - first[:, None]
    return bool(((inside <= count * (room(length) // cycles)) | (length <= 0) | (length >= ii)).all())


@dataclass
class _Group:
    """Operations that share the instances of a unit, each for some cycles."""

    members: NDArray[np.intp]
    cycles: int
    count: int
    cadence: Cadence

    def allows(self, low: Numbers, high: Numbers, ii: int) -> bool:
        """Conditions 1 and 2 for the windows of its operations."""
        return circle_holds(low[self.members], high[self.members], ii, self.count, self.cycles, self.cadence)


@dataclass
class _Feeders:
    """Operations ``fed`` of one group.  Each waits at least ``delay`` cycles for a different one of ``feeders``, which start ``rate``
    per cycle."""

    group: _Group
    fed: NDArray[np.intp]
    feeders: NDArray[np.intp]
    delay: int
    rate: int

    def __post_init__(self) -> None:
        self.others = np.setdiff1d(self.group.members, self.fed)

    def hold(self, low: Numbers, high: Numbers, ii: int) -> bool:
        """Condition 3 for the windows of all operations."""
        begin = np.sort(low[self.feeders])
        for k in range(self.rate, len(begin)):
            begin[k] = max(begin[k], begin[k - self.rate] + 1)
        begin = np.maximum(begin + self.delay, np.sort(low[self.fed]))
        end = np.sort(high[self.fed])
        group, others = self.group, self.others
        return circle_holds(np.append(begin, low[others]), np.append(end, high[others]), ii, group.count, group.cycles, group.cadence)


class Cases:
    """The cases of one problem and interval."""

    def __init__(self, problem: Problem, ii: int):
        self.problem, self.ii = problem, ii
        every = range(len(problem.unit))
        self.paths = longest_paths(problem, every, ii)
        self.low = (self.paths + np.array(problem.earliest(), dtype=np.int32)[:, None]).max(0)
        self.tail = self._tails()
        known = self.paths > NEVER
        # The cases are complete only if some result waits for the pivot.  Otherwise the pivot might start at any time.
        self.pivot = int(np.where(self.tail > NEVER, np.minimum(known.sum(0), known.sum(1)), 0).argmax())
        self.groups = self._groups()
        self.feeders = self._feeders()

    def _tails(self) -> Numbers:
        """Cycles from each start to the end of the sector; ``NEVER`` if no result waits for the operation."""
        results = [pair.id for pair in self.problem.graph.pairs if pair.leaves]
        if not results:
            return np.full(len(self.low), NEVER, dtype=np.int32)
        ends = np.array([self.problem.unit[i].latency for i in results], dtype=np.int32)
        tail = (self.paths[:, results] + ends).max(1)
        tail[tail < NEVER // 2] = NEVER
        return tail

    def _groups(self) -> list[_Group]:
        """All operations of a unit, and those that are bound to one instance.  Cores that are not pipelined are separate."""
        claims: dict[tuple[str, int], list[int]] = {}
        rates: dict[tuple[str, int], tuple[int, int, Cadence]] = {}
        for i, unit in enumerate(self.problem.unit):
            cores: list[tuple[str, int]] = [(unit.kind, unit.interval)]
            if self.problem.slow[i]:
                cores.append((unit.kind + ".slow", unit.slow_interval))
            for name, cycles in cores:
                bound = self.problem.bound_to[i]
                for instance in {-1, -1 if unit.count == 1 or bound is None else bound}:
                    claims.setdefault((name, instance), []).append(i)
                    rates[name, instance] = cycles, unit.count if instance == -1 else 1, unit.cadence
        return [_Group(np.array(members), *rates[key]) for key, members in sorted(claims.items())]

    def _feeders(self) -> list[_Feeders]:
        """For pairs of units, operations after the pivot that each read a different result."""
        whole = [g for g in self.groups if g.cycles == 1 and g.count == self.problem.unit[g.members[0]].count]
        found = []
        for target in whole:
            late = target.members[self.paths[self.pivot, target.members] > NEVER]
            for source in whole:
                if source is target or len(late) <= target.count:
                    continue
                delay = self.problem.unit[source.members[0]].latency
                wait = self.paths[np.ix_(source.members, late)].astype(np.int64)
                wait[wait < delay] = _EVER
                fed, feeders = [], []
                # In the order of the graph, the results of the earlier operations of a chain are already used by others.
                for n in range(len(late)):
                    best = int(wait[:, n].argmin())
                    if wait[best, n] < _EVER:
                        fed.append(late[n])
                        feeders.append(source.members[best])
                        wait[best] = _EVER
                if len(fed) > max(source.count, target.count):
                    found.append(_Feeders(target, np.array(fed), np.array(feeders), delay, source.count))
        return found

    def holds(self, latency: int, start: int) -> bool:
        """Whether all conditions hold for a latency and a start of the pivot."""
        after, before = self.paths[self.pivot], self.paths[:, self.pivot]
        low = np.maximum(self.low, after + start)
        high = np.where(self.tail > NEVER, latency - self.tail, _EVER)
        high = np.minimum(high, np.where(before > NEVER, start - before, _EVER))
        if (low > high).any():
            return False
        for n, group in enumerate(self.groups):
            if not group.allows(low, high, self.ii):
                # The next case most likely fails there, too.
                self.groups.insert(0, self.groups.pop(n))
                return False
        return all(feeders.hold(low, high, self.ii) for feeders in self.feeders)

    def starts(self, latency: int) -> tuple[int, int]:
        """The first and the last start of the pivot within a latency, from paths only."""
        return int(self.low[self.pivot]), latency - int(self.tail[self.pivot])

    def least(self, bound: int) -> int:
        """The smallest latency, from ``bound`` on, for which one of the cases holds."""
        if self.tail[self.pivot] == NEVER:
            return bound
        # One turn before the pivot and one after it give a place to every operation that can have one.
        best = bound + 2 * self.ii
        start = int(self.low[self.pivot])
        while best > bound and start <= self.starts(best - 1)[1]:
            if self.holds(best - 1, start):
                low, best = bound, best - 1
                while low < best:
                    middle = (low + best) // 2
                    if self.holds(middle, start):
                        best = middle
                    else:
                        low = middle + 1
            start += 1
        return best
