# SPDX-License-Identifier: Apache-2.0
"""TET for whole blocks: hash, ECB, hash. tes2010, section 3.3 and Fig. 2; Halevi, CRYPTO 2007, eprint 2007/014.

Field elements are in GHASH order (see :mod:`modeloom_golden.field`), numbers are big-endian. Key and sector::

    key    | K_1 | K_2 | τ (16 bytes) |  K_1, K_2: keys of the cipher, of one length
    data   | P_1 | P_2 | … | P_m |       16 bytes each, m ≥ 1

The hash adds one block to all: PP_i = P_i ⊕ s with s = σ^-1 (P_1 τ^m ⊕ … ⊕ P_m τ). The paper prints σ = τ + … + τ^m; it is
σ = 1 + τ + … + τ^m. Then PP_1 τ^m ⊕ … ⊕ PP_m τ = σ s ⊕ (σ - 1) s = s, so the hash is inverted by adding that sum, without
σ^-1. With the printed σ the sum is 0 whatever the P_i are, so that s is lost.
"""

from __future__ import annotations

from .aes import AES
from .checks import BLOCK_BYTES, CipherFactory, bin_n, check_block, doublings, sector_blocks, split_key, xor
from .field import ghash, ghash_double, ghash_inverse, ghash_mul

_ONE = b"\x80" + bytes(BLOCK_BYTES - 1)


class TET:
    """TET: a tweakable permutation of whole blocks; the tweak is one block.

    Parameters
    ----------
    key : bytes
        K_1 ‖ K_2 ‖ τ: 48, 64 or 80 bytes for AES.
    cipher : callable
        The block cipher of the bytes of K_1 or of K_2.

    Raises ``TypeError`` or ``ValueError`` if *key* is not bytes; K_1 and K_2 have no length that the cipher takes.
    """

    def __init__(self, key: bytes, cipher: CipherFactory = AES) -> None:
        cipher_keys, self._tau = split_key("TET key", "K_1 ‖ K_2 ‖ τ", key)
        if len(cipher_keys) % 2:
            raise ValueError(f"TET key must be K_1 ‖ K_2 ‖ τ with K_1 and K_2 of one length, not {len(cipher_keys)} bytes ‖ τ")
        half = len(cipher_keys) // 2
        self._tweak_cipher, self._cipher = cipher(cipher_keys[:half]), cipher(cipher_keys[half:])

    def encrypt(self, tweak: bytes, data: bytes) -> bytes:
        """Encrypt *data* (one or more whole blocks) under *tweak* (16 bytes).

        Raises ``TypeError`` or ``ValueError`` if an argument is not bytes, or its length does not fit; τ gives σ = 0 for this number of
        blocks.
        """
        p = sector_blocks("TET data", data, 1)
        inverse, masks = ghash_inverse(self._sigma(len(p))), self._masks(tweak, len(p))
        pp = _add(p, ghash_mul(ghash(self._tau, p), inverse))  # lines 5 to 10
        ccc = [self._cipher.encrypt_block(xor(block, mask)) for block, mask in zip(pp, masks, strict=True)]  # lines 11 and 12
        cc = [xor(block, mask) for block, mask in zip(ccc, masks, strict=True)]  # line 13
        return b"".join(_add(cc, ghash_mul(ghash(self._tau, cc), inverse)))  # lines 14 to 18

    def decrypt(self, tweak: bytes, data: bytes) -> bytes:
        """The inverse of :meth:`encrypt`."""
        c = sector_blocks("TET data", data, 1)
        self._sigma(len(c))  # A key that cannot encrypt is refused here too.
        masks = self._masks(tweak, len(c))
        cc = _add(c, ghash(self._tau, c))
        ppp = [self._cipher.decrypt_block(xor(block, mask)) for block, mask in zip(cc, masks, strict=True)]
        pp = [xor(block, mask) for block, mask in zip(ppp, masks, strict=True)]
        return b"".join(_add(pp, ghash(self._tau, pp)))

    def _masks(self, tweak: bytes, m: int) -> list[bytes]:
        """β, xβ, …, x^(m-1) β. Lines 1 to 3."""
        x = self._tweak_cipher.encrypt_block(bin_n(8 * BLOCK_BYTES * m))
        beta = self._tweak_cipher.encrypt_block(xor(check_block("tweak", tweak), ghash_double(x)))
        return doublings(beta, m, ghash_double)

    def _sigma(self, m: int) -> bytes:
        """1 + τ + … + τ^m by Horner's rule; ValueError if it is 0."""
        sigma = xor(_ONE, ghash(self._tau, [_ONE] * m))
        if not any(sigma):
            raise ValueError(f"the TET key has a τ with 1 + τ + … + τ^{m} = 0, so it cannot encrypt sectors of {m} blocks")
        return sigma


def _add(blocks: list[bytes], total: bytes) -> list[bytes]:
    return [xor(block, total) for block in blocks]
