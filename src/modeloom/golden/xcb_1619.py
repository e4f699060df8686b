# SPDX-License-Identifier: Apache-2.0
"""XCB-AES of IEEE 1619.2 (XCB version 2). McGrew, Fluhrer, "The Security of the Extended Codebook (XCB) Mode of
Operation", SAC 2007, eprint 2007/298.

Hash values are field elements in GHASH order (see :mod:`modeloom.golden.field`); numbers are big-endian. Laid out as::

    key   | K, the key of the cipher, at most 32 bytes |
    data  | B (any length, also 0) | A (16 bytes, the special block) |      result  | E | G |

The mode is broken: Bhati, Verbauwhede, Andreeva, "Breaking, Repairing and Enhancing XCBv2 into the Tweakable Enciphering
Mode GEM", eprint 2024/1554; Wang et al., "How to Recover the Full Plaintext of XCB", CRYPTO 2025, eprint 2024/1527. The
coefficients of B in the first hash and of E in the second are the same, so that F depends on B through D alone. Two
queries under the tweak of a ciphertext then give its B, a third one A; and a partial block hashes like the same block
with a zero byte more. The attacks run in tests/golden/test_xcb_1619.py.
"""

from __future__ import annotations

from .aes import AES
from .block_cipher import CipherFactory, bin_n, counter_mode_32
from .checks import BLOCK_BYTES, check_bytes, check_message, pad_zeros, split_blocks, xor
from .polyval import ghash

_ZERO = bytes(BLOCK_BYTES)


class XCB1619:
    """XCB-AES: a permutation of 16 bytes or more, with a tweak of any length; partial blocks are allowed.

    No upper limit of the length is enforced. From 2^32 blocks on the 32-bit counter would repeat.

    Parameters
    ----------
    key : bytes
        The key of the cipher, at most 32 bytes.  It has 16, 24 or 32 bytes for AES (16 and 32 in the standard).
    cipher : callable
        The block cipher: from a key to an object with ``encrypt_block`` and ``decrypt_block``. Four keys of the length
        of *key* are used with it: *key* and K_e, K_d, K_c, which are derived.

    Raises ``TypeError`` or ``ValueError`` if *key* is not bytes, too long, or none of the cipher.
    """

    def __init__(self, key: bytes, cipher: CipherFactory = AES) -> None:
        key = check_bytes("XCB key", key)
        if len(key) > 2 * BLOCK_BYTES:
            raise ValueError(f"XCB key must be at most 32 bytes, as its derived keys are, not {len(key)}")
        master = cipher(key)
        self._h = master.encrypt_block(_ZERO)
        k1, k2, k3, k4, k5, k6 = (master.encrypt_block(bin_n(i)) for i in range(1, 7))
        self._e, self._d, self._c = (cipher((left + right)[: len(key)]) for left, right in ((k1, k2), (k3, k4), (k5, k6)))

    def encrypt(self, tweak: bytes, data: bytes) -> bytes:
        """Encrypt *data* (16 bytes or more) under *tweak* (any length, also 0).

        Raises ``TypeError`` or ``ValueError`` if an argument is not bytes, or *data* is too short.
        """
        b, a = _split(data)
        z = check_bytes("tweak", tweak)
        d = xor(self._e.encrypt_block(a), self._hash1(z, b))
        e = counter_mode_32(self._c, d, 0, b)
        f = xor(d, self._hash2(z, e))
        return e + self._d.decrypt_block(f)

    def decrypt(self, tweak: bytes, data: bytes) -> bytes:
        """The inverse of :meth:`encrypt`."""
        e, g = _split(data)
        z = check_bytes("tweak", tweak)
        d = xor(self._d.encrypt_block(g), self._hash2(z, e))
        b = counter_mode_32(self._c, d, 0, e)
        return b + self._e.decrypt_block(xor(d, self._hash1(z, b)))

    def _hash1(self, z: bytes, b: bytes) -> bytes:
        return self._ghash(_ZERO + z, pad_zeros(b) + _ZERO)

    def _hash2(self, z: bytes, e: bytes) -> bytes:
        return self._ghash(z + _ZERO, pad_zeros(e) + _bits(z + _ZERO) + _bits(e))

    def _ghash(self, a: bytes, c: bytes) -> bytes:
        """GHASH of two strings as in GCM, with the block of their lengths. SP 800-38D, section 7.1, step 5."""
        return ghash(self._h, split_blocks("hash input", pad_zeros(a) + pad_zeros(c) + _bits(a) + _bits(c)))


def _split(data: bytes) -> tuple[bytes, bytes]:
    data = check_message("XCB data", data)
    return data[:-BLOCK_BYTES], data[-BLOCK_BYTES:]


def _bits(data: bytes) -> bytes:
    """len64: the length of *data* in bits."""
    return (8 * len(data)).to_bytes(8, "big")
