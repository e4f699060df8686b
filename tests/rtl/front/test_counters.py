# SPDX-License-Identifier: Apache-2.0
"""Counters of 64 bits: both halves belong to the cycle in which the lower one was read, also around a carry."""

from amaranth.hdl import Module
from amaranth.sim import Simulator

from modeloom.rtl.front.front import Counters

AMOUNT = (1 << 31) - 5
"""What is added in every cycle: the lower half carries in about every other one."""


def test_both_halves_belong_to_one_moment():
    counters = Counters({"slow": 1, "fast": 31})
    m = Module()
    m.submodules.counters = counters
    seen = []

    async def bench(ctx):
        cycle = 0

        async def tick():
            nonlocal cycle
            await ctx.tick()
            cycle += 1

        ctx.set(counters.fast_amount, AMOUNT)
        ctx.set(counters.slow_amount, 1)
        for number in range(60):
            ctx.set(counters.which, 1)
            ctx.set(counters.read, 1)
            asked, low = cycle, ctx.get(counters.fast)
            await tick()
            ctx.set(counters.which, 0)
            ctx.set(counters.read, 0)
            for _ in range(1 + number % 4):
                await tick()
            seen.append((asked, ctx.get(counters.high) << 32 | low))
        ctx.set(counters.clear, 1)
        await tick()
        assert not ctx.get(counters.fast) and not ctx.get(counters.slow)

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert max(value for _, value in seen) >> 32 > 50
    for asked, value in seen:
        # An amount is in the lower half two cycles after it was given.
        assert value == max(0, asked - 1) * AMOUNT, asked
