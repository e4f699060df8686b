# SPDX-License-Identifier: Apache-2.0
"""The bound of the latency: never above the least that a solver finds, and above what paths and rates alone say where slots are short."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations, product

import numpy as np
import pytest
from tests.schedule.random_problems import INSTANCES, anything, exists, graph_of, two_hashes

from modeloom.compiler.compile import compile_mode
from modeloom.ir.graph import Term
from modeloom.modes import find
from modeloom.options.sectors import Options
from modeloom.schedule.bound import Cases, circle_holds, least_latency
from modeloom.schedule.modulo import schedule
from modeloom.schedule.problem import Problem, Unit, UnitSet


@pytest.mark.parametrize("make", [two_hashes, anything])
def test_no_schedule_is_shorter(make: Callable[[random.Random], Problem]) -> None:
    """At the bound of the interval, where slots are short, and one cycle above it."""
    rng, sharper, reached = random.Random(make.__name__), 0, 0
    for _ in range(INSTANCES):
        problem = make(rng)
        made = schedule(problem, ii=problem.ii_bound() + rng.choice([0, 0, 1]), restarts=1)
        bound = made.latency_bound
        assert problem.latency_bound() <= bound <= made.latency
        assert not exists(problem, made.ii, bound - 1)
        sharper += bound > problem.latency_bound()
        reached += made.optimal
    if make is two_hashes:
        assert sharper > INSTANCES // 3 and reached > INSTANCES // 2
    assert exists(problem, made.ii, made.latency)


def test_circle_against_every_choice_of_slots() -> None:
    """Hall's condition itself: every set of windows together reaches at least as many places as it has members."""
    rng, held = random.Random(1), 0
    for _ in range(300):
        ii, count = rng.randint(1, 6), rng.randint(1, 2)
        low = np.array([rng.randint(-9, 9) for _ in range(rng.randint(1, 7))], dtype=np.int32)
        high = low + np.array([rng.choice([0, 0, 1, 2, 4, 7]) for _ in low], dtype=np.int32)
        slots = [{t % ii for t in range(a, b + 1)} for a, b in zip(low.tolist(), high.tolist())]
        sets = (chosen for size in range(1, len(slots) + 1) for chosen in combinations(slots, size))
        expected = all(len(chosen) <= count * len(set().union(*chosen)) for chosen in sets)
        assert circle_holds(low, high, ii, count) == expected
        held += expected
    assert 50 < held < 250
    assert not circle_holds(np.array([1], dtype=np.int32), np.array([0], dtype=np.int32), 4, 1)


def test_circle_of_longer_operations() -> None:
    """Where operations of several cycles have places, the condition holds; it is refuted by gaps that are too short for one."""
    rng, placed, refused = random.Random(2), 0, 0
    for _ in range(400):
        ii, count, cycles = rng.randint(4, 9), rng.randint(1, 2), rng.randint(2, 4)
        low = np.array([rng.randint(-9, 9) for _ in range(rng.randint(1, 4))], dtype=np.int32)
        high = low + np.array([rng.choice([0, 1, 2, 5]) for _ in low], dtype=np.int32)
        holds = circle_holds(low, high, ii, count, cycles)
        choices = (product(range(a, b + 1), range(count)) for a, b in zip(low.tolist(), high.tolist()))
        exist = any(
            all((b - a) % ii >= cycles and (a - b) % ii >= cycles for (a, n), (b, m) in combinations(starts, 2) if n == m)
            for starts in product(*choices)
        )
        assert holds or not exist
        placed, refused = placed + exist, refused + (not holds)
    assert placed > 100 and refused > 100
    starts = np.arange(3, dtype=np.int32) * 0
    assert circle_holds(starts[:2], starts[:2] + 4, 9, 1, 4) and not circle_holds(starts, starts + 4, 11, 1, 4)


