# SPDX-License-Identifier: Apache-2.0
"""Numbers with their nouns, and lists of numbers, for messages."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["many", "numbers", "paced"]


def many(count: int, what: str) -> str:
    """A number of things, such as "1 block" and "2 blocks".  ``what`` is the noun for one of them."""
    return f"{count} {what}{'s' * (count != 1)}"


def paced(blocks: int, interval: int) -> str:
    """The rate of blocks, such as "2 blocks per cycle", or "4 cipher blocks every 40 cycles" of a cipher that takes them in batches."""
    if interval == 1:
        return f"{many(blocks, 'block')} per cycle"
    return f"{many(blocks, 'cipher block')} every {many(interval, 'cycle')}"


def numbers(values: Iterable[int]) -> str:
    """Numbers in their order, in which three or more that follow each other are a range, such as "4, 8, or 12 to 16"."""
    runs: list[list[int]] = []
    for value in sorted(set(values)):
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    parts = [text for run in runs for text in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run))]
    *head, last = parts
    if not head:
        return last
    return f"{', '.join(head)}{',' * any(' ' in part for part in parts)} or {last}"
