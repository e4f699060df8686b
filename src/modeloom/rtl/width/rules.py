# SPDX-License-Identifier: Apache-2.0
"""Looks at the beats that a host sends: which ones end a part of a packet, and which no packet has.

::

    sectors, and packets as on the wire     │ full │ full │ partial, last │
    messages                                │ full │ partial │ full │ full │ partial, last │
                                              associated data  ▲ text
                                                               └ known of the command

A core checks the beats that it gets.  What it could not see any more behind a converter is looked at here.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.ports import signals
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.contexts import ChannelFlags
from modeloom.rtl.width.beats import OneChannel, Stage, holes, seen_beat

__all__ = ["MessageRule", "SolidRule"]

LENGTH_BITS = 64
"""Bits of the number of bytes of associated data in a command."""

ORDERS = 8
"""Commands of a channel whose packets have not ended here: a power of two, and more than a core takes of one channel."""

INDEX_BITS = (ORDERS - 1).bit_length()

LUT_CONTEXTS = 64
"""Most channels whose commands are in LUT memories; those of more are in block memories."""


class SolidRule(wiring.Component):
    """Sees the beats of packets that are full except for the last one.  A packet may be one beat without bytes.

    The latency is 0 cycles.

    Parameters
    ----------
    layout : StructLayout
        A beat.

    Members
    -------
    i, o : stream of beats, stream of seen beats
    """

    def __init__(self, layout: StructLayout):
        super().__init__({"i": In(stream.Signature(layout)), "o": Out(stream.Signature(seen_beat(layout)))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        beat = self.i.payload
        begun_reg = Signal()
        with m.If(self.i.valid & self.o.ready):
            m.d.sync += begun_reg.eq(~beat.last)
        m.d.comb += [
            self.o.valid.eq(self.i.valid), self.i.ready.eq(self.o.ready), self.o.payload.ends.eq(beat.last),
            self.o.payload.bad.eq(holes(beat.keep) | ~(beat.keep.all() | beat.last) | ~beat.keep[0] & begun_reg),
            *(self.o.payload[name].eq(beat[name]) for name in beat.shape().members),
        ]  # fmt: skip
        return m


class MessageRule(wiring.Component):
    """Sees the beats of messages whose associated data and text each begin with a beat of their own.

    A beat waits for the command of its message, and the beats behind it wait with it.  The latency is 1 cycle.

    Parameters
    ----------
    layout : StructLayout
        A beat.
    nbytes : int
        Bytes of a beat.
    channels : OneChannel
    erase_bits : int
        Bits of ``erase_address``.

    Members
    -------
    i, o : stream of beats, stream of seen beats
    associated, channel, put : In(64), In(8), In(1)
        A command has been taken: its bytes of associated data, and its channel if there are several.
    full : Out(1)
        No command may be taken.
    erase, erase_address : In
        While it is held in reset: zeros to the words with this number.
    """

    def __init__(self, layout: StructLayout, nbytes: int, channels: OneChannel, erase_bits: int):
        self.layout, self.nbytes, self.channels, self.erase_bits = layout, nbytes, channels, erase_bits
        super().__init__({
            "i": In(stream.Signature(layout)), "o": Out(stream.Signature(seen_beat(layout))),
            "associated": In(LENGTH_BITS), **{name: In(bits) for name, bits in channels.fields.items()}, "put": In(1), "full": Out(1),
            "erase": In(1), "erase_address": In(erase_bits),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        index_bits = self.nbytes.bit_length() - 1
        whole_bits = LENGTH_BITS - index_bits
        progress = StructLayout({"active": 1, "in_associated": 1, "begun": 1, "left": whole_bits})
        stage = Stage(m, self.i, progress, self.channels, self.erase, self.erase_address)
        number_reg = Signal(INDEX_BITS + 1)
        order, known = self._orders(m, stage, number_reg)

        now = Signal(progress)
        with m.If(stage.word.active):
            m.d.comb += now.eq(stage.word)
        with m.Else():
            m.d.comb += [now.in_associated.eq(order.any()), now.left.eq(order[index_bits:])]
        beat, tail = stage.beat, order[:index_bits]
        keep: Value = beat.keep
        full, null, ends_associated, fits, bad = signals("full null ends_associated fits bad")
        wanted = Mux(tail.any(), Cat(*(tail > at for at in range(self.nbytes - 1)), Const(0, 1)), Cat(1).replicate(self.nbytes))
        m.d.comb += [
            full.eq(keep.all()), null.eq(~keep.any()),
            ends_associated.eq(now.in_associated & Mux(tail.any(), ~now.left.any(), now.left == 1)),
            # A packet that ends before its associated data is for the core to judge.
            fits.eq(Mux(ends_associated, (keep == wanted) | beat.last & ~(keep & ~wanted).any(), full | beat.last)),
        ]  # fmt: skip
        with m.If(now.in_associated):
            # A beat without bytes behind another one ends no packet, as everywhere.
            m.d.comb += bad.eq(~fits | null & stage.word.active)
        with m.Else():
            m.d.comb += bad.eq(~(full | beat.last) | null & now.begun)
        m.d.comb += [
            self.o.valid.eq(stage.valid & known), stage.may.eq(known & self.o.ready),
            self.o.payload.ends.eq(beat.last | ends_associated), self.o.payload.bad.eq(bad | holes(keep)),
            *(self.o.payload[name].eq(beat[name]) for name in self.layout.members),
            stage.after.active.eq(~beat.last), stage.after.in_associated.eq(now.in_associated & ~ends_associated),
            stage.after.begun.eq(now.begun | ~now.in_associated), stage.after.left.eq(now.left - now.in_associated),
        ]  # fmt: skip
        m.d.comb += self._advance.eq(stage.take & beat.last)
        return m

    def _orders(self, m: Module, stage: Stage, number_reg: Signal) -> tuple[Signal, Value]:
        """Takes commands.  Gives the bytes of associated data of the message of the beat, and whether its command has come."""
        count, bits = self.channels.words, self.channels.bits
        style = "distributed" if count <= LUT_CONTEXTS else "block"
        m.submodules.orders = orders = BlockMemory(LENGTH_BITS, count << INDEX_BITS, 1, style=style)
        # Messages of each context: that which is under way, the next one that gets a command, and the same as the beats may know it.
        numbers, begun, readable = (ChannelFlags(INDEX_BITS + 1, count, ports, self.erase_bits) for ports in (2, 1, 1))
        m.submodules.numbers, m.submodules.begun, m.submodules.readable = numbers, begun, readable
        for part in (numbers, begun, readable):
            m.d.comb += [part.erase.eq(self.erase), part.erase_address.eq(self.erase_address)]
        self._advance = Signal(name="advance")
        context = Signal(bits, name="order_context")
        asked = Signal(bits, name="asked_context")
        number, next_number, waiting, put_number_reg = signals("number next_number waiting put_number_reg", INDEX_BITS + 1)
        put_reg, full_reg = signals("put_reg full_reg")
        put_context_reg, full_context_reg = signals("put_context_reg full_context_reg", bits)
        m.d.comb += [
            context.eq(self.channels.number(self)),
            asked.eq(Mux(full_reg, full_context_reg, context)),
            begun.raddr[0].eq(asked), numbers.raddr[1].eq(asked), next_number.eq(begun.rdata[0] + 1),
            waiting.eq(begun.rdata[0] - numbers.rdata[1]),
            begun.we.eq(self.put), begun.waddr.eq(context), begun.wdata.eq(next_number),
            orders.we.eq(self.put), orders.waddr.eq(Cat(begun.rdata[0][:INDEX_BITS], context)), orders.wdata.eq(self.associated),
            # A command can be read a cycle after it was written.
            readable.we.eq(put_reg), readable.waddr.eq(put_context_reg), readable.wdata.eq(put_number_reg),
            readable.raddr[0].eq(stage.context),
            numbers.raddr[0].eq(stage.next_context), numbers.we.eq(self._advance), numbers.waddr.eq(stage.context),
            numbers.wdata.eq(number_reg + 1),
            number.eq(Mux(self._advance & (stage.next_context == stage.context), number_reg + 1, numbers.rdata[0])),
            orders.raddr[0].eq(Cat(number[:INDEX_BITS], stage.next_context)), self.full.eq(full_reg),
        ]  # fmt: skip
        m.d.sync += [number_reg.eq(number), put_reg.eq(self.put), put_context_reg.eq(context), put_number_reg.eq(next_number)]
        # The channel of the last command is the only one that can be full: no command is taken while it is.
        with m.If(self.put):
            m.d.sync += [full_reg.eq(waiting == ORDERS - 1), full_context_reg.eq(context)]
        with m.Elif(full_reg):
            m.d.sync += full_reg.eq(waiting == ORDERS)
        return orders.rdata[0], readable.rdata[0] != number_reg
