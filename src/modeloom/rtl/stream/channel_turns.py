# SPDX-License-Identifier: Apache-2.0
"""Holds back the tokens of each channel until the chain through the cipher of its message is there.

::

    token ──▶ places of its channel ───────────────────────────────┐
        └─ its channel had none ──▶ queue ──┬─ channel that may go ─┴──▶ its next token
    entered, turn cycles ago ──▶ more? ─────┘

Each channel has a few places of its own, so a token that waits holds up no other channel.  A channel is in one of the queues at most
once, or it has a token under way, or it has none that waits.  Everything depends on lengths and channels alone.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from modeloom.cycles.messages import PICK_CYCLES
from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.bus.register_slice import RegisterSlice
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.channel_words import ChannelFlags
from modeloom.rtl.stream.depths import TURN_PLACES
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.queue import Queue

__all__ = ["ChannelTurns"]

LUT_CONTEXTS = 64
"""Most contexts whose tokens are in LUT memories; those of more are in block memories."""


class ChannelTurns(BusComponent[MessageParameters]):
    """Stands in the place of :class:`~modeloom.rtl.stream.channel_window.ChannelWindow` in a core whose blocks wait for the cipher.

    Members
    -------
    i : stream of MessageParameters.token
    o : stream of MessageParameters.weighted
    message, move : place of a message, 1
        That of the token that is in ``o`` from the next cycle on, if ``move``.
    entered, context : 1, context
        The last token of a step of this context enters the pipeline.
    erase, erase_address : In
        While it is held in reset: zeros to this word.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        return {
            "i": In(stream.Signature(p.token)), "o": Out(stream.Signature(p.weighted)),
            "message": Out(range(p.message_store)), "move": Out(1), "entered": In(1), "context": In(p.context_bits),
            "erase": In(1), "erase_address": In(p.erase_bits),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
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
        for part in (tokens, messages, came, gone, began, stopped, new, again):
            m.d.comb += [part.erase.eq(self.erase), part.erase_address.eq(self.erase_address)]

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
