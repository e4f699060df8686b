# SPDX-License-Identifier: Apache-2.0
"""Rotations of the bytes of a beat, and a mask of its first bytes.

::

    turned_down(beat, 2)     byte 0  1  2  3  ──▶  2  3  0  1
    turned_up(beat, 1)       byte 0  1  2  3  ──▶  3  0  1  2
"""

from __future__ import annotations

from amaranth.hdl import Cat, Mux, Value

__all__ = ["first_bytes", "turned_down", "turned_up"]


def turned_down(beat: Value, amount: Value) -> Value:
    """Moves byte *amount* of a beat to byte 0, and the bytes below it to the end.  The number of bytes is a power of two."""
    for level in range(len(amount)):
        beat = Mux(amount[level], beat.rotate_right(8 << level), beat)
    return beat


def turned_up(beat: Value, amount: Value) -> Value:
    """Moves byte 0 of a beat to byte *amount*, and the last bytes to the beginning.  The number of bytes is a power of two."""
    for level in range(len(amount)):
        beat = Mux(amount[level], beat.rotate_left(8 << level), beat)
    return beat


def first_bytes(count: Value, size: int) -> Value:
    """A mask of the bits of the first *count* of *size* bytes."""
    return Cat((count > at).replicate(8) for at in range(size))
