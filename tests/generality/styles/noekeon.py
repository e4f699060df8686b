# SPDX-License-Identifier: Apache-2.0
"""NOEKEON in direct mode (Daemen, Peeters, Van Assche, Rijmen: NESSIE 2000): gates on words, and a machine of three steps with an enable.

There are two round keys: the key for encryption, and the key for decryption.
"""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import enum
from tests.generality.styles.ports import CorePorts, SchedulePorts

from modeloom.ciphers import BlockCipher, CoreRequest, CoreTiming
from modeloom.modes.gcm import GCM
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.xts import XTS

ROUNDS = 16
CONSTANTS = [0x80]
for _ in range(ROUNDS):
    CONSTANTS.append(CONSTANTS[-1] << 1 ^ (0x11B if CONSTANTS[-1] & 0x80 else 0))


def rotl(x: int, n: int) -> int:
    return (x << n | x >> 32 - n) & 0xFFFFFFFF


def theta(a: list[int], k: list[int]) -> list[int]:
    t = a[0] ^ a[2]
    t ^= rotl(t, 8) ^ rotl(t, 24)
    b = [a[0] ^ k[0], a[1] ^ k[1] ^ t, a[2] ^ k[2], a[3] ^ k[3] ^ t]
    t = b[1] ^ b[3]
    t ^= rotl(t, 8) ^ rotl(t, 24)
    return [b[0] ^ t, b[1], b[2] ^ t, b[3]]


def gamma(a: list[int]) -> list[int]:
    """With the rotations before and behind it."""
    a0, a1, a2, a3 = a[0], rotl(a[1], 1), rotl(a[2], 5), rotl(a[3], 2)
    a1 ^= ~(a3 | a2) & 0xFFFFFFFF
    a0 ^= a2 & a1
    a0, a3 = a3, a0
    a2 ^= a0 ^ a1 ^ a3
    a1 ^= ~(a3 | a2) & 0xFFFFFFFF
    a0 ^= a2 & a1
    return [a0, rotl(a1, 31), rotl(a2, 27), rotl(a3, 30)]


class Noekeon:
    """The software."""

    def __init__(self, key: bytes):
        self.key = words(key)
        self.inverse = theta(self.key, [0] * 4)

    def encrypt(self, blocks: bytes) -> bytes:
        return b"".join(self._run(blocks[at : at + 16], self.key, False) for at in range(0, len(blocks), 16))

    def decrypt(self, blocks: bytes) -> bytes:
        return b"".join(self._run(blocks[at : at + 16], self.inverse, True) for at in range(0, len(blocks), 16))

    @staticmethod
    def _run(block: bytes, key: list[int], inverse: bool) -> bytes:
        a = words(block)
        for number in range(ROUNDS + 1):
            constant = CONSTANTS[ROUNDS - number if inverse else number]
            a = theta(a, key) if inverse else theta([a[0] ^ constant, *a[1:]], key)
            a = [a[0] ^ constant, *a[1:]] if inverse else a
            a = gamma(a) if number < ROUNDS else a
        return b"".join(word.to_bytes(4, "big") for word in a)


def words(data: bytes) -> list[int]:
    return [int.from_bytes(data[at : at + 4], "big") for at in range(0, 16, 4)]


Words = tuple[Value, Value, Value, Value]


def split(block: Value) -> Words:
    """The words of a block whose first byte is the lowest."""
    a, b, c, d = (Cat(block[32 * n + 8 * byte : 32 * n + 8 * byte + 8] for byte in reversed(range(4))) for n in range(4))
    return a, b, c, d


def joined(a: Words) -> Value:
    return Cat(word[8 * byte : 8 * byte + 8] for word in a for byte in reversed(range(4)))


def wire(m: Module, value: Value) -> Signal:
    """A signal for a value that is used more than once: Amaranth emits the gates of an expression at each use of it."""
    signal = Signal(len(value), name="wire")
    m.d.comb += signal.eq(value)
    return signal


def mixed(m: Module, a: Words, key: Value) -> Words:
    """theta"""
    t = wire(m, a[0] ^ a[2])
    t = wire(m, t ^ t.rotate_left(8) ^ t.rotate_left(24))
    k = split(key)
    b = wire(m, a[0] ^ k[0]), wire(m, a[1] ^ k[1] ^ t), wire(m, a[2] ^ k[2]), wire(m, a[3] ^ k[3] ^ t)
    t = wire(m, b[1] ^ b[3])
    t = wire(m, t ^ t.rotate_left(8) ^ t.rotate_left(24))
    return wire(m, b[0] ^ t), b[1], wire(m, b[2] ^ t), b[3]


def bent(m: Module, a: Words) -> Words:
    """gamma, with its rotations"""
    a0, a1, a2, a3 = a[0], a[1].rotate_left(1), a[2].rotate_left(5), a[3].rotate_left(2)
    a1 = wire(m, a1 ^ ~(a3 | a2))
    a0, a3 = a3, wire(m, a0 ^ a2 & a1)
    a2 = wire(m, a2 ^ a0 ^ a1 ^ a3)
    a1 = wire(m, a1 ^ ~(a3 | a2))
    a0 = wire(m, a0 ^ a2 & a1)
    return a0, a1.rotate_left(31), a2.rotate_left(27), a3.rotate_left(30)


