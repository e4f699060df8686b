# SPDX-License-Identifier: Apache-2.0
"""The choice of pairs: no pairing has less than the directions' own bounds, and the chosen one is about as good."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache

import pytest
from tests.compiler.fast_like import ORDERS

from modeloom.compiler import compile as choices
from modeloom.compiler.compile import Compiled, compile_mode
from modeloom.ir.graph import Op, Term
from modeloom.ir.pair import find_chains, match, pair_directions
from modeloom.modes import BUILT_IN, find
from modeloom.options.sectors import Options, preset
from modeloom.schedule.bound import least_latency
from modeloom.schedule.check import check_schedule
from modeloom.schedule.exact import improve, with_improved_bounds
from modeloom.schedule.greedy import list_schedule
from modeloom.schedule.modulo import Exact, as_schedule, schedule
from modeloom.schedule.pairing import choose_pairing, direction_alone, far_from_bound, own_bounds
from modeloom.schedule.problem import Problem, Unit, UnitSet, instance_of, op_instance


def pair_by_bound(name: str, sequences: Mapping[str, Sequence[Op]], units: UnitSet, **options: bool) -> Problem:
    """The problem of the pairing that ``choose_pairing`` selects."""
    chosen = choose_pairing(name, sequences, units, **options)
    graph = find_chains(pair_directions(name, sequences, chosen.rows), lambda pair: instance_of(pair, units) or 0)
    return Problem(graph, units, least=chosen.least, own=chosen.own)


@cache
def sides_of(mode: str, sector: int, aes: int):  # type: ignore[no-untyped-def]
    """Operations of each direction as the compiler pairs them, and the units."""
    found = {}

    def keep(name, sequences, units, **_):  # type: ignore[no-untyped-def]
        found[len(sequences)] = sequences, units
        return choose_pairing(name, sequences, units)

    definition = ORDERS[mode]() if mode in ORDERS else find(mode)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choices, "choose_pairing", keep)
        compile_mode(definition, Options(sector=sector, cipher_cores=aes, restarts=0), prove=False)
    return found[2]


def paired(mode: str, sector: int, aes: int, rng: random.Random | None) -> Problem:
    """The problem of a pairing: by lines, or by random times that each direction allows."""
    sides, units = sides_of(mode, sector, aes)
    order = None
    if rng is not None:
        order = {}
        for d, ops in sides.items():
            times: list[float] = []
            for op in ops:
                reads = [times[t.source[1]] for _, t in op.terms() if t.source[0] == "op"]
                times.append(max(reads, default=0.0) + rng.random() ** 3 * 30)
            order[d] = times, [op_instance(op, units) for op in ops]
    graph = pair_directions("test", sides, match(sides, order))
    graph = find_chains(graph, lambda pair: instance_of(pair, units) or 0)
    return Problem(graph, units)


def pair_by_lines(sides: Mapping[str, Sequence[Op]], units: UnitSet) -> Problem:
    """The problem of the pairing by lines."""
    graph = pair_directions("test", sides)
    graph = find_chains(graph, lambda pair: instance_of(pair, units) or 0)
    return Problem(graph, units)


CASES = [("first-last", 64, 1), ("last-first", 96, 2), ("heh-brw", 64, 1), ("tet", 64, 2)]


@pytest.mark.parametrize(("mode", "sector", "aes"), CASES)
def test_no_pairing_has_less_than_the_larger_of_the_own_bounds(mode: str, sector: int, aes: int) -> None:
    """The solver's best schedules of many pairings; each is legal, and so is what it does in one direction."""
    rng, ii = random.Random(1), 0
    bounds, found = set(), []
    for turn in range(8):
        problem = paired(mode, sector, aes, rng if turn else None)
        ii = max(ii, problem.ii_bound())
        if not problem.fits(ii):
            continue
        placement = list_schedule(problem, ii, reserve=True)
        if placement is None:
            continue
        best = improve(problem, as_schedule(problem, ii, placement), effort=0.5)
        check_schedule(best)
        own = own_bounds(problem, ii)
        bounds.add(tuple(own.values()))
        assert max(own.values()) <= least_latency(problem, ii) <= best.latency
        for d, bound in own.items():
            side = direction_alone(best, d)
            check_schedule(side)
            assert bound <= side.latency <= best.latency
        found.append(best.latency)
    # What one direction alone needs does not depend on the pairs.
    assert len(bounds) == 1 and len(found) > 2
    assert min(found) <= 1.1 * max(bounds.pop())


@pytest.mark.parametrize("order", ["first-last", "last-first"])
def test_pairs_by_lines_would_cost_latency(order: str) -> None:
    lines = paired(order, 512, 1, None)
    chosen = pair_by_bound("test", *sides_of(order, 512, 1))
    ii = lines.ii_bound()
    assert least_latency(lines, ii) > 1.5 * max(own_bounds(lines, ii).values())
    assert least_latency(chosen, ii) <= 1.03 * max(own_bounds(chosen, ii).values())


def test_the_order_of_lines_stays_where_it_is_as_good() -> None:
    for mode in BUILT_IN:
        if mode.name not in ("tet", "xcb-1619", "cmc"):
            sides, units = sides_of(mode.name, 512, 1)
            rows = [[(d, op) for d, op in pair.ops.items()] for pair in pair_by_bound("test", sides, units).graph.pairs]
            graph = pair_directions("test", sides)
            graph = find_chains(graph, lambda pair, units=units: instance_of(pair, units) or 0)
            assert rows == [[(d, op) for d, op in pair.ops.items()] for pair in graph.pairs], mode.name


