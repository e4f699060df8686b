# SPDX-License-Identifier: Apache-2.0
"""Poly against values worked out by hand, equation (1) of brw2013 and the three chains of its section 4.5."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeloom_golden import brw, ghash, ghash_mul, poly
from modeloom_golden.checks import xor

BLOCKS = st.binary(min_size=16, max_size=16)


def element(*exponents):
    """The sum of the powers x^exponent, bit by bit: x^0 is the top bit of byte 0."""
    bits = ["1" if i in exponents else "0" for i in range(128)]
    return int("".join(bits), 2).to_bytes(16, "big")


ZERO, ONE, X = element(), element(0), element(1)


def power(h, exponent):
    result = ONE
    for _ in range(exponent):
        result = ghash_mul(result, h)
    return result


@pytest.mark.parametrize(
    ("h", "blocks", "value"),
    [
        (X, [], ZERO),
        (X, [element(5, 127)], element(5, 127)),
        (X, [ONE, ONE, ONE], element(2, 1, 0)),
        # x · x² + x · x + x³: the outer terms cancel.
        (X, [X, X, element(3)], element(2)),
        # (1 + x)² · (1 + x) + 1 = 1 + x + x² + x³ + 1
        (element(0, 1), [element(0, 1), ZERO, ONE], element(1, 2, 3)),
        # x · x^127 = x^7 + x^2 + x + 1
        (element(127), [X, ONE], element(7, 2, 1)),
    ],
)
def test_by_hand(h, blocks, value):
    assert poly(h, blocks) == value


@pytest.mark.parametrize(
    ("blocks", "value"),
    [
        ([ONE, ONE], element(1, 0)),
        # (x + 1)(x² + 1) + 1
        ([ONE, ONE, ONE], element(3, 2, 1)),
        # (x³ + x² + x)(x⁴ + 1)
        ([ONE, ONE, ONE, ONE], element(7, 6, 5, 3, 2, 1)),
        # … + (x⁵ x + x³), the pair after the first four
        ([ONE, ONE, ONE, ONE, element(3), element(5)], element(7, 5, 2, 1)),
    ],
)
def test_brw_by_hand_at_h_equal_x(blocks, value):
    assert brw(X, blocks) == value


@given(h=BLOCKS, x=st.lists(BLOCKS, max_size=12))
def test_sum_of_equation_1(h, x):
    m = len(x)
    assert poly(h, x) == xor(ZERO, *(ghash_mul(x[i - 1], power(h, m - i)) for i in range(1, m + 1)))


@given(h=BLOCKS, x=st.lists(BLOCKS, min_size=31, max_size=31))
def test_three_chains_of_section_4_5(h, x):
    # h Poly_h(P_1 … P_31) = h(p_1 + p_2 + p_3), each p_j a Horner chain in h³.
    h2, h3 = power(h, 2), power(h, 3)
    p1, p2, p3 = poly(h3, x[0::3]), ghash_mul(h2, poly(h3, x[1::3])), ghash_mul(h, poly(h3, x[2::3]))
    assert (len(x[0::3]), len(x[1::3]), len(x[2::3])) == (11, 10, 10)
    assert ghash_mul(h, poly(h, x)) == ghash_mul(h, xor(p1, p2, p3))


@given(h=BLOCKS, x=st.lists(BLOCKS, max_size=8))
def test_h_times_poly_is_ghash(h, x):
    assert ghash_mul(h, poly(h, x)) == ghash(h, x)


@given(h=BLOCKS, x=st.lists(BLOCKS, max_size=2))
def test_brw_and_poly_count_from_opposite_ends(h, x):
    # H_h(X_1, X_2) = X_2 h + X_1, Poly_h(X_1, X_2) = X_1 h + X_2.
    assert poly(h, x) == brw(h, x[::-1])


def test_what_is_refused():
    with pytest.raises(ValueError, match="hash key must be 16 bytes"):
        poly(bytes(15), [])
    with pytest.raises(ValueError, match="block must be 16 bytes"):
        poly(bytes(16), [bytes(17)])
    with pytest.raises(TypeError, match="must be bytes"):
        poly(bytes(16), [1])
