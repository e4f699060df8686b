# SPDX-License-Identifier: Apache-2.0
"""Start cycles of operations that fill the whole interval of a unit that is not pipelined.

If such operations take every slot, any gap that is shorter than an operation is lost, and the operations do not fit.  There are no gaps if
the distance of their starts is a multiple of their cycles::

    slot     0     phase          phase + 10       phase + 20
    unit   ──╴     ├─ operation ─┤├─ operation ─┤├─ ...
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from modeloom.schedule.problem import Problem
from modeloom.schedule.units import Unit

__all__ = ["FREE", "Grid", "grids"]


@dataclass(frozen=True)
class Grid:
    """Cycles in which operations of some units may start.

    Attributes
    ----------
    kinds : frozenset of str
        The kinds of units.  Operations of other kinds can start at any time.
    phase : int
        The first cycle.  The others follow at the interval of the unit.
    """

    kinds: frozenset[str] = frozenset()
    phase: int = 0

    def next(self, unit: Unit, cycle: int) -> int:
        """The first start from a cycle on."""
        return cycle + (self.phase - cycle) % unit.interval if unit.kind in self.kinds else cycle

    def last(self, unit: Unit, cycle: int) -> int:
        """The last start up to a cycle."""
        return cycle - (cycle - self.phase) % unit.interval if unit.kind in self.kinds else cycle


PHASES = 10
"""Largest number of phases that are compared."""

FREE = Grid()
"""The grid without restrictions."""


def grids(problem: Problem, ii: int) -> list[Grid]:
    """Possible grids for a schedule modulo ``ii`` (0: a plain one): first ``FREE``, then others if gaps would be harmful."""
    units = {unit.kind: unit for unit in problem.unit if unit.interval > 1}
    uses = Counter(unit.kind for unit in problem.unit)
    full = {
        kind: unit.interval
        for kind, unit in units.items()
        if ii and uses[kind] > unit.count and -(-uses[kind] // unit.count) * unit.interval == ii
    }
    most = max(full.values(), default=0)
    return [FREE, *(Grid(frozenset(full), phase) for phase in range(0, most, -(-most // PHASES) or 1))]
