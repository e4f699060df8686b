# SPDX-License-Identifier: Apache-2.0
"""Schedules of the modes: legal, at the bound of the interval, short, the same on every run."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache

import pytest

from modeloom.compiler.compile import compile_mode
from modeloom.ir.graph import Chain, Op, OpGraph, Pair, Term
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.heh import HEH
from modeloom.options.sectors import Options, preset
from modeloom.schedule.modulo import Schedule, schedule
from modeloom.schedule.problem import Problem, Unit, UnitSet
from modeloom.spec import InputError

MODES = {"hctr2": HCTR2, "heh": HEH}
EFFORT = Options().restarts


@cache
def problem_of(mode: str, preset_name: str = "default", **changes: object) -> Problem:
    options = preset(preset_name).but(restarts=0, **changes)
    return compile_mode(MODES[mode](), options, prove=False).schedule.problem


def reads(schedule: Schedule, pair: Pair):
    """(cycle, term, whether it is a post term) of every reading of a pair."""
    unit, start = schedule.problem.unit[pair.id], schedule.start[pair.id]
    added = start + unit.core + int(unit.operand_register)
    for op in pair.ops.values():
        for operand, term in op.terms():
            yield (added if operand == "post" else start), term, operand == "post"


def verify(schedule: Schedule) -> None:
    """Slots, dependences and windows, from the graph and the units alone."""
    problem, ii, start = schedule.problem, schedule.ii, schedule.start
    slots: dict[tuple, int] = {}
    uses: dict[int, dict[int, int]] = {}
    for pair in problem.graph.pairs:
        unit = problem.units.of(pair)
        assert 0 <= schedule.instance[pair.id] < unit.count and start[pair.id] >= 0
        if pair.block is not None and pair.kind in ("enc", "dec", "cipher", "out"):
            assert schedule.instance[pair.id] == pair.block % unit.count
        slow = any(op.kind == unit.slow_core for op in pair.ops.values())
        claims = [(unit.kind, unit.interval), ("slow", unit.slow_interval if slow else 0)]
        for kind, interval in claims:
            for cycle in range(start[pair.id], start[pair.id] + interval):
                key = (kind, schedule.instance[pair.id], cycle % ii)
                assert slots.setdefault(key, pair.id) == pair.id, f"{slots[key]} and {pair.id} share {key}"
            assert interval <= ii
        for cycle, term, post in reads(schedule, pair):
            if term.source[0] == "op":
                source = problem.unit[term.source[1]]
                ready = start[term.source[1]] + source.core + source.operand_register + source.post_register
                assert cycle >= ready + (post and not unit.post_register)
            elif term.source[0] == "chain":
                uses.setdefault(term.source[1], {})[term.source[2]] = cycle
    for chain in problem.graph.chains:
        cycles = [uses[chain.id][step] for step in range(chain.length)]
        assert all(a < b for a, b in zip(cycles, cycles[1:]))
        assert cycles[0] >= 1 and cycles[-1] < cycles[0] + ii
        for term in chain.base.values():
            if term.source[0] == "op":
                assert cycles[0] - 1 >= schedule.ready(term.source[1])


CASES = [
    ("hctr2", {"cipher_stages": 1, "mul_stages": 2}),
    ("hctr2", {"sector": 520, "direction": "decrypt"}),
    ("heh", {"key_bits": 192, "mul_stages": 2}),
    ("heh", {"preset_name": "brw2013-1core", "overlap": True}),
]


@pytest.mark.parametrize(("mode", "changes"), CASES, ids=str)
def test_overlapped_schedules_reach_the_bound_and_stay_short(mode: str, changes: dict) -> None:
    problem = problem_of(mode, **changes)
    overlapped = schedule(problem, restarts=EFFORT)
    plain = schedule(problem, overlap=False, restarts=EFFORT // 4)
    verify(overlapped)
    verify(plain)
    assert overlapped.ii == problem.ii_bound() and overlapped.overlap
    assert plain.ii == plain.latency + 1 and not plain.overlap
    assert problem.latency_bound() <= plain.latency <= overlapped.latency <= 1.2 * plain.latency
    assert min(overlapped.start) == min(plain.start) == 0


@pytest.mark.parametrize(("name", "cycles"), [("brw2013-1core", 67), ("brw2013-2core", 54)])
def test_plain_schedules_beat_the_paper(name: str, cycles: int) -> None:
    """brw2013, Table 5: 69 and 55 cycles."""
    result = schedule(problem_of("heh", preset_name=name), overlap=False, restarts=EFFORT)
    verify(result)
    assert result.latency == cycles


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("changes", [
    {"sector": 32}, {"sector": 80}, {"cipher_cores": 2}, {"cipher_cores": 4, "mul": 5, "lanes": 2}, {"registered": False},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("effort", [0, 20])
def test_legal_for_other_sizes_and_unit_sets(mode: str, changes: dict, effort: int) -> None:
    problem = problem_of(mode, **changes)
    for overlap in (False, True):
        result = schedule(problem, overlap=overlap, restarts=effort)
        verify(result)
        assert result.latency >= problem.latency_bound()
        assert not overlap or result.ii == problem.ii_bound()


def test_optimal_is_claimed_at_the_bound_only() -> None:
    problem = problem_of("heh", sector=256)
    for overlap in (False, True):
        for effort in (0, 50):
            result = schedule(problem, overlap=overlap, restarts=effort)
            assert result.optimal == (result.latency == problem.latency_bound())
    assert schedule(problem, overlap=False, restarts=200).optimal


def test_more_effort_is_never_worse() -> None:
    problem = problem_of("hctr2", sector=256)
    latencies = [schedule(problem, restarts=effort).latency for effort in (0, 30, 300)]
    assert latencies[0] > latencies[2] and latencies == sorted(latencies, reverse=True)


def test_a_longer_interval_can_be_asked_for() -> None:
    problem = problem_of("heh", sector=256)
    result = schedule(problem, ii=problem.ii_bound() + 3, restarts=20)
    verify(result)
    assert result.ii == problem.ii_bound() + 3


SCRIPT = """
from modeloom.compiler.compile import compile_mode
from modeloom.modes.hctr2 import HCTR2
from modeloom.options.sectors import Options
made = compile_mode(HCTR2(), Options(sector=256, restarts=60), prove=False).schedule
print(made.ii, made.start, made.instance)
"""


def test_the_same_schedule_in_every_process() -> None:
    texts = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
        texts.add(done.stdout)
    made = schedule(problem_of("hctr2", sector=256), restarts=60)
    assert texts == {f"{made.ii} {made.start} {made.instance}\n"}


def tiny(count: int, multipliers: int, chained: bool = True) -> Problem:
    """Products of the multiples of a tweak, each of which leaves."""
    graph = OpGraph("tiny", ("encrypt",))
    for i in range(count):
        mask = Term(("chain", 0, i)) if chained else Term(("tweak", 0), i)
        graph.pairs.append(Pair(2 * i, {"encrypt": Op("mul", [(mask,), (Term(("block", i)),)], block=i)}))
        result = Op("out", [(Term(("op", 2 * i)),)], index=i, block=i)
        graph.pairs.append(Pair(2 * i + 1, {"encrypt": result}))
    if chained:
        graph.chains.append(Chain(0, 1, count, {"encrypt": Term(("tweak", 0))}))
    units = (Unit("mul", multipliers, 2), Unit("out", count, 0))
    return Problem(graph, UnitSet(units, lanes=count))


def test_a_chain_that_does_not_fit_makes_the_interval_longer() -> None:
    """Five uses of one register take five cycles; the bound of the five multipliers alone is one."""
    problem = tiny(5, 5)
    assert problem.ii_bound() == 1
    for effort in (0, 10):
        result = schedule(problem, restarts=effort)
        verify(result)
        assert result.ii == 5 and result.latency == 1 + 4 + 2
    assert schedule(tiny(5, 5, chained=False), restarts=0).ii == 1


def test_units_are_never_shared() -> None:
    result = schedule(tiny(7, 2, chained=False), restarts=10)
    verify(result)
    assert result.ii == 4 and result.latency == 3 + 2 and result.optimal


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ii": 0}, "at least 4"),
        ({"ii": 3}, "at least 4"),
        ({"restarts": -1}, "must not be negative"),
    ],
)
def test_what_cannot_be_scheduled_is_refused(arguments: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        schedule(tiny(7, 2, chained=False), **{"restarts": 0, **arguments})


def test_a_missing_unit_is_named() -> None:
    problem = tiny(2, 1)
    with pytest.raises(InputError, match="mul"):
        Problem(problem.graph, UnitSet((Unit("out", 2, 0),), lanes=2))
