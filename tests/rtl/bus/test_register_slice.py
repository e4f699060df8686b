# SPDX-License-Identifier: Apache-2.0
"""Order, fullness and independence of the two sides of a register slice."""

from __future__ import annotations

import random

import pytest
from amaranth.sim import Simulator

from modeloom.rtl.bus.register_slice import RegisterSlice


@pytest.mark.parametrize("offer, ready", [(1.0, 1.0), (0.5, 1.0), (1.0, 0.5), (0.7, 0.7), (0.2, 0.9)])
def test_payloads_pass_in_order(offer: float, ready: float) -> None:
    generator = random.Random(f"{offer} {ready}")
    dut = RegisterSlice(16)
    sent, received = [], []

    async def testbench(ctx) -> None:
        held = None
        for cycle in range(400):
            if held is None and generator.random() < offer:
                held = generator.getrandbits(16)
            ready_before = ctx.get(dut.i.ready)
            ctx.set(dut.i.valid, held is not None)
            ctx.set(dut.i.payload, held or 0)
            ctx.set(dut.o.ready, generator.random() < ready)
            assert ctx.get(dut.i.ready) == ready_before, "ready depends on this cycle's inputs"
            if held is not None and ready_before:
                sent.append(held)
                held = None
            if ctx.get(dut.o.valid) and ctx.get(dut.o.ready):
                received.append(ctx.get(dut.o.payload))
            await ctx.tick()
            if offer == ready == 1.0:
                assert len(sent) == cycle + 1

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()
    assert received == sent[: len(received)] and len(sent) - len(received) <= 2
    assert len(sent) > 50