def constant_added(a: Words, constant: Value) -> Words:
    return a[0] ^ constant, a[1], a[2], a[3]


class Pipeline(CorePorts):
    """A register behind each of 17 rounds.  A key is read in the first round and goes along."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        keys = Array(Signal(128, name=f"key_{n}") for n in range(max(2, self.slots)))
        with m.If(self.key_we & (self.key_round == int(self.inverse))):
            m.d.sync += keys[self.key_slot].eq(self.key_data)
        x, key = self.i, keys[self.slot]
        for number in range(ROUNDS + 1):
            constant = Const(CONSTANTS[ROUNDS - number if self.inverse else number], 8)
            a = split(x)
            a = constant_added(mixed(m, a, key), constant) if self.inverse else mixed(m, constant_added(a, constant), key)
            state, along = Signal(128, name=f"state_{number}"), Signal(128, name=f"along_{number}")
            m.d.sync += [state.eq(joined(bent(m, a) if number < ROUNDS else a)), along.eq(key)]
            x, key = state, along
        m.d.comb += self.o.eq(x)
        return m


class Step(enum.Enum, shape=2):
    REST = 0
    ROUND = 1
    LAST = 2


class Sequential(CorePorts):
    """A machine of three steps."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        step, number, state, result = Signal(Step), Signal(range(ROUNDS)), Signal(128), Signal(128)
        slot, decrypt, enable = Signal.like(self.slot), Signal(), Signal()
        keys = Array(Signal(128, name=f"key_{n}", reset_less=True) for n in range(2 * max(2, self.slots)))
        with m.If(self.key_we):
            m.d.sync += keys[Cat(self.key_round, self.key_slot)].eq(self.key_data)
        key, a, b = Signal(128), split(state), Signal(128)
        m.d.comb += key.eq(keys[Cat(decrypt, slot)])
        count = Mux(step == Step.LAST, ROUNDS, number)
        constant = Array(CONSTANTS)[Mux(decrypt, ROUNDS - count, count)[:5]]
        forth, back = mixed(m, constant_added(a, constant), key), constant_added(mixed(m, a, key), constant)
        m.d.comb += [b.eq(Mux(decrypt, joined(back), joined(forth))), enable.eq(step != Step.REST)]
        with m.Switch(step):
            with m.Case(Step.ROUND):
                m.d.sync += [state.eq(joined(bent(m, split(b)))), number.eq(number + 1)]
                with m.If(number == ROUNDS - 1):
                    m.d.sync += step.eq(Step.LAST)
            with m.Case(Step.LAST):
                m.d.sync += step.eq(Step.REST)
        with m.If(enable & (step == Step.LAST)):
            m.d.sync += result.eq(b)
        with m.If(self.start):
            m.d.sync += [state.eq(self.i), slot.eq(self.slot), decrypt.eq(self.decrypt), number.eq(0), step.eq(Step.ROUND)]
        m.d.comb += self.o.eq(result)
        return m


class KeySchedule(SchedulePorts):
    """Two round keys."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        key, count = Signal(128), Signal(2)
        m.d.comb += [
            self.busy.eq(count != 0), self.we.eq(count != 0), self.round.eq(count == 2), self.done.eq(count == 2),
            self.data.eq(Mux(count == 2, joined(mixed(m, split(key), Const(0, 128))), key)), self.data_dec.eq(self.data),
        ]  # fmt: skip
        with m.If(self.start | self.erase):
            m.d.sync += [count.eq(1), key.eq(Mux(self.erase, 0, self.key))]
        with m.Elif(count == 1):
            m.d.sync += count.eq(2)
        with m.Else():
            m.d.sync += [count.eq(0), key.eq(0)]
        return m


def hardware(request: CoreRequest) -> CorePorts:
    if request.form == "sequential":
        return Sequential(request.slots, ROUNDS + 2, 2, 128, both=True)
    return Pipeline(request.slots, ROUNDS + 1, 2, 128, inverse=request.direction == "decrypt")


NOEKEON = BlockCipher(
    name="noekeon", block_bytes=16, key_bits=(128,), round_keys=lambda bits: 2, round_key_bits=128, sequential=("both",),
    timing=lambda request: CoreTiming(ROUNDS + 2, ROUNDS + 1) if request.form == "sequential" else CoreTiming(ROUNDS + 1, 1),
    software=Noekeon, hardware=hardware, key_schedule=lambda bits: KeySchedule(2, 128),
)  # fmt: skip


class NoekeonXTS(XTS):
    name, title, source, security, cipher = "noekeon-xts", "XTS with NOEKEON", "a test", "a test", NOEKEON


class NoekeonHCTR2(HCTR2):
    name, title, source, security, cipher = "noekeon-hctr2", "HCTR2 with NOEKEON", "a test", "a test", NOEKEON


class NoekeonGCM(GCM):
    name, title, source, security, cipher = "noekeon-gcm", "GCM with NOEKEON", "a test", "a test", NOEKEON
