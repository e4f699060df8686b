# SPDX-License-Identifier: Apache-2.0
"""Joins the parts of a packet without gaps.

::

    parts   │ h h h │ t t t t │ T T │ ...       4 bytes per beat
    out             │ h h h t │ t t t T │ T │   a beat leaves when more bytes are there than it has, or the packet has ended

A packet without bytes is a beat without bytes.
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.wire.layouts import first_bytes, joined_layout, offset_bits, part_layout, turned_up

__all__ = ["PacketJoiner"]


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
        ended_reg = Signal()
        failed_reg = Signal()
        held_reg = Signal()
        part = self.i.payload
        move = Signal()
        waiting = Signal(8 * size)
        count = Signal(p.beat_nbytes_bits)
        total = Signal(p.beat_nbytes_bits + 1)
        turned = Signal(8 * size)
        overflows = Signal()
        behind = Signal(8 * size)
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
