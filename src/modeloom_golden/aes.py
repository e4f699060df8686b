# SPDX-License-Identifier: Apache-2.0
"""AES (FIPS 197) on single blocks, by the ``cryptography`` package's ECB mode.

Byte order: byte r + 4c of a block is row r, column c of the FIPS 197 state::

    byte  0  4  8 12
          1  5  9 13
          2  6 10 14
          3  7 11 15
"""

from __future__ import annotations

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from .checks import BLOCK_BYTES, check_block, check_bytes

KEY_BYTES = (16, 24, 32)


class AES:
    """The AES permutation of 128-bit blocks under one key.

    Parameters
    ----------
    key : bytes
        16, 24 or 32 bytes.

    Raises ``TypeError`` if *key* is not bytes, and ``ValueError`` if *key* has a wrong length.
    """

    def __init__(self, key: bytes) -> None:
        key = check_bytes("AES key", key)
        if len(key) not in KEY_BYTES:
            raise ValueError(f"AES key must be 16, 24 or 32 bytes, not {len(key)}")
        # ECB has no state between blocks, so one context serves for the life of the key.
        cipher = Cipher(algorithms.AES(key), modes.ECB())
        self._encryptor = cipher.encryptor()
        self._decryptor = cipher.decryptor()

    def encrypt_block(self, block: bytes) -> bytes:
        """E_K of one block of 16 bytes."""
        return self._encryptor.update(check_block("block", block))

    def decrypt_block(self, block: bytes) -> bytes:
        """The inverse of :meth:`encrypt_block`."""
        return self._decryptor.update(check_block("block", block))

    def encrypt_blocks(self, data: bytes) -> bytes:
        """E_K of each block of *data*, a multiple of 16 bytes (none is allowed)."""
        return self._encryptor.update(_whole_blocks(data))

    def decrypt_blocks(self, data: bytes) -> bytes:
        """The inverse of :meth:`encrypt_blocks`."""
        return self._decryptor.update(_whole_blocks(data))


def _whole_blocks(data: bytes) -> bytes:
    # The context would keep a partial block for its next call.
    data = check_bytes("data", data)
    if len(data) % BLOCK_BYTES:
        raise ValueError(f"data must be whole blocks of {BLOCK_BYTES} bytes, not {len(data)} bytes")
    return data
