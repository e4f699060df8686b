# SPDX-License-Identifier: Apache-2.0
"""Turns the beats of interleaved packets into tokens, with the state of the packet of each channel in a memory.

::

    s ──▶ [slice] ──▶ [beat] ──────────┐                               message ended: [its tag] ──┐
             └ channel ─▶ progress ────┼──▶ take_beat ──▶ token of the beat ──────────────────────┴──▶ token
               of the     orders ──────┘        │
               next beat  ▲    progress ◀───────┘
    orders ───────────────┘

One beat per cycle and one cycle for the tag, whatever the channels are.  The commands of a channel wait in places of their own.

A command of a channel that the core does not have waits for no packet: its tag follows at once, in a cycle in which no beat is taken.
Beats of such channels are dropped before the slice.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, ValueLike
from amaranth.lib import stream
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.bus.register_slice import RegisterSlice
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.channel_words import ChannelFlags, ChannelWords
from modeloom.rtl.stream.depths import ORDERS
from modeloom.rtl.stream.long_counter import LOW_BITS
from modeloom.rtl.stream.packet import LENGTH_BITS, Packet, packet_layout, see_beat, seen_layout, take_beat
from modeloom.rtl.stream.parameters import CODE_BITS, MessageParameters

__all__ = ["ChannelIntake", "context_of", "is_foreign", "packet_order"]

INDEX_BITS = (ORDERS - 1).bit_length()


def context_of(p: MessageParameters, channel: Value) -> Value:
    """The context of a channel: its number, or that of the channels that the core does not have."""
    if p.contexts == p.channels:
        return channel[: p.context_bits]
    return Mux(channel < p.channels, channel, p.channels)[: p.context_bits]


def is_foreign(p: MessageParameters, channel: Value) -> Value:
    """Whether the core does not have a channel."""
    return Const(0, 1) if p.contexts == p.channels else channel >= p.channels


def packet_order(parameters: MessageParameters) -> StructLayout:
    """What the packet of a message has to be: bytes of associated data, what is wrong with the command, and the place of the message."""
    text = {"text": LENGTH_BITS, "near_text": 1} if parameters.lengths_first else {}
    return StructLayout({
        "associated": LENGTH_BITS, "some": 1, "near": 1, "code": CODE_BITS, "message": range(parameters.message_store), **text,
    })  # fmt: skip


class ChannelIntake(BusComponent[MessageParameters]):
    """Checks the packets of messages of all channels, and counts their bytes.

    Members
    -------
    s : stream of beats
        From the host.  A beat waits for the command of its message, and the beats behind it wait with it.
    order, order_context, order_foreign, order_valid, order_ready : packet_order, context, 1, 1, 1
        The next command of a channel, and whether the core does not have this channel; ``order_ready`` if there is a place for it.
    token : stream of MessageParameters.token
    associated, ending : 64, 1
        As of :class:`~modeloom.rtl.stream.intake.MessageIntake`.
    erase, erase_address : In
        While it is held in reset: zeros to this word.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        return {
            "s": In(stream.Signature(packet_layout(p))),
            "order": In(packet_order(p)), "order_context": In(p.context_bits), "order_foreign": In(1), "order_valid": In(1),
            "order_ready": Out(1),
            "token": Out(stream.Signature(p.token)),
            **({"associated": Out(LENGTH_BITS), "ending": Out(1)} if p.plan.prefixes else {}),
            "erase": In(1), "erase_address": In(p.erase_bits),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        size, index_bits = p.beat_bytes, p.beat_bytes.bit_length() - 1
        high_bits = LENGTH_BITS - index_bits - LOW_BITS
        m.submodules.slice = slice_ = RegisterSlice(packet_layout(p))
        m.d.comb += [
            slice_.i.valid.eq(self.s.valid & ~is_foreign(p, self.s.payload.channel)), slice_.i.payload.eq(self.s.payload),
            self.s.ready.eq(slice_.i.ready),
        ]  # fmt: skip

        # -- the beat in question, and what is known of its packet ------------------------------------------------------------
        valid_reg = Signal()
        beat_reg = Signal(packet_layout(p), reset_less=True)
        context_reg = Signal(p.context_bits)
        # Of the context of the beat: the number of its message.
        number_reg = Signal(INDEX_BITS + 1)
        take = Signal()
        advance = Signal()
        move = Signal()
        context = Signal(p.context_bits)
        number = Signal(INDEX_BITS + 1)
        numbers, known = self._orders(m, context, context_reg, number_reg)
        m.d.comb += [
            move.eq(~valid_reg | take), slice_.o.ready.eq(move),
            context.eq(Mux(move, context_of(p, slice_.o.payload.channel), context_reg)),
            number.eq(Mux(advance & (context == context_reg), number_reg + 1, numbers.rdata[1])),
            numbers.we.eq(advance), numbers.waddr.eq(context_reg), numbers.wdata.eq(number_reg + 1),
        ]  # fmt: skip
        m.d.sync += [context_reg.eq(context), number_reg.eq(number)]
        with m.If(move):
            m.d.sync += [valid_reg.eq(slice_.o.valid), beat_reg.eq(slice_.o.payload)]
        m.d.comb += self.orders.raddr[0].eq(Cat(number[:INDEX_BITS], context))
        order = Signal(packet_order(p), name="order_here")
        m.d.comb += Value.cast(order).eq(self.orders.rdata[0])

        progress = StructLayout({
            "active": 1, "discard": 1, "in_associated": 1, "first": 1, "begun": 1, "code": CODE_BITS, "partial": index_bits,
            "low": LOW_BITS, "high": high_bits, "next_high": high_bits, "at_high": 1, "next_at_high": 1,
            **({"past": 1} if p.lengths_first else {}),
        })  # fmt: skip
        m.submodules.progress = words = ChannelWords(progress.size, p.contexts, 1, p.erase_bits)
        kept, now, after = (Signal(progress, name=name) for name in ("kept", "now", "after"))
        m.d.comb += [
            Value.cast(kept).eq(words.rdata[0]), words.raddr[0].eq(context),
            words.we.eq(take), words.waddr.eq(context_reg), words.wdata.eq(after),
            words.erase.eq(self.erase), words.erase_address.eq(self.erase_address),
        ]  # fmt: skip
        # -- the state of a message before its first beat ---------------------------------------------------------------------
        limit: ValueLike = p.plan.mode.most_text // size
        first_text: dict[str, ValueLike] = {
            "low": p.text_from % (1 << LOW_BITS), "high": p.text_from >> LOW_BITS,
            "next_high": (p.text_from >> LOW_BITS) + 1, "at_high": int(p.text_from >> LOW_BITS == limit >> LOW_BITS),
            "next_at_high": int((p.text_from >> LOW_BITS) + 1 == limit >> LOW_BITS),
        }  # fmt: skip
        if p.lengths_first:
            limit = order.text[index_bits:]
            first_text = {
                "low": Cat(order.text[:index_bits] == 0, Const(0, LOW_BITS - 1)), "high": 0, "next_high": 1, "at_high": order.near_text,
                "next_at_high": 0,
            }  # fmt: skip
        # The last block is that before which as many whole blocks have come as there are, or one less if it is whole itself.
        whole = order.associated[:index_bits] == 0
        of_associated: dict[str, Value] = {
            "low": Cat(whole, Const(0, LOW_BITS - 1)), "high": Const(0, high_bits), "next_high": Const(1, high_bits), "at_high": order.near,
            "next_at_high": Const(0, 1),
        }  # fmt: skip
        with m.If(kept.active):
            m.d.comb += now.eq(kept)
        with m.Else():
            m.d.comb += [
                now.first.eq(1), now.discard.eq(order.code.any()), now.in_associated.eq(order.some), now.code.eq(order.code),
                *(now[name].eq(Mux(order.some, of_associated[name], value)) for name, value in first_text.items()),
            ]  # fmt: skip

        # -- what becomes of the beat -----------------------------------------------------------------------------------------
        ended_reg = Signal()
        ended = Signal()
        tag_reg = Signal(StructLayout({
            "context": p.context_bits, "message": range(p.message_store), "code": CODE_BITS, "first": 1, "lengths": 2 * LENGTH_BITS,
        }), reset_less=True)  # fmt: skip

        def change(**values: Value) -> None:
            m.d.comb += [ended.eq(value) if name == "ended" else after[name].eq(value) for name, value in values.items()]

        count = Signal()
        count_text = Signal()
        goal = Mux(now.in_associated, order.associated[index_bits:], limit)
        reached = now.at_high & (now.low == goal[:LOW_BITS])
        m.d.comb += [
            after.eq(now), after.active.eq(1),
            # A carry comes 2^16 counts after the one before, and what is computed ahead is right two beats after it.
            after.next_high.eq(now.high + 1), after.next_at_high.eq(now.next_high == goal[LOW_BITS:]),
        ]  # fmt: skip
        token, room = self.token.payload, self.token.ready
        # A command of a channel that the core does not have is the next tag.
        refuse = Signal()
        m.d.comb += [
            refuse.eq(self.order_valid & self.order_foreign & room),
            advance.eq(take & beat_reg.last),
            token.context.eq(Mux(ended_reg, tag_reg.context, context_reg)),
            token.message.eq(Mux(ended_reg, tag_reg.message, order.message)),
        ]
        text: Value = Cat(now.low, now.high)
        if p.plan.joins_tag:
            # The count is that of associated data if the tag shares the last beat of them.
            text = Mux(now.in_associated, Const(p.text_from, len(text)), text)
        seen = Signal(seen_layout(p))
        m.d.comb += see_beat(p, seen, beat_reg)
        came = take_beat(m, p, self.token, take, Packet(
            may=room, ended=ended_reg, valid=valid_reg & known & ~refuse, beat=beat_reg, seen=seen, discard=now.discard,
            in_associated=now.in_associated, first=Mux(ended_reg, tag_reg.first, now.first), begun=now.begun, open=now.begun,
            code=Mux(ended_reg, tag_reg.code, now.code),
            associated=order.associated, tail=order.associated[:index_bits], partial=now.partial, held=Const(0, 1), reached=reached,
            text_reached=reached, text=text, count=count, count_text=count_text, set=change,
            **({"text_bytes": order.text, "past": now.past} if p.lengths_first else {}),
        ), tag_reg.lengths)  # fmt: skip
        if p.plan.prefixes:
            m.d.comb += [self.associated.eq(order.associated), self.ending.eq(reached)]
        with m.If(count | count_text):
            m.d.comb += after.low.eq(now.low + 1)
            with m.If(now.low.all()):
                m.d.comb += [after.high.eq(now.next_high), after.at_high.eq(now.next_at_high)]
        with m.If(count & reached):
            m.d.comb += [after[name].eq(value) for name, value in first_text.items()]
        with m.If(advance):
            m.d.comb += after.active.eq(0)
        with m.If(room):
            m.d.sync += ended_reg.eq(ended & ~came.shared | refuse)
        with m.If(refuse):
            m.d.sync += [
                tag_reg.context.eq(self.order_context), tag_reg.message.eq(self.order.message), tag_reg.code.eq(self.order.code),
                tag_reg.first.eq(1),
            ]  # fmt: skip
        with m.Elif(take):
            m.d.sync += [
                tag_reg.context.eq(context_reg), tag_reg.message.eq(order.message), tag_reg.code.eq(after.code),
                tag_reg.first.eq(after.first),
                tag_reg.lengths.eq(
                    Cat(order.associated, order.text) if p.lengths_first
                    else Cat(order.associated, after.partial, after.low, after.high)
                ),
            ]  # fmt: skip
        return m

    def _orders(self, m: Module, context: Signal, context_reg: Signal, number_reg: Signal) -> tuple[ChannelFlags, Value]:
        """Takes commands.  Gives the numbers of the messages under way, and whether that of the beat has its command."""
        p = self.parameters
        self.orders = orders = BlockMemory(
            packet_order(p).size, p.contexts << INDEX_BITS, 1, style="distributed" if p.contexts <= LUT_CONTEXTS else "block",
            erase_bits=p.erase_bits,
        )  # fmt: skip
        m.submodules.orders = orders
        # Messages of each context: that which is under way, the next one that gets a command, and the same as the beats may know it.
        parts = {name: ChannelFlags(INDEX_BITS + 1, p.contexts, ports, p.erase_bits) for name, ports in
                 {"numbers": 2, "begun": 1, "readable": 1}.items()}  # fmt: skip
        for name, part in parts.items():
            m.submodules[name] = part
        numbers, begun, readable = parts.values()
        memories: tuple[BlockMemory | ChannelFlags, ...] = (orders, *parts.values())
        for memory in memories:
            m.d.comb += [memory.erase.eq(self.erase), memory.erase_address.eq(self.erase_address)]
        put = Signal()
        next_number = Signal(INDEX_BITS + 1)
        put_reg = Signal()
        put_context_reg = Signal(p.context_bits)
        put_number_reg = Signal(INDEX_BITS + 1)
        m.d.comb += [
            begun.raddr[0].eq(self.order_context), numbers.raddr[0].eq(self.order_context), numbers.raddr[1].eq(context),
            readable.raddr[0].eq(context_reg),
            self.order_ready.eq(Mux(
                self.order_foreign, self.token.ready, (begun.rdata[0] - numbers.rdata[0])[: INDEX_BITS + 1] != ORDERS
            )),
            put.eq(self.order_valid & self.order_ready & ~self.order_foreign), next_number.eq(begun.rdata[0] + 1),
            begun.we.eq(put), begun.waddr.eq(self.order_context), begun.wdata.eq(next_number),
            orders.we.eq(put), orders.waddr.eq(Cat(begun.rdata[0][:INDEX_BITS], self.order_context)),
            orders.wdata.eq(Value.cast(self.order) & put.replicate(packet_order(p).size)),
            # A command can be read a cycle after it was written.
            readable.we.eq(put_reg), readable.waddr.eq(put_context_reg), readable.wdata.eq(put_number_reg),
        ]  # fmt: skip
        m.d.sync += [put_reg.eq(put), put_context_reg.eq(self.order_context), put_number_reg.eq(next_number)]
        return numbers, readable.rdata[0] != number_reg


LUT_CONTEXTS = 64
"""Most contexts whose commands are in LUT memories; those of more are in block memories."""
