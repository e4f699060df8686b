# SPDX-License-Identifier: Apache-2.0
"""Byte strings: checks, cuts, padding and sums, shared by the references."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable
from typing import Protocol

BLOCK_BYTES = 16


def check_bytes(name: str, value: object) -> bytes:
    """Return *value* as ``bytes``.

    Raises
    ------
    TypeError
        *value* is neither ``bytes``, ``bytearray`` nor ``memoryview``.
    """
    if not isinstance(value, bytes | bytearray | memoryview):
        raise TypeError(f"{name} must be bytes, not {type(value).__name__}")
    return bytes(value)


def check_block(name: str, value: object) -> bytes:
    """Return *value* as a block of 16 bytes; TypeError or ValueError if it is none."""
    block = check_bytes(name, value)
    if len(block) != BLOCK_BYTES:
        raise ValueError(f"{name} must be {BLOCK_BYTES} bytes, not {len(block)}")
    return block


def check_message(name: str, value: object) -> bytes:
    """Return *value* as bytes that make up a block at least; TypeError or ValueError if they do not."""
    data = check_bytes(name, value)
    if len(data) < BLOCK_BYTES:
        raise ValueError(f"{name} must be at least {BLOCK_BYTES} bytes, not {len(data)}")
    return data


def split_blocks(name: str, value: object) -> list[bytes]:
    """Cut *value* into blocks of 16 bytes; ValueError if its length is not a multiple of 16."""
    data = check_bytes(name, value)
    if len(data) % BLOCK_BYTES:
        raise ValueError(f"{name} must be whole blocks of {BLOCK_BYTES} bytes, not {len(data)} bytes")
    return [data[i : i + BLOCK_BYTES] for i in range(0, len(data), BLOCK_BYTES)]


def sector_blocks(name: str, value: object, least: int) -> list[bytes]:
    """Cut *value* into blocks of 16 bytes; ValueError if there are fewer than *least* or the last is partial."""
    blocks = split_blocks(name, value)
    if len(blocks) < least:
        raise ValueError(f"{name} must be at least {least} block{'s' * (least > 1)} of {BLOCK_BYTES} bytes, not {len(blocks)}")
    return blocks


def split_key(name: str, layout: str, value: object) -> tuple[bytes, bytes]:
    """Cut *value* into what the cipher takes and a block of 16 bytes at the end; ValueError if nothing is left for the cipher."""
    key = check_bytes(name, value)
    if len(key) <= BLOCK_BYTES:
        raise ValueError(f"{name} must be {layout}, more than {BLOCK_BYTES} bytes, not {len(key)}")
    return key[:-BLOCK_BYTES], key[-BLOCK_BYTES:]


def halve_key(name: str, value: object) -> tuple[bytes, bytes]:
    """Cut *value* into two keys of one length; ValueError if it has an odd number of bytes."""
    key = check_bytes(name, value)
    if len(key) % 2:
        raise ValueError(f"{name} must be two keys of equal length, not {len(key)} bytes")
    return key[: len(key) // 2], key[len(key) // 2 :]


def pad_zeros(data: bytes) -> bytes:
    """*data* and as few zeros as make it whole blocks."""
    return data + bytes(-len(data) % BLOCK_BYTES)


def pad_one_zeros(part: bytes) -> bytes:
    """A partial block, a 1 and zeros: 16 bytes."""
    return part + b"\x80" + bytes(BLOCK_BYTES - 1 - len(part))


def xor(*blocks: bytes) -> bytes:
    """Bitwise sum of byte strings of one length; ValueError if the lengths differ."""
    length = len(blocks[0])
    total = 0
    for block in blocks:
        if len(block) != length:
            raise ValueError(f"cannot add {len(block)} bytes to {length} bytes")
        total ^= int.from_bytes(block, "little")
    return total.to_bytes(length, "little")


# -- verdict -----------------------------------------------------------------------------------------------------------------------------

# The verdict on a sealed message: a ciphertext with its tag behind it.

class AuthenticationError(Exception):
    """A message was not sealed like this under this key, nonce and associated data; nothing of its text is given out."""


def split_sealed(sealed: bytes, tag_bytes: int) -> tuple[bytes, bytes]:
    """Ciphertext and tag; AuthenticationError if *sealed* is shorter than a tag."""
    if len(sealed) < tag_bytes:
        raise AuthenticationError(f"a sealed message of {len(sealed)} bytes has no tag of {tag_bytes} bytes")
    return sealed[: len(sealed) - tag_bytes], sealed[len(sealed) - tag_bytes :]


def check_tag(given: bytes, right: bytes) -> None:
    """AuthenticationError if two tags of one length differ; the time does not tell where."""
    if not hmac.compare_digest(given, right):
        raise AuthenticationError("the tag is wrong")


# -- block ciphers -----------------------------------------------------------------------------------------------------------------------

# The block cipher as a parameter of a mode, and parts that several modes share: counter modes, masks that double.
#
# Byte order: numbers are big-endian, bin(1) is ``00 … 00 01``. Counter blocks are made from a block S and i in two ways::
#
#     counter_mode        S ⊕ bin(i)
#     counter_mode_32     | 12 bytes of S | last 4 bytes of S, plus i modulo 2^32 |

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
