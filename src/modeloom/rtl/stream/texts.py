# SPDX-License-Identifier: Apache-2.0
"""Makes packets of the text that comes out of the pipeline.

::

    pipeline ──▶ queue ──▶ [slice] ──▶ m
    entry: last, bytes, cut ──▶ shift register ──┘

    with hold:     queue ──▶ HoldBuffer ──▶ [slice] ──▶ m
                   verdicts ──▶ queue ──┘
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, ShapeLike, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout, View
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.table import by_member
from modeloom.rtl.bus.ports import BusComponent, ErasedComponent, erased, payload_layout
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.sizes import TokenStep
from modeloom.rtl.stream.storage import Delay, Queue

__all__ = ["PairJoiner", "PairSplitter", "TextQueue", "blocks_of", "text_layout"]


# Puts blocks of text into pairs, and takes pairs apart behind the pipeline.
#
#     beats      a1  p1  p2  p3  p4  p5           a: associated data
#     tokens     a1      p1 p2   p3 p4   p5       p5 has no partner
#     texts              c1  c2  c3  c4  c5
#
# A packet that is cut off has whole pairs only: a block that waits for its partner is dropped.

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
            m.d.comb += [out.blocks[0].eq(half_reg), out.blocks[1].eq(came.blocks[0]), out.full.eq(2), out.nbytes.eq(came.nbytes + size)]
        with m.If(self.i.valid & self.i.ready & waits):
            m.d.sync += [half_reg.eq(came.blocks[0]), waits_reg.eq(1)]
        with m.Elif(self.i.valid & self.i.ready & (came.step == TokenStep.TEXT)):
            m.d.sync += [half_reg.eq(0), waits_reg.eq(0)]
        with m.If(moves):
            m.d.sync += [first_reg.eq(ends), given_reg.eq(~ends & (given_reg | text))]
        return m


class PairSplitter(wiring.Component):
    """One block per cycle, the first one in the cycle in which the pair comes.

    The layouts *pair* of ``i`` and *single* of ``o`` have ``data``, ``nbytes``, ``last``, ``cut``, and other fields that are passed on.  A
    pair is taken with its last block, and ``last`` is that of the pair for its last block.
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


class Blocks:
    """The blocks of a token of text: one in each lane, all of a beat."""

    def __init__(self, p: MessageParameters):
        self.p, self.size = p, p.block_bytes

    def is_last(self, full: Value, lane: int, plain: Value) -> Value:
        """Whether a lane has the last block of a ``plain`` token with ``full`` blocks."""
        return (full == lane + 1) & plain

    def nbytes(self, token: View, lane: int) -> Value:
        """The number of bytes of a piece of text in a lane."""
        before, size = lane * self.size, self.size
        return Mux(token.nbytes > before + size, size, Mux(token.nbytes > before, token.nbytes - before, 0))

    def join(self, m: Module, tokens: stream.Interface) -> stream.Interface:
        """Where the blocks of beats go, for a stream that takes tokens."""
        return tokens

    def split(self, m: Module, texts: stream.Interface) -> stream.Interface:
        """The beats of a stream of the text of tokens."""
        return texts


class Pairs(Blocks):
    """One or two blocks in one lane, each of them a beat."""

    def is_last(self, full: Value, lane: int, plain: Value) -> Value:
        return plain

    def nbytes(self, token: View, lane: int) -> Value:
        return token.nbytes - Mux(token.full == 2, self.size, 0)

    def join(self, m: Module, tokens: stream.Interface) -> stream.Interface:
        m.submodules.pairs = pairs = PairJoiner(self.p)
        wiring.connect(m, pairs.o, tokens)
        return pairs.i

    def split(self, m: Module, texts: stream.Interface) -> stream.Interface:
        pair = texts.payload.shape()
        beat = StructLayout({**dict(pair.members), "data": 8 * self.p.beat_bytes, "nbytes": self.p.beat_nbytes_bits})
        m.submodules.splitter = splitter = PairSplitter(pair, beat)
        wiring.connect(m, texts, splitter.i)
        return splitter.o


BLOCKS = {1: Blocks, 2: Pairs}
"""What a token of text has in a lane, by the most blocks of it."""


def blocks_of(p: MessageParameters) -> Blocks:
    """The blocks of the tokens of text of a core."""
    return BLOCKS[p.plan.mode.text_blocks](p)


