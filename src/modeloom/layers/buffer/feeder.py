# SPDX-License-Identifier: Apache-2.0
"""The memory of messages, and the beats of each pass, one packet after another without a gap.

::

    beat ──▶ memory ──▶ beats of the next packet ──▶ queue ──▶ o
    direct ─────────────────────────────────────────▶

                 freed       second         first       put
    memory   ──────┼────────────┼─────────────┼───────────┼──────
                   ▲ beats of second passes are free when they have been read

First passes read all messages in their order, and second passes do so behind them.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from modeloom.layers.buffer.parameters import BufferedParameters
from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.queue import Queue

__all__ = ["BeatFeeder"]

READY = 8
"""Beats in the queue before the core."""

DISTRIBUTED = 64
"""Words up to which a memory is one of LUTs."""


class BeatFeeder(BusComponent[BufferedParameters]):
    """Stores beats and gives them twice.

    Members
    -------
    put, beat, room : 1, payload, 1
        Stores a beat.  There is room for it.
    restart : 1
        The beat that is put is the only one of its message, in place of those before: it is the last one and has no bytes.
    free : 1
        Another packet may begin.
    begin, begins_second, begins_direct, count : 1, 1, 1, number of beats
        A packet begins: the next first or second pass of so many beats, or a packet on ``direct``.
    skips, skip : 1, 1
        The message of the next second pass has none.  ``count`` has its beats.
    direct : stream of beats
        Beats that are not stored.  They are taken in packets that began as such.
    o : stream of beats
    erase, erase_address : 1, erase_bits
        Writes zeros to this word of all memories, while it is held in reset.
    """

    @staticmethod
    def ports(parameters: BufferedParameters) -> dict[str, Any]:
        p = parameters
        return {
            "put": In(1), "beat": In(p.beat), "room": Out(1), "restart": In(1), "free": Out(1), "begin": In(1), "begins_second": In(1),
            "begins_direct": In(1), "count": In(p.count_bits), "skips": Out(1), "skip": In(1), "direct": In(stream.Signature(p.beat)),
            "o": Out(stream.Signature(p.beat)), "erase": In(1), "erase_address": In(p.erase_bits),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        width = p.beat.size
        style = "block" if p.words > DISTRIBUTED else "distributed"
        m.submodules.memory = memory = BlockMemory(width, p.words, 1, style=style, erase_bits=p.erase_bits)
        m.submodules.queue = queue = Queue(p.beat, READY, p.erase_bits)
        # Places count beats since the reset, with a bit more than an address.
        places = p.address_bits + 1
        put_reg = Signal(places)
        start_reg = Signal(places)
        first_reg = Signal(places)
        second_reg = Signal(places)
        # The packet that is read, and the one behind it.
        reads_reg = Signal()
        of_second_reg = Signal()
        direct_reg = Signal()
        left_reg = Signal(p.count_bits)
        next_reg = Signal()
        next_second_reg = Signal()
        next_direct_reg = Signal()
        next_count_reg = Signal(p.count_bits)

        # -- stored ---------------------------------------------------------------------------------------------------------------
        # A message that is too long begins again where it began.
        at = Signal(places)
        word = Signal(p.beat, name="word")
        ends = Signal()
        m.d.comb += [
            at.eq(Mux(self.restart, start_reg, put_reg)), word.eq(self.beat), ends.eq(self.beat.last & ~self.restart),
            memory.we.eq(self.put), memory.waddr.eq(at[: p.address_bits]),
            memory.wdata.eq(Value.cast(word) & self.put.replicate(width)),
            memory.erase.eq(self.erase), memory.erase_address.eq(self.erase_address),
        ]  # fmt: skip
        with m.If(self.restart):
            m.d.comb += [word.eq(0), word.last.eq(1)]
        room_reg = Signal()
        used = Signal(places)
        m.d.comb += [used.eq(put_reg - second_reg), self.room.eq(room_reg)]
        m.d.sync += room_reg.eq((used + self.put)[:places] < p.words)
        with m.If(self.put):
            m.d.sync += put_reg.eq(at + 1)
            with m.If(ends | self.restart):
                m.d.sync += start_reg.eq(at + 1)

        # -- read -----------------------------------------------------------------------------------------------------------------
        read = Signal()
        done = Signal()
        read_reg = Signal()
        takes = Signal()
        # Beats that were read and have not left: the queue has room for all of them.
        ahead_reg = Signal(range(READY + 1))
        credit = Signal()
        leaves = Signal()
        place = Signal(places)
        direct = Signal()
        m.d.comb += [
            leaves.eq(queue.o.valid & queue.o.ready), credit.eq(ahead_reg != READY), read.eq(reads_reg & credit),
            done.eq((read & (left_reg == 1)) | (direct & self.direct.payload.last)),
            takes.eq(next_reg & (done | (~reads_reg & ~direct_reg))),
            place.eq(Mux(of_second_reg, second_reg, first_reg)), memory.raddr[0].eq(place[: p.address_bits]),
            # What was read before goes before.
            direct.eq(self.direct.valid & self.direct.ready), self.direct.ready.eq(direct_reg & credit & queue.i.ready & ~read_reg),
            queue.i.valid.eq(read_reg | direct),
            Value.cast(queue.i.payload).eq(Mux(direct, Value.cast(self.direct.payload), memory.rdata[0])),
            queue.erase.eq(self.erase), queue.erase_address.eq(self.erase_address),
            self.o.valid.eq(queue.o.valid), self.o.payload.eq(queue.o.payload), queue.o.ready.eq(self.o.ready),
            self.free.eq(~next_reg), self.skips.eq(~next_second_reg & ~(reads_reg & of_second_reg)),
        ]  # fmt: skip
        m.d.sync += [read_reg.eq(read), ahead_reg.eq(ahead_reg + (read | direct) - leaves)]
        with m.If(read):
            m.d.sync += left_reg.eq(left_reg - 1)
            with m.If(of_second_reg):
                m.d.sync += second_reg.eq(second_reg + 1)
            with m.Else():
                m.d.sync += first_reg.eq(first_reg + 1)
        with m.If(self.skip):
            m.d.sync += second_reg.eq(second_reg + self.count)
        with m.If(done):
            m.d.sync += [reads_reg.eq(0), direct_reg.eq(0)]
        with m.If(takes):
            m.d.sync += [
                next_reg.eq(0), next_second_reg.eq(0), reads_reg.eq(~next_direct_reg), direct_reg.eq(next_direct_reg),
                of_second_reg.eq(next_second_reg), left_reg.eq(next_count_reg),
            ]  # fmt: skip
        with m.If(self.begin):
            m.d.sync += [
                next_reg.eq(1), next_second_reg.eq(self.begins_second), next_direct_reg.eq(self.begins_direct),
                next_count_reg.eq(self.count),
            ]  # fmt: skip
        return m
