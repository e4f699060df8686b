# SPDX-License-Identifier: Apache-2.0
"""The parts of SM4: words, the S-box, and the linear maps.

Byte 0 of a block is bits [7:0] of the signal.  The words of SM4 have their first byte in the highest bits.  Here each word is a signal of
32 bits with this order, so rotations are as in the standard::

    block   bits   31:0        63:32       95:64       127:96
            word   X_0         X_1         X_2         X_3
    byte           0 1 2 3     4 5 6 7     ...
    X_0     bits   31:24 23:16 15:8 7:0

A round of one cycle, and the place of the second register in a round of two cycles::

    X_{i+1} ⊕ X_{i+2} ⊕ X_{i+3} ⊕ rk_i ──▶ S-boxes ──[second register]──▶ L ──▶ ⊕ X_i ──[register]──▶ X_{i+4}

The S-box is computed from its algebraic form, s(x) = A(1 / A(x)) with an affine map A and the field of x^8 + x^7 + x^6 + x^5 + x^4 + x^2 +
x + 1 (F. Liu et al., Analysis of the SMS4 block cipher, ACISP 2007).  ``golden`` has the printed table of the standard.
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.aes.parameters import named
from modeloom.rtl.aes.sboxes.sbox import look_up
from modeloom.spec.field import Field

__all__ = [
    "FIXED_PARAMETERS", "ROUNDS", "SBOX", "SYSTEM_PARAMETER", "SM4KeySchedule", "block_of", "key_linear", "linear", "substitute",
    "words_of",
]  # fmt: skip

ROUNDS = 32
WORD_BITS = 32

SYSTEM_PARAMETER = (0xA3B1BAC6, 0x56AA3350, 0x677D9197, 0xB27022DC)
"""FK, the system parameter that is added to the words of a key."""

FIXED_PARAMETERS = tuple(sum(7 * (4 * i + j) % 256 << 8 * (3 - j) for j in range(4)) for i in range(ROUNDS))
"""CK_i, the fixed parameters, one word for each round key."""

_FIELD = Field("SM4 S-box", 8, 0x1F5)
_ROW, _CONSTANT = 0xA7, 0xD3


def _affine(a: int) -> int:
    """A circulant matrix times a byte, plus a constant.  Bit i is the parity of the bits in row 0 rotated by i."""
    rows = ((_ROW << i | _ROW >> 8 - i) & 0xFF for i in range(8))
    return _CONSTANT ^ sum((row & a).bit_count() % 2 << i for i, row in enumerate(rows))


SBOX: tuple[int, ...] = tuple(_affine(_FIELD.power(_affine(x), 254)) for x in range(256))
"""The S-box for each byte.  a^254 is 1 / a, and 0 for 0."""


def _turned(word: Value) -> Value:
    return Cat(word[low : low + 8] for low in (24, 16, 8, 0))


def words_of(block: Value) -> list[Value]:
    """The four words of a block or key.  X_0 is the first."""
    return [_turned(block[low : low + WORD_BITS]) for low in range(0, 4 * WORD_BITS, WORD_BITS)]


def block_of(words: Sequence[Value]) -> Value:
    """The block of four words, in order."""
    return Cat(_turned(word) for word in words)


def substitute(m: Module, word: Value) -> Value:
    """τ: the S-box for each of four bytes.  It adds one asynchronous memory to *m*, with 32 LUT6 for each byte."""
    return look_up(m, [word[low : low + 8] for low in range(0, WORD_BITS, 8)], SBOX, "sm4_sbox")


def _rotations(word: Value, places: Sequence[int]) -> Value:
    total = word
    for places_left in places:
        total = total ^ word.rotate_left(places_left)
    return total


def linear(word: Value) -> Value:
    """L, the linear map of a round."""
    return _rotations(word, (2, 10, 18, 24))


def key_linear(word: Value) -> Value:
    """L', the linear map of the key schedule."""
    return _rotations(word, (13, 23))


# -- key schedule ------------------------------------------------------------------------------------------------------------------

# The SM4 key schedule (GB/T 32907-2016, 7.3), one round key per cycle.
#
# Four registers hold K_i ... K_{i+3} in cycle 1 + i after the start.  The last one is round key i - 1, which is written in this cycle:
#
#       K_i       K_{i+1}   K_{i+2}   K_{i+3} = rk_{i-1}
#     ┌─────┐    ┌─────┐   ┌─────┐   ┌─────┐
#     │  0  │◀───│  1  │◀──│  2  │◀──│  3  │◀── K_{i+4} = K_i ⊕ L'(τ(K_{i+1} ⊕ K_{i+2} ⊕ K_{i+3} ⊕ CK_i))
#     └─────┘    └─────┘   └─────┘   └─────┘
#
# Encrypters and decrypters have the same round keys.  A decrypter reads them in the opposite order.

KEY_BITS = 128
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
