# SPDX-License-Identifier: Apache-2.0
"""The AES key expansion (FIPS 197, 5.2) on bytes, for the cipher and for the equivalent inverse cipher (5.3.5).

Byte order: byte r + 4c of a round key meets row r, column c of the state.
"""

from __future__ import annotations

from functools import cache

from .aes import KEY_BYTES
from .checks import check_bytes

__all__ = ["inverse_round_keys", "round_keys"]


@cache
def _powers() -> tuple[tuple[int, ...], dict[int, int]]:
    """Powers of x + 1, which generates the multiplicative group, and the logarithms to it."""
    powers, value = [], 1
    for _ in range(255):
        powers.append(value)
        value ^= value << 1 ^ (0x11B if value & 0x80 else 0)
    return tuple(powers), {power: n for n, power in enumerate(powers)}


def _product(a: int, b: int) -> int:
    powers, logarithm = _powers()
    return powers[(logarithm[a] + logarithm[b]) % 255] if a and b else 0


@cache
def _sub_bytes() -> bytes:
    """The S-box as a table: the inverse, then an affine map, whose matrix is circulant (5.1.1)."""
    powers, logarithm = _powers()
    table = bytearray()
    for value in range(256):
        inverse = powers[-logarithm[value] % 255] if value else 0
        mapped = 0x63
        for shift in range(5):
            mapped ^= (inverse << shift | inverse >> (8 - shift)) & 0xFF
        table.append(mapped)
    return bytes(table)


def round_keys(key: bytes) -> list[bytes]:
    """Round keys 0 … 10, 12 or 14 of a cipher key, 16 bytes each.

    Raises
    ------
    TypeError
        *key* is not bytes.
    ValueError
        *key* has another length than 16, 24 or 32.
    """
    key = check_bytes("AES key", key)
    if len(key) not in KEY_BYTES:
        raise ValueError(f"AES key must be 16, 24 or 32 bytes, not {len(key)}")
    words = len(key) // 4
    expanded, constant = bytearray(key), 1
    for i in range(words, 4 * (words + 7)):
        word = bytes(expanded[-4:])
        if i % words == 0:
            word = (word[1:] + word[:1]).translate(_sub_bytes())
            word = bytes([word[0] ^ constant]) + word[1:]
            constant = _product(constant, 2)
        elif words == 8 and i % 8 == 4:
            word = word.translate(_sub_bytes())
        expanded += bytes(a ^ b for a, b in zip(word, expanded[-4 * words :], strict=False))
    return [bytes(expanded[n : n + 16]) for n in range(0, len(expanded), 16)]


def _inv_mix_columns(block: bytes) -> bytes:
    mixed = bytearray()
    for column in (block[n : n + 4] for n in range(0, 16, 4)):
        for row in range(4):
            value = 0
            for k, factor in enumerate((14, 11, 13, 9)):
                value ^= _product(factor, column[(row + k) % 4])
            mixed.append(value)
    return bytes(mixed)


def inverse_round_keys(key: bytes) -> list[bytes]:
    """The same for the equivalent inverse cipher, in the order of :func:`round_keys`: InvMixColumns of all but the first and the last."""
    first, *inner, last = round_keys(key)
    return [first, *map(_inv_mix_columns, inner), last]
