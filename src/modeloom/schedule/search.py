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
from collections.abc import Callable, Iterable

from modeloom.schedule.bound import Cases, Infeasible, least_latency
from modeloom.schedule.greedy import Grid, Placement, Reservations, grids, list_schedule, phases_of, pick_instances, place_results
from modeloom.schedule.problem import Problem, use_offset
from modeloom.schedule.slack import Bias, SlackSearch

__all__ = ["BYPASS", "Moves", "compact", "latency_of", "search", "storage_figures", "tidy"]

# Reduces the storage that a schedule needs without changing its latency.
#
# Operations move within their slack, exchange slots with another of their unit, or change the instance.  A move is kept if it lowers
# the sum of three weighted figures: the peaks of all banks, the slots in which a bank is at its peak (a peak falls when the last of
# them does), and the lifetimes of all values:
#
#     values of a bank   ▂▃▅█▅▃██▃▂   peak 8, three slots at the peak
#                        └── II ──┘

BYPASS = 1
"""Number of cycles in which a result is still in the output register of its unit and needs no cell."""

_PEAK, _AT_PEAK = 1000, 4
"""Weights of a cell and of a slot at the peak.  A block that is held for one cycle has weight 1."""

_REACH = 48
"""Largest number of cycles by which an operation moves in one step."""


_Life = tuple[tuple[str, int], int, int]
"""The bank of a value, and the cycles in which its cell is taken, from the first up to the second."""


class _Storage:
    """Values of a sector and how many of them each bank holds in each slot."""

    def __init__(self, problem: Problem, ii: int, start: list[int], instance: list[int]):
        self.problem, self.ii = problem, ii
        self.start, self.instance = start, instance
        self.readers: list[list[tuple[int, int]]] = []
        self.source: list[int | None] = []
        self.bank: list[tuple[str, int]] = []
        self.touched: list[list[int]] = [[] for _ in problem.unit]
        self._collect()
        self.busy: dict[tuple[str, int], list[int]] = {}
        self.base: dict[tuple[str, int], int] = {}
        self.life = [self._span(value) for value in range(len(self.readers))]
        for life in self.life:
            self._count(*life, 1)
        self.weights = {bank: self.weight(bank) for bank in self.busy}

    def _collect(self) -> None:
        problem = self.problem
        numbers: dict[tuple, int] = {}

        def read(source: tuple, pair: int, offset: int) -> None:
            if source[0] not in ("op", "block", "tweak"):
                return
            value = numbers.setdefault(source, len(self.readers))
            if value == len(self.readers):
                self.readers.append([])
                self.source.append(source[1] if source[0] == "op" else None)
                self.bank.append((source[0], source[1] % problem.units.lanes if source[0] == "block" else 0))
                if source[0] == "op":
                    self.touched[source[1]].append(value)
            if (pair, offset) not in self.readers[value]:
                self.readers[value].append((pair, offset))
            if value not in self.touched[pair]:
                self.touched[pair].append(value)

        for pair in problem.graph.pairs:
            for op in pair.ops.values():
                for operand, term in op.terms():
                    read(term.source, pair.id, use_offset(problem.unit[pair.id], operand))
        for chain in problem.graph.chains:
            first, offset = problem.chain_uses[chain.id][0]
            for term in chain.base.values():
                read(term.source, first, offset - 1)

    def _span(self, value: int) -> _Life:
        source, start = self.source[value], self.start
        last = max([start[i] + offset for i, offset in self.readers[value]]) - 1
        if source is None:
            return self.bank[value], 0, max(0, last)
        unit = self.problem.unit[source]
        ready = start[source] + unit.latency
        return (unit.kind, self.instance[source]), ready, last if last >= ready + BYPASS else ready

    def _count(self, bank: tuple[str, int], begin: int, end: int, step: int) -> None:
        if bank not in self.busy:
            self.busy[bank], self.base[bank] = [0] * self.ii, 0
        turns, rest = divmod(end - begin, self.ii)
        self.base[bank] += turns * step
        busy, first = self.busy[bank], begin % self.ii
        for slot in range(first, min(first + rest, self.ii)):
            busy[slot] += step
        for slot in range(first + rest - self.ii):
            busy[slot] += step

    def shifts(self, pairs: Iterable[int]) -> list[tuple[int, _Life, _Life]]:
        """Values that pairs compute or read, with their lives before and after these have moved."""
        result = []
        for value in {v for i in pairs for v in self.touched[i]}:
            life = self._span(value)
            if life != self.life[value]:
                result.append((value, self.life[value], life))
        return result

    def apply(self, shifts: list[tuple[int, _Life, _Life]]) -> int:
        """Counts values again, and returns the change of the cost."""
        cost = 0
        changed: set[tuple[str, int]] = set()
        for value, (bank, begin, end), (new, first, last) in shifts:
            self._count(bank, begin, end, -1)
            self._count(new, first, last, 1)
            self.life[value] = new, first, last
            cost += last - first - end + begin
            changed.update((bank, new))
        for bank in changed:
            weight = self.weight(bank)
            cost += weight - self.weights.get(bank, 0)
            self.weights[bank] = weight
        return cost

    def weight(self, bank: tuple[str, int]) -> int:
        """The weighted peak and the number of slots at the peak, for one bank."""
        peak = max(self.busy[bank])
        return _PEAK * (peak + self.base[bank]) + _AT_PEAK * self.busy[bank].count(peak)


