# SPDX-License-Identifier: Apache-2.0
"""The block cipher as a parameter of a mode, and parts that several modes share: counter modes, masks that double.

Byte order: numbers are big-endian, bin(1) is ``00 … 00 01``. Counter blocks are made from a block S and i in two ways::

    counter_mode        S ⊕ bin(i)
    counter_mode_32     | 12 bytes of S | last 4 bytes of S, plus i modulo 2^32 |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from .checks import BLOCK_BYTES, check_bytes, xor


class BlockCipher(Protocol):
    """A permutation of blocks of 16 bytes under one key."""

    def encrypt_block(self, block: bytes) -> bytes:
        """E_K of one block."""

    def decrypt_block(self, block: bytes) -> bytes:
        """The inverse of :meth:`encrypt_block`."""


CipherFactory = Callable[[bytes], BlockCipher]
"""Makes the permutation from the bytes of its key; ValueError for a length that the cipher does not accept."""


def bin_n(number: int) -> bytes:
    """bin_n(*number*): 128 bits, big-endian."""
    return number.to_bytes(BLOCK_BYTES, "big")


def counter_mode(cipher: BlockCipher, s: bytes, data: bytes) -> bytes:
    """Ctr_{K,S}: encrypt or decrypt *data*, of any length, under the block S; the last keystream block is cut.

    Keystream block i, from 1, is E_K(S ⊕ bin(i)). tes2010, section 3.1, equation (2).
    """
    data = check_bytes("data", data)
    return _add_keystream(cipher, (xor(s, bin_n(i)) for i in range(1, 1 + _blocks(data))), data)


def counter_mode_32(cipher: BlockCipher, s: bytes, first: int, data: bytes) -> bytes:
    """Like :func:`counter_mode`, but i runs from *first* and is added to the last 4 bytes of S; a carry out of them is lost.

    The counter of GCM: inc_32 of SP 800-38D, section 6.2. From 2^32 blocks on it would repeat.
    """
    data = check_bytes("data", data)
    left, right = s[:-4], int.from_bytes(s[-4:], "big")
    numbers = range(right + first, right + first + _blocks(data))
    return _add_keystream(cipher, (left + (number % 2**32).to_bytes(4, "big") for number in numbers), data)


def doublings(element: bytes, count: int, double: Callable[[bytes], bytes]) -> list[bytes]:
    """*count* elements: *element*, x · *element*, x² · *element*, … with *double* as the product with x."""
    result: list[bytes] = []
    for _ in range(count):
        result.append(element)
        element = double(element)
    return result


def _blocks(data: bytes) -> int:
    """The number of blocks of *data*, including a partial one."""
    return -(-len(data) // BLOCK_BYTES)


def _add_keystream(cipher: BlockCipher, counters: Iterable[bytes], data: bytes) -> bytes:
    keystream = b"".join(map(cipher.encrypt_block, counters))
    return xor(data, keystream[: len(data)])
