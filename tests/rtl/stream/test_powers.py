# SPDX-License-Identifier: Apache-2.0
"""Powers of a key of the hash against the field, and their cycles."""

from random import Random

import pytest
from amaranth.sim import Simulator
from tests.generality.wide_modes import ORDER_256

from modeloom.modes.gcm import GCM
from modeloom.rtl.stream.powers import KeyPowers, digit_bits, powers_cycles
from modeloom.spec.field import POLYVAL_ORDER


def powers_of(unit, key, stall=0):
    """The powers that a unit gives, and the cycles from its start to its end."""
    simulator = Simulator(unit)
    simulator.add_clock(1e-6)
    found, cycles = {}, []

    async def bench(context):
        context.set(unit.base, key)
        context.set(unit.start, 1)
        await context.tick()
        context.set(unit.start, 0)
        context.set(unit.base, 0)
        waited = count = 0
        while context.get(unit.busy):
            waited = waited + 1 if context.get(unit.we) else 0
            taken = int(waited > stall)
            context.set(unit.taken, taken)
            if taken:
                found[context.get(unit.exponent)] = context.get(unit.data)
            await context.tick()
            context.set(unit.taken, 0)
            count += 1
        cycles.append(count)
        # Nothing of the key is left.
        assert not context.get(unit.data) and not context.get(unit.exponent)

    simulator.add_testbench(bench)
    simulator.run()
    return found, cycles[0]


@pytest.mark.parametrize(("field", "digit"), [(GCM.field, 8), (GCM.field, 32), (POLYVAL_ORDER, 16), (ORDER_256, 32)], ids=str)
def test_powers(field, digit):
    for key in (field.one, Random(digit).getrandbits(field.width), 0):
        found, cycles = powers_of(KeyPowers(field, 5, digit), key)
        power = key
        for exponent in range(2, 6):
            power = field.mul(power, key)
            assert found[exponent] == power
        assert cycles == powers_cycles(field.width, 5, digit)


def test_a_power_waits_until_it_is_taken():
    key = Random(1).getrandbits(128)
    found, cycles = powers_of(KeyPowers(GCM.field, 3, 32), key, stall=3)
    assert found == {2: GCM.field.mul(key, key), 3: GCM.field.mul(GCM.field.mul(key, key), key)}
    assert cycles == powers_cycles(128, 3, 32) + 2 * 3


def test_the_digit_is_as_small_as_the_cycles_allow():
    for count in range(2, 12):
        digit = digit_bits(128, count, 42)
        assert digit == 32 or powers_cycles(128, count, digit) <= 42
        assert digit == 1 or powers_cycles(128, count, digit // 2) > 42


def test_wrong_sizes():
    with pytest.raises(ValueError, match="count is at least 2, not 1"):
        KeyPowers(GCM.field, 1, 8)
    with pytest.raises(ValueError, match="digit divides 128, not 24"):
        KeyPowers(GCM.field, 4, 24)
