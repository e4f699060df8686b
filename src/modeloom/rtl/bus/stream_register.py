# SPDX-License-Identifier: Apache-2.0
"""A stream register with one place: half of a ``RegisterSlice``, for a chain of parts behind one."""

from __future__ import annotations

from amaranth.hdl import Module, ShapeLike, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["StreamRegister"]


class StreamRegister(wiring.Component):
    """One place of buffer. A payload passes in every cycle, and ``i.ready`` follows ``o.ready`` in the same cycle.

    Latency 1 cycle, one payload a cycle.

    Parameters
    ----------
    shape : ShapeLike
        Payload.
    reset : bool
        Whether a reset clears the payload.

    Members
    -------
    i, o : stream
        In and out.
    """

    def __init__(self, shape: ShapeLike, *, reset: bool = False):
        self.shape, self.reset = shape, reset
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape))})

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
        return m
