# SPDX-License-Identifier: Apache-2.0
"""Numbers with their nouns, for messages."""

from __future__ import annotations

__all__ = ["many", "paced"]


def many(count: int, what: str) -> str:
    """A number of things, such as "1 block" and "2 blocks".  ``what`` is the noun for one of them."""
    return f"{count} {what}{'s' * (count != 1)}"


def paced(blocks: int, interval: int) -> str:
    """The rate of a cipher that takes blocks in batches, such as "4 cipher blocks every 40 cycles"."""
    return f"{many(blocks, 'cipher block')} every {many(interval, 'cycle')}"
