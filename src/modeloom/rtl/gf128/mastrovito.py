# SPDX-License-Identifier: Apache-2.0
"""Mastrovito's multiplier: the matrix of one factor times the other factor as a vector.  gcm2008, section 3.2.

::

    a ── elements of the matrix ── n columns ── AND each with its bit of b ── tree of XORs ── o
         784 XORs for GHASH                     n^2                           n^2 - n

The elements come from ``matrix``.  Each element is computed once, although it occurs several times on its diagonal.  Of all multipliers
here, this one has the smallest depth and three times the size of the others.  For n = 128, the path is 1 AND and 7 XORs after at most
3 XORs for an element of GHASH.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from modeloom.rtl.gf128.multiplier import GraphMultiplier
from modeloom.rtl.gf128.words import Word, join, reverse_in_bytes, spread, xor_all, zero
from modeloom.spec.field import Field

__all__ = [
    "MastrovitoMultiplier", "Run", "coefficients", "element", "in_block_order", "linear_word", "matrix_gates", "matrix_product",
    "matrix_words", "run_elements", "run_product", "toeplitz_runs",
]  # fmt: skip


# The matrix of a multiplication by a block: gcm2008, section 3.1, for any field.
#
#     c = a * b * x^factor = P b        column j of P is a * x^(j + factor), row i holds the coefficients of x^i
#
#     GHASH:   row 1    ▒▒▒▒▒▒▒▒    1 row             From one column to the next, each row takes the element above it.  The rows of
#              rows 2   ░░░░░░░░                      the exponents of the modulus add the element that leaves at the bottom.
#               to 6    ░░░░░░░░    5 rows            Equal elements therefore lie on diagonals, in runs of rows between two exponents.
#              row 7    ████████                      Row 0 continues after row 127, so it lengthens the last run if it is moved to
#                …      ████████    122 rows          the bottom (gcm2008, section 3.4.2).
#              row 127  ████████
#              row 0    ████████
#
# A run of L rows and C columns has L + C - 1 elements.  They form a word u, from the top right corner to the bottom left corner: row i,
# column j of the run is u[i - j + C - 1].  A column is therefore a slice of u.

@dataclass(frozen=True)
class Run:
    """Rows whose diagonals have equal elements.

    Attributes
    ----------
    start : int
        The first row.
    length : int
        Number of rows: ``start``, ``start + 1``, …, modulo the number of coefficients.
    """

    start: int
    length: int


def toeplitz_runs(field: Field) -> list[Run]:
    """The runs of the matrix of a field: the longest run, then the runs that follow it.  Each row occurs once.

    Together they are all rows in rising order from ``start`` of the first run, modulo n.
    """
    n = field.width
    starts = [e for e in range(1, n) if field.modulus >> e & 1] or [0]
    runs = [Run(start, (following - start - 1) % n + 1) for start, following in zip(starts, starts[1:] + starts[:1])]
    longest = max(range(len(runs)), key=lambda i: runs[i].length)
    return runs[longest:] + runs[:longest]


@lru_cache(maxsize=16)
def _sequences(field: Field) -> tuple[int, ...]:
    """For each row r, an integer whose bit k is the coefficient of x^r in x^(k + factor)."""
    rows = [0] * field.width
    power = field.x_power(field.factor)
    for k in range(2 * field.width - 1):
        for row in range(field.width):
            rows[row] |= (power >> row & 1) << k
        power = field.reduce(power << 1)
    return tuple(rows)


def element(field: Field, row: int, column: int) -> int:
    """An element of the matrix.  Bit m is set if the coefficient of x^m of the block is one of its terms."""
    return _sequences(field)[row % field.width] >> column & (1 << field.width) - 1


def run_elements(field: Field, run: Run, columns: int | None = None) -> list[int]:
    """Elements of the first ``columns`` columns of a run (default: all columns), in the order of the word u."""
    columns = columns or field.width
    right_to_left = [element(field, run.start, column) for column in reversed(range(columns))]
    return right_to_left + [element(field, run.start + i, 0) for i in range(1, run.length)]


def matrix_gates(rows: Sequence[int]) -> int:
    """XOR gates for elements without sharing: the number of terms minus one (gcm2008, Fig. 3.2; 784 for all elements of GHASH)."""
    return sum(row.bit_count() - 1 for row in rows if row)


def linear_word(word: Word, rows: Sequence[int]) -> Word:
    """A linear map: bit i of the result is the XOR of the bits of ``word`` that ``rows[i]`` selects.

    Each bit is computed separately, with one XOR less than it has terms.  The depth is that of a tree for the longest sum.
    """
    width = max(word.width, len(rows))
    slots: list[dict[int, int]] = []
    for position, row in enumerate(rows):
        terms = [i for i in range(row.bit_length()) if row >> i & 1]
        slots.extend({} for _ in range(len(terms) - len(slots)))
        for slot, term in zip(slots, terms):
            slot[position - term] = slot.get(position - term, 0) | 1 << position
    wide = word.extend(width)
    words = []
    for slot in slots:
        merged = zero(width)
        for distance, mask in sorted(slot.items()):
            merged = merged | ((wide << distance) & mask)
        words.append(merged)
    return xor_all(words or [zero(width)]).extend(len(rows))


def run_product(runs: Sequence[tuple[Word, int]], columns: int, b: Word, chosen: range | None = None) -> Word:
    """Product of runs with a vector, by the definition: an AND for each element, then a tree of XORs.  The runs are stacked vertically.

    Parameters
    ----------
    runs : sequence of (Word, int)
        The word u of each run, with at least ``length + columns - 1`` bits, and its number of rows.
    columns : int
        Number of columns of the runs.  Each column uses one bit of ``b``.
    b : Word
        The vector in the order of the columns.
    chosen : range, optional
        The columns to use.  The default is all columns.

    Returns
    -------
    Word
        One bit for each row.  The first run has the lowest bits.
    """
    height = sum(length for _, length in runs)
    ones = (1 << height) - 1
    return xor_all(
        join([u.part(columns - 1 - j, length) for u, length in runs]) & spread(b.part(j, 1), height, ones)
        for j in chosen or range(columns)
    )


def coefficients(field: Field, block: Word) -> Word:
    """A block with coefficient i in bit i.  This takes wires only."""
    return reverse_in_bytes(block).anchored() if field.bytewise_reversed else block


def in_block_order(field: Field, product: Word, start: int) -> Word:
    """The block of a product whose bit i is the coefficient of x^((start + i) mod n).  This takes wires only."""
    rows = product.width
    turned = join([product.part(rows - start, start), product.part(0, rows - start)]) if start else product
    return reverse_in_bytes(turned) if field.bytewise_reversed else turned


def matrix_words(field: Field, a: Word) -> list[tuple[Word, int]]:
    """The runs of the matrix of a block: for each run, the word of its elements and its number of rows."""
    block = coefficients(field, a)
    return [(linear_word(block, run_elements(field, run)), run.length) for run in toeplitz_runs(field)]


def matrix_product(field: Field, runs: list[tuple[Word, int]], b: Word) -> Word:
    """The product of a matrix with a block: n^2 ANDs, n^2 - n XORs and depth 1 + log2 n if no element is 0."""
    product = run_product(runs, field.width, coefficients(field, b))
    return in_block_order(field, product, toeplitz_runs(field)[0].start)


class MastrovitoMultiplier(GraphMultiplier):
    """Mastrovito's multiplier, combinational or with pipeline registers.  See ``GraphMultiplier`` for ports and parameters.

    It works for all fields, with any modulus, bit order and factor.
    """

    def product(self, a: Word, b: Word) -> Word:
        return matrix_product(self.field, matrix_words(self.field, a), b)
