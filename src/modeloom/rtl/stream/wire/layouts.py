# SPDX-License-Identifier: Apache-2.0
"""The layouts of the records between the parts around the core.

::

    command ──▶ SHAPE ──▶ TagSplitter ──▶ TRIMMED ──▶ TextAligner ──▶ beats for the core
                              │                            └──▶ PIECE of a header ──┐ └──▶ ENDING: tag, code
                              ├──▶ PieceOrder ──▶ PART ──▶ PacketJoiner ──▶ JOINED
                                   core ──▶ text, FINAL ────────────────────────────┘

Rotations of the bytes of a beat, and a mask of its first bytes.

::

    turned_down(beat, 2)     byte 0  1  2  3  ──▶  2  3  0  1
    turned_up(beat, 1)       byte 0  1  2  3  ──▶  3  0  1  2
"""

from __future__ import annotations

from amaranth.hdl import Cat, Mux, Value
from amaranth.lib.data import StructLayout

from modeloom.rtl.stream.sizes import CODE_BITS, LENGTH_BITS, MessageSizes

__all__ = [
    "LENGTH_BITS", "ending_layout", "final_layout", "first_bytes", "head_layout", "joined_layout", "offset_bits", "part_layout",
    "piece_layout", "shape_layout", "trimmed_layout", "turned_down", "turned_up",
]  # fmt: skip


def offset_bits(p: MessageSizes) -> int:
    """The width of the place of a byte in a beat."""
    return p.beat_bytes.bit_length() - 1


def shape_layout(p: MessageSizes) -> StructLayout:
    """The layout of what the splitter has to know of a message.

    ``beats`` is the number of whole beats of its header, and ``offset`` the number of bytes beyond them.  ``headed`` says that
    there is a header, and ``within`` that it ends in the first beat.  ``tag_bytes`` is 0 if the packet has no tag.  ``held`` says
    that the packet out has a limit.
    """
    return StructLayout({
        "beats": LENGTH_BITS - offset_bits(p), "offset": offset_bits(p), "headed": 1, "within": 1, "tag_bytes": p.nbytes_bits, "held": 1,
    })  # fmt: skip


def head_layout(p: MessageSizes) -> StructLayout:
    """The layout of what the joiner has to know of a message before any part of it comes."""
    return StructLayout({"headed": 1, "held": 1})


def trimmed_layout(p: MessageSizes) -> StructLayout:
    """The layout of a beat of a packet without its tag.

    It says whether the beat has bytes of the header, and whether the header ends in it, behind ``offset`` bytes or behind all.
    """
    return StructLayout({
        "data": 8 * p.beat_bytes, "nbytes": p.beat_nbytes_bits, "last": 1, "offset": offset_bits(p), "header": 1, "ends_header": 1,
    })  # fmt: skip


def ending_layout(p: MessageSizes) -> StructLayout:
    """The layout of the tag of a packet, with what is wrong with the packet."""
    return StructLayout({"tag": p.block_bits, "code": CODE_BITS})


def piece_layout(p: MessageSizes) -> StructLayout:
    """The layout of bytes of a header.  Bits behind them are zero."""
    return StructLayout({"data": 8 * p.beat_bytes, "nbytes": p.beat_nbytes_bits, "last": 1})


def final_layout(p: MessageSizes) -> StructLayout:
    """The layout of the end of a packet out: the tag of a sealed message, zero behind its bytes, and whether the message failed."""
    return StructLayout({"tag": p.block_bits, "nbytes": p.nbytes_bits, "failed": 1})


def part_layout(p: MessageSizes) -> StructLayout:
    """The layout of bytes of a packet out, zero behind them.  The last bytes say whether it failed."""
    return StructLayout({"data": 8 * p.beat_bytes, "nbytes": p.beat_nbytes_bits, "ends": 1, "failed": 1, "held": 1})


def joined_layout(p: MessageSizes) -> StructLayout:
    """The layout of a beat of a packet out, zero behind its bytes."""
    return StructLayout({"data": 8 * p.beat_bytes, "nbytes": p.beat_nbytes_bits, "last": 1, "failed": 1, "held": 1})


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