def compact(problem: Problem, ii: int, placement: Placement, latency: int, tries: int = 30000) -> Placement:
    """The placement with less storage.  No operation that ended by ``latency`` ends later.

    Parameters
    ----------
    ii : int
        Initiation interval, 0 for a plain schedule.
    tries : int
        Largest number of moves to try.
    """
    moves = Moves(problem, ii, placement, latency)
    changed = True
    while changed and moves.tries < tries:
        changed = False
        for i in sorted(range(len(moves.start)), key=lambda i: (-moves.start[i], i)):
            if moves.tries < tries:
                changed |= moves.improve(i)
    return moves.start, moves.instance


def storage_figures(problem: Problem, ii: int, placement: Placement) -> tuple[int, int]:
    """The cells of all banks, and the largest number of values at one time (``ii`` 0: a plain schedule)."""
    start, instance = placement
    end = max((s + unit.latency for s, unit in zip(start, problem.unit)), default=0)
    storage = _Storage(problem, ii or end + 1, start, instance)
    whole = sum(storage.base.values())
    cells = whole + sum(max(busy) for busy in storage.busy.values())
    return cells, whole + max((sum(column) for column in zip(*storage.busy.values())), default=0)


class Moves:
    def __init__(self, problem: Problem, ii: int, placement: Placement, latency: int):
        self.problem, self.ii, self.latency = problem, ii, latency
        self.tries = 0
        self.start, self.instance = list(placement[0]), list(placement[1])
        self.storage = _Storage(problem, ii or latency + 1, self.start, self.instance)
        self.table = Reservations(problem, ii)
        self.phases = phases_of(problem, self.start) or {}
        self.simple = [u.interval == 1 and not slow for u, slow in zip(problem.unit, problem.slow)]
        self.owner: dict[tuple[str, int, int], int] = {}
        self.windows: dict[int, list[tuple[int, int, bool]]] = {}
        for members in problem.chain_uses.values() if ii else ():
            (a, offset_a), (b, offset_b) = members[0], members[-1]
            width = ii - 1 + offset_a - offset_b
            self.windows.setdefault(a, []).append((b, width, True))
            self.windows.setdefault(b, []).append((a, width, False))
        for i in range(len(self.start)):
            self.put(i)

    def key(self, i: int, start: int, instance: int) -> tuple[str, int, int]:
        return self.problem.unit[i].kind, instance, start % self.ii if self.ii else start

    def put(self, i: int) -> None:
        self.table.take(i, self.start[i], self.instance[i])
        if self.simple[i]:
            self.owner[self.key(i, self.start[i], self.instance[i])] = i

    def lift(self, i: int) -> None:
        self.table.release(i, self.start[i], self.instance[i])
        if self.simple[i]:
            del self.owner[self.key(i, self.start[i], self.instance[i])]

    def bounds(self, i: int) -> tuple[int, int]:
        """The earliest and the latest start if no other operation moves."""
        problem, start = self.problem, self.start
        low = max([problem.release[i], *(start[p] + delay for p, delay in problem.preds[i].items())])
        high = self.latency - problem.unit[i].latency
        high = min([high, *(start[s] - delay for s, delay in problem.succs[i].items())])
        for other, width, first in self.windows.get(i, ()):
            if first:
                low = max(low, start[other] - width)
            else:
                high = min(high, start[other] + width)
        return low, high

    def improve(self, i: int) -> bool:
        """Makes the best single move or exchange of one operation; True if one lowers the cost."""
        best, gain = None, 0
        for move in self._moves(i):
            self.tries += 1
            here = [(j, self.start[j], self.instance[j]) for j, _, _ in move]
            self.set(move)
            shifts = self.storage.shifts([j for j, _, _ in move])
            cost = self.storage.apply(shifts)
            self.set(here)
            self.storage.apply([(value, after, before) for value, before, after in shifts])
            if cost < gain:
                best, gain = move, cost
        if best is None:
            return False
        for j, _, _ in best:
            self.lift(j)
        self.set(best)
        self.storage.apply(self.storage.shifts([j for j, _, _ in best]))
        for j, _, _ in best:
            self.put(j)
        return True

    def set(self, move: list[tuple[int, int, int]]) -> None:
        for i, start, instance in move:
            self.start[i], self.instance[i] = start, instance

    def _moves(self, i: int) -> list[list[tuple[int, int, int]]]:
        """Moves of one operation to a free slot, and exchanges with the operation in a taken one."""
        low, high = self.bounds(i)
        here, own = self.start[i], self.instance[i]
        self.lift(i)
        found: list[list[tuple[int, int, int]]] = []
        takes, phase = self.problem.unit[i].cadence.takes, self.phases.get(self.problem.unit[i].kind, 0)
        for start in range(max(low, here - _REACH), min(high, here + _REACH) + 1):
            if not takes(start - phase):
                continue
            for n in self.table.instances(i):
                if (start, n) == (here, own):
                    continue
                if self.table.free(i, start, n):
                    found.append([(i, start, n)])
                elif self.simple[i]:
                    j = self.owner.get(self.key(i, start, n), -1)
                    if j >= 0 and own in self.table.instances(j):
                        found.extend([(i, start, n), (j, moved, own)] for moved in self.exchanges(i, j, start))
        self.put(i)
        return found

    def exchanges(self, i: int, j: int, start: int) -> list[int]:
        """Starts at which pair j can take the slot that pair i leaves for ``start``."""
        first, second = self.start[i], self.start[j]
        self.start[i] = start
        low, high = self.bounds(j)
        found = []
        for moved in range(low + (first - low) % self.ii, high + 1, self.ii) if self.ii else (first,):
            self.start[j] = moved
            low_i, high_i = self.bounds(i)
            if low <= moved <= high and low_i <= start <= high_i:
                found.append(moved)
        self.start[i], self.start[j] = first, second
        return found


# -- search ------------------------------------------------------------------------------------------------------------------------

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

    def __init__(self, problem: Problem, ii: int, high: int, best: Placement | None, rng: random.Random, grid: Grid) -> None:
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
        cadence, phase = self.problem.unit[cases.pivot].cadence, self.slack.grid.phase
        for _ in range(GUESSES):
            start = cadence.next(first + int(self.rng.random() * (last - first + 1)) - phase) + phase
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
        stored, rng = (self.best, self.latency), self.rng
        self.best, self.latency = None, 1 << 30
        shape = min(range(most), key=lambda early: (self._shaped(grid, early), early))
        for part in range(1, SHAPES + 1):
            self._shaped(grid, shape, self.ii * part // HELD_CYCLES)
        if self.best is not None:
            self.rng, self.begun = random.Random(seed), self.used
            self.descend(bound, budget)
            self.rng = rng
        if self.latency >= stored[1]:
            self.best, self.latency = stored

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
