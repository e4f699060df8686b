# SPDX-License-Identifier: Apache-2.0
"""Holds the tokens of each channel back until it is known how much of their message follows; channels do not wait for each other.

::

    token ──▶ store: any free place ─────────────────────────────────────────────┐
      └─ place, blocks? ──▶ those of its context that wait ──▶ [releases] ──▶ one after another ──▶ token with the powers of its lanes
                            as many as a lane has chains: the first may go
                            the last one of a message: all may go

``window`` has the rule for one channel.  The places of the store belong to whoever needs them, so that tokens that may go and wait for
those of other channels hold nothing up.
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.data import ArrayLayout, StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.channel_words import ChannelWords
from modeloom.rtl.stream.depths import STORE_SLACK
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.pool import Pool
from modeloom.rtl.stream.queue import Queue
from modeloom.rtl.stream.window import flags_of, weigh

__all__ = ["ChannelWindow"]

LUT_TOKENS = 512
"""Most places of a store in LUT memories; those of more are in block memories."""


class ChannelWindow(BusComponent[MessageParameters]):
    """Tokens of all channels with their weights.

    Members
    -------
    i : stream of MessageParameters.token
    o : stream of MessageParameters.weighted
    message, move : place of a message, 1
        That of the token that is in ``o`` from the next cycle on, if ``move``.
    erase, erase_address : In
        While it is held in reset: zeros to this word.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        return {
            "i": In(stream.Signature(p.token)), "o": Out(stream.Signature(p.weighted)),
            "message": Out(range(p.message_store)), "move": Out(1), "erase": In(1), "erase_address": In(p.erase_bits),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
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
        for part in (store, pool, words, releases):
            m.d.comb += [part.erase.eq(self.erase), part.erase_address.eq(self.erase_address)]

        # -- a token comes ----------------------------------------------------------------------------------------------------
        taken_reg = Signal(self.i.payload.shape())
        put_reg = Signal()
        ready_reg = Signal()
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
        work_valid_reg = Signal()
        valid_reg = Signal()
        product_reg = Signal()
        opening_reg = Signal()
        powers_reg = [Signal(range(p.plan.chains + 1), name=f"power_{lane}_reg") for lane in range(p.lanes)]
        move = Signal()
        last = Signal()
        load = Signal()
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
