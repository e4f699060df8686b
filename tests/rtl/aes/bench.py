# SPDX-License-Identifier: Apache-2.0
"""A bench with one of each AES component, and plain references for what is inside a cipher.

Byte 0 of a block or key is bits [7:0] of its int.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from modeloom.rtl.aes.key_schedule import KeySchedule
from modeloom.rtl.aes.parameters import slot_shape


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


def encrypt_with(round_keys: list[bytes], block: bytes) -> bytes:
    """FIPS 197, 5.1, for any round keys."""
    state = bytes(a ^ b for a, b in zip(block, round_keys[0], strict=True))
    for key in round_keys[1:]:
        state = bytes(reference_sbox()[state[(r + 4 * (c + r)) % 16]] for c in range(4) for r in range(4))
        if key is not round_keys[-1]:
            state = multiply_columns(MIX, state)
        state = bytes(a ^ b for a, b in zip(state, key, strict=True))
    return state


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
            await context.delay(1e-9)
            results.append(to_bytes(context.get(dut.o), width // 8))

    simulator = Simulator(dut)
    simulator.add_testbench(bench)
    simulator.run()
    return results


class AESBench(wiring.Component):
    """A key schedule that feeds cipher units; each block goes to all of them.

    Parameters
    ----------
    slots : int
        As the units have.
    units : components
        By their names. Each output is the port ``<name>_o``; those of names with ``decrypt`` get the decrypters' keys.
    """

    def __init__(self, key_bits: int, slots: int, **units: wiring.Component) -> None:
        self.schedule = KeySchedule(key_bits)
        self.units = units
        self.slots = slots
        self.key_bytes = key_bits // 8
        super().__init__({
            "key": In(key_bits), "key_start": In(1), "key_erase": In(1), "key_slot": In(slot_shape(slots)),
            "key_busy": Out(1), "key_done": Out(1),
            "i": In(128), "slot": In(slot_shape(slots)), "start": In(1),
            **{f"{name}_o": Out(128) for name in units},
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.schedule = schedule = self.schedule
        m.d.comb += [
            schedule.key.eq(self.key), schedule.start.eq(self.key_start), schedule.erase.eq(self.key_erase),
            self.key_busy.eq(schedule.busy), self.key_done.eq(schedule.done),
        ]
        for name, unit in self.units.items():
            m.submodules[name] = unit
            m.d.comb += [
                unit.i.eq(self.i), unit.slot.eq(self.slot), getattr(self, f"{name}_o").eq(unit.o),
                unit.key_we.eq(schedule.we), unit.key_slot.eq(self.key_slot), unit.key_round.eq(schedule.round),
                unit.key_data.eq(schedule.data_dec if "decrypt" in name else schedule.data),
            ]
            if hasattr(unit, "start"):
                m.d.comb += unit.start.eq(self.start)
        return m

    def run(self, scenario: Callable) -> None:
        """Runs the coroutine *scenario*, of a :class:`Hand` on this bench, in Amaranth's simulator."""
        finished = []

        async def testbench(context):
            await scenario(Hand(self, context))
            finished.append(True)

        simulator = Simulator(self)
        simulator.add_clock(1e-6)
        simulator.add_testbench(testbench)
        simulator.run()
        assert finished


class Hand:
    """Inputs and outputs of a bench, cycle by cycle."""

    def __init__(self, bench: AESBench, context) -> None:
        self.bench, self.context = bench, context

    def set(self, **values: int | bytes) -> None:
        for name, value in values.items():
            self.context.set(getattr(self.bench, name), from_bytes(value) if isinstance(value, bytes) else value)

    def get(self, name: str) -> int:
        return self.context.get(getattr(self.bench, name))

    def block(self, unit: str) -> bytes:
        return to_bytes(self.get(f"{unit}_o"))

    async def tick(self) -> None:
        await self.context.tick()

    async def request_key(self, slot: int, key: bytes | None) -> None:
        """One cycle that starts loading *key*, or erasing if it is None."""
        self.set(key_slot=slot, key=key or 0, key_erase=key is None, key_start=key is not None)
        await self.tick()
        self.set(key=0, key_erase=0, key_start=0)

    async def load(self, slot: int, key: bytes | None) -> None:
        """Loads or erases, up to and with the cycle of ``key_done``."""
        await self.request_key(slot, key)
        while not self.get("key_done"):
            await self.tick()
        await self.tick()

    async def pump(self, blocks: list[bytes], slots: list[int], cycles: int) -> list[dict[str, bytes]]:
        """One block a cycle, then zeros; the outputs by unit, in each of *cycles* cycles."""
        outputs = []
        for n in range(cycles):
            self.set(i=blocks[n] if n < len(blocks) else 0, slot=slots[n] if n < len(slots) else 0)
            outputs.append({name: self.block(name) for name in self.bench.units})
            await self.tick()
        return outputs
