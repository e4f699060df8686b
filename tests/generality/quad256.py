# SPDX-License-Identifier: Apache-2.0
"""Quad256, a block cipher for tests alone: blocks, keys and round keys of 256 bits, 20 rounds.

A block is four words of 64 bits, a0 in bits [63:0]; column j is bit j of each word::

    x_0 = p ^ K_0        x_r = L(S(x_(r-1))) ^ K_r,  r = 1 … 20        c = x_20

    S    the S-box of NOEKEON on each of the 64 columns; its own inverse
    L    a1 ^= a0 <<< 13;  a3 ^= a2 <<< 29;  a0 ^= a3 <<< 41;  a2 ^= a1 <<< 5
    K    K_0 is the key, K_(r+1) = L(S(K_r)) ^ (r + 1)

The decrypter adds L^-1(K_r) behind L^-1, as AES has it in the equivalent inverse cipher, so the key schedule gives two forms of a round
key.  Nobody has analysed it: it is for tests, where it differs from AES in all that a cipher may differ in.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.ciphers import BlockCipher, CoreTiming

BITS, ROUNDS = 256, 20
STEPS = ((1, 0, 13), (3, 2, 29), (0, 3, 41), (2, 1, 5))
"""L: word, word that is added to it, distance of its rotation."""


# -- software ---------------------------------------------------------------------------------------------------------

MASK = (1 << 64) - 1


def _words(block: int) -> list[int]:
    return [block >> 64 * n & MASK for n in range(4)]


def _block(a: list[int]) -> int:
    return sum(word << 64 * n for n, word in enumerate(a))


def substitute(block: int) -> int:
    """S on a number."""
    a0, a1, a2, a3 = _words(block)
    a1 ^= (a3 | a2) ^ MASK
    a3, a0 = a0 ^ (a2 & a1), a3
    a2 ^= a0 ^ a1 ^ a3
    a1 ^= (a3 | a2) ^ MASK
    return _block([a0 ^ (a2 & a1), a1, a2, a3])


def mix(block: int, inverse: bool = False) -> int:
    """L or its inverse on a number."""
    a = _words(block)
    for target, source, distance in reversed(STEPS) if inverse else STEPS:
        a[target] ^= (a[source] << distance | a[source] >> 64 - distance) & MASK
    return _block(a)


class Quad256:
    """The keyed cipher on bytes, any number of whole blocks."""

    def __init__(self, key: bytes):
        if len(key) != BITS // 8:
            raise ValueError(f"a Quad256 key has {BITS // 8} bytes, not {len(key)}")
        self.round_keys = [int.from_bytes(key, "little")]
        for r in range(ROUNDS):
            self.round_keys.append(mix(substitute(self.round_keys[r])) ^ (r + 1))

    def encrypt(self, blocks: bytes) -> bytes:
        """Blocks enciphered one by one."""
        return self._each(blocks, self._encrypt)

    def decrypt(self, blocks: bytes) -> bytes:
        """Blocks deciphered one by one."""
        return self._each(blocks, self._decrypt)

    @staticmethod
    def _each(blocks: bytes, step: Any) -> bytes:
        size = BITS // 8
        numbers = (int.from_bytes(blocks[at : at + size], "little") for at in range(0, len(blocks), size))
        return b"".join(step(number).to_bytes(size, "little") for number in numbers)

    def _encrypt(self, x: int) -> int:
        x ^= self.round_keys[0]
        for key in self.round_keys[1:]:
            x = mix(substitute(x)) ^ key
        return x

    def _decrypt(self, x: int) -> int:
        for key in reversed(self.round_keys[1:]):
            x = substitute(mix(x ^ key, inverse=True))
        return x ^ self.round_keys[0]


# -- hardware ---------------------------------------------------------------------------------------------------------


def _named(m: Module, value: Value) -> Signal:
    signal = Signal(len(value))
    m.d.comb += signal.eq(value)
    return signal


def _substituted(m: Module, block: Value) -> Value:
    a0, a1, a2, a3 = (block[64 * n : 64 * n + 64] for n in range(4))
    b1 = _named(m, a1 ^ ~(a3 | a2))
    b3 = _named(m, a0 ^ (a2 & b1))
    b2 = _named(m, a2 ^ a3 ^ b1 ^ b3)
    c1 = _named(m, b1 ^ ~(b3 | b2))
    return Cat(a3 ^ (b2 & c1), c1, b2, b3)


def _mixed(m: Module, block: Value, inverse: bool = False) -> Value:
    a: list[Value] = [block[64 * n : 64 * n + 64] for n in range(4)]
    for target, source, distance in reversed(STEPS) if inverse else STEPS:
        a[target] = _named(m, a[target] ^ a[source].rotate_left(distance))
    return Cat(a)


class QuadPipeline(wiring.Component):
    """Encrypter or decrypter, a block every cycle, with the ports of ``AESPipeline``.

    ``stages`` registers a round: behind L and the round key, and with two behind S as well.  Latency 20 * ``stages`` + 1 cycles.
    """

    def __init__(self, inverse: bool, stages: int, slots: int):
        self.inverse, self.stages, self.slots = inverse, stages, slots
        self.latency = _latency(stages)
        slot = range(max(2, slots))
        super().__init__({
            "i": In(BITS),
            "slot": In(slot),
            "o": Out(BITS),
            "key_we": In(1),
            "key_slot": In(slot),
            "key_round": In(range(ROUNDS + 1)),
            "key_data": In(BITS),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        travel: list[Value] = [self.slot]
        for n in range(1, self.latency):
            slot_reg = Signal(self.slot.shape(), name=f"slot_{n}_reg", reset_less=True)
            m.d.sync += slot_reg.eq(travel[-1])
            travel.append(slot_reg)

        def round_key(index: int, cycle: int) -> Value:
            keys = [Signal(BITS, name=f"key_{index}_{slot}_reg", reset_less=True) for slot in range(self.slots)]
            for slot, key in enumerate(keys):
                with m.If(self.key_we & (self.key_round == index) & (self.key_slot == slot)):
                    m.d.sync += key.eq(self.key_data)
            return Array(keys)[travel[cycle]] if self.slots > 1 else keys[0]

        def register(value: Value, name: str) -> Signal:
            reg = Signal(BITS, name=name, reset_less=True)
            m.d.sync += reg.eq(value)
            return reg

        first, *others = range(ROUNDS, -1, -1) if self.inverse else range(ROUNDS + 1)
        whitened = _mixed(m, self.i, inverse=True) if self.inverse else self.i
        x = register(whitened ^ round_key(first, 0), "whitened_reg")
        for n, index in enumerate(others, start=1):
            x = _substituted(m, x)
            if self.stages == 2:
                x = register(x, f"substituted_{n}_reg")
            if not self.inverse:
                x = _mixed(m, x)
            elif index:
                x = _mixed(m, x, inverse=True)
            x = register(x ^ round_key(index, n * self.stages), f"round_{n}_reg")
        m.d.comb += self.o.eq(x)
        return m


class QuadKeySchedule(wiring.Component):
    """A round key a cycle, in both forms; the ports are those of ``rtl.bus.key_schedule_signature`` seen from outside."""

    def __init__(self) -> None:
        super().__init__({
            "start": In(1),
            "erase": In(1),
            "key": In(BITS),
            "we": Out(1),
            "round": Out(range(ROUNDS + 1)),
            "data": Out(BITS),
            "data_dec": Out(BITS),
            "busy": Out(1),
            "done": Out(1),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        key_reg = Signal(BITS)
        busy_reg = Signal()
        erasing_reg = Signal()
        round_reg = Signal(range(ROUNDS + 1))
        last = Signal()
        m.d.comb += [
            last.eq(round_reg == ROUNDS), self.busy.eq(busy_reg), self.we.eq(busy_reg), self.done.eq(busy_reg & last),
            self.round.eq(round_reg), self.data.eq(key_reg),
            self.data_dec.eq(Mux(round_reg == 0, key_reg, _mixed(m, key_reg, inverse=True))),
        ]  # fmt: skip
        with m.If(self.done):
            m.d.sync += [reg.eq(0) for reg in (key_reg, busy_reg, erasing_reg, round_reg)]
        with m.Elif(busy_reg):
            m.d.sync += round_reg.eq(round_reg + 1)
            with m.If(~erasing_reg):
                m.d.sync += key_reg.eq(_mixed(m, _substituted(m, key_reg)) ^ (round_reg + 1))
        with m.Elif(self.erase):
            m.d.sync += [busy_reg.eq(1), erasing_reg.eq(1)]
        with m.Elif(self.start):
            m.d.sync += [busy_reg.eq(1), key_reg.eq(self.key)]
        return m


# -- description ------------------------------------------------------------------------------------------------------


def _latency(stages: int) -> int:
    return ROUNDS * stages + 1


QUAD256 = BlockCipher(
    name="quad256",
    block_bytes=32,
    key_bits=(256,),
    round_keys=lambda key_bits: ROUNDS + 1,
    round_key_bits=BITS,
    most_stages=2,
    timing=lambda request: CoreTiming(_latency(request.stages), 1),
    software=Quad256,
    hardware=lambda request: QuadPipeline(request.direction == "decrypt", request.stages, request.slots),
    key_schedule=lambda key_bits: QuadKeySchedule(),
)
"""Quad256 as the compiler knows it."""
