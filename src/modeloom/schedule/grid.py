# SPDX-License-Identifier: Apache-2.0
"""Starts of operations that fill the whole interval of a unit which is not pipelined.

If such operations take every slot, a gap that is shorter than one of them is lost, and nothing fits any more.  They leave no gaps if they
start a multiple of their cycles apart::

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
        The kinds of unit; the others start whenever they like.
    phase : int
        The first cycle; the others follow at the unit's interval.
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
"""Most phases that are compared."""

FREE = Grid()
"""The grid that lets everything start in every cycle."""


def grids(problem: Problem, ii: int) -> list[Grid]:
    """Grids to choose from for a schedule modulo ``ii`` (0: a plain one): first ``FREE``, then others where gaps would do harm."""
    units = {unit.kind: unit for unit in problem.unit if unit.interval > 1}
    uses = Counter(unit.kind for unit in problem.unit)
    full = {
        kind: unit.interval
        for kind, unit in units.items()
        if ii and uses[kind] > unit.count and -(-uses[kind] // unit.count) * unit.interval == ii
    }
    most = max(full.values(), default=0)
    return [FREE, *(Grid(frozenset(full), phase) for phase in range(0, most, -(-most // PHASES) or 1))]
