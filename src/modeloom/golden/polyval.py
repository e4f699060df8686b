# SPDX-License-Identifier: Apache-2.0
"""POLYVAL and GHASH: Horner's rule over a list of blocks.

Byte and bit orders are those of :mod:`modeloom.golden.field`; blocks are hashed in the order of the list::

    S_0 = 0,  S_i = (S_{i-1} + X_i) * H,  result S_m      with * = dot for POLYVAL, the product for GHASH
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .checks import BLOCK_BYTES, check_block, xor
from .field import ghash_mul, polyval_dot


def polyval(h: bytes, blocks: Iterable[bytes]) -> bytes:
    """POLYVAL(H, X_1, …, X_m): 16 bytes; zero for no blocks. RFC 8452, section 3."""
    return _horner(h, blocks, polyval_dot)


def ghash(h: bytes, blocks: Iterable[bytes]) -> bytes:
    """GHASH_H(X_1 ‖ … ‖ X_m): 16 bytes; zero for no blocks. SP 800-38D, algorithm 2."""
    return _horner(h, blocks, ghash_mul)


def _horner(h: bytes, blocks: Iterable[bytes], product: Callable[[bytes, bytes], bytes]) -> bytes:
    h = check_block("hash key", h)
    total = bytes(BLOCK_BYTES)
    for block in blocks:
        total = product(xor(total, check_block("block", block)), h)
    return total
