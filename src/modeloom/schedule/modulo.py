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


def _place(problem: Problem, ii: int, order: list[int], release: list[int]) -> tuple[list[int], list[int]]:
    """Places the pairs in an order in which each comes after its predecessors; raises _Failed if a chain's window is missed."""
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
        earliest = max([release[i], *(start[p] + d for p, d in problem.preds[i].items())])
        latest = earliest + (ii * 2 if ii else 1 << 30)
        for chain, step, offset in windows.get(i, ()):
            if step and ii:
                latest = min(latest, opened[chain] + ii - 1 - offset)
        bound = problem.bound_to[i]
        instances = range(unit.count) if bound is None else (bound,)
        cycle = earliest
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
    latency = max((s + u.latency for s, u, p in zip(start, problem.unit, problem.graph.pairs) if p.kind == "out"), default=0)
    return latency, sum(start)


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
    rng = random.Random(seed)
    tail = problem.tails()
    bound = problem.latency_bound()
    count = len(tail)
    best: tuple[tuple[int, int], list[int], list[int], list[float], list[int]] | None = None
    base: list[float] = [float(t) for t in tail]
    none = [0] * count
    for attempt in range(restarts + 1):
        if attempt == 0:
            priority, release = base, none
        else:
            source, held = (best[3], best[4]) if best and attempt % 3 else (base, none)
            spread = rng.choice((0.5, 2.0, 6.0, 15.0))
            share = rng.choice((0.05, 0.2, 1.0))
            priority = [p + rng.gauss(0, spread) if rng.random() < share else p for p in source]
            release = list(held)
            if interval and rng.random() < 0.7:
                # A few operations held back leave their slots to later, more urgent ones.
                for _ in range(rng.randrange(1, 6)):
                    i = rng.randrange(count)
                    release[i] = rng.choice((0, best[1][i] + rng.randrange(1, 5))) if best else 0
        try:
            start, instance = _place(problem, interval, _order(problem, priority), release)
        except _Failed:
            continue
        cost = _cost(problem, start)
        if best is None or cost <= best[0]:
            best = (cost, start, instance, priority, release)
        if best[0][0] <= bound:
            break
    if best is None:
        if interval:
            return schedule(problem, overlap=True, ii=interval + 1, restarts=restarts, seed=seed)
        raise ValueError("no schedule: the graph's operations are not in order")
    _, start, instance, _, _ = best
    first = min(start)
    start = [s - first for s in start]
    result = Schedule(problem, interval, start, instance, overlap)
    if not overlap:
        result.ii = result.latency + 1
    result.optimal = result.latency <= bound
    return result
