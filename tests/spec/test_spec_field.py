# SPDX-License-Identifier: Apache-2.0
"""The field of ``spec`` against the independent one of ``modeloom_golden``, and its laws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import modeloom_golden as golden
from modeloom.spec import GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER, Field
from modeloom.spec.field import clmul, is_irreducible

BLOCK = st.integers(0, (1 << 128) - 1)
FIELDS = [GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER, Field("toy", 64, (1 << 64) | 0x1B)]


def data(block: int) -> bytes:
    return block.to_bytes(16, "little")


@given(BLOCK, BLOCK)
def test_products_are_those_of_the_references(a: int, b: int) -> None:
    assert data(GHASH_ORDER.mul(a, b)) == golden.ghash_mul(data(a), data(b))
    assert data(POLYVAL_ORDER.mul(a, b)) == golden.polyval_dot(data(a), data(b))


@given(BLOCK)
def test_doubling_is_that_of_the_references(a: int) -> None:
    assert data(GHASH_ORDER.scale(a, 1)) == golden.ghash_double(data(a))
    assert data(XTS_ORDER.scale(a, 1)) == golden.xts_double(data(a))


@pytest.mark.parametrize("field", FIELDS, ids=lambda f: f.name)
@given(a=BLOCK, b=BLOCK, c=BLOCK, k=st.integers(-300, 300))
def test_laws(field: Field, a: int, b: int, c: int, k: int) -> None:
    mask = (1 << field.width) - 1
    a, b, c = a & mask, b & mask, c & mask
    assert field.mul(a, b) == field.mul(b, a)
    assert field.mul(a, field.mul(b, c)) == field.mul(field.mul(a, b), c)
    assert field.mul(a, b ^ c) == field.mul(a, b) ^ field.mul(a, c)
    assert field.mul(a, field.one) == a
    assert field.scale(field.scale(a, k), -k) == a
    assert field.mul(field.scale(a, k), b) == field.scale(field.mul(a, b), k)
    assert field.power(a, 5) == field.mul(a, field.mul(field.mul(a, a), field.mul(a, a)))


@given(BLOCK, BLOCK)
def test_carryless_product(a: int, b: int) -> None:
    total = 0
    for i in range(128):
        if b >> i & 1:
            total ^= a << i
    assert clmul(a, b) == total


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("x", 12, 0x1001), "multiple of 8"), (("x", 128, 0x87), "degree 128"), (("x", 8, 0x102), "degree 8")],
)
def test_wrong_fields(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Field(*arguments)


def test_power_needs_an_exponent() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        GHASH_ORDER.power(1, 0)


def test_small_irreducible_polynomials() -> None:
    """Against division by every smaller polynomial."""

    def divides(a: int, b: int) -> bool:
        while b.bit_length() >= a.bit_length():
            b ^= a << b.bit_length() - a.bit_length()
        return b == 0

    for modulus in range(3, 1 << 10, 2):
        wanted = not any(divides(a, modulus) for a in range(2, 1 << modulus.bit_length() - 1))
        assert is_irreducible(modulus) == wanted, bin(modulus)


@pytest.mark.parametrize("modulus", [(1 << 128) | 0x87, (1 << 256) | 0x425, (1 << 64) | 0x1B, POLYVAL_ORDER.modulus])
def test_large_irreducible_polynomials(modulus: int) -> None:
    assert is_irreducible(modulus)
    for other in (clmul(modulus, modulus), clmul(modulus, 0x13), clmul(0x425 | 1 << 256, 0x87 | 1 << 128), modulus ^ 4):
        assert not is_irreducible(other)


def test_a_ring_is_no_field() -> None:
    assert not Field("ring", 128, (1 << 128) | 0x89).irreducible and GHASH_ORDER.irreducible


def test_irreducible_polynomials_are_those_without_divisors():
    """Every polynomial of degree 1 to 9, by division."""
    composite = {clmul(a, b) for a in range(2, 1 << 9) for b in range(2, 1 << 9)}
    for modulus in range(2, 1 << 10):
        assert is_irreducible(modulus) == (modulus not in composite), bin(modulus)
