# SPDX-License-Identifier: Apache-2.0
"""Linear maps of a field: reduction of products, powers of x, squares."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Value, ValueLike
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.gf128.multiplier import lower
from modeloom.rtl.gf128.words import Word, join, repeat, reverse_in_bytes, spread, xor_all
from modeloom.spec.field import Field

__all__ = [
    "Squarer", "fold_distances", "parities", "reduce", "reduce_word", "reduction_gates", "scale", "scale_word",
    "shift_coefficients", "spread_coefficients", "square_word",
]  # fmt: skip


# Reduction of a product by the modulus of a field, as a linear map that is made from the ``Field``.
#
# A product of two blocks of n coefficients has coefficients x^0 ... x^(2n-2).  It has 2n bits in the order of the field:
#
#     POLYVAL, XTS    x^0 x^1 ... x^(2n-2) 0               coefficient i is bit i
#     GHASH           x^7 x^6 ... x^0 x^15 ...             coefficient i is bit 8*(i//8) + 7 - i%8
#
# The result is a block.  There are three maps:
#
#     field.factor = 0     L + H x^n            the high half is folded    x^n  = x^7 + x^2 + x + 1         (XTS, GHASH)
#     field.factor = -n    (L + H x^n) x^-n     the low half is folded     x^-n = 1 + x^-1 + x^-2 + x^-7    (POLYVAL)
#     otherwise            one parity for each bit of the block
#
# Folding requires a modulus whose inner terms all lie close to one end.  It takes a few wide XORs.  The coefficients that a fold pushes
# over the edge would be folded again by the same rule.  They are therefore added to the folded half beforehand.

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


def fold_distances(field: Field, sign: int) -> list[int] | None:
    """Distances from one end of the modulus to its other terms, for folding.

    Parameters
    ----------
    field : Field
        The field, of n bits.
    sign : int
        1: the e of x^n = sum of x^e.  -1: the e of x^-n = sum of x^-e.

    Returns
    -------
    list of int or None
        The distances in rising order; None if one of them exceeds n / 2.
    """
    exponents = [e for e in range(field.width + 1) if field.modulus >> e & 1]
    distances = exponents[:-1] if sign > 0 else [field.width - e for e in reversed(exponents[1:])]
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


def _fold(field: Field, low: Word, folded: Word, distances: list[int]) -> Word:
    n = low.width
    up = distances[-1] > 0
    # Only the outermost coefficients take part in the second fold.  The others keep their smaller depth.
    reach = -(-abs(distances[-1]) // 8) * 8
    start = 0 if up else n - reach
    over = [shift_coefficients(field, folded, e - n if up else e + n).part(start, reach) for e in distances if e]
    edge = xor_all([folded.part(start, reach), *over])
    rest = folded.part(reach, n - reach) if up else folded.part(0, n - reach)
    folded = join([edge, rest] if up else [rest, edge])
    return xor_all([low, *(shift_coefficients(field, folded, e) for e in distances)])


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


# -- scale -------------------------------------------------------------------------------------------------------------------------

# Multiplication of a block by a constant power of x, for doubling chains.  It takes wires and a few XORs.
#
#     x^k v,  k > 0    the coefficients move up by k;    the k that leave return through    x^n  = x^7 + x^2 + x + 1 ...
#     x^k v,  k < 0    the coefficients move down by -k; those that leave return through    x^-n = ... of the same modulus
#
# The block has the bit order of the field (coefficient i is bit i, or bit 8*(i//8) + 7 - i%8 for GHASH).  ``field.factor`` has no
# effect: this is the plain product with x^k, as in ``Field.scale``.

def scale_word(field: Field, block: Word, k: int) -> Word:
    """Block * x^k as a graph, like ``scale``."""
    n = field.width
    if k == 0:
        return block
    if abs(k) >= n:
        return parities(field, block, k)
    sign = 1 if k > 0 else -1
    moved = shift_coefficients(field, block, k)
    distances = fold_distances(field, sign)
    if distances and abs(k) + distances[-1] <= n:
        leaving = shift_coefficients(field, block, k - sign * n)
        return xor_all([moved, *(shift_coefficients(field, leaving, sign * e) for e in distances)])
    # The inner terms lie at the far end and would be folded k times.  Instead, each leaving coefficient adds its remainder.
    leaving_range = range(n - k, n) if k > 0 else range(-k)
    returns = [spread(block.part(field.bit(i), 1), n, field.from_polynomial(field.x_power(i + k))) for i in leaving_range]
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


# -- square ------------------------------------------------------------------------------------------------------------------------

# Squaring in a binary field: a linear map.  Its graph spreads the coefficients and reduces them by the modulus.
#
#     a_0 a_1 a_2 a_3 …   ──▶   a_0 0 a_1 0 a_2 0 a_3 0 …      (a_0 + a_1 x + …)^2 = a_0 + a_1 x^2 + …: brw2013, section 3
#         n bits          wires             2n bits             ──▶ reduction ──▶ n bits
#
# With x^128 + x^7 + x^2 + x + 1, a bit of the square is the sum of at most five bits, and a squarer takes about 200 XORs.  A Karatsuba
# multiplier takes 15,000 gates.

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
