# SPDX-License-Identifier: Apache-2.0
"""Packets as they are on the wire: the parts around the message control of a core with ``--packet wire``, and the records between them.

::

    cmd ──┬──▶ shapes ──▶ TagSplitter ──▶ [slice] ──▶ TextAligner ──▶ beats of the core
    s ────┼───────────────────▲ └──▶ endings ──▶ tag and code      └──▶ headers ──┐
          └──▶ heads ──────────────────────────────────────────────────┐          ▼
    text, verdicts of the core ────────────────────────────────────────┴──▶ PieceOrder ──▶ PacketJoiner ──▶ [hold] ──▶ m
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.cycles.messages import ENTRY_SLACK, HOLD_SLACK
from modeloom.interfaces.messages import MessageCode
from modeloom.rtl.bus.ports import BusComponent, ErasedComponent, RegisterSlice, beat_layout, erased, join, signals
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.command import command_layout
from modeloom.rtl.stream.delivery import Delivery, Statuses
from modeloom.rtl.stream.forms import AlignedPackets, T
from modeloom.rtl.stream.hold import BLOCK_BEATS
from modeloom.rtl.stream.long_counter import LongCounter
from modeloom.rtl.stream.packet import counted
from modeloom.rtl.stream.parameters import CODE_BITS, MessageDepths, MessageParameters, power_of_two
from modeloom.rtl.stream.sizes import LENGTH_BITS, MessageSizes
from modeloom.rtl.stream.storage import Queue
from modeloom.rtl.stream.texts import text_layout

if TYPE_CHECKING:
    from modeloom.rtl.stream.bus import MessageBus

__all__ = [
    "WIRE_PACKETS", "OnWire", "PacketHold", "PacketJoiner", "PieceOrder", "TagSplitter", "TextAligner", "WirePackets", "final_layout",
]  # fmt: skip


# -- depths ---------------------------------------------------------------------------------------------------------------------------

WIRE_COMMANDS, WIRE_PACKETS, WIRE_SPLIT = 2, 4, 5
"""Commands that wait behind the splitter for their packets, or for the splitter if no start runs ahead; beats before the splitter that
wait for the command of their packet; and beats from the splitter to the intake.  Each of these beats may be a packet."""

WIRE_AHEAD = 8
"""Messages on the way from the bus to the core."""


def ending_depth(p: MessageDepths) -> int:
    """Messages whose packets have ended, and whose last tokens have not entered."""
    return power_of_two(p.token_depth + WIRE_AHEAD)


def head_depth(p: MessageDepths) -> int:
    """Messages from the command to the end of the packet out."""
    return power_of_two(p.tag_depth + p.token_depth + WIRE_AHEAD + p.start_depth)


def shape_depth(p: MessageDepths) -> int:
    """Commands that wait for the splitter until their packets come."""
    return max(p.start_depth, WIRE_COMMANDS)


def header_depth(p: MessageDepths) -> int:
    """Beats of headers that wait until the packets before them have left."""
    return power_of_two(p.window + p.tag_stage + ENTRY_SLACK + HOLD_SLACK)


# -- records --------------------------------------------------------------------------------------------------------------------------

# What the parts around the core give each other:
#     command ──▶ SHAPE ──▶ TagSplitter ──▶ TRIMMED ──▶ TextAligner ──▶ beats for the core
#                               │                            └──▶ PIECE of a header ──┐ └──▶ ENDING: tag, code
#                               ├──▶ PieceOrder ──▶ PART ──▶ PacketJoiner ──▶ JOINED
#                                    core ──▶ text, FINAL ────────────────────────────┘
#
# Rotations of the bytes of a beat, and a mask of its first bytes.
#
#     turned_down(beat, 2)     byte 0  1  2  3  ──▶  2  3  0  1
#     turned_up(beat, 1)       byte 0  1  2  3  ──▶  3  0  1  2


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


# -- splitter ----------------------------------------------------------------------------------------------------------------------------

# Takes the tag off the end of a packet, and marks the end of its header.
#
# A beat is kept until the next one has come, because the tag may begin in it::
#
#     kept  │ t t t t t t T T │      kept  │ t t t t t t t t │      t  text   T  tag
#     next  │ T T             │      next  │ t T T T T       │
#             └▶ kept ends the packet         └▶ kept goes on, next is kept with one byte and ends the packet
#
# If a beat has a wrong ``tkeep``, or its bytes cannot be held, the packet counts as ended before it.

class TagSplitter(BusComponent[MessageParameters]):
    """Splits packets into tags and the data that the core works on.  It takes one beat in each cycle.

    Members
    -------
    s : stream of beats
        Beats from the host.
    shape : stream of shape_layout
        The shape of each packet.
    o : stream of trimmed_layout
        The packet without its tag.  It is one beat without bytes if nothing is left.
    ending : stream of ending_layout
        The tag of each packet, and the code of a fault in it: 0, ``TOO_SHORT`` if it is shorter than its tag, ``BAD_KEEP``, or
        ``TOO_LONG_TO_HOLD``.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        return {
            "s": In(stream.Signature(beat_layout(parameters))), "shape": In(stream.Signature(shape_layout(parameters))),
            "o": Out(stream.Signature(trimmed_layout(parameters))), "ending": Out(stream.Signature(ending_layout(parameters))),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        """Makes the count of a beat, the beat that is kept, the end of the header, and the tag."""
        m = Module()
        p = self.parameters
        size, place_bits = p.beat_bytes, offset_bits(p)

        # -- what a beat is -----------------------------------------------------------------------------------------------------
        counted_layout = StructLayout({"data": 8 * size, "nbytes": p.beat_nbytes_bits, "wrong": 1, "last": 1})
        m.submodules.taken = taken = RegisterSlice(beat_layout(p))
        m.submodules.counted = seen = RegisterSlice(counted_layout)
        raw = taken.o.payload
        hole = (~raw.keep[:-1] & raw.keep[1:]).any()
        m.d.comb += [
            taken.i.valid.eq(self.s.valid), taken.i.payload.eq(self.s.payload), self.s.ready.eq(taken.i.ready),
            seen.i.valid.eq(taken.o.valid), taken.o.ready.eq(seen.i.ready),
            seen.i.payload.data.eq(raw.data), seen.i.payload.last.eq(raw.last),
            seen.i.payload.wrong.eq(hole | (~raw.keep.all() & ~raw.last)),
            seen.i.payload.nbytes.eq(counted(raw.keep)),
        ]  # fmt: skip

        # -- the beat that is kept ----------------------------------------------------------------------------------------------
        kept_reg = Signal(trimmed_layout(p))
        valid_reg = Signal()
        # The rest of a packet with a fault is discarded.
        discard_reg = Signal()
        # The packet has beats before this one.
        inside_reg, in_header_reg = signals("inside_reg in_header_reg")
        m.submodules.header = header = LongCounter(LENGTH_BITS - place_bits)
        m.submodules.endings = endings = RegisterSlice(StructLayout({"data": 8 * size, "place": place_bits, "code": CODE_BITS}))

        beat, shape = seen.o.payload, self.shape.payload
        nbytes = Signal(p.beat_nbytes_bits)
        wrong, ends = signals("wrong ends")
        m.d.comb += [
            wrong.eq(beat.wrong | (inside_reg & (beat.nbytes == 0))),
            ends.eq(wrong | beat.last),
            nbytes.eq(Mux(wrong, 0, beat.nbytes)),
        ]
        # The tag takes all of the last beat, and more.
        back, whole_tag = signals("back whole_tag")
        left = Signal(p.beat_nbytes_bits)
        m.d.comb += [
            whole_tag.eq(nbytes >= shape.tag_bytes),
            back.eq(ends & inside_reg & (nbytes <= shape.tag_bytes)),
            # The bytes of text in this beat, or in the one that is kept.
            left.eq(Mux(back, size, 0) + nbytes - shape.tag_bytes),
        ]

        move, take, cut, over_kept, over_next = signals("move take cut over_kept over_next")
        if p.hold is not None:
            # The place of the kept beat in a packet that is held, and whether this or the next beat has more bytes than the buffer.
            last_place, most = divmod(p.hold, size)
            place_reg, next_place = signals("place_reg next_place", range(last_place + 2))
            m.d.comb += [
                next_place.eq(Mux(inside_reg, place_reg + 1, 0)),
                over_kept.eq(shape.held & inside_reg & (place_reg == last_place) & (Mux(back, left, size) > most)),
                over_next.eq(shape.held & ends & ~back & whole_tag & (next_place == last_place) & (left > most)),
            ]
            with m.If(move):
                m.d.sync += place_reg.eq(next_place)
        held_bytes = (p.hold or 0) % size
        m.d.comb += [
            self.o.payload.eq(kept_reg),
            move.eq(
                seen.o.valid & ~discard_reg & self.shape.valid & (endings.i.ready | ~ends & ~over_kept) & (self.o.ready | ~valid_reg)
            ),
            take.eq(move | (seen.o.valid & discard_reg)), seen.o.ready.eq(take),
            self.o.valid.eq(valid_reg & (kept_reg.last | move)), cut.eq(over_kept),
        ]  # fmt: skip
        with m.If(move & inside_reg & back):
            m.d.comb += [self.o.payload.last.eq(1), self.o.payload.nbytes.eq(left)]
        with m.If(move & cut):
            m.d.comb += [self.o.payload.last.eq(1), self.o.payload.nbytes.eq(held_bytes)]
        gives = ~back & ~cut
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += valid_reg.eq(0)
        with m.If(move):
            m.d.sync += [
                valid_reg.eq(gives), kept_reg.data.eq(beat.data), kept_reg.nbytes.eq(size), kept_reg.last.eq(ends),
                kept_reg.offset.eq(shape.offset), inside_reg.eq(~ends & ~cut),
            ]  # fmt: skip
            with m.If(ends):
                m.d.sync += kept_reg.nbytes.eq(Mux(whole_tag, left, 0))
            with m.If(over_next):
                m.d.sync += kept_reg.nbytes.eq(held_bytes)
            with m.If(~inside_reg):
                m.d.sync += [
                    kept_reg.header.eq(shape.headed), kept_reg.ends_header.eq(shape.within), in_header_reg.eq(shape.headed & ~shape.within),
                ]  # fmt: skip
            with m.Else():
                m.d.sync += [
                    kept_reg.header.eq(in_header_reg), kept_reg.ends_header.eq(in_header_reg & header.reached),
                    in_header_reg.eq(in_header_reg & ~header.reached),
                ]  # fmt: skip
        m.d.comb += [
            header.clear.eq(move & ~inside_reg),
            header.limit.eq(shape.beats),
            # The beat in which the header ends is that before which as many whole ones have come, or one less if it is whole
            # itself.
            header.first.eq(Mux(shape.offset == 0, 2, 1)),
            header.count.eq(move & inside_reg & in_header_reg),
        ]
        closes = move & (ends | cut)
        m.d.comb += self.shape.ready.eq(closes)
        with m.If(take):
            m.d.sync += discard_reg.eq((discard_reg | (move & (ends | cut))) & ~beat.last)

        # -- the tag ------------------------------------------------------------------------------------------------------------
        kept_bytes = first_bytes(nbytes, size)
        code = Signal(CODE_BITS)
        with m.If(wrong):
            m.d.comb += code.eq(MessageCode.BAD_KEEP)
        with m.Elif(cut | over_next):
            m.d.comb += code.eq(MessageCode.TOO_LONG_TO_HOLD)
        with m.Elif(~inside_reg & ~whole_tag):
            m.d.comb += code.eq(MessageCode.TOO_SHORT)
        m.d.comb += [
            endings.i.valid.eq(closes),
            endings.i.payload.code.eq(code),
            # The bytes of the tag are in a row if those behind the last byte come from the beat before.
            endings.i.payload.data.eq((beat.data & kept_bytes) | (kept_reg.data & ~kept_bytes)),
            endings.i.payload.place.eq(nbytes - shape.tag_bytes),
            self.ending.valid.eq(endings.o.valid), endings.o.ready.eq(self.ending.ready),
            self.ending.payload.code.eq(endings.o.payload.code),
            self.ending.payload.tag.eq(turned_down(endings.o.payload.data, endings.o.payload.place)),
        ]  # fmt: skip
        return m


# -- order -----------------------------------------------------------------------------------------------------------------------------

# Puts the parts of a packet out in order: header, text, and the tag when the verdict is known.
#
#     heads     one for each command: is there a header?                  ┐
#     header    its pieces, which wait here while the pipeline works      │
#     text      from the core                                             ├──▶ parts
#     ended     one for each message in the pipeline: has it text?        │
#     finals    one for each message: its tag, and whether it failed      ┘
#
# It gives one part in each cycle.  ``ended`` comes when the last token of a message enters the pipeline.  So it is known that a
# message has no text before text of the next message can come.

# Joins the parts of a packet without gaps.
#
#     parts   │ h h h │ t t t t │ T T │ ...       4 bytes per beat
#     out             │ h h h t │ t t t T │ T │   a beat leaves when more bytes are there than it has, or the packet has ended
#
# A packet without bytes is a beat without bytes.

class PacketJoiner(BusComponent[MessageParameters]):
    """Makes packets of parts.

    It takes a part of any length in each cycle.  At most one beat of bytes waits.  The last beat of a packet leaves when the first
    part of the next packet comes.

    Members
    -------
    i : stream of part_layout
    o : stream of joined_layout
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        return {"i": In(stream.Signature(part_layout(parameters))), "o": Out(stream.Signature(joined_layout(parameters)))}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        size = p.beat_bytes
        waiting_reg = Signal(8 * size)
        count_reg = Signal(p.beat_nbytes_bits)
        # The bytes that wait are the end of their packet.
        ended_reg, failed_reg, held_reg = signals("ended_reg failed_reg held_reg")
        part = self.i.payload
        move, overflows = signals("move overflows")
        waiting, turned, behind = signals("waiting turned behind", 8 * size)
        count = Signal(p.beat_nbytes_bits)
        total = Signal(p.beat_nbytes_bits + 1)
        m.d.comb += [
            waiting.eq(Mux(ended_reg, 0, waiting_reg)), count.eq(Mux(ended_reg, 0, count_reg)),
            turned.eq(turned_up(part.data, count[: offset_bits(p)])),
            behind.eq(first_bytes(count, size)),
            total.eq(count + part.nbytes),
            overflows.eq(total > size),
            move.eq(self.i.valid & self.o.ready), self.i.ready.eq(self.o.ready),
            self.o.valid.eq(ended_reg | (self.i.valid & overflows)),
            self.o.payload.data.eq(Mux(ended_reg, waiting_reg, waiting | (turned & ~behind))),
            self.o.payload.nbytes.eq(Mux(ended_reg, count_reg, size)),
            self.o.payload.last.eq(ended_reg), self.o.payload.failed.eq(ended_reg & failed_reg),
            self.o.payload.held.eq(held_reg),
        ]  # fmt: skip
        with m.If(move):
            m.d.sync += [
                waiting_reg.eq(Mux(overflows, turned & behind, waiting | (turned & ~behind))),
                count_reg.eq(Mux(overflows, total - size, total)),
                ended_reg.eq(part.ends),
                failed_reg.eq(part.failed),
                held_reg.eq(part.held),
            ]
        with m.Elif(ended_reg & self.o.ready):
            m.d.sync += [ended_reg.eq(0), waiting_reg.eq(0), count_reg.eq(0), failed_reg.eq(0)]
        return m


class PieceOrder(BusComponent[MessageParameters]):
    """Chooses the next part of a packet.

    Where the last token of a message is shared with its tag, the last part of its data takes the tag along if it has room for the
    longest tag.  So a message has as many parts as it has tokens.

    Members
    -------
    heads, header, text, ended, finals : streams
        The streams in the drawing above.  ``ended`` is 1 for a message with text.
    o : stream of part_layout
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        return {
            "heads": In(stream.Signature(head_layout(p))), "header": In(stream.Signature(piece_layout(p))),
            "text": In(stream.Signature(text_layout(p))), "ended": In(stream.Signature(1)), "finals": In(stream.Signature(final_layout(p))),
            "o": Out(stream.Signature(part_layout(p))),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        size = p.beat_bytes
        header_done_reg, text_done_reg = signals("header_done_reg text_done_reg")
        header, text, final, part = self.header.payload, self.text.payload, self.finals.payload, self.o.payload
        has_head, no_text, in_header, in_text, in_final = signals("has_head no_text in_header in_text in_final")
        text_bytes = Signal(p.beat_nbytes_bits)
        m.d.comb += [
            *(text_bytes[bit].eq(value) for bit, value in enumerate(counted(text.keep))),
            has_head.eq(self.heads.valid),
            no_text.eq(text_done_reg | (self.ended.valid & ~self.ended.payload)),
            in_header.eq(has_head & self.heads.payload.headed & ~header_done_reg),
            in_text.eq(has_head & ~in_header & ~no_text),
            in_final.eq(has_head & ~in_header & no_text),
        ]
        # -- whose turn it is -----------------------------------------------------------------------------------------------------
        data = Signal(8 * size)
        nbytes = Signal(p.beat_nbytes_bits)
        valid, done, give, short = signals("valid done give short")
        with m.If(in_header):
            m.d.comb += [data.eq(header.data), nbytes.eq(header.nbytes), valid.eq(self.header.valid)]
            if p.plan.shares_tag:
                # Whether text follows is seen when it comes, or when the message has ended without any.
                with m.If(header.last & short):
                    m.d.comb += [done.eq(no_text), valid.eq(self.header.valid & (self.ended.valid | self.text.valid))]
        with m.Elif(in_text):
            m.d.comb += [data.eq(text.data), nbytes.eq(text_bytes), valid.eq(self.text.valid)]
            if p.plan.shares_tag:
                m.d.comb += done.eq(text.last & short)
        with m.Elif(in_final):
            m.d.comb += [valid.eq(1), done.eq(1)]
        m.d.comb += [
            short.eq(nbytes <= size - p.block_bytes),
            self.o.valid.eq(valid & (self.finals.valid | ~done)),
            give.eq(self.o.valid & self.o.ready),
            self.header.ready.eq(give & in_header), self.text.ready.eq(give & in_text),
        ]  # fmt: skip
        for stream_ in (self.heads, self.ended, self.finals):
            m.d.comb += stream_.ready.eq(give & done)
        with m.If(give):
            m.d.sync += [
                header_done_reg.eq(~done & (header_done_reg | (in_header & header.last))),
                text_done_reg.eq(~done & (text_done_reg | (in_text & text.last))),
            ]

        # -- what it is -----------------------------------------------------------------------------------------------------------
        tag = Cat(final.tag & done.replicate(p.block_bits), Const(0, 8 * size - p.block_bits))
        m.d.comb += [
            part.data.eq(data | (turned_up(tag, nbytes[: offset_bits(p)]) if p.plan.shares_tag else tag)),
            part.nbytes.eq(nbytes + Mux(done, final.nbytes, 0)),
            part.ends.eq(done),
            part.failed.eq(done & final.failed),
            part.held.eq(self.heads.payload.held),
        ]
        return m


# -- hold ------------------------------------------------------------------------------------------------------------------------------

# Holds packets to be opened until their last beat says that they are correct.  It is a frame FIFO that drops bad frames.
#
#              ┌─────── places of the memory ───────┐
#     i ──▶    │ read ◀─ visible ─▶│◀─ held ─▶ free │   ──▶ o
#              └───────▲───────────▲──────────▲─────┘
#                     get        begin       put
#     last beat, right:    begin goes behind it        everything that is written is visible
#     last beat, failed:   a mark is put at begin      of the packet only the mark is left, which no port shows
#
# The mark takes the place of the packet in the order, so that the status of a packet never comes before an earlier packet has left.


class PacketHold(wiring.Component):
    """A queue of beats in which packets may be held.

    The latency from ``i`` to ``o`` is two cycles.  For a held packet it is counted from its last beat.  There can be a beat in each
    cycle.

    Parameters
    ----------
    layout : StructLayout
        A beat, with ``last``, ``failed`` in the last beat, and ``held``, the same in all beats of a packet.
    depth : int
        Beats that it holds, at least 1.  A held packet has at most as many.
    erase_bits : int
        Width of ``erase_address``.

    Members
    -------
    i, o : stream of *layout*
    idle : 1
        The part behind ``o`` holds nothing.
    dropped : 1
        A held packet has failed, and all before it has left.
    erase, erase_address : In
        Writes zeros to this word, while the queue is held in reset.

    Raises
    ------
    ValueError
        If *depth* is less than 1.
    """

    def __init__(self, layout: StructLayout, depth: int, erase_bits: int):
        if depth < 1:
            raise ValueError(f"depth is at least 1, not {depth}")
        self.layout, self.depth, self.erase_bits = layout, depth, erase_bits
        super().__init__({
            "i": In(stream.Signature(layout)), "o": Out(stream.Signature(layout)), "idle": In(1), "dropped": Out(1),
            "erase": In(1), "erase_address": In(erase_bits),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        beat = self.i.payload
        place = StructLayout({"beat": self.layout, "mark": 1})
        width = place.size
        style = "block" if self.depth > BLOCK_BEATS else "distributed"
        m.submodules.memory = memory = BlockMemory(width, self.depth, 1, style=style, erase_bits=self.erase_bits)
        begin_reg = Signal(range(max(2, self.depth)))
        put_reg = Signal.like(begin_reg)
        get_reg = Signal.like(begin_reg)
        # The number of places that hold a beat, and the number of those whose beat is visible.
        used_reg = Signal(range(self.depth + 1))
        visible_reg = Signal.like(used_reg)
        full_reg, valid_reg = signals("full_reg valid_reg")

        store, pop, drop, hidden = signals("store pop drop hidden")
        written, read = signals("written read", place)
        get = Signal.like(get_reg)
        shown = Signal.like(used_reg)
        at = Signal.like(put_reg)
        behind = Signal.like(put_reg)
        m.d.comb += [
            self.i.ready.eq(~full_reg),
            store.eq(self.i.valid & ~full_reg),
            drop.eq(store & beat.held & beat.last & beat.failed),
            hidden.eq(beat.held & ~beat.last),
            at.eq(Mux(drop, begin_reg, put_reg)),
            behind.eq(self._behind(at)),
            written.mark.eq(drop),
            Value.cast(written.beat).eq(Value.cast(beat) & (~drop).replicate(self.layout.size)),
            memory.we.eq(store), memory.waddr.eq(at), memory.wdata.eq(Value.cast(written) & store.replicate(width)),
            memory.raddr[0].eq(get), memory.erase.eq(self.erase), memory.erase_address.eq(self.erase_address),
            Value.cast(read).eq(memory.rdata[0]),
            self.o.valid.eq(valid_reg & ~read.mark), Value.cast(self.o.payload).eq(Value.cast(read.beat)),
            self.dropped.eq(valid_reg & read.mark & self.idle),
            pop.eq(valid_reg & Mux(read.mark, self.idle, self.o.ready)),
            get.eq(Mux(pop, self._behind(get_reg), get_reg)),
            shown.eq(visible_reg - pop),
        ]  # fmt: skip
        m.d.sync += [
            get_reg.eq(get),
            # A beat that becomes visible in this cycle is read in the next one.
            valid_reg.eq(shown.any()),
            visible_reg.eq(shown),
        ]
        used = Signal.like(used_reg)
        m.d.comb += used.eq(used_reg - pop)
        with m.If(store):
            m.d.sync += put_reg.eq(behind)
            m.d.comb += used.eq(Mux(drop, shown + 1, used_reg + 1 - pop))
            with m.If(~hidden):
                m.d.sync += [begin_reg.eq(behind), visible_reg.eq(used)]
        m.d.sync += [used_reg.eq(used), full_reg.eq(used == self.depth)]
        return m

    def _behind(self, place: Signal) -> Value:
        """The place behind another."""
        if self.depth & (self.depth - 1) or self.depth < 2:
            return Mux(place == self.depth - 1, 0, (place + 1)[: len(place)])
        return (place + 1)[: len(place)]


# -- packets ---------------------------------------------------------------------------------------------------------------------------

# Moves text to the beginning of a beat, as the core needs it, and gives the header to a second output.
#
#     in      │ h h h h │ h t t t │ t t T │       4 bytes per beat, a header of 5
#     header  │ h h h h │ h       │                  also for the core, as associated data
#     text                        │ t t t t │ t │
#
# Behind a header that ends within a beat, each beat of text is the rest of a beat and the beginning of the next one.

class TextAligner(BusComponent[MessageParameters]):
    """Realigns the text of packets without tags.

    It gives one beat in each cycle.  A packet takes as many cycles as its header and its text have beats when each begins in a new
    beat.  The latency from ``i`` to ``o`` is 0 cycles.

    Members
    -------
    i : stream of trimmed_layout
    o : stream of beats
        The header, then the text, which begins in a new beat.  A packet without bytes gives one beat without bytes.
    header : stream of piece_layout
        The same beats of the header.  A header that is cut short ends with a beat too.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        return {
            "i": In(stream.Signature(trimmed_layout(parameters))), "o": Out(stream.Signature(beat_layout(parameters))),
            "header": Out(stream.Signature(piece_layout(parameters))),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        size = p.beat_bytes
        # Text behind the header, or behind the last beat that was given.  It leaves alone if no beat follows in its packet.
        rest_reg = Signal(8 * size)
        rest_bytes_reg = Signal(offset_bits(p))
        drain_reg = Signal()

        beat = self.i.payload
        turned, data = signals("turned data", 8 * size)
        behind, nbytes = signals("behind nbytes", p.beat_nbytes_bits)
        in_rest = Signal(size)
        more, last, give = signals("more last give")
        m.d.comb += [
            turned.eq(turned_down(beat.data, beat.offset)),
            # The bytes of a beat in front of the offset, with which a beat out ends.
            behind.eq(Mux(beat.offset == 0, size, beat.offset)),
            more.eq(beat.nbytes > behind),
            in_rest.eq(Cat((beat.offset != 0) & (size - beat.offset > at) for at in range(size))),
        ]
        with m.If(drain_reg):
            m.d.comb += [data.eq(rest_reg), nbytes.eq(rest_bytes_reg), last.eq(1)]
        with m.Elif(beat.header):
            # A beat in which no header ends is read as a whole.
            m.d.comb += [
                data.eq(beat.data),
                nbytes.eq(Mux(beat.ends_header & more, behind, beat.nbytes)),
                last.eq(beat.last & ~(beat.ends_header & more)),
            ]
        with m.Else():
            kept = Cat(bit.replicate(8) for bit in in_rest)
            m.d.comb += [
                data.eq((rest_reg & kept) | (turned & ~kept)),
                nbytes.eq(Mux(beat.offset == 0, beat.nbytes, Mux(more, size, size - beat.offset + beat.nbytes))),
                last.eq(beat.last & ((beat.offset == 0) | ~more)),
            ]
        to_header = beat.header & ~drain_reg
        m.d.comb += [
            give.eq((self.i.valid | drain_reg) & self.o.ready & (self.header.ready | ~to_header)),
            self.i.ready.eq(self.o.ready & ~drain_reg & (self.header.ready | ~to_header)),
            self.o.valid.eq(give), self.o.payload.last.eq(last), self.o.payload.data.eq(data),
            self.o.payload.keep.eq(Cat(nbytes > at for at in range(size))),
            self.header.valid.eq(give & to_header), self.header.payload.nbytes.eq(nbytes),
            self.header.payload.data.eq(data & first_bytes(nbytes, size)), self.header.payload.last.eq(beat.ends_header | last),
        ]  # fmt: skip
        with m.If(give):
            m.d.sync += [
                rest_reg.eq(turned), rest_bytes_reg.eq(beat.nbytes - beat.offset),
                drain_reg.eq(~drain_reg & beat.last & more & (beat.offset != 0) & (beat.ends_header | ~beat.header)),
            ]  # fmt: skip
        return m


class WirePackets(ErasedComponent[MessageParameters]):
    """Takes packets apart for the core, and makes packets of its results.

    Members
    -------
    cmd : stream of command_layout
        The same commands as those that the core takes, in the same cycles.
    s, m : streams
        Packets from the host and to it.
    core : stream of beats
        Associated data and text for the core.
    text : stream of text_layout
        Text from the core.
    last_enters, has_text : In
        The last token of a message enters the pipeline, and whether it has text.
    tag, code : Out
        The tag in the packet of this message, and the code of a fault in the packet.
    decided, final : In
        The verdict on a message, and how its packet ends.
    delivered : Out
        The last beat of a packet has been taken, or the packet was dropped because it failed.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        ending = ending_layout(p)
        return {
            "cmd": In(stream.Signature(command_layout(p))), "s": In(stream.Signature(beat_layout(p))),
            "m": Out(stream.Signature(text_layout(p))), "core": Out(stream.Signature(beat_layout(p))),
            "text": In(stream.Signature(text_layout(p))), "last_enters": In(1), "has_text": In(1), "tag": Out(ending["tag"].shape),
            "code": Out(ending["code"].shape), "decided": In(1), "final": In(final_layout(p)), "delivered": Out(1),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        queues: dict[str, Any] = {}
        for name, layout, depth in (
            ("heads", head_layout(p), head_depth(p)), ("endings", ending_layout(p), ending_depth(p)),
            ("headers", piece_layout(p), header_depth(p)), ("ended", 1, p.tag_depth), ("finals", final_layout(p), p.tag_depth),
        ):  # fmt: skip
            queues[name] = m.submodules[name] = Queue(layout, depth, p.erase_bits)
            m.d.comb += erased(self, queues[name])
        shapes: RegisterSlice | Queue
        if p.plan.runs_ahead:
            # Starts run ahead of packets, so the commands of later packets do, too.
            shapes = Queue(shape_layout(p), shape_depth(p), p.erase_bits)
            m.d.comb += erased(self, shapes)
        else:
            shapes = RegisterSlice(shape_layout(p))
        m.submodules.shapes = shapes
        m.submodules.splitter = splitter = TagSplitter(p)
        m.submodules.trimmed = trimmed = RegisterSlice(trimmed_layout(p))
        m.submodules.aligner = aligner = TextAligner(p)
        m.submodules.order = order = PieceOrder(p)
        m.submodules.parts = parts = RegisterSlice(part_layout(p))
        m.submodules.joiner = joiner = PacketJoiner(p)
        m.submodules.out = out = RegisterSlice(text_layout(p))
        for source, target in (
            (wiring.flipped(self.s), splitter.s), (shapes.o, splitter.shape), (splitter.o, trimmed.i), (trimmed.o, aligner.i),
            (aligner.o, wiring.flipped(self.core)), (aligner.header, queues["headers"].i), (splitter.ending, queues["endings"].i),
            (queues["heads"].o, order.heads), (queues["headers"].o, order.header), (wiring.flipped(self.text), order.text),
            (queues["ended"].o, order.ended), (queues["finals"].o, order.finals), (order.o, parts.i), (parts.o, joiner.i),
        ):  # fmt: skip
            wiring.connect(m, source, target)
        self._commands(m, shapes, queues["heads"])
        endings, ended, finals = queues["endings"], queues["ended"], queues["finals"]
        m.d.comb += [
            endings.o.ready.eq(self.last_enters), self.tag.eq(endings.o.payload.tag), self.code.eq(endings.o.payload.code),
            ended.i.valid.eq(self.last_enters), ended.i.payload.eq(self.has_text),
            finals.i.valid.eq(self.decided), finals.i.payload.eq(self.final),
        ]  # fmt: skip

        joined: Any = joiner.o
        dropped = Signal()
        if p.hold is not None:
            m.submodules.hold = hold = PacketHold(joined_layout(p), p.hold_depth, p.erase_bits)
            wiring.connect(m, joiner.o, hold.i)
            joined = hold.o
            m.d.comb += [hold.idle.eq(~out.o.valid), dropped.eq(hold.dropped), *erased(self, hold)]
        beat, shown = joined.payload, joined.valid
        m.d.comb += [
            out.i.valid.eq(shown), joined.ready.eq(out.i.ready),
            out.i.payload.data.eq(beat.data & shown.replicate(8 * p.beat_bytes)),
            out.i.payload.keep.eq(Cat((beat.nbytes > at) & shown for at in range(p.beat_bytes))),
            out.i.payload.last.eq(beat.last & shown), out.i.payload.cut.eq(beat.failed & shown),
            self.m.valid.eq(out.o.valid), self.m.payload.eq(out.o.payload), out.o.ready.eq(self.m.ready),
            self.delivered.eq((out.o.valid & self.m.ready & out.o.payload.last) | dropped),
        ]  # fmt: skip
        return m

    def _commands(self, m: Module, shapes: RegisterSlice | Queue, heads: Queue) -> None:
        """Makes shapes and heads of commands."""
        p = self.parameters
        command: Any = self.cmd.payload
        shape, head = shapes.i.payload, heads.i.payload
        length, bits = command.associated, offset_bits(p)
        opens = command.decrypt & (command.tag_bytes <= p.block_bytes)
        m.d.comb += [
            self.cmd.ready.eq(shapes.i.ready & heads.i.ready),
            shapes.i.valid.eq(self.cmd.valid & heads.i.ready), heads.i.valid.eq(self.cmd.valid & shapes.i.ready),
            shape.offset.eq(length[:bits]), shape.beats.eq(length[bits:]), shape.headed.eq(length.any()),
            shape.within.eq(~((length - 1)[bits : len(length)].any()) & length.any()),
            shape.tag_bytes.eq(command.tag_bytes[: p.nbytes_bits] & opens.replicate(p.nbytes_bits)),
            shape.held.eq(command.decrypt & (p.hold is not None)), head.headed.eq(length.any()),
            head.held.eq(command.decrypt & (p.hold is not None)),
        ]  # fmt: skip


# -- form -----------------------------------------------------------------------------------------------------------------------------

class WireDelivery(Delivery):
    """Parts of packets that are joined again: each verdict says how its packet ends."""

    verdicts_first = True

    def verdict_ports(self) -> dict[str, object]:
        """The verdict on a message, and how its packet ends."""
        return {"decided": Out(1), "final": Out(final_layout(self.parameters))}

    def end(self, m: Module, s: Statuses) -> None:
        """The packet of a sealed message ends with its tag."""
        seals, nbytes = ~s.decision.decrypt & ~s.decision.code.any(), s.decision.tag_bytes
        m.d.comb += [
            s.whole.decided.eq(s.waiting.i.valid), s.whole.final.tag.eq(s.passed), s.whole.final.failed.eq(s.code.any()),
            s.whole.final.nbytes.eq(nbytes & seals.replicate(len(nbytes))),
        ]  # fmt: skip


@dataclass(frozen=True)
class OnWire(AlignedPackets):
    """Packets as they are on the wire.  What knows them stands around the message control."""

    late_tag: ClassVar[bool] = True
    packets: ClassVar[int] = WIRE_PACKETS
    delivery: ClassVar[type[Delivery]] = WireDelivery
    apart = ((("lengths_first",), "packets on the wire are for modes that do not know lengths before a message begins"),)

    def core(self, p: T) -> T:
        """A packet that is held is held behind them."""
        return replace(p, hold=None)

    def commands(self, p: MessageDepths, waiting: int) -> int:
        """A command has a place at the splitter until its packet has gone by."""
        return min(waiting + WIRE_COMMANDS, shape_depth(p) + WIRE_SPLIT + p.token_depth)

    def words(self, p: MessageDepths) -> tuple[int, ...]:
        """Those of endings, heads and headers."""
        return ending_depth(p), head_depth(p), header_depth(p)

    def connect(self, m: Module, bus: str, source: stream.Interface, target: stream.Interface) -> None:
        """There is something between them."""

    def delivered(self, bus: MessageBus) -> list[object]:
        """It is said what packets have left."""
        return []

    def around(self, m: Module, bus: MessageBus) -> None:
        """The same commands go to both, in the same cycles."""
        verdict, verdicts = bus.entry.verdict, bus.verdicts
        m.submodules.packets = packets = WirePackets(bus.parameters)
        for source, target in (
            (wiring.flipped(bus.s), packets.s), (packets.core, bus.front.s), (bus.texts.m, packets.text),
            (packets.m, wiring.flipped(bus.m)),
        ):  # fmt: skip
            wiring.connect(m, source, target)
        m.d.comb += [*join(packets, verdicts, "delivered"), *join(verdicts, packets, "decided", "final"), *erased(bus, packets)]
        # As many commands wait for their messages as messages of one token are on the way through the splitter.
        m.submodules.ahead = ahead = RegisterSlice(command_layout(bus.parameters))
        wiring.connect(m, ahead.o, bus.command.cmd)
        m.d.comb += [
            ahead.i.payload.eq(bus.cmd.payload), packets.cmd.payload.eq(bus.cmd.payload),
            bus.cmd.ready.eq(ahead.i.ready & packets.cmd.ready),
            ahead.i.valid.eq(bus.cmd.valid & packets.cmd.ready), packets.cmd.valid.eq(bus.cmd.valid & ahead.i.ready),
            packets.last_enters.eq(bus.entry.verdict_valid & ~verdict.empty), packets.has_text.eq(verdict.packet),
            verdicts.verdict.tag.eq(packets.tag),
            # Every message has a packet out.
            verdicts.verdict.packet.eq(1),
        ]  # fmt: skip
        with m.If(bus.parameters.delivery.counts(packets.code, verdict.code)):
            m.d.comb += verdicts.verdict.code.eq(packets.code)
