# SPDX-License-Identifier: Apache-2.0
"""Plans of the hash circuits for every number of blocks, run on numbers; the cycles that brw2013 counts; squaring units."""

from functools import partial
from itertools import product
from random import Random

import pytest
from tests.circuits.brw.bench import SMALL, brw_of, poly_of, run_plan

from modeloom_circuits import printed
from modeloom_circuits.brw.circuit import HOLD, NEXT, held_powers, plan_horner, square_units
from modeloom_circuits.brw.plan import plan_brw
from modeloom_circuits.brw.products import schedule

KEY = 0x1234
shortest = partial(plan_brw, order="shortest")


@pytest.mark.parametrize("stages", (1, 2, 3, 4))
@pytest.mark.parametrize("times_h", (False, True))
@pytest.mark.parametrize(("plan_of", "value_of"), ((plan_brw, brw_of), (shortest, brw_of), (plan_horner, poly_of)))
def test_right_for_every_number_of_blocks(plan_of, value_of, times_h, stages):
    """Messages at the earliest times, then some cycles later."""
    random = Random(stages)
    for m in range(1, 41):
        plan = plan_of(m, stages, times_h=times_h)
        starts = (0, plan.interval, 2 * plan.interval + 1, 4 * plan.interval)
        messages = {start: [random.getrandbits(16) for _ in range(m)] for start in starts}
        found = run_plan(plan, KEY, messages, SMALL)
        for start, message in messages.items():
            value = value_of(KEY, message, SMALL.mul)
            assert found[start] == (SMALL.mul(value, KEY) if times_h else value), (m, start)


def test_an_earlier_start_meets_the_last_message():
    """The interval is the smallest one: one cycle less, and two messages want something at once or spoil each other."""
    random = Random(1)
    for m, stages, times_h in product((2, 3, 7, 16, 31), (1, 2, 3), (False, True)):
        plan = plan_brw(m, stages, times_h=times_h)
        message = [random.getrandbits(16) for _ in range(m)]
        if plan.interval == 1:
            continue
        starts = dict.fromkeys((0, plan.interval - 1), message)
        value = brw_of(KEY, message, SMALL.mul)
        value = SMALL.mul(value, KEY) if times_h else value
        try:
            found = run_plan(plan, KEY, starts, SMALL)
        except AssertionError:
            continue
        assert found != dict.fromkeys(starts, value), (m, stages, times_h)


def test_cycles_as_printed():
    """18 cycles for 31 blocks and three stages, 21 times h; Horner's rule takes one cycle less than the 35 of table 2."""
    table = {row["row"]: row["values"]["cycles"] for row in (*printed("brw2013", "cycles"), *printed("brw2013", "2"))}
    assert plan_brw(31, 3).latency == table["BRW_h(P_1, ..., P_31)"] == 18
    assert plan_brw(31, 3, times_h=True).latency == table["hBRW_h(P_1, ..., P_31)"] == 21
    assert plan_horner(31, 3, times_h=True).latency == table["hPoly_h(P_1, ..., P_31)"] - 1 == 34


def test_latency_is_the_schedule_and_one_product():
    for m, stages in product(range(2, 41), (1, 2, 3, 5)):
        assert plan_brw(m, stages).latency == len(schedule(m, stages)) + stages
        assert plan_brw(m, stages, times_h=True).latency == len(schedule(m, stages)) + 2 * stages
        assert plan_horner(m, stages, times_h=True).latency == m + stages


def test_shortest_order():
    """24 blocks: two cycles less with three stages, and messages follow each other sooner."""
    assert (plan_brw(24, 3).latency, shortest(24, 3).latency) == (17, 16)
    assert (plan_brw(24, 3).interval, shortest(24, 3).interval) == (14, 13)
    assert shortest(31, 3) == plan_brw(31, 3)
    with pytest.raises(ValueError, match="order must be one of"):
        plan_brw(24, 3, order="longest")


def test_products():
    for m in range(1, 41):
        assert plan_brw(m, 3).multiplications == m // 2 and plan_brw(m, 3, times_h=True).multiplications == m // 2 + 1
        assert plan_horner(m, 3).multiplications == m - 1 and plan_horner(m, 3, times_h=True).multiplications == m


def test_messages_follow_each_other():
    """31 blocks, two a cycle: the ports are never idle; times h the last product comes late, which the multiplier waits for."""
    assert plan_brw(31, 3).interval == 16
    assert plan_brw(31, 3, times_h=True).interval == 18
    assert plan_horner(31, 3, times_h=True).interval == 31


def test_registers_of_section_3():
    """h^2, h^4, h^8 and h^16 for 31 blocks, two accumulators; floor(lg m) registers in general."""
    assert plan_brw(31, 3).powers == (1, 2, 4, 8, 16) and plan_brw(31, 3).accumulators == 2
    assert all(len(plan_brw(m, 3).powers) == m.bit_length() for m in range(3, 130))
    assert plan_horner(31, 3, times_h=True).powers == (1, 2, 3)


def test_square_units():
    """Two units are enough for 31 blocks, as in Fig. 7; each power is there in its slot and made from what was there before."""
    for m, stages in ((31, 3), (31, 2), (64, 3), (100, 2), (7, 1), (3, 3)):
        plan = plan_brw(m, stages, times_h=True)
        powers = [step.power for step in plan.steps[: plan.interval]]
        units = square_units(powers)
        held = [held_powers(unit) for unit in units]
        assert all(power in (None, 1) or any(unit[slot] == power for unit in held) for slot, power in enumerate(powers))
        assert all(unit[-1] not in (HOLD, NEXT) and len(unit) == plan.interval for unit in units)
        if (m, stages) == (31, 3):
            assert len(units) == 2
    assert square_units([1, None]) == ()


def test_one_unit_is_not_enough_for_a_power_too_soon():
    assert len(square_units([2, 4, 8, 2])) == 1
    assert len(square_units([2, 4, 2, 4])) == 1
    assert len(square_units([2, 4, 8, 4])) == 2
    assert len(square_units([2, None, 8, 2, 8])) == 2


@pytest.mark.parametrize("powers", ([4], [2, 8], [2, 3], [0], [2, -2]))
def test_powers_refused(powers):
    with pytest.raises(ValueError, match="square_units"):
        square_units(powers)


@pytest.mark.parametrize("plan_of", (plan_brw, plan_horner))
@pytest.mark.parametrize(("blocks", "stages"), ((0, 3), (31, 0), (True, 3), (31, 1.0)))
def test_refused(plan_of, blocks, stages):
    with pytest.raises((TypeError, ValueError), match="must be"):
        plan_of(blocks, stages)
