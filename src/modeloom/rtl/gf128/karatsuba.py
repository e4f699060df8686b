# SPDX-License-Identifier: Apache-2.0
"""Karatsuba multiplier of a binary field, one product per cycle.

Data flow for 128 bits and halt = 16 (27 = 3^3 products of 16 by 16 bits)::

    a ── halves and their sum, 3 times ── 27 lanes of 16 bits ── 16 planes of 27 bits ──┐
                                                                                        ├── 31 planes of products
    b ── halves and their sum, 3 times ── 27 lanes of 16 bits ── 16 planes of 27 bits ──┘             │
                           o ── reduction ── 255 bits ── combined, 3 times ────── 27 lanes of 31 bits ┘

    a, b, o and the 255 bits have the bit order of the field.  The pieces are whole bytes, so only the planes are renumbered.

All lanes compute the same schoolbook product.  The products are therefore written on planes, which hold one coefficient of every lane:
one wide AND for each pair of coefficients.  In a circuit, the planes are only names of wires.  A compiled simulation works on words
instead of bits.  The splitting is that of brw2013, appendix A (with B = B^L + B^H x^64) and gcm2008, section 3.3 (with
D1 = (A_h + A_l)(B_h + B_l)).  The parts are combined as in Bernstein, Batch binary Edwards, CRYPTO 2009, section 2 ("refined Karatsuba"),
which shares the sum of the two inner quarters.  Combining two levels at once saves another n - 1 XORs.
"""

from __future__ import annotations

from modeloom.rtl.gf128.multiplier import GraphMultiplier, check_number
from modeloom.rtl.gf128.reduction import reduce_word
from modeloom.rtl.gf128.words import Word, join, reverse_in_bytes, to_lanes, to_planes, xor_all, zero
from modeloom.spec.field import Field

__all__ = ["KaratsubaMultiplier", "polynomial_product", "product_word"]


def polynomial_product(
    a: Word, b: Word, halt: int, *, bytewise_reversed: bool = False, refined: bool = True, quarters: bool = False
) -> Word:
    """Product of two polynomials of n coefficients.

    Parameters
    ----------
    a, b : Word
        Factors of one width n.
    halt : int
        Pieces of at most this many bits are multiplied by the schoolbook.
    bytewise_reversed : bool
        Whether the lowest coefficient of a byte is in its highest bit, in factors and product.
    refined : bool
        Whether the parts are combined with the shared sum (5n/2 - 3 XORs) or plainly (3n - 4 XORs: the gate counts and
        the delay of gcm2008, table 3.1).
    quarters : bool
        Whether two levels are combined at once from the nine products of quarters, beginning with the smallest.  The product of
        polynomials of 4n coefficients then takes 9 M(n) + 34n - 11 gates.  Two separate levels take 9 M(n) + 35n - 12.  A single remaining
        level is combined as ``refined`` says.

    Returns
    -------
    Word
        2n bits.  The coefficient of x^(2n-1) is 0.
    """
    width, levels = a.width, 0
    while -(-width >> levels) > halt:
        levels += 1
    piece = -(-width >> levels)
    if bytewise_reversed and piece % 8:
        product = polynomial_product(reverse_in_bytes(a), reverse_in_bytes(b), halt, refined=refined, quarters=quarters)
        return reverse_in_bytes(product)
    lanes = [_split(word.extend(piece << levels), levels) for word in (a, b)]
    flip = 7 if bytewise_reversed else 0
    planes_a, planes_b = ([plane.anchored() for plane in to_planes(factor)] for factor in lanes)
    products = [
        xor_all(
            planes_a[i ^ flip] & planes_b[(k - i) ^ flip] for i in range(max(0, k - piece + 1), min(k, piece - 1) + 1)
        )
        for k in range(2 * piece - 1)
    ]
    products.append(zero(planes_a[0].width))
    ordered = [products[k ^ flip] for k in range(2 * piece)]
    parts = [lane.anchored() for lane in to_lanes(ordered, len(lanes[0]))]
    while quarters and len(parts) >= 9:
        parts = [_put_quarters_together(*parts[i : i + 9]) for i in range(0, len(parts), 9)]
    while len(parts) > 1:
        parts = [_put_together(*parts[i : i + 3], refined=refined) for i in range(0, len(parts), 3)]
    return parts[0].extend(2 * width)


