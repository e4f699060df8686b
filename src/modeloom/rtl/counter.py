# SPDX-License-Identifier: Apache-2.0
"""Adders for counter mode: they add a number to the counter in a block.  The counter wraps, and no other bit changes.

``spec.counters`` has the position of each counter.  With one register stage, the carry into the upper half is registered::

    lower half ──▶ + number ──[reg]──────────────▶ o
                     └ carry ─[reg]─┐
    upper half ──────────────[reg]──▶ + number ──▶ o
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.spec import COUNTERS, Counter

__all__ = ["CounterAdder", "counter_bits"]


def counter_bits(counter: Counter, width: int) -> slice:
    """The bits of a block of *width* bits that a counter changes."""
    return {"big": slice(width - counter.bits, width), "little": slice(0, counter.bits)}[counter.order]


class CounterAdder(wiring.Component):
    """``o`` is ``i`` with ``number`` added to its counter.

    Parameters
    ----------
    width : int
        Bits in a block: a multiple of 8, at least the bits of the counter.
    counter : Counter
        Bits and byte order of the counter; one of ``COUNTERS``.
    stages : int
        Registers in the carry chain: 0, or 1 to halve its length.

    Attributes
    ----------
    latency : int
        Cycles from ``i`` to ``o``: ``stages``.

    Members
    -------
    i, number : In(width), In(counter.bits)
    o : Out(width)

    Raises
    ------
    TypeError, ValueError
        *width* is not allowed, *counter* is unknown, or *stages* is neither 0 nor 1.
    """

    def __init__(self, width: int = 128, counter: Counter = COUNTERS["add"], stages: int = 0):
        if not isinstance(width, int) or isinstance(width, bool):
            raise TypeError(f"width must be an integer, not {width!r}")
        if counter not in COUNTERS.values():
            raise ValueError(f"counter must be one of COUNTERS, not {counter!r}")
        if width % 8 or width < counter.bits:
            raise ValueError(f"width must be a multiple of 8 bits from {counter.bits} on, not {width}")
        if stages not in (0, 1):
            raise ValueError(f"stages must be 0 or 1, not {stages!r}")
        self.width, self.counter, self.latency = width, counter, stages
        super().__init__({"i": In(width), "number": In(counter.bits), "o": Out(width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bits, big = self.counter.bits, self.counter.order == "big"
        below = self.width - bits

        def turned(word: Value) -> Value:
            return Cat(word[at : at + 8] for at in range(bits - 8, -8, -8)) if big else word

        def added(a: Value, b: Value, name: str) -> Signal:
            # The sum with its carry is a signal.  Without it, slices of the sum would become an adder for each byte, with undriven bits.
            total = Signal(len(a) + 1, name=name)
            m.d.comb += total.eq(a + b)
            return total

        count = turned(self.i[below:] if big else self.i[:bits])
        rest = self.i[:below] if big else self.i[bits:]
        if not self.latency:
            result: Value = added(count, self.number, "total")[:bits]
        else:
            half = bits // 2
            lower = added(count[:half], self.number[:half], "lower")
            kept = Cat(lower, count[half:], self.number[half:], rest)
            kept_reg = Signal(len(kept), reset_less=True)
            m.d.sync += kept_reg.eq(kept)
            upper_count, upper_number = kept_reg[half + 1 : bits + 1], kept_reg[bits + 1 : bits + half + 1]
            # The carry enters through an extra bit below the sum, which saves a second adder.
            upper = added(Cat(Const(1, 1), upper_count), Cat(kept_reg[half], upper_number), "upper")
            result, rest = Cat(kept_reg[:half], upper[1 : half + 1]), kept_reg[bits + half + 1 :]
        m.d.comb += self.o.eq(Cat(rest, turned(result)) if big else Cat(result, rest))
        return m
