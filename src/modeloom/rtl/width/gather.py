# SPDX-License-Identifier: Apache-2.0
"""Joins narrow beats to wide ones.

::

    i   │ 0 1 │ 2 3 │ 4 5 │ 6 7 │ 8 . last │         o   │ 0 1 2 3 4 5 6 7 │ 8 . . . . . . . last │

A wide beat leaves when it is full, and when a narrow beat ends a part of its packet.  With several channels, beats of each are joined on
their own.
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.rtl.width.beats import BAD_KEEP, of_side, seen_beat
from modeloom.rtl.width.kept import Direct, Stage

__all__ = ["Gather"]


class Gather(wiring.Component):
    """Takes one narrow beat per cycle.  The latency of the last one of a wide beat is 1 cycle.

    If it is *direct*, the latency is 0 cycles: the last beat is taken when the wide beat is.  No beat may be bad then, and the output is
    zero while it is not valid.

    A bad beat takes the place of what was gathered before it, too.  Bytes outside ``keep`` are zero if those of the narrow beats are.

    Parameters
    ----------
    narrow, wide : StructLayout
        Beats (``beats.packet_beat``).
    channels : int
    erase_bits : int
        Bits of ``erase_address``.
    direct : bool

    Members
    -------
    i, o : stream of seen narrow beats, stream of wide beats
    erase, erase_address : In
        While it is held in reset: zeros to the words with this number.
    """

    def __init__(self, narrow: StructLayout, wide: StructLayout, channels: int, erase_bits: int, direct: bool = False):
        self.narrow, self.wide, self.channels, self.direct = narrow, wide, channels, direct
        super().__init__({
            "i": In(stream.Signature(seen_beat(narrow))), "o": Out(stream.Signature(wide)), "erase": In(1), "erase_address": In(erase_bits),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bits, nbytes = self.narrow["data"].width, self.narrow["keep"].width
        ratio = self.wide["keep"].width // nbytes
        kept = StructLayout({"place": range(ratio), "data": bits * (ratio - 1)})
        stage = (Direct if self.direct else Stage)(m, self.i, kept, self.channels, self.erase, self.erase_address)
        beat, word, out = stage.beat, stage.word, self.o.payload
        complete = Signal()
        m.d.comb += [
            complete.eq(beat.last | beat.ends | beat.bad | (word.place == ratio - 1)),
            self.o.valid.eq(stage.valid & complete), stage.may.eq(self.o.ready | ~complete),
            out.last.eq(beat.last), *(out[name].eq(beat[name]) for name in of_side(self.wide)),
            stage.after.place.eq(Mux(complete, 0, word.place + 1)),
        ]  # fmt: skip
        keep = []
        for at in range(ratio):
            here, part = Signal(name=f"here{at}"), slice(bits * at, bits * (at + 1))
            m.d.comb += here.eq(word.place == at)
            fresh = beat.data & here.replicate(bits)
            if at < ratio - 1:
                # A word that is not complete holds zeros from its place on.
                m.d.comb += [
                    out.data[part].eq(word.data[part] | fresh),
                    stage.after.data[part].eq((word.data[part] | fresh) & (~complete).replicate(bits)),
                ]  # fmt: skip
            else:
                m.d.comb += out.data[part].eq(fresh)
            behind = (word.place > at).replicate(nbytes) if at < ratio - 1 else 0
            keep.append(beat.keep & here.replicate(nbytes) | behind)
        for at, value in enumerate(keep):
            m.d.comb += out.keep[nbytes * at : nbytes * (at + 1)].eq(value)
        if self.direct:
            # An output of a core is zero while it is not valid.
            with m.If(~self.o.valid):
                m.d.comb += Value.cast(out).eq(0)
        else:
            with m.If(beat.bad):
                m.d.comb += out.keep.eq(BAD_KEEP)
        return m
