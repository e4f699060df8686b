# SPDX-License-Identifier: Apache-2.0
"""What is inside of AES, byte by byte from FIPS 197: rounds and round keys, for circuits that are less than a cipher.

Byte r + 4c of a state or round key is row r, column c.
"""

from __future__ import annotations

from functools import cache

__all__ = ["decrypt_round", "encrypt_round", "inverse_form", "round_keys"]


def _multiply(a: int, b: int) -> int:
    """Product in GF(2)[x] / (x^8 + x^4 + x^3 + x + 1)."""
    product = 0
    for bit in range(8):
        product ^= (a << bit) * (b >> bit & 1)
    for bit in range(14, 7, -1):
        product ^= (0x11B << bit - 8) * (product >> bit & 1)
    return product


@cache
def _sbox() -> bytes:
    # The powers of the generator 3 and of its inverse meet at inverse elements.
    inverse = [0] * 256
    a = b = 1
    for _ in range(255):
        inverse[a] = b
        a, b = _multiply(a, 3), _multiply(b, 0xF6)
    table = []
    for y in inverse:
        turned = y | y << 8
        table.append((turned ^ turned >> 4 ^ turned >> 5 ^ turned >> 6 ^ turned >> 7) & 0xFF ^ 0x63)
    return bytes(table)


@cache
def _inv_sbox() -> bytes:
    return bytes(_sbox().index(y) for y in range(256))


def _mix(state: bytes, factors: tuple[int, int, int, int]) -> bytes:
    result = bytearray()
    for column in range(0, len(state), 4):
        for row in range(4):
            value = 0
            for n, factor in enumerate(factors):
                value ^= _multiply(factor, state[column + (row + n) % 4])
            result.append(value)
    return bytes(result)


def _add(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def encrypt_round(state: bytes, key: bytes, *, last: bool = False) -> bytes:
    """A round of the cipher (5.1), the last one without MixColumns."""
    state = bytes(_sbox()[state[(r + 4 * (c + r)) % 16]] for c in range(4) for r in range(4))
    return _add(state if last else _mix(state, (2, 3, 1, 1)), key)


def decrypt_round(state: bytes, key: bytes, *, last: bool = False) -> bytes:
    """A round of the equivalent inverse cipher (5.3.5), with its form of the round key."""
    state = bytes(_inv_sbox()[state[(r + 4 * (c - r)) % 16]] for c in range(4) for r in range(4))
    return _add(state if last else _mix(state, (14, 11, 13, 9)), key)


def round_keys(key: bytes) -> list[bytes]:
    """Round keys 0 ... n of a key of 16, 24 or 32 bytes (5.2)."""
    count = len(key) // 4
    words = [key[at : at + 4] for at in range(0, len(key), 4)]
    constant = 1
    for n in range(count, 4 * (count + 7)):
        word = words[-1]
        if n % count == 0:
            word = bytes(_sbox()[byte] for byte in word[1:] + word[:1])
            word = bytes([word[0] ^ constant]) + word[1:]
            constant = _multiply(constant, 2)
        elif count == 8 and n % count == 4:
            word = bytes(_sbox()[byte] for byte in word)
        words.append(_add(words[-count], word))
    return [b"".join(words[at : at + 4]) for at in range(0, len(words), 4)]


def inverse_form(keys: list[bytes]) -> list[bytes]:
    """Round keys as the equivalent inverse cipher wants them (5.3.5): all but the first and the last with InvMixColumns."""
    return [keys[0], *(_mix(key, (14, 11, 13, 9)) for key in keys[1:-1]), keys[-1]]
