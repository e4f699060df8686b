# SPDX-License-Identifier: Apache-2.0
"""SM4 (GB/T 32907-2016) as a user might write it: S-boxes in memories of constants, and in a ``Switch`` in the key schedule."""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import memory
from tests.generality.styles.ports import CorePorts, SchedulePorts

from modeloom.ciphers import BlockCipher, CoreRequest, CoreTiming
from modeloom.modes.gcm import GCM
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.xts import XTS
from modeloom_golden.sm4 import SBOX

ROUNDS = 32
FK = (0xA3B1BAC6, 0x56AA3350, 0x677D9197, 0xB27022DC)
CK = [int.from_bytes(bytes((4 * i + j) * 7 & 0xFF for j in range(4)), "big") for i in range(ROUNDS)]


def tau(x: int) -> int:
    return int.from_bytes(x.to_bytes(4, "big").translate(SBOX), "big")


def rotl(x: int, n: int) -> int:
    return (x << n | x >> 32 - n) & 0xFFFFFFFF


class SM4:
    """The software."""

    def __init__(self, key: bytes):
        k = [int.from_bytes(key[at : at + 4], "big") ^ fk for at, fk in zip(range(0, 16, 4), FK)]
        self.keys = []
        for constant in CK:
            b = tau(k[1] ^ k[2] ^ k[3] ^ constant)
            k = [*k[1:], k[0] ^ b ^ rotl(b, 13) ^ rotl(b, 23)]
            self.keys.append(k[3])

    def encrypt(self, blocks: bytes) -> bytes:
        return b"".join(self._run(blocks[at : at + 16], self.keys) for at in range(0, len(blocks), 16))

    def decrypt(self, blocks: bytes) -> bytes:
        return b"".join(self._run(blocks[at : at + 16], self.keys[::-1]) for at in range(0, len(blocks), 16))

    @staticmethod
    def _run(block: bytes, keys: list[int]) -> bytes:
        x = [int.from_bytes(block[at : at + 4], "big") for at in range(0, 16, 4)]
        for key in keys:
            b = tau(x[1] ^ x[2] ^ x[3] ^ key)
            x = [*x[1:], x[0] ^ b ^ rotl(b, 2) ^ rotl(b, 10) ^ rotl(b, 18) ^ rotl(b, 24)]
        return b"".join(word.to_bytes(4, "big") for word in reversed(x))


def split(block: Value) -> list[Value]:
    return [Cat(block[32 * n + 8 * byte : 32 * n + 8 * byte + 8] for byte in reversed(range(4))) for n in range(4)]


def joined(x: list[Value]) -> Value:
    return Cat(word[8 * byte : 8 * byte + 8] for word in x for byte in reversed(range(4)))


def looked_up(m: Module, word: Value, name: str) -> Value:
    """A word through a memory with four read ports."""
    m.submodules[name] = rom = memory.Memory(shape=8, depth=256, init=SBOX)
    ports = [rom.read_port(domain="comb") for _ in range(4)]
    m.d.comb += [port.addr.eq(word[8 * n : 8 * n + 8]) for n, port in enumerate(ports)]
    return Cat(port.data for port in ports)


def one_round(m: Module, x: list[Value], key: Value, name: str) -> list[Value]:
    b = looked_up(m, x[1] ^ x[2] ^ x[3] ^ key, name)
    return [*x[1:], x[0] ^ b ^ b.rotate_left(2) ^ b.rotate_left(10) ^ b.rotate_left(18) ^ b.rotate_left(24)]


