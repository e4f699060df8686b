# SPDX-License-Identifier: Apache-2.0
"""Byte strings: checks, cuts, padding and sums, shared by the references."""

from __future__ import annotations

import hmac

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
