# SPDX-License-Identifier: Apache-2.0
"""Long counters beside numbers: random counts from random beginnings, across carries and limits."""

from random import Random

import pytest
from amaranth.sim import Simulator

from modeloom.rtl.stream.long_counter import LOW_BITS, LongCounter

BITS = LOW_BITS + 6


def near(rng):
    """A number at a carry, at the end of the range, or anywhere."""
    most = 1 << BITS
    return (rng.choice((0, 1 << LOW_BITS, 3 << LOW_BITS, most, rng.randrange(most))) + rng.randrange(-6, 7)) % most


@pytest.mark.parametrize("small", [False, True])
def test_counts_and_limits(small):
    dut, rng, seen = LongCounter(BITS, small=small), Random(1), []

    async def bench(ctx):
        for _ in range(300):
            count, limit = near(rng), near(rng)
            if rng.random() < 0.7:
                limit = (count + rng.choice((rng.randrange(12), -count % (1 << LOW_BITS)))) % (1 << BITS)
            ctx.set(dut.first, count)
            ctx.set(dut.limit, limit)
            ctx.set(dut.clear, 1)
            ctx.set(dut.count, 0)
            await ctx.tick()
            ctx.set(dut.clear, 0)
            # What was given with clear does not count later.
            ctx.set(dut.first, near(rng))
            ctx.set(dut.limit, near(rng))
            for _ in range(16):
                assert (ctx.get(dut.total), ctx.get(dut.reached)) == (count, count == limit)
                seen.append((count == limit, count & (1 << LOW_BITS) - 1 == 0))
                step = rng.random() < 0.8
                ctx.set(dut.count, step)
                await ctx.tick()
                count = (count + step) % (1 << BITS)

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert {*seen} == {(a, b) for a in (True, False) for b in (True, False)}


def test_too_few_bits():
    with pytest.raises(ValueError, match="more than 16 bits"):
        LongCounter(LOW_BITS)
