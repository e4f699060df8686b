# SPDX-License-Identifier: Apache-2.0
"""GF(2^128) on blocks of 16 bytes, in the three orders that the standards use.

::

    order    coefficient of x^i            modulus                             used by
    GHASH    byte i // 8, bit 7 - i % 8    x^128 + x^7 + x^2 + x + 1           GCM, HEH, modes of tes2010
    XTS      byte i // 8, bit i % 8        x^128 + x^7 + x^2 + x + 1           XTS, EME
    POLYVAL  byte i // 8, bit i % 8        x^128 + x^127 + x^126 + x^121 + 1   HCTR2

                  byte 0            byte 1                 byte 15
    GHASH     | x^0 ... x^7  |  x^8 ... x^15  | ... | x^120 ... x^127 |   most significant bit at the left
    others    | x^7 ... x^0  | x^15 ... x^8   | ... | x^127 ... x^120 |   most significant bit at the left

A block becomes an ``int`` whose bit i is the coefficient of x^i; products of such numbers are the same in each order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from .checks import BLOCK_BYTES, check_block, xor

_MASK64 = (1 << 64) - 1
_MASK128 = (1 << 128) - 1
_REVERSED_BYTE = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def ghash_mul(a: bytes, b: bytes) -> bytes:
    """The product a · b in GHASH order. SP 800-38D, section 6.3."""
    return _to_ghash(_reduce(_carryless(_from_ghash("a", a), _from_ghash("b", b))))


def ghash_double(a: bytes) -> bytes:
    """x · a in GHASH order (mulX_GHASH of RFC 8452, appendix A; the xA of the papers)."""
    return _to_ghash(_reduce(_from_ghash("a", a) << 1))


def ghash_inverse(a: bytes) -> bytes:
    """The b with a · b = 1 in GHASH order; ValueError for a = 0."""
    if not any(check_block("a", a)):
        raise ValueError("zero has no inverse")
    # a^(2^128 - 2): the exponent is 2 + 4 + … + 2^127.
    square = inverse = ghash_mul(a, a)
    for _ in range(126):
        square = ghash_mul(square, square)
        inverse = ghash_mul(inverse, square)
    return inverse


def xts_double(a: bytes) -> bytes:
    """x · a in the little-endian order of XTS. IEEE 1619-2007, section 5.2."""
    return _reduce(int.from_bytes(check_block("a", a), "little") << 1).to_bytes(BLOCK_BYTES, "little")


def polyval_dot(a: bytes, b: bytes) -> bytes:
    """dot(a, b) = a · b · x^-128 in POLYVAL order. RFC 8452, section 3."""
    product = _carryless(int.from_bytes(check_block("a", a), "little"), int.from_bytes(check_block("b", b), "little"))
    # The modulus is 1 below x^64, so adding low · modulus clears 64 coefficients: two exact divisions by x^64.
    for _ in range(2):
        low = product & _MASK64
        product = (product >> 64) ^ (low << 57) ^ (low << 62) ^ (low << 63) ^ (low << 64)
    return product.to_bytes(BLOCK_BYTES, "little")


def _from_ghash(name: str, block: bytes) -> int:
    return int.from_bytes(check_block(name, block).translate(_REVERSED_BYTE), "little")


def _to_ghash(element: int) -> bytes:
    return element.to_bytes(BLOCK_BYTES, "little").translate(_REVERSED_BYTE)


def _carryless(a: int, b: int) -> int:
    """Product of two polynomials over GF(2), four coefficients of *b* at a time."""
    multiples = [0, a]
    for i in range(2, 16):
        multiples.append(multiples[i // 2] << 1 ^ (a if i & 1 else 0))
    product = 0
    for shift in range((b.bit_length() + 3) // 4 * 4 - 4, -4, -4):
        product = product << 4 ^ multiples[b >> shift & 15]
    return product


def _reduce(polynomial: int) -> int:
    """*polynomial* modulo x^128 + x^7 + x^2 + x + 1."""
    while high := polynomial >> 128:
        polynomial = polynomial & _MASK128 ^ high ^ high << 1 ^ high << 2 ^ high << 7
    return polynomial


# -- polynomial hash ---------------------------------------------------------------------------------------------------------------------

# The normal polynomial Poly_h by Horner's rule. brw2013, equation (1).
#
# Blocks are field elements in GHASH order (see :mod:`modeloom_golden.field`), numbered X_1 … X_m::
#
#     Poly_h(X_1 … X_m) = X_1 h^(m-1) + X_2 h^(m-2) + … + X_(m-1) h + X_m
#
# The last block is not multiplied: GHASH without its length block is h · Poly_h.

def poly(h: bytes, blocks: Sequence[bytes]) -> bytes:
    """Poly_h(X_1, …, X_m): 16 bytes; zero for no blocks.

    Parameters
    ----------
    h : bytes
        The hash key, 16 bytes.
    blocks : sequence of bytes
        m blocks of 16 bytes.

    Raises ``TypeError`` or ``ValueError`` if the key or a block is not 16 bytes.
    """
    h = check_block("hash key", h)
    total = bytes(BLOCK_BYTES)
    for block in blocks:
        total = xor(ghash_mul(total, h), check_block("block", block))
    return total


# -- POLYVAL and GHASH -------------------------------------------------------------------------------------------------------------------

# POLYVAL and GHASH: Horner's rule over a list of blocks.
#
# Byte and bit orders are those of :mod:`modeloom_golden.field`; blocks are hashed in the order of the list::
#
#     S_0 = 0,  S_i = (S_{i-1} + X_i) * H,  result S_m      with * = dot for POLYVAL, the product for GHASH

def polyval(h: bytes, blocks: Iterable[bytes]) -> bytes:
    """POLYVAL(H, X_1, …, X_m): 16 bytes; zero for no blocks. RFC 8452, section 3."""
    return _horner(h, blocks, polyval_dot)


def ghash(h: bytes, blocks: Iterable[bytes]) -> bytes:
    """GHASH_H(X_1 ‖ … ‖ X_m): 16 bytes; zero for no blocks. SP 800-38D, algorithm 2."""
    return _horner(h, blocks, ghash_mul)


def _horner(h: bytes, blocks: Iterable[bytes], product: Callable[[bytes, bytes], bytes]) -> bytes:
    h = check_block("hash key", h)
    total = bytes(BLOCK_BYTES)
    for block in blocks:
        total = product(xor(total, check_block("block", block)), h)
    return total