class Pipeline(CorePorts):
    """A register behind each round.  Round keys are in a memory for each round."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        x, slot = split(self.i), self.slot
        for number in range(ROUNDS):
            r = ROUNDS - 1 - number if self.inverse else number
            m.submodules[f"keys_{r}"] = keys = memory.Memory(shape=32, depth=max(2, self.slots), init=[])
            write, read = keys.write_port(), keys.read_port(domain="comb")
            m.d.comb += [
                write.en.eq(self.key_we & (self.key_round == r)), write.addr.eq(self.key_slot), write.data.eq(self.key_data),
                read.addr.eq(slot),
            ]  # fmt: skip
            after = one_round(m, x, read.data, f"sbox_{r}")
            state, of = [Signal(32, name=f"x{n}_{r}") for n in range(4)], Signal.like(self.slot)
            m.d.sync += [*(word.eq(value) for word, value in zip(state, after)), of.eq(slot)]
            x, slot = state, of
        m.d.comb += self.o.eq(joined(x[::-1]))
        return m


class Sequential(CorePorts):
    """A round in a cycle."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        x, result = [Signal(32, name=f"x{n}") for n in range(4)], Signal(128)
        count, slot, decrypt = Signal(range(ROUNDS + 1)), Signal.like(self.slot), Signal()
        m.submodules.keys = keys = memory.Memory(shape=32, depth=ROUNDS * max(2, self.slots), init=[])
        write, read = keys.write_port(), keys.read_port(domain="comb")
        m.d.comb += [
            write.en.eq(self.key_we), write.addr.eq(Cat(self.key_round, self.key_slot)), write.data.eq(self.key_data),
            read.addr.eq(Cat(Mux(decrypt, ROUNDS - count, count - 1)[:5], slot)),
        ]  # fmt: skip
        after = one_round(m, x, read.data, "sbox")
        with m.If(count == ROUNDS):
            m.d.sync += result.eq(joined(after[::-1]))
        with m.If(self.start):
            m.d.sync += [*(word.eq(value) for word, value in zip(x, split(self.i))), count.eq(1), slot.eq(self.slot)]
            m.d.sync += decrypt.eq(self.decrypt)
        with m.Elif(count != 0):
            m.d.sync += [*(word.eq(value) for word, value in zip(x, after)), count.eq(Mux(count == ROUNDS, 0, count + 1))]
        m.d.comb += self.o.eq(result)
        return m


class KeySchedule(SchedulePorts):
    """A round key in a cycle."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        k, number, busy, erasing = [Signal(32, name=f"k{n}") for n in range(4)], Signal(range(ROUNDS)), Signal(), Signal()
        word, b = Signal(32), Signal(32)
        m.d.comb += word.eq(k[1] ^ k[2] ^ k[3] ^ Array(CK)[number])
        for n in range(4):
            with m.Switch(word[8 * n : 8 * n + 8]):
                for value, result in enumerate(SBOX):
                    with m.Case(value):
                        m.d.comb += b[8 * n : 8 * n + 8].eq(result)
        after = Signal(32)
        m.d.comb += [
            after.eq(Mux(erasing, 0, k[0] ^ b ^ b.rotate_left(13) ^ b.rotate_left(23))),
            self.busy.eq(busy), self.we.eq(busy), self.round.eq(number), self.done.eq(busy & (number == ROUNDS - 1)),
            self.data.eq(after), self.data_dec.eq(after),
        ]  # fmt: skip
        with m.If(busy):
            m.d.sync += [number.eq(number + 1), *(word.eq(value) for word, value in zip(k, [*k[1:], after]))]
            with m.If(self.done):
                m.d.sync += [busy.eq(0), number.eq(0), erasing.eq(0), *(word.eq(0) for word in k)]
        with m.Elif(self.start | self.erase):
            m.d.sync += [busy.eq(1), erasing.eq(self.erase)]
            m.d.sync += [word.eq(part ^ Const(fk, 32)) for word, part, fk in zip(k, split(self.key), FK)]
        return m


def hardware(request: CoreRequest) -> CorePorts:
    if request.form == "sequential":
        return Sequential(request.slots, ROUNDS + 1, ROUNDS, 32, both=True)
    return Pipeline(request.slots, ROUNDS, ROUNDS, 32, inverse=request.direction == "decrypt")


OWN_SM4 = BlockCipher(
    name="own-sm4", block_bytes=16, key_bits=(128,), round_keys=lambda bits: ROUNDS, round_key_bits=32, sequential=("both",),
    timing=lambda request: CoreTiming(ROUNDS + 1, ROUNDS) if request.form == "sequential" else CoreTiming(ROUNDS, 1),
    software=SM4, hardware=hardware, key_schedule=lambda bits: KeySchedule(ROUNDS, 32),
)  # fmt: skip


class OwnXTS(XTS):
    name, title, source, security, cipher = "own-xts", "XTS with its own SM4", "a test", "a test", OWN_SM4


class OwnHCTR2(HCTR2):
    name, title, source, security, cipher = "own-hctr2", "HCTR2 with its own SM4", "a test", "a test", OWN_SM4


class OwnGCM(GCM):
    name, title, source, security, cipher = "own-gcm", "GCM with its own SM4", "a test", "a test", OWN_SM4
