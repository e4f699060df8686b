# SPDX-License-Identifier: Apache-2.0
"""The common parts of HEH and HMCH: the key, the hash ψ_h, β_1 and β_2. brw2013, section 4.1.

Field elements are in GHASH order (see :mod:`modeloom.golden.field`). The key is laid out as::

    | AES key (16, 24 or 32 bytes) | h (16 bytes) |
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from .aes import AES, KEY_BYTES
from .brw import brw
from .checks import BLOCK_BYTES, check_block, check_bytes, sector_blocks
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
        :func:`~modeloom.golden.brw.brw` or :func:`~modeloom.golden.field.poly`: of h and the hashed blocks.

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
