# SPDX-License-Identifier: Apache-2.0
"""Puts the parts of a packet out in order: header, text, and the tag when the verdict is known.

::

    heads     one for each command: is there a header?                  ┐
    header    its pieces, which wait here while the pipeline works      │
    text      from the core                                             ├──▶ parts
    ended     one for each message in the pipeline: has it text?        │
    finals    one for each message: its tag, and whether it failed      ┘

It gives one part in each cycle.  ``ended`` comes when the last token of a message enters the pipeline.  So it is known that a
message has no text before text of the next message can come.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.ports import BusComponent, signals
from modeloom.rtl.stream.packet import counted
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.texts import text_layout
from modeloom.rtl.stream.wire.layouts import (
    final_layout,
    first_bytes,
    head_layout,
    joined_layout,
    offset_bits,
    part_layout,
    piece_layout,
    turned_up,
)

__all__ = ["PacketJoiner", "PieceOrder"]


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


# -- order -------------------------------------------------------------------------------------------------------------------------

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
