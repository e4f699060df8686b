# SPDX-License-Identifier: Apache-2.0
"""Sums of a counter of symbols and a number, in a form in which equal sums are equal words.

::

    (v + 1) + 1  =  v + 2        each is the word of v and 2, modulo 2^bits

A sum of numbers is the number.  Nothing else is known about a sum of symbols.
"""

from __future__ import annotations

from modeloom.equivalence import lanes
from modeloom.spec import Counter

__all__ = ["added", "counted"]

_sums: dict[tuple[int, int], tuple[int, int]] = {}
"""For each sum and its width, the word that it began with, and the number that was added to it."""


def added(word: int, number: int, bits: int) -> int:
    """A word of so many bits plus a number, without the carry."""
    value = lanes.number(word)
    if value is not None:
        return lanes.constant((value + number) % (1 << bits), bits)
    base, before = _sums.get((word, bits), (word, 0))
    total = (before + number) % (1 << bits)
    if not total:
        return base
    result = lanes.operation(f"sum {total}", bits, base)
    _sums[result, bits] = base, total
    return result


def counted(block: int, counter: Counter, number: int, width: int) -> int:
    """A block of ``width`` bits with a number added to its counter."""
    bits, shift = counter.bits, counter.low(width) * lanes.LANES
    place = lanes.mask(bits) << shift
    count = _turned((block & place) >> shift, counter)
    return block & ~place | _turned(added(count, number, bits), counter) << shift


def _turned(word: int, counter: Counter) -> int:
    """A word with its bytes in the order of a counter, or a counter with its bytes in the order of words."""
    bits = lanes.bits_of(word, counter.bits)
    return lanes.joined([bit for byte in counter.ascending([bits[at : at + 8] for at in range(0, counter.bits, 8)]) for bit in byte])
