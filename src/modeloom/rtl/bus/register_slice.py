# SPDX-License-Identifier: Apache-2.0
"""A stream register with nothing combinational between its two sides."""

from __future__ import annotations

from amaranth.hdl import Module, ShapeLike, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["RegisterSlice"]


class RegisterSlice(wiring.Component):
    """Two places of buffer, so that ``i.ready`` is a register and yet a payload passes in every cycle.

    Latency 1 cycle, one payload a cycle.  Payload registers are not reset.

    Parameters
    ----------
    shape : ShapeLike
        Payload.

    Members
    -------
    i, o : stream
        In and out.
    """

    def __init__(self, shape: ShapeLike):
        self.shape = shape
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        front_reg = Signal(self.shape, reset_less=True)
        spare_reg = Signal(self.shape, reset_less=True)
        front_valid_reg = Signal()
        spare_valid_reg = Signal()

        with m.If(self.o.ready | ~front_valid_reg):
            m.d.sync += front_valid_reg.eq(self.i.valid | spare_valid_reg)
            m.d.sync += spare_valid_reg.eq(0)
            with m.If(spare_valid_reg):
                m.d.sync += front_reg.eq(spare_reg)
            with m.Else():
                m.d.sync += front_reg.eq(self.i.payload)
        with m.Elif(self.i.valid):
            m.d.sync += spare_valid_reg.eq(1)
        with m.If(~spare_valid_reg):
            m.d.sync += spare_reg.eq(self.i.payload)

        m.d.comb += [
            self.i.ready.eq(~spare_valid_reg),
            self.o.valid.eq(front_valid_reg),
            self.o.payload.eq(front_reg),
        ]
        return m
