# SPDX-License-Identifier: Apache-2.0
"""Bit transposition of words.  It takes wires in a circuit, and a few wide instructions in a compiled simulation.

A lane is a small polynomial.  A plane holds one coefficient of every lane::

    lane 0: a3 a2 a1 a0          plane 0: ... c0 b0 a0
    lane 1: b3 b2 b1 b0    ->    plane 1: ... c1 b1 a1
    lane 2: c3 c2 c1 c0          plane 2: ... c2 b2 a2

One operation on planes therefore does the same step for all lanes.  The transposition exchanges larger and larger squares of bits with
masks and shifts (Warren, Hacker's Delight, section 7-3).
"""

from __future__ import annotations

from collections.abc import Sequence

from modeloom.rtl.gf128.words import Word, join, zero

__all__ = ["repeat", "reverse_in_bytes", "to_lanes", "to_planes", "transpose"]


def repeat(pattern: int, period: int, width: int) -> int:
    """The ``period`` bits of ``pattern`` repeated up to ``width`` bits."""
    return sum(pattern << position for position in range(0, width, period)) & (1 << width) - 1


def transpose(words: Sequence[Word]) -> list[Word]:
    """Exchanges the row and the column of bits in squares.

    Parameters
    ----------
    words : sequence of Word
        2^n rows of equal width, which is a multiple of 2^n.

    Returns
    -------
    list of Word
        Bit c * 2^n + t of row r is bit c * 2^n + r of row t of ``words``.
    """
    rows, width = list(words), words[0].width
    side = len(rows)
    if side & (side - 1) or width % side or any(word.width != width for word in rows):
        raise ValueError(f"transpose: {side} rows of {width} bits do not form squares of a power of two")
    step = 1
    while step < side:
        low = repeat((1 << step) - 1, 2 * step, width)
        high = low << step
        for row in range(side):
            if not row & step:
                upper, lower = rows[row], rows[row | step]
                rows[row] = (upper & low) | ((lower & low) << step)
                rows[row | step] = ((upper >> step) & low) | (lower & high)
        step *= 2
    return rows


def to_planes(lanes: Sequence[Word]) -> list[Word]:
    """Planes of lanes of equal width.  Bit l of plane t is bit t of lane l.

    Planes are padded with zeros to a multiple of 32 bits, so operations on them never have to clear bits.
    """
    width = lanes[0].width
    side = 1 << (width - 1).bit_length()
    columns = -(-len(lanes) // side)
    padded = [lane.extend(side) for lane in lanes] + [zero(side)] * (columns * side - len(lanes))
    rows = transpose([join(padded[row::side]) for row in range(side)])
    return [row.extend(-(-len(lanes) // 32) * 32) for row in rows[:width]]


def to_lanes(planes: Sequence[Word], lanes: int) -> list[Word]:
    """Inverse of ``to_planes``: the first ``lanes`` lanes."""
    width = len(planes)
    side = 1 << (width - 1).bit_length()
    columns = -(-lanes // side)
    padded = [plane.extend(columns * side) for plane in planes] + [zero(columns * side)] * (side - width)
    rows = transpose(padded)
    return [rows[lane % side].part(lane // side * side, width) for lane in range(lanes)]


def reverse_in_bytes(word: Word) -> Word:
    """Every byte with its bits in reverse order."""
    for step, low in ((1, 0x55), (2, 0x33), (4, 0x0F)):
        mask = repeat(low, 8, word.width)
        word = ((word & mask) << step) | ((word >> step) & mask)
    return word
