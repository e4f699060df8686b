# SPDX-License-Identifier: Apache-2.0
"""A ``RegisterSlice`` in LUT memory: without a multiplexer and two registers for each bit.

::

    i ──▶ two words ──▶ o         one cycle from i to o, one payload a cycle
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, ShapeLike, Signal, Value
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["MemorySlice"]


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
