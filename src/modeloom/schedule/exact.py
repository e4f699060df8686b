# SPDX-License-Identifier: Apache-2.0
"""Schedules of the smallest latency with CP-SAT (OR-tools), plain or modulo, starting from a known schedule.

The solver is asked for a latency below the known one: it finds a schedule, proves that there is none, or gives up at a limit of
deterministic time.  Its strategies alternate in fixed batches, so the result is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from modeloom.schedule.greedy import Reservations
from modeloom.schedule.modulo import Exact, Schedule, as_schedule
from modeloom.schedule.pairing import alike, direction_alone, own_bounds
from modeloom.schedule.problem import Problem
from modeloom.schedule.search import tidy
from modeloom.spec import InputError

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, IntVar

__all__ = ["gate_bound", "improve", "with_improved_bounds"]

# A lower bound of the latency of modes in which everything passes through one operation, such as the mask in EME.
#
#     many operations on few units ──▶ gate ──▶ many operations on few units
#             head, at least                       tail, at least
#
# Before the gate issues, all operations on which it depends have issued one after another on their units, and their results have reached
# the gate.  The same holds between the gate and the end.  Each part is a bound for one kind of unit: operations that can start from cycle r
# on, and have q cycles after them, take at least r + (their number / units - 1) * interval + q cycles. Of a unit that takes batches, the
# first and the last of them are as far apart as the cadence of the unit makes them.

GATES = 8
"""Number of operations that are tried as gates: those with the most operations before and after them."""


def gate_bound(problem: Problem) -> int:
    """The lower bound of the latency in cycles, plain or overlapped, from the best gate of a graph; 0 if there is none."""
    n = len(problem.unit)
    above, below = _closure(problem.preds), _closure(problem.succs, backwards=True)
    waited_for = problem.leads_to_results()
    gates = [i for i in sorted(waited_for) if above[i]]
    gates.sort(key=lambda i: (-min(above[i].bit_count(), below[i].bit_count()), i))
    start, tail = problem.earliest(), problem.tails()
    best = 0
    for gate in gates[:GATES]:
        to_gate = _distances(problem.preds, gate, range(gate, -1, -1))
        from_gate = _distances(problem.succs, gate, range(gate, n))
        head = max(start[gate], _crowded(problem, {i: (start[i], d) for i, d in to_gate.items() if i != gate}))
        rest = max(tail[gate], _crowded(problem, {i: (d, tail[i]) for i, d in from_gate.items() if i != gate and i in waited_for}))
        best = max(best, head + rest)
    return best


def _closure(edges: Sequence[dict[int, int]], backwards: bool = False) -> list[int]:
    """For each operation, the set (bits) of all operations on which it depends; ``backwards``: that depend on it."""
    result = [0] * len(edges)
    for i in reversed(range(len(edges))) if backwards else range(len(edges)):
        for j in edges[i]:
            result[i] |= result[j] | 1 << j
    return result


def _distances(edges: Sequence[dict[int, int]], gate: int, order: range) -> dict[int, int]:
    """The longest path in cycles between the gate and each operation on which it depends (with ``succs``: that depends on it)."""
    way = {gate: 0}
    for i in order:
        if i in way:
            for j, delay in edges[i].items():
                way[j] = max(way.get(j, way[i] + delay), way[i] + delay)
    return way


def _crowded(problem: Problem, spans: dict[int, tuple[int, int]]) -> int:
    """The smallest time from 0 to the end for operations with given releases and rests, on the units of their kind; 0 for none."""
    best = 0
    for kind in sorted({problem.unit[i].kind for i in spans}):
        rows = [spans[i] for i in spans if problem.unit[i].kind == kind]
        unit = next(problem.unit[i] for i in spans if problem.unit[i].kind == kind)
        releases, rests = np.array(sorted({r for r, _ in rows})), np.array(sorted({q for _, q in rows}))
        number = np.zeros((len(releases), len(rests)), dtype=np.int64)
        np.add.at(number, (np.searchsorted(releases, [r for r, _ in rows]), np.searchsorted(rests, [q for _, q in rows])), 1)
        number = number[::-1, ::-1].cumsum(0).cumsum(1)[::-1, ::-1]
        cycles = unit.span(-(-number // unit.count)) + releases[:, None] + rests
        best = max(best, int(cycles[number > 0].max()))
    return best


# -- exact -------------------------------------------------------------------------------------------------------------------------

def improve(problem: Problem, first: Schedule, *, effort: float = 20.0, goal: int | None = None) -> Schedule:
    """A schedule of the same interval with a latency no larger than that of ``first``.

    Parameters
    ----------
    first : Schedule
        Where the search starts.
    effort : float
        Limit of the deterministic time of the solver, roughly in seconds of one core.
    goal : int or None
        A latency that is good enough to end the search.  None: search for the smallest, and prove it if the effort allows.

    Returns
    -------
    Schedule
        With ``optimal`` set if its latency is that of the bound or the solver has proved that there is none below it, and with
        ``exact``.
    """
    from ortools.sat.python import cp_model

    if effort <= 0:
        raise InputError(f"the effort of the exact search must be positive, not {effort}")
    ii = first.ii if first.overlap else 0
    bound = max(first.latency_bound, gate_bound(problem))
    if bound > first.latency_bound:
        problem.least[ii] = bound
        first = replace(first, optimal=first.latency <= bound)
    least = max(bound, goal or 0)
    if first.latency <= least:
        done = Exact("proved", None, first.latency) if first.optimal else Exact("stopped", f"the goal of {least} cycles", first.latency)
        return replace(first, exact=done)
    model, start = _model(cp_model.CpModel(), problem, first, ii, least)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.interleave_search = True
    solver.parameters.random_seed = 1
    solver.parameters.max_deterministic_time = effort
    status = solver.solve(model)
    best, limit = first, f"{effort:g} units of the solver's deterministic time"
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        times = [solver.value(s) for s in start]
        instances = _instances(problem, ii, times)
        if instances is None:
            limit = "starts that do not fit onto the instances of units that take several cycles"
        else:
            best = as_schedule(problem, ii, tidy(problem, ii, (times, instances)))
    # A goal above the bound ends the search early, and nothing is proved below the goal.
    proved = status == cp_model.INFEASIBLE or status == cp_model.OPTIMAL and best is not first
    if proved and least > bound:
        limit = f"the goal of {least} cycles"
    optimal = best.optimal or proved and least == bound
    result = "proved" if optimal else "improved" if best.latency < first.latency else "stopped"
    return replace(best, optimal=optimal, exact=Exact(result, None if optimal else limit, first.latency))


def with_improved_bounds(schedule: Schedule, *, effort: float = 20.0) -> Schedule:
    """Asks the solver for each direction's own least latency, until one of them is that of a schedule of both: then no pairing has less.

    The schedule is the same; ``problem.own`` knows what was proved.
    """
    problem = copy(schedule.problem)
    problem.least, problem.own = dict(problem.least), {ii: dict(own) for ii, own in problem.own.items()}
    schedule = replace(schedule, problem=problem)
    ii = schedule.ii if schedule.overlap else 0
    own = own_bounds(schedule.problem, ii)
    if len(own) == 1:
        own.update({d: schedule.latency if schedule.optimal else schedule.latency_bound for d in own})
        return schedule
    for d in sorted(own, key=lambda d: -own[d]):
        if max(own.values()) < schedule.latency:
            side = direction_alone(schedule, d)
            # A direction that does all the work of the pairs has already been asked.
            best = schedule if alike(side.problem, schedule.problem) else improve(side.problem, side, effort=effort)
            own[d] = max(own[d], best.latency if best.optimal else best.latency_bound)
    return schedule


def _model(model: CpModel, problem: Problem, first: Schedule, ii: int, least: int) -> tuple[CpModel, list[IntVar]]:
    """Start variables with all constraints, and the latency to be minimized, below that of the first schedule."""
    earliest, tails = problem.earliest(), problem.tails()
    horizon = first.latency - 1
    latency = model.new_int_var(least, horizon, "latency")
    start: list[IntVar] = []
    slot: list[IntVar] = []
    for i, tail in enumerate(tails):
        start.append(model.new_int_var(earliest[i], max(earliest[i], horizon - tail), f"s{i}"))
        model.add(start[i] + tail <= latency)
        slot.append(start[i])
        if ii:
            slot[i] = model.new_int_var(0, ii - 1, f"r{i}")
            turn = model.new_int_var(0, horizon // ii + 1, f"q{i}")
            model.add(start[i] == turn * ii + slot[i])
        # The known schedule is no solution, but most of it may be part of one.
        model.add_hint(start[i], first.start[i])
    phases: dict[str, IntVar] = {}
    for i in problem.in_batches:
        kind, cadence = problem.unit[i].kind, problem.unit[i].cadence
        if kind not in phases:
            phases[kind] = model.new_int_var(0, cadence.gaps, f"phase of {kind}")
        batch = model.new_int_var(0, horizon // cadence.interval + 1, f"b{i}")
        place = model.new_int_var(0, cadence.blocks - 1, f"p{i}")
        model.add(start[i] == batch * cadence.interval + phases[kind] + place)
    for i, preds in enumerate(problem.preds):
        for p, delay in preds.items():
            model.add(start[i] >= start[p] + delay)
    for members in problem.chain_uses.values() if ii else ():
        (a, offset_a), (b, offset_b) = members[0], members[-1]
        model.add(start[b] + offset_b <= start[a] + offset_a + ii - 1)
    for kind in sorted({unit.kind for unit in problem.unit}):
        every = [i for i, unit in enumerate(problem.unit) if unit.kind == kind]
        unit = problem.unit[every[0]]
        slow = [i for i in every if problem.slow[i]]
        for n in range(unit.count):
            _fill(model, ii, [slot[i] for i in every if problem.bound_to[i] == n], unit.interval, 1)
            _fill(model, ii, [slot[i] for i in slow if problem.bound_to[i] == n], unit.slow_interval, 1)
        _fill(model, ii, [slot[i] for i in every], unit.interval, unit.count)
        _fill(model, ii, [slot[i] for i in slow], unit.slow_interval, unit.count)
    model.minimize(latency)
    return model, start


def _fill(model: CpModel, ii: int, slots: list[IntVar], interval: int, capacity: int) -> None:
    """At most ``capacity`` operations at a time.  Operations that reach beyond the end of the table continue at its start."""
    if len(slots) <= capacity:
        return
    if interval == 1 and capacity == 1:
        model.add_all_different(slots)
        return
    spans = []
    for slot in slots:
        spans.append(model.new_fixed_size_interval_var(slot, interval, ""))
        if ii and interval > 1:
            spans.append(model.new_fixed_size_interval_var(slot - ii, interval, ""))
    model.add_cumulative(spans, [1] * len(spans), capacity)


def _instances(problem: Problem, ii: int, start: list[int]) -> list[int] | None:
    """Instances for given starts; None if operations of several cycles do not fit."""
    table = Reservations(problem, ii)
    result = [0] * len(start)
    for i in sorted(range(len(start)), key=lambda i: (problem.bound_to[i] is None, not problem.slow[i], start[i], i)):
        n = next((n for n in table.instances(i) if table.free(i, start[i], n)), None)
        if n is None:
            return None
        table.take(i, start[i], n)
        result[i] = n
    return result
