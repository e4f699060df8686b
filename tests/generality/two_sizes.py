# SPDX-License-Identifier: Apache-2.0
"""Two-Sizes, a block cipher for tests alone: blocks of 128 bits, keys of 128 bits with 3 rounds, or of 256 bits with 5.

::

    x_0 = p ^ K_0        x_r = ((x_(r-1) + C) <<< 29) ^ K_r        c = x_n
    K_r = the low 128 bits of (key <<< 37 r), plus r

The rounds that a short key does not have are the last ones.  It is no cipher to keep anything secret with.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.ciphers import BlockCipher, CoreTiming
from modeloom.rtl.bus import key_schedule_signature

BITS = 128
MASK = (1 << BITS) - 1
CONSTANT = 0x9E3779B97F4A7C15F39CC0605CEDC835
ROUNDS = {128: 3, 256: 5}
TURN, KEY_TURN = 29, 37


class TwoSizes:
    """The keyed cipher on bytes."""

    def __init__(self, key: bytes):
        width = 8 * len(key)
        state, self.keys = int.from_bytes(key, "little"), []
        for r in range(ROUNDS[width] + 1):
            self.keys.append((state + r) & MASK)
            state = (state << KEY_TURN | state >> width - KEY_TURN) & ((1 << width) - 1)

    def encrypt(self, blocks: bytes) -> bytes:
        return self._each(blocks, self._encrypt)

    def decrypt(self, blocks: bytes) -> bytes:
        return self._each(blocks, self._decrypt)

    @staticmethod
    def _each(blocks: bytes, step: Any) -> bytes:
        numbers = (int.from_bytes(blocks[at : at + 16], "little") for at in range(0, len(blocks), 16))
        return b"".join(step(number).to_bytes(16, "little") for number in numbers)

    def _encrypt(self, x: int) -> int:
        x ^= self.keys[0]
        for key in self.keys[1:]:
            x = x + CONSTANT & MASK
            x = (x << TURN | x >> BITS - TURN) & MASK ^ key
        return x

    def _decrypt(self, x: int) -> int:
        for key in reversed(self.keys[1:]):
            x ^= key
            x = (x >> TURN | x << BITS - TURN) & MASK
            x = x - CONSTANT & MASK
        return x ^ self.keys[0]


class Pipeline(wiring.Component):
    """An encrypter, a block every cycle; latency 6 cycles for keys of both sizes."""

    size_slots = 0
    """Slots that have a size of their own; 0 for all of them."""

    def __init__(self, sizes: tuple[int, ...], slots: int):
        self.sizes, self.slots = sizes, slots
        self.rounds = max(ROUNDS[bits] for bits in sizes)
        self.latency = self.rounds + 1
        slot = range(max(2, slots))
        super().__init__({
            "i": In(BITS), "slot": In(slot), "o": Out(BITS),
            "key_we": In(1), "key_slot": In(slot), "key_round": In(range(self.rounds + 1)), "key_data": In(BITS),
            **({"key_length": In(range(len(sizes)))} if len(sizes) > 1 else {}),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()

        def late(value: Value) -> Signal:
            reg = Signal(len(value), reset_less=True)
            m.d.sync += reg.eq(value)
            return reg

        def of_slot(width: int, write: Value, data: Value, slot: Value, slots: int = self.slots) -> Value:
            held = Array(Signal(width) for _ in range(slots))
            with m.If(write):
                m.d.sync += (held[self.key_slot] if slots > 1 else held[0]).eq(data)
            return held[slot] if slots > 1 else held[0]

        last = Array(ROUNDS[bits] for bits in self.sizes)
        several, size_slots = len(self.sizes) > 1, self.size_slots or self.slots
        length = of_slot(1, self.key_we, self.key_length, self.slot, size_slots) if several else Signal()
        slot: Value = self.slot
        x: Value = late(self.i ^ of_slot(BITS, self.key_we & (self.key_round == 0), self.key_data, slot))
        slot, length = late(slot), late(length)
        for number in range(1, self.rounds + 1):
            key = of_slot(BITS, self.key_we & (self.key_round == number), self.key_data, slot)
            turned = Signal(BITS)
            m.d.comb += turned.eq((x + CONSTANT)[:BITS].rotate_left(TURN))
            x = late(Mux(number > last[length], x, turned ^ key))
            slot, length = late(slot), late(length)
        m.d.comb += self.o.eq(x)
        return m


class KeySchedule(wiring.Component):
    """A round key a cycle, for keys of one size."""

    def __init__(self, bits: int):
        self.bits, self.rounds = bits, ROUNDS[bits]
        super().__init__(key_schedule_signature(bits, self.rounds + 1, BITS).flip())

    def elaborate(self, platform: object) -> Module:
        m = Module()
        key_reg, busy_reg, erasing_reg, round_reg = Signal(self.bits), Signal(), Signal(), Signal.like(self.round)
        m.d.comb += [
            self.busy.eq(busy_reg), self.we.eq(busy_reg), self.done.eq(busy_reg & (round_reg == self.rounds)), self.round.eq(round_reg),
            self.data.eq(Mux(erasing_reg, 0, key_reg[:BITS] + round_reg)), self.data_dec.eq(self.data),
        ]  # fmt: skip
        with m.If(self.done):
            m.d.sync += [reg.eq(0) for reg in (key_reg, busy_reg, erasing_reg, round_reg)]
        with m.Elif(busy_reg):
            m.d.sync += [round_reg.eq(round_reg + 1), key_reg.eq(key_reg.rotate_left(KEY_TURN))]
        with m.Else():
            m.d.sync += [busy_reg.eq(self.start | self.erase), erasing_reg.eq(self.erase)]
            m.d.sync += key_reg.eq(Mux(self.start & ~self.erase, self.key, 0))
        return m


TWO_SIZES = BlockCipher(
    name="two-sizes",
    block_bytes=16,
    key_bits=(128, 256),
    round_keys=lambda key_bits: ROUNDS[key_bits] + 1,
    round_key_bits=BITS,
    pipelined=("encrypt",),
    several_sizes=("encrypt",),
    timing=lambda request: CoreTiming(max(ROUNDS[bits] for bits in request.key_sizes) + 1, 1),
    software=TwoSizes,
    hardware=lambda request: Pipeline(request.key_sizes, request.slots),
    key_schedule=KeySchedule,
)
"""Two-Sizes as the compiler knows it; its key schedules stand side by side."""
