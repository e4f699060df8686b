# SPDX-License-Identifier: Apache-2.0
"""Order, fullness and independence of the two sides of a register slice, in registers or in LUT memory."""

from __future__ import annotations

import random

import pytest
from amaranth.sim import Simulator

from modeloom.rtl.bus.ports import MemorySlice, RegisterSlice


@pytest.mark.parametrize("kind", [RegisterSlice, MemorySlice], ids=["registers", "memory"])
@pytest.mark.parametrize("offer, ready", [(1.0, 1.0), (0.5, 1.0), (1.0, 0.5), (0.7, 0.7), (0.2, 0.9)])
def test_payloads_pass_in_order(kind: type, offer: float, ready: float) -> None:
    generator = random.Random(f"{offer} {ready}")
    dut = kind(16)
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


def test_a_memory_slice_is_overwritten() -> None:
    """Both places take what is on the input, so nothing is left of what was there."""
    dut = MemorySlice(16)
    left = []

    async def testbench(ctx) -> None:
        ctx.set(dut.i.valid, 1)
        for word in (0x1234, 0x5678):
            ctx.set(dut.i.payload, word)
            await ctx.tick()
        assert not ctx.get(dut.i.ready)
        ctx.set(dut.i.valid, 0)
        ctx.set(dut.i.payload, 0)
        ctx.set(dut.erase, 1)
        for address in range(2):
            ctx.set(dut.erase_address, address)
            await ctx.tick()
        ctx.set(dut.erase, 0)
        ctx.set(dut.o.ready, 1)
        for _ in range(2):
            left.append(ctx.get(dut.o.payload))
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()
    assert left == [0, 0]


def test_blank_bits_are_taken_as_zeros() -> None:
    """In both places, also while the slice is full, and only with the payload that they come with."""
    generator = random.Random("blank")
    dut = RegisterSlice(16, blanks=(slice(0, 4), slice(8, 16)))
    masks = (0x000F, 0xFF00)
    sent, received = [], []

    async def testbench(ctx) -> None:
        for _ in range(400):
            payload, blank = generator.getrandbits(16), generator.getrandbits(2)
            ctx.set(dut.i.valid, generator.random() < 0.7)
            ctx.set(dut.i.payload, payload)
            ctx.set(dut.blank, blank)
            ctx.set(dut.o.ready, generator.random() < 0.6)
            if ctx.get(dut.i.valid) and ctx.get(dut.i.ready):
                sent.append(payload & ~sum(mask for n, mask in enumerate(masks) if blank >> n & 1))
            if ctx.get(dut.o.valid) and ctx.get(dut.o.ready):
                received.append(ctx.get(dut.o.payload))
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()
    assert len(received) > 100 and received == sent[: len(received)]