@pytest.mark.parametrize(("overlap", "rough"), [(True, False), (True, True), (False, False)])
def test_pairs_that_miss_slots_are_made_anew(overlap: bool, rough: bool) -> None:
    """Two cipher calls, one bound to the first of two cores: if each is in a row with the bound one of the other direction, both rows are
    bound, and overlapped sectors of one cycle have no slot for the second.  The chain of products takes longest in any case."""

    def operations(bound_first: bool) -> list[Op]:
        block, result = (Term(("block", 0)),), (Term(("op", 0)),)
        calls = [Op("enc", [block], block=0), Op("enc", [result])]
        return [
            Op("mul", [block, block]), *(calls if bound_first else calls[::-1]),
            Op("mul", [result, block]), Op("mul", [(Term(("op", 3)),), block]),
            *(Op("out", [(Term(("op", i)),)], index=n) for n, i in enumerate((1, 2, 4))),
        ]  # fmt: skip

    units = UnitSet((Unit("mul", 3, 3), Unit("enc", 2, 2), Unit("out", 3, 0)), lanes=3)
    sides = {"encrypt": operations(False), "decrypt": operations(True)}
    lines = pair_by_lines(sides, units)
    assert lines.ii_bound() == 1 and not lines.fits(1) and least_latency(lines, 0) == 9
    chosen = pair_by_bound("test", sides, units, overlap=overlap, rough=rough)
    assert least_latency(chosen, 0) == 9
    assert chosen.fits(1) == overlap, "only overlapped sectors share slots"


@cache
def compiled(mode: str, base: str = "default", **changes) -> Compiled:  # type: ignore[no-untyped-def]
    return compile_mode(find(mode), preset(base).but(**changes), prove=False)


def test_tet_is_paired_by_times() -> None:
    """Its directions do the same kinds of work in different orders: by lines its bound was 131 cycles."""
    figures = compiled("tet").explain()
    assert figures["latency_bound"] == 114 and figures["latency"] <= 1.1 * 114 and figures["ii"] == figures["ii_bound"]


@pytest.mark.parametrize("mode", [mode.name for mode in BUILT_IN])
def test_the_bound_of_the_pairing_is_near_the_own_bounds(mode: str) -> None:
    """In every mode, also in those whose directions do not do the same work in the same order."""
    for sector, aes in ((64, 1), (160, 2)):
        sides, units = sides_of(mode, sector, aes)
        problem = pair_by_bound("test", sides, units)
        ii = problem.ii_bound()
        assert problem.fits(ii) and least_latency(problem, ii) <= 1.05 * max(own_bounds(problem, ii).values())


def test_what_explain_says_of_bounds() -> None:
    both = compiled("hctr2", sector=96, restarts=50).explain()
    assert both["latency_bounds"].keys() == {"encrypt", "decrypt"}
    assert both["latency_bound"] == max(both["latency_bounds"].values()) and "exact" not in both
    assert both["optimal"] == (both["latency"] == both["latency_bound"])
    one = compiled("hctr2", sector=96, restarts=50, direction="decrypt").explain()
    assert one["latency_bounds"] == {"decrypt": one["latency_bound"]} and one["pairing_bound"] == one["latency_bound"]


def test_explain_says_what_the_solver_did() -> None:
    figures = compiled("hmch-brw", sector=128, restarts=0, exact=True).explain()
    assert figures["exact"]["result"] == "proved" and figures["exact"]["limit"] is None
    assert figures["latency"] < figures["exact"]["before"] and figures["optimal"] and figures["optimal_of_pairing"]
    assert figures["latency_bound"] == figures["latency"]


def test_why_a_latency_is_far_from_its_bound() -> None:
    problem = paired("heh-brw", 512, 1, None)
    own = max(own_bounds(problem, problem.ii_bound()).values())
    made = schedule(problem, restarts=0)
    assert made.latency > 1.1 * own
    reason = far_from_bound(made, 32)
    assert "cipher takes 33 of 33, mul takes 32 of 33, the same ones in both directions" in reason
    assert far_from_bound(made, 256) is None or made.latency > 1.2 * own
    lines = paired("first-last", 512, 1, None)
    worse = schedule(lines, restarts=20)
    assert far_from_bound(worse, 32) == f"no pairing of the two directions was found with a bound below {least_latency(lines, 32)}"
    assert far_from_bound(schedule(pair_by_bound("test", *sides_of("first-last", 512, 1)), restarts=50), 32) is None


def test_the_solver_proves_for_every_pairing() -> None:
    """Plain schedules of a mode whose pairing bound is below the least latency: what is proved of one direction holds for both."""
    problem = paired("first-last", 64, 1, None)
    best = improve(problem, schedule(problem, overlap=False, restarts=10))
    assert best.optimal and best.exact.result == "proved"
    best = with_improved_bounds(best)
    own = own_bounds(problem, 0)
    # No schedule of one direction within that of both is shorter than what was proved of it.
    assert all(bound <= direction_alone(best, d).latency for d, bound in own.items())
    assert max(own.values()) <= best.latency


def test_exact_says_what_it_did() -> None:
    problem = paired("hmch-brw", 128, 1, None)
    rough = schedule(problem, restarts=0)
    done = improve(problem, rough, effort=5.0)
    assert done.exact == Exact("proved", None, rough.latency) and done.optimal
    stopped = improve(problem, rough, effort=0.001)
    assert stopped.exact == Exact("stopped", "0.001 units of the solver's deterministic time", rough.latency)
    assert stopped.latency == rough.latency and not stopped.optimal
    again = improve(problem, done, effort=0.001)
    assert again.exact == Exact("proved", None, done.latency)
    goal = rough.latency - 1
    improved = improve(problem, rough, effort=5.0, goal=goal)
    assert improved.exact == Exact("improved", f"the goal of {goal} cycles", rough.latency) and improved.latency == goal
