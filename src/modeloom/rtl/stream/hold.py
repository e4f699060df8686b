# SPDX-License-Identifier: Apache-2.0
"""Holds the text of a message to be opened until its tag has been found correct.

::

             ┌─────── places of the memory ───────┐
    i ──▶    │ read ◀─ visible ─▶│◀─ held ─▶ free │   ──▶ o
             └───────▲───────────▲──────────▲─────┘
                    get        begin       put
    tag correct:     begin goes to put       everything that is written is visible
    tag wrong:       put goes back to begin  the places of the message are free again

At most one message is held at a time.  Those behind it wait in a queue before the buffer until its verdict is known.  The queue has
enough places for the beats that come in these cycles.
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Shape, ShapeLike, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout, View
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.messages import MessageCode
from modeloom.rtl.bus.parameters import check_integer
from modeloom.rtl.bus.ports import signals
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.delivery import Delivery, Statuses
from modeloom.rtl.stream.storage import Queue

__all__ = ["HeldDelivery", "HoldBuffer"]

MOST_HOLD = 1 << 20
"""Number of bytes of the largest buffer."""

LEAST_HELD = 4
"""Number of beats of the smallest buffer through which a beat can pass in each cycle."""

BLOCK_BEATS = 64
"""Largest number of beats of a buffer in LUT memories.  Larger buffers are block memories."""


class HoldBuffer(wiring.Component):
    """A queue of beats that can hold a packet.  The verdict on a held packet releases or drops it as a whole.

    The latency from ``i`` to ``o`` is two cycles for a packet that is not held.  A beat of a held packet is on ``o`` two cycles
    after the verdict, or two cycles after it came, whichever is later.  There can be a beat in every cycle.  While a packet is
    held, the next packet waits before the buffer.

    Parameters
    ----------
    shape : ShapeLike
        The shape of a beat.
    depth : int
        Number of beats that the buffer has places for, at least 1.  A held packet has at most ``depth`` beats that are ``stored``.
    erase_bits : int
        Width of ``erase_address``.

    Members
    -------
    i : stream of beat, last, held, stored
        A beat, and whether it is the last one of its packet.  ``held`` is the same for all beats of a packet.  ``stored`` is 0 for
        a beat that only ends a held packet.
    verdict : stream of 1
        The verdict on each held packet in order: 1 releases it, 0 drops it.
    o : stream of *shape*
        Beats of packets that are not held, and of packets that were released.
    dropped : Out(1)
        A packet has been dropped, and its places are free.
    erase, erase_address : In(1), In(erase_bits)
        Writes zeros to this word, while the buffer is held in reset.

    Raises
    ------
    ValueError
        If *depth* is less than 1.
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
        """Makes the memory, the verdict on the packet of this cycle, and the places of the next cycle."""
        m = Module()
        width = Shape.cast(self.shape).width
        style = "block" if self.depth > BLOCK_BEATS else "distributed"
        m.submodules.memory = memory = BlockMemory(width, self.depth, 1, style=style, erase_bits=self.erase_bits)
        put_reg = Signal(range(max(2, self.depth)))
        begin_reg = Signal.like(put_reg)
        get_reg = Signal.like(put_reg)
        # The number of places that hold a beat, and the number of those whose beat is visible.
        used_reg = Signal(range(self.depth + 1))
        visible_reg = Signal.like(used_reg)
        full_reg, valid_reg = signals("full_reg valid_reg")
        # held_reg: a held packet has begun.  ended_reg: its last beat has come.
        held_reg, ended_reg, dropped_reg = signals("held_reg ended_reg dropped_reg")

        beat = self.i.payload
        take, store, pop, held, right, wrong, hidden, done = signals("take store pop held right wrong hidden done")
        m.d.comb += [
            # The packet of this cycle is held, and the next verdict is about it.
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

        put = Signal.like(put_reg)
        used = Signal.like(used_reg)
        visible = Signal.like(used_reg)
        get = Signal.like(get_reg)
        shown = Signal.like(used_reg)
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
            # A beat that becomes visible in this cycle is read in the next one.
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
        """The place itself, or the next one if ``move`` is high."""
        behind = (place + 1)[: len(place)]
        if self.depth & (self.depth - 1) or self.depth < 2:
            behind = Mux(place == self.depth - 1, 0, behind)
        return Mux(move, behind, place)


class HeldDelivery(Delivery):
    """Text of messages to be opened waits behind the queue of text for its verdict."""

    carried = {"held": 1}
    held, judged, dropped = ("held",), ("judged", "right"), ("dropped",)
    verdicts_first = True

    def check(self) -> None:
        check_integer("hold", self.parameters.hold, 1, MOST_HOLD)
        if not self.parameters.decrypt:
            raise ValueError("hold is for cores that open messages")

    @property
    def depth(self) -> int:
        """Enough for a beat in each cycle."""
        p = self.parameters
        return max(LEAST_HELD, -(-p.hold // p.beat_bytes)) if p.hold else 0

    @property
    def kept(self) -> dict[str, int]:
        """Whether the text of the message was dropped."""
        return {"dropped": 1}

    @property
    def most_text(self) -> int:
        """At most those of the buffer, behind those that a test lets go before."""
        p = self.parameters
        assert p.hold is not None
        return min(super().most_text, p.text_from * p.beat_bytes + p.hold)

    def too_long(self, command: View) -> list[tuple[MessageCode, Value]]:
        """What is opened may be too long to be held."""
        return [(MessageCode.TOO_LONG_TO_HOLD, command.decrypt & (command.text > self.parameters.hold))]

    def counts(self, of_packet: Value, of_message: Value) -> Value:
        """What is cut off at the end of a beat leaves a last beat without bytes, which the message control takes for a fault."""
        p, over = self.parameters, super().counts(of_packet, of_message)
        assert p.hold is not None
        cut = (of_packet == MessageCode.TOO_LONG_TO_HOLD) & (of_message == MessageCode.BAD_KEEP)
        return over if p.hold % p.beat_bytes else over | cut

    def behind(self, m: Module, texts: wiring.Component, beats: stream.Interface) -> stream.Interface:
        """The buffer."""
        p = self.parameters
        layout = StructLayout({"data": 8 * p.beat_bytes, "nbytes": p.beat_nbytes_bits, "last": 1, "cut": 1})
        m.submodules.hold = hold = HoldBuffer(layout, p.hold_depth, p.erase_bits)
        m.submodules.verdicts = verdicts = Queue(1, p.tag_depth, p.erase_bits)
        wiring.connect(m, verdicts.o, hold.verdict)
        beat = beats.payload
        m.d.comb += [
            verdicts.i.valid.eq(texts.judged), verdicts.i.payload.eq(texts.right),
            hold.i.valid.eq(beats.valid), beats.ready.eq(hold.i.ready),
            hold.i.payload.last.eq(beat.last), hold.i.payload.held.eq(beat.held), hold.i.payload.stored.eq(~(beat.held & beat.cut)),
            *(hold.i.payload.beat[name].eq(beat[name]) for name in ("data", "nbytes", "last", "cut")),
            texts.dropped.eq(hold.dropped),
        ]  # fmt: skip
        for part in (hold, verdicts):
            m.d.comb += [part.erase.eq(texts.erase), part.erase_address.eq(texts.erase_address)]
        return hold.o

    def order(self, m: Module, s: Statuses) -> None:
        """A status follows the text of its message, or its end."""
        delivered_reg = s.delivered()
        dropped_reg = Signal.like(delivered_reg)
        m.d.comb += [
            s.whole.judged.eq(s.decided & s.decision.packet & s.decision.decrypt & ~s.decision.empty),
            s.whole.right.eq(~s.code.any()),
            s.waiting.i.payload.dropped.eq(s.decision.decrypt & s.code.any()),
            s.may.eq(~s.head.packet | Mux(s.head.dropped, dropped_reg != 0, delivered_reg != 0)),
        ]
        m.d.sync += [
            delivered_reg.eq(delivered_reg + s.whole.delivered - (s.pop & s.head.packet & ~s.head.dropped)),
            dropped_reg.eq(dropped_reg + s.whole.dropped - (s.pop & s.head.packet & s.head.dropped)),
        ]
