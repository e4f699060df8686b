# SPDX-License-Identifier: Apache-2.0
"""Less storage at the same latency, and figures that agree with the allocation."""

from __future__ import annotations

import pytest

from modeloom.allocate.build import lifetimes, storage_bound
from modeloom.compiler.compile import compile_mode
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.heh import HEH
from modeloom.options.sectors import Options
from modeloom.schedule.check import check_schedule
from modeloom.schedule.greedy import list_schedule
from modeloom.schedule.modulo import as_schedule
from modeloom.schedule.problem import Problem
from modeloom.schedule.search import compact, latency_of, storage_figures


def problem_of(mode, **changes) -> Problem:
    return compile_mode(mode(), Options(restarts=0, **changes), prove=False).schedule.problem


@pytest.mark.parametrize("mode", [HCTR2, HEH])
@pytest.mark.parametrize("overlap", [False, True])
def test_storage_falls_and_the_latency_stays(mode, overlap) -> None:
    problem = problem_of(mode)
    ii = problem.ii_bound() if overlap else 0
    rough = list_schedule(problem, ii)
    latency = latency_of(problem, rough[0])
    better = compact(problem, ii, rough, latency)
    check_schedule(as_schedule(problem, ii, better))
    assert latency_of(problem, better[0]) <= latency
    figures, before = storage_figures(problem, ii, better), storage_figures(problem, ii, rough)
    assert figures < before if overlap else figures[0] <= before[0]


@pytest.mark.parametrize("mode", [HCTR2, HEH])
def test_figures_are_those_of_the_lifetimes(mode) -> None:
    """The bound of the allocation, and the sum of the bounds of its banks."""
    problem = problem_of(mode, sector=256)
    ii = problem.ii_bound()
    placement = list_schedule(problem, ii)
    lives = {v: life for v, life in lifetimes(as_schedule(problem, ii, placement)).items() if life.stored or v[0] != "op"}
    banks: dict[str, dict] = {}
    for value, life in lives.items():
        banks.setdefault(life.bank, {})[value] = life
    cells, values = storage_figures(problem, ii, placement)
    assert values == storage_bound(lives, ii)
    assert cells == sum(storage_bound(bank, ii) for bank in banks.values())


def test_the_limit_of_tries_is_kept() -> None:
    problem = problem_of(HEH, sector=256)
    rough = list_schedule(problem, problem.ii_bound())
    assert compact(problem, problem.ii_bound(), rough, latency_of(problem, rough[0]), tries=0) == rough
