# SPDX-License-Identifier: Apache-2.0
"""Small designs for the simulator's tests; ports are flat and named as on a core (aclk, aresetn, s_axis_*,
m_axis_*).
"""

from amaranth.back import rtlil
from amaranth.hdl import Cat, ClockDomain, ClockSignal, Module, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out


class Counter(wiring.Component):
    """Counts while `enable`; `wide` is an inverted echo, combinational; `tied` is a constant; `unused` an idle
    input.
    """

    enable: In(1)
    unused: In(5)
    i_wide: In(1024)
    o_wide: Out(1024)
    count: Out(8)
    copy: Out(8)
    mixed: Out(9)
    tied: Out(4)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count_reg = Signal(8, init=3)
        with m.If(self.enable):
            m.d.sync += count_reg.eq(count_reg + 1)
        m.d.comb += [self.count.eq(count_reg), self.copy.eq(count_reg), self.o_wide.eq(~self.i_wide), self.tied.eq(9),
                     self.mixed.eq(Cat(self.enable, count_reg))]
        return m


class StreamFifo(wiring.Component):
    """A FIFO of `depth` beats between AXI4-Stream ports, tdata of `width` bits with tlast.

    ``fault="drop"`` lets valid fall every 16th cycle, ``fault="change"`` shows the newest instead of the oldest beat
    while the output waits, ``fault="lose"`` forgets every 50th beat.
    """

    def __init__(self, width: int, depth: int = 4, fault: str | None = None) -> None:
        self.width, self.depth, self.fault = width, depth, fault
        super().__init__({
            "aclk": In(1), "aresetn": In(1),
            "s_axis_tdata": In(width), "s_axis_tlast": In(1), "s_axis_tvalid": In(1), "s_axis_tready": Out(1),
            "m_axis_tdata": Out(width), "m_axis_tlast": Out(1), "m_axis_tvalid": Out(1), "m_axis_tready": In(1),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.domains.sync = ClockDomain()
        m.d.comb += [ClockSignal().eq(self.aclk), ResetSignal().eq(~self.aresetn)]
        m.submodules.store = store = Memory(shape=self.width + 1, depth=self.depth, init=[])
        write, read = store.write_port(), store.read_port(domain="comb")
        write_reg, read_reg, level_reg, time_reg = Signal(8), Signal(8), Signal(8), Signal(16)
        m.d.sync += time_reg.eq(time_reg + 1)
        push, pop = self.s_axis_tvalid & self.s_axis_tready, self.m_axis_tvalid & self.m_axis_tready
        kept = push & ~((time_reg % 50 == 0) if self.fault == "lose" else 0)
        m.d.comb += [
            self.s_axis_tready.eq(level_reg < self.depth),
            self.m_axis_tvalid.eq((level_reg > 0) & ~((time_reg % 16 == 0) if self.fault == "drop" else 0)),
            write.en.eq(push),
            write.addr.eq(write_reg % self.depth),
            write.data.eq(Cat(self.s_axis_tdata, self.s_axis_tlast)),
            read.addr.eq((write_reg - 1 if self.fault == "change" else read_reg) % self.depth),
            Cat(self.m_axis_tdata, self.m_axis_tlast).eq(read.data),
        ]
        m.d.sync += [write_reg.eq(write_reg + kept), read_reg.eq(read_reg + pop), level_reg.eq(level_reg + kept - pop)]
        return m


class Feedback(wiring.Component):
    """A chain through the bits of one bus: evaluated a whole bus at a time it is a combinational loop."""

    i: In(4)
    o: Out(4)
    sum: Out(8)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        chain = Signal(5)
        m.d.comb += [chain[0].eq(self.i[0]), self.o.eq(chain[1:])]
        for i in range(4):
            m.d.comb += chain[i + 1].eq(chain[i] ^ self.i[i])
        m.d.sync += self.sum.eq(self.sum + chain)
        return m


class InnerFeedback(Feedback):
    """The same, with a bus that is no port."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.chain = chain = Feedback()
        m.d.comb += [chain.i.eq(self.i), self.sum.eq(chain.sum), self.o.eq(~chain.o)]
        return m


class Reflected(wiring.Component):
    """Bits in another order: reflected within each byte, and those of both halves in turn."""

    i: In(128)
    o: Out(128)
    mixed: Out(128)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bits = [self.i[8 * byte + bit] for byte in range(16) for bit in reversed(range(8))]
        m.d.comb += [self.o.eq(Cat(bits)), self.mixed.eq(Cat(pair for at in range(64) for pair in (bits[at], bits[-1 - at])))]
        return m


class Planes(wiring.Component):
    """Each bit of 16 bytes is computed beside the same bit of the others, and written to its place."""

    i: In(128)
    o: Out(128)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        planes = [Cat(self.i[8 * byte + bit] for byte in range(16)) for bit in range(8)]
        inside = Signal(128)
        for bit, plane in enumerate(planes):
            result = Signal(16, name=f"plane_{bit}")
            m.d.comb += [result.eq(plane ^ planes[bit - 1]), *(inside[8 * byte + bit].eq(result[byte]) for byte in range(16))]
        m.d.comb += self.o.eq(~inside)
        return m


class Transfers(wiring.Component):
    """Ends a transfer with two phases, as those of APB, after a number of cycles that changes, and counts those that break the rules: whose
    second phase is missing, late, or not of another cycle.

    Members
    -------
    select, enable, number : In
    ready : Out(1)
        High for a cycle.
    shown : Out(8)
        The number of a transfer while ``ready`` is high.
    wrong : Out(8)
    """

    select: In(1)
    enable: In(1)
    number: In(8)
    ready: Out(1)
    shown: Out(8)
    wrong: Out(8)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        begun, waits, left, wrong = Signal(), Signal(2), Signal(2), Signal(8)
        m.d.comb += [self.ready.eq(begun & (left == 0)), self.shown.eq(self.number & self.ready.replicate(8)), self.wrong.eq(wrong)]
        with m.If(~begun):
            with m.If(self.enable):
                m.d.sync += wrong.eq(wrong + 1)
            with m.If(self.select):
                m.d.sync += [begun.eq(1), left.eq(waits), waits.eq(waits + 1)]
        with m.Else():
            with m.If(~self.select | ~self.enable):
                m.d.sync += wrong.eq(wrong + 1)
            m.d.sync += [left.eq(left - 1), begun.eq(~self.ready)]
        return m


def convert(design: wiring.Component, name: str) -> str:
    return rtlil.convert(design, name=name)
