# SPDX-License-Identifier: Apache-2.0
"""Holds tokens back until the number of blocks behind them is known, on which the powers of the hash depend.

::

    token ──▶ queue ──▶ token with the powers of its lanes
      └─ blocks? end? ──▶ flags of the tokens that wait, the next one first
                          1 1 1 1 E 1 1          one lane: power 5

A token may go on when the end of its message is among the tokens that wait, or when as many tokens wait as a lane has chains.
``streams.prove`` has the rule for the powers.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.ports import ErasedComponent, signals
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.sizes import TokenStep

__all__ = ["WeightWindow", "flags_of", "weigh"]


class WeightWindow(ErasedComponent[MessageParameters]):
    """Adds their weights to tokens.  The latency from ``i`` to ``o`` is three cycles if no token is missing.

    Members
    -------
    i : stream of MessageParameters.token
    o : stream of MessageParameters.weighted
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        return {"i": In(stream.Signature(parameters.token)), "o": Out(stream.Signature(parameters.weighted))}

    def elaborate(self, platform: object) -> Module:
        """Makes the memory of tokens, what is known of the first one, and the flags of those that wait."""
        m = Module()
        p = self.parameters
        depth, window = p.token_depth, p.window
        bits = (depth - 1).bit_length()
        width = Value.cast(self.i.payload).shape().width
        m.submodules.memory = memory = BlockMemory(width, depth, 1, erase_bits=p.erase_bits)
        put_reg, get_reg = signals("put_reg get_reg", bits)
        count_reg = Signal(range(depth + 1))
        # For each token that waits: its number of blocks of the hash, whether it may have any, and whether it ends its message.
        full_reg = [Signal(range(p.lanes + 1), name=f"full_{place}_reg") for place in range(depth)]
        product_reg, end_reg = signals("product_reg end_reg", depth)
        valid_reg = Signal()
        powers_reg = [Signal(range(p.plan.chains + 1), name=f"power_{lane}_reg") for lane in range(p.lanes)]
        first_product_reg, opening_reg, ready_reg = signals("first_product_reg opening_reg ready_reg")

        # -- what is known of the first one -----------------------------------------------------------------------------------
        known = Signal()
        ended: Value = Const(0, 1)
        full: list[Value] = []
        products: list[Value] = []
        for place in range(window):
            # Tokens behind the end of the message do not count.
            full.append(full_reg[place] & ~ended.replicate(len(full_reg[place])))
            products.append(product_reg[place] & ~ended)
            ended = ended | end_reg[place]
        m.d.comb += known.eq((count_reg != 0) & (ended | (count_reg >= window)))
        powers, opening = weigh(m, p, full, products, ended)

        put, pop, move = signals("put pop move")
        # The intake decides late in a cycle what a token is, so its output is registered.
        taken_reg = Signal(self.i.payload.shape())
        taken_valid_reg = Signal()
        m.d.sync += [taken_valid_reg.eq(self.i.valid & ready_reg), taken_reg.eq(self.i.payload)]
        m.d.comb += [
            put.eq(taken_valid_reg),
            self.i.ready.eq(ready_reg),
            move.eq(~valid_reg | self.o.ready),
            pop.eq(known & move),
            memory.we.eq(put), memory.waddr.eq(put_reg),
            memory.wdata.eq(Value.cast(taken_reg)),
            memory.raddr[0].eq(get_reg), memory.move.eq(move.replicate(2)),
            memory.erase.eq(self.erase), memory.erase_address.eq(self.erase_address),
            self.o.valid.eq(valid_reg),
            Value.cast(self.o.payload.token).eq(memory.rdata[0]),
            self.o.payload.product.eq(first_product_reg),
            self.o.payload.opening.eq(opening_reg),
            *(self.o.payload.powers[lane].eq(power) for lane, power in enumerate(powers_reg)),
        ]  # fmt: skip
        with m.If(move):
            m.d.sync += [valid_reg.eq(known), first_product_reg.eq(product_reg[0]), opening_reg.eq(opening)]
            m.d.sync += [register.eq(power) for register, power in zip(powers_reg, powers, strict=True)]
        m.d.sync += [
            put_reg.eq(Mux(put, put_reg + 1, put_reg)),
            get_reg.eq(Mux(pop, get_reg + 1, get_reg)),
            count_reg.eq(Mux(pop, count_reg + put - 1, count_reg + put)),
            # Tokens that are taken in this cycle or were taken in the one before are not in count_reg yet.
            ready_reg.eq(Mux(self.i.valid & ready_reg, count_reg + put + 1 < depth, count_reg + put < depth)),
        ]

        # -- the flags of those that wait -------------------------------------------------------------------------------------
        token = taken_reg
        blocks, hashed, end = flags_of(p, token)
        # Whether the first one goes on is known late in a cycle, so both places of a new one are there before.
        here, before = Signal(depth, name="place_now"), Signal(depth, name="place_before")
        m.d.comb += [
            here.eq(Cat(put & (count_reg == place) for place in range(depth))),
            before.eq(Cat(put & (count_reg == place + 1) for place in range(depth))),
        ]
        for place in range(depth):
            last_place = place + 1 == depth
            with m.If(pop):
                m.d.sync += [
                    full_reg[place].eq(0 if last_place else full_reg[place + 1]),
                    product_reg[place].eq(0 if last_place else product_reg[place + 1]),
                    end_reg[place].eq(0 if last_place else end_reg[place + 1]),
                ]
            with m.If(Mux(pop, before[place], here[place])):
                m.d.sync += [full_reg[place].eq(blocks), product_reg[place].eq(hashed), end_reg[place].eq(end)]
        return m


def weigh(
    m: Module, p: MessageParameters, full: list[Value], products: list[Value], ended: Value
) -> tuple[list[Signal], Signal]:
    """The powers of the lanes of a token, and whether its products are the first of those that are the hash.

    Parameters
    ----------
    full, products : list of Value
        Of the token and of those that follow it in its message, ``window`` in all: blocks of the hash, and whether there may be any.
        Zeros behind the last one.
    ended : Value
        Whether the last one of the message is among them.
    """
    powers = [Signal(range(p.plan.chains + 1), name=f"power_{lane}") for lane in range(p.lanes)]
    opening = Signal()
    if p.plan.horner is not None:
        chains = p.plan.lane_chains
        between = sum(full[1:chains], Const(0, 1))
        for lane, power in enumerate(powers):
            mine = Mux(full[0] > lane, full[0] - lane, 0)[: len(full[0])]
            beyond = Mux(full[chains] > lane, lane, full[chains]) if lane else Const(0, 1)
            m.d.comb += power.eq(between + mine + beyond)
        last = products[chains - 1] & ~(products[chains] if p.window > chains else Const(0, 1))
        m.d.comb += opening.eq(ended & last)
    return powers, opening


def flags_of(p: MessageParameters, token: Any) -> tuple[Value, Value, Value]:
    """Of a token: blocks of the hash, whether there may be any, and whether it is the last one of its message."""
    of_step = Array(int(one) for one in p.hashed)[token.step]
    of_tag = token.tag & int(p.hashed[TokenStep.TAG])
    alone = token.step == TokenStep.TAG
    return Mux(alone, of_step, Mux(of_step, token.full, 0) + of_tag), of_step | of_tag, alone | token.tag
