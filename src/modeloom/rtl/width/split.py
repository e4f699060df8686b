# SPDX-License-Identifier: Apache-2.0
"""Parts wide beats into narrow ones.

::

    i   │ 0 1 2 3 4 5 6 7 │ 8 . . . . . . . last │         o   │ 0 1 │ 2 3 │ 4 5 │ 6 7 │ 8 . last │

Parts without bytes behind the last byte are left out.  A wide beat without bytes gives a narrow one.
"""

from __future__ import annotations

from amaranth.hdl import Array, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.rtl.width.beats import BAD_KEEP, seen_beat

__all__ = ["DirectSplit", "Split"]


class Split(wiring.Component):
    """Gives one narrow beat per cycle.  The latency of the first one is 1 cycle, and the wide beat has been taken then.

    Parameters
    ----------
    wide, narrow : StructLayout
        Beats (``beats.packet_beat``).

    Members
    -------
    i, o : stream of seen wide beats, stream of narrow beats
    """

    def __init__(self, wide: StructLayout, narrow: StructLayout):
        self.wide, self.narrow = wide, narrow
        super().__init__({"i": In(stream.Signature(seen_beat(wide))), "o": Out(stream.Signature(narrow))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bits, nbytes = self.narrow["data"].width, self.narrow["keep"].width
        valid_reg = Signal()
        beat_reg = Signal(self.wide)
        final = Signal()
        move = Signal()
        beat, out = self.i.payload, self.o.payload
        m.d.comb += [
            final.eq(~beat_reg.keep[nbytes:].any()), move.eq(~valid_reg | final & self.o.ready), self.i.ready.eq(move),
            self.o.valid.eq(valid_reg), out.data.eq(beat_reg.data), out.keep.eq(beat_reg.keep), out.last.eq(beat_reg.last & final),
        ]  # fmt: skip
        if "channel" in self.narrow.members:
            m.d.comb += out.channel.eq(beat_reg.channel)
        if "cut" in self.narrow.members:
            m.d.comb += out.cut.eq(beat_reg.cut & final)
        with m.If(move):
            m.d.sync += [valid_reg.eq(self.i.valid), *(beat_reg[name].eq(beat[name]) for name in self.wide.members)]
            with m.If(beat.bad):
                m.d.sync += beat_reg.keep.eq(BAD_KEEP)
        with m.Elif(self.o.ready):
            m.d.sync += [beat_reg.data.eq(beat_reg.data >> bits), beat_reg.keep.eq(beat_reg.keep >> nbytes)]
        return m


class DirectSplit(wiring.Component):
    """Gives one narrow beat per cycle, with a latency of 0 cycles.  The wide beat is taken when its last part is.

    Parameters
    ----------
    wide, narrow : StructLayout
        Beats (``beats.packet_beat``).

    Members
    -------
    i, o : stream of wide beats, stream of narrow beats
    """

    def __init__(self, wide: StructLayout, narrow: StructLayout):
        self.wide, self.narrow = wide, narrow
        super().__init__({"i": In(stream.Signature(wide)), "o": Out(stream.Signature(narrow))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bits, nbytes = self.narrow["data"].width, self.narrow["keep"].width
        ratio = self.wide["keep"].width // nbytes
        place_reg = Signal(range(ratio))
        beat, out = self.i.payload, self.o.payload
        final = Signal()
        # The first byte of a part tells whether it has any.
        after = Array([*(~beat.keep[nbytes * at] for at in range(1, ratio)), Const(1, 1)])
        m.d.comb += [
            final.eq(after[place_reg]), self.o.valid.eq(self.i.valid), self.i.ready.eq(self.o.ready & final),
            out.data.eq(Array(beat.data[bits * at : bits * (at + 1)] for at in range(ratio))[place_reg]),
            out.keep.eq(Array(beat.keep[nbytes * at : nbytes * (at + 1)] for at in range(ratio))[place_reg]),
            out.last.eq(beat.last & final),
        ]  # fmt: skip
        if "channel" in self.narrow.members:
            m.d.comb += out.channel.eq(beat.channel)
        if "cut" in self.narrow.members:
            m.d.comb += out.cut.eq(beat.cut & final)
        with m.If(self.i.valid & self.o.ready):
            m.d.sync += place_reg.eq(Mux(final, 0, place_reg + 1))
        return m
