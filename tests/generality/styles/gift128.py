# SPDX-License-Identifier: Apache-2.0
"""GIFT-128 (Banik, Pandey, Peyrin, Sasaki, Sim, Todo: CHES 2017): S-boxes as look-ups in an ``Array``, bits wired in another order.

The state is a number of 128 bits whose first byte is the highest.  The result of a core is the register of the last round with its bytes in
the opposite order, so the order is outside of the core in the Verilog.
"""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from tests.generality.styles.ports import CorePorts, SchedulePorts

from modeloom.ciphers import BlockCipher, CoreRequest, CoreTiming
from modeloom.modes.gcm import GCM
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.xts import XTS

ROUNDS = 40
SBOX = (0x1, 0xA, 0x4, 0xC, 0x6, 0xF, 0x3, 0x9, 0x2, 0xD, 0xB, 0x7, 0x5, 0x0, 0x8, 0xE)
INVERSE = tuple(SBOX.index(value) for value in range(16))
PLACE = [4 * (i // 16) + 32 * ((3 * ((i % 16) // 4) + i % 4) % 4) + i % 4 for i in range(128)]
"""Where the permutation puts each bit."""


def round_constants() -> list[int]:
    """Those of all rounds, as they are added to the state: six bits of an LFSR, and the highest bit of the state."""
    found, c = [], 0
    for _ in range(ROUNDS):
        c = (c << 1 & 0x3F) | (c >> 5 & 1) ^ (c >> 4 & 1) ^ 1
        found.append(1 << 127 | sum((c >> j & 1) << (4 * j + 3) for j in range(6)))
    return found


CONSTANTS = round_constants()


class Gift128:
    """The software."""

    def __init__(self, key: bytes):
        words = [int.from_bytes(key[14 - 2 * n : 16 - 2 * n], "big") for n in range(8)]
        self.added = []
        for constant in CONSTANTS:
            u, v = words[5] << 16 | words[4], words[1] << 16 | words[0]
            self.added.append(constant ^ sum((u >> i & 1) << (4 * i + 2) | (v >> i & 1) << (4 * i + 1) for i in range(32)))
            words = [*words[2:], rotated(words[0], 12), rotated(words[1], 2)]

    def encrypt(self, blocks: bytes) -> bytes:
        return b"".join(self._encrypt(blocks[at : at + 16]) for at in range(0, len(blocks), 16))

    def decrypt(self, blocks: bytes) -> bytes:
        return b"".join(self._decrypt(blocks[at : at + 16]) for at in range(0, len(blocks), 16))

    def _encrypt(self, block: bytes) -> bytes:
        x = int.from_bytes(block, "big")
        for added in self.added:
            bits = format(int("".join(f"{SBOX[int(digit, 16)]:x}" for digit in f"{x:032x}"), 16), "0128b")[::-1]
            x = int("".join(bits[TAKEN[i]] for i in reversed(range(128))), 2) ^ added
        return x.to_bytes(16, "big")

    def _decrypt(self, block: bytes) -> bytes:
        x = int.from_bytes(block, "big")
        for added in reversed(self.added):
            bits = format(x ^ added, "0128b")[::-1]
            x = int("".join(bits[PLACE[i]] for i in reversed(range(128))), 2)
            x = int("".join(f"{INVERSE[int(digit, 16)]:x}" for digit in f"{x:032x}"), 16)
        return x.to_bytes(16, "big")


TAKEN = [PLACE.index(i) for i in range(128)]


def rotated(word: int, places: int) -> int:
    return (word >> places | word << 16 - places) & 0xFFFF


def reversed_bytes(word: Value) -> Value:
    return Cat(word[8 * n : 8 * n + 8] for n in reversed(range(16)))


def substituted(m: Module, x: Value, table: tuple[int, ...]) -> Value:
    found = Signal(128)
    for at in range(0, 128, 4):
        m.d.comb += found[at : at + 4].eq(Array(table)[x[at : at + 4]])
    return found


def one_round(m: Module, x: Value, key: Value, constant: Value, inverse: bool) -> Value:
    added = Cat(Cat(Const(0, 1), key[i], key[32 + i], Const(0, 1)) for i in range(32)) ^ constant
    y = Signal(128)
    if inverse:
        m.d.comb += y.eq(x ^ added)
        return substituted(m, Cat(y[PLACE[i]] for i in range(128)), INVERSE)
    m.d.comb += y.eq(substituted(m, x, SBOX))
    return Cat(y[TAKEN[i]] for i in range(128)) ^ added


class Pipeline(CorePorts):
    """A register behind each round."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        x, slot = reversed_bytes(self.i), self.slot
        for number in range(ROUNDS):
            r = ROUNDS - 1 - number if self.inverse else number
            keys = [Signal(64, name=f"key_{r}_of_{n}") for n in range(self.slots)]
            for n, key in enumerate(keys):
                with m.If(self.key_we & (self.key_round == r) & (self.key_slot == n)):
                    m.d.sync += key.eq(self.key_data)
            chosen, state, of = Signal(64), Signal(128, name=f"round_{r}"), Signal.like(self.slot)
            m.d.comb += chosen.eq(Array(keys)[slot])
            m.d.sync += [state.eq(one_round(m, x, chosen, Const(CONSTANTS[r], 128), self.inverse)), of.eq(slot)]
            x, slot = state, of
        m.d.comb += self.o.eq(reversed_bytes(x))
        return m


class Sequential(CorePorts):
    """A round in a cycle."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count, state, result = Signal(range(ROUNDS + 1)), Signal(128), Signal(128)
        slot, decrypt, key = Signal.like(self.slot), Signal(), Signal(64)
        keys = Array(Signal(64, name=f"key_{n}", reset_less=True) for n in range(self.slots * ROUNDS))
        with m.If(self.key_we):
            m.d.sync += keys[self.key_slot * ROUNDS + self.key_round].eq(self.key_data)
        number = Mux(decrypt, ROUNDS - count, count - 1)[:6]
        m.d.comb += key.eq(keys[slot * ROUNDS + number])
        constant = Array(CONSTANTS)[number]
        after = Mux(decrypt, one_round(m, state, key, constant, True), one_round(m, state, key, constant, False))
        with m.If(count == ROUNDS):
            m.d.sync += result.eq(after)
        with m.If(self.start):
            m.d.sync += [state.eq(reversed_bytes(self.i)), slot.eq(self.slot), decrypt.eq(self.decrypt), count.eq(1)]
        with m.Elif(count == ROUNDS):
            m.d.sync += count.eq(0)
        with m.Elif(count != 0):
            m.d.sync += [state.eq(after), count.eq(count + 1)]
        m.d.comb += self.o.eq(reversed_bytes(result))
        return m


class KeySchedule(SchedulePorts):
    """A round key in a cycle."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        key, number, busy = Signal(128), Signal(range(ROUNDS)), Signal()
        m.d.comb += [
            self.busy.eq(busy), self.we.eq(busy), self.round.eq(number), self.done.eq(busy & (number == ROUNDS - 1)),
            self.data.eq(Cat(key[:32], key[64:96])), self.data_dec.eq(self.data),
        ]  # fmt: skip
        with m.If(self.done):
            m.d.sync += [busy.eq(0), number.eq(0), key.eq(0)]
        with m.Elif(busy):
            m.d.sync += [number.eq(number + 1), key.eq(Cat(key[32:], key[:16].rotate_right(12), key[16:32].rotate_right(2)))]
        with m.Elif(self.erase):
            m.d.sync += busy.eq(1)
        with m.Elif(self.start):
            m.d.sync += [busy.eq(1), key.eq(reversed_bytes(self.key))]
        return m


def hardware(request: CoreRequest) -> CorePorts:
    if request.form == "sequential":
        return Sequential(request.slots, ROUNDS + 1, ROUNDS, 64, both=True)
    return Pipeline(request.slots, ROUNDS, ROUNDS, 64, inverse=request.direction == "decrypt")


GIFT128 = BlockCipher(
    name="gift128", block_bytes=16, key_bits=(128,), round_keys=lambda bits: ROUNDS, round_key_bits=64, sequential=("both",),
    timing=lambda request: CoreTiming(ROUNDS + 1, ROUNDS) if request.form == "sequential" else CoreTiming(ROUNDS, 1),
    software=Gift128, hardware=hardware, key_schedule=lambda bits: KeySchedule(ROUNDS, 64),
)  # fmt: skip


class GiftXTS(XTS):
    name, title, source, security, cipher = "gift-xts", "XTS with GIFT-128", "a test", "a test", GIFT128


class GiftHCTR2(HCTR2):
    name, title, source, security, cipher = "gift-hctr2", "HCTR2 with GIFT-128", "a test", "a test", GIFT128


class GiftGCM(GCM):
    name, title, source, security, cipher = "gift-gcm", "GCM with GIFT-128", "a test", "a test", GIFT128
