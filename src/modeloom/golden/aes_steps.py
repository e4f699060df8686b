# SPDX-License-Identifier: Apache-2.0
"""Single steps of AES from their definitions in FIPS 197.  They are slow, short, and independent of the tables of the hardware.

Bit i of a byte is the coefficient of x^i in GF(2)[x] / (x^8 + x^4 + x^3 + x + 1). A column has four bytes, with row 0 first.
"""

from __future__ import annotations

from functools import cache

__all__ = ["inv_mix_column", "inv_sub_byte", "mix_column", "sub_byte"]


@cache
def _multiply(a: int, b: int) -> int:
    product = 0
    for n in range(8):
        product ^= (a << n) * (b >> n & 1)
    for n in range(14, 7, -1):
        product ^= (0x11B << n - 8) * (product >> n & 1)
    return product


@cache
def _substitution() -> bytes:
    """FIPS 197, 5.1.1: the inverse found by search, the affine map bit by bit."""
    table = bytearray()
    for x in range(256):
        b = next((y for y in range(256) if _multiply(x, y) == 1), 0)
        bits = [sum(b >> (i + step) % 8 & 1 for step in (0, 4, 5, 6, 7)) + (0x63 >> i & 1) & 1 for i in range(8)]
        table.append(sum(bit << i for i, bit in enumerate(bits)))
    return bytes(table)


def sub_byte(x: int) -> int:
    """The S-box."""
    return _substitution()[x]


def inv_sub_byte(y: int) -> int:
    """The inverse S-box."""
    return _substitution().index(y)


def _circulant(row: tuple[int, int, int, int], column: bytes) -> bytes:
    result = bytearray()
    for r in range(4):
        value = 0
        for c in range(4):
            value ^= _multiply(row[(c - r) % 4], column[c])
        result.append(value)
    return bytes(result)


def mix_column(column: bytes) -> bytes:
    """MixColumns of one column, FIPS 197, 5.1.3."""
    return _circulant((2, 3, 1, 1), column)


def inv_mix_column(column: bytes) -> bytes:
    """InvMixColumns of one column, FIPS 197, 5.3.3."""
    return _circulant((14, 11, 13, 9), column)
