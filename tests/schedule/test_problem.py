# SPDX-License-Identifier: Apache-2.0
"""What the operations of a problem wait for, and how long the sector still lasts behind each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from modeloom.ir.graph import Op, OpGraph, Pair, Term
from modeloom.schedule.problem import Problem, Unit, UnitSet


def problem_of(units: tuple[Unit, ...], *reads: tuple[str, list[int], list[int]]) -> Problem:
    """Operations of a kind that read the results of others, and add some to their own."""
    graph = OpGraph("small", ("encrypt",))
    for i, (kind, operands, added) in enumerate(reads):
        forms = [tuple(Term(("op", j)) for j in operands) or (Term(("block", 0)),)] + [(Term(("key", "h")),)] * (kind == "mul")
        op = Op(kind, forms, tuple(Term(("op", j)) for j in added), index=0 if kind == "out" else None)
        graph.pairs.append(Pair(i, {"encrypt": op}))
    return Problem(graph, UnitSet(units))


@pytest.mark.parametrize(("adders", "latency", "wait"), [(1, 0, 0), (2, 0, 1), (1, 2, 2), (2, 2, 2)])
def test_adders_without_registers(adders: int, latency: int, wait: int) -> None:
    """A second one could read the first in the cycle in which that reads it; one alone cannot, and registers cut the loop."""
    problem = problem_of((Unit("acc", adders, latency), Unit("out", 1, 0)), ("acc", [], []), ("acc", [0], []), ("out", [1], []))
    assert problem.preds == [{}, {0: wait}, {1: latency}] and problem.succs == [{1: wait}, {2: latency}, {}]


@pytest.mark.parametrize(("register", "wait"), [(False, 1), (True, 0)])
def test_a_sum_reads_what_was_there_a_cycle_before(register: bool, wait: int) -> None:
    """Without a register behind the sums, that of a product and one that takes it in would be one network."""
    units = (Unit("mul", 1, 3, post_register=register), Unit("out", 1, 0))
    problem = problem_of(units, ("mul", [], []), ("mul", [], [0]), ("out", [1], []))
    # The product is in its sum three cycles after issue, and there the other one has to be.
    latency = 3 + register
    assert problem.preds == [{}, {0: latency + wait - 3}, {1: latency}]


def test_what_no_result_waits_for_has_no_way_to_go() -> None:
    units = (Unit("mul", 1, 3), Unit("acc", 1, 1), Unit("out", 1, 2))
    problem = problem_of(units, ("mul", [], []), ("mul", [0], []), ("acc", [0], []), ("acc", [2], []), ("out", [1], []))
    assert problem.leads_to_results() == {0, 1, 4}
    assert problem.earliest() == [0, 3, 3, 4, 6]
    assert problem.tails() == [3 + 3 + 2, 3 + 2, 0, 0, 2]
    assert problem.latency_bound() == 8


@pytest.mark.parametrize("lanes", [1, 2, 5])
def test_the_buses_bound_the_interval(lanes: int) -> None:
    """More units than lanes: the bus that brings the blocks takes so many a cycle."""
    problem = problem_of((Unit("out", 12, 0),), *[("out", [], []) for _ in range(24)])
    problem.units = replace(problem.units, lanes=lanes, entry=1)
    assert problem.ii_bound() == -(-24 // lanes)
