# SPDX-License-Identifier: Apache-2.0
"""XCTR, the counter mode of HCTR2. Crowley, Huckleberry, Biggers, eprint 2021/1441, section 2.

Byte order: the counter is a 128-bit little-endian number that starts at 1, added by XOR::

    keystream block i = E_K(S ⊕ i)       i = 1: 01 00 00 … 00
"""

from __future__ import annotations

from .aes import AES
from .checks import BLOCK_BYTES, check_block, check_bytes


def xctr(aes: AES, nonce: bytes, data: bytes) -> bytes:
    """Encrypt or decrypt *data*, of any length, under the 16-byte *nonce* S; the last keystream block is cut."""
    start = int.from_bytes(check_block("nonce", nonce), "little")
    data = check_bytes("data", data)
    blocks = -(-len(data) // BLOCK_BYTES)
    counters = b"".join((start ^ i).to_bytes(BLOCK_BYTES, "little") for i in range(1, blocks + 1))
    keystream = aes.encrypt_blocks(counters)
    return bytes(d ^ k for d, k in zip(data, keystream, strict=False))
