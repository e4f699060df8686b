# SPDX-License-Identifier: Apache-2.0
"""Small designs for the synthesis tests."""

from amaranth.back import rtlil
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out


class Rom(wiring.Component):
    """An 8-bit bijection without structure: x maps to 167 x^5 + 13 over the integers modulo 257, wrapped to 8 bits."""

    i: In(8)
    o: Out(8)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        with m.Switch(self.i):
            for x in range(256):
                with m.Case(x):
                    m.d.comb += self.o.eq((167 * pow(x, 5, 257) + 13) % 257 % 256)
        return m


class Adder(wiring.Component):
    """Registered sum of two registered numbers of `width` bits."""

    def __init__(self, width: int = 16) -> None:
        super().__init__({"a": In(width), "b": In(width), "o": Out(width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        a_reg = Signal.like(self.a)
        b_reg = Signal.like(self.b)
        m.d.sync += [a_reg.eq(self.a), b_reg.eq(self.b), self.o.eq(a_reg + b_reg)]
        return m


class XorTree(wiring.Component):
    """Parity of 16 registered bits: 15 XOR gates, four levels of them."""

    i: In(16)
    o: Out(1)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        i_reg = Signal(16, reset_less=True)
        o_reg = Signal(reset_less=True)
        m.d.sync += [i_reg.eq(self.i), o_reg.eq(i_reg.xor())]
        m.d.comb += self.o.eq(o_reg)
        return m


class AsyncMemory(wiring.Component):
    """32 words of 16 bits, written on the clock, read without one, the word registered."""

    i: In(16)
    write: In(5)
    read: In(5)
    enable: In(1)
    o: Out(16)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.store = store = Memory(shape=16, depth=32, init=[])
        write, read = store.write_port(), store.read_port(domain="comb")
        read_reg = Signal(5)
        m.d.comb += [write.addr.eq(self.write), write.data.eq(self.i), write.en.eq(self.enable), read.addr.eq(read_reg)]
        m.d.sync += [read_reg.eq(self.read), self.o.eq(read.data)]
        return m


class TwoBlocks(wiring.Component):
    """Two ROMs (one below a wrapper), an adder and a little logic of its own."""

    i: In(16)
    o: Out(16)

    class Wrapper(wiring.Component):
        i: In(8)
        o: Out(8)

        def elaborate(self, platform: object) -> Module:
            m = Module()
            m.submodules.rom = rom = Rom()
            state_reg = Signal(8)
            m.d.sync += state_reg.eq(rom.o ^ self.i)
            m.d.comb += [rom.i.eq(self.i), self.o.eq(state_reg)]
            return m

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.rom_0 = rom_0 = Rom()
        m.submodules.engine = engine = self.Wrapper()
        m.submodules.adder = adder = Adder(16)
        total_reg = Signal(16)
        m.d.comb += [rom_0.i.eq(self.i[:8]), engine.i.eq(self.i[8:])]
        m.d.comb += [adder.a.eq(Cat(rom_0.o, engine.o)), adder.b.eq(self.i)]
        m.d.sync += total_reg.eq(total_reg ^ adder.o)
        m.d.comb += self.o.eq(total_reg)
        return m


def convert(design: wiring.Component, name: str) -> str:
    return rtlil.convert(design, name=name)
