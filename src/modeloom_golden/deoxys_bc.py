# SPDX-License-Identifier: Apache-2.0
"""Deoxys-BC-256, a tweakable block cipher. Jean, Nikolić, Peyrin, Seurin: Deoxys v1.41, 2016, sections 2.2 and 2.3.

A tweakey has 32 bytes, the key (W_2) and then the tweak (W_1). A state is that of AES: byte r + 4c is row r, column c::

    byte  0  4  8 12        subtweakey i  =  h^i(W_1)  +  (h after LFSR_2)^i (W_2)  +  round constant i
          1  5  9 13        cipher        =  14 times: add subtweakey, SubBytes, ShiftRows, MixColumns; then subtweakey 14
          2  6 10 14
          3  7 11 15

    h                       byte i of the result is byte h[i] of the argument
    LFSR_2, on each byte    x7 x6 x5 x4 x3 x2 x1 x0  becomes  x6 x5 x4 x3 x2 x1 x0 (x7 + x5)
    round constant i        column 0 is 1, 2, 4, 8; each byte of column 1 is rcon_i; the others are zero

rcon_0 is 2f, and each next one is twice the one before, in the field of AES. The last round has MixColumns, unlike that of AES.
"""

from __future__ import annotations

from .aes_steps import inv_mix_column, inv_sub_byte, mix_column, sub_byte
from .checks import BLOCK_BYTES, check_block, xor

ROUNDS = 14

H = (1, 6, 11, 12, 5, 10, 15, 0, 9, 14, 3, 4, 13, 2, 7, 8)


class DeoxysBC256:
    """Deoxys-BC-256 under one key: a permutation of blocks of 16 bytes for each tweak of 16 bytes.

    Parameters
    ----------
    key : bytes
        16 bytes.

    Raises ``TypeError`` or ``ValueError`` if *key* is not bytes, or has another length.
    """

    def __init__(self, key: bytes) -> None:
        self._key_parts = key_parts(check_block("Deoxys-BC-256 key", key))

    def encrypt_block(self, block: bytes, tweak: bytes) -> bytes:
        """E_K(T, P) of one block under *tweak*."""
        *keys, last = self.subtweakeys(tweak)
        state = check_block("block", block)
        for subtweakey in keys:
            state = xor(state, subtweakey)
            state = bytes(sub_byte(state[(r + 4 * (c + r)) % 16]) for c in range(4) for r in range(4))
            state = b"".join(mix_column(state[at : at + 4]) for at in range(0, BLOCK_BYTES, 4))
        return xor(state, last)

    def decrypt_block(self, block: bytes, tweak: bytes) -> bytes:
        """The inverse of :meth:`encrypt_block`."""
        *keys, last = self.subtweakeys(tweak)
        state = xor(check_block("block", block), last)
        for subtweakey in reversed(keys):
            state = b"".join(inv_mix_column(state[at : at + 4]) for at in range(0, BLOCK_BYTES, 4))
            state = bytes(inv_sub_byte(state[(r + 4 * (c - r)) % 16]) for c in range(4) for r in range(4))
            state = xor(state, subtweakey)
        return state

    def subtweakeys(self, tweak: bytes) -> list[bytes]:
        """STK_0 to STK_14, 16 bytes each."""
        return [xor(key, part) for key, part in zip(self._key_parts, tweak_parts(tweak), strict=True)]


def permute(word: bytes) -> bytes:
    """The permutation h of the 16 bytes of a tweakey word."""
    return bytes(word[source] for source in H)


def lfsr_2(word: bytes) -> bytes:
    """LFSR_2 of each byte of a tweakey word."""
    return bytes((x << 1 & 0xFF) | ((x >> 7 ^ x >> 5) & 1) for x in word)


def round_constant(i: int) -> bytes:
    """RC_i, 16 bytes."""
    rcon = 0x2F
    for _ in range(i):
        rcon = rcon << 1 ^ (0x11B if rcon & 0x80 else 0)
    return bytes([1, 2, 4, 8, *[rcon] * 4, *bytes(8)])


def key_parts(key: bytes) -> list[bytes]:
    """What a key contributes to each of the 15 subtweakeys, the round constants among it."""
    parts, word = [], check_block("key", key)
    for i in range(ROUNDS + 1):
        parts.append(xor(word, round_constant(i)))
        word = permute(lfsr_2(word))
    return parts


def tweak_parts(tweak: bytes) -> list[bytes]:
    """What a tweak contributes to each of the 15 subtweakeys."""
    parts = [check_block("tweak", tweak)]
    for _ in range(ROUNDS):
        parts.append(permute(parts[-1]))
    return parts
