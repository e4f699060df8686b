# SPDX-License-Identifier: Apache-2.0
"""HEH[BRW] with AES: ψ_h = h · BRW_h. Sarkar, IEEE Trans. IT 55(10), 2009; brw2013, Fig. 9.

Field elements are in GHASH order (see :mod:`modeloom.golden.field`). The key and the sector are laid out as::

    key   | AES key (16, 24 or 32 bytes) | h (16 bytes) |
    data  | P_1 | P_2 | … | P_m |   16 bytes each, m ≥ 2; P_1 … P_{m-1} are hashed, P_m masks
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .aes import AES, KEY_BYTES
from .brw import brw
from .checks import BLOCK_BYTES, check_block, check_bytes, split_blocks, xor
from .field import ghash_double, ghash_mul

BlockOrder = Sequence[int] | Callable[[int], Sequence[int]]


class HEH:
    """HEH[BRW]-AES: a tweakable permutation of m ≥ 2 whole blocks.

    Parameters
    ----------
    key : bytes
        AES key ‖ h: 32, 40 or 48 bytes.
    permutation : sequence of int, callable or None
        The order π in which the m - 1 blocks are hashed, BRW_h(X_π(1), …, X_π(m-1)) with indices from 1; or a function
        that gives π for a number of hashed blocks. None is the natural order.

    Raises
    ------
    TypeError, ValueError
        *key* has a wrong type or length; *permutation* is not one of 1 … its length.
    """

    def __init__(self, key: bytes, permutation: BlockOrder | None = None) -> None:
        key = check_bytes("HEH key", key)
        if len(key) - BLOCK_BYTES not in KEY_BYTES:
            raise ValueError(f"HEH key must be AES key ‖ h, 32, 40 or 48 bytes, not {len(key)}")
        self._aes = AES(key[:-BLOCK_BYTES])
        self._h = key[-BLOCK_BYTES:]
        self._permutation = permutation
        if permutation is not None and not callable(permutation):
            _check_permutation(permutation)

    def encrypt(self, tweak: bytes, data: bytes) -> bytes:
        """Encrypt *data* (m ≥ 2 blocks) under *tweak* (16 bytes).

        Raises
        ------
        TypeError, ValueError
            An argument is not bytes; a length or the size of the permutation does not fit.
        """
        beta1, beta2 = self._betas(tweak)
        return self._layers(data, beta1, beta2, self._aes.encrypt_blocks)

    def decrypt(self, tweak: bytes, data: bytes) -> bytes:
        """The inverse of :meth:`encrypt`: the same layers with β_1 and β_2 exchanged and the inverse of the cipher."""
        beta1, beta2 = self._betas(tweak)
        return self._layers(data, beta2, beta1, self._aes.decrypt_blocks)

    def _betas(self, tweak: bytes) -> tuple[bytes, bytes]:
        beta1 = self._aes.encrypt_block(check_block("tweak", tweak))
        return beta1, ghash_double(beta1)

    def _layers(self, data: bytes, beta_in: bytes, beta_out: bytes, cipher: Callable[[bytes], bytes]) -> bytes:
        # Comments name the lines of HEH.Encrypt.
        *head, last = self._blocks(data)
        u = xor(last, self._psi(head))  # line 2
        inner = [xor(u, beta_in)]  # line 3
        masks_in, masks_out = _powers(beta_in, len(head)), _powers(beta_out, len(head))
        inner += [xor(block, u, mask) for block, mask in zip(head, masks_in, strict=True)]  # line 6
        last_out, *head_out = split_blocks("cipher output", cipher(b"".join(inner)))  # lines 4 and 7
        v = xor(last_out, beta_out)  # line 4
        result = [xor(block, mask, v) for block, mask in zip(head_out, masks_out, strict=True)]  # line 8
        return b"".join([*result, xor(v, self._psi(result))])  # lines 10 and 11

    def _psi(self, blocks: list[bytes]) -> bytes:
        order = self._permutation
        if callable(order):
            order = order(len(blocks))
            _check_permutation(order)
        if order is not None:
            if len(order) != len(blocks):
                raise ValueError(f"the permutation is for {len(order)} hashed blocks, the data has {len(blocks)}")
            blocks = [blocks[i - 1] for i in order]
        return ghash_mul(self._h, brw(self._h, blocks))

    @staticmethod
    def _blocks(data: bytes) -> list[bytes]:
        blocks = split_blocks("HEH data", data)
        if len(blocks) < 2:
            raise ValueError(f"HEH data must be at least 2 blocks of {BLOCK_BYTES} bytes, not {len(blocks)}")
        return blocks


def _powers(beta: bytes, count: int) -> list[bytes]:
    """xβ, x²β, …, x^count β."""
    powers = [ghash_double(beta)]
    while len(powers) < count:
        powers.append(ghash_double(powers[-1]))
    return powers


def _check_permutation(order: Sequence[int]) -> None:
    if sorted(order) != list(range(1, len(order) + 1)):
        raise ValueError(f"the permutation must hold each of 1 to {len(order)} once")
