# SPDX-License-Identifier: Apache-2.0
"""GF(2^128): published values, the laws of a field, and a coefficient-by-coefficient product."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeloom_golden import ghash_double, ghash_inverse, ghash_mul, polyval_dot, xts_double
from modeloom_golden.checks import xor

BLOCKS = st.binary(min_size=16, max_size=16)
ZERO = bytes(16)
GHASH_ONE = b"\x80" + bytes(15)
GHASH_X = b"\x40" + bytes(15)
# x^128 modulo x^128 + x^127 + x^126 + x^121 + 1: the neutral element of dot.
DOT_ONE = bytes.fromhex("010000000000000000000000000000c2")


def product_by_definition(a, b, position, modulus):
    """Schoolbook product of coefficient lists; *position* gives byte and bit of each coefficient."""
    coefficients = [[block[position(i)[0]] >> position(i)[1] & 1 for i in range(128)] for block in (a, b)]
    result = [0] * 255
    for i in range(128):
        for j in range(128):
            result[i + j] ^= coefficients[0][i] & coefficients[1][j]
    for i in range(254, 127, -1):
        if result[i]:
            for exponent in modulus:
                result[i - 128 + exponent] ^= 1
    block = bytearray(16)
    for i in range(128):
        byte, bit = position(i)
        block[byte] |= result[i] << bit
    return bytes(block)


def ghash_position(i):
    return i // 8, 7 - i % 8


def little_endian_position(i):
    return i // 8, i % 8


def test_rfc8452_appendix_a():
    # The values that RFC 8452, section 7 and appendix A print.
    a = bytes.fromhex("66e94bd4ef8a2c3b884cfa59ca342b2e")
    b = bytes.fromhex("ff000000000000000000000000000000")
    assert polyval_dot(a, b).hex() == "ebe563401e7e91ea3ad6426b8140c394"
    assert ghash_double(bytes.fromhex("01000000000000000000000000000000")).hex() == "00800000000000000000000000000000"
    assert ghash_double(bytes.fromhex("9c98c04df9387ded828175a92ba652d8")).hex() == "4e4c6026fc9c3ef6c140bad495d3296c"


def test_xts_double_feedback():
    # IEEE 1619-2007, section 5.2: shift over the bytes, 0x87 into byte 0 when x^127 leaves.
    assert xts_double(b"\x80" + bytes(15)) == b"\x00\x01" + bytes(14)
    assert xts_double(bytes(15) + b"\x80") == b"\x87" + bytes(15)


def test_ghash_double_feedback():
    assert ghash_double(GHASH_ONE) == GHASH_X
    assert ghash_double(bytes(15) + b"\x01") == b"\xe1" + bytes(15)


@given(BLOCKS, BLOCKS)
def test_ghash_mul_by_definition(a, b):
    assert ghash_mul(a, b) == product_by_definition(a, b, ghash_position, (0, 1, 2, 7))


@given(BLOCKS, BLOCKS)
def test_polyval_dot_by_definition(a, b):
    # dot(a, b) · x^128 = a · b
    product = product_by_definition(a, b, little_endian_position, (0, 121, 126, 127))
    assert product_by_definition(polyval_dot(a, b), DOT_ONE, little_endian_position, (0, 121, 126, 127)) == product


@given(BLOCKS)
def test_doubling_is_the_product_with_x(a):
    assert ghash_double(a) == ghash_mul(a, GHASH_X)
    x = b"\x02" + bytes(15)
    assert xts_double(a) == product_by_definition(a, x, little_endian_position, (0, 1, 2, 7))


@pytest.mark.parametrize(("mul", "one"), [(ghash_mul, GHASH_ONE), (polyval_dot, DOT_ONE)])
@given(a=BLOCKS, b=BLOCKS, c=BLOCKS)
def test_field_laws(mul, one, a, b, c):
    assert mul(a, b) == mul(b, a)
    assert mul(mul(a, b), c) == mul(a, mul(b, c))
    assert mul(a, xor(b, c)) == xor(mul(a, b), mul(a, c))
    assert mul(a, one) == a
    assert mul(a, ZERO) == ZERO


@pytest.mark.parametrize(("mul", "one"), [(ghash_mul, GHASH_ONE), (polyval_dot, DOT_ONE)])
@given(a=BLOCKS.filter(any))
def test_every_element_but_zero_has_an_inverse(mul, one, a):
    # a^(2^128 - 2) is the product of a^(2^i), i from 1 to 127.
    inverse, square = one, a
    for _ in range(127):
        square = mul(square, square)
        inverse = mul(inverse, square)
    assert mul(a, inverse) == one


@given(BLOCKS.filter(any))
def test_ghash_inverse(a):
    assert ghash_mul(a, ghash_inverse(a)) == GHASH_ONE


def test_zero_has_no_inverse():
    with pytest.raises(ValueError, match="zero has no inverse"):
        ghash_inverse(ZERO)


@pytest.mark.parametrize("function", [ghash_mul, polyval_dot])
def test_products_take_blocks_only(function):
    with pytest.raises(ValueError, match="b must be 16 bytes"):
        function(ZERO, bytes(17))
    with pytest.raises(TypeError, match="a must be bytes"):
        function(0, ZERO)


@pytest.mark.parametrize("function", [ghash_double, ghash_inverse, xts_double])
def test_doublings_take_blocks_only(function):
    with pytest.raises(ValueError, match="16 bytes"):
        function(bytes(15))


def test_sums_take_one_length_only():
    with pytest.raises(ValueError, match="cannot add"):
        xor(bytes(16), bytes(15))
