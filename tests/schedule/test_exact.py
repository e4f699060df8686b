# SPDX-License-Identifier: Apache-2.0
"""The solver's schedules: never worse, legal, and "optimal" only where proved."""

from __future__ import annotations

import pytest
from tests.built import slow

from modeloom import compile as compile_mode
from modeloom.ir.graph import Op, OpGraph, Pair, Term
from modeloom.schedule import exact
from modeloom.schedule.check import check_schedule
from modeloom.schedule.exact import improve
from modeloom.schedule.greedy import place_results
from modeloom.schedule.modulo import Exact, Schedule, as_schedule, schedule
from modeloom.schedule.pairing import own_bounds
from modeloom.schedule.problem import Problem, Unit, UnitSet


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


@pytest.mark.parametrize("options", [
    {"sector": 64, "cipher_cores": 2, "lanes": 2}, {"sector": 64, "cipher_cores": 2, "cipher_arch": "sequential"},
], ids=str)  # fmt: skip
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


def calls(count: int, blocks: list[int | None], unit: Unit, kind: str) -> Schedule:
    """Operations of one unit that wait for nothing, each of which leaves, one after another in time."""
    graph = OpGraph("calls", ("encrypt",))
    for i in range(count):
        graph.pairs.append(Pair(i, {"encrypt": Op(kind, [(Term(("block", i)),)], block=blocks[i])}))
    for i in range(count):
        graph.pairs.append(Pair(count + i, {"encrypt": Op("out", [(Term(("op", i)),)], index=i, block=i)}))
    problem = Problem(graph, UnitSet((unit, Unit("out", count, 0)), lanes=count))
    start = [i * (unit.slow_interval or unit.interval) for i in range(count)]
    instance = [0 if n is None else n for n in problem.bound_to]
    return as_schedule(problem, 0, place_results(problem, 0, {i: (start[i], instance[i]) for i in range(count)}))


@pytest.mark.parametrize(
    ("blocks", "unit", "kind", "least"),
    [
        # Four calls on two cores, free to choose; bound to a core each; three bound to one core, which therefore takes three cycles.
        ([None, None, None, None], Unit("enc", 2, 5), "enc", 1 + 5),
        ([0, 1, 2, 3], Unit("enc", 2, 5), "enc", 1 + 5),
        ([0, 2, 4, None], Unit("enc", 2, 5), "enc", 2 + 5),
        # Cores that take several cycles, and a slow core in a unit that does something else meanwhile.
        ([None, None, None], Unit("enc", 2, 5, interval=3), "enc", 3 + 5),
        ([0, 2, 1], Unit("enc", 2, 5, interval=3), "enc", 3 + 5),
        ([None, None, None], Unit("cipher", 2, 5, slow_core="dec", slow_interval=4), "dec", 4 + 5),
        ([0, 2, 4], Unit("cipher", 2, 5, slow_core="dec", slow_interval=4), "dec", 8 + 5),
    ],
)
def test_the_least_latency_of_calls_on_some_cores(blocks: list[int | None], unit: Unit, kind: str, least: int) -> None:
    """Known by counting."""
    rough = calls(len(blocks), blocks, unit, kind)
    check_schedule(rough)
    best = improve(rough.problem, rough, effort=5.0)
    check_schedule(best)
    assert best.latency == least <= rough.latency and best.optimal


def test_the_limit_is_what_ended_the_search() -> None:
    """A goal that was not reached has ended nothing."""
    problem = compile_mode("hmch-brw", sector=128, restarts=0).schedule.problem
    rough = schedule(problem, restarts=0)
    stopped = improve(problem, rough, effort=0.001, goal=rough.latency_bound + 1)
    assert stopped.exact == Exact("stopped", "0.001 units of the solver's deterministic time", rough.latency)


def test_the_other_direction_is_asked_only_if_the_first_leaves_a_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one direction alone needs as long as both, no pairing is shorter, and the bound of the other one stays what it is."""
    problem = compile_mode("xcb-1619", sector=64, restarts=0).schedule.problem
    best = improve(problem, schedule(problem, restarts=20), effort=1.0)
    bounds = dict(own_bounds(problem, best.ii))
    assert best.optimal and set(bounds.values()) == {best.latency - 1}
    asked = []

    def record(side: Problem, first: Schedule, **options: float) -> Schedule:
        asked.append(side.graph.directions)
        return improve(side, first, **options)

    monkeypatch.setattr(exact, "improve", record)
    best = exact.with_improved_bounds(best)
    assert asked == [("encrypt",)]
    assert own_bounds(best.problem, best.ii) == {**bounds, "encrypt": best.latency}
    assert own_bounds(problem, best.ii) == bounds, "those of what was given stay"
