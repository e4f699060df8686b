# SPDX-License-Identifier: Apache-2.0
"""Counters as GCM and XCB have them: a number added to the last four bytes of a block, big-endian, modulo 2^32.

::

    byte     0 ... n-5      n-4   n-3   n-2   n-1
    i        unchanged      most  significant first   + number
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["COUNTER_BITS", "CounterAdder"]

COUNTER_BITS = 32


class CounterAdder(wiring.Component):
    """``o`` is ``i`` with ``number`` added to its counter, in the same cycle.

    Parameters
    ----------
    width : int
        Bits of a block: a multiple of 8, at least 32.

    Members
    -------
    i, number : In(width), In(32)
    o : Out(width)

    Raises
    ------
    TypeError, ValueError
        *width* is no such number.
    """

    latency = 0

    def __init__(self, width: int = 128):
        if not isinstance(width, int) or isinstance(width, bool):
            raise TypeError(f"width must be an integer, not {width!r}")
        if width % 8 or width < COUNTER_BITS:
            raise ValueError(f"width must be a multiple of 8 bits from {COUNTER_BITS} on, not {width}")
        self.width = width
        super().__init__({"i": In(width), "number": In(COUNTER_BITS), "o": Out(width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        below = self.width - COUNTER_BITS

        def turned(word: Value) -> Value:
            return Cat(word[at : at + 8] for at in range(COUNTER_BITS - 8, -8, -8))

        # With its carry a signal of its own: sliced, the sum would be an adder for each byte, with bits that nothing drives.
        total = Signal(COUNTER_BITS + 1)
        m.d.comb += total.eq(turned(self.i[below:]) + self.number)
        m.d.comb += self.o.eq(Cat(self.i[:below], turned(total[:COUNTER_BITS])))
        return m
