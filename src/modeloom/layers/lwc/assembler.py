# SPDX-License-Identifier: Apache-2.0
"""Puts the words of associated data and text into beats, and says which beat is the last one of its message.

::

    words  w0 w1 w2 w3 │ w4 w5 ▏            text ends behind w5, with a part of it
    beats  ├─ full ────┤ ├ partial ┤        a beat of text waits here for the next word of text, or for the end of the message

A beat of text cannot leave before it is known whether it is the last one.  For a message to open, this is known when its tag is there.
A message without text ends with a beat that has no bytes.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.layers.lwc.parameters import LwcParameters
from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.stream.packet import packet_layout

__all__ = ["BeatAssembler", "piece_layout"]


def piece_layout(parameters: LwcParameters) -> StructLayout:
    """The layout of a word of data, byte 0 lowest: how many of its bytes count, whether they are the last ones of associated data or of
    text, and whether they are associated data."""
    p = parameters
    return StructLayout({"data": p.word_bits, "nbytes": range(p.word_bytes + 1), "ends": 1, "associated": 1})


class BeatAssembler(BusComponent[LwcParameters]):
    """One word per cycle.  ``i.ready`` does not depend on ``i.valid``.

    Members
    -------
    i : stream of piece_layout
        Associated data, and then text.  Only the last word of each may have fewer bytes than a word.
    flush : In(1)
        No more words of associated data, or of text, come, although the last one did not say so.
    finish : stream without payload
        The message ends.  What has been put into a beat in part, which happens in a faulty message only, is dropped.
    o : stream of packet_layout
        Beats for the message control.
    """

    @staticmethod
    def ports(parameters: LwcParameters) -> dict[str, Any]:
        return {
            "i": In(stream.Signature(piece_layout(parameters))), "flush": In(1), "finish": In(stream.Signature(0)),
            "o": Out(stream.Signature(packet_layout(parameters.messages))),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p, size = self.parameters, self.parameters.messages.beat_bytes
        words_reg = [Signal(p.word_bits, name=f"word_{at}_reg") for at in range(p.beat_words)]
        fill_reg = Signal(range(max(2, p.beat_words)))
        nbytes_reg = Signal(range(size + 1))
        full_reg, associated_reg = (Signal(name=name) for name in ("full_reg", "associated_reg"))
        take, last, push = (Signal(name=name) for name in ("take", "last", "push"))
        piece = self.i.payload
        complete = (fill_reg == p.beat_words - 1) | piece.ends
        m.d.comb += [
            last.eq(self.finish.valid & ~(full_reg & associated_reg)),
            # The next word of text shows that the beat before it is not the last one.
            self.o.valid.eq(self.finish.valid | (full_reg & (associated_reg | self.i.valid))),
            push.eq(self.o.valid & self.o.ready), self.finish.ready.eq(self.o.ready & last),
            self.i.ready.eq(~full_reg | self.o.ready), take.eq(self.i.valid & self.i.ready),
            self.o.payload.data.eq(Cat(words_reg)), self.o.payload.last.eq(last),
            self.o.payload.keep.eq(Cat((nbytes_reg > at) & full_reg for at in range(size))),
        ]  # fmt: skip
        if p.messages.marked:
            m.d.comb += self.o.payload.associated.eq(full_reg & associated_reg)
        with m.If(self.flush & (fill_reg != 0)):
            m.d.sync += [full_reg.eq(1), fill_reg.eq(0)]
        with m.If(push):
            m.d.sync += full_reg.eq(0)
            with m.If(last):
                m.d.sync += fill_reg.eq(0)
        with m.If(take):
            m.d.sync += [
                full_reg.eq(complete), fill_reg.eq(Mux(complete, 0, fill_reg + 1)), associated_reg.eq(piece.associated),
                nbytes_reg.eq(fill_reg * p.word_bytes + piece.nbytes),
            ]  # fmt: skip
            for at, word_reg in enumerate(words_reg):
                with m.If(fill_reg == at):
                    m.d.sync += word_reg.eq(piece.data)
        return m
