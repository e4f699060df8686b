# SPDX-License-Identifier: Apache-2.0
"""Counters of 64 bits that a bus of 32 bits reads.

::

    amount ──[reg]──▶ + low half ──[carry]──▶ + high half
                       │                        │
    read_low ──────────┴─▶ low      a cycle later ──▶ [kept] ──▶ high

The upper half of the counter whose lower half was read is kept, so that both belong to one moment.  A carry takes a cycle, and so does
keeping the upper half.
"""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Array, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.front import WORD_BITS

__all__ = ["Counters"]


class Counters(wiring.Component):
    """Some counters.

    Parameters
    ----------
    amounts : mapping
        Bits of the amount that is added in a cycle, by the names of the counters.

    Members
    -------
    NAME_amount : In
        What is added in this cycle.
    NAME : Out(32)
        The lower half.
    clear : In(1)
        Sets all of them to zero.
    read, which : In(1), In
        The lower half of this counter, by its number, is read in this cycle.
    high : Out(32)
        The upper half that belongs to the last read.
    """

    def __init__(self, amounts: Mapping[str, int]):
        self.names = tuple(amounts)
        super().__init__({
            **{f"{name}_amount": In(bits) for name, bits in amounts.items()}, **{name: Out(WORD_BITS) for name in amounts},
            "clear": In(1), "read": In(1), "which": In(range(max(2, len(amounts)))), "high": Out(WORD_BITS),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        highs: list[Value] = []
        for name in self.names:
            amount: Signal = getattr(self, f"{name}_amount")
            amount_reg = Signal.like(amount, name=f"{name}_amount_reg")
            low_reg, high_reg = Signal(WORD_BITS, name=f"{name}_low_reg"), Signal(WORD_BITS, name=f"{name}_high_reg")
            carry_reg = Signal(name=f"{name}_carry_reg")
            total = Signal(WORD_BITS + 1, name=f"{name}_total")
            m.d.comb += [total.eq(low_reg + amount_reg), getattr(self, name).eq(low_reg)]
            m.d.sync += [
                amount_reg.eq(amount), low_reg.eq(total), carry_reg.eq(total[WORD_BITS]), high_reg.eq(high_reg + carry_reg),
            ]  # fmt: skip
            with m.If(self.clear):
                m.d.sync += [amount_reg.eq(0), low_reg.eq(0), carry_reg.eq(0), high_reg.eq(0)]
            highs.append(high_reg)
        which_reg = Signal.like(self.which)
        keep_reg = Signal()
        kept_reg = Signal(WORD_BITS)
        m.d.sync += [keep_reg.eq(self.read), which_reg.eq(self.which)]
        with m.If(keep_reg):
            # By now the carry of the lower half that was read is in.
            m.d.sync += kept_reg.eq(Array(highs)[which_reg])
        m.d.comb += self.high.eq(kept_reg)
        return m
