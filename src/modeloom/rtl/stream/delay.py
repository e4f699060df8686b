# SPDX-License-Identifier: Apache-2.0
"""A shift register, for values that accompany a token outside the pipeline."""

from __future__ import annotations

from contextlib import nullcontext

from amaranth.hdl import Module, ShapeLike, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Delay"]


class Delay(wiring.Component):
    """A shift register.

    Parameters
    ----------
    shape : ShapeLike
        The shape of the value.
    cycles : int
        The latency from ``i`` to ``o`` in cycles, at least 0.
    counted : bool
        Whether only some cycles count.

    Members
    -------
    i, o : In, Out
        The value, and the value of ``cycles`` cycles ago.
    counts : In(1)
        This cycle counts.  It is there only with ``counted``.
    """

    def __init__(self, shape: ShapeLike, cycles: int, counted: bool = False):
        self.shape, self.cycles, self.counted = shape, cycles, counted
        super().__init__({"i": In(shape), "o": Out(shape), **({"counts": In(1)} if counted else {})})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        value: Value = Value.cast(self.i)
        for number in range(self.cycles):
            register = Signal(value.shape(), name=f"stage_{number}_reg", reset_less=True)
            with m.If(self.counts) if self.counted else nullcontext():
                m.d.sync += register.eq(value)
            value = register
        m.d.comb += Value.cast(self.o).eq(value)
        return m
