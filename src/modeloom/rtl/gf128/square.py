# SPDX-License-Identifier: Apache-2.0
"""Squares of a binary field: a linear map, so one parity of some bits of the block for each bit of the square.

    (a_0 + a_1 x + a_2 x^2 + …)^2 = a_0 + a_1 x^2 + a_2 x^4 + …    brw2013, section 3

The modulus brings the upper half of these powers back.  With x^128 + x^7 + x^2 + x + 1 every bit of the square is a sum of two to five
bits: 202 XORs, three gates deep.
"""

from __future__ import annotations

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.spec.field import Field

from .lowering import lower
from .words import Word, join

__all__ = ["Squarer", "square_word"]


def square_word(field: Field, block: Word) -> Word:
    """``field.mul(block, block)`` as a graph; blocks in the field's order, ``field.factor`` included."""
    if block.width != field.width:
        raise ValueError(f"square: a block of field {field.name} has {field.width} bits, not {block.width}")
    rows = [0] * field.width
    for i in range(field.width):
        column = field.from_polynomial(field.x_power(2 * i + field.factor))
        for row in range(field.width):
            rows[row] |= (column >> row & 1) << field.bit(i)
    return join([block.parity(row) for row in rows])


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
