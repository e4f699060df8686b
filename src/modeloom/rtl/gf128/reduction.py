# SPDX-License-Identifier: Apache-2.0
"""Reduction of a product by a field's modulus, as a linear map made from the ``Field``.

The product of two polynomials of n coefficients has coefficients x^0 ... x^(2n-2), bit i for x^i.  What comes out is a block::

    field.factor = 0       L + H x^n                 the high half is folded down    x^n  = x^7 + x^2 + x + 1  (XTS, GHASH)
    field.factor = -n      (L + H x^n) x^-n          the low half is folded up       x^-n = 1 + x^-1 + x^-2 + x^-7  (POLYVAL)
    otherwise              one parity for each bit of the block

Folding needs a modulus whose inner terms all lie in one half; it takes a few wide XORs.  What a fold pushes over the edge
again is first added to the half that is folded, so that one fold does for both (Gueron and Kounaris, Intel, 2010, use the
same identity for GHASH).
"""

from __future__ import annotations

from amaranth.hdl import Value

from modeloom.spec.field import Field

from .lowering import lower
from .planes import reverse_in_bytes
from .words import Word, join, xor_all

__all__ = ["fold_distances", "from_polynomial", "reduce", "reduce_word", "to_polynomial"]


def to_polynomial(field: Field, block: Word) -> Word:
    """A block's polynomial: bit i the coefficient of x^i."""
    return reverse_in_bytes(block) if field.bytewise_reversed else block


from_polynomial = to_polynomial  # both orders are involutions


def fold_distances(field: Field, *, down: bool) -> list[int] | None:
    """Inner exponents of the modulus for folding, or None if they are too far from the edge.

    Parameters
    ----------
    field : Field
        The field.
    down : bool
        True: x^n = sum of x^e, the result is [e, ...].  False: x^-n = sum of x^-e, the result is [e, ...].
    """
    exponents = [e for e in range(field.width) if field.modulus >> e & 1]
    if not down:
        exponents = [field.width - e for e in range(1, field.width + 1) if field.modulus >> e & 1]
    exponents.sort()
    return exponents if max(exponents) <= field.width // 2 else None


def reduce_word(field: Field, product: Word) -> Word:
    """The block product * x^factor mod modulus.

    Parameters
    ----------
    field : Field
        The field, of n bits.
    product : Word
        Polynomial, up to 2n bits wide.

    Returns
    -------
    Word
        Block of n bits in the field's order.

    Raises
    ------
    ValueError
        If ``product`` is wider than 2n bits.
    """
    n = field.width
    if product.width > 2 * n:
        raise ValueError(f"reduction: the product may have at most {2 * n} bits, not {product.width}")
    if field.factor == 0 and (distances := fold_distances(field, down=True)):
        return from_polynomial(field, _fold(product.part(0, n), product.part(n, n), distances))
    if field.factor == -n and (distances := fold_distances(field, down=False)):
        return from_polynomial(field, _fold(product.part(n, n), product.part(0, n), [-e for e in distances]))
    return _by_parities(field, product)


def _fold(kept: Word, folded: Word, distances: list[int]) -> Word:
    n = kept.width
    over = [folded << e - n if e > 0 else folded << e + n for e in distances if e]
    # only the few bits that can be set take part, so that the rest of the half keeps its depth
    reach = max(abs(e) for e in distances)
    if over and reach < n:
        if distances[-1] > 0:
            sum_over = xor_all([word.part(0, reach) for word in over] + [folded.part(0, reach)])
            folded = join([sum_over, folded.part(reach, n - reach)])
        else:
            sum_over = xor_all([word.part(n - reach, reach) for word in over] + [folded.part(n - reach, reach)])
            folded = join([folded.part(0, n - reach), sum_over])
    return xor_all([folded << e for e in distances] + [kept])


def _by_parities(field: Field, product: Word) -> Word:
    masks = [0] * field.width
    for i in range(product.width):
        column = field.from_polynomial(field.x_power(i + field.factor))
        while column:
            row = (column & -column).bit_length() - 1
            masks[row] |= 1 << i
            column &= column - 1
    return join([product.parity(mask) for mask in masks])


def reduce(field: Field, product: Value) -> Value:
    """``reduce_word`` as Amaranth logic without registers: up to 2n bits in, n bits out."""
    product = Value.cast(product)
    word = Word.input(len(product))
    return lower(reduce_word(field, word), {word: product})
