# SPDX-License-Identifier: Apache-2.0
"""A bench with one of each AES component, and plain references for what is inside a cipher.

Byte 0 of a block or key is bits [7:0] of its int.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from amaranth.back import rtlil
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Delay, Simulator
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from modeloom.rtl.aes.key_schedule import KeySchedule
from modeloom.rtl.aes.parameters import slot_shape
from modeloom.rtl.aes.pipeline import AESDecryptPipeline, AESEncryptPipeline
from modeloom.rtl.aes.sequential import AESDecryptSequential
from modeloom.sim import Simulation


def from_bytes(data: bytes) -> int:
    return int.from_bytes(data, "little")


def to_bytes(value: int, size: int = 16) -> bytes:
    return value.to_bytes(size, "little")


def encrypt(key: bytes, block: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(block)


def decrypt(key: bytes, block: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.ECB()).decryptor().update(block)


def multiply(a: int, b: int) -> int:
    """Product in GF(2^8), by carry-less multiplication and then long division by x^8 + x^4 + x^3 + x + 1."""
    product = 0
    for i in range(8):
        product ^= (a << i) * (b >> i & 1)
    for i in range(14, 7, -1):
        product ^= (0x11B << i - 8) * (product >> i & 1)
    return product


@lru_cache(maxsize=1)
def reference_sbox() -> tuple[int, ...]:
    """FIPS 197, 5.1.1: the inverse found by search, the affine map bit by bit."""
    table = []
    for x in range(256):
        b = next((y for y in range(256) if multiply(x, y) == 1), 0)
        bits = [
            (b >> i ^ b >> (i + 4) % 8 ^ b >> (i + 5) % 8 ^ b >> (i + 6) % 8 ^ b >> (i + 7) % 8 ^ 0x63 >> i) & 1
            for i in range(8)
        ]
        table.append(sum(bit << i for i, bit in enumerate(bits)))
    return tuple(table)


def multiply_columns(row: tuple[int, int, int, int], state: bytes) -> bytes:
    """The circulant matrix with this first row times each column of *state*."""
    result = bytearray()
    for c in range(0, len(state), 4):
        for r in range(4):
            value = 0
            for k in range(4):
                value ^= multiply(row[(k - r) % 4], state[c + k])
            result.append(value)
    return bytes(result)


MIX = (2, 3, 1, 1)
INV_MIX = (14, 11, 13, 9)


def expand_key(key: bytes) -> list[bytes]:
    """Round keys 0 ... rounds, FIPS 197, 5.2."""
    sbox = reference_sbox()
    nk = len(key) // 4
    words = [key[4 * i : 4 * i + 4] for i in range(nk)]
    rcon = 1
    for i in range(nk, 4 * (nk + 7)):
        word = words[-1]
        if i % nk == 0:
            word = bytes(sbox[b] for b in word[1:] + word[:1])
            word = bytes([word[0] ^ rcon]) + word[1:]
            rcon = multiply(rcon, 2)
        elif nk == 8 and i % nk == 4:
            word = bytes(sbox[b] for b in word)
        words.append(bytes(a ^ b for a, b in zip(words[-nk], word, strict=True)))
    return [b"".join(words[i : i + 4]) for i in range(0, len(words), 4)]


class Function(wiring.Component):
    """A combinational function from *width* bits to as many."""

    def __init__(self, width: int, function: Callable) -> None:
        self.function = function
        super().__init__({"i": In(width), "o": Out(width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.o.eq(self.function(m, self.i))
        return m


def evaluate(width: int, function: Callable, arguments: list[bytes]) -> list[bytes]:
    """The function of each argument, from Amaranth's simulator."""
    dut = Function(width, function)
    results = []

    async def bench(context):
        for argument in arguments:
            context.set(dut.i, from_bytes(argument))
            await Delay(1e-9)
            results.append(to_bytes(context.get(dut.o), width // 8))

    simulator = Simulator(dut)
    simulator.add_testbench(bench)
    simulator.run()
    return results


class AESBench(wiring.Component):
    """A key schedule that feeds both pipelines and the sequential decrypter; blocks go to all of them."""

    def __init__(self, key_bits: int, registers_per_round: int, slots: int, whitening_register: bool) -> None:
        self.schedule = KeySchedule(key_bits)
        options = {"whitening_register": whitening_register}
        self.encrypter = AESEncryptPipeline(key_bits, registers_per_round, slots, **options)
        self.decrypter = AESDecryptPipeline(key_bits, registers_per_round, slots, **options)
        self.sequential = AESDecryptSequential(key_bits, slots)
        super().__init__({
            "key": In(key_bits), "key_start": In(1), "key_erase": In(1), "key_slot": In(slot_shape(slots)),
            "key_busy": Out(1), "key_done": Out(1),
            "i": In(128), "slot": In(slot_shape(slots)), "start": In(1),
            "encrypted": Out(128), "decrypted": Out(128), "sequential_o": Out(128),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.schedule = self.schedule
        m.d.comb += [
            self.schedule.key.eq(self.key), self.schedule.start.eq(self.key_start),
            self.schedule.erase.eq(self.key_erase), self.key_busy.eq(self.schedule.busy),
            self.key_done.eq(self.schedule.done), self.sequential.start.eq(self.start),
            self.encrypted.eq(self.encrypter.o), self.decrypted.eq(self.decrypter.o),
            self.sequential_o.eq(self.sequential.o),
        ]
        for name in ("encrypter", "decrypter", "sequential"):
            unit = getattr(self, name)
            m.submodules[name] = unit
            m.d.comb += [
                unit.i.eq(self.i), unit.slot.eq(self.slot), unit.key_we.eq(self.schedule.we),
                unit.key_slot.eq(self.key_slot), unit.key_round.eq(self.schedule.round),
                unit.key_data.eq(self.schedule.data if name == "encrypter" else self.schedule.data_dec),
            ]
        return m


class AESBenchSimulation:
    """The built bench. *parameters* are those of AESBench."""

    def __init__(self, *parameters) -> None:
        self.design = AESBench(*parameters)
        self.key_bytes = parameters[0] // 8
        self.slots = parameters[2]
        text = rtlil.convert(self.design, name="aes_bench")
        self.simulation = Simulation.of(text, "aes_bench", optimize=0)
        self.simulation.reset()

    def request_key(self, slot: int, key: bytes | None) -> None:
        """One cycle that starts loading *key*, or erasing if it is None."""
        self.simulation.set("key_slot", slot)
        self.simulation.set("key", from_bytes(key or b""))
        self.simulation.set("key_erase" if key is None else "key_start", 1)
        self.simulation.step()
        self.simulation.set("key", 0)
        self.simulation.set("key_start", 0)
        self.simulation.set("key_erase", 0)

    def load(self, slot: int, key: bytes | None) -> int:
        """Loads or erases, up to and with the cycle of ``done``; cycles from the request to that one."""
        self.request_key(slot, key)
        cycles = 1
        while not self.simulation.get("key_done"):
            self.simulation.step()
            cycles += 1
        self.simulation.step()
        return cycles
