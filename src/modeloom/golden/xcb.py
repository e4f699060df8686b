# SPDX-License-Identifier: Apache-2.0
"""XCB as in tes2010, section 3.1 and Fig. 2: hash, counter mode, hash between two calls of the cipher on one block.

Field elements are in GHASH order (see :mod:`modeloom.golden.field`), numbers are big-endian. The sector is laid out as::

    data     | P_1 | P_2 | … | P_m |  16 bytes each, m ≥ 2; P_2 … P_m are hashed, P_1 is the special block
    hashed   | P_2 | … | P_m | T | bit length of P_2 … P_m, 8 bytes ‖ bit length of T, 8 bytes |
    counter  | 12 bytes of S | last 4 bytes of S, plus i modulo 2^32 |   i = 1 … m - 1

This is neither in its layout nor in its keys the XCB-AES of IEEE 1619.2. Equation (4) prints |P| for a length that its
hash does not know; here it is the length of the hash's argument X, as in the GHASH from which XCB takes its hash.
Fig. 2 lists the derived keys among the steps of encryption; they depend on the key alone.
"""

from __future__ import annotations

from .aes import AES
from .block_cipher import CipherFactory, bin_n, counter_mode_32
from .checks import BLOCK_BYTES, check_block, check_bytes, sector_blocks, split_blocks, xor
from .polyval import ghash


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
