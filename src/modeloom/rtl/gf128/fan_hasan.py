# SPDX-License-Identifier: Apache-2.0
"""The Fan-Hasan multiplier: most of the matrix of one factor is a Toeplitz matrix.  gcm2008, section 3.4, for any modulus.

The matrix (``matrix``) has n rows (128 for GHASH).  Its longest run has L rows (122: rows 7 to 127 and 0).  The other runs together
have n - L rows (6: rows 1 to 6).  Section 3.4.2 has three approaches for the other rows::

    1   T ███ L rows    ██ = toeplitz_product        2   ▒▒ ██  L rows       3   T ███ n - L rows, their elements as if
          ███                                            ▒▒ ██                     ███ the run went on above them; plus
          000 n - L     rows of zeros                    n-L  L columns            ███ L rows
        ▒▒▒▒▒ n - L     ▒▒ = by the definition          ▒▒▒▒▒  n - L rows        ▒▒▒▒▒ n - L rows of differences

In approach 3, some diagonals in the upper right corner reach no row of the run.  Each of them takes the element of the lowest row
that it crosses, so the difference there is 0.  Approach 1 has the smallest depth, because nothing is added after the Toeplitz
product.

In the form ``key`` (section 5.2, Fig. 5.1), the elements of the matrix of a key are registered, and products start at this
register::

    direct      a ── elements ─────────── products ── o        key      a ── elements ──[register]── products ── o
                b ────────────────────────────┘                         load ──────────────┘             b ──┘
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In

from modeloom.rtl.gf128.mastrovito import (
    coefficients,
    element,
    in_block_order,
    linear_word,
    run_elements,
    run_product,
    toeplitz_runs,
)
from modeloom.rtl.gf128.multiplier import GraphMultiplier, check_number, lower, place_cuts
from modeloom.rtl.gf128.words import Word, join, to_lanes, to_planes, xor_all, zero
from modeloom.spec.field import Field

__all__ = ["APPROACHES", "FORMS", "FanHasanMultiplier", "element_words", "elements_product", "matrix_elements", "toeplitz_product"]


# Product of a Toeplitz matrix with a vector by three products of half the size: Fan and Hasan, gcm2008, section 3.4.1.
#
#     t[3] t[2] t[1] t[0]   v[0]         T1 T0   V0         P0 + P2        P0 = (T1 + T0) V1
#     t[4] t[3] t[2] t[1]   v[1]                        =                  P1 = (T2 + T1) V0
#     t[5] t[4] t[3] t[2]   v[2]         T2 T1   V1         P1 + P2        P2 = T1 (V0 + V1)
#     t[6] t[5] t[4] t[3]   v[3]
#
# A matrix of n rows is the word t of its 2n - 1 diagonals, from the top right corner to the bottom left corner.  T0, T1 and T2 are slices
# of t that overlap.  Both sums of matrices together are one XOR of t with t shifted by n/2, which takes 3n/2 - 1 gates.
#
# The halving ends with many small products of equal size.  They are written on planes, as in ``karatsuba``.

def toeplitz_product(t: Word, v: Word, halt: int) -> Word:
    """Product of a square Toeplitz matrix with a vector.

    Parameters
    ----------
    t : Word
        2n - 1 bits: row i, column j of the matrix is bit i - j + n - 1.
    v : Word
        n bits, bit j for column j.
    halt : int
        Matrices of at most this many rows are multiplied by the definition.  Before an odd number of rows is halved, a row and a
        column of zeros are added.

    Returns
    -------
    Word
        n bits, bit i for row i.

    Raises
    ------
    ValueError
        If the widths do not fit, or ``halt`` is below 1.
    """
    n = v.width
    if t.width != 2 * n - 1:
        raise ValueError(f"toeplitz_product: a matrix of {n} rows has {2 * n - 1} diagonals, not {t.width}")
    if halt < 1:
        raise ValueError(f"toeplitz_product: halt must be at least 1, not {halt}")
    sizes = [n]
    lanes = [(t, v)]
    while sizes[-1] > halt:
        half = -(-sizes[-1] // 2)
        lanes = [third for matrix, vector in lanes for third in _halves(matrix, vector, half)]
        sizes.append(half)
    parts = _small_products([matrix for matrix, _ in lanes], [vector for _, vector in lanes], sizes[-1])
    for size in reversed(sizes[:-1]):
        parts = [join([upper ^ shared, lower ^ shared]).extend(size) for upper, lower, shared in zip(parts[0::3], parts[1::3], parts[2::3])]
    return parts[0]


def _halves(t: Word, v: Word, half: int) -> list[tuple[Word, Word]]:
    """Matrices and vectors of P0, P1 and P2, with ``half`` rows each."""
    if v.width < 2 * half:
        t, v = join([zero(1), t, zero(1)]), v.extend(2 * half)
    low, high = v.part(0, half), v.part(half, half)
    sums = t.part(0, 3 * half - 1) ^ t.part(half, 3 * half - 1)
    diagonals = 2 * half - 1
    return [(sums.part(0, diagonals), high), (sums.part(half, diagonals), low), (t.part(half, diagonals), low ^ high)]


def _small_products(matrices: list[Word], vectors: list[Word], size: int) -> list[Word]:
    diagonals = [plane.anchored() for plane in to_planes(matrices)]
    columns = [plane.anchored() for plane in to_planes(vectors)]
    rows = [xor_all(diagonals[i - j + size - 1] & columns[j] for j in range(size)) for i in range(size)]
    return [lane.anchored() for lane in to_lanes(rows, len(matrices))]


# -- fan hasan ---------------------------------------------------------------------------------------------------------------------

APPROACHES = (1, 2, 3)
FORMS = ("direct", "key")


def matrix_elements(field: Field, approach: int) -> list[list[int]]:
    """The matrix elements that a multiplier computes from a block, each as the set of its terms (``matrix.element``).

    Returns
    -------
    list of list of int
        The elements of the Toeplitz matrix, then those of each run that is multiplied by the definition, in the order of the word u
        in ``matrix``.
    """
    run, *others = toeplitz_runs(field)
    if approach < 3:
        return [run_elements(field, run), *(run_elements(field, other) for other in others)]
    n, rest = field.width, field.width - run.length
    first = (run.start + run.length) % n
    toeplitz = [element(field, first + k, n - 1) for k in range(rest)] + run_elements(field, run)
    groups, position = [toeplitz], 0
    for other in others:
        # Row `position` of the Toeplitz matrix is the first row of this run.  Its elements end with diagonal position + n - 1.
        theirs = run_elements(field, other)
        groups.append([own ^ diagonal for own, diagonal in zip(theirs, toeplitz[position:])])
        position += other.length
    return groups


def element_words(field: Field, a: Word, approach: int) -> list[Word]:
    """The elements of the matrix of a block as words, in the groups of ``matrix_elements``."""
    block = coefficients(field, a)
    return [linear_word(block, rows) for rows in matrix_elements(field, approach)]


def elements_product(field: Field, elements: Sequence[Word], b: Word, halt: int, approach: int) -> Word:
    """The product of two blocks, where the elements of the matrix of one block are given.

    Parameters
    ----------
    field : Field
        The field.
    elements : sequence of Word
        From ``element_words``.
    b : Word
        The other block.
    halt : int
        Toeplitz matrices of at most this many rows are multiplied by the definition.
    approach : int
        1, 2 or 3.

    Returns
    -------
    Word
        ``field.mul`` of both blocks.
    """
    n = field.width
    vector = coefficients(field, b)
    run, *others = toeplitz_runs(field)
    u, rest = elements[0], n - run.length
    rows = [(word, other.length) for word, other in zip(elements[1:], others)]
    if approach == 3:
        product = toeplitz_product(u, vector, halt)
        if rest:
            product = product ^ run_product(rows, n, vector).extend(n)
        return in_block_order(field, product, (run.start + run.length) % n)
    if approach == 2:
        product = toeplitz_product(u.part(0, 2 * run.length - 1), vector.part(rest, run.length), halt)
        if rest:
            product = product ^ run_product([(u, run.length)], n, vector, range(rest))
    else:
        product = toeplitz_product(u.extend(2 * n - 1), vector, halt).part(0, run.length)
    if rest:
        product = join([product, run_product(rows, n, vector)])
    return in_block_order(field, product, run.start)


class FanHasanMultiplier(GraphMultiplier):
    """Fan-Hasan multiplier, combinational or with pipeline registers, for any field.

    If the inner exponents of the modulus are close to one end, few rows are multiplied by the definition: 6 for GHASH and POLYVAL,
    39 for x^128 + x^40 + x^2 + x + 1.

    Parameters
    ----------
    field : Field
        The field.
    stages : int
        Registers between input and output, at least 0.
    halt : int
        Toeplitz matrices of at most this many rows are multiplied by the definition, at least 1.
    approach : int
        Approach for the rows outside the Toeplitz matrix: 1, 2 or 3.
    form : str
        ``direct``, or ``key`` if the matrix of ``a`` is in a register.

    Members
    -------
    a : In(width)
        The factor whose matrix is used, a block in the order of the field.
    b : In(width)
        Factor.
    load : In(1)
        Only in the form ``key``: the products of the next and later cycles use the ``a`` of this cycle.  Earlier products are not
        changed.
    o : Out(width)
        Product.

    Attributes
    ----------
    latency : int
        Cycles from ``b`` to the output, equal to ``stages``.  In the form ``direct``, this holds for both inputs.
    interval : int
        Cycles between products, 1.

    Raises
    ------
    TypeError
        If ``field`` is not a ``Field`` or a number is not an ``int``.
    ValueError
        If a number is too small, or there is no such approach or form.
    """

    def __init__(self, field: Field, stages: int = 0, halt: int = 4, *, approach: int = 1, form: str = "direct") -> None:
        check_number(self, "halt", halt, 1)
        check_number(self, "approach", approach, 1)
        if approach not in APPROACHES:
            raise ValueError(f"FanHasanMultiplier: approach must be 1, 2 or 3, not {approach}")
        if form not in FORMS:
            raise ValueError(f"FanHasanMultiplier: form must be direct or key, not {form}")
        self.halt = halt
        self.approach = approach
        self.form = form
        super().__init__(field, stages, **({"load": In(1)} if form == "key" else {}))

    def product(self, a: Word, b: Word) -> Word:
        return elements_product(self.field, element_words(self.field, a, self.approach), b, self.halt, self.approach)

    def elaborate(self, platform: object) -> Module:
        if self.form == "direct":
            return super().elaborate(platform)
        m = Module()
        a, b = Word.input(self.field.width), Word.input(self.field.width)
        made = element_words(self.field, a, self.approach)
        matrix = Signal(sum(word.width for word in made), reset_less=True)
        with m.If(self.load):
            m.d.sync += matrix.eq(lower(join(made), {a: self.a}, module=m))
        held = [Word.input(word.width) for word in made]
        values, position = {b: self.b}, 0
        for word in held:
            values[word] = matrix[position : position + word.width]
            position += word.width
        product = elements_product(self.field, held, b, self.halt, self.approach)
        cuts = place_cuts(product, self.stages, at_output=False)
        m.d.comb += self.o.eq(lower(product, values, module=m, cuts=cuts))
        return m
