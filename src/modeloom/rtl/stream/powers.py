# SPDX-License-Identifier: Apache-2.0
"""Computes the powers of a key of the hash with a small multiplier, which takes some bits of an operand in each cycle.

::

    h ──▶ b ──────────────┐
    h ──▶ a ── D bits ──▶ Σ a_i x^i b ──▶ + ──▶ acc ──▶ h^2, h^3, ...
          └◀── acc, for the next one      x^D ◀──┘

The multiplier of the pipeline stays free for messages.  With a new key for every packet, powers would take a large part of its
cycles.
"""

from __future__ import annotations

from functools import reduce
from operator import xor

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.gf128.reduction import scale
from modeloom.spec.field import Field

__all__ = ["KeyPowers", "digit_bits", "powers_cycles"]

MOST_DIGIT = 32
"""Largest number of bits of a digit.  With it, the sum of products takes about as much logic as an AES round."""


def powers_cycles(width: int, count: int, digit: int) -> int:
    """The number of cycles from ``start`` to the end of ``busy`` for the powers 2 to ``count``, if each is taken at once."""
    return (count - 1) * (width // digit + 1)


def digit_bits(width: int, count: int, cycles: int) -> int:
    """The smallest digit with which the powers 2 to ``count`` take at most ``cycles`` cycles.

    Its number of bits is a power of two and at most ``MOST_DIGIT``.
    """
    digit = 1
    while digit < MOST_DIGIT and powers_cycles(width, count, digit) > cycles:
        digit *= 2
    return digit


class KeyPowers(wiring.Component):
    """Computes the powers 2 to ``count`` of a key, one after another, in the same number of cycles for all keys.

    Parameters
    ----------
    field : Field
        The field of the hash.
    count : int
        The highest power, at least 2.
    digit : int
        Number of bits of an operand that are multiplied in a cycle.  It divides the width of the field.

    Members
    -------
    start, base : 1, width
        Begins with this key.  ``start`` is high only while ``busy`` is low.
    we, exponent, data : 1, range(count + 1), width
        A power, which holds until ``taken``.
    taken : 1
        The power is written in this cycle.
    busy : 1
        High from the cycle after ``start`` to the cycle of the last power.  After that the registers are zero.

    Raises
    ------
    ValueError
        If *count* or *digit* is out of its range.
    """

    def __init__(self, field: Field, count: int, digit: int):
        if count < 2:
            raise ValueError(f"count is at least 2, not {count}")
        if not 1 <= digit <= field.width or field.width % digit:
            raise ValueError(f"digit divides {field.width}, not {digit}")
        self.field, self.count, self.digit = field, count, digit
        width = field.width
        super().__init__({
            "start": In(1), "base": In(width), "we": Out(1), "exponent": Out(range(count + 1)), "data": Out(width), "taken": In(1),
            "busy": Out(1),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        field, digit, width = self.field, self.digit, self.field.width
        steps = width // digit
        a_reg = Signal(width)
        b_reg = Signal(width)
        sum_reg = Signal(width)
        step_reg = Signal(range(steps + 1))
        exponent_reg = Signal.like(self.exponent)
        busy_reg = Signal()

        top = [a_reg[field.bit(width - digit + i)] for i in range(digit)]
        products = [scale(field, b_reg, i) & bit.replicate(width) for i, bit in enumerate(top)]
        # Digits are taken from the top, so the other bits move up by one digit.
        places: list[Value] = [Const(0, 1)] * width
        for i in range(digit, width):
            places[field.bit(i)] = a_reg[field.bit(i - digit)]
        shifted = Cat(places)
        m.d.comb += [
            self.busy.eq(busy_reg), self.we.eq(busy_reg & (step_reg == steps)), self.exponent.eq(exponent_reg), self.data.eq(sum_reg),
        ]  # fmt: skip
        with m.If(self.start & ~busy_reg):
            # The constant factor of the product is multiplied into one of its operands.
            m.d.sync += [
                a_reg.eq(self.base), b_reg.eq(scale(field, self.base, field.factor)), sum_reg.eq(0), step_reg.eq(0), exponent_reg.eq(2),
                busy_reg.eq(1),
            ]  # fmt: skip
        with m.Elif(busy_reg & (step_reg != steps)):
            m.d.sync += [a_reg.eq(shifted), sum_reg.eq(reduce(xor, products, scale(field, sum_reg, digit))), step_reg.eq(step_reg + 1)]
        with m.Elif(busy_reg & self.taken):
            m.d.sync += [a_reg.eq(sum_reg), sum_reg.eq(0), step_reg.eq(0), exponent_reg.eq(exponent_reg + 1)]
            with m.If(exponent_reg == self.count):
                m.d.sync += [register.eq(0) for register in (a_reg, b_reg, exponent_reg, busy_reg)]
        return m
