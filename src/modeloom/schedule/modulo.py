# SPDX-License-Identifier: Apache-2.0
"""Schedules of a problem, plain or modulo an initiation interval.

Sectors do not depend on each other, so only the latency has to be minimized.  The interval equals its bound unless a chain does not fit.
If a unit takes batches, it is a multiple of the unit's interval, so that batches come in the same rows of every turn::

    sector 0  ├──── latency ────┤
    sector 1  ├─ II ─┼──── latency ────┤
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from modeloom.schedule.bound import least_latency
from modeloom.schedule.greedy import Placement
from modeloom.schedule.problem import Problem
from modeloom.schedule.search import latency_of, search
from modeloom.spec import InputError

__all__ = ["Exact", "Schedule", "schedule", "as_schedule"]


@dataclass(frozen=True)
class Exact:
    """The result of the solver of ``schedule.exact``.

    Attributes
    ----------
    result : str
        "proved": no schedule of the pairing is shorter.  "improved": it found a shorter one than the search, and none below it was ruled
        out.  "stopped": it found none.
    limit : str or None
        The limit that stopped it; None if it proved a result.
    before : int
        Latency of the search, in cycles.
    """

    result: str
    limit: str | None
    before: int


@dataclass
class Schedule:
    """Start cycle and unit instance of each pair.

    Attributes
    ----------
    ii : int
        Cycles between the entries of two sectors.
    start, instance : list of int
        For each pair of the graph.
    overlap : bool
        Whether sectors overlap.  If not, ``ii`` is the length of the schedule.
    optimal : bool
        Whether the latency is proved to be the smallest for the graph with its pairs, the units and the interval.
    exact : Exact or None
        The result of the solver, if it ran.
    """

    problem: Problem
    ii: int
    start: list[int]
    instance: list[int]
    overlap: bool
    optimal: bool = False
    exact: Exact | None = None

    def ready(self, pair: int) -> int:
        """Cycle from which the result of a pair can be used."""
        return self.start[pair] + self.problem.unit[pair].latency

    @property
    def latency(self) -> int:
        """Cycles from the first issue to the cycle in which the last block reaches the output buffer."""
        return latency_of(self.problem, self.start)

    @property
    def latency_bound(self) -> int:
        """Cycles that no schedule of the same pairs, kind and interval undercuts."""
        return least_latency(self.problem, self.ii if self.overlap else 0)

    @property
    def first_output(self) -> int:
        """Cycles from the first issue to the cycle in which the first block (of any number) reaches the output buffer."""
        return min((self.ready(p.id) for p in self.problem.graph.pairs if p.leaves), default=0)


def schedule(
    problem: Problem,
    *,
    restarts: int,
    overlap: bool = True,
    ii: int | None = None,
    seed: int = 1,
    progress: Callable[[float], None] = lambda share: None,
) -> Schedule:
    """A schedule with a small latency and, among these, with little storage.

    Parameters
    ----------
    restarts : int
        Effort of the search, in units of ``search.STEPS`` placements.  0 takes the list schedule.
    overlap : bool
        Modulo schedule at ``ii`` (default: its bound), or a plain one.
    ii : int or None
        The first interval to try.  If a chain does not fit, it becomes longer.
    seed : int
        Seed of the search.  The result depends on nothing else.
    progress : callable
        Called with the completed share of the search, from 0 to 1.

    Raises
    ------
    InputError
        The interval is below its bound, or no interval up to that of a plain schedule holds the chains.
    """
    if restarts < 0:
        raise InputError(f"the effort of the search must not be negative; it is {restarts}")
    if not overlap:
        placement = search(problem, 0, restarts, seed, progress)
        if placement is None:
            raise InputError("no schedule: the operations of the graph are not in order")
        return as_schedule(problem, 0, placement)
    least = problem.ii_bound()
    if ii is not None and ii < least:
        raise InputError(f"the initiation interval must be at least {least}, not {ii}")
    if ii is not None and ii % problem.turn:
        raise InputError(f"the initiation interval must be a multiple of {problem.turn}, since a cipher takes batches; it is {ii}")
    for interval in range(ii or least, (ii or least) + sum(unit.every for unit in problem.unit) + 1, problem.turn):
        placement = search(problem, interval, restarts, seed, progress)
        if placement is not None:
            return as_schedule(problem, interval, placement)
    raise InputError("no initiation interval holds the chains of the graph")


def as_schedule(problem: Problem, ii: int, placement: Placement) -> Schedule:
    """The schedule of a placement (``ii`` 0: a plain one)."""
    result = Schedule(problem, ii, *placement, overlap=bool(ii))
    if not ii:
        result.ii = result.latency + 1
    result.optimal = result.latency <= result.latency_bound
    return result