# -- texts -------------------------------------------------------------------------------------------------------------------------

def text_layout(parameters: MessageParameters) -> StructLayout:
    """A beat of text: tdata, tkeep, tlast, with several channels tid, and tuser."""
    out = by_member(parameters.interfaces, "m")
    return payload_layout(out, parameters)


class TextQueue(ErasedComponent[MessageParameters]):
    """Holds text until the host takes it.  The entry gives credits, so that it never overflows.

    Members
    -------
    beat, bytes, last, cut : In
        Of a token as it enters the pipeline.
    held : In
        With ``hold`` only: its message is to be opened.
    channel : In
        With several channels only: of the message.
    text : In
        Of each lane, from the pipeline, ``MessageParameters.text_stage`` cycles later.
    m : stream of text_layout
        To the host; the payload is zero outside its bytes, and while not valid.
    taken : 1
        A beat has left the queue.
    delivered : 1
        The host has taken the last beat of a packet.
    judged, right : In
        The next verdict on a message to be opened that has text.  It is there only with ``hold``.
    dropped : 1
        Such a message has been dropped.  It is there only with ``hold``.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        return {
            **p.delivery.text_ports(),
            "beat": In(1), "bytes": In(p.token_nbytes_bits), "last": In(1), "cut": In(1),
            "text": In(p.block_bits).array(p.lanes * p.plan.mode.text_blocks),
            "m": Out(stream.Signature(text_layout(p))), "taken": Out(1), "delivered": Out(1),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        carried = p.delivery.carried
        blocks = p.lanes * p.plan.mode.text_blocks
        flags = StructLayout({"nbytes": p.token_nbytes_bits, "last": 1, "cut": 1, **carried})
        beat_layout = StructLayout({"data": blocks * p.block_bits, "nbytes": p.token_nbytes_bits, "last": 1, "cut": 1, **carried})
        m.submodules.flags = line = Delay(flags, p.text_stage)
        # The pipeline gives zeros for a token that is none, and has none in reset.
        m.submodules.queue = queue = Queue(beat_layout, p.text_depth, p.erase_bits, masked=False)
        m.submodules.out = out = p.pace.slice(m, text_layout(p), self)
        # A token that is in flight when the core is reset gives no beat.
        # The first register has number 0.
        beat = p.pace.flag(m, self.beat, -1, "beat").at(p.text_stage - 1)
        m.d.comb += [
            line.i.nbytes.eq(self.bytes), line.i.last.eq(self.last), line.i.cut.eq(self.cut),
            queue.i.valid.eq(beat), queue.i.payload.data.eq(Cat(self.text[place] for place in range(blocks))),
            queue.i.payload.nbytes.eq(line.o.nbytes & beat.replicate(p.token_nbytes_bits)),
            queue.i.payload.last.eq(line.o.last & beat), queue.i.payload.cut.eq(line.o.cut & beat),
            *erased(self, queue),
        ]  # fmt: skip
        for name, bits in carried.items():
            m.d.comb += [line.i[name].eq(getattr(self, name)), queue.i.payload[name].eq(line.o[name] & beat.replicate(bits))]
        source = p.delivery.behind(m, self, blocks_of(p).split(m, queue.o))
        given = source.payload
        keep = Signal(p.beat_bytes)
        m.d.comb += [
            out.i.valid.eq(source.valid), source.ready.eq(out.i.ready),
            out.i.payload.data.eq(given.data), out.i.payload.keep.eq(Cat(given.nbytes > at for at in range(p.beat_bytes))),
            out.i.payload.last.eq(given.last), out.i.payload.cut.eq(given.cut),
            # Behind the choice between the two places of the slice, the masks take no LUTs of their own.
            keep.eq(out.o.payload.keep & out.o.valid.replicate(p.beat_bytes)),
            self.m.payload.data.eq(out.o.payload.data & Cat(bit.replicate(8) for bit in keep)), self.m.payload.keep.eq(keep),
            self.m.payload.last.eq(out.o.payload.last & out.o.valid), self.m.payload.cut.eq(out.o.payload.cut & out.o.valid),
            self.taken.eq(queue.o.valid & queue.o.ready),
            self.m.valid.eq(out.o.valid), out.o.ready.eq(self.m.ready),
            self.delivered.eq(out.o.valid & self.m.ready & out.o.payload.last),
        ]  # fmt: skip
        p.delivery.show(m, self, given, out)
        return m