def _split(word: Word, levels: int) -> list[Word]:
    if levels == 0:
        return [word]
    half = word.width // 2
    low, high = word.part(0, half), word.part(half, half)
    return [*_split(low, levels - 1), *_split(low ^ high, levels - 1), *_split(high, levels - 1)]


def _put_together(low: Word, middle: Word, high: Word, *, refined: bool) -> Word:
    """low + (middle - low - high) x^n + high x^2n for products of 2n bits, whose highest bit is 0."""
    n = low.width // 2
    if refined:
        shared = low.part(n, n) ^ high.part(0, n)
        second = shared ^ (low.part(0, n) ^ middle.part(0, n))
        third = shared ^ (middle.part(n, n) ^ high.part(n, n))
    else:
        outer = low ^ high
        second = (low.part(n, n) ^ middle.part(0, n)) ^ outer.part(0, n)
        third = (middle.part(n, n) ^ high.part(0, n)) ^ outer.part(n, n)
    return join([low.part(0, n), second, third, high.part(n, n)])


def _put_quarters_together(*parts: Word) -> Word:
    """Two levels at once: ``parts`` are low, middle and high of the product of the lower halves, of the sums, and of the upper halves.

    With low = p + p' x^n and so on, the product of the lower halves has the inner quarters p' + r + p + q and p' + r + q' + r'.  The four
    inner eighths of the result share ``common``.  Two of them contain the outer eighths beside them, which are already computed.
    """
    n = parts[0].width // 2
    low, middle, high = ([part.part(0, n) for part in parts[i : i + 3]] for i in (0, 3, 6))  # p, q, r of each product
    upper_low, upper_middle, upper_high = ([part.part(n, n) for part in parts[i : i + 3]] for i in (0, 3, 6))  # p', q', r'
    shared_low, shared_middle, shared_high = (
        upper[0] ^ lower[2] for upper, lower in ((upper_low, low), (upper_middle, middle), (upper_high, high))
    )
    common = high[0] ^ upper_low[2]
    second = shared_low ^ (low[0] ^ low[1])
    seventh = shared_high ^ (upper_high[1] ^ upper_high[2])
    left = common ^ (shared_low ^ upper_low[1])
    right = common ^ (shared_high ^ high[1])
    third = left ^ (low[0] ^ middle[0])
    sixth = right ^ (upper_middle[2] ^ upper_high[2])
    # The product of the sums is ready last, and its middle part is the last of all.  It is added where the fewest gates follow.
    fourth = (right ^ second) ^ ((shared_middle ^ middle[0]) ^ middle[1])
    fifth = (left ^ seventh) ^ ((shared_middle ^ upper_middle[2]) ^ upper_middle[1])
    return join([low[0], second, third, fourth, fifth, sixth, seventh, upper_high[2]])


def product_word(field: Field, a: Word, b: Word, halt: int, *, refined: bool = True, quarters: bool = False) -> Word:
    """The product of two blocks in the field as a graph: ``field.mul``."""
    product = polynomial_product(a, b, halt, bytewise_reversed=field.bytewise_reversed, refined=refined, quarters=quarters)
    return reduce_word(field, product)


class KaratsubaMultiplier(GraphMultiplier):
    """Pipelined field multiplier: ``o`` is ``field.mul(a, b)`` of the inputs ``stages`` cycles ago.  Each cycle starts a new product.

    The registers are inside, at equal depths of two-input gates, and not at the inputs.  They have neither enable nor reset.
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
        Whether the last register holds the output.  Otherwise logic follows this register.  It is about as deep as the logic between two
        registers, minus one XOR for an accumulator after the multiplier.
    refined : bool
        Whether the products are combined with the shared sum of the inner quarters (fewer gates, same depth).  Without it, the gates are
        those of gcm2008, table 3.1.
    quarters : bool
        Whether two levels are combined at once (fewest gates).

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
        If ``field`` is not a ``Field`` or a number is not an ``int``.
    ValueError
        If ``stages`` is negative, ``halt`` is below 1, or an output register is requested without a stage.
    """

    def __init__(
        self,
        field: Field,
        stages: int,
        halt: int = 16,
        *,
        output_register: bool = False,
        refined: bool = True,
        quarters: bool = False,
    ) -> None:
        check_number(self, "halt", halt, 1)
        self.halt = halt
        self.refined = refined
        self.quarters = quarters
        super().__init__(field, stages, output_register=output_register)

    def product(self, a: Word, b: Word) -> Word:
        return product_word(self.field, a, b, self.halt, refined=self.refined, quarters=self.quarters)
