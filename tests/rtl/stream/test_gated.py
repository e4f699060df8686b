# SPDX-License-Identifier: Apache-2.0
"""Sums whose terms depend on the kind of a token, against the sums of each kind."""

from __future__ import annotations

import random

from amaranth.hdl import Const, Module, Signal
from amaranth.sim import Simulator

from modeloom.rtl.stream.values import GatedSum

WIDTH = 32


def test_each_kind_has_its_own_sum() -> None:
    m = Module()
    kinds, a, b = Signal(4), Signal(WIDTH), Signal(WIDTH)
    mask, total, single = Signal(WIDTH // 8), Signal(WIDTH), Signal(WIDTH)
    values = GatedSum(WIDTH, "sum")
    # Kind 0: a + b.  Kind 1: a + the piece of b.  Kind 2: a + the piece of a.  Kind 3: a constant + b + b.
    for key, when, value, piece in (
        ("a", 0, a, None), ("b", 0, b, None), ("a", 1, a, None), ("b", 1, b, mask), ("a", 2, a, None), ("a", 2, a, mask),
        ("c", 3, Const(0x12345678, WIDTH), None), ("b", 3, b, None), ("b", 3, b, None),
    ):  # fmt: skip
        values.add(key, kinds[when], value, piece)
    alone = GatedSum(WIDTH, "alone")
    alone.add("a", kinds[0], a)
    m.d.comb += [total.eq(values.total(m)), single.eq(alone.total(m))]
    generator = random.Random("gated")

    async def testbench(ctx) -> None:
        for kind in (None, *range(4)) * 10:
            x, y, bits = generator.getrandbits(WIDTH), generator.getrandbits(WIDTH), generator.getrandbits(WIDTH // 8)
            for signal, value in ((kinds, 0 if kind is None else 1 << kind), (a, x), (b, y), (mask, bits)):
                ctx.set(signal, value)
            await ctx.delay(1e-9)
            piece = sum(0xFF << 8 * at for at in range(WIDTH // 8) if bits >> at & 1)
            wanted = {None: 0, 0: x ^ y, 1: x ^ y & piece, 2: x & ~piece, 3: 0x12345678}[kind]
            assert ctx.get(total) == wanted, kind
            assert ctx.get(single) == (x if kind == 0 else 0)

    simulator = Simulator(m)
    simulator.add_testbench(testbench)
    simulator.run()


def test_a_sum_of_nothing_is_zero() -> None:
    value = GatedSum(WIDTH, "none").total(Module())
    assert isinstance(value, Const) and value.value == 0


def test_quiet_values_have_no_gates() -> None:
    """A value that is zero unless one of its conditions holds is added as it is, and only then."""
    m = Module()
    kinds, a, b, c, total = Signal(3), Signal(WIDTH), Signal(WIDTH), Signal(WIDTH), Signal(WIDTH)
    bits = [kinds[n] for n in range(3)]
    values = GatedSum(WIDTH, "quiet")
    for key, when, value in (("a", 0, a), ("a", 1, a), ("b", 0, b), ("b", 0, b), ("b", 1, b), ("c", 2, c)):
        values.add(key, bits[when], value)
    values.hush("a", bits[:2])
    # It is added twice under a condition, and not at all under the last one.
    values.hush("b", bits[:2])
    values.hush("c", bits[1:])
    m.d.comb += total.eq(values.total(m))

    async def testbench(ctx) -> None:
        for kind, wanted in ((0, 0x5), (1, 0x5), (1 << 0, 0x5), (1 << 1, 0x5 ^ 0x30), (1 << 2, 0x5 ^ 0x700)):
            for signal, value in ((kinds, kind), (a, 0x5), (b, 0x30), (c, 0x700)):
                ctx.set(signal, value)
            await ctx.delay(1e-9)
            assert ctx.get(total) == wanted, kind

    simulator = Simulator(m)
    simulator.add_testbench(testbench)
    simulator.run()
