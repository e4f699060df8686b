# SPDX-License-Identifier: Apache-2.0
"""The largest sectors that cores are built for, and the most keys that they hold. Sectors are checked first, so that one that is too large
is refused at once.
"""

from __future__ import annotations

from collections.abc import Iterable

from modeloom.spec import InputError, Mode

__all__ = ["MOST_BLOCKS", "MOST_SLOTS", "check_blocks"]

MOST_BLOCKS = 512
"""Blocks of a sector: what the buses count (``rtl.bus.parameters``), and what the compiler has been measured with."""

MOST_SLOTS = 256
"""Key slots of a core for sectors: a command has eight bits for the number of one."""


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
