# SPDX-License-Identifier: Apache-2.0
"""Holds tokens back until it is known how much of their message follows, which the hash must know.

::

    token ──▶ queue ──▶ token with min(k, left)
      └─ product? end? ──▶ flags of the tokens that wait, the next one first
                           p p p p E p p          left = 5

A token may go when the end of its message is among those that wait, or as many as the hash has chains.
"""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Const, Module, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.parameters import MessageParameters, TokenStep

__all__ = ["WeightWindow"]


class WeightWindow(BusComponent[MessageParameters]):
    """Tokens with their weights; two cycles from ``i`` to ``o`` if nothing is missing.

    Members
    -------
    i : stream of MessageParameters.token
    o : stream of MessageParameters.weighted
    erase, erase_address : In
        While it is held in reset: zeros to this word.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        return {
            "i": In(stream.Signature(parameters.token)),
            "o": Out(stream.Signature(parameters.weighted)),
            "erase": In(1),
            "erase_address": In(parameters.erase_bits),
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        depth, window, chains = p.token_depth, p.window, p.plan.chains
        bits = (depth - 1).bit_length()
        width = Value.cast(self.i.payload).shape().width
        m.submodules.memory = memory = BlockMemory(width, depth, 1, erase_bits=p.erase_bits)
        put_reg = Signal(bits)
        get_reg = Signal(bits)
        count_reg = Signal(range(depth + 1))
        product_reg = Signal(depth)
        end_reg = Signal(depth)
        valid_reg = Signal()
        left_reg = Signal.like(self.o.payload.left)
        exact_reg = Signal()
        ready_reg = Signal()

        # -- what is known of the first one -----------------------------------------------------------------------------------
        left = Signal.like(left_reg)
        exact = Signal()
        known = Signal()
        ended: Value = Const(0, 1)
        products: list[Value] = []
        for place in range(window):
            products.append(product_reg[place] & ~ended)
            ended = ended | end_reg[place]
        m.d.comb += [
            # Behind the last token that waits there are zeros.
            left.eq(_count(products) if p.plan.horner is not None else 0),
            exact.eq(ended),
            known.eq((count_reg != 0) & (ended | (count_reg >= window))),
        ]
        if p.plan.horner is not None and window > chains:
            m.d.comb += left.eq(_count(products[:chains]))
            m.d.comb += exact.eq(ended & ~products[chains])

        put, pop, move = Signal(), Signal(), Signal()
        m.d.comb += [
            put.eq(self.i.valid & ready_reg),
            self.i.ready.eq(ready_reg),
            move.eq(~valid_reg | self.o.ready),
            pop.eq(known & move),
            memory.we.eq(put), memory.waddr.eq(put_reg),
            memory.wdata.eq(Value.cast(self.i.payload) & put.replicate(width)),
            memory.raddr[0].eq(get_reg), memory.move.eq(move.replicate(2)),
            memory.erase.eq(self.erase), memory.erase_address.eq(self.erase_address),
            self.o.valid.eq(valid_reg),
            Value.cast(self.o.payload.token).eq(memory.rdata[0]),
            self.o.payload.left.eq(left_reg),
            self.o.payload.exact.eq(exact_reg),
        ]  # fmt: skip
        with m.If(move):
            m.d.sync += [valid_reg.eq(known), left_reg.eq(left), exact_reg.eq(exact)]
        m.d.sync += [
            put_reg.eq(put_reg + put),
            get_reg.eq(get_reg + pop),
            count_reg.eq(count_reg + put - pop),
            ready_reg.eq(count_reg + put < depth),
        ]

        # -- the flags of those that wait -------------------------------------------------------------------------------------
        step = self.i.payload.step
        product = Array(int(one) for one in p.hashed)[step[: TokenStep.TAG.bit_length()]]
        at = Signal(range(depth + 1))
        m.d.comb += at.eq(count_reg - pop)
        for place in range(depth):
            kept_product = product_reg[place + 1] if place + 1 < depth else 0
            kept_end = end_reg[place + 1] if place + 1 < depth else 0
            with m.If(pop):
                m.d.sync += [product_reg[place].eq(kept_product), end_reg[place].eq(kept_end)]
            with m.If(put & (at == place)):
                m.d.sync += [product_reg[place].eq(product), end_reg[place].eq(step == TokenStep.TAG)]
        return m


def _count(bits: list[Value]) -> Value:
    """How many of some bits are ones."""
    return sum((Cat(bit) for bit in bits[1:]), Cat(bits[0]))
