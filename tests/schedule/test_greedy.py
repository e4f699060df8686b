# SPDX-License-Identifier: Apache-2.0
"""The list schedule leaves to each operation the instance that it is bound to."""

from __future__ import annotations

import pytest

from modeloom.compiler.compile import compile_mode
from modeloom.modes import find
from modeloom.options.sectors import Options
from modeloom.schedule.bound import least_latency
from modeloom.schedule.check import check_schedule
from modeloom.schedule.greedy import list_schedule
from modeloom.schedule.search import latency_of


@pytest.mark.parametrize("blocks", [15, 31, 63])
def test_a_call_that_may_run_anywhere_leaves_room_for_those_that_may_not(blocks):
    """XTS on four pipelines: with the tweak's call every slot is taken, and it has to go where the last block is missing."""
    schedule = compile_mode(find("xts"), Options(sector=16 * blocks, cipher_cores=4, restarts=0), prove=False).schedule
    check_schedule(schedule)
    problem = schedule.problem
    assert schedule.ii == problem.ii_bound() == (blocks + 1) // 4
    calls = {pair.id: pair.block for pair in problem.graph.pairs if pair.kind in ("enc", "dec", "cipher")}
    assert list_schedule(problem, schedule.ii) is None, "the tweak's call comes first and takes the first instance"
    start, instance = list_schedule(problem, schedule.ii, reserve=True)
    slots = {(start[call] % schedule.ii, instance[call]) for call in calls}
    assert len(slots) == len(calls) == blocks + 1
    assert {instance[call] for call, block in calls.items() if block is None} == {3}


def test_a_phase_that_is_held_back_finds_its_slots_side_by_side():
    """EME2 on eight pipelines has four of 520 slots left; a sum that starts at once meets those of the first pass, and gets no further."""
    schedule = compile_mode(find("eme2"), Options(sector=4096, cipher_cores=8, restarts=20), prove=False).schedule
    check_schedule(schedule)
    problem, ii = schedule.problem, schedule.ii
    assert ii == problem.ii_bound() == 65
    assert list_schedule(problem, ii) is None and list_schedule(problem, ii, reserve=True) is None
    for late in (20, 24):
        start, instance = list_schedule(problem, ii, reserve=True, hold=(33, late))
        assert all(start[p] + delay <= start[i] for i, preds in enumerate(problem.preds) for p, delay in preds.items())
        slots = [(problem.unit[i].kind, s % ii, n) for i, (s, n) in enumerate(zip(start, instance)) if problem.unit[i].kind != "acc"]
        assert len(set(slots)) == len(slots) and latency_of(problem, start) < least_latency(problem, ii) + ii
    assert schedule.latency < least_latency(problem, ii) + 2 * ii
