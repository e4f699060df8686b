# SPDX-License-Identifier: Apache-2.0
"""Packets of text out of the pipeline.

::

    pipeline ──▶ queue ──▶ [slice] ──▶ m
    entry: last, bytes, cut ──▶ shift register ──┘
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.interfaces import Interface
from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.bus.ports import payload_layout
from modeloom.rtl.bus.register_slice import RegisterSlice
from modeloom.rtl.stream.delay import Delay
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.queue import Queue

__all__ = ["TextQueue", "text_layout"]


def text_layout(parameters: MessageParameters) -> StructLayout:
    """A beat of text: tdata, tkeep, tlast, tuser."""
    out: Interface = next(interface for interface in parameters.interfaces if interface.member == "m")
    return payload_layout(out, parameters)


class TextQueue(BusComponent[MessageParameters]):
    """Holds text until the host takes it.  The entry gives credits, so that it never overflows.

    Members
    -------
    beat, nbytes, last, cut : In
        Of a token as it enters the pipeline.
    text : In
        From the pipeline, ``MessageParameters.text_stage`` cycles later.
    m : stream of text_layout
        To the host; the payload is zero outside its bytes, and while not valid.
    taken : 1
        A beat has left the queue.
    delivered : 1
        The host has taken the last beat of a packet.
    erase, erase_address : In
        While it is held in reset: zeros to this word.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        return {
            "beat": In(1), "nbytes": In(p.nbytes_bits), "last": In(1), "cut": In(1), "text": In(p.block_bits),
            "m": Out(stream.Signature(text_layout(p))), "taken": Out(1), "delivered": Out(1),
            "erase": In(1), "erase_address": In(p.erase_bits),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        beat_layout = StructLayout({"data": p.block_bits, "nbytes": p.nbytes_bits, "last": 1, "cut": 1})
        flags = StructLayout({"nbytes": p.nbytes_bits, "last": 1, "cut": 1})
        m.submodules.flags = line = Delay(flags, p.text_stage)
        m.submodules.queue = queue = Queue(beat_layout, p.text_depth, p.erase_bits)
        m.submodules.out = out = RegisterSlice(text_layout(p))
        # A token that is under way when the core is reset gives nothing.
        beat: Signal = self.beat
        for number in range(p.text_stage):
            register = Signal(name=f"beat_{number}_reg")
            m.d.sync += register.eq(beat)
            beat = register
        m.d.comb += [
            line.i.nbytes.eq(self.nbytes), line.i.last.eq(self.last), line.i.cut.eq(self.cut),
            queue.i.valid.eq(beat), queue.i.payload.data.eq(self.text), queue.i.payload.nbytes.eq(line.o.nbytes),
            queue.i.payload.last.eq(line.o.last), queue.i.payload.cut.eq(line.o.cut),
            queue.erase.eq(self.erase), queue.erase_address.eq(self.erase_address),
        ]  # fmt: skip
        given, keep = queue.o.payload, Signal(p.block_bytes)
        m.d.comb += [
            keep.eq(Cat(given.nbytes > at for at in range(p.block_bytes)) & queue.o.valid.replicate(p.block_bytes)),
            out.i.valid.eq(queue.o.valid), queue.o.ready.eq(out.i.ready),
            out.i.payload.data.eq(given.data & Cat(bit.replicate(8) for bit in keep)),
            out.i.payload.keep.eq(keep), out.i.payload.last.eq(given.last & queue.o.valid), out.i.payload.cut.eq(given.cut & queue.o.valid),
            self.taken.eq(queue.o.valid & queue.o.ready),
            self.m.valid.eq(out.o.valid), out.o.ready.eq(self.m.ready),
            self.delivered.eq(out.o.valid & self.m.ready & out.o.payload.last),
        ]  # fmt: skip
        m.d.comb += self.m.payload.eq(out.o.payload)
        return m
