# SPDX-License-Identifier: Apache-2.0
"""A stream register with one place: half of a ``RegisterSlice``, for a chain of parts behind one."""

from __future__ import annotations

from collections.abc import Sequence

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
