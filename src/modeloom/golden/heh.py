# SPDX-License-Identifier: Apache-2.0
"""HEH with AES: ψ_h = h · BRW_h or h · Poly_h. Sarkar, IEEE Trans. IT 55(10), 2009; brw2013, Fig. 9.

Field elements are in GHASH order (see :mod:`modeloom.golden.field`). The key and the sector are laid out as::

    key   | AES key (16, 24 or 32 bytes) | h (16 bytes) |
    data  | P_1 | P_2 | … | P_m |   16 bytes each, m ≥ 2; P_1 … P_{m-1} are hashed, P_m masks

The tweak T, one block, enters as β_1 = E_K(T) and β_2 = xβ_1, in both directions by encryption; their multiples by
powers of x mask the input and the output of each call of the cipher.
"""

from __future__ import annotations

from collections.abc import Callable

from .block_cipher import doublings
from .checks import split_blocks, xor
from .field import ghash_double
from .psi import PsiMode


class HEH(PsiMode):
    """HEH-AES: a tweakable permutation of m ≥ 2 whole blocks. Parameters and errors are those of the base."""

    name = "HEH"
    least_blocks = 2

    def _encrypt(self, beta1: bytes, beta2: bytes, p: list[bytes]) -> list[bytes]:
        return self._layers(p, beta1, beta2, self._aes.encrypt_blocks)

    def _decrypt(self, beta1: bytes, beta2: bytes, c: list[bytes]) -> list[bytes]:
        # The same layers with β_1 and β_2 exchanged and the inverse of the cipher.
        return self._layers(c, beta2, beta1, self._aes.decrypt_blocks)

    def _layers(
        self, blocks: list[bytes], beta_in: bytes, beta_out: bytes, cipher: Callable[[bytes], bytes]
    ) -> list[bytes]:
        # Comments name the lines of HEH.Encrypt.
        *head, last = blocks
        u = xor(last, self._psi(head))  # line 2
        inner = [xor(u, beta_in)]  # line 3
        masks_in, masks_out = (doublings(ghash_double(beta), len(head), ghash_double) for beta in (beta_in, beta_out))
        inner += [xor(block, u, mask) for block, mask in zip(head, masks_in, strict=True)]  # line 6
        last_out, *head_out = split_blocks("cipher output", cipher(b"".join(inner)))  # lines 4 and 7
        v = xor(last_out, beta_out)  # line 4
        result = [xor(block, mask, v) for block, mask in zip(head_out, masks_out, strict=True)]  # line 8
        return [*result, xor(v, self._psi(result))]  # lines 10 and 11
