# SPDX-License-Identifier: Apache-2.0
"""What the parts around the core hand on.

::

    command ──▶ SHAPE ──▶ TagSplitter ──▶ TRIMMED ──▶ TextAligner ──▶ beats for the core
                              │                            └──▶ PIECE of a header ──┐
                              └──▶ ENDING: tag, code                                ├──▶ PieceOrder ──▶ PART ──▶ PacketJoiner ──▶ JOINED
                                   core ──▶ text, FINAL ────────────────────────────┘
"""

from __future__ import annotations

from amaranth.lib.data import StructLayout

from modeloom.rtl.stream.parameters import CODE_BITS, MessageParameters

__all__ = [
    "LENGTH_BITS", "ending_layout", "final_layout", "head_layout", "joined_layout", "offset_bits", "part_layout", "piece_layout",
    "shape_layout", "trimmed_layout",
]  # fmt: skip

LENGTH_BITS = 64
"""Bits of the length of a header in bytes."""


def offset_bits(p: MessageParameters) -> int:
    """Bits of the place of a byte in a beat."""
    return p.beat_bytes.bit_length() - 1


def shape_layout(p: MessageParameters) -> StructLayout:
    """What the splitter has to know of a message.

    ``beats`` are the whole beats of its header, and ``offset`` the bytes beyond them; it is ``within`` the first beat, or there is one at
    all (``headed``).  ``tag_bytes`` is 0 if the packet has no tag.  ``held`` says that the packet out has a limit.
    """
    return StructLayout({
        "beats": LENGTH_BITS - offset_bits(p), "offset": offset_bits(p), "headed": 1, "within": 1, "tag_bytes": p.nbytes_bits, "held": 1,
    })  # fmt: skip


def head_layout(p: MessageParameters) -> StructLayout:
    """What the joiner has to know of a message before anything of it comes."""
    return StructLayout({"headed": 1, "held": 1})


def trimmed_layout(p: MessageParameters) -> StructLayout:
    """A beat of a packet without its tag: whether it has bytes of the header, and the end of it behind ``offset`` bytes, or behind all."""
    return StructLayout({
        "data": 8 * p.beat_bytes, "nbytes": p.beat_nbytes_bits, "last": 1, "offset": offset_bits(p), "header": 1, "ends_header": 1,
    })  # fmt: skip


def ending_layout(p: MessageParameters) -> StructLayout:
    """The tag of a packet, and what is wrong with the packet."""
    return StructLayout({"tag": p.block_bits, "code": CODE_BITS})


def piece_layout(p: MessageParameters) -> StructLayout:
    """Bytes of a header; zero behind them."""
    return StructLayout({"data": 8 * p.beat_bytes, "nbytes": p.beat_nbytes_bits, "last": 1})


def final_layout(p: MessageParameters) -> StructLayout:
    """How the packet out ends: the tag of a sealed message, zero behind its bytes, and whether the message failed."""
    return StructLayout({"tag": p.block_bits, "nbytes": p.nbytes_bits, "failed": 1})


def part_layout(p: MessageParameters) -> StructLayout:
    """Bytes of a packet out, zero behind them; those that end it say whether it failed."""
    return StructLayout({"data": 8 * p.beat_bytes, "nbytes": p.beat_nbytes_bits, "ends": 1, "failed": 1, "held": 1})


def joined_layout(p: MessageParameters) -> StructLayout:
    """A beat of a packet out, zero behind its bytes."""
    return StructLayout({"data": 8 * p.beat_bytes, "nbytes": p.beat_nbytes_bits, "last": 1, "failed": 1, "held": 1})
