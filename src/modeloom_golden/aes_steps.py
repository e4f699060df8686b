# SPDX-License-Identifier: Apache-2.0
"""Single steps of AES from their definitions in FIPS 197.  They are slow, short, and independent of the tables of the hardware.

Bit i of a byte is the coefficient of x^i in GF(2)[x] / (x^8 + x^4 + x^3 + x + 1). A column has four bytes, with row 0 first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from .checks import check_bytes

__all__ = [
    "decrypt_round", "encrypt_round", "inv_mix_column", "inv_sub_byte", "inverse_form", "inverse_round_keys", "mix_column",
    "round_keys", "sub_byte",
]  # fmt: skip

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


# -- rounds ------------------------------------------------------------------------------------------------------------------------------

# Rounds of AES, byte by byte from FIPS 197, for circuits that are less than a cipher.
#
# Byte r + 4c of a state or round key is row r, column c.

def _mix(state: bytes, step: Callable[[bytes], bytes]) -> bytes:
    return b"".join(step(state[at : at + 4]) for at in range(0, len(state), 4))


def _add(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def encrypt_round(state: bytes, key: bytes, *, last: bool = False) -> bytes:
    """A round of the cipher (5.1), the last one without MixColumns."""
    state = bytes(sub_byte(state[(r + 4 * (c + r)) % 16]) for c in range(4) for r in range(4))
    return _add(state if last else _mix(state, mix_column), key)


def decrypt_round(state: bytes, key: bytes, *, last: bool = False) -> bytes:
    """A round of the equivalent inverse cipher (5.3.5), with its form of the round key."""
    state = bytes(inv_sub_byte(state[(r + 4 * (c - r)) % 16]) for c in range(4) for r in range(4))
    return _add(state if last else _mix(state, inv_mix_column), key)


# -- key schedule ------------------------------------------------------------------------------------------------------------------------

# Round keys of AES, byte by byte from FIPS 197, 5.2 and 5.3.5, for circuits that are less than a cipher.
#
# Byte r + 4c of a round key is row r, column c.

KEY_BYTES = (16, 24, 32)


def round_keys(key: bytes) -> list[bytes]:
    """Round keys 0 … 10, 12 or 14 of a cipher key, 16 bytes each.

    Raises ``TypeError`` if *key* is not bytes, and ``ValueError`` if *key* does not have 16, 24 or 32 bytes.
    """
    key = check_bytes("AES key", key)
    if len(key) not in KEY_BYTES:
        raise ValueError(f"AES key must be 16, 24 or 32 bytes, not {len(key)}")
    count = len(key) // 4
    words = [key[at : at + 4] for at in range(0, len(key), 4)]
    constant = 1
    for n in range(count, 4 * (count + 7)):
        word = words[-1]
        if n % count == 0:
            word = bytes(map(sub_byte, word[1:] + word[:1]))
            word = bytes([word[0] ^ constant]) + word[1:]
            constant = constant << 1 ^ (constant >> 7) * 0x11B
        elif count == 8 and n % count == 4:
            word = bytes(map(sub_byte, word))
        words.append(bytes(a ^ b for a, b in zip(words[-count], word, strict=True)))
    return [b"".join(words[at : at + 4]) for at in range(0, len(words), 4)]


def inverse_form(keys: list[bytes]) -> list[bytes]:
    """Round keys for the equivalent inverse cipher: all except the first and the last with InvMixColumns."""
    first, *inner, last = keys
    return [first, *(b"".join(inv_mix_column(key[at : at + 4]) for at in range(0, 16, 4)) for key in inner), last]


def inverse_round_keys(key: bytes) -> list[bytes]:
    """``inverse_form`` of ``round_keys``."""
    return inverse_form(round_keys(key))
