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

from modeloom.rtl.gf128.matrix import coefficients, in_block_order, linear_word, run_elements, run_product, toeplitz_runs
from modeloom.rtl.gf128.multiplier import GraphMultiplier
from modeloom.rtl.gf128.words import Word
from modeloom.spec.field import Field

__all__ = ["MastrovitoMultiplier", "matrix_product", "matrix_words"]


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
