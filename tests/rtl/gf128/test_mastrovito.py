# SPDX-License-Identifier: Apache-2.0
"""Mastrovito's multiplier is proved like the others: its graph is bilinear, and all pairs of basis blocks give the right block."""

import pytest
from tests.rtl.gf128.bench import FIELDS, name_of
from tests.rtl.gf128.bitslice import basis_products, expected_products

from modeloom.rtl.gf128.mastrovito import MastrovitoMultiplier
from modeloom.rtl.gf128.words import Word, bit_depth, gate_counts, variables_of
from modeloom.spec.field import GHASH_ORDER
from modeloom_circuits.contract import X40_ORDER


@pytest.mark.parametrize("field", [*FIELDS, X40_ORDER], ids=name_of)
def test_structure_is_bilinear_and_all_basis_pairs(field):
    a, b = Word.input(field.width), Word.input(field.width)
    product = MastrovitoMultiplier(field).product(a, b)
    assert variables_of(product) == {(a, b)}
    assert basis_products(product, a, b, field) == expected_products(field)


def test_depth():
    """T_A + (log2 128 + log2 (6 + 1)) T_X, section 3.2."""
    product = MastrovitoMultiplier(GHASH_ORDER).product(Word.input(128), Word.input(128))
    assert product.depth == bit_depth(product) == 1 + 7 + 3
    assert gate_counts(product) == (128 * 128, 128 * 127 + 784)


def test_another_field_would_be_noticed():
    a, b = Word.input(128), Word.input(128)
    product = MastrovitoMultiplier(X40_ORDER).product(a, b)
    assert basis_products(product, a, b, X40_ORDER) != expected_products(GHASH_ORDER)


def test_parameters_are_checked():
    with pytest.raises(TypeError, match="MastrovitoMultiplier: field must be a Field"):
        MastrovitoMultiplier("ghash")
    with pytest.raises(TypeError, match="stages must be an int, not True"):
        MastrovitoMultiplier(GHASH_ORDER, True)
    with pytest.raises(ValueError, match="stages must be at least 0, not -1"):
        MastrovitoMultiplier(GHASH_ORDER, -1)
