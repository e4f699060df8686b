# SPDX-License-Identifier: Apache-2.0
"""The slack search places everything within the latency it is asked for, or gives up."""

from __future__ import annotations

import random

import pytest

from modeloom.compiler.compile import compile_mode
from modeloom.modes.heh import HEH
from modeloom.options.sectors import Options
from modeloom.schedule.bound import Infeasible
from modeloom.schedule.check import check_schedule
from modeloom.schedule.greedy import list_schedule, place_results
from modeloom.schedule.modulo import as_schedule
from modeloom.schedule.problem import Problem
from modeloom.schedule.slack import Bias, SlackSearch, _runs


@pytest.fixture(scope="module")
def problem() -> Problem:
    return compile_mode(HEH(), Options(sector=256, restarts=0), prove=False).schedule.problem


@pytest.mark.parametrize("bias", [Bias(0, 0), Bias(1, 0), Bias(1, 1), Bias(0.5, 0.5, 4.0)], ids=str)
def test_what_it_finds_is_legal_and_within_the_latency(problem: Problem, bias: Bias) -> None:
    ii = problem.ii_bound()
    search = SlackSearch(problem, ii)
    rng = random.Random(1)
    latency = list_schedule(problem, ii)
    assert latency is not None
    found = 0
    for ask in range(problem.latency_bound(), problem.latency_bound() + 2 * ii, 3):
        placed = search.run(ask, 3000, bias, rng)
        assert search.steps <= 3000
        if placed is not None:
            found += 1
            result = as_schedule(problem, ii, place_results(problem, ii, placed))
            check_schedule(result)
            tails = problem.tails()
            assert all(start + tails[i] <= ask for i, (start, _) in placed.items())
    assert found


def test_below_the_longest_path_it_does_not_even_try(problem: Problem) -> None:
    longest = max(s + t for s, t in zip(problem.earliest(), problem.tails()))
    search = SlackSearch(problem, problem.ii_bound())
    assert search.run(longest - 1, 1000, Bias(0, 0), random.Random(1)) is None and search.steps == 0


def test_it_goes_on_from_a_placement(problem: Problem) -> None:
    """With nothing dropped and no cycle to save, the placement comes back."""
    ii = problem.ii_bound()
    near = list_schedule(problem, ii)
    assert near is not None
    search = SlackSearch(problem, ii)
    end = max(near[0][i] + problem.tails()[i] for i in search.members)
    placed = search.run(end, 10000, Bias(0, 0), random.Random(1), near)
    assert placed is not None and all(placed[i][0] == near[0][i] for i in search.members)


def test_limits_are_kept(problem: Problem) -> None:
    search = SlackSearch(problem, problem.ii_bound())
    assert search.run(10 * problem.latency_bound(), 5, Bias(0, 0), random.Random(1)) is None and search.steps == 5


def test_a_chain_longer_than_the_interval_is_infeasible(problem: Problem) -> None:
    assert problem.chain_uses
    uses = min(len(members) for members in problem.chain_uses.values())
    with pytest.raises(Infeasible):
        SlackSearch(problem, uses - 1)
    SlackSearch(problem, uses - 1, windows=False)


def test_an_operation_can_be_pinned(problem: Problem) -> None:
    """It starts where it has to, or there is no placement."""
    ii, rng = problem.ii_bound(), random.Random(1)
    search, latency = SlackSearch(problem, ii), problem.latency_bound() + ii
    middle = search.members[len(search.members) // 2]
    first, last = problem.earliest()[middle], latency - problem.tails()[middle]
    starts = {start: search.run(latency, 3000, Bias(1, 0), rng, pin=(middle, start)) for start in range(first - 1, last + 2, 3)}
    assert all(placed is None or placed[middle][0] == start for start, placed in starts.items())
    assert starts[first - 1] is None and any(starts.values())


@pytest.mark.parametrize("length", [1, 2, 3, 5, 8, 11, 12])
@pytest.mark.parametrize("ii", [1, 2, 7, 12])
def test_runs_of_free_slots(ii: int, length: int) -> None:
    """A unit that takes several cycles needs each of them free, and the table is a circle."""
    rng = random.Random(ii * length)
    for row in (0, (1 << ii) - 1, *(rng.getrandbits(ii) | rng.getrandbits(ii) for _ in range(60))):
        found = {slot for slot in range(ii) if _runs(row, ii, length) >> slot & 1}
        assert found == {slot for slot in range(ii) if all(row >> (slot + ahead) % ii & 1 for ahead in range(length))}
