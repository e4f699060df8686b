# SPDX-License-Identifier: Apache-2.0
"""Puts blocks of text into pairs, and takes pairs apart behind the pipeline.

::

    beats      a1  p1  p2  p3  p4  p5           a: associated data
    tokens     a1      p1 p2   p3 p4   p5       p5 has no partner
    texts              c1  c2  c3  c4  c5

A packet that is cut off has whole pairs only: a block that waits for its partner is dropped.
"""

from __future__ import annotations

from amaranth.hdl import Const, Module, Mux, ShapeLike, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.sizes import TokenStep

__all__ = ["PairJoiner", "PairSplitter"]


class PairJoiner(BusComponent[MessageParameters]):
    """One block per cycle.  The second block of a pair leaves in the cycle in which it comes, with the first one.

    ``i.ready`` does not wait for what comes: the first block of a pair is taken when a token could leave.

    Members
    -------
    i : stream of MessageParameters.piece
        What it says of the first token of a message is not read.
    o : stream of MessageParameters.token
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        return {"i": In(stream.Signature(parameters.piece)), "o": Out(stream.Signature(parameters.token))}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        came, out, size = self.i.payload, self.o.payload, p.block_bytes
        half_reg, waits_reg = Signal(p.block_bits, name="half_reg"), Signal(name="waits_reg")
        # Whether no token of this message has left, and whether one with text has.
        first_reg, given_reg = Signal(init=1, name="first_reg"), Signal(name="given_reg")
        text, waits, drops, moves, ends = (Signal(name=name) for name in ("text", "waits", "drops", "moves", "ends"))
        m.d.comb += [
            text.eq((came.step == TokenStep.TEXT) & ~came.cut),
            waits.eq(text & ~waits_reg & ~came.last),
            drops.eq((came.step == TokenStep.TEXT) & came.cut & ~given_reg),
            *(out[name].eq(came[name]) for name, _ in p.token if name not in ("blocks", "full", "first", "nbytes")),
            out.blocks[0].eq(came.blocks[0]), out.full.eq(came.full), out.nbytes.eq(came.nbytes), out.first.eq(first_reg),
            self.o.valid.eq(self.i.valid & ~waits & ~drops), self.i.ready.eq(self.o.ready),
            moves.eq(self.o.valid & self.o.ready), ends.eq(came.tag | (came.step == TokenStep.TAG)),
        ]  # fmt: skip
        with m.If(text & waits_reg):
            m.d.comb += [
                out.blocks[0].eq(half_reg), out.blocks[1].eq(came.blocks[0]), out.full.eq(2), out.nbytes.eq(came.nbytes + size),
            ]  # fmt: skip
        with m.If(self.i.valid & self.i.ready & waits):
            m.d.sync += [half_reg.eq(came.blocks[0]), waits_reg.eq(1)]
        with m.Elif(self.i.valid & self.i.ready & (came.step == TokenStep.TEXT)):
            m.d.sync += [half_reg.eq(0), waits_reg.eq(0)]
        with m.If(moves):
            m.d.sync += [first_reg.eq(ends), given_reg.eq(~ends & (given_reg | text))]
        return m


class PairSplitter(wiring.Component):
    """One block per cycle, the first one in the cycle in which the pair comes.

    Parameters
    ----------
    pair, single : ShapeLike
        The layouts of a pair and of a block: ``data``, ``nbytes``, ``last``, ``cut``, and other fields that are passed on.

    Members
    -------
    i, o : stream of pair, of single
        A pair is taken with its last block.  ``last`` is that of the pair for its last block.
    """

    def __init__(self, pair: ShapeLike, single: ShapeLike):
        self.pair, self.single = pair, single
        super().__init__({"i": In(stream.Signature(pair)), "o": Out(stream.Signature(single))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        came, out = self.i.payload, self.o.payload
        width = len(out.data)
        size = width // 8
        second_reg, two = Signal(name="second_reg"), Signal(name="two")
        m.d.comb += [
            two.eq(came.nbytes > size),
            *(out[name].eq(came[name]) for name in out.shape().members if name not in ("data", "nbytes", "last")),
            out.data.eq(Mux(second_reg, came.data[width:], came.data[:width])),
            out.nbytes.eq(Mux(second_reg, came.nbytes - size, Mux(two, Const(size, len(out.nbytes)), came.nbytes))),
            out.last.eq(came.last & (second_reg | ~two)),
            self.o.valid.eq(self.i.valid), self.i.ready.eq(self.o.ready & (second_reg | ~two)),
        ]  # fmt: skip
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += second_reg.eq(two & ~second_reg)
        return m
