# SPDX-License-Identifier: Apache-2.0
"""A stream register without combinational paths between its two sides."""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Module, Mux, ShapeLike, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["RegisterSlice"]


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
