# SPDX-License-Identifier: Apache-2.0
"""Holds packets to be opened until their last beat says that they are correct.  It is a frame FIFO that drops bad frames.

::

             ┌─────── places of the memory ───────┐
    i ──▶    │ read ◀─ visible ─▶│◀─ held ─▶ free │   ──▶ o
             └───────▲───────────▲──────────▲─────┘
                    get        begin       put
    last beat, right:    begin goes behind it        everything that is written is visible
    last beat, failed:   a mark is put at begin      of the packet only the mark is left, which no port shows

The mark takes the place of the packet in the order, so that the status of a packet never comes before an earlier packet has left.
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.ports import signals
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.hold import BLOCK_BEATS

__all__ = ["PacketHold"]


class PacketHold(wiring.Component):
    """A queue of beats in which packets may be held.

    The latency from ``i`` to ``o`` is two cycles.  For a held packet it is counted from its last beat.  There can be a beat in each
    cycle.

    Parameters
    ----------
    layout : StructLayout
        A beat, with ``last``, ``failed`` in the last beat, and ``held``, the same in all beats of a packet.
    depth : int
        Beats that it holds, at least 1.  A held packet has at most as many.
    erase_bits : int
        Width of ``erase_address``.

    Members
    -------
    i, o : stream of *layout*
    idle : 1
        The part behind ``o`` holds nothing.
    dropped : 1
        A held packet has failed, and all before it has left.
    erase, erase_address : In
        Writes zeros to this word, while the queue is held in reset.

    Raises
    ------
    ValueError
        If *depth* is less than 1.
    """

    def __init__(self, layout: StructLayout, depth: int, erase_bits: int):
        if depth < 1:
            raise ValueError(f"depth is at least 1, not {depth}")
        self.layout, self.depth, self.erase_bits = layout, depth, erase_bits
        super().__init__({
            "i": In(stream.Signature(layout)), "o": Out(stream.Signature(layout)), "idle": In(1), "dropped": Out(1),
            "erase": In(1), "erase_address": In(erase_bits),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        beat = self.i.payload
        place = StructLayout({"beat": self.layout, "mark": 1})
        width = place.size
        style = "block" if self.depth > BLOCK_BEATS else "distributed"
        m.submodules.memory = memory = BlockMemory(width, self.depth, 1, style=style, erase_bits=self.erase_bits)
        begin_reg = Signal(range(max(2, self.depth)))
        put_reg = Signal.like(begin_reg)
        get_reg = Signal.like(begin_reg)
        # The number of places that hold a beat, and the number of those whose beat is visible.
        used_reg = Signal(range(self.depth + 1))
        visible_reg = Signal.like(used_reg)
        full_reg, valid_reg = signals("full_reg valid_reg")

        store, pop, drop, hidden = signals("store pop drop hidden")
        written, read = signals("written read", place)
        get = Signal.like(get_reg)
        shown = Signal.like(used_reg)
        at = Signal.like(put_reg)
        behind = Signal.like(put_reg)
        m.d.comb += [
            self.i.ready.eq(~full_reg),
            store.eq(self.i.valid & ~full_reg),
            drop.eq(store & beat.held & beat.last & beat.failed),
            hidden.eq(beat.held & ~beat.last),
            at.eq(Mux(drop, begin_reg, put_reg)),
            behind.eq(self._behind(at)),
            written.mark.eq(drop),
            Value.cast(written.beat).eq(Value.cast(beat) & (~drop).replicate(self.layout.size)),
            memory.we.eq(store), memory.waddr.eq(at), memory.wdata.eq(Value.cast(written) & store.replicate(width)),
            memory.raddr[0].eq(get), memory.erase.eq(self.erase), memory.erase_address.eq(self.erase_address),
            Value.cast(read).eq(memory.rdata[0]),
            self.o.valid.eq(valid_reg & ~read.mark), Value.cast(self.o.payload).eq(Value.cast(read.beat)),
            self.dropped.eq(valid_reg & read.mark & self.idle),
            pop.eq(valid_reg & Mux(read.mark, self.idle, self.o.ready)),
            get.eq(Mux(pop, self._behind(get_reg), get_reg)),
            shown.eq(visible_reg - pop),
        ]  # fmt: skip
        m.d.sync += [
            get_reg.eq(get),
            # A beat that becomes visible in this cycle is read in the next one.
            valid_reg.eq(shown.any()),
            visible_reg.eq(shown),
        ]
        used = Signal.like(used_reg)
        m.d.comb += used.eq(used_reg - pop)
        with m.If(store):
            m.d.sync += put_reg.eq(behind)
            m.d.comb += used.eq(Mux(drop, shown + 1, used_reg + 1 - pop))
            with m.If(~hidden):
                m.d.sync += [begin_reg.eq(behind), visible_reg.eq(used)]
        m.d.sync += [used_reg.eq(used), full_reg.eq(used == self.depth)]
        return m

    def _behind(self, place: Signal) -> Value:
        """The place behind another."""
        if self.depth & (self.depth - 1) or self.depth < 2:
            return Mux(place == self.depth - 1, 0, (place + 1)[: len(place)])
        return (place + 1)[: len(place)]
