# SPDX-License-Identifier: Apache-2.0
"""CMC. Halevi, Rogaway, "A Tweakable Enciphering Mode", CRYPTO 2003, eprint 2003/148.

Doubling is little-endian (XTS order). The key and the sector are laid out as::

    key   | K | K2 |   of equal length; K2 encrypts the tweak
    data  | P_1 | P_2 | … | P_m |   16 bytes each, m ≥ 2

CBC encryption, one mask on all blocks, then CBC decryption backwards with the cipher's forward direction.
"""

from __future__ import annotations

from itertools import pairwise

from .aes import AES
from .block_cipher import CipherFactory
from .checks import BLOCK_BYTES, check_block, halve_key, sector_blocks, xor
from .field import xts_double


class CMC:
    """CMC: a tweakable permutation of m ≥ 2 whole blocks.

    One block is refused, as the paper defines the mode from two on. The formulas would give E_K(E_K(P ⊕ T')) ⊕ T', a
    tweakable cipher of one block with no mask.

    Parameters
    ----------
    key : bytes
        K ‖ K2, which has 32, 48 or 64 bytes for AES.
    cipher : callable
        The block cipher: from a key to an object with ``encrypt_block`` and ``decrypt_block``.

    Raises ``TypeError`` or ``ValueError`` if *key* is not bytes, or its length does not fit.
    """

    def __init__(self, key: bytes, cipher: CipherFactory = AES) -> None:
        self._cipher, self._tweak = map(cipher, halve_key("CMC key", key))

    def encrypt(self, tweak: bytes, data: bytes) -> bytes:
        """Encrypt *data* (whole blocks, 2 or more) under *tweak* (16 bytes).

        Raises ``TypeError`` or ``ValueError`` if an argument is not bytes, or its length does not fit.
        """
        t, p = self._tweak.encrypt_block(check_block("tweak", tweak)), sector_blocks("CMC data", data, 2)
        ppp = [t]
        for block in p:
            ppp.append(self._cipher.encrypt_block(xor(block, ppp[-1])))
        m = xts_double(xor(ppp[1], ppp[-1]))
        ccc = [bytes(BLOCK_BYTES), *(xor(block, m) for block in ppp[:0:-1])]
        c = [xor(self._cipher.encrypt_block(block), before) for before, block in pairwise(ccc)]
        return b"".join([xor(c[0], t), *c[1:]])

    def decrypt(self, tweak: bytes, data: bytes) -> bytes:
        """The inverse of :meth:`encrypt`."""
        t, c = self._tweak.encrypt_block(check_block("tweak", tweak)), sector_blocks("CMC data", data, 2)
        ccc = [bytes(BLOCK_BYTES)]
        for block in [xor(c[0], t), *c[1:]]:
            ccc.append(self._cipher.decrypt_block(xor(block, ccc[-1])))
        # The mask cancels in the sum of the first and the last: CCC_1 + CCC_m = PPP_m + PPP_1.
        m = xts_double(xor(ccc[1], ccc[-1]))
        ppp = [t, *(xor(block, m) for block in ccc[:0:-1])]
        return b"".join(xor(self._cipher.decrypt_block(block), before) for before, block in pairwise(ppp))
