# SPDX-License-Identifier: Apache-2.0
"""Moves text to the beginning of a beat, as the core needs it, and gives the header to a second output.

::

    in      │ h h h h │ h t t t │ t t T │       4 bytes per beat, a header of 5
    header  │ h h h h │ h       │                  also for the core, as associated data
    text                        │ t t t t │ t │

Behind a header that ends within a beat, each beat of text is the rest of a beat and the beginning of the next one.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.bus.ports import beat_layout
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.wire.layouts import first_bytes, offset_bits, piece_layout, trimmed_layout, turned_down

__all__ = ["TextAligner"]


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
        turned = Signal(8 * size)
        behind = Signal(p.beat_nbytes_bits)
        in_rest = Signal(size)
        more = Signal()
        last = Signal()
        give = Signal()
        data = Signal(8 * size)
        nbytes = Signal(p.beat_nbytes_bits)
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
