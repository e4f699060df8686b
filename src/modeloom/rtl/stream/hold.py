# SPDX-License-Identifier: Apache-2.0
"""Holds the text of a message to be opened until its tag was right.

::

             ┌─────── places of the memory ───────┐
    i ──▶    │ read ◀─ visible ─▶│◀─ held ─▶ free │   ──▶ o
             └───────▲───────────▲──────────▲─────┘
                    get        begin       put
    verdict right:   begin goes to put       everything that is written is visible
    verdict wrong:   put goes back to begin  the places of the message are free again

At most one message is held at a time.  Those behind it wait before the buffer until its verdict is known, which takes as many cycles
as the queue before the buffer has places for.
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Shape, ShapeLike, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.rtl.engine.storage import BlockMemory

__all__ = ["HoldBuffer"]

BLOCK_BEATS = 64
"""Buffers of more beats are block memories."""


class HoldBuffer(wiring.Component):
    """A queue of beats in which a packet may be held, to be let go or dropped as a whole.

    Two cycles from ``i`` to ``o`` for a packet that is not held; for one that is held, two cycles from ``verdict`` or from its beat to
    ``o``, whichever is later.  A beat a cycle.  A packet waits before the buffer while one before it is held.

    Parameters
    ----------
    shape : ShapeLike
        A beat.
    depth : int
        Beats that it holds, at least 1.  A held packet has at most as many, beside one that is not ``stored``.
    erase_bits : int
        Width of ``erase_address``.

    Members
    -------
    i : stream
        ``beat``, ``last`` of its packet; ``held``, the same for all beats of a packet; ``stored``, 0 for a beat of a held packet that
        only ends it.
    verdict : stream of 1
        For each held packet in order: 1 lets it go, 0 drops it.
    o : stream of *shape*
        Beats of packets that are not held, and of those that were let go.
    dropped : 1
        A packet has been dropped; its places are free.
    erase, erase_address : In
        While the buffer is held in reset: zeros to this word.

    Raises
    ------
    ValueError
        *depth* is below 1.
    """

    def __init__(self, shape: ShapeLike, depth: int, erase_bits: int):
        if depth < 1:
            raise ValueError(f"depth is at least 1, not {depth}")
        self.shape, self.depth, self.erase_bits = shape, depth, erase_bits
        super().__init__({
            "i": In(stream.Signature(StructLayout({"beat": shape, "last": 1, "held": 1, "stored": 1}))),
            "verdict": In(stream.Signature(1)), "o": Out(stream.Signature(shape)), "dropped": Out(1),
            "erase": In(1), "erase_address": In(erase_bits),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        width = Shape.cast(self.shape).width
        style = "block" if self.depth > BLOCK_BEATS else "distributed"
        m.submodules.memory = memory = BlockMemory(width, self.depth, 1, style=style, erase_bits=self.erase_bits)
        put_reg = Signal(range(max(2, self.depth)))
        begin_reg = Signal.like(put_reg)
        get_reg = Signal.like(put_reg)
        # Places that hold a beat, and those of them whose beat is visible.
        used_reg = Signal(range(self.depth + 1))
        visible_reg = Signal.like(used_reg)
        full_reg = Signal()
        valid_reg = Signal()
        # A held packet has begun, and its last beat has come.
        held_reg = Signal()
        ended_reg = Signal()
        dropped_reg = Signal()

        beat, take, store, pop = self.i.payload, Signal(), Signal(), Signal()
        held, right, wrong, hidden, done = Signal(), Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            # The packet of this cycle is held; the next verdict is about it.
            held.eq(held_reg | (take & beat.held)),
            right.eq(held & self.verdict.valid & self.verdict.payload),
            wrong.eq(held & self.verdict.valid & ~self.verdict.payload),
            self.i.ready.eq(~ended_reg & (~full_reg | (beat.held & ~beat.stored))),
            take.eq(self.i.valid & self.i.ready),
            store.eq(take & beat.stored),
            hidden.eq(held & ~right),
            done.eq(ended_reg | (take & beat.last)),
            self.verdict.ready.eq(held & done),
            pop.eq(valid_reg & self.o.ready),
        ]  # fmt: skip

        put, used, visible = Signal.like(put_reg), Signal.like(used_reg), Signal.like(used_reg)
        get, shown = Signal.like(get_reg), Signal.like(used_reg)
        m.d.comb += [
            shown.eq(visible_reg - pop),
            put.eq(Mux(wrong, begin_reg, self._next(put_reg, store))),
            used.eq(Mux(wrong, shown, used_reg + store - pop)),
            visible.eq(Mux(hidden, shown, used)),
            get.eq(self._next(get_reg, pop)),
        ]
        m.d.sync += [
            put_reg.eq(put), get_reg.eq(get), used_reg.eq(used), visible_reg.eq(visible),
            full_reg.eq(used == self.depth),
            # What becomes visible in this cycle is read in the next one.
            valid_reg.eq(shown.any()),
            dropped_reg.eq(wrong & done),
            held_reg.eq(held & ~(self.verdict.valid & done)), ended_reg.eq(held & done & ~self.verdict.valid),
        ]  # fmt: skip
        with m.If(~hidden):
            m.d.sync += begin_reg.eq(put)
        written = Value.cast(beat.beat)
        m.d.comb += [
            memory.we.eq(store), memory.waddr.eq(put_reg), memory.wdata.eq(written & store.replicate(width)),
            memory.raddr[0].eq(get),
            memory.erase.eq(self.erase), memory.erase_address.eq(self.erase_address),
            self.o.valid.eq(valid_reg), Value.cast(self.o.payload).eq(memory.rdata[0]),
            self.dropped.eq(dropped_reg),
        ]  # fmt: skip
        return m

    def _next(self, place: Signal, move: Signal) -> Value:
        """A place, or the one behind it."""
        behind = (place + 1)[: len(place)]
        if self.depth & (self.depth - 1) or self.depth < 2:
            behind = Mux(place == self.depth - 1, 0, behind)
        return Mux(move, behind, place)
