# SPDX-License-Identifier: Apache-2.0
"""Units that take batches: schedules keep to them, bounds count them, and the checker refuses schedules that do not."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from tests.built import slowly
from tests.schedule.random_problems import INSTANCES, exists, graph_of

from modeloom.compiler.compile import Compiled, compile_mode
from modeloom.ir.check import CheckError
from modeloom.modes import find
from modeloom.options.sectors import Options
from modeloom.schedule.check import check_schedule
from modeloom.schedule.exact import improve
from modeloom.schedule.greedy import FREE, Grid, grids, phases_of
from modeloom.schedule.modulo import Schedule, schedule
from modeloom.schedule.problem import Problem, Unit, UnitSet
from modeloom.spec import InputError
from modeloom.spec.cadence import Cadence


def ciphered(rng: random.Random, least: int = 1) -> Problem:
    """Random operations of a cipher that takes batches, and products before and behind them."""
    reads: list[tuple[str, list[int], int | None]] = []
    for i in range(rng.randint(max(3, least), 9)):
        operands = sorted(rng.sample(range(i), min(i, rng.randint(0, 2))))
        reads.append((rng.choice(["mul", "enc", "enc"]) if i >= least else "enc", operands, i))
    last = len(reads) - 1
    reads += [("out", [i], None) for i in sorted({last, rng.randrange(last + 1)})]
    interval = rng.randint(3, 6)
    units = (
        Unit("mul", 1, rng.randint(1, 3), rng.choice([1, 2])),
        Unit("enc", rng.randint(1, 2), interval + 1, cadence=Cadence(interval, rng.randint(1, interval - 1))),
        Unit("out", 1, 0),
    )
    return Problem(graph_of(reads, []), UnitSet(units))


def test_next_and_last() -> None:
    unit, grid = Unit("enc", 1, 11, cadence=Cadence(10, 3)), Grid(phase=4)
    starts = [cycle for cycle in range(60) if grid.next(unit, cycle) == cycle]
    assert starts == [cycle for cycle in range(60) if (cycle - 4) % 10 < 3] == [c for c in range(60) if grid.last(unit, c) == c]
    for cycle in range(10, 50):
        assert grid.last(unit, cycle) == max(start for start in starts if start <= cycle)
        assert grid.next(unit, cycle) == min(start for start in starts if start >= cycle)
    assert grid.restricts(unit) and FREE.restricts(unit) and not grid.restricts(Unit("mul", 1, 3))


def test_grids_are_all_phases() -> None:
    problem = ciphered(random.Random(3))
    cadence = problem.units.units[1].cadence
    for ii in (0, problem.ii_bound()):
        assert [grid.phase for grid in grids(problem, ii)] == list(range(cadence.interval - cadence.blocks + 1))


def test_no_schedule_is_shorter() -> None:
    """Schedules are legal, and a solver that knows nothing of the bounds finds none below the bound of the latency."""
    rng, reached = random.Random(5), 0
    for _ in range(INSTANCES):
        problem = ciphered(rng)
        made = schedule(problem, ii=problem.ii_bound() + problem.turn * rng.choice([0, 0, 1]), restarts=1)
        check_schedule(made)
        assert made.ii % problem.turn == 0 and phases_of(problem, made.start) is not None
        assert problem.latency_bound() <= made.latency_bound <= made.latency
        assert not exists(problem, made.ii, made.latency_bound - 1)
        reached += made.optimal
    assert reached > INSTANCES // 4
    assert exists(problem, made.ii, made.latency)


def test_the_bound_of_the_interval() -> None:
    """As many intervals as the batches of the busiest instance; a schedule of fewer has no slots for all operations."""
    for count, blocks, ciphers, intervals in ((1, 1, 5, 5), (1, 4, 8, 2), (1, 4, 9, 3), (2, 4, 9, 2), (2, 3, 6, 1)):
        unit = Unit("enc", count, 11, cadence=Cadence(10, blocks))
        reads: list[tuple[str, list[int], int | None]] = [("enc", [], i) for i in range(ciphers)]
        problem = Problem(graph_of([*reads, ("out", [0], None)], []), UnitSet((unit, Unit("out", 1, 0))))
        assert problem.ii_bound() == intervals * 10 and problem.fits(intervals * 10)
        assert not problem.fits(intervals * 10 - 10) and not problem.fits(intervals * 10 + 1)
        assert unit.cycles_of(-(-ciphers // count)) == intervals * 10
        made = schedule(problem, restarts=0)
        assert made.ii == intervals * 10
        check_schedule(made)
        with pytest.raises(InputError, match=f"must be at least {intervals * 10}"):
            schedule(problem, ii=intervals * 10 - 10, restarts=0)
        with pytest.raises(InputError, match="must be a multiple of 10"):
            schedule(problem, ii=intervals * 10 + 5, restarts=0)


def test_other_units_round_up() -> None:
    """Eleven products on one multiplier need two intervals of a cipher, since batches come in the same rows of each turn."""
    reads: list[tuple[str, list[int], int | None]] = [("mul", [], None) for _ in range(11)]
    reads += [("enc", [], 0), ("out", [11], None)]
    units = UnitSet((Unit("mul", 1, 3), Unit("enc", 1, 11, cadence=Cadence(10, 4)), Unit("out", 1, 0)))
    assert Problem(graph_of(reads, []), units).ii_bound() == 20


def test_the_solver_finds_the_smallest_latency() -> None:
    """With every phase, not that of the search alone."""
    better = 0
    for seed in (2, 3, 9, 10, 38):
        problem = ciphered(random.Random(seed), least=2)
        first = schedule(problem, restarts=0)
        best = improve(problem, first)
        check_schedule(best)
        assert best.optimal and not exists(problem, best.ii, best.latency - 1)
        better += best.latency < first.latency
    assert better == 2


def made(mode: str, **changes: object) -> Compiled:
    options = {"sector": 128, "cipher_arch": "multistream", "restarts": 20, **changes}
    return compile_mode(find(mode), Options(**options), prove=False)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mode", "changes"),
    [
        ("xts", {}), ("hctr2", {"streams": 2}),
        *slowly(("heh-brw", {"cipher_cores": 2}), ("xcb", {"streams": 1}), ("eme2", {"overlap": False})),
    ],
)
def test_schedules_of_modes(mode: str, changes: dict[str, object]) -> None:
    compiled = made(mode, **changes)
    check_schedule(compiled.schedule)
    check_schedule(compiled.setup_schedule)
    if compiled.options.overlap:
        assert compiled.schedule.ii == compiled.schedule.problem.ii_bound()


def broken(compiled: Compiled, **changes: object) -> Schedule:
    old = compiled.schedule
    return replace(old, **{"start": list(old.start), "instance": list(old.instance), **changes})


def test_the_checker_refuses_a_wrong_phase() -> None:
    """An operation of the cipher that leaves its batch, and rows that repeat out of step with the batches."""
    compiled = made("xts")
    problem, good = compiled.schedule.problem, compiled.schedule
    cadence = problem.units.unit("cipher").cadence
    assert cadence == Cadence(40, 4)
    last = max((i for i, unit in enumerate(problem.unit) if unit.cadence.gaps), key=lambda i: good.start[i])
    results = [i for i in range(len(problem.unit)) if good.start[i] > good.start[last]]
    assert results
    for later in (1, 2, 5, 39):
        # All that follows moves, too, so that only the phase is wrong.
        start = [s + later if s >= good.start[last] else s for s in good.start]
        if phases_of(problem, start) is not None:
            continue
        with pytest.raises(CheckError, match=r"operations \d+ and \d+ start in cycles \d+ and \d+ of the 40 of cipher, which takes 4 in"):
            check_schedule(broken(compiled, start=start))
    for ii in (good.ii + 1, good.ii + 20):
        with pytest.raises(CheckError, match=f"takes batches every 40 cycles, and the rows repeat every {ii}"):
            check_schedule(broken(compiled, ii=ii))
    # With whole intervals between them, batches may be further apart.
    check_schedule(broken(compiled, ii=good.ii + 40))


def test_a_unit_that_takes_batches_takes_nothing_else() -> None:
    with pytest.raises(InputError, match="takes one operation in each of their cycles"):
        Unit("enc", 1, 11, 2, cadence=Cadence(10, 4))
