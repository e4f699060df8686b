# SPDX-License-Identifier: Apache-2.0
"""Counters that are long, and fast all the same: the upper part is counted ahead while the lower part runs.

::

    low  ──▶ carry ──▶ high ◀── next high, which is computed in the 2^16 cycles before it is needed
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["LOW_BITS", "LongCounter"]

LOW_BITS = 16
"""Bits of the lower part."""


class LongCounter(wiring.Component):
    """Counts, and says when a limit is reached.

    Parameters
    ----------
    bits : int
        Width; more than ``LOW_BITS``.

    Members
    -------
    clear, first, limit : In
        Sets the count and the limit.
    count : In
        Adds one; not together with ``clear``.
    value : Out
        The count.
    reached : Out
        The count is the limit.

    Raises
    ------
    ValueError
        *bits* is too small.
    """

    def __init__(self, bits: int):
        if bits <= LOW_BITS:
            raise ValueError(f"a long counter has more than {LOW_BITS} bits, not {bits}")
        self.bits = bits
        super().__init__({
            "clear": In(1), "first": In(bits), "limit": In(bits), "count": In(1), "value": Out(bits), "reached": Out(1),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        high_bits = self.bits - LOW_BITS
        limit_reg = Signal(self.bits)
        low_reg = Signal(LOW_BITS)
        high_reg = Signal(high_bits)
        next_high_reg = Signal(high_bits)
        at_high_reg = Signal()
        next_at_high_reg = Signal()
        with m.If(self.clear):
            m.d.sync += [
                limit_reg.eq(self.limit),
                low_reg.eq(self.first[:LOW_BITS]),
                high_reg.eq(self.first[LOW_BITS:]),
                next_high_reg.eq(self.first[LOW_BITS:] + 1),
                at_high_reg.eq(self.first[LOW_BITS:] == self.limit[LOW_BITS:]),
                next_at_high_reg.eq((self.first[LOW_BITS:] + 1)[:high_bits] == self.limit[LOW_BITS:]),
            ]
        with m.Else():
            # A carry comes 2^16 counts after the one before, and these are right two cycles after it.
            m.d.sync += [next_high_reg.eq(high_reg + 1), next_at_high_reg.eq(next_high_reg == limit_reg[LOW_BITS:])]
            with m.If(self.count):
                m.d.sync += low_reg.eq(low_reg + 1)
                with m.If(low_reg.all()):
                    m.d.sync += [high_reg.eq(next_high_reg), at_high_reg.eq(next_at_high_reg)]
        m.d.comb += [
            self.value[:LOW_BITS].eq(low_reg),
            self.value[LOW_BITS:].eq(high_reg),
            self.reached.eq(at_high_reg & (low_reg == limit_reg[:LOW_BITS])),
        ]
        return m
