# SPDX-License-Identifier: Apache-2.0
"""HMCH with AES: ψ_h = h · BRW_h or h · Poly_h. Sarkar, IEEE Trans. IT 55(10), 2009; brw2013, Fig. 10, as printed.

Field elements are in GHASH order (see :mod:`modeloom.golden.field`). The key and the sector are laid out as::

    key   | AES key (16, 24 or 32 bytes) | h (16 bytes) |
    data  | P_1 | P_2 | … | P_m |   16 bytes each, m ≥ 1; P_2 … P_m are hashed and get the key stream

The tweak T, one block, enters as β_1 = E_K(T) and β_2 = xβ_1, and through them the key stream alone: S holds both, the
counter blocks are S + x^(i-2) β_1. M_1 and U_1 do not depend on it (lines 2, 3 and 7; section 4.4 says the same of the
circuit). So the printed mode is not a secure tweakable cipher: one sector encrypted under two tweaks gives
C_1 + C'_1 = ψ_h(C_2, …) + ψ_h(C'_2, …), for two blocks a linear equation for h; one block does not see the tweak at all.
"""

from __future__ import annotations

from .block_cipher import doublings
from .checks import split_blocks, xor
from .field import ghash_double
from .psi import PsiMode


class HMCH(PsiMode):
    """HMCH-AES: a permutation of m ≥ 1 whole blocks with a tweak. Parameters and errors are those of the base."""

    name = "HMCH"
    least_blocks = 1

    def _encrypt(self, beta1: bytes, beta2: bytes, p: list[bytes]) -> list[bytes]:
        p1, *p = p
        m1 = xor(p1, self._psi(p))
        u1 = self._aes.encrypt_block(m1)
        c = self._counter(beta1, xor(m1, u1, beta1, beta2), p)
        return [xor(u1, self._psi(c)), *c]

    def _decrypt(self, beta1: bytes, beta2: bytes, c: list[bytes]) -> list[bytes]:
        # Only M_1 needs the inverse of the cipher.
        c1, *c = c
        u1 = xor(c1, self._psi(c))
        m1 = self._aes.decrypt_block(u1)
        p = self._counter(beta1, xor(m1, u1, beta1, beta2), c)
        return [xor(m1, self._psi(p)), *p]

    def _counter(self, beta1: bytes, s: bytes, blocks: list[bytes]) -> list[bytes]:
        """Lines 4 to 6: block i of 2 … m plus E_K(x^(i-2) β_1 + S)."""
        counters = [xor(multiple, s) for multiple in doublings(beta1, len(blocks), ghash_double)]
        stream = split_blocks("key stream", self._aes.encrypt_blocks(b"".join(counters)))
        return [xor(block, key) for block, key in zip(blocks, stream, strict=True)]
