# SPDX-License-Identifier: Apache-2.0
"""EME. Halevi, Rogaway, "A Parallelizable Enciphering Mode", eprint 2003/147; tes2010, Fig. 2 and section 3.2.

Doubling is little-endian (XTS order), as EME-32-AES of the IEEE 1619 list has it. The key and the sector are laid out as::

    key   | K, the key of the cipher |
    data  | P_1 | P_2 | … | P_m |   16 bytes each, 1 ≤ m ≤ 128

L = 2 · E_K(0) masks block 1 in both layers of the cipher, and doubles from block to block.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from .aes import AES
from .checks import (
    BLOCK_BYTES,
    CipherFactory,
    check_block,
    check_bytes,
    check_message,
    doublings,
    halve_key,
    sector_blocks,
    split_blocks,
    xor,
)
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


# -- EME2 --------------------------------------------------------------------------------------------------------------------------------

# EME2, the EME* of the standard. IEEE 1619.2; Halevi, "EME*: Extending EME to Handle Arbitrary-Length Messages with
# Associated Data", INDOCRYPT 2004, eprint 2004/125.
#
# Doubling is little-endian (XTS order). The key and the data are laid out as::
#
#     key   | K_AD (16 bytes) | K_ECB (16 bytes) | K_AES, the key of the cipher |
#     data  | P_1 | P_2 | … | P_m | P_last |   m ≥ 1 whole blocks, then 1 to 15 bytes or nothing
#
# pad10 appends the byte ``80`` and zeros. Blocks 129, 257, … begin a new mask M, so that 128 doublings are never exceeded.

BLOCKS_OF_A_MASK = 128


class EME2:
    """EME2: a tweakable permutation of 16 bytes or more, with a tweak of any length.

    Parameters
    ----------
    key : bytes
        K_AD ‖ K_ECB ‖ K_AES, which has 48, 56 or 64 bytes for AES (48 and 64 in the standard).
    cipher : callable
        The block cipher: from a key to an object with ``encrypt_block`` and ``decrypt_block``.

    Raises ``TypeError`` or ``ValueError`` if *key* is not bytes, or its length does not fit.
    """

    def __init__(self, key: bytes, cipher: CipherFactory = AES) -> None:
        key = check_bytes("EME2 key", key)
        if len(key) <= 2 * BLOCK_BYTES:
            raise ValueError(f"EME2 key must be K_AD ‖ K_ECB ‖ K_AES, more than 32 bytes, not {len(key)}")
        self._k_ad, self._k_ecb = key[:BLOCK_BYTES], key[BLOCK_BYTES : 2 * BLOCK_BYTES]
        self._cipher = cipher(key[2 * BLOCK_BYTES :])

    def encrypt(self, tweak: bytes, data: bytes) -> bytes:
        """Encrypt *data* (16 bytes or more) under *tweak* (any length, also 0).

        Raises ``TypeError`` or ``ValueError`` if an argument is not bytes, or *data* is too short.
        """
        return self._layers(tweak, data, self._cipher.encrypt_block)

    def decrypt(self, tweak: bytes, data: bytes) -> bytes:
        """The inverse of :meth:`encrypt`: the same layers with the inverse of the cipher, the tweak's part as it is."""
        return self._layers(tweak, data, self._cipher.decrypt_block)

    def _layers(self, tweak: bytes, data: bytes, cipher: Callable[[bytes], bytes]) -> bytes:
        p, p_last = _split(data)
        t_star = self._associated(tweak)
        masks = doublings(self._k_ecb, len(p), xts_double)
        inner = [cipher(xor(block, mask)) for block, mask in zip(p, masks, strict=True)]
        mp = xor(*inner, t_star)
        c_last = b""
        if p_last:
            mp = xor(mp, _pad10(p_last))
            mm = cipher(mp)
            mc = cipher(mm)
            c_last = xor(p_last, mm[: len(p_last)])
        else:
            mc = cipher(mp)
        mixed = _mix(inner[1:], xor(mp, mc), cipher)
        first = xor(mc, t_star, *mixed)
        if c_last:
            first = xor(first, _pad10(c_last))
        c = [xor(cipher(block), mask) for block, mask in zip([first, *mixed], masks, strict=True)]
        return b"".join([*c, c_last])

    def _associated(self, tweak: bytes) -> bytes:
        """T*: a sum of masked calls of the cipher over the blocks of the tweak."""
        tweak = check_bytes("tweak", tweak)
        if not tweak:
            return self._cipher.encrypt_block(self._k_ad)
        whole = len(tweak) - len(tweak) % BLOCK_BYTES
        blocks = split_blocks("tweak", tweak[:whole])
        masks = doublings(xts_double(self._k_ad), len(blocks) + 2, xts_double)
        keyed = list(zip(blocks, masks, strict=False))
        if whole < len(tweak):
            # One more doubling tells the padded block from a whole one.
            keyed.append((_pad10(tweak[whole:]), masks[len(blocks) + 1]))
        return xor(*(xor(self._cipher.encrypt_block(xor(block, mask)), mask) for block, mask in keyed))


def _mix(blocks: list[bytes], m1: bytes, cipher: Callable[[bytes], bytes]) -> list[bytes]:
    """C''_2 … C''_m from C'_2 … C'_m and M_1."""
    result = []
    m = m1
    for i, block in enumerate(blocks, 2):
        if (i - 1) % BLOCKS_OF_A_MASK == 0:
            mp = xor(block, m1)
            mc = cipher(mp)
            m = xor(mp, mc)
            result.append(xor(mc, m1))
        else:
            m = xts_double(m)
            result.append(xor(block, m))
    return result


def _split(data: bytes) -> tuple[list[bytes], bytes]:
    data = check_message("EME2 data", data)
    whole = len(data) - len(data) % BLOCK_BYTES
    return split_blocks("data", data[:whole]), data[whole:]


def _pad10(part: bytes) -> bytes:
    return (part + b"\x80").ljust(BLOCK_BYTES, b"\x00")


# -- CMC ---------------------------------------------------------------------------------------------------------------------------------

# CMC. Halevi, Rogaway, "A Tweakable Enciphering Mode", CRYPTO 2003, eprint 2003/148.
#
# Doubling is little-endian (XTS order). The key and the sector are laid out as::
#
#     key   | K | K2 |   of equal length; K2 encrypts the tweak
#     data  | P_1 | P_2 | … | P_m |   16 bytes each, m ≥ 2
#
# CBC encryption, one mask on all blocks, then CBC decryption backwards with the cipher's forward direction.

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