def test_feeders_count() -> None:
    """Four products that wait for one pipeline each, two multipliers, interval 4: the last of them cannot start with the first."""
    reads: list[tuple[str, list[int], int | None]] = [("mul", [], None) for _ in range(4)]
    reads.append(("enc", list(range(4)), None))
    reads += [("enc", [4], None) for _ in range(3)]
    reads += [("mul", [i], None) for i in (5, 6, 7)]
    reads += [("out", [i], None) for i in (8, 9, 10)]
    problem = Problem(graph_of(reads, []), UnitSet((Unit("mul", 2, 2), Unit("enc", 1, 2), Unit("out", 1, 0))))
    cases = Cases(problem, 4)
    (feeders,) = [f for f in cases.feeders if problem.unit[f.group.members[0]].kind == "mul"]
    assert sorted(feeders.fed.tolist()) == [8, 9, 10] and sorted(feeders.feeders.tolist()) == [5, 6, 7]
    assert (feeders.delay, feeders.rate) == (2, 1)
    low, high = np.zeros(len(reads), dtype=np.int32), np.full(len(reads), 4, dtype=np.int32)
    assert feeders.hold(low, high, 8), "they start in cycles 2, 3 and 4 at the earliest"
    high[8:11] = 3
    assert circle_holds(low[8:11], high[8:11], 8, 2) and not feeders.hold(low, high, 8)


@pytest.mark.parametrize(("blocks", "bound"), [((0, 2, 4, 6), 9), ((0, 1, 2, 3), 7), ((None, None, None, None), 7)], ids=str)
def test_calls_that_are_bound_to_one_core(blocks: tuple[int | None, ...], bound: int) -> None:
    """A product, four calls on two cores that wait for it, a product of their sum: bound to one core, the calls take four cycles."""
    reads: list[tuple[str, list[int], int | None]] = [("mul", [], None), *(("enc", [0], block) for block in blocks)]
    reads += [("mul", [1, 2, 3, 4], None), ("out", [5], None)]
    graph = graph_of(reads, [])
    graph.pairs[5].ops["encrypt"].pre[0] = tuple(Term(("op", i)) for i in (1, 2, 3, 4))
    graph.pairs[5].ops["encrypt"].post = ()
    problem = Problem(graph, UnitSet((Unit("mul", 1, 2), Unit("enc", 2, 2), Unit("out", 1, 0))))
    assert problem.latency_bound() == 7 and least_latency(problem, 4) == bound
    assert exists(problem, 4, bound) and not exists(problem, 4, bound - 1)


def test_feeders_are_those_of_whole_units() -> None:
    """Of the calls that are bound to one core, and of cores that are not pipelined, condition 2 says what there is to say."""
    for options in ({"cipher_cores": 2}, {"cipher_cores": 2, "cipher_arch": "sequential"}):
        problem = compile_mode(find("heh-poly"), Options(sector=256, restarts=0, **options), prove=False).schedule.problem
        cases = Cases(problem, problem.ii_bound())
        groups = [f.group for f in cases.feeders]
        assert groups and all(group.cycles == 1 and group.count == problem.unit[group.members[0]].count for group in groups)


def test_hashes_that_share_multipliers() -> None:
    """Two hashes need nearly every slot of two pipelines' multipliers, which paths and rates alone do not see."""
    made = compile_mode(find("heh-poly"), Options(cipher_cores=2, restarts=300), prove=False).schedule
    assert made.problem.latency_bound() < made.latency_bound == made.latency and made.optimal


def test_nothing_to_schedule() -> None:
    """Without results, and without operations, there is no latency."""
    units = UnitSet((Unit("mul", 1, 2), Unit("enc", 1, 2), Unit("out", 1, 0)))
    assert least_latency(Problem(graph_of([], []), units), 1) == 0
    assert least_latency(Problem(graph_of([("mul", [], None)] * 3, []), units), 3) == 0
    assert least_latency(Problem(graph_of([("mul", [], None)] * 3 + [("out", [2], None)], []), units), 4) == 2
