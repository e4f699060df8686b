# SPDX-License-Identifier: Apache-2.0
"""A lower bound of the latency of modes in which everything passes through one operation, such as the mask in EME.

::

    many operations on few units ──▶ gate ──▶ many operations on few units
            head, at least                       tail, at least

Before the gate issues, all operations on which it depends have issued one after another on their units, and their results have reached the
gate.  The same holds between the gate and the end.  Each part is a bound for one kind of unit: operations that can start from cycle r on,
and have q cycles after them, take at least r + (their number / units - 1) * interval + q cycles.
Of a unit that takes batches, the first and the last of them are as far apart as the cadence of the unit makes them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from modeloom.schedule.problem import Problem

__all__ = ["gate_bound"]

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
