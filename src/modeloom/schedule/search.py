# SPDX-License-Identifier: Apache-2.0
"""The search for a placement with a small latency and, among these, with little storage.

A list schedule gives a first latency.  The slack search then looks for placements within smaller latencies::

    bound ├───────────── bisection, short tries ─────────────┤ list schedule
                        ◀───── less, longer tries ─────┤ best
                                                       best ├──▶ tries for storage

All limits are numbers of placements, so every machine gives the same result.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

from modeloom.schedule.bound import Cases, least_latency
from modeloom.schedule.compact import compact, storage_figures
from modeloom.schedule.greedy import Placement, list_schedule, pick_instances, place_results
from modeloom.schedule.grid import Grid, grids, phases_of
from modeloom.schedule.paths import Infeasible
from modeloom.schedule.problem import Problem
from modeloom.schedule.slack import Bias, SlackSearch

__all__ = ["latency_of", "search", "tidy"]

STEPS = 60
"""Number of placements for each unit of effort.  If sectors do not overlap, it is a third of this."""

SHORT, LONG = 3, 15
"""Placements of a short and a longer try, in multiples of the operations."""

RESCUE = 100
"""Placements, in multiples of the operations, for a first schedule where a list schedule fails."""

HELD_PHASES, HELD_CYCLES = 8, 16
"""Phases from which on a list schedule is held back, and by how many parts of an interval, where nothing near the bound was
found."""

ORDINARY = 130
"""Operations of an ordinary sector; larger ones get more placements, by the square root of their size."""

FAR = 1.1
"""If the ratio of latency to its bound is above this, the search restarts from a list schedule of another shape."""

SHAPES = 4
"""Delays of the last phase, in parts of ``HELD_CYCLES`` of an interval, that are tried for such a shape."""

BISECTION = 0.25
"""Ratio of the placements of the bisection to those of the later search."""

THRIFT = 0.25
"""The same ratio for the search for less storage."""

NEAR, NEARBY, ANEW = 0.9, 6, 0.3
"""Share of the tries that start from the best placement, their placements in multiples of the operations, and the largest share of
the operations that they place anew."""

TURNS = 2
"""Intervals above the bound from which the bisection begins, unless the list schedule is shorter."""

LEAP = 2
"""The least number of cycles by which such a try may undercut the best placement.

