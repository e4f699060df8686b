# SPDX-License-Identifier: Apache-2.0
"""Least-latency schedules with CP-SAT (OR-tools), plain or modulo, improved from a list schedule.

One worker and a limit of deterministic time make the result the same on every machine.
"""

from __future__ import annotations

from modeloom.schedule.greedy import Reservations
from modeloom.schedule.modulo import Schedule, as_schedule
from modeloom.schedule.problem import Problem
from modeloom.schedule.search import tidy

__all__ = ["improve"]


def improve(problem: Problem, first: Schedule, *, effort: float = 5.0, goal: int | None = None) -> Schedule:
    """A schedule of the same interval with a latency no larger than that of ``first``.

    Parameters
    ----------
    first : Schedule
        Where the search starts.
    effort : float
        Limit of the solver's deterministic time (about seconds of one core).
    goal : int or None
        A latency that is good enough; the search ends there.  None: search for the least, and prove it if the effort allows.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    ii = first.ii if first.overlap else 0
    least, tails = problem.earliest(), problem.tails()
    horizon = first.latency
    count = len(least)
    bound = problem.latency_bound()
    latency = model.new_int_var(max(bound, goal or 0), horizon, "latency")
    start, slot = [], []
    for i in range(count):
        start.append(model.new_int_var(least[i], max(least[i], horizon - tails[i]), f"s{i}"))
        model.add(start[i] + tails[i] <= latency)
        if ii:
            turn = model.new_int_var(0, horizon // ii + 1, f"q{i}")
            slot.append(model.new_int_var(0, ii - 1, f"r{i}"))
            model.add(start[i] == turn * ii + slot[i])
            model.add_hint(turn, first.start[i] // ii)
            model.add_hint(slot[i], first.start[i] % ii)
        else:
            slot.append(start[i])
        model.add_hint(start[i], first.start[i])
    for i, preds in enumerate(problem.preds):
        for p, delay in preds.items():
            model.add(start[i] >= start[p] + delay)
    if ii:
        for members in problem.chain_uses.values():
            (a, offset_a), (b, offset_b) = members[0], members[-1]
            model.add(start[b] + offset_b <= start[a] + offset_a + ii - 1)
    groups: dict[tuple[str, int | None], list[int]] = {}
    for i, unit in enumerate(problem.unit):
        groups.setdefault((unit.kind, problem.bound_to[i]), []).append(i)
    for kind in sorted({unit.kind for unit in problem.unit}):
        unit = next(u for u in problem.unit if u.kind == kind)
        members = [i for i, u in enumerate(problem.unit) if u.kind == kind]
        if unit.interval == 1 and unit.count == 1:
            model.add_all_different([slot[i] for i in members])
            continue
        for key in sorted((k for k in groups if k[0] == kind and k[1] is not None), key=str):
            _fill(model, ii, [slot[i] for i in groups[key]], unit.interval, 1)
        _fill(model, ii, [slot[i] for i in members], unit.interval, unit.count)
    model.minimize(latency)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_deterministic_time = effort
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return first
    placement = _placement(problem, ii, [solver.value(s) for s in start])
    if placement is None or solver.value(latency) >= first.latency:
        result = first
    else:
        result = as_schedule(problem, ii, tidy(problem, ii, placement))
    # Optimal for the graph, the units and their binding to blocks: the solver has excluded every smaller latency.
    proved = status == cp_model.OPTIMAL and goal is None and result.latency <= solver.value(latency)
    result.optimal = result.optimal or proved
    return result


def _placement(problem: Problem, ii: int, start: list[int]) -> tuple[list[int], list[int]] | None:
    """Instances for given starts, bound operations first; None if they do not fit."""
    table = Reservations(problem, ii)
    instance = [0] * len(start)
    for i in sorted(range(len(start)), key=lambda i: (problem.bound_to[i] is None, start[i], i)):
        found = next((n for n in table.instances(i) if table.free(i, start[i], n)), None)
        if found is None:
            return None
        instance[i] = found
        table.take(i, start[i], found)
    return start, instance


def _fill(model, ii: int, slots, interval: int, capacity: int) -> None:  # type: ignore[no-untyped-def]
    """At most ``capacity`` operations at a time; those that reach over the end of the table go on at its start."""
    spans = []
    for slot in slots:
        spans.append(model.new_fixed_size_interval_var(slot, interval, ""))
        if ii and interval > 1:
            spans.append(model.new_fixed_size_interval_var(slot - ii, interval, ""))
    model.add_cumulative(spans, [1] * len(spans), capacity)
