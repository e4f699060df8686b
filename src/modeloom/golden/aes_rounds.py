# SPDX-License-Identifier: Apache-2.0
"""Rounds and round keys of AES, byte by byte from FIPS 197, for circuits that are less than a cipher.

Byte r + 4c of a state or round key is row r, column c.
"""

from __future__ import annotations

from collections.abc import Callable

from .aes_steps import inv_mix_column, inv_sub_byte, mix_column, sub_byte

__all__ = ["decrypt_round", "encrypt_round", "inverse_form", "round_keys"]


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


def round_keys(key: bytes) -> list[bytes]:
    """Round keys 0 ... n of a key of 16, 24 or 32 bytes (5.2)."""
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
        words.append(_add(words[-count], word))
    return [b"".join(words[at : at + 4]) for at in range(0, len(words), 4)]


def inverse_form(keys: list[bytes]) -> list[bytes]:
    """Round keys as the equivalent inverse cipher wants them (5.3.5): all but the first and the last with InvMixColumns."""
    return [keys[0], *(_mix(key, inv_mix_column) for key in keys[1:-1]), keys[-1]]
