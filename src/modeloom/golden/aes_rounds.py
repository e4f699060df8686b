# SPDX-License-Identifier: Apache-2.0
"""Rounds of AES, byte by byte from FIPS 197, for circuits that are less than a cipher.

Byte r + 4c of a state or round key is row r, column c.
"""

from __future__ import annotations

from collections.abc import Callable

from .aes_steps import inv_mix_column, inv_sub_byte, mix_column, sub_byte

__all__ = ["decrypt_round", "encrypt_round"]


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
