# SPDX-License-Identifier: Apache-2.0
"""List scheduling: each operation takes its earliest free slot.  Operations with the longest path to the end come first.

The schedule is legal, but far from the shortest if sectors overlap.  The search starts from its latency.  This file also places results for
the search.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from modeloom.schedule.problem import Problem, Unit
from modeloom.spec.cadence import Cadence
from modeloom.spec.kinds import UnitKind

__all__ = ["FREE", "Grid", "Placement", "Reservations", "grids", "list_schedule", "phases_of", "pick_instances", "place_results"]


# Start cycles of operations that fill the whole interval of a unit that is not pipelined.
#
# If such operations take every slot, any gap that is shorter than an operation is lost, and the operations do not fit.  There are no gaps
# if the distance of their starts is a multiple of their cycles:
#
#     slot     0     phase          phase + 10       phase + 20
#     unit   ──╴     ├─ operation ─┤├─ operation ─┤├─ ...
#
# Operations of a unit that takes batches start within the batches.  All batches begin at the same phase of the unit's interval.

@dataclass(frozen=True)
class Grid:
    """Cycles in which operations of some units may start.

    Attributes
    ----------
    kinds : frozenset of str
        The kinds of units.  Operations of other kinds can start at any time, if their units do not take batches.
    phase : int
        The first cycle, or the first one of a batch.  The others follow at the interval of the unit.
    """

    kinds: frozenset[str] = frozenset()
    phase: int = 0

    def next(self, unit: Unit, cycle: int) -> int:
        """The first start from a cycle on."""
        cycle = unit.cadence.next(cycle - self.phase) + self.phase
        return cycle + (self.phase - cycle) % unit.interval if unit.kind in self.kinds else cycle

    def last(self, unit: Unit, cycle: int) -> int:
        """The last start up to a cycle."""
        cycle = unit.cadence.last(cycle - self.phase) + self.phase
        return cycle - (cycle - self.phase) % unit.interval if unit.kind in self.kinds else cycle

    def restricts(self, unit: Unit) -> bool:
        """Whether operations of a unit can start in some cycles only."""
        return unit.cadence.gaps > 0 or unit.kind in self.kinds


PHASES = 10
"""Largest number of phases that are compared where gaps would be harmful."""

FREE = Grid()
"""The grid without restrictions."""


def grids(problem: Problem, ii: int) -> list[Grid]:
    """Possible grids for a schedule modulo ``ii`` (0: a plain one): first ``FREE``, then others if gaps would be harmful.

    Where a unit takes batches, there is a grid for each phase that they may have.
    """
    if problem.in_batches:
        return [Grid(phase=phase) for phase in range(min(problem.unit[i].cadence.gaps for i in problem.in_batches) + 1)]
    units = {unit.kind: unit for unit in problem.unit if unit.interval > 1}
    uses = Counter(unit.kind for unit in problem.unit)
    full = {
        kind: unit.interval
        for kind, unit in units.items()
        if ii and uses[kind] > unit.count and -(-uses[kind] // unit.count) * unit.interval == ii
    }
    most = max(full.values(), default=0)
    return [FREE, *(Grid(frozenset(full), phase) for phase in range(0, most, -(-most // PHASES) or 1))]


def phases_of(problem: Problem, start: Sequence[int]) -> dict[UnitKind, int] | None:
    """For each kind of unit that takes batches, the phase of its batches in a schedule; None if some start is in no batch."""
    starts: dict[UnitKind, tuple[Cadence, set[int]]] = {}
    for i in problem.in_batches:
        unit = problem.unit[i]
        starts.setdefault(unit.kind, (unit.cadence, set()))[1].add(start[i])
    found = {kind: cadence.phase(cycles) for kind, (cadence, cycles) in starts.items()}
    return None if None in found.values() else {kind: phase for kind, phase in found.items() if phase is not None}


# -- greedy ------------------------------------------------------------------------------------------------------------------------

Placement = tuple[list[int], list[int]]
"""Start cycle and instance of each pair."""


class Reservations:
    """Slots that are taken, modulo the initiation interval (0: no modulus)."""

    def __init__(self, problem: Problem, ii: int):
        self.problem, self.ii = problem, ii
        self.taken: set[tuple[str, int, int]] = set()

    def _slots(self, pair: int, start: int, instance: int) -> Iterable[tuple[str, int, int]]:
        unit = self.problem.unit[pair]
        for ahead in range(unit.interval):
            yield unit.kind, instance, (start + ahead) % self.ii if self.ii else start + ahead
        for ahead in range(unit.slow_interval if self.problem.slow[pair] else 0):
            yield unit.kind + ".slow", instance, (start + ahead) % self.ii if self.ii else start + ahead

    def free(self, pair: int, start: int, instance: int) -> bool:
        """Whether a pair can start there."""
        return all(slot not in self.taken for slot in self._slots(pair, start, instance))

    def take(self, pair: int, start: int, instance: int) -> None:
        """Reserves the slots of a pair."""
        self.taken.update(self._slots(pair, start, instance))

    def release(self, pair: int, start: int, instance: int) -> None:
        """Releases the slots of a pair."""
        self.taken.difference_update(self._slots(pair, start, instance))

    def instances(self, pair: int) -> Sequence[int]:
        """The instances that a pair may take."""
        bound = self.problem.bound_to[pair]
        return range(self.problem.unit[pair].count) if bound is None else (bound,)


def _order(problem: Problem) -> list[int]:
    """A topological order that always takes the ready pair with the longest path to the end of the sector."""
    tails = problem.tails()
    waiting = [len(preds) for preds in problem.preds]
    heap = [(-tails[i], i) for i, n in enumerate(waiting) if not n]
    heapq.heapify(heap)
    order = []
    while heap:
        i = heapq.heappop(heap)[1]
        order.append(i)
        for j in problem.succs[i]:
            waiting[j] -= 1
            if not waiting[j]:
                heapq.heappush(heap, (-tails[j], j))
    return order


def list_schedule(
    problem: Problem, ii: int, grid: Grid = FREE, *, reserve: bool = False, hold: tuple[int, int] = (0, 0), early: int = 0
) -> Placement | None:
    """A schedule modulo ``ii`` (0: a plain one); None if a chain did not fit into its window.  Plain schedules have no such windows.

    Parameters
    ----------
    reserve : bool
        Whether operations that can choose their instance leave enough slots for operations that are bound to one.  If all slots are
        needed, none of these may be lost.
    hold : (int, int)
        A phase, and cycles by which its first operation starts after what it waits for; those of it and of later phases start no
        sooner. Slots of an early phase that are next to each other modulo ``ii`` leave a later one slots that are.
    early : int
        Instances that operations before any cipher call take at most, where they may choose (0: all). The others are left to what
        comes an interval later.
    """
    count = len(problem.unit)
    start, instance = [-1] * count, [0] * count
    table = Reservations(problem, ii)
    room = _room(problem, ii)
    latest = [1 << 30] * count
    held, late = hold
    begin = -1
    first_use = {members[0][0]: members for members in problem.chain_uses.values()} if ii else {}
    for i in _order(problem):
        if problem.is_result(i):
            continue
        cycle = max([problem.release[i], *(start[p] + delay for p, delay in problem.preds[i].items())])
        if late and problem.phase[i] >= held:
            begin = cycle + late if begin < 0 else begin
            cycle = max(cycle, begin)
        end = min(latest[i], cycle + ii * 2 if ii else 1 << 30)
        unit = problem.unit[i]
        cycle = grid.next(unit, cycle)
        free = reserve and problem.bound_to[i] is None
        choices = [n for n in table.instances(i) if not free or room[unit.kind][n] >= unit.interval]
        if early and not problem.phase[i] and problem.bound_to[i] is None:
            choices = choices[:early]
        slot = _first_slot(table, grid, unit, i, choices, range(cycle, end + 1))
        if slot is None:
            return None
        start[i], instance[i] = slot
        if free:
            room[unit.kind][instance[i]] -= unit.interval
        table.take(i, *slot)
        if i in first_use:
            opened = start[i] + first_use[i][0][1]
            for j, offset in first_use[i][1:]:
                latest[j] = min(latest[j], opened + ii - 1 - offset)
    return place_results(problem, ii, {i: (s, n) for i, (s, n) in enumerate(zip(start, instance)) if s >= 0})


def _first_slot(
    table: Reservations, grid: Grid, unit: Unit, i: int, choices: Sequence[int], cycles: range
) -> tuple[int, int] | None:
    """The first of some cycles in which an operation finds a free instance, and this instance; None if there is none."""
    cycle = cycles.start
    while cycle < cycles.stop:
        found = next((n for n in choices if table.free(i, cycle, n)), None)
        if found is not None:
            return cycle, found
        cycle = grid.next(unit, cycle + 1)
    return None


def _room(problem: Problem, ii: int) -> dict[str, list[int]]:
    """For each instance of each kind, the cycles of an interval that remain for operations that can choose their instance."""
    room: dict[str, list[int]] = {unit.kind: [unit.cadence.room(ii) or 1 << 30] * unit.count for unit in problem.unit}
    for unit, bound in zip(problem.unit, problem.bound_to):
        if bound is not None:
            room[unit.kind][bound] -= unit.interval
    return room


def place_results(problem: Problem, ii: int, placed: dict[int, tuple[int, int]]) -> Placement:
    """Adds the results of a sector to a schedule of all others, each as early as its lane is free.

    Results that are ready last come first, because they have the least time until the sector ends.
    """
    count = len(problem.unit)
    start, instance = [-1] * count, [0] * count
    table = Reservations(problem, ii)
    for i, (cycle, n) in placed.items():
        start[i], instance[i] = cycle, n
        if problem.unit[i].kind.type.leaves:
            table.take(i, cycle, n)
    ready = {
        i: max([problem.release[i], *(start[p] + delay for p, delay in problem.preds[i].items())])
        for i in range(count)
        if i not in placed
    }
    for i in sorted(ready, key=lambda i: (-ready[i], i)):
        cycle = ready[i]
        while not (free := [n for n in table.instances(i) if table.free(i, cycle, n)]):
            cycle += 1
        start[i], instance[i] = cycle, free[0]
        table.take(i, cycle, free[0])
    return start, instance


def pick_instances(problem: Problem, ii: int, start: list[int], instance: list[int]) -> list[int]:
    """Instances for the same starts such that the operations of one phase share one, as far as their slots allow.

    Operations that are bound to an instance keep it.  Operations that take a unit for several cycles also keep theirs.
    """
    table = Reservations(problem, ii)
    result = list(instance)
    free: list[int] = []
    for i, unit in enumerate(problem.unit):
        if problem.bound_to[i] is None and unit.count > 1 and unit.interval == 1 and not problem.slow[i]:
            free.append(i)
        else:
            table.take(i, start[i], instance[i])
    favourite: dict[int, int] = {}
    for kind in sorted({problem.unit[i].kind for i in free}):
        members = sorted((i for i in free if problem.unit[i].kind == kind), key=lambda i: (problem.phase[i], i))
        favourite.update({i: rank * problem.unit[i].count // len(members) for rank, i in enumerate(members)})
    for i in sorted(free, key=lambda i: (start[i], i)):
        choices = sorted(table.instances(i), key=lambda n: (n != favourite[i], n))
        result[i] = next(n for n in choices if table.free(i, start[i], n))
        table.take(i, start[i], result[i])
    return result
