# SPDX-License-Identifier: Apache-2.0
"""The solver's schedules: never worse, legal, and "optimal" only where proved."""

from __future__ import annotations

import pytest
from tests.built import slow

from modeloom import compile as compile_mode
from modeloom.schedule.check import check_schedule
from modeloom.schedule.exact import improve
from modeloom.schedule.modulo import schedule


@pytest.mark.parametrize(
    ("mode", "preset", "cycles"),
    [
        ("heh-brw", "brw2013-1core", 67),
        ("heh-brw", "brw2013-2core", 52),
        ("hmch-brw", "brw2013-1core", 77),
        pytest.param("hmch-brw", "brw2013-2core", 62, marks=slow),
        ("heh-poly", "brw2013-1core", 78),
        ("hmch-poly", "brw2013-1core", 88),
    ],
)
def test_plain_schedules_of_the_paper_are_proved_minimal(mode: str, preset: str, cycles: int) -> None:
    design = compile_mode(mode, preset, exact=True)
    assert design.schedule.latency == cycles and design.schedule.optimal and design.proved


@pytest.mark.parametrize("overlap", [False, True])
def test_a_rough_schedule_gets_better(overlap: bool) -> None:
    problem = compile_mode("heh-brw", sector=128).schedule.problem
    rough = schedule(problem, overlap=overlap, restarts=0)
    better = improve(problem, rough, effort=1.0)
    check_schedule(better)
    assert problem.latency_bound() <= better.latency <= rough.latency
    assert better.ii == rough.ii or not overlap
    if better.optimal:
        assert improve(problem, better, effort=1.0).latency == better.latency


def test_the_same_on_every_run() -> None:
    problem = compile_mode("hctr2", sector=64).schedule.problem
    rough = schedule(problem, restarts=0)
    assert improve(problem, rough, effort=0.5).start == improve(problem, rough, effort=0.5).start


@pytest.mark.parametrize("options", [{"sector": 64, "aes": 2, "lanes": 2}, {"sector": 64, "aes": 2, "aes_arch": "sequential"}], ids=str)
def test_operations_that_are_bound_to_an_instance_stay_there(options: dict) -> None:
    """Of several units the solver may choose only for operations that belong to none."""
    problem = compile_mode("hctr2", restarts=0, **options).schedule.problem
    assert len(set(problem.bound_to) - {None}) == 2
    rough = schedule(problem, restarts=0)
    better = improve(problem, rough, effort=1.0)
    check_schedule(better)
    assert better.latency <= rough.latency
    assert better.exact.limit is None or "do not fit" not in better.exact.limit
    assert all(n is None or n == better.instance[i] for i, n in enumerate(problem.bound_to))
