# SPDX-License-Identifier: Apache-2.0
"""Multiplication of a block by a constant power of x, for doubling chains.  It takes wires and a few XORs.

    x^k v,  k > 0    the coefficients move up by k;    the k that leave return through    x^n  = x^7 + x^2 + x + 1 ...
    x^k v,  k < 0    the coefficients move down by -k; those that leave return through    x^-n = ... of the same modulus

The block has the bit order of the field (coefficient i is bit i, or bit 8*(i//8) + 7 - i%8 for GHASH).  ``field.factor`` has no
effect: this is the plain product with x^k, as in ``Field.scale``.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Value, ValueLike

from modeloom.rtl.gf128.lowering import lower
from modeloom.rtl.gf128.reduction import fold_distances, parities, shift_coefficients
from modeloom.rtl.gf128.words import Word, spread, xor_all
from modeloom.spec.field import Field

__all__ = ["scale", "scale_word"]


def scale_word(field: Field, block: Word, k: int) -> Word:
    """Block * x^k as a graph, like ``scale``."""
    n = field.width
    if k == 0:
        return block
    if abs(k) >= n:
        return parities(field, block, k)
    direction = 1 if k > 0 else -1
    moved = shift_coefficients(field, block, k)
    distances = fold_distances(field, direction)
    if distances and abs(k) + distances[-1] <= n:
        leaving = shift_coefficients(field, block, k - direction * n)
        return xor_all([moved, *(shift_coefficients(field, leaving, direction * e) for e in distances)])
    # The inner terms lie at the far end and would be folded k times.  Instead, each leaving coefficient adds its remainder.
    leaving_range = range(n - k, n) if k > 0 else range(-k)
    returns = [
        spread(block.part(field.bit(i), 1), n, field.from_polynomial(field.x_power(i + k))) for i in leaving_range
    ]
    return xor_all([moved, *returns])


def scale(field: Field, value: ValueLike, k: int) -> Value:
    """Block * x^k as Amaranth logic without registers.

    Parameters
    ----------
    field : Field
        The field.
    value : ValueLike
        Block of ``field.width`` bits in the order of the field.  It should be a signal, not a large expression, because it is used
        several times.
    k : int
        Exponent, which may be negative.  Small exponents are cheap: XORs of |k| bits for each inner term of the modulus.

    Returns
    -------
    Value
        Block of ``field.width`` bits: ``field.scale(value, k)``.

    Raises
    ------
    TypeError
        If ``field`` is not a ``Field`` or ``k`` is not an ``int``.
    ValueError
        If ``value`` does not have ``field.width`` bits.
    """
    if not isinstance(field, Field):
        raise TypeError(f"scale: field must be a Field, not {field!r}")
    if isinstance(k, bool) or not isinstance(k, int):
        raise TypeError(f"scale: k must be an int, not {k!r}")
    value = Value.cast(value)
    if len(value) != field.width:
        raise ValueError(f"scale: a block of field {field.name} has {field.width} bits, not {len(value)}")
    if field.bytes_reversed:
        return Cat(scale(field.mirrored, Cat(_bytes(value)), k).word_select(at, 8) for at in reversed(range(field.width // 8)))
    block = Word.input(field.width)
    return lower(scale_word(field, block, k), {block: value})


def _bytes(value: Value) -> list[Value]:
    """The bytes of a block from its end on."""
    return [value.word_select(at, 8) for at in reversed(range(len(value) // 8))]