For long sectors it is an eighth of the distance to the bound.
"""

PATIENCE, PATIENCE_EACH = 20000, 60
"""Placements, and those for each operation, after which the search ends without a success, and no sooner than it took so far."""

GUESSES = 8
"""Number of guesses of a start of the pivot for which the bound allows a latency, before a try without one."""

BIASES = (Bias(1, 0), Bias(1, 1), Bias(0.5, 0.5), Bias(1, 0.5), Bias(0.9, 0.1))
"""A hash before the cipher should be late, close to the cipher.  The work after it should be early, or late if the end is
crowded."""

SPREAD = 1.22
"""Cells of all banks by the most values held at a time, from which on other placements are tried: values of one bank cannot use
the cells of another, so banks that are full at different times waste cells."""

LONGER = 0.04
"""Share of the latency that a placement of less waste may cost where sectors overlap."""

CANDIDATES = 6
"""Placements of an ordinary sector that are compared for their storage; fewer of larger ones, at least 2."""


def latency_of(problem: Problem, start: list[int]) -> int:
    """Cycle in which the last result of a sector is available."""
    return max((start[p.id] + problem.unit[p.id].latency for p in problem.graph.pairs if p.leaves), default=0)


def tidy(problem: Problem, ii: int, placement: Placement) -> Placement:
    """The placement with its first operation in cycle 0, instances chosen, and less storage (``ii`` 0: a plain schedule)."""
    start, instance = _from_zero(problem, placement)
    instance = pick_instances(problem, ii, start, instance)
    return _from_zero(problem, compact(problem, ii, (start, instance), latency_of(problem, start)))


def _from_zero(problem: Problem, placement: Placement) -> Placement:
    start, instance = placement
    early = min((s - least for s, least in zip(start, problem.release)), default=0)
    # Batches lie within intervals, so a schedule with them may begin a little later.
    early = next(n for n in range(early, -1, -1) if phases_of(problem, [s - n for s in start]) is not None)
    return [s - early for s in start], instance


def search(
    problem: Problem, ii: int, effort: int, seed: int, progress: Callable[[float], None] = lambda share: None
) -> Placement | None:
    """The best placement found at an interval (0 for a plain schedule); None if there is none.

    Parameters
    ----------
    effort : int
        Limit of the search, in units of ``STEPS`` placements.  0 takes the list schedule if there is one.
    progress : callable
        Called with the completed share of the search, from 0 to 1.
    """
    if ii and not problem.fits(ii):
        return None
    choices = [(grid, list_schedule(problem, ii, grid)) for grid in grids(problem, ii)]
    # If no list schedule fits, a schedule without gaps is easier to find.
    grid, first = min(choices, key=lambda c: (latency_of(problem, c[1][0]) if c[1] else 1 << 30, not c[1] and not c[0].kinds))
    if first is not None and not effort:
        return tidy(problem, ii, first)
    bound = least_latency(problem, ii)
    # Without a list schedule, one turn of the table for each phase is a latency with enough slots for everything.
    high = latency_of(problem, first[0]) if first else bound + ii * (max(problem.phase, default=0) + 2)
    try:
        tries = _Tries(problem, ii, high, first, random.Random(seed), grid)
    except Infeasible:
        return None
    budget = int(effort * (STEPS if ii else STEPS // 3) * max(1, tries.size / ORDINARY) ** 0.5)
    tries.report = lambda used: progress(min(1.0, used / max(1.0, budget * (1 + BISECTION + THRIFT))))
    if first is None:
        tries.rescue()
        if tries.best is None:
            tries.hold_back(grid)
    if effort and tries.best is not None and tries.latency > bound:
        tries.bisect(bound, int(budget * BISECTION))
        if first is None and tries.latency > bound + TURNS * ii:
            tries.hold_back(grid)
            tries.bisect(bound, int(budget * BISECTION))
        # Several units need not start in step.  A single unit gains nothing from gaps.
        freer = any(unit.kind in grid.kinds and unit.count > 1 for unit in problem.unit)
        tries.descend(bound, budget // 2 if freer else budget)
        if freer:
            tries.slack = SlackSearch(problem, ii)
            tries.descend(bound, budget // 2)
        if ii and tries.latency > FAR * bound:
            tries.reshape(bound, budget, seed, grid)
    return tries.thrifty(int(budget * THRIFT))


class _Tries:
    """Runs the slack search under a limit of placements, and keeps the best placement."""

    def __init__(
        self, problem: Problem, ii: int, high: int, best: Placement | None, rng: random.Random, grid: Grid
    ) -> None:
        self.problem, self.ii, self.rng = problem, ii, rng
        self.budget = self.used = self.begun = 0
        self.report: Callable[[int], None] = lambda used: None
        self.slack = SlackSearch(problem, ii or high + 1, windows=bool(ii), grid=grid)
        self.size = len(self.slack.members)
        self.cases = Cases(problem, ii) if ii else None
        self.best = best
        self.latency = high if best else high + 1

    def run(self, latency: int, limit: int, bias: Bias, near: Placement | None = None) -> Placement | None:
        """Tries once to find a placement within a latency, from scratch or near another placement."""
        drop = ANEW * self.rng.random() if near else 0.0
        pin = None if near else self._pin(latency)
        placed = self.slack.run(latency, min(limit * self.size, self.budget), bias, self.rng, near, drop, pin)
        self.budget = max(0, self.budget - max(1, self.slack.steps))
        self.used += max(1, self.slack.steps)
        self.report(self.used)
        if placed is None:
            return None
        placement = place_results(self.problem, self.ii, placed)
        reached = latency_of(self.problem, placement[0])
        if reached < self.latency:
            self.best, self.latency = placement, reached
        return placement if reached <= latency else None

    def _pin(self, latency: int) -> tuple[int, int] | None:
        """The pivot of the bound, and a start for which the bound allows the latency; None if a few guesses find none."""
        cases = self.cases
        if cases is None or self.problem.is_result(cases.pivot):
            return None
        first, last = cases.starts(latency)
        unit = self.problem.unit[cases.pivot]
        for _ in range(GUESSES):
            start = first + int(self.rng.random() * (last - first + 1))
            if unit.cadence is not None:
                start = self.slack.grid.next(unit, start)
            if start <= last and cases.holds(latency, start):
                return cases.pivot, start
        return None

    def rescue(self) -> None:
        """Asks for any placement, if the list schedule did not fit a chain into its window."""
        self.budget, goal, turn = RESCUE * self.size, self.latency - 1, 0
        while self.budget and self.best is None:
            self.run(goal, LONG, BIASES[turn % len(BIASES)])
            turn += 1

    def hold_back(self, grid: Grid) -> None:
        """Takes the best of list schedules that leave bound operations their instances, with phases from some one on held back."""
        last = max(self.problem.phase, default=0)
        holds = {(1 + last * n // HELD_PHASES, self.ii * m // HELD_CYCLES) for n in range(HELD_PHASES) for m in range(1, HELD_CYCLES)}
        for hold in [(0, 0), *sorted(holds)]:
            found = list_schedule(self.problem, self.ii, grid, reserve=True, hold=hold)
            if found is not None and (latency := latency_of(self.problem, found[0])) < self.latency:
                self.best, self.latency = found, latency

    def bisect(self, low: int, budget: int) -> None:
        """Halves the range between the bound and the best latency with short tries."""
        # Windows of chains can make a list schedule many turns long.
        self.budget, high = budget, min(self.latency, low + TURNS * self.ii if self.ii else self.latency)
        while low < high and self.budget:
            middle = (low + high) // 2
            if any(self.run(middle, SHORT, bias) for bias in BIASES):
                high = middle
            else:
                low = middle + 1

    def descend(self, bound: int, budget: int) -> None:
        """Asks for less than the best, most often for a little less, until the budget is used up or nothing was found for long.

        Whether a latency can be had depends on how the phases of the mode meet modulo the interval, so that a smaller one is
        often found more easily than a larger one.
        """
        self.budget, turn = self.budget + budget, 0
        best, last = self.latency, self.used
        while self.budget and self.latency > bound:
            if self.latency < best:
                best, last = self.latency, self.used
            if self.used - last > max(PATIENCE + PATIENCE_EACH * self.size, last - self.begun):
                break
            if self.best is not None and self.rng.random() < NEAR:
                leap = max(LEAP, (self.latency - bound) // 8)
                goal = max(bound, self.latency - 1 - int(self.rng.random() ** 2 * leap))
                self.run(goal, NEARBY, BIASES[turn % len(BIASES)], self.best)
            else:
                goal = self.latency - 1 - int(self.rng.random() ** 2 * (self.latency - bound))
                self.run(goal, LONG, BIASES[turn % len(BIASES)])
            turn += 1

    def reshape(self, bound: int, budget: int, seed: int, grid: Grid) -> None:
        """Searches again from a list schedule in which the first phase takes some of the units only; the better result stays.

        A hash that takes all multipliers for a while leaves the one behind the cipher none in the same slots of the next interval,
        and from there little steps lead nowhere.  With one unit, or few operations, there is no such choice.
        """
        problem = self.problem
        free = [n for n, phase in enumerate(problem.phase) if not phase and problem.bound_to[n] is None]
        uses = Counter(problem.unit[n].kind for n in free)
        most = max((problem.unit[n].count for n in free if uses[problem.unit[n].kind] > problem.unit[n].count), default=1)
        if most == 1:
            return
        kept, rng = (self.best, self.latency), self.rng
        self.best, self.latency = None, 1 << 30
        shape = min(range(most), key=lambda early: (self._shaped(grid, early), early))
        for part in range(1, SHAPES + 1):
            self._shaped(grid, shape, self.ii * part // HELD_CYCLES)
        if self.best is not None:
            self.rng, self.begun = random.Random(seed), self.used
            self.descend(bound, budget)
            self.rng = rng
        if self.latency >= kept[1]:
            self.best, self.latency = kept

    def _shaped(self, grid: Grid, early: int, late: int = 0) -> int:
        """The latency of a list schedule with the last phase ``late`` cycles later; it is kept if it is the best."""
        hold = max(self.problem.phase, default=0), late
        found = list_schedule(self.problem, self.ii, grid, reserve=True, hold=hold, early=early)
        latency = latency_of(self.problem, found[0]) if found else 1 << 30
        if latency < self.latency:
            self.best, self.latency = found, latency
        return latency

    def thrifty(self, budget: int) -> Placement | None:
        """The best placement with less storage, or one as good or little longer whose banks waste fewer cells."""
        if self.best is None:
            return None
        chosen = tidy(self.problem, self.ii, self.best)
        cells, values = storage_figures(self.problem, self.ii, chosen)
        least = self.latency
        longest = least + int(least * LONGER) if self.ii else least
        self.budget, turn, found = budget, 0, 0
        candidates = max(2, CANDIDATES * ORDINARY // self.size)
        while self.budget and found < candidates and cells > SPREAD * values:
            latency = least + turn // len(BIASES) % (longest - least + 1)
            placement = self.run(latency, SHORT, BIASES[turn % len(BIASES)])
            turn += 1
            if placement is not None:
                found += 1
                other = tidy(self.problem, self.ii, placement)
                figures = storage_figures(self.problem, self.ii, other)
                if figures[0] * values < cells * figures[1]:
                    chosen, (cells, values) = other, figures
        return chosen
