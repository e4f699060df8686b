# SPDX-License-Identifier: Apache-2.0
"""Takes the tag off the end of a packet, and marks the end of its header.

A beat is kept until the next one has come, because the tag may begin in it::

    kept  │ t t t t t t T T │      kept  │ t t t t t t t t │      t  text   T  tag
    next  │ T T             │      next  │ t T T T T       │
            └▶ kept ends the packet         └▶ kept goes on, next is kept with one byte and ends the packet

If a beat has a wrong ``tkeep``, or its bytes cannot be held, the packet counts as ended before it.
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.messages import MessageCode
from modeloom.rtl.bus.ports import BusComponent, RegisterSlice, beat_layout, signals
from modeloom.rtl.stream.long_counter import LongCounter
from modeloom.rtl.stream.packet import counted
from modeloom.rtl.stream.parameters import CODE_BITS, MessageParameters
from modeloom.rtl.stream.wire.layouts import (
    LENGTH_BITS,
    ending_layout,
    first_bytes,
    offset_bits,
    shape_layout,
    trimmed_layout,
    turned_down,
)

__all__ = ["TagSplitter"]


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
