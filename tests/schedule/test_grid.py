# SPDX-License-Identifier: Apache-2.0
"""Units that are not pipelined are filled without gaps."""

from __future__ import annotations

import pytest

from modeloom.compiler.compile import compile_mode
from modeloom.ir.graph import Op, OpGraph, Pair, Term
from modeloom.modes import find
from modeloom.options.sectors import Options
from modeloom.schedule.check import check_schedule
from modeloom.schedule.greedy import FREE, Grid, grids, list_schedule
from modeloom.schedule.problem import Problem, Unit, UnitSet

SLOW_UNIT, FAST_UNIT = Unit("cipher", 1, 11, 10), Unit("mul", 1, 3)


def test_next_and_last():
    grid = Grid(frozenset({"cipher"}), 3)
    starts = [cycle for cycle in range(40) if grid.next(SLOW_UNIT, cycle) == cycle]
    assert starts == [3, 13, 23, 33] == [cycle for cycle in range(40) if grid.last(SLOW_UNIT, cycle) == cycle]
    for cycle in range(3, 33):
        assert grid.last(SLOW_UNIT, cycle) == max(s for s in starts if s <= cycle)
        assert grid.next(SLOW_UNIT, cycle) == min(s for s in starts if s >= cycle)
        assert grid.next(FAST_UNIT, cycle) == grid.last(FAST_UNIT, cycle) == cycle == FREE.next(SLOW_UNIT, cycle)


def design(mode: str, **changes):
    options = Options(cipher_arch="sequential", **{"cipher_stages": 1, "restarts": 0, **changes})
    return compile_mode(find(mode), options, prove=False)


@pytest.mark.parametrize(
    ("mode", "aes", "calls"), [("hctr2", 1, 32), ("heh-poly", 1, 33), ("hmch-poly", 1, 33), ("hctr2", 4, 32), ("heh-brw", 4, 33)]
)
def test_the_interval_is_its_bound(mode, aes, calls):
    """An operation takes ten cycles of one core, so the cores share the calls as they are, not their cycles."""
    compiled = design(mode, sector=512, cipher_cores=aes)
    check_schedule(compiled.schedule)
    figures = compiled.explain()
    assert figures["ii"] == figures["ii_bound"] == -(-calls // aes) * 10
    assert figures["units"]["cipher"] == {"count": aes, "latency": 12, "interval": 10}


def test_a_list_schedule_may_need_the_grid():
    problem = design("hctr2", sector=512).schedule.problem
    choices = grids(problem, 320)
    assert choices[0] == FREE and [grid.phase for grid in choices[1:]] == list(range(10))
    assert list_schedule(problem, 320) is None
    assert any(list_schedule(problem, 320, grid) for grid in choices)
    assert grids(problem, 321) == grids(problem, 0) == [FREE]
    longer = design("hctr2", sector=64, cipher_stages=4).schedule.problem
    assert [grid.phase for grid in grids(longer, 160)[1:]] == list(range(0, 40, 4))


def test_phases_of_the_longest_interval():
    """Units of two kinds are full at 12 cycles: the starts of the slower one have six phases."""
    graph = OpGraph("full", ("encrypt",))
    for i in range(8):
        kind = "enc" if i < 2 else "mul"
        graph.pairs.append(Pair(i, {"encrypt": Op(kind, [(Term(("block", 0)),)] * (1 + (kind == "mul")))}))
    problem = Problem(graph, UnitSet((Unit("enc", 1, 6, interval=6), Unit("mul", 1, 2, interval=2))))
    assert problem.ii_bound() == 12
    choices = grids(problem, 12)
    assert choices[0] == FREE and all(grid.kinds == {"enc", "mul"} for grid in choices[1:])
    assert [grid.phase for grid in choices[1:]] == list(range(6))


def test_several_cores_need_not_start_in_step():
    """The search ends without the grid: the latency of the grid alone is 68."""
    assert design("heh-poly", sector=80, cipher_cores=2, restarts=200).schedule.latency < 65
