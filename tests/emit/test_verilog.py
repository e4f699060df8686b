# SPDX-License-Identifier: Apache-2.0
"""What is written as Verilog computes what Amaranth's RTLIL computes: Yosys proves it of random circuits, for all inputs and states."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out
from tests.emit.same import difference

from modeloom_verilog.modules import component_rtlil, inner_verilog


class Random(wiring.Component):
    """Registers and wires of random widths and operators, with switches, arrays, shifts, and a memory."""

    def __init__(self, seed: int):
        self.seed = seed
        super().__init__({"a": In(7), "b": In(5), "c": In(3), "s": In(2), "d": In(1), "o": Out(24), "p": Out(9)})

    def elaborate(self, platform: object) -> Module:
        rng = random.Random(self.seed)
        m = Module()
        pool: list[Value] = [self.a, self.b, self.c, self.s, self.d, Const(5, 4), Const(0, 3), self.a.as_signed(), self.b.as_signed()]

        def operand() -> Value:
            value = rng.choice(pool)
            if rng.random() < 0.25 and len(value) > 1:
                low = rng.randrange(len(value) - 1)
                value = value[low : rng.randrange(low + 1, len(value) + 1)]
            return value

        def expression() -> Value:
            x, y = operand(), operand()
            kind = rng.randrange(16)
            if kind < 6:
                return (x + y, x - y, x & y, x | y, x ^ y, ~x)[kind]
            if kind < 10:
                return (x == y, x != y, x < y, x >= y)[kind - 6]
            if kind == 10:
                return Mux(operand().any(), x, y)
            if kind == 11:
                return Cat(x, y, operand())
            if kind == 12:
                return x << self.s
            if kind == 13:
                return x >> self.c
            if kind == 14:
                return Array([x, y, operand(), x])[self.s]
            return (x * y)[:6] if len(x) + len(y) < 10 else x.xor()

        for n in range(24):
            value = expression()
            width = rng.randrange(1, 9)
            wire = Signal(width, name=f"wire{n}", init=rng.getrandbits(width) if n % 3 == 0 else 0)
            if n % 3 == 0:
                # A register with an enable, some parts and a switch.
                with m.If(operand().any()):
                    m.d.sync += wire.eq(value)
                    with m.Switch(Cat(operand(), self.d)[:2]):
                        with m.Case("1-"):
                            m.d.sync += wire[: max(1, width // 2)].eq(expression())
                        with m.Case(0):
                            m.d.sync += wire.eq(expression())
                        with m.Case(1):
                            pass
            elif n % 3 == 1:
                m.d.comb += wire.eq(value)
            else:
                with m.Switch(self.c):
                    for choice in range(rng.randrange(1, 8)):
                        with m.Case(choice):
                            m.d.comb += wire.eq(expression())
                    with m.Default():
                        m.d.comb += wire.eq(value)
            pool.append(wire)
        m.submodules.mem = mem = memory.Memory(shape=6, depth=4, init=[1, 2, 3])
        write, read, now = mem.write_port(granularity=3), mem.read_port(), mem.read_port(domain="comb")
        m.d.comb += [write.addr.eq(self.s), write.data.eq(expression()), write.en.eq(operand()), read.addr.eq(operand())]
        m.d.comb += [read.en.eq(operand()), now.addr.eq(operand())]
        m.submodules.table = table = memory.Memory(shape=4, depth=8, init=[rng.randrange(16) for _ in range(8)])
        look = table.read_port(domain="comb")
        m.d.comb += look.addr.eq(operand())
        m.d.comb += [self.o.eq(Cat(*pool[-6:])), self.p.eq(read.data ^ now.data ^ look.data)]
        return m


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))])
def test_written_verilog_is_the_circuit(seed: int, tmp_path: Path) -> None:
    rtlil = component_rtlil(Random(seed), "random")
    assert difference(rtlil, inner_verilog(rtlil, "random"), "random", tmp_path) == ""


def test_the_proof_can_fail(tmp_path: Path) -> None:
    rtlil = component_rtlil(Random(0), "random")
    text = inner_verilog(rtlil, "random")
    assert "assign p = " in text
    assert difference(rtlil, text.replace("assign p = ", "assign p = 9'h1 ^ ", 1), "random", tmp_path)
