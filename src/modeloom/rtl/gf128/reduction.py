# SPDX-License-Identifier: Apache-2.0
"""Reduction of a product by the modulus of a field, as a linear map that is made from the ``Field``.

A product of two blocks of n coefficients has coefficients x^0 ... x^(2n-2).  It has 2n bits in the order of the field::

    POLYVAL, XTS    x^0 x^1 ... x^(2n-2) 0               coefficient i is bit i
    GHASH           x^7 x^6 ... x^0 x^15 ...             coefficient i is bit 8*(i//8) + 7 - i%8

The result is a block.  There are three maps::

    field.factor = 0     L + H x^n            the high half is folded    x^n  = x^7 + x^2 + x + 1         (XTS, GHASH)
    field.factor = -n    (L + H x^n) x^-n     the low half is folded     x^-n = 1 + x^-1 + x^-2 + x^-7    (POLYVAL)
    otherwise            one parity for each bit of the block

Folding requires a modulus whose inner terms all lie close to one end.  It takes a few wide XORs.  The coefficients that a fold pushes over
the edge would be folded again by the same rule.  They are therefore added to the folded half beforehand.
"""

from __future__ import annotations

from amaranth.hdl import Value

from modeloom.rtl.gf128.lowering import lower
from modeloom.rtl.gf128.planes import repeat
from modeloom.rtl.gf128.words import Word, join, xor_all
from modeloom.spec.field import Field

__all__ = ["fold_distances", "parities", "reduce", "reduce_word", "reduction_gates", "shift_coefficients"]


def shift_coefficients(field: Field, word: Word, k: int) -> Word:
    """Moves coefficient i to i + k and drops coefficients beyond either end.  This takes wires only.

    Parameters
    ----------
    field : Field
        Gives the bit order.
    word : Word
        It has a whole number of bytes if the order is bytewise reversed.
    k : int
        Distance, which may be negative.
    """
    if not field.bytewise_reversed:
        return word << k
    octets, rest = divmod(k, 8)
    stay = repeat(0xFF << rest & 0xFF, 8, word.width)
    return ((word & stay) << 8 * octets - rest) | ((word & ~stay) << 8 * octets + 16 - rest)


def fold_distances(field: Field, direction: int) -> list[int] | None:
    """Distances from one end of the modulus to its other terms, for folding.

    Parameters
    ----------
    field : Field
        The field, of n bits.
    direction : int
        1: the e of x^n = sum of x^e.  -1: the e of x^-n = sum of x^-e.

    Returns
    -------
    list of int or None
        The distances in rising order; None if one of them exceeds n / 2.
    """
    exponents = [e for e in range(field.width + 1) if field.modulus >> e & 1]
    distances = exponents[:-1] if direction > 0 else [field.width - e for e in reversed(exponents[1:])]
    return distances if distances[-1] <= field.width // 2 else None


def reduce_word(field: Field, product: Word) -> Word:
    """The block product * x^factor mod modulus.

    Parameters
    ----------
    field : Field
        The field, of n bits.
    product : Word
        2n bits in the field's order.

    Returns
    -------
    Word
        Block of n bits.

    Raises
    ------
    ValueError
        If ``product`` does not have 2n bits.
    """
    n = field.width
    if product.width != 2 * n:
        raise ValueError(f"reduction: a product of field {field.name} has {2 * n} bits, not {product.width}")
    low, high = product.part(0, n), product.part(n, n)
    if field.factor == 0 and (distances := fold_distances(field, 1)):
        return _fold(field, low, high, distances)
    if field.factor == -n and (distances := fold_distances(field, -1)):
        return _fold(field, high, low, [-e for e in distances])
    return parities(field, product, field.factor)


def _fold(field: Field, kept: Word, folded: Word, distances: list[int]) -> Word:
    n = kept.width
    up = distances[-1] > 0
    # Only the outermost coefficients take part in the second fold.  The others keep their smaller depth.
    reach = -(-abs(distances[-1]) // 8) * 8
    start = 0 if up else n - reach
    over = [shift_coefficients(field, folded, e - n if up else e + n).part(start, reach) for e in distances if e]
    edge = xor_all([folded.part(start, reach), *over])
    rest = folded.part(reach, n - reach) if up else folded.part(0, n - reach)
    folded = join([edge, rest] if up else [rest, edge])
    return xor_all([kept, *(shift_coefficients(field, folded, e) for e in distances)])


def parities(field: Field, word: Word, factor: int) -> Word:
    """The block word * x^factor for any modulus and any number of coefficients, with one parity for each bit."""
    rows = [0] * field.width
    for i in range(word.width):
        column = field.from_polynomial(field.x_power(i + factor))
        for row in range(field.width):
            rows[row] |= (column >> row & 1) << field.bit(i)
    return join([word.parity(row) for row in rows])


def reduction_gates(field: Field) -> int:
    """XOR gates of a reduction that computes each bit separately: the ones in each row of the reduction matrix, minus one.

    This is the count of gcm2008, section 3.3.2: 527 for GHASH.  Folding (``reduce_word``) shares the part that is folded twice and takes
    508.
    """
    return sum(field.x_power(k + field.factor).bit_count() for k in range(2 * field.width - 1)) - field.width


def reduce(field: Field, product: Value) -> Value:
    """``reduce_word`` as Amaranth logic without registers: 2n bits in, n bits out, both in the order of the field."""
    product = Value.cast(product)
    word = Word.input(len(product))
    return lower(reduce_word(field, word), {word: product})
