# SPDX-License-Identifier: Apache-2.0
"""Long counters without long carry chains.  The next value of the upper part is computed while the lower part counts.

::

    low  ──▶ carry ──▶ high ◀── next high, which is computed in the 2^16 cycles before it is needed
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["LOW_BITS", "LongCounter"]

LOW_BITS = 16
"""Width of the lower part in bits."""


class LongCounter(wiring.Component):
    """A counter that says when it has reached a limit.

    Parameters
    ----------
    bits : int
        Width of the counter, which is more than ``LOW_BITS``.
    small : bool
        Has one adder and one comparison of all bits instead, with fewer registers and a longer path.

    Members
    -------
    clear, first, limit : In(1), In(bits), In(bits)
        Sets the count to ``first``, and the limit to ``limit``.
    count : In(1)
        Adds one.  It is low while ``clear`` is high.
    total : Out(bits)
        The count.
    reached : Out(1)
        The count is equal to the limit.

    Raises
    ------
    ValueError
        If *bits* is too small.
    """

    def __init__(self, bits: int, *, small: bool = False):
        if bits <= LOW_BITS:
            raise ValueError(f"a long counter has more than {LOW_BITS} bits, not {bits}")
        self.bits, self.small = bits, small
        super().__init__({
            "clear": In(1), "first": In(bits), "limit": In(bits), "count": In(1), "total": Out(bits), "reached": Out(1),
        })  # fmt: skip

    def _whole(self) -> Module:
        """The counter without parts."""
        m = Module()
        count_reg = Signal(self.bits)
        limit_reg = Signal(self.bits)
        with m.If(self.clear):
            m.d.sync += [count_reg.eq(self.first), limit_reg.eq(self.limit)]
        with m.Elif(self.count):
            m.d.sync += count_reg.eq(count_reg + 1)
        m.d.comb += [self.total.eq(count_reg), self.reached.eq(count_reg == limit_reg)]
        return m

    def elaborate(self, platform: object) -> Module:
        if self.small:
            return self._whole()
        m = Module()
        high_bits = self.bits - LOW_BITS
        limit_reg = Signal(self.bits)
        limit_low = limit_reg[:LOW_BITS]
        low_reg = Signal(LOW_BITS)
        next_low_reg = Signal(LOW_BITS)
        # Whether the lower part is that of the limit is known at the beginning of a cycle: much depends on it.
        at_low_reg = Signal()
        high_reg = Signal(high_bits)
        next_high_reg = Signal(high_bits)
        at_high_reg = Signal()
        next_at_high_reg = Signal()
        with m.If(self.clear):
            m.d.sync += [
                limit_reg.eq(self.limit),
                low_reg.eq(self.first[:LOW_BITS]),
                next_low_reg.eq(self.first[:LOW_BITS] + 1),
                at_low_reg.eq(self.first[:LOW_BITS] == self.limit[:LOW_BITS]),
                high_reg.eq(self.first[LOW_BITS:]),
                next_high_reg.eq(self.first[LOW_BITS:] + 1),
                at_high_reg.eq(self.first[LOW_BITS:] == self.limit[LOW_BITS:]),
                next_at_high_reg.eq((self.first[LOW_BITS:] + 1)[:high_bits] == self.limit[LOW_BITS:]),
            ]
        with m.Else():
            # There are 2^16 counts from one carry to the next, and these registers are correct two cycles after a carry.
            m.d.sync += [next_high_reg.eq(high_reg + 1), next_at_high_reg.eq(next_high_reg == limit_reg[LOW_BITS:])]
            with m.If(self.count):
                m.d.sync += [low_reg.eq(next_low_reg), next_low_reg.eq(next_low_reg + 1), at_low_reg.eq(next_low_reg == limit_low)]
                with m.If(low_reg.all()):
                    m.d.sync += [high_reg.eq(next_high_reg), at_high_reg.eq(next_at_high_reg)]
        m.d.comb += [
            self.total[:LOW_BITS].eq(low_reg),
            self.total[LOW_BITS:].eq(high_reg),
            self.reached.eq(at_high_reg & at_low_reg),
        ]
        return m
