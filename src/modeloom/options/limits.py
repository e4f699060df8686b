# SPDX-License-Identifier: Apache-2.0
"""The largest sectors that cores are built for, and the most keys that they hold.

Sectors are checked first, so that one that is too large is refused at once.
"""

from __future__ import annotations

from collections.abc import Iterable

from modeloom.spec import InputError, Mode

__all__ = ["LONGER_SECTORS", "MOST_BLOCKS", "MOST_MESSAGE_SLOTS", "MOST_SLOTS", "RING", "SLOTS", "check_blocks"]

MOST_BLOCKS = 512
"""Blocks of a sector.  The hardware refuses more, too (``rtl.bus.sector.parameters``)."""

LONGER_SECTORS = "longer sectors are not tested, because twice the blocks take the compiler two to four times as long"
"""Why there are no more, for messages.  ``docs/scaling.md`` has measurements.  Memories and counters could be larger."""

MOST_SLOTS = 256
"""Key slots of a core for sectors: a command has eight bits for the number of one."""

MOST_MESSAGE_SLOTS = 1024
"""Key slots of a core for messages, which its key port takes."""

SLOTS, RING = 16, 32
"""Key slots of a core for messages if a user names no number, and those of one whose keys come with the messages."""


def check_blocks(mode: Mode, sizes: Iterable[int]) -> None:
    """Raises ``InputError`` for a sector size, in bytes, of too many blocks."""
    for nbytes in sizes:
        blocks = -(-nbytes // mode.block_bytes)
        if blocks > MOST_BLOCKS:
            raise InputError(
                f"{mode.name}: a sector has at most {MOST_BLOCKS} blocks ({MOST_BLOCKS * mode.block_bytes} bytes), but "
                f"{nbytes} bytes are {blocks}; {LONGER_SECTORS}; choose a smaller --sector"
            )
