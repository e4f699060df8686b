# SPDX-License-Identifier: Apache-2.0
"""The block cipher as a parameter of a mode, and what several modes make of it: a counter mode, masks that double.

Byte orders::

    counter mode    numbers are big-endian, bin(1) is 00 … 00 01; a number is added to S by XOR
    doubled masks   little-endian, feedback 0x87 into byte 0: xts_double of modeloom.golden.field
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from .checks import BLOCK_BYTES, check_bytes, xor
from .field import xts_double


class BlockCipher(Protocol):
    """A permutation of blocks of 16 bytes under one key."""

    def encrypt_block(self, block: bytes) -> bytes:
        """E_K of one block."""

    def decrypt_block(self, block: bytes) -> bytes:
        """The inverse of :meth:`encrypt_block`."""


CipherFactory = Callable[[bytes], BlockCipher]
"""Makes the permutation from the bytes of its key; ValueError for a length that the cipher does not take."""


def bin_n(number: int) -> bytes:
    """bin_n(*number*): 128 bits, big-endian."""
    return number.to_bytes(BLOCK_BYTES, "big")


def counter_mode(cipher: BlockCipher, s: bytes, data: bytes) -> bytes:
    """Ctr_{K,S}: encrypt or decrypt *data*, of any length, under the block S; the last keystream block is cut.

    Keystream block i, from 1, is E_K(S ⊕ bin(i)). tes2010, section 3.1, equation (2).
    """
    data = check_bytes("data", data)
    blocks = -(-len(data) // BLOCK_BYTES)
    keystream = b"".join(cipher.encrypt_block(xor(s, bin_n(i))) for i in range(1, blocks + 1))
    return xor(data, keystream[: len(data)])


def doublings(block: bytes, count: int) -> list[bytes]:
    """*count* blocks: *block*, 2 · *block*, 4 · *block*, … (16 bytes each)."""
    result: list[bytes] = []
    for _ in range(count):
        result.append(block)
        block = xts_double(block)
    return result
