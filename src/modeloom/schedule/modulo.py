# SPDX-License-Identifier: Apache-2.0
"""Modulo list scheduling with restarts.

Operations are placed one by one at the earliest cycle whose slot (cycle mod II) is free on an instance.  Sectors do not depend on
each other, so an operation always finds a slot; what restarts improve is the latency.  Without overlap II is unlimited.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from modeloom.schedule.problem import Problem

__all__ = ["Schedule", "schedule"]


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
        return max((self.ready(p.id) for p in self.problem.graph.pairs if p.kind == "out"), default=0)

    @property
    def first_output(self) -> int:
        """Cycles from the first issue to the cycle in which the first block (of any number) reaches the output buffer."""
        return min((self.ready(p.id) for p in self.problem.graph.pairs if p.kind == "out"), default=0)


class _Table:
    """Reservations modulo II (``ii`` 0: no modulus)."""

    def __init__(self, ii: int):
        self.ii = ii
        self.taken: set[tuple[str, int, int]] = set()

    def slots(self, start: int, interval: int) -> list[int]:
        return [(start + i) % self.ii if self.ii else start + i for i in range(interval)]

    def free(self, kind: str, instance: int, start: int, interval: int) -> bool:
        if interval == 1:
            slot = start % self.ii if self.ii else start
            return (kind, instance, slot) not in self.taken
        return all((kind, instance, slot) not in self.taken for slot in self.slots(start, interval))

    def take(self, kind: str, instance: int, start: int, interval: int) -> None:
        self.taken.update((kind, instance, slot) for slot in self.slots(start, interval))


class _Failed(Exception):
    pass


def _phases(problem: Problem) -> list[int]:
    """Cipher calls on the way to each pair: the first hash of a mode is phase 0, the second comes after the cipher."""
    phase: list[int] = []
    for preds in problem.preds:
        above = [phase[p] + (problem.unit[p].kind in ("cipher", "enc", "dec")) for p in preds]
        phase.append(max(above, default=0))
    return phase


def _affinity(problem: Problem, phase: list[int]) -> list[int | None]:
    """A preferred instance for each pair: operations of one phase of the mode share one.

    On instances of their own, the hash that waits for the cipher finds a slot in every cycle.
    """
    result: list[int | None] = [None] * len(phase)
    for kind in sorted({unit.kind for unit in problem.unit}):
        members = [i for i, unit in enumerate(problem.unit) if unit.kind == kind]
        count = problem.unit[members[0]].count
        members.sort(key=lambda i: (phase[i], i))
        if count > 1:
            for rank, i in enumerate(members):
                result[i] = rank * count // len(members)
    return result


@dataclass
class _Attempt:
    """How one attempt differs from the others.

    Attributes
    ----------
    priority : list of float
        Which of the ready pairs is placed first.
    release : list of int
        Earliest start of each pair beside its dependences.
    prefer, patience
        Preferred instances, and the cycles that an operation waits for its own.
    assumed : list of int
        Start cycles taken for pairs that are placed later.
    late_first : bool
        Whether the phases after the first cipher call are placed before the first phase, which then fills what they leave free.
    """

    priority: list[float]
    release: list[int]
    prefer: list[int | None]
    patience: int
    assumed: list[int]
    late_first: bool = False


def _place(problem: Problem, ii: int, order: list[int], attempt: _Attempt) -> tuple[list[int], list[int]]:
    """Places the pairs in the given order, each at its earliest free cycle; raises _Failed where a limit is missed."""
    table = _Table(ii)
    count = len(order)
    start, instance = [-1] * count, [0] * count
    windows: dict[int, list[tuple[int, int, int]]] = {}
    for chain, members in problem.chain_uses.items():
        for step, (i, offset) in enumerate(members):
            windows.setdefault(i, []).append((chain, step, offset))
    opened: dict[int, int] = {}
    for i in order:
        unit = problem.unit[i]
        earliest = attempt.release[i]
        for p, delay in problem.preds[i].items():
            earliest = max(earliest, (start[p] if start[p] >= 0 else attempt.assumed[p]) + delay)
        latest = earliest + (ii * 2 if ii else 1 << 30)
        for j, delay in problem.succs[i].items():
            if start[j] >= 0:
                latest = min(latest, start[j] - delay)
        for chain, step, offset in windows.get(i, ()):
            if step and ii and chain in opened:
                latest = min(latest, opened[chain] + ii - 1 - offset)
        bound = problem.bound_to[i]
        favourite = attempt.prefer[i]
        if bound is not None:
            instances: tuple[int, ...] = (bound,)
        elif favourite is None or unit.count == 1:
            instances = tuple(range(unit.count))
        else:
            instances = (favourite, *(n for n in range(unit.count) if n != favourite))
        cycle = earliest
        if attempt.patience and len(instances) > 1 and not problem.slow[i]:
            for ahead in range(attempt.patience):
                if table.free(unit.kind, instances[0], earliest + ahead, unit.interval):
                    cycle = earliest + ahead
                    break
        while cycle <= latest:
            for n in instances:
                if table.free(unit.kind, n, cycle, unit.interval) and (
                    not problem.slow[i] or table.free(unit.kind + ".slow", n, cycle, unit.slow_interval)
                ):
                    break
            else:
                cycle += 1
                continue
            break
        else:
            raise _Failed
        table.take(unit.kind, n, cycle, unit.interval)
        if problem.slow[i]:
            table.take(unit.kind + ".slow", n, cycle, unit.slow_interval)
        start[i], instance[i] = cycle, n
        for chain, step, offset in windows.get(i, ()):
            if not step:
                opened[chain] = cycle + offset
    return start, instance


def _order(problem: Problem, priority: list[float]) -> list[int]:
    """A topological order that always takes the ready pair of highest priority."""
    import heapq

    waiting = [len(preds) for preds in problem.preds]
    after: list[list[int]] = [[] for _ in waiting]
    for i, preds in enumerate(problem.preds):
        for p in preds:
            after[p].append(i)
    heap = [(-priority[i], i) for i, n in enumerate(waiting) if not n]
    heapq.heapify(heap)
    order = []
    while heap:
        _, i = heapq.heappop(heap)
        order.append(i)
        for j in after[i]:
            waiting[j] -= 1
            if not waiting[j]:
                heapq.heappush(heap, (-priority[j], j))
    return order


def _cost(problem: Problem, start: list[int]) -> tuple[int, int]:
    """Latency, then the cycles for which results are held."""
    latency = 0
    held = 0
    last = [0] * len(start)
    for i, (begin, unit, pair) in enumerate(zip(start, problem.unit, problem.graph.pairs)):
        if pair.kind == "out":
            latency = max(latency, begin + unit.latency)
        for p in problem.preds[i]:
            last[p] = max(last[p], begin)
    for begin, unit, end in zip(start, problem.unit, last):
        held += max(0, end - begin - unit.latency)
    return latency, held


def schedule(problem: Problem, *, overlap: bool = True, ii: int | None = None, restarts: int = 200, seed: int = 1) -> Schedule:
    """The best of a number of list schedules with perturbed priorities.

    Parameters
    ----------
    overlap : bool
        Modulo schedule at ``ii`` (default: its bound), or a plain one.
    restarts : int
        Attempts after the first.
    seed : int
        Seed of the perturbations; the result depends on nothing else.
    """
    interval = (ii or problem.ii_bound()) if overlap else 0
    search = _Search(problem, interval, random.Random(seed))
    search.run(restarts)
    if search.best is None:
        if interval:
            return schedule(problem, overlap=True, ii=interval + 1, restarts=restarts, seed=seed)
        raise ValueError("no schedule: the graph's operations are not in order")
    first = min(search.start, default=0)
    start = [s - first for s in search.start]
    result = Schedule(problem, interval, start, search.instance, overlap)
    if not overlap:
        result.ii = result.latency + 1
    result.optimal = result.latency <= search.bound
    return result


class _Search:
    """Attempts and the best of them."""

    def __init__(self, problem: Problem, ii: int, rng: random.Random):
        self.problem, self.ii, self.rng = problem, ii, rng
        self.count = len(problem.unit)
        self.tails = [float(t) for t in problem.tails()]
        self.bound = problem.latency_bound()
        self.phase = _phases(problem)
        self.prefer = _affinity(problem, self.phase)
        self.best: tuple[tuple[int, int], _Attempt] | None = None
        self.start: list[int] = []
        self.instance: list[int] = []

    def attempt(self, attempt: _Attempt) -> bool:
        """Tries one; True if a schedule came out."""
        order = _order(self.problem, attempt.priority)
        if attempt.late_first:
            order = [i for i in order if self.phase[i]] + [i for i in order if not self.phase[i]]
        try:
            start, instance = _place(self.problem, self.ii, order, attempt)
        except _Failed:
            return False
        cost = _cost(self.problem, start)
        if self.best is None or cost <= self.best[0]:
            self.best, self.start, self.instance = (cost, attempt), start, instance
        return True

    def run(self, restarts: int) -> None:
        none = [0] * self.count
        plain = self.problem.earliest()
        for patience in (0, self.ii, 2) if self.ii else (0,):
            self.attempt(_Attempt(self.tails, none, self.prefer, patience, none))
        if not self.ii:
            plain = self.start
        elif max(self.phase, default=0):
            unlimited = _Search(self.problem, 0, random.Random(1))
            unlimited.run(0)
            plain = unlimited.start
        for turn in range(restarts):
            if self.best and self.best[0][0] <= self.bound:
                break
            if self.ii and turn % 3 == 0 and max(self.phase, default=0):
                self.late_first(plain)
            else:
                self.attempt(self.perturbed(turn))

    def perturbed(self, turn: int) -> _Attempt:
        """The best attempt, or the first one, with noise in its priorities and some operations held back."""
        rng = self.rng
        spread, share = rng.choice((0.5, 2.0, 6.0, 15.0)), rng.choice((0.05, 0.2, 1.0))
        known = self.best[1] if self.best and turn % 3 == 1 else None
        source = known.priority if known else self.tails
        priority = [p + rng.gauss(0, spread) if rng.random() < share else p for p in source]
        release = list(known.release) if known else [0] * self.count
        if self.ii and self.start and rng.random() < 0.7:
            # A few operations held back leave their slots to later, more urgent ones.
            for _ in range(rng.randrange(1, 6)):
                i = rng.randrange(self.count)
                release[i] = rng.choice((0, self.start[i] + rng.randrange(1, 5)))
        patience = rng.choice((0, self.ii, 2)) if self.ii else 0
        late = bool(known and known.late_first)
        return _Attempt(priority, release, self.prefer, patience, known.assumed if known else [0] * self.count, late)

    def late_first(self, plain: list[int]) -> None:
        """The later phases at their best for a given end of the first, which then takes the slots that are left."""
        rng = self.rng
        spread = rng.choice((0.0, 0.0, 1.0, 4.0))
        priority = [p + rng.gauss(0, spread) if spread else p for p in self.tails]
        patience = rng.choice((0, self.ii, 2))
        limit = self.best[0][0] if self.best else 1 << 30
        for delta in range(self.ii):
            assumed = [t + delta for t in plain]
            if max(plain) + delta > limit + self.ii:
                break
            if self.attempt(_Attempt(priority, [0] * self.count, self.prefer, patience, assumed, True)):
                break


def assign_instances(problem: Problem, ii: int, start: list[int]) -> list[int] | None:
    """Unit instances for given start cycles, preferred ones where they are free; None if they do not fit."""
    table = _Table(ii)
    prefer = _affinity(problem, _phases(problem))
    result = [0] * len(start)
    order = sorted(range(len(start)), key=lambda i: (problem.bound_to[i] is None, start[i], i))
    for i in order:
        unit = problem.unit[i]
        bound = problem.bound_to[i]
        choices = [bound] if bound is not None else sorted(range(unit.count), key=lambda n: (n != prefer[i], n))
        for n in choices:
            if table.free(unit.kind, n, start[i], unit.interval):  # type: ignore[arg-type]
                break
        else:
            return None
        table.take(unit.kind, n, start[i], unit.interval)  # type: ignore[arg-type]
        result[i] = n  # type: ignore[assignment]
    return result
