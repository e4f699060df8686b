# SPDX-License-Identifier: Apache-2.0
"""The common parts of HEH and HMCH: the key, the hash ψ_h, β_1 and β_2. brw2013, section 4.1.

Field elements are in GHASH order (see :mod:`modeloom_golden.field`). The key is laid out as::

    | AES key (16, 24 or 32 bytes) | h (16 bytes) |
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from .aes import AES, KEY_BYTES
from .brw import brw
from .checks import BLOCK_BYTES, check_block, check_bytes, doublings, sector_blocks, split_blocks, xor
from .field import ghash_double, ghash_mul

BlockOrder = Sequence[int] | Callable[[int], Sequence[int]]
Polynomial = Callable[[bytes, Sequence[bytes]], bytes]


class PsiMode(ABC):
    """A mode of AES with ψ_h = h · polynomial_h under one key; base of HEH and HMCH.

    Parameters
    ----------
    key : bytes
        AES key ‖ h: 32, 40 or 48 bytes.
    permutation : sequence of int, callable or None
        The order π in which the m - 1 blocks are hashed, BRW_h(X_π(1), …, X_π(m-1)) with indices from 1; or a function
        that gives π for a number of hashed blocks. None is the natural order. brw2013, section 4.2.
    polynomial : callable
        :func:`~modeloom_golden.brw.brw` or :func:`~modeloom_golden.field.poly`: of h and the hashed blocks.

    Raises ``TypeError`` or ``ValueError`` if *key* has a wrong type or length; *permutation* is not one of 1 … its length.
    """

    name: str
    least_blocks: int

    def __init__(self, key: bytes, permutation: BlockOrder | None = None, polynomial: Polynomial = brw) -> None:
        key = check_bytes(f"{self.name} key", key)
        if len(key) - BLOCK_BYTES not in KEY_BYTES:
            raise ValueError(f"{self.name} key must be AES key ‖ h, 32, 40 or 48 bytes, not {len(key)}")
        self._aes = AES(key[:-BLOCK_BYTES])
        self._h = key[-BLOCK_BYTES:]
        self._permutation = permutation
        self._polynomial = polynomial
        if permutation is not None and not callable(permutation):
            _check_permutation(permutation)

    def encrypt(self, tweak: bytes, data: bytes) -> bytes:
        """Encrypt *data* (whole blocks, as many as the mode's least number or more) under *tweak* (16 bytes).

        Raises ``TypeError`` or ``ValueError`` if an argument is not bytes; a length or the size of the permutation does not fit.
        """
        return b"".join(self._encrypt(*self._betas(tweak), self._blocks(data)))

    def decrypt(self, tweak: bytes, data: bytes) -> bytes:
        """The inverse of :meth:`encrypt`."""
        return b"".join(self._decrypt(*self._betas(tweak), self._blocks(data)))

    @abstractmethod
    def _encrypt(self, beta1: bytes, beta2: bytes, p: list[bytes]) -> list[bytes]:
        """The blocks C_1 … C_m of P_1 … P_m."""

    @abstractmethod
    def _decrypt(self, beta1: bytes, beta2: bytes, c: list[bytes]) -> list[bytes]:
        """The blocks P_1 … P_m of C_1 … C_m."""

    def _betas(self, tweak: bytes) -> tuple[bytes, bytes]:
        """β_1 = E_K(T) and β_2 = xβ_1, in both directions by encryption."""
        beta1 = self._aes.encrypt_block(check_block("tweak", tweak))
        return beta1, ghash_double(beta1)

    def _psi(self, blocks: list[bytes]) -> bytes:
        """ψ_h of the hashed blocks in their order in the sector; zero for none."""
        pi = self._permutation
        if callable(pi):
            pi = pi(len(blocks))
            _check_permutation(pi)
        if pi is not None:
            if len(pi) != len(blocks):
                raise ValueError(f"the permutation is for {len(pi)} hashed blocks, the data has {len(blocks)}")
            blocks = [blocks[i - 1] for i in pi]
        return ghash_mul(self._h, self._polynomial(self._h, blocks))

    def _blocks(self, data: bytes) -> list[bytes]:
        return sector_blocks(f"{self.name} data", data, self.least_blocks)


def _check_permutation(pi: Sequence[int]) -> None:
    if sorted(pi) != list(range(1, len(pi) + 1)):
        raise ValueError(f"the permutation must hold each of 1 to {len(pi)} once")


# -- HEH ---------------------------------------------------------------------------------------------------------------------------------

# HEH with AES: ψ_h = h · BRW_h or h · Poly_h. Sarkar, IEEE Trans. IT 55(10), 2009; brw2013, Fig. 9.
#
# Field elements are in GHASH order (see :mod:`modeloom_golden.field`). The key and the sector are laid out as::
#
#     key   | AES key (16, 24 or 32 bytes) | h (16 bytes) |
#     data  | P_1 | P_2 | … | P_m |   16 bytes each, m ≥ 2; P_1 … P_{m-1} are hashed, P_m masks
#
# The tweak T, one block, enters as β_1 = E_K(T) and β_2 = xβ_1, in both directions by encryption; their multiples by
# powers of x mask the input and the output of each call of the cipher.

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


# -- HMCH --------------------------------------------------------------------------------------------------------------------------------

# HMCH with AES: ψ_h = h · BRW_h or h · Poly_h. Sarkar, IEEE Trans. IT 55(10), 2009; brw2013, Fig. 10, as printed.
#
# Field elements are in GHASH order (see :mod:`modeloom_golden.field`). The key and the sector are laid out as::
#
#     key   | AES key (16, 24 or 32 bytes) | h (16 bytes) |
#     data  | P_1 | P_2 | … | P_m |   16 bytes each, m ≥ 1; P_2 … P_m are hashed and get the key stream
#
# The tweak T, one block, enters as β_1 = E_K(T) and β_2 = xβ_1, and through them the key stream alone: S holds both, the
# counter blocks are S + x^(i-2) β_1. M_1 and U_1 do not depend on it (lines 2, 3 and 7; section 4.4 says the same of the
# circuit). So the printed mode is not a secure tweakable cipher: one sector encrypted under two tweaks gives
# C_1 + C'_1 = ψ_h(C_2, …) + ψ_h(C'_2, …), for two blocks a linear equation for h; one block does not see the tweak at all.

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
