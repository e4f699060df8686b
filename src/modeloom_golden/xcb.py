# SPDX-License-Identifier: Apache-2.0
"""XCB as in tes2010, section 3.1 and Fig. 2: hash, counter mode, hash between two calls of the cipher on one block.

Field elements are in GHASH order (see :mod:`modeloom_golden.field`), numbers are big-endian. The sector is laid out as::

    data     | P_1 | P_2 | … | P_m |  16 bytes each, m ≥ 2; P_2 … P_m are hashed, P_1 is the special block
    hashed   | P_2 | … | P_m | T | bit length of P_2 … P_m, 8 bytes ‖ bit length of T, 8 bytes |
    counter  | 12 bytes of S | last 4 bytes of S, plus i modulo 2^32 |   i = 1 … m - 1

This is neither in its layout nor in its keys the XCB-AES of IEEE 1619.2. Equation (4) prints |P| for a length that its
hash does not know; here it is the length of the hash's argument X, as in the GHASH from which XCB takes its hash.
Fig. 2 lists the derived keys among the steps of encryption; they depend on the key alone.
"""

from __future__ import annotations

from .aes import AES
from .checks import (
    BLOCK_BYTES,
    CipherFactory,
    bin_n,
    check_block,
    check_bytes,
    check_message,
    counter_mode_32,
    pad_zeros,
    sector_blocks,
    split_blocks,
    xor,
)
from .field import ghash


class XCB:
    """XCB of tes2010: a tweakable permutation of m ≥ 2 whole blocks.

    Parameters
    ----------
    key : bytes
        K: 16 bytes, since the keys derived from it are blocks.
    cipher : callable
        The block cipher of a key of 16 bytes.

    Raises ``TypeError`` or ``ValueError`` if *key* is not 16 bytes.
    """

    def __init__(self, key: bytes, cipher: CipherFactory = AES) -> None:
        key = check_bytes("XCB key", key)
        if len(key) != BLOCK_BYTES:
            raise ValueError(
                f"XCB key must be {BLOCK_BYTES} bytes, not {len(key)}: the keys that it derives for the cipher are single blocks"
            )
        master = cipher(key)
        k0, self._k1, k2, self._k3, k4 = (master.encrypt_block(bin_n(i)) for i in range(5))  # lines 1 to 3
        self._first, self._stream, self._last = cipher(k0), cipher(k2), cipher(k4)

    def encrypt(self, tweak: bytes, data: bytes) -> bytes:
        """Encrypt *data* (two or more whole blocks) under *tweak* (16 bytes).

        Raises ``TypeError`` or ``ValueError`` if an argument is not bytes, or its length does not fit.
        """
        p1, p = _split(data)
        a = self._first.encrypt_block(p1)  # line 4
        h1 = xor(a, _hash(self._k1, p, tweak))  # line 5
        c = counter_mode_32(self._stream, h1, 1, p)  # line 6
        h2 = xor(h1, _hash(self._k3, c, tweak))  # line 7
        return self._last.decrypt_block(h2) + c  # line 8

    def decrypt(self, tweak: bytes, data: bytes) -> bytes:
        """The inverse of :meth:`encrypt`."""
        c1, c = _split(data)
        h2 = self._last.encrypt_block(c1)
        h1 = xor(h2, _hash(self._k3, c, tweak))
        p = counter_mode_32(self._stream, h1, 1, c)
        a = xor(h1, _hash(self._k1, p, tweak))
        return self._first.decrypt_block(a) + p


def _hash(h: bytes, x: bytes, tweak: bytes) -> bytes:
    """h_h(X, T) of equation (4): X_1 h^(p+2) ⊕ … ⊕ X_p h^3 ⊕ T h^2 ⊕ lengths · h."""
    lengths = (8 * len(x)).to_bytes(8, "big") + (8 * BLOCK_BYTES).to_bytes(8, "big")
    return ghash(h, [*split_blocks("hash input", x), check_block("tweak", tweak), lengths])


def _split(data: bytes) -> tuple[bytes, bytes]:
    first, *rest = sector_blocks("XCB data", data, 2)
    return first, b"".join(rest)


# -- XCB of IEEE 1619.2 ------------------------------------------------------------------------------------------------------------------

# XCB-AES of IEEE 1619.2 (XCB version 2). McGrew, Fluhrer, "The Security of the Extended Codebook (XCB) Mode of
# Operation", SAC 2007, eprint 2007/298.
#
# Hash values are field elements in GHASH order (see :mod:`modeloom_golden.field`); numbers are big-endian. Laid out as::
#
#     key   | K, the key of the cipher, at most 32 bytes |
#     data  | B (any length, also 0) | A (16 bytes, the special block) |      result  | E | G |
#
# The mode is broken: Bhati, Verbauwhede, Andreeva, "Breaking, Repairing and Enhancing XCBv2 into the Tweakable Enciphering
# Mode GEM", eprint 2024/1554; Wang et al., "How to Recover the Full Plaintext of XCB", CRYPTO 2025, eprint 2024/1527. The
# coefficients of B in the first hash and of E in the second are the same, so that F depends on B through D alone. Two
# queries under the tweak of a ciphertext then give its B, a third one A; and a partial block hashes like the same block
# with a zero byte more. The attacks run in tests/golden/test_xcb_1619.py.

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
        b, a = _split_at_special(data)
        z = check_bytes("tweak", tweak)
        d = xor(self._e.encrypt_block(a), self._hash1(z, b))
        e = counter_mode_32(self._c, d, 0, b)
        f = xor(d, self._hash2(z, e))
        return e + self._d.decrypt_block(f)

    def decrypt(self, tweak: bytes, data: bytes) -> bytes:
        """The inverse of :meth:`encrypt`."""
        e, g = _split_at_special(data)
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


def _split_at_special(data: bytes) -> tuple[bytes, bytes]:
    data = check_message("XCB data", data)
    return data[:-BLOCK_BYTES], data[-BLOCK_BYTES:]


def _bits(data: bytes) -> bytes:
    """len64: the length of *data* in bits."""
    return (8 * len(data)).to_bytes(8, "big")
