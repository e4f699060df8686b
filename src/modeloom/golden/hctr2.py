# SPDX-License-Identifier: Apache-2.0
"""HCTR2 with AES. Crowley, Huckleberry, Biggers, eprint 2021/1441, section 2.

Byte order: numbers and the padding bit are little-endian, so bin(1) is ``01 00 … 00`` and the bit that pads a partial
block is the byte ``01``. A message is split from the left::

    P = M ‖ N      C = U ‖ V      M, U: bytes 0 … 15      N, V: the rest, of any length
"""

from __future__ import annotations

from .aes import AES
from .checks import BLOCK_BYTES, check_bytes, check_message, pad_zeros, split_blocks, xor
from .polyval import polyval
from .xctr import xctr


class HCTR2:
    """HCTR2-AES: a tweakable permutation of messages of 16 bytes or more.

    Parameters
    ----------
    key : bytes
        The AES key: 16, 24 or 32 bytes. The hash key and L are derived from it.

    Raises ``TypeError`` or ``ValueError`` if *key* is not an AES key.
    """

    def __init__(self, key: bytes) -> None:
        self._aes = AES(key)
        self._h = self._aes.encrypt_block(_bin(0))
        self._l = self._aes.encrypt_block(_bin(1))

    def encrypt(self, tweak: bytes, data: bytes) -> bytes:
        """Encrypt *data* (at least 16 bytes) under *tweak* (any length). ValueError if *data* is shorter."""
        m, n = _split(data)
        mm = xor(m, self._hash(tweak, n))
        uu = self._aes.encrypt_block(mm)
        s = xor(mm, uu, self._l)
        v = xctr(self._aes, s, n)
        u = xor(uu, self._hash(tweak, v))
        return u + v

    def decrypt(self, tweak: bytes, data: bytes) -> bytes:
        """The inverse of :meth:`encrypt`."""
        u, v = _split(data)
        uu = xor(u, self._hash(tweak, v))
        mm = self._aes.decrypt_block(uu)
        s = xor(mm, uu, self._l)
        n = xctr(self._aes, s, v)
        m = xor(mm, self._hash(tweak, n))
        return m + n

    def _hash(self, tweak: bytes, message: bytes) -> bytes:
        """H_h(T, M): the first block tells the tweak's length in bits and whether *message* had to be padded."""
        tweak = check_bytes("tweak", tweak)
        partial = len(message) % BLOCK_BYTES != 0
        length = _bin(2 * 8 * len(tweak) + (3 if partial else 2))
        padded = pad_zeros(message + b"\x01") if partial else message
        return polyval(self._h, split_blocks("hash input", length + pad_zeros(tweak) + padded))


def _split(data: bytes) -> tuple[bytes, bytes]:
    data = check_message("HCTR2 data", data)
    return data[:BLOCK_BYTES], data[BLOCK_BYTES:]


def _bin(number: int) -> bytes:
    return number.to_bytes(BLOCK_BYTES, "little")
