# SPDX-License-Identifier: Apache-2.0
"""The SM4 key schedule (GB/T 32907-2016, 7.3), one round key per cycle.

Four registers hold K_i ... K_{i+3} in cycle 1 + i after the start.  The last one is round key i - 1, which is written in this cycle::

      K_i       K_{i+1}   K_{i+2}   K_{i+3} = rk_{i-1}
    ┌─────┐    ┌─────┐   ┌─────┐   ┌─────┐
    │  0  │◀───│  1  │◀──│  2  │◀──│  3  │◀── K_{i+4} = K_i ⊕ L'(τ(K_{i+1} ⊕ K_{i+2} ⊕ K_{i+3} ⊕ CK_i))
    └─────┘    └─────┘   └─────┘   └─────┘

Encrypters and decrypters have the same round keys.  A decrypter reads them in the opposite order.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.aes.parameters import named
from modeloom.rtl.sm4.round import FIXED_PARAMETERS, ROUNDS, SYSTEM_PARAMETER, key_linear, substitute, words_of

__all__ = ["SM4KeySchedule"]

KEY_BITS = 128
WORD_BITS = 32
STEP = 28
"""Difference between each byte of CK_{i+1} and the same byte of CK_i, modulo 256."""


class SM4KeySchedule(wiring.Component):
    """Expands a key into a stream of round-key writes, or writes zeros over all round keys.

    Attributes
    ----------
    latency : int
        33 cycles from ``start`` to the last write.  Round key r is written r + 2 cycles after ``start``.
    interval : int
        34 cycles from one start to the earliest next start.
    erase_latency : int
        32 cycles from ``erase`` to the last write, with one write per cycle.

    Members
    -------
    start, key
        Expands ``key`` (128 bits), which is read only in this cycle.
    erase
        Writes zeros to all round keys.  It takes precedence over ``start`` in the same cycle.
    we, round, data, data_dec
        A write: number of the round key, 0 to 31, and its 32 bits, which are the same on both outputs.
    busy
        High from the cycle after a request to its last write, which ``done`` marks.  Meanwhile, requests are ignored.
    done
        High in the cycle of the last write.

    The component keeps no part of a key after ``done`` or a reset.
    """

    def __init__(self) -> None:
        self.latency, self.interval, self.erase_latency = ROUNDS + 1, ROUNDS + 2, ROUNDS
        super().__init__({
            "start": In(1),
            "erase": In(1),
            "key": In(KEY_BITS),
            "we": Out(1),
            "round": Out(range(ROUNDS)),
            "data": Out(WORD_BITS),
            "data_dec": Out(WORD_BITS),
            "busy": Out(1),
            "done": Out(1),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        word_reg = [Signal(WORD_BITS, name=f"word_{n}_reg") for n in range(4)]
        fixed_reg = Signal(WORD_BITS, init=FIXED_PARAMETERS[0])
        busy_reg = Signal()
        erasing_reg = Signal()
        # There is no round key yet in the first cycle of an expansion.
        first_reg = Signal()
        round_reg = Signal(range(ROUNDS))
        m.d.comb += [
            self.busy.eq(busy_reg),
            self.we.eq(busy_reg & ~first_reg),
            self.done.eq(busy_reg & ~first_reg & (round_reg == ROUNDS - 1)),
            self.round.eq(round_reg),
            self.data.eq(word_reg[3]),
            self.data_dec.eq(word_reg[3]),
        ]
        total = named(m, "total", word_reg[1] ^ word_reg[2] ^ word_reg[3] ^ fixed_reg)
        new_word = named(m, "new_word", word_reg[0] ^ key_linear(substitute(m, total)))
        with m.If(self.done):
            m.d.sync += [reg.eq(0) for reg in (*word_reg, busy_reg, erasing_reg, round_reg)]
            m.d.sync += fixed_reg.eq(FIXED_PARAMETERS[0])
        with m.Elif(busy_reg):
            m.d.sync += [first_reg.eq(0), round_reg.eq(Mux(first_reg, 0, round_reg + 1))]
            with m.If(~erasing_reg):
                m.d.sync += [reg.eq(word) for reg, word in zip(word_reg, [*word_reg[1:], new_word], strict=True)]
                m.d.sync += fixed_reg.eq(Cat((byte + STEP)[:8] for byte in (fixed_reg[low : low + 8] for low in range(0, WORD_BITS, 8))))
        with m.Elif(self.erase):
            m.d.sync += [busy_reg.eq(1), erasing_reg.eq(1)]
        with m.Elif(self.start):
            m.d.sync += [busy_reg.eq(1), first_reg.eq(1)]
            m.d.sync += [reg.eq(word ^ fk) for reg, word, fk in zip(word_reg, words_of(self.key), SYSTEM_PARAMETER, strict=True)]
        return m
