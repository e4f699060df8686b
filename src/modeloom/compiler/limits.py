# SPDX-License-Identifier: Apache-2.0
"""The largest sectors that cores are built for. This is checked first, so that a sector that is too large is refused at once."""

from __future__ import annotations

from collections.abc import Iterable

from modeloom.spec import InputError, Mode

__all__ = ["MOST_BLOCKS", "check_blocks"]

MOST_BLOCKS = 512
"""Blocks of a sector: what the buses count (``rtl.bus.parameters``), and what the compiler has been measured with."""


def check_blocks(mode: Mode, sizes: Iterable[int]) -> None:
    """Raises ``InputError`` for a sector size, in bytes, of more blocks than a core has places for."""
    for nbytes in sizes:
        blocks = -(-nbytes // mode.block_bytes)
        if blocks > MOST_BLOCKS:
            raise InputError(
                f"{mode.name}: the buses of a core can count {MOST_BLOCKS} blocks in a sector "
                f"({MOST_BLOCKS * mode.block_bytes} bytes), but "
                f"{nbytes} bytes are {blocks}; choose a smaller --sector"
            )
