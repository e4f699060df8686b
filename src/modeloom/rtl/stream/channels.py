# SPDX-License-Identifier: Apache-2.0
"""What stands before the entry in a core with several channels: their packets become tokens, which wait for each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import ArrayLayout, StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.cycles.messages import PICK_CYCLES
from modeloom.rtl.bus.ports import ErasedComponent, RegisterSlice, erased, signals
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.command import started_layout
from modeloom.rtl.stream.contexts import ChannelFlags, ChannelWords
from modeloom.rtl.stream.intake import ChannelPrefix, flags_of, take_tokens, weigh
from modeloom.rtl.stream.long_counter import LOW_BITS
from modeloom.rtl.stream.packet import LENGTH_BITS, Packet, packet_layout, see_beat, seen_layout
from modeloom.rtl.stream.parameters import CODE_BITS, ORDERS, STORE_SLACK, TURN_PLACES, MessageParameters
from modeloom.rtl.stream.storage import Pool, Queue

if TYPE_CHECKING:
    from modeloom.rtl.stream.entry import TokenEntry

__all__ = ["ChannelFront", "ChannelIntake", "ChannelTurns", "ChannelWindow", "context_of", "packet_order", "window_of"]

# Turns the beats of interleaved packets into tokens, with the state of the packet of each channel in a memory.
#
#     s ──▶ [slice] ──▶ [beat] ──────────┐                               message ended: [its tag] ──┐
#              └ channel ─▶ progress ────┼──▶ take_beat ──▶ token of the beat ──────────────────────┴──▶ token
#                of the     orders ──────┘        │
#                next beat  ▲    progress ◀───────┘
#     orders ───────────────┘
#
# One beat per cycle and one cycle for the tag, whatever the channels are.  The commands of a channel wait in places of their own.
#
# A command of a channel that the core does not have waits for no packet: its tag follows at once, in a cycle in which no beat is taken.
# Beats of such channels are dropped before the slice.

INDEX_BITS = (ORDERS - 1).bit_length()


def context_of(p: MessageParameters, channel: Value) -> tuple[Value, Value]:
    """The context of a channel, its number or that of the channels that the core does not have; and whether it is one of these."""
    foreign = range(p.channels, p.contexts)
    if not foreign:
        return channel[: p.context_bits], Const(0, 1)
    return Mux(channel < foreign[0], channel, foreign[0])[: p.context_bits], channel >= foreign[0]


def packet_order(parameters: MessageParameters) -> StructLayout:
    """What the packet of a message has to be: bytes of associated data, what is wrong with the command, and the place of the message."""
    others = {key: bits for name in parameters.parts.stated[1:] for key, bits in ((name, LENGTH_BITS), (f"near_{name}", 1))}
    return StructLayout({
        "associated": LENGTH_BITS, "some": 1, "near": 1, "code": CODE_BITS, "message": range(parameters.message_store), **others,
    })  # fmt: skip


class ChannelIntake(ErasedComponent[MessageParameters]):
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
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        """Makes the beat in question, the state of its packet before its first beat, what becomes of the beat, and the tag behind it."""
        m = Module()
        p = self.parameters
        index_bits = p.parts.tail_bits
        high_bits = LENGTH_BITS - index_bits - LOW_BITS
        m.submodules.slice = slice_ = RegisterSlice(packet_layout(p))
        m.d.comb += [
            slice_.i.valid.eq(self.s.valid & ~context_of(p, self.s.payload.channel)[1]), slice_.i.payload.eq(self.s.payload),
            self.s.ready.eq(slice_.i.ready),
        ]  # fmt: skip

        # -- the beat in question, and what is known of its packet ------------------------------------------------------------
        valid_reg = Signal()
        beat_reg = Signal(packet_layout(p), reset_less=True)
        context_reg = Signal(p.context_bits)
        # Of the context of the beat: the number of its message.
        number_reg, number = signals("number_reg number", INDEX_BITS + 1)
        take, advance, move = signals("take advance move")
        context = Signal(p.context_bits)
        numbers, known = self._orders(m, context, context_reg, number_reg)
        m.d.comb += [
            move.eq(~valid_reg | take), slice_.o.ready.eq(move),
            context.eq(Mux(move, context_of(p, slice_.o.payload.channel)[0], context_reg)),
            number.eq(Mux(advance & (context == context_reg), number_reg + 1, numbers.rdata[1])),
            numbers.we.eq(advance), numbers.waddr.eq(context_reg), numbers.wdata.eq(number_reg + 1),
        ]  # fmt: skip
        m.d.sync += [context_reg.eq(context), number_reg.eq(number)]
        with m.If(move):
            m.d.sync += [valid_reg.eq(slice_.o.valid), beat_reg.eq(slice_.o.payload)]
        m.d.comb += self.orders.raddr[0].eq(Cat(number[:INDEX_BITS], context))
        stated = Signal(packet_order(p), name="order_here")
        m.d.comb += Value.cast(stated).eq(self.orders.rdata[0])

        progress = StructLayout({
            "active": 1, "discard": 1, "in_associated": 1, "first": 1, "begun": 1, "code": CODE_BITS, "partial": index_bits,
            "low": LOW_BITS, "high": high_bits, "next_high": high_bits, "at_high": 1, "next_at_high": 1,
            **dict.fromkeys(p.parts.past, 1),
        })  # fmt: skip
        m.submodules.progress = words = ChannelWords(progress.size, p.contexts, 1, p.erase_bits)
        kept, now, after = (Signal(progress, name=name) for name in ("kept", "now", "after"))
        m.d.comb += [
            Value.cast(kept).eq(words.rdata[0]), words.raddr[0].eq(context),
            words.we.eq(take), words.waddr.eq(context_reg), words.wdata.eq(after),
            words.erase.eq(self.erase), words.erase_address.eq(self.erase_address),
        ]  # fmt: skip
        # -- the state of a message before its first beat ---------------------------------------------------------------------
        first_text, limit = p.parts.begin_channel(stated)
        of_associated = p.parts.stated_channel(stated, "associated", "near")
        with m.If(kept.active):
            m.d.comb += now.eq(kept)
        with m.Else():
            m.d.comb += [
                now.first.eq(1), now.discard.eq(stated.code.any()), now.in_associated.eq(stated.some), now.code.eq(stated.code),
                *(now[name].eq(Mux(stated.some, of_associated[name], value)) for name, value in first_text.items()),
            ]  # fmt: skip

        # -- what becomes of the beat -----------------------------------------------------------------------------------------
        ended_reg, ended = signals("ended_reg ended")
        tag_reg = Signal(StructLayout({
            "context": p.context_bits, "message": range(p.message_store), "code": CODE_BITS, "first": 1, "lengths": 2 * LENGTH_BITS,
        }), reset_less=True)  # fmt: skip

        def change(**values: Value) -> None:
            m.d.comb += [ended.eq(value) if name == "ended" else after[name].eq(value) for name, value in values.items()]

        count, count_text = signals("count count_text")
        goal = Mux(now.in_associated, stated.associated[index_bits:], limit)
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
            token.message.eq(Mux(ended_reg, tag_reg.message, stated.message)),
        ]
        text: Value = Cat(now.low, now.high)
        if p.plan.joins_tag:
            # The count is that of associated data if the tag shares the last beat of them.
            text = Mux(now.in_associated, Const(p.text_from, len(text)), text)
        seen = Signal(seen_layout(p))
        m.d.comb += see_beat(p, seen, beat_reg)
        _, shared = Packet(
            p=p, room=room, ended=ended_reg, valid=valid_reg & known & ~refuse, beat=beat_reg, seen=seen, state={
                **{name: now[name] for name in ("discard", "in_associated", "begun", "partial", *p.parts.past)},
                "first": Mux(ended_reg, tag_reg.first, now.first), "code": Mux(ended_reg, tag_reg.code, now.code),
                "tail": stated.associated[:index_bits],
            }, order=stated, held=Const(0, 1), reached=reached, text_reached=reached, text=text, count=count, count_text=count_text,
            set=change, lengths_of_ended=tag_reg.lengths,
        ).take(m, self.token, take)  # fmt: skip
        if p.plan.prefixes:
            m.d.comb += [self.associated.eq(stated.associated), self.ending.eq(reached)]
        with m.If(count | count_text):
            m.d.comb += after.low.eq(now.low + 1)
            with m.If(now.low.all()):
                m.d.comb += [after.high.eq(now.next_high), after.at_high.eq(now.next_at_high)]
        with m.If(count & reached):
            m.d.comb += [after[name].eq(value) for name, value in first_text.items()]
        with m.If(advance):
            m.d.comb += after.active.eq(0)
        with m.If(room):
            m.d.sync += ended_reg.eq(ended & ~shared | refuse)
        with m.If(refuse):
            m.d.sync += [
                tag_reg.context.eq(self.order_context), tag_reg.message.eq(self.order.message), tag_reg.code.eq(self.order.code),
                tag_reg.first.eq(1),
            ]  # fmt: skip
        with m.Elif(take):
            m.d.sync += [
                tag_reg.context.eq(context_reg), tag_reg.message.eq(stated.message), tag_reg.code.eq(after.code),
                tag_reg.first.eq(after.first),
                tag_reg.lengths.eq(p.parts.lengths(stated, Cat(after.partial, after.low, after.high))),
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
        m.d.comb += erased(self, orders, *parts.values())
        put, put_reg = signals("put put_reg")
        next_number, put_number_reg = signals("next_number put_number_reg", INDEX_BITS + 1)
        put_context_reg = Signal(p.context_bits)
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


# -- channel window ----------------------------------------------------------------------------------------------------------------

# Holds the tokens of each channel back until it is known how much of their message follows; channels do not wait for each other.
#
#     token ──▶ store: any free place ─────────────────────────────────────────────┐
#       └─ place, blocks? ──▶ those of its context that wait ──▶ [releases] ──▶ one after another ──▶ token with the powers of its lanes
#                             as many as a lane has chains: the first may go
#                             the last one of a message: all may go
#
# ``window`` has the rule for one channel.  The places of the store belong to whoever needs them, so that tokens that may go and wait for
# those of other channels hold nothing up.

LUT_TOKENS = 512
"""Most places of a store in LUT memories; those of more are in block memories."""


class ChannelWindow(ErasedComponent[MessageParameters]):
    """Tokens of all channels with their weights.

    Members
    -------
    i : stream of MessageParameters.token
    o : stream of MessageParameters.weighted
    message, move : place of a message, 1
        That of the token that is in ``o`` from the next cycle on, if ``move``.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        return {
            "i": In(stream.Signature(p.token)), "o": Out(stream.Signature(p.weighted)),
            "message": Out(range(p.message_store)), "move": Out(1),
        }  # fmt: skip

    @staticmethod
    def told_ports(p: MessageParameters) -> dict[str, object]:
        """What the part before the entry is told of tokens that enter: further ports of it."""
        return {}

    @staticmethod
    def tell(front: ChannelFront, entry: TokenEntry) -> list[object]:
        """Tells it."""
        return []

    def follow(self, front: ChannelFront) -> list[object]:
        """Takes it from there."""
        return []

    def elaborate(self, platform: object) -> Module:
        """Makes the store, what takes a token, the releases, and the tokens that go with their powers."""
        m = Module()
        p = self.parameters
        depth, window = p.token_store, p.window
        width = Value.cast(self.i.payload).shape().width
        one = StructLayout({"place": range(depth), "full": range(p.lanes + 1), "product": 1})
        release = StructLayout({
            "message": range(p.message_store), "ended": 1, "number": range(window + 1), "tokens": ArrayLayout(one, window),
        })  # fmt: skip
        waiting = StructLayout({"count": range(window), "tokens": ArrayLayout(one, max(1, window - 1))})
        style = "distributed" if depth <= LUT_TOKENS else "block"
        m.submodules.store = store = BlockMemory(width, depth, 1, style=style, erase_bits=p.erase_bits)
        m.submodules.pool = pool = Pool(depth, p.erase_bits)
        m.submodules.waiting = words = ChannelWords(waiting.size, p.contexts, 1, p.erase_bits)
        m.submodules.releases = releases = Queue(release, depth, p.erase_bits)
        m.d.comb += erased(self, store, pool, words, releases)

        # -- a token comes ----------------------------------------------------------------------------------------------------
        taken_reg = Signal(self.i.payload.shape())
        put_reg, ready_reg = signals("put_reg ready_reg")
        used_reg = Signal(range(depth + 1))
        blocks, product, end = flags_of(p, taken_reg)
        kept, after = Signal(waiting, name="kept"), Signal(waiting, name="after")
        made = Signal(release, name="made")
        freed = Signal()
        m.d.sync += [put_reg.eq(self.i.valid & ready_reg), taken_reg.eq(self.i.payload)]
        m.d.comb += [
            self.i.ready.eq(ready_reg),
            store.we.eq(put_reg), store.waddr.eq(pool.o.payload), store.wdata.eq(Value.cast(taken_reg) & put_reg.replicate(width)),
            pool.o.ready.eq(put_reg),
            words.raddr[0].eq(self.i.payload.context), Value.cast(kept).eq(words.rdata[0]),
            words.we.eq(put_reg), words.waddr.eq(taken_reg.context), words.wdata.eq(after),
            made.message.eq(taken_reg.message), made.ended.eq(end), made.number.eq(Mux(end, kept.count + 1, 1)),
            releases.i.valid.eq(put_reg & (end | (kept.count == window - 1))), releases.i.payload.eq(made),
        ]  # fmt: skip
        for place in range(window):
            here = made.tokens[place]
            with m.If(kept.count == place):
                m.d.comb += [here.place.eq(pool.o.payload), here.full.eq(blocks), here.product.eq(product)]
            if place < window - 1:
                with m.If(kept.count > place):
                    m.d.comb += here.eq(kept.tokens[place])
        with m.If(end):
            m.d.comb += after.count.eq(0)
        with m.Elif(kept.count == window - 1):
            m.d.comb += [after.count.eq(kept.count), *(after.tokens[place].eq(made.tokens[place + 1]) for place in range(window - 1))]
        with m.Else():
            m.d.comb += [after.count.eq(kept.count + 1), *(after.tokens[place].eq(made.tokens[place]) for place in range(window - 1))]
        # Places that are under way between the parts are not counted yet, or not free yet.
        m.d.sync += [used_reg.eq(used_reg + put_reg - freed), ready_reg.eq(used_reg < depth - STORE_SLACK // 2)]

        # -- tokens go --------------------------------------------------------------------------------------------------------
        work_reg = Signal(release)
        work_valid_reg, valid_reg, product_reg, opening_reg = signals("work_valid_reg valid_reg product_reg opening_reg")
        powers_reg = [Signal(range(p.plan.chains + 1), name=f"power_{lane}_reg") for lane in range(p.lanes)]
        move, last, load = signals("move last load")
        full = [work_reg.tokens[place].full for place in range(window)]
        powers, opening = weigh(m, p, full, [work_reg.tokens[place].product for place in range(window)], work_reg.ended)
        m.d.comb += [
            move.eq(~valid_reg | self.o.ready),
            last.eq(work_reg.number == 1),
            load.eq(~work_valid_reg | (move & last)), releases.o.ready.eq(load),
            freed.eq(work_valid_reg & move), pool.free.eq(freed), pool.place.eq(work_reg.tokens[0].place),
            store.raddr[0].eq(work_reg.tokens[0].place), store.move.eq(move.replicate(2)),
            self.message.eq(work_reg.message), self.move.eq(move),
            self.o.valid.eq(valid_reg), Value.cast(self.o.payload.token).eq(store.rdata[0]),
            self.o.payload.product.eq(product_reg), self.o.payload.opening.eq(opening_reg),
            *(self.o.payload.powers[lane].eq(power) for lane, power in enumerate(powers_reg)),
        ]  # fmt: skip
        with m.If(load):
            m.d.sync += [work_valid_reg.eq(releases.o.valid), work_reg.eq(releases.o.payload)]
        with m.Elif(move):
            m.d.sync += work_reg.number.eq(work_reg.number - 1)
            # Behind the last one there are zeros.
            m.d.sync += Value.cast(work_reg.tokens).eq(Value.cast(work_reg.tokens)[one.size :])
        with m.If(move):
            m.d.sync += [valid_reg.eq(work_valid_reg), product_reg.eq(work_reg.tokens[0].product), opening_reg.eq(opening)]
            m.d.sync += [register.eq(power) for register, power in zip(powers_reg, powers, strict=True)]
        return m


# -- channel turns -----------------------------------------------------------------------------------------------------------------

# Holds back the tokens of each channel until the chain through the cipher of its message is there.
#
#     token ──▶ places of its channel ───────────────────────────────┐
#         └─ its channel had none ──▶ queue ──┬─ channel that may go ─┴──▶ its next token
#     entered, turn cycles ago ──▶ more? ─────┘
#
# Each channel has a few places of its own, so a token that waits holds up no other channel.  A channel is in one of the queues at most
# once, or it has a token under way, or it has none that waits.  Everything depends on lengths and channels alone.

class ChannelTurns(ChannelWindow):
    """Stands in the place of :class:`~modeloom.rtl.stream.channels.ChannelWindow` in a core whose blocks wait for the cipher.

    Members
    -------
    i : stream of MessageParameters.token
    o : stream of MessageParameters.weighted
    message, move : place of a message, 1
        That of the token that is in ``o`` from the next cycle on, if ``move``.
    entered, context : 1, context
        The last token of a step of this context enters the pipeline.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        return {**ChannelWindow.ports(parameters), "entered": In(1), "context": In(parameters.context_bits)}

    @staticmethod
    def told_ports(p: MessageParameters) -> dict[str, object]:
        return {"entered": In(1), "entered_context": In(p.context_bits)}

    @staticmethod
    def tell(front: ChannelFront, entry: TokenEntry) -> list[object]:
        return [front.entered.eq(entry.entered), front.entered_context.eq(entry.o.next_context)]

    def follow(self, front: ChannelFront) -> list[object]:
        return [self.entered.eq(front.entered), self.context.eq(front.entered_context)]

    def elaborate(self, platform: object) -> Module:
        """Makes the places of all channels, what takes a token, the end of a turn, and the next token that goes."""
        m = Module()
        p = self.parameters
        width, message_bits = p.token.size, len(self.message)
        index_bits = (TURN_PLACES - 1).bit_length()
        depth, count = p.contexts << index_bits, index_bits + 1
        style = "distributed" if p.contexts <= LUT_CONTEXTS else "block"
        m.submodules.slice = taken = RegisterSlice(p.token)
        m.submodules.tokens = tokens = BlockMemory(width, depth, 1, style=style, erase_bits=p.erase_bits)
        # By context: tokens that have come and gone, and whether the number of times that it began and stopped is odd.
        m.submodules.messages = messages = ChannelFlags(message_bits, depth, 1, p.erase_bits)
        m.submodules.came = came = ChannelFlags(count, p.contexts, 2, p.erase_bits)
        m.submodules.gone = gone = ChannelFlags(count, p.contexts, 3, p.erase_bits)
        m.submodules.began = began = ChannelFlags(1, p.contexts, 1, p.erase_bits)
        m.submodules.stopped = stopped = ChannelFlags(1, p.contexts, 2, p.erase_bits)
        places = 1 << max(1, (p.contexts - 1).bit_length())
        m.submodules.new = new = Queue(p.context_bits, places, p.erase_bits)
        m.submodules.again = again = Queue(p.context_bits, places, p.erase_bits)
        m.d.comb += erased(self, tokens, messages, came, gone, began, stopped, new, again)

        # -- a token comes ----------------------------------------------------------------------------------------------------
        token, put, active = taken.o.payload, Signal(name="put"), Signal(name="active")
        here = token.context
        m.d.comb += [
            taken.i.valid.eq(self.i.valid), taken.i.payload.eq(self.i.payload), self.i.ready.eq(taken.i.ready),
            came.raddr[0].eq(here), gone.raddr[0].eq(here), began.raddr[0].eq(here), stopped.raddr[0].eq(here),
            put.eq(taken.o.valid & ((came.rdata[0] - gone.rdata[0])[:count] != TURN_PLACES)), taken.o.ready.eq(put),
            active.eq(began.rdata[0] ^ stopped.rdata[0]),
            tokens.we.eq(put), tokens.waddr.eq(Cat(came.rdata[0][:index_bits], here)),
            tokens.wdata.eq(Value.cast(token) & put.replicate(width)),
            messages.we.eq(put), messages.waddr.eq(tokens.waddr), messages.wdata.eq(token.message),
            came.we.eq(put), came.waddr.eq(here), came.wdata.eq(came.rdata[0] + 1),
            new.i.valid.eq(put & ~active), new.i.payload.eq(here),
            began.we.eq(put & ~active), began.waddr.eq(here), began.wdata.eq(~began.rdata[0]),
        ]  # fmt: skip

        # -- a turn ends ------------------------------------------------------------------------------------------------------
        ends: Value = self.entered
        context: Value = self.context
        for number in range(max(1, p.plan.placed.turn - PICK_CYCLES)):
            ends_reg, context_reg = Signal(name=f"ends_{number}_reg"), Signal(p.context_bits, name=f"context_{number}_reg", reset_less=True)
            m.d.sync += [ends_reg.eq(ends), context_reg.eq(context)]
            ends, context = ends_reg, context_reg
        more = Signal()
        m.d.comb += [
            came.raddr[1].eq(context), gone.raddr[1].eq(context), stopped.raddr[1].eq(context),
            # A token that comes in this cycle finds the context active.
            more.eq((came.rdata[1] != gone.rdata[1]) | (put & (here == context))),
            again.i.valid.eq(ends & more), again.i.payload.eq(context),
            stopped.we.eq(ends & ~more), stopped.waddr.eq(context), stopped.wdata.eq(~stopped.rdata[1]),
        ]  # fmt: skip

        # -- a token goes -----------------------------------------------------------------------------------------------------
        valid_reg = Signal()
        next_context, has_turn = Signal(p.context_bits, name="next_context"), Signal(name="has_turn")
        m.d.comb += [
            has_turn.eq(again.o.valid | new.o.valid), next_context.eq(Mux(again.o.valid, again.o.payload, new.o.payload)),
            self.move.eq(~valid_reg | self.o.ready), again.o.ready.eq(self.move), new.o.ready.eq(self.move & ~again.o.valid),
            gone.raddr[2].eq(next_context), gone.we.eq(self.move & has_turn), gone.waddr.eq(next_context), gone.wdata.eq(gone.rdata[2] + 1),
            tokens.raddr[0].eq(Cat(gone.rdata[2][:index_bits], next_context)), tokens.move.eq(self.move.replicate(2)),
            messages.raddr[0].eq(tokens.raddr[0]), self.message.eq(messages.rdata[0]),
            self.o.valid.eq(valid_reg), Value.cast(self.o.payload.token).eq(tokens.rdata[0]),
        ]  # fmt: skip
        with m.If(self.move):
            m.d.sync += valid_reg.eq(has_turn)
        return m


def window_of(p: MessageParameters) -> type[ChannelWindow]:
    """What holds the tokens of the channels of a core back."""
    return ChannelTurns if p.plan.chained else ChannelWindow


# -- channel front -----------------------------------------------------------------------------------------------------------------

# What stands before the entry in a core with several channels: commands and packets in, tokens with their messages out.
#
#     order ──┬──▶ store of messages: any free place ──────────────────────┬──▶ message
#             └──▶ ChannelIntake ──▶ ChannelWindow ── place of message ────┘
#     s ─────────────▲                     └─────────────────────────────────▶ token
#
# The core takes ``ORDERS`` commands of each channel before the first of them is done.  So a message that has no data holds up the commands
# of its own channel alone, as long as the host gives no more commands of it than these.  A command of a channel that the core does not have
# waits for no data.

class ChannelFront(ErasedComponent[MessageParameters]):
    """The message control before the pipeline.

    Members
    -------
    order : stream of started_layout
        Commands, checked.
    s : stream of beats
        From the host.
    token : stream of MessageParameters.weighted
    message : stream of MessageParameters.message
        That of the token; taken together with its last token.
    entered, entered_context : 1, context
        With a chain through the cipher only: the last token of a step enters the pipeline.
    admitted, slot : 1, slot
        The core takes a command with this slot.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        return {
            "order": In(stream.Signature(started_layout(p))), "s": In(stream.Signature(packet_layout(p))),
            "token": Out(stream.Signature(p.weighted)), "message": Out(stream.Signature(p.message)),
            **window_of(p).told_ports(p),
            "admitted": Out(1), "slot": Out(p.slot_bits),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        index_bits = p.beat_bytes.bit_length() - 1
        width = p.message.size
        style = "distributed" if p.message_store <= LUT_TOKENS else "block"
        m.submodules.intake = intake = ChannelIntake(p)
        m.submodules.window = window = window_of(p)(p)
        m.submodules.pool = pool = Pool(p.message_store, p.erase_bits)
        m.submodules.messages = messages = BlockMemory(width, p.message_store, 1, style=style, erase_bits=p.erase_bits)
        m.d.comb += erased(self, intake, window, pool, messages)
        wiring.connect(m, wiring.flipped(self.s), intake.s)
        m.d.comb += window.follow(self)
        take_tokens(m, ChannelPrefix, intake, window.i, self)
        wiring.connect(m, window.o, wiring.flipped(self.token))
        order, message = self.order.payload, self.order.payload.message
        admitted, (context, foreign) = self.admitted, context_of(p, message.channel)
        m.d.comb += [
            intake.order_valid.eq(self.order.valid & pool.o.valid), intake.order_context.eq(context), intake.order_foreign.eq(foreign),
            intake.order.associated.eq(order.associated), intake.order.some.eq(order.associated.any()),
            intake.order.near.eq(~order.associated[index_bits + LOW_BITS :].any()), intake.order.code.eq(order.code),
            intake.order.message.eq(pool.o.payload),
            *(intake.order[name].eq(order[name]) for name in p.parts.stated[1:]),
            *(intake.order[f"near_{name}"].eq(~order[name][index_bits + LOW_BITS :].any()) for name in p.parts.stated[1:]),
            admitted.eq(intake.order_valid & intake.order_ready), self.slot.eq(message.slot),
            self.order.ready.eq(admitted), pool.o.ready.eq(admitted),
            messages.we.eq(admitted), messages.waddr.eq(pool.o.payload), messages.wdata.eq(Value.cast(message) & admitted.replicate(width)),
            messages.raddr[0].eq(window.message), messages.move.eq(window.move.replicate(2)),
            self.message.valid.eq(window.o.valid), Value.cast(self.message.payload).eq(messages.rdata[0]),
            pool.free.eq(self.message.ready & window.o.valid), pool.place.eq(window.o.payload.token.message),
        ]  # fmt: skip
        return m
