# SPDX-License-Identifier: Apache-2.0
"""A stream register without combinational paths between its two sides."""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Module, Mux, ShapeLike, Signal, Value
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["MemorySlice", "RegisterSlice", "StreamRegister"]


# A stream register with one place: half of a ``RegisterSlice``, for a chain of parts behind one.

class StreamRegister(wiring.Component):
    """One place of buffer. A payload passes in every cycle, and ``i.ready`` follows ``o.ready`` in the same cycle.

    Latency 1 cycle, one payload a cycle.

    Parameters
    ----------
    shape : ShapeLike
        Payload.
    reset : bool
        Whether a reset clears the payload.
    blanks : sequence of slice
        Bits of the payload that may be taken as zeros.  The register then has a reset for them, which takes no LUTs.

    Members
    -------
    i, o : stream
        In and out.
    blank : In(len(blanks))
        With *blanks* only: takes zeros instead of these bits of ``i``.
    """

    def __init__(self, shape: ShapeLike, *, reset: bool = False, blanks: Sequence[slice] = ()):
        self.shape, self.reset, self.blanks = shape, reset, tuple(blanks)
        super().__init__({
            "i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape)), **({"blank": In(len(self.blanks))} if blanks else {}),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        payload_reg = Signal(self.shape, reset_less=not self.reset)
        valid_reg = Signal()
        m.d.comb += [
            self.i.ready.eq(~valid_reg | self.o.ready), self.o.valid.eq(valid_reg),
            Value.cast(self.o.payload).eq(Value.cast(payload_reg)),
        ]  # fmt: skip
        # An empty register takes whatever is on its input, so an old payload is gone a cycle after a reset.
        with m.If(self.i.ready):
            m.d.sync += [valid_reg.eq(self.i.valid), payload_reg.eq(self.i.payload)]
        for number, part in enumerate(self.blanks):
            with m.If(self.i.ready & self.blank[number]):
                m.d.sync += Value.cast(payload_reg)[part].eq(0)
        return m


# -- register slice ----------------------------------------------------------------------------------------------------------------

class RegisterSlice(wiring.Component):
    """A buffer of two payloads.  ``i.ready`` is a register, and yet a payload can pass in every cycle.

    The latency is 1 cycle.  Payload registers are not reset.

    Parameters
    ----------
    shape : ShapeLike
        The shape of the payload.
    blanks : sequence of slice
        Bits of the payload that may be taken as zeros.  The registers then have a reset for them, which takes no LUTs.

    Members
    -------
    i, o : stream
        The input and the output.
    blank : In(len(blanks))
        With *blanks* only: takes zeros instead of these bits of ``i``.
    """

    def __init__(self, shape: ShapeLike, *, blanks: Sequence[slice] = ()):
        self.shape, self.blanks = shape, tuple(blanks)
        super().__init__({
            "i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape)), **({"blank": In(len(self.blanks))} if blanks else {}),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        payload_reg = [Signal(self.shape, name=f"payload{i}_reg", reset_less=True) for i in range(2)]
        from_reg = Signal()
        valid_reg = Signal()
        full_reg = Signal()

        # Each side has a pointer of its own, so that no handshake drives the enables of wide registers.  An empty place takes
        # whatever is on the input, so an old payload is gone one cycle after a reset.
        for i, reg in enumerate(payload_reg):
            takes = ~full_reg & ~(valid_reg & (from_reg == i))
            with m.If(takes):
                m.d.sync += reg.eq(self.i.payload)
            for number, part in enumerate(self.blanks):
                with m.If(takes & self.blank[number]):
                    m.d.sync += Value.cast(reg)[part].eq(0)
        put = Signal()
        get = Signal()
        m.d.comb += [
            put.eq(self.i.valid & ~full_reg),
            get.eq(self.o.ready & valid_reg),
            self.i.ready.eq(~full_reg),
            self.o.valid.eq(valid_reg),
            Value.cast(self.o.payload).eq(Mux(from_reg, Value.cast(payload_reg[1]), Value.cast(payload_reg[0]))),
        ]
        m.d.sync += [
            from_reg.eq(from_reg ^ get),
            valid_reg.eq(Mux(valid_reg, full_reg | put | ~get, put)),
            full_reg.eq(valid_reg & ~get & (full_reg | put)),
        ]
        return m


# -- memory slice ------------------------------------------------------------------------------------------------------------------

# A ``RegisterSlice`` in LUT memory: without a multiplexer and two registers for each bit.
#
#     i ──▶ two words ──▶ o         one cycle from i to o, one payload a cycle

class MemorySlice(wiring.Component):
    """A buffer of two payloads.  ``i.ready`` is a register, and yet a payload can pass in every cycle.

    The latency is 1 cycle.  The payload at the output comes from the memory without a register.

    Parameters
    ----------
    shape : ShapeLike
        The shape of the payload.

    Members
    -------
    i, o : stream
        The input and the output.
    erase, erase_address : In(1), In(1)
        While the buffer is held in reset: this word takes whatever is on the input.
    """

    def __init__(self, shape: ShapeLike):
        self.shape = shape
        super().__init__({
            "i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape)), "erase": In(1), "erase_address": In(1),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        given = Value.cast(self.i.payload)
        words = memory.Memory(shape=len(given), depth=2, init=[], attrs={"ram_style": "distributed"})
        m.submodules.words = words
        write, read = words.write_port(), words.read_port(domain="comb")
        from_reg = Signal()
        valid_reg = Signal()
        full_reg = Signal()
        put = Signal()
        get = Signal()
        m.d.comb += [
            put.eq(self.i.valid & ~full_reg), get.eq(self.o.ready & valid_reg), self.i.ready.eq(~full_reg),
            write.en.eq(put | self.erase), write.addr.eq(Mux(self.erase, self.erase_address, from_reg ^ valid_reg)), write.data.eq(given),
            read.addr.eq(from_reg), self.o.valid.eq(valid_reg), Value.cast(self.o.payload).eq(read.data),
        ]  # fmt: skip
        m.d.sync += [
            from_reg.eq(from_reg ^ get),
            valid_reg.eq(Mux(valid_reg, full_reg | put | ~get, put)), full_reg.eq(valid_reg & ~get & (full_reg | put)),
        ]  # fmt: skip
        return m
