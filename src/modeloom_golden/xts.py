# SPDX-License-Identifier: Apache-2.0
"""XTS-AES. IEEE 1619-2007, section 5; SP 800-38E for the limits.

Doubling and numbers are little-endian. The key, the tweak and the data unit are laid out as::

    key    | Key_1 | Key_2 |   of equal length; Key_2 encrypts the tweak
    tweak  | i, the number of the data unit, byte 0 the lowest | 16 bytes
    data   | P_0 | P_1 | … | P_{m-1} | P_m |   m ≥ 1 whole blocks, then 1 to 15 bytes or nothing

XTS is not a wide-block mode: a changed bit changes one block (two where ciphertext is stolen).
"""

from __future__ import annotations

from collections.abc import Callable

from .aes import AES
from .checks import BLOCK_BYTES, CipherFactory, check_block, check_bytes, doublings, halve_key, xor
from .field import xts_double

MOST_BLOCKS = 2**20


class XTS:
    """XTS: a tweakable permutation of 16 bytes to 2^20 blocks, with ciphertext stealing for a partial last block.

    Parameters
    ----------
    key : bytes
        Key_1 ‖ Key_2, which has 32, 48 or 64 bytes for AES (32 and 64 in the standard).
    cipher : callable
        The block cipher: from a key to an object with ``encrypt_block`` and ``decrypt_block``.
    double : callable
        The product of a mask with x: ``xts_double``, or ``ghash_double`` for XTS of GB/T 17964-2021.

    Raises
    ------
    TypeError, ValueError
        *key* is not bytes, its length does not fit, or its halves are equal: the implementation guidance of FIPS 140
        forbids that, as a first block of zeros then decrypts to the tweak plus its mask.
    """

    def __init__(self, key: bytes, cipher: CipherFactory = AES, double: Callable[[bytes], bytes] = xts_double) -> None:
        key1, key2 = halve_key("XTS key", key)
        self._data, self._tweak, self._double = cipher(key1), cipher(key2), double
        if key1 == key2:
            raise ValueError("XTS key must be two different keys")

    def encrypt(self, tweak: bytes, data: bytes) -> bytes:
        """Encrypt *data* (16 bytes to 2^20 blocks) under *tweak* (16 bytes, the number of the data unit).

        Raises ``TypeError`` or ``ValueError`` if an argument is not bytes, or its length does not fit.
        """
        *head, part = _split(data)
        masks = self._masks(tweak, len(head) + 1)
        c = [xor(self._data.encrypt_block(xor(block, mask)), mask) for block, mask in zip(head, masks, strict=False)]
        if part:
            # Section 5.3.2: the partial block takes the tail of the last ciphertext block, which becomes the partial one.
            stolen = part + c[-1][len(part) :]
            cut = c[-1][: len(part)]
            c[-1:] = [xor(self._data.encrypt_block(xor(stolen, masks[-1])), masks[-1]), cut]
        return b"".join(c)

    def decrypt(self, tweak: bytes, data: bytes) -> bytes:
        """The inverse of :meth:`encrypt`."""
        *head, part = _split(data)
        masks = self._masks(tweak, len(head) + 1)
        if part:
            # Section 5.4.2: the masks of the last whole block and of the partial one change places.
            masks[-2:] = masks[:-3:-1]
        p = [xor(self._data.decrypt_block(xor(block, mask)), mask) for block, mask in zip(head, masks, strict=False)]
        if part:
            stolen = part + p[-1][len(part) :]
            cut = p[-1][: len(part)]
            p[-1:] = [xor(self._data.decrypt_block(xor(stolen, masks[-1])), masks[-1]), cut]
        return b"".join(p)

    def _masks(self, tweak: bytes, count: int) -> list[bytes]:
        return doublings(self._tweak.encrypt_block(check_block("tweak", tweak)), count, self._double)


def _split(data: bytes) -> list[bytes]:
    """The whole blocks, then the partial one, which may be empty."""
    data = check_bytes("data", data)
    if not BLOCK_BYTES <= len(data) <= MOST_BLOCKS * BLOCK_BYTES:
        raise ValueError(f"XTS data must be {BLOCK_BYTES} bytes to 2^20 blocks, not {len(data)} bytes")
    whole = len(data) // BLOCK_BYTES
    return [data[BLOCK_BYTES * i : BLOCK_BYTES * (i + 1)] for i in range(whole + 1)]
