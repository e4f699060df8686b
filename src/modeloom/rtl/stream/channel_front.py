# SPDX-License-Identifier: Apache-2.0
"""What stands before the entry in a core with several channels: commands and packets in, tokens with their messages out.

::

    order ──┬──▶ store of messages: any free place ──────────────────────┬──▶ message
            └──▶ ChannelIntake ──▶ ChannelWindow ── place of message ────┘
    s ─────────────▲                     └─────────────────────────────────▶ token

The core takes ``ORDERS`` commands of each channel before the first of them is done.  So a message that has no data holds up the commands of
its own channel alone, as long as the host gives no more commands of it than these.  A command of a channel that the core does not have
waits for no data.
"""

from __future__ import annotations

from amaranth.hdl import Module, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.channel_intake import ChannelIntake, context_of, is_foreign
from modeloom.rtl.stream.channel_turns import ChannelTurns
from modeloom.rtl.stream.channel_window import LUT_TOKENS, ChannelWindow
from modeloom.rtl.stream.command import started_layout
from modeloom.rtl.stream.long_counter import LOW_BITS
from modeloom.rtl.stream.packet import packet_layout
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.pool import Pool
from modeloom.rtl.stream.prefix import AssociatedPrefix, connect_prefix

__all__ = ["ChannelFront"]


class ChannelFront(BusComponent[MessageParameters]):
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
    erase, erase_address : In
        While it is held in reset: zeros to this word.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        return {
            "order": In(stream.Signature(started_layout(p))), "s": In(stream.Signature(packet_layout(p))),
            "token": Out(stream.Signature(p.weighted)), "message": Out(stream.Signature(p.message)),
            **({"entered": In(1), "entered_context": In(p.context_bits)} if p.plan.chained else {}),
            "admitted": Out(1), "slot": Out(p.slot_bits), "erase": In(1), "erase_address": In(p.erase_bits),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        index_bits = p.beat_bytes.bit_length() - 1
        width = p.message.size
        style = "distributed" if p.message_store <= LUT_TOKENS else "block"
        m.submodules.intake = intake = ChannelIntake(p)
        window: ChannelWindow | ChannelTurns = ChannelTurns(p) if p.plan.chained else ChannelWindow(p)
        m.submodules.window = window
        m.submodules.pool = pool = Pool(p.message_store, p.erase_bits)
        m.submodules.messages = messages = BlockMemory(width, p.message_store, 1, style=style, erase_bits=p.erase_bits)
        for part in (intake, window, pool, messages):
            m.d.comb += [part.erase.eq(self.erase), part.erase_address.eq(self.erase_address)]
        wiring.connect(m, wiring.flipped(self.s), intake.s)
        if isinstance(window, ChannelTurns):
            m.d.comb += [window.entered.eq(self.entered), window.context.eq(self.entered_context)]
        if p.plan.prefixes:
            m.submodules.prefix = prefix = AssociatedPrefix(p)
            m.d.comb += [prefix.erase.eq(self.erase), prefix.erase_address.eq(self.erase_address)]
            connect_prefix(m, intake, prefix, window.i)
        else:
            wiring.connect(m, intake.token, window.i)
        wiring.connect(m, window.o, wiring.flipped(self.token))
        order, message = self.order.payload, self.order.payload.message
        admitted = self.admitted
        m.d.comb += [
            intake.order_valid.eq(self.order.valid & pool.o.valid), intake.order_context.eq(context_of(p, message.channel)),
            intake.order_foreign.eq(is_foreign(p, message.channel)),
            intake.order.associated.eq(order.associated), intake.order.some.eq(order.associated.any()),
            intake.order.near.eq(~order.associated[index_bits + LOW_BITS :].any()), intake.order.code.eq(order.code),
            intake.order.message.eq(pool.o.payload),
            *([intake.order.text.eq(order.text), intake.order.near_text.eq(~order.text[index_bits + LOW_BITS :].any())]
              if p.lengths_first else []),
            admitted.eq(intake.order_valid & intake.order_ready), self.slot.eq(message.slot),
            self.order.ready.eq(admitted), pool.o.ready.eq(admitted),
            messages.we.eq(admitted), messages.waddr.eq(pool.o.payload), messages.wdata.eq(Value.cast(message) & admitted.replicate(width)),
            messages.raddr[0].eq(window.message), messages.move.eq(window.move.replicate(2)),
            self.message.valid.eq(window.o.valid), Value.cast(self.message.payload).eq(messages.rdata[0]),
            pool.free.eq(self.message.ready & window.o.valid), pool.place.eq(window.o.payload.token.message),
        ]  # fmt: skip
        return m
