# SPDX-License-Identifier: Apache-2.0
"""Toeplitz products: structure, all pairs of basis vectors, sizes that are no power of two."""

import random

import pytest

from modeloom.rtl.gf128.fan_hasan import toeplitz_product
from modeloom.rtl.gf128.words import Word, bit_depth, evaluate, gate_counts, variables_of

SIZES = [(1, 1), (2, 1), (3, 1), (5, 2), (7, 7), (8, 2), (12, 3), (16, 4), (24, 1), (61, 8), (89, 4)]


@pytest.mark.parametrize(("n", "halt"), SIZES)
def test_products_by_the_definition(n, halt):
    t, v = Word.input(2 * n - 1), Word.input(n)
    product = toeplitz_product(t, v, halt)
    assert variables_of(product) == {(t, v)}
    source = random.Random(n)
    for _ in range(10):
        x, y = source.getrandbits(2 * n - 1), source.getrandbits(n)
        rows = [sum(x >> i - j + n - 1 & y >> j & 1 for j in range(n)) & 1 for i in range(n)]
        assert evaluate(product, {t: x, v: y}) == sum(bit << i for i, bit in enumerate(rows))


def test_all_pairs_of_basis_vectors():
    """16 rows, every diagonal with every element of the vector."""
    n = 16
    t, v = Word.input(2 * n - 1), Word.input(n)
    product = toeplitz_product(t, v, 2)
    for k in range(2 * n - 1):
        for j in range(n):
            row = k + j - (n - 1)
            assert evaluate(product, {t: 1 << k, v: 1 << j}) == (1 << row if 0 <= row < n else 0)


def test_gates_of_a_step():
    """3n/2 - 1 for both sums of matrices, n/2 for the vectors, n for the results, one level before and one behind the products."""
    for n in (4, 8, 16, 32, 64, 128):
        whole, half = (toeplitz_product(Word.input(2 * m - 1), Word.input(m), 2) for m in (n, n // 2))
        assert gate_counts(whole)[0] == 3 * gate_counts(half)[0]
        assert gate_counts(whole)[1] == 3 * gate_counts(half)[1] + 3 * n // 2 - 1 + n // 2 + n
        assert whole.depth == half.depth + 2 == bit_depth(whole)


def test_gates_down_to_single_elements():
    """Table 3.3's formula of Fan and Hasan, 5.5 m^log2 3 - 5m - 0.5, has m - 1 gates for the elements of a matrix (of a trinomial)."""
    ands, xors = gate_counts(toeplitz_product(Word.input(255), Word.input(128), 1))
    assert ands == 3**7
    assert xors + 127 == (11 * 3**7 - 10 * 128 - 1) // 2


def test_parameters_are_checked():
    with pytest.raises(ValueError, match="a matrix of 4 rows has 7 diagonals, not 8"):
        toeplitz_product(Word.input(8), Word.input(4), 2)
    with pytest.raises(ValueError, match="halt must be at least 1, not 0"):
        toeplitz_product(Word.input(7), Word.input(4), 0)
