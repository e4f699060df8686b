# SPDX-License-Identifier: Apache-2.0
"""Makes packets of the text that comes out of the pipeline.

::

    pipeline ──▶ queue ──▶ [slice] ──▶ m
    entry: last, bytes, cut ──▶ shift register ──┘

    with hold:     queue ──▶ HoldBuffer ──▶ [slice] ──▶ m
                   verdicts ──▶ queue ──┘
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.table import by_member
from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.bus.ports import payload_layout
from modeloom.rtl.stream.delay import Delay
from modeloom.rtl.stream.line import Line, QuietLine
from modeloom.rtl.stream.pairs import PairSplitter
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.port_slice import port_slice
from modeloom.rtl.stream.queue import Queue

__all__ = ["TextQueue", "text_layout"]


def text_layout(parameters: MessageParameters) -> StructLayout:
    """A beat of text: tdata, tkeep, tlast, with several channels tid, and tuser."""
    out = by_member(parameters.interfaces, "m")
    return payload_layout(out, parameters)


class TextQueue(BusComponent[MessageParameters]):
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
    erase, erase_address : In
        Writes zeros to this word, while the queue is held in reset.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        return {
            **p.delivery.text_ports(),
            "beat": In(1), "bytes": In(p.token_nbytes_bits), "last": In(1), "cut": In(1),
            "text": In(p.block_bits).array(p.lanes * p.plan.mode.text_blocks),
            "m": Out(stream.Signature(text_layout(p))), "taken": Out(1), "delivered": Out(1),
            "erase": In(1), "erase_address": In(p.erase_bits),
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
        m.submodules.out = out = port_slice(m, p, text_layout(p), self)
        # A token that is in flight when the core is reset gives no beat.
        # The first register has number 0.
        line_of = QuietLine(m, self.beat, -1, "beat") if p.plan.cadence else Line(m, self.beat, -1, "beat", reset=True)
        beat = line_of.at(p.text_stage - 1)
        m.d.comb += [
            line.i.nbytes.eq(self.bytes), line.i.last.eq(self.last), line.i.cut.eq(self.cut),
            queue.i.valid.eq(beat), queue.i.payload.data.eq(Cat(self.text[place] for place in range(blocks))),
            queue.i.payload.nbytes.eq(line.o.nbytes & beat.replicate(p.token_nbytes_bits)),
            queue.i.payload.last.eq(line.o.last & beat), queue.i.payload.cut.eq(line.o.cut & beat),
            queue.erase.eq(self.erase), queue.erase_address.eq(self.erase_address),
        ]  # fmt: skip
        for name, bits in carried.items():
            m.d.comb += [line.i[name].eq(getattr(self, name)), queue.i.payload[name].eq(line.o[name] & beat.replicate(bits))]
        beats: Any = queue.o
        if p.plan.pairs:
            single = StructLayout({"data": 8 * p.beat_bytes, "nbytes": p.beat_nbytes_bits, "last": 1, "cut": 1, **carried})
            m.submodules.splitter = splitter = PairSplitter(beat_layout, single)
            wiring.connect(m, queue.o, splitter.i)
            beats = splitter.o
        source = p.delivery.behind(m, self, beats)
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
