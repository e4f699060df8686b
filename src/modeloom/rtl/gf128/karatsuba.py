# SPDX-License-Identifier: Apache-2.0
"""Karatsuba multiplier of a binary field, one product a cycle.

Way of the data, for 128 bits and halt = 16 (27 = 3^3 products of 16 by 16 bits)::

    a ─ bit order ─ halves and their sum, 3 times ─ 27 lanes of 16 bits ─ 16 planes of 27 bits ─┐
                                                                                  31 planes of the products
    b ─ bit order ─ halves and their sum, 3 times ─ 27 lanes of 16 bits ─ 16 planes of 27 bits ─┘     │
                                      o ─ bit order ─ reduction ─ 255 bits ─ put together, 3 times ─ 27 lanes of 31 bits

    polynomial: bit i is the coefficient of x^i; the field's bit order applies to a, b and o

All lanes do the same schoolbook product, so the products are written on planes, which hold one coefficient of every lane:
one wide AND for each pair of coefficients.  In a circuit the planes are only names of wires; a compiled simulation runs on
words instead of bits.  The splitting is that of brw2013, appendix A (with B = B^L + B^H x^64) and gcm2008, section 3.3 (with
D1 = (A_h + A_l)(B_h + B_l)); the parts are put together as in Bernstein, Batch binary Edwards, CRYPTO 2009, section 2
("refined Karatsuba"), which shares the sum of the two inner quarters.
"""

from __future__ import annotations

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.spec.field import Field

from .lowering import lower, place_cuts
from .planes import to_lanes, to_planes
from .reduction import reduce_word, to_polynomial
from .words import Word, join, xor_all

__all__ = ["KaratsubaMultiplier", "polynomial_product", "product_word"]


def polynomial_product(a: Word, b: Word, halt: int, *, refined: bool = True) -> Word:
    """Product of two polynomials of n coefficients, at least 2n - 1 bits wide.

    Parameters
    ----------
    a, b : Word
        Factors of one width, bit i the coefficient of x^i.
    halt : int
        Pieces of at most this many bits are multiplied by the schoolbook.
    refined : bool
        Whether the parts are put together with the shared sum (5n/2 - 3 XORs) or plainly (3n - 4 XORs, one gate deeper).
    """
    width, levels = a.width, 0
    while -(-width >> levels) > halt:
        levels += 1
    piece = -(-width >> levels)
    lanes = [_split(word.extend(piece << levels), levels) for word in (a, b)]
    planes_a, planes_b = ([plane.anchored() for plane in to_planes(factor)] for factor in lanes)
    products = [
        xor_all(planes_a[i] & planes_b[k - i] for i in range(max(0, k - piece + 1), min(k, piece - 1) + 1))
        for k in range(2 * piece - 1)
    ]
    parts = [lane.extend(2 * piece).anchored() for lane in to_lanes(products, len(lanes[0]))]
    while len(parts) > 1:
        parts = [_put_together(*parts[i : i + 3], refined=refined) for i in range(0, len(parts), 3)]
    return parts[0]


def _split(word: Word, levels: int) -> list[Word]:
    if levels == 0:
        return [word]
    half = word.width // 2
    low, high = word.part(0, half), word.part(half, half)
    return [*_split(low, levels - 1), *_split(low ^ high, levels - 1), *_split(high, levels - 1)]


def _put_together(low: Word, middle: Word, high: Word, *, refined: bool) -> Word:
    """low + (middle - low - high) x^n + high x^2n for products of 2n bits, the highest of them 0."""
    n = low.width // 2
    if refined:
        shared = low.part(n, n) ^ high.part(0, n)
        second = shared ^ (low.part(0, n) ^ middle.part(0, n))
        third = shared ^ (middle.part(n, n) ^ high.part(n, n))
    else:
        inner = low ^ middle ^ high
        second = low.part(n, n) ^ inner.part(0, n)
        third = inner.part(n, n) ^ high.part(0, n)
    return join([low.part(0, n), second, third, high.part(n, n)])


def product_word(field: Field, a: Word, b: Word, halt: int, *, refined: bool = True) -> Word:
    """The field's product of two blocks as a graph: ``field.mul``."""
    product = polynomial_product(to_polynomial(field, a), to_polynomial(field, b), halt, refined=refined)
    return reduce_word(field, product.extend(2 * field.width))


class KaratsubaMultiplier(wiring.Component):
    """Pipelined field multiplier: ``o`` is ``field.mul(a, b)`` of the inputs ``stages`` cycles ago, every cycle a new one.

    Registers stand inside, at equal depths of two-input gates, none at the inputs; they have neither enable nor reset.
    Latency ``stages`` cycles, interval 1.

    Parameters
    ----------
    field : Field
        The field; any width, modulus, bit order and factor.
    stages : int
        Registers between input and output, at least 0.
    halt : int
        Pieces of at most this many bits are multiplied by the schoolbook, at least 1.  16 is best for 6-input LUTs, 8 for
        4-input LUTs, 4 for gates.
    output_register : bool
        Whether the last register holds the output.  Otherwise logic follows it, about as much as between two registers less
        the one XOR that an accumulator behind the multiplier adds.
    refined : bool
        Whether the products are put together with the shared sum of the inner quarters (fewer gates).

    Members
    -------
    a : In(width)
        Factor, a block in the field's order.
    b : In(width)
        Factor.
    o : Out(width)
        Product.

    Attributes
    ----------
    latency : int
        Cycles from inputs to output, equal to ``stages``.
    interval : int
        Cycles between products, 1.

    Raises
    ------
    TypeError
        If ``field`` is not a ``Field`` or a number not an ``int``.
    ValueError
        If ``stages`` is negative, ``halt`` below 1, or an output register is asked for with no stage.
    """

    interval = 1

    def __init__(
        self, field: Field, stages: int, halt: int = 16, *, output_register: bool = False, refined: bool = True
    ) -> None:
        if not isinstance(field, Field):
            raise TypeError(f"KaratsubaMultiplier: field must be a Field, not {field!r}")
        for name, number, least in (("stages", stages, 0), ("halt", halt, 1)):
            if isinstance(number, bool) or not isinstance(number, int):
                raise TypeError(f"KaratsubaMultiplier: {name} must be an int, not {number!r}")
            if number < least:
                raise ValueError(f"KaratsubaMultiplier: {name} must be at least {least}, not {number}")
        if output_register and stages == 0:
            raise ValueError("KaratsubaMultiplier: an output register needs at least one stage")
        self.field = field
        self.stages = self.latency = stages
        self.halt = halt
        self.output_register = output_register
        self.refined = refined
        super().__init__({"a": In(field.width), "b": In(field.width), "o": Out(field.width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        a, b = Word.input(self.field.width), Word.input(self.field.width)
        product = product_word(self.field, a, b, self.halt, refined=self.refined)
        cuts = place_cuts(product, self.stages, at_output=self.output_register)
        m.d.comb += self.o.eq(lower(product, {a: self.a, b: self.b}, module=m, cuts=cuts))
        return m
