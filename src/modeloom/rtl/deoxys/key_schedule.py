# SPDX-License-Identifier: Apache-2.0
"""The key's part of the subtweakeys of Deoxys-BC-256, one in each cycle.

::

              ┌───────────────────────────────┐
              ▼                               │
    key ──▶ word_reg ──┬──▶ LFSR_2, h ────────┘
                       └──▶(+) round constant ──▶ data

    cycle     t        t + 1          t + 2     ...   t + 15
              start    key part 0     1               14, done
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.aes.parameters import BLOCK_BITS, columns, named
from modeloom.rtl.deoxys.rounds import FIRST_CONSTANT, KEY_BITS, ROUNDS, lfsr_2, next_constant, permute, round_constant

__all__ = ["DeoxysKeySchedule"]


class DeoxysKeySchedule(wiring.Component):
    """Expands a key into writes of its 15 parts, or writes zeros over all of them.

    Attributes
    ----------
    latency : int
        15 cycles from ``start`` to the last write.  Part r is written r + 1 cycles after ``start``.
    interval : int
        16 cycles from one start to the earliest next start.
    erase_latency : int
        15 cycles from ``erase`` to the last write.

    Members
    -------
    start, key
        Expands ``key`` (128 bits), which is read only in this cycle.
    erase
        Writes zeros to all parts.  It takes precedence over ``start`` in the same cycle.
    we, round, data, data_dec
        A write: number of the part, 0 to 14, and its 128 bits, which are the same on both outputs.
    busy
        High from the cycle after a request to its last write, which ``done`` marks.  Meanwhile, requests are ignored.
    done
        High in the cycle of the last write.

    The component keeps no part of a key after ``done`` or a reset.
    """

    def __init__(self) -> None:
        self.latency, self.interval, self.erase_latency = ROUNDS + 1, ROUNDS + 2, ROUNDS + 1
        self.rounds = ROUNDS
        super().__init__({
            "start": In(1),
            "erase": In(1),
            "key": In(KEY_BITS),
            "we": Out(1),
            "round": Out(range(ROUNDS + 1)),
            "data": Out(BLOCK_BITS),
            "data_dec": Out(BLOCK_BITS),
            "busy": Out(1),
            "done": Out(1),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        word_reg = [Signal(32, name=f"word_{n}_reg") for n in range(4)]
        rcon_reg = Signal(8)
        busy_reg = Signal()
        erasing_reg = Signal()
        round_reg = Signal(range(ROUNDS + 1))
        constant = columns(round_constant(rcon_reg))
        # An erasure keeps the registers at zero, and it leaves out the constant, which has ones.
        data = [named(m, "part", word ^ Mux(erasing_reg, 0, each)) for word, each in zip(word_reg, constant, strict=True)]
        m.d.comb += [
            self.busy.eq(busy_reg),
            self.we.eq(busy_reg),
            self.done.eq(busy_reg & (round_reg == ROUNDS)),
            self.round.eq(round_reg),
            *[port[32 * n : 32 * n + 32].eq(each) for port in (self.data, self.data_dec) for n, each in enumerate(data)],
        ]
        following = columns(permute(lfsr_2(m, Cat(word_reg))))
        with m.If(self.done):
            m.d.sync += [reg.eq(0) for reg in (*word_reg, rcon_reg, busy_reg, erasing_reg, round_reg)]
        with m.Elif(busy_reg):
            m.d.sync += round_reg.eq(round_reg + 1)
            with m.If(~erasing_reg):
                m.d.sync += [reg.eq(word) for reg, word in zip(word_reg, following, strict=True)]
                m.d.sync += rcon_reg.eq(next_constant(rcon_reg))
        with m.Elif(self.erase):
            m.d.sync += [busy_reg.eq(1), erasing_reg.eq(1)]
        with m.Elif(self.start):
            m.d.sync += [busy_reg.eq(1), rcon_reg.eq(FIRST_CONSTANT)]
            m.d.sync += [reg.eq(word) for reg, word in zip(word_reg, columns(self.key), strict=True)]
        return m
