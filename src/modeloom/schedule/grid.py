# SPDX-License-Identifier: Apache-2.0
"""Start cycles of operations that fill the whole interval of a unit that is not pipelined.

If such operations take every slot, any gap that is shorter than an operation is lost, and the operations do not fit.  There are no gaps if
the distance of their starts is a multiple of their cycles::

    slot     0     phase          phase + 10       phase + 20
    unit   ──╴     ├─ operation ─┤├─ operation ─┤├─ ...

Operations of a unit that takes batches start within the batches.  All batches begin at the same phase of the unit's interval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from modeloom.schedule.problem import Problem
from modeloom.schedule.units import Unit
from modeloom.spec.cadence import Cadence
from modeloom.spec.kinds import UnitKind

__all__ = ["FREE", "Grid", "grids", "phases_of"]


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
        if unit.cadence is not None:
            within = (cycle - self.phase) % unit.cadence.interval
            return cycle if within < unit.cadence.blocks else cycle + unit.cadence.interval - within
        return cycle + (self.phase - cycle) % unit.interval if unit.kind in self.kinds else cycle

    def last(self, unit: Unit, cycle: int) -> int:
        """The last start up to a cycle."""
        if unit.cadence is not None:
            return cycle - max(0, (cycle - self.phase) % unit.cadence.interval - unit.cadence.blocks + 1)
        return cycle - (cycle - self.phase) % unit.interval if unit.kind in self.kinds else cycle

    def restricts(self, unit: Unit) -> bool:
        """Whether operations of a unit can start in some cycles only."""
        return unit.cadence is not None or unit.kind in self.kinds


PHASES = 10
"""Largest number of phases that are compared where gaps would be harmful."""

FREE = Grid()
"""The grid without restrictions."""


def grids(problem: Problem, ii: int) -> list[Grid]:
    """Possible grids for a schedule modulo ``ii`` (0: a plain one): first ``FREE``, then others if gaps would be harmful.

    Where a unit takes batches, there is a grid for each phase that they may have.
    """
    cadences = {unit.cadence for unit in problem.unit if unit.cadence is not None}
    if cadences:
        return [Grid(phase=phase) for phase in range(min(cadence.interval - cadence.blocks for cadence in cadences) + 1)]
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
    for unit, cycle in zip(problem.unit, start):
        if unit.cadence is not None:
            starts.setdefault(unit.kind, (unit.cadence, set()))[1].add(cycle)
    found = {kind: cadence.phase(cycles) for kind, (cadence, cycles) in starts.items()}
    return None if None in found.values() else {kind: phase for kind, phase in found.items() if phase is not None}
