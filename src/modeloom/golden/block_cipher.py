# SPDX-License-Identifier: Apache-2.0
"""What the modes of tes2010 ask of a block cipher, and its counter mode. tes2010, section 3.1, equation (2).

Byte order: numbers are big-endian, bin(1) is ``00 … 00 01``; the number of a block is added to S by XOR::

    keystream block i = E_K(S ⊕ bin(i))       i = 1: S ⊕ 00 00 … 00 01
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from .checks import BLOCK_BYTES, check_bytes, xor


class BlockCipher(Protocol):
    """A permutation of blocks of 16 bytes under one key."""

    def encrypt_block(self, block: bytes) -> bytes:
        """E_K of one block."""

    def decrypt_block(self, block: bytes) -> bytes:
        """The inverse of :meth:`encrypt_block`."""


# Makes the permutation from the bytes of its key; ValueError for a length that the cipher does not take.
CipherFactory = Callable[[bytes], BlockCipher]


def bin_n(number: int) -> bytes:
    """bin_n(*number*): 128 bits, big-endian."""
    return number.to_bytes(BLOCK_BYTES, "big")


def counter_mode(cipher: BlockCipher, s: bytes, data: bytes) -> bytes:
    """Ctr_{K,S}: encrypt or decrypt *data*, of any length, under the block S; the last keystream block is cut."""
    data = check_bytes("data", data)
    blocks = -(-len(data) // BLOCK_BYTES)
    keystream = b"".join(cipher.encrypt_block(xor(s, bin_n(i))) for i in range(1, blocks + 1))
    return xor(data, keystream[: len(data)])
