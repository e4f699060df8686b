# SPDX-License-Identifier: Apache-2.0
"""EME. Halevi, Rogaway, "A Parallelizable Enciphering Mode", eprint 2003/147; tes2010, Fig. 2 and section 3.2.

Doubling is little-endian (XTS order), as EME-32-AES of the IEEE 1619 list has it. The key and the sector are laid out as::

    key   | K, the key of the cipher |
    data  | P_1 | P_2 | … | P_m |   16 bytes each, 1 ≤ m ≤ 128

L = 2 · E_K(0) masks block 1 in both layers of the cipher, and doubles from block to block.
"""

from __future__ import annotations

from collections.abc import Callable

from .aes import AES
from .block_cipher import CipherFactory, doublings
from .checks import BLOCK_BYTES, check_block, sector_blocks, xor
from .field import xts_double

MOST_BLOCKS = 128


class EME:
    """EME: a tweakable permutation of 1 to 128 whole blocks.

    Parameters
    ----------
    key : bytes
        The key of the cipher, which has 16, 24 or 32 bytes for AES.
    cipher : callable
        The block cipher: from a key to an object with ``encrypt_block`` and ``decrypt_block``.

    Raises ``TypeError`` or ``ValueError`` if *key* is none of the cipher.
    """

    def __init__(self, key: bytes, cipher: CipherFactory = AES) -> None:
        self._cipher = cipher(key)
        self._l = xts_double(self._cipher.encrypt_block(bytes(BLOCK_BYTES)))

    def encrypt(self, tweak: bytes, data: bytes) -> bytes:
        """Encrypt *data* (1 to 128 whole blocks) under *tweak* (16 bytes).

        Raises ``TypeError`` or ``ValueError`` if an argument is not bytes, or its length does not fit.
        """
        return self._layers(check_block("tweak", tweak), _blocks(data), self._cipher.encrypt_block)

    def decrypt(self, tweak: bytes, data: bytes) -> bytes:
        """The inverse of :meth:`encrypt`: the same layers with the inverse of the cipher."""
        return self._layers(check_block("tweak", tweak), _blocks(data), self._cipher.decrypt_block)

    def _layers(self, t: bytes, p: list[bytes], cipher: Callable[[bytes], bytes]) -> bytes:
        # Comments name the lines of EME.Encrypt in Fig. 2.
        masks = doublings(self._l, len(p), xts_double)
        ppp = [cipher(xor(block, mask)) for block, mask in zip(p, masks, strict=True)]  # line 2
        mp = xor(*ppp, t)  # line 3
        mc = cipher(mp)  # line 4
        m = doublings(xor(mp, mc), len(p), xts_double)
        ccc = [xor(block, multiple) for block, multiple in zip(ppp[1:], m[1:], strict=True)]  # line 6
        ccc = [xor(mc, *ccc, t), *ccc]  # line 8
        return b"".join(xor(cipher(block), mask) for block, mask in zip(ccc, masks, strict=True))  # line 9


def _blocks(data: bytes) -> list[bytes]:
    blocks = sector_blocks("EME data", data, 1)
    if len(blocks) > MOST_BLOCKS:
        raise ValueError(
            f"EME data must be at most {MOST_BLOCKS} blocks, not {len(blocks)}: "
            "the masks L, 2L, 4L, … of more are linearly dependent, and the proof ends there"
        )
    return blocks
