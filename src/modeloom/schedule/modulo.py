# SPDX-License-Identifier: Apache-2.0
"""Schedules of a problem, plain or modulo an initiation interval, with the least latency that a bounded search finds.

A list schedule gives a first latency; the slack search then looks for schedules of smaller ones::

    bound ├───────────── bisection, short tries ─────────────┤ list schedule
                        ◀───── less, longer tries ─────┤ best

Sectors do not depend on each other, so only the latency is at stake; the interval is the bound unless a chain does not fit.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from modeloom.schedule.compact import compact
from modeloom.schedule.greedy import Placement, list_schedule, pick_instances, place_results
from modeloom.schedule.problem import Problem
from modeloom.schedule.slack import Bias, Infeasible, SlackSearch
from modeloom.spec import InputError

__all__ = ["Schedule", "schedule", "latency_of", "finish"]

STEPS = 70
"""Placements that the search may make for each unit of its effort."""

SHORT, LONG = 3, 15
"""Placements of a short and a long try, in multiples of the operations."""

BIASES = (Bias(1, 0), Bias(1, 1), Bias(0.5, 0.5), Bias(1, 0.5), Bias(0.9, 0.1))
"""A hash before the cipher is best late, close to the cipher; what comes after it early, or late where the end is crowded."""


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
        Whether sectors overlap; else ``ii`` is the length of the schedule.
    optimal : bool
        Whether the latency is proved to be the least for the graph, the units and the interval.
    """

    problem: Problem
    ii: int
    start: list[int]
    instance: list[int]
    overlap: bool
    optimal: bool = False

    def ready(self, pair: int) -> int:
        """Cycle from which the result of a pair can be used."""
        return self.start[pair] + self.problem.unit[pair].latency

    @property
    def latency(self) -> int:
        """Cycles from the first issue to the cycle in which the last block reaches the output buffer."""
        return latency_of(self.problem, self.start)

    @property
    def first_output(self) -> int:
        """Cycles from the first issue to the cycle in which the first block (of any number) reaches the output buffer."""
        return min((self.ready(p.id) for p in self.problem.graph.pairs if p.kind == "out"), default=0)


def latency_of(problem: Problem, start: list[int]) -> int:
    """Cycle in which the last result of a sector is there."""
    return max((start[p.id] + problem.unit[p.id].latency for p in problem.graph.pairs if p.kind == "out"), default=0)


def schedule(problem: Problem, *, overlap: bool = True, ii: int | None = None, restarts: int = 200, seed: int = 1) -> Schedule:
    """A schedule of small latency, and among those of small storage.

    Parameters
    ----------
    overlap : bool
        Modulo schedule at ``ii`` (default: its bound), or a plain one.
    ii : int or None
        The interval to start from; a chain that does not fit makes it longer.
    restarts : int
        Effort of the search, in units of ``STEPS`` placements; 0 takes the list schedule.
    seed : int
        Seed of the search; the result depends on nothing else.

    Raises
    ------
    InputError
        The interval is below its bound, or no interval up to that of a plain schedule holds the chains.
    """
    if restarts < 0:
        raise InputError(f"the effort of the search is not negative, and it is {restarts}")
    if not overlap:
        placement = _search(problem, 0, restarts, seed)
        if placement is None:
            raise InputError("no schedule: the operations of the graph are not in order")
        return finish(problem, 0, placement)
    least = problem.ii_bound()
    if ii is not None and ii < least:
        raise InputError(f"the initiation interval is at least {least}, not {ii}")
    for interval in range(ii or least, (ii or least) + sum(problem.issue_cycles().values()) + 1):
        placement = _search(problem, interval, restarts, seed)
        if placement is not None:
            return finish(problem, interval, placement)
    raise InputError("no initiation interval holds the chains of the graph")


def finish(problem: Problem, ii: int, placement: Placement) -> Schedule:
    """The schedule of a placement (``ii`` 0: a plain one) with lifetimes shortened and the first operation in cycle 0."""
    start, instance = placement
    early = min((s - least for s, least in zip(start, problem.release)), default=0)
    start = [s - early for s in start]
    instance = pick_instances(problem, ii, start, instance)
    start, instance = compact(problem, ii, (start, instance), latency_of(problem, start))
    result = Schedule(problem, ii, start, instance, bool(ii))
    if not ii:
        result.ii = result.latency + 1
    result.optimal = result.latency <= problem.latency_bound()
    return result


def _search(problem: Problem, ii: int, effort: int, seed: int) -> Placement | None:
    """The best placement found; None if there is none at this interval."""
    if ii and not problem.fits(ii):
        return None
    best = list_schedule(problem, ii)
    bound = problem.latency_bound()
    if not effort or best is not None and latency_of(problem, best[0]) <= bound:
        return best
    if best is None:
        high = bound + ii * (max(problem.phase, default=0) + 2)
    else:
        high = latency_of(problem, best[0])
    try:
        tries = _Tries(problem, ii, high, effort * STEPS, random.Random(seed))
    except Infeasible:
        return None
    tries.best = best
    tries.bisect(bound, high)
    tries.descend(bound)
    return tries.best


class _Tries:
    """Runs of the slack search under one limit of placements, and the best placement they gave."""

    def __init__(self, problem: Problem, ii: int, high: int, budget: int, rng: random.Random):
        self.problem, self.ii, self.budget, self.rng = problem, ii, budget, rng
        self.search = SlackSearch(problem, ii or high + 1, windows=bool(ii))
        self.high = high
        self.size = len(self.search.members)
        self.best: Placement | None = None

    def attempt(self, latency: int, limit: int, bias: Bias) -> bool:
        """One run; True if it gave a schedule of this latency at most."""
        placed = self.search.run(latency, min(limit, self.budget), bias, self.rng)
        self.budget -= self.search.steps
        if placed is None:
            return False
        placement = place_results(self.problem, self.ii, placed)
        if self.best is None or latency_of(self.problem, placement[0]) < latency_of(self.problem, self.best[0]):
            self.best = placement
        return latency_of(self.problem, placement[0]) <= latency

    def bisect(self, low: int, high: int) -> None:
        """Halves the range between the bound and the best latency with short runs."""
        while low < high and self.budget:
            middle = (low + high) // 2
            if any(self.attempt(middle, SHORT * self.size, bias) for bias in BIASES):
                high = middle
            else:
                low = middle + 1

    def descend(self, bound: int) -> None:
        """Asks for less than the best, most often for a little less, until the budget is used up.

        Whether a latency can be had depends on how the phases of the mode meet modulo the interval, so that a smaller one is
        often found more easily than a larger one.
        """
        turn = 0
        while self.budget:
            best = self.high + 1 if self.best is None else latency_of(self.problem, self.best[0])
            if best <= bound:
                break
            goal = best - 1 - int(self.rng.random() ** 2 * (best - bound))
            self.attempt(goal, LONG * self.size, BIASES[turn % len(BIASES)])
            turn += 1
