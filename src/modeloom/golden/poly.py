# SPDX-License-Identifier: Apache-2.0
"""The normal polynomial Poly_h by Horner's rule. brw2013, equation (1).

Blocks are field elements in GHASH order (see :mod:`modeloom.golden.field`), numbered X_1 … X_m::

    Poly_h(X_1 … X_m) = X_1 h^(m-1) + X_2 h^(m-2) + … + X_(m-1) h + X_m

The last block is not multiplied: GHASH without its length block is h · Poly_h.
"""

from __future__ import annotations

from collections.abc import Sequence

from .checks import BLOCK_BYTES, check_block, xor
from .field import ghash_mul


def poly(h: bytes, blocks: Sequence[bytes]) -> bytes:
    """Poly_h(X_1, …, X_m): 16 bytes; zero for no blocks.

    Parameters
    ----------
    h : bytes
        The hash key, 16 bytes.
    blocks : sequence of bytes
        m blocks of 16 bytes.

    Raises ``TypeError`` or ``ValueError`` if the key or a block is not 16 bytes.
    """
    h = check_block("hash key", h)
    total = bytes(BLOCK_BYTES)
    for block in blocks:
        total = xor(ghash_mul(total, h), check_block("block", block))
    return total
