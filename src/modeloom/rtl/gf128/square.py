# SPDX-License-Identifier: Apache-2.0
"""Squaring in a binary field: a linear map.  Its graph spreads the coefficients and reduces them by the modulus.

::

    a_0 a_1 a_2 a_3 …   ──▶   a_0 0 a_1 0 a_2 0 a_3 0 …      (a_0 + a_1 x + …)^2 = a_0 + a_1 x^2 + …: brw2013, section 3
        n bits          wires             2n bits             ──▶ reduction ──▶ n bits

With x^128 + x^7 + x^2 + x + 1, a bit of the square is the sum of at most five bits, and a squarer takes about 200 XORs.  A Karatsuba
multiplier takes 15,000 gates.
"""

from __future__ import annotations

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.gf128.lowering import lower
from modeloom.rtl.gf128.planes import repeat, reverse_in_bytes
from modeloom.rtl.gf128.reduction import reduce_word
from modeloom.rtl.gf128.words import Word
from modeloom.spec.field import Field

__all__ = ["Squarer", "spread_coefficients", "square_word"]


def spread_coefficients(block: Word) -> Word:
    """Moves bit i of n bits to bit 2i of 2n bits.  Halves, quarters, … move apart (Warren, Hacker's Delight, section 7-2)."""
    length = 1 << (block.width - 1).bit_length()
    word, step = block.extend(2 * length), length // 2
    while step:
        stay = repeat((1 << step) - 1, 4 * step, 2 * length)
        word = (word & stay) | ((word & stay << step) << step)
        step //= 2
    return word.part(0, 2 * block.width)


def square_word(field: Field, block: Word) -> Word:
    """``field.mul(block, block)`` as a graph.  Blocks have the order of the field, and ``field.factor`` is included."""
    if block.width != field.width:
        raise ValueError(f"square: a block of field {field.name} has {field.width} bits, not {block.width}")
    if field.bytewise_reversed:
        return reduce_word(field, reverse_in_bytes(spread_coefficients(reverse_in_bytes(block))))
    return reduce_word(field, spread_coefficients(block))


class Squarer(wiring.Component):
    """Field squarer without registers: ``o`` is ``field.mul(i, i)`` in the same cycle.

    Parameters
    ----------
    field : Field
        The field; any width, modulus, bit order and factor.

    Members
    -------
    i : In(width)
        A block in the field's order.
    o : Out(width)
        Its square.

    Attributes
    ----------
    latency : int
        Cycles from input to output, 0.
    interval : int
        Cycles between squares, 1.

    Raises
    ------
    TypeError
        If ``field`` is not a ``Field``.
    """

    latency = 0
    interval = 1

    def __init__(self, field: Field) -> None:
        if not isinstance(field, Field):
            raise TypeError(f"Squarer: field must be a Field, not {field!r}")
        self.field = field
        super().__init__({"i": In(field.width), "o": Out(field.width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        block = Word.input(self.field.width)
        m.d.comb += self.o.eq(lower(square_word(self.field, block), {block: self.i}, module=m))
        return m
