# SPDX-License-Identifier: Apache-2.0
"""Mix, a block cipher for tests of engines: blocks of 128 bits, a round key for each 64 bits of the key, a few cycles.

A round adds a constant and turns, so that carries and places both count; the decrypter has round keys of its own form::

    x ──▶ ^ (K_r ‖ K_r) ──▶ + C mod 2^128 ──▶ <<< 29 ──▶ next round        K_r    64 bits of the key
                                                                           ~K_r   what the decrypter is given

It hides nothing.  An engine with its cores is simulated in a second where one with AES takes minutes.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.ciphers import BlockCipher, CoreRequest, CoreTiming
from modeloom.spec.mode import DIRECTIONS

BITS, KEY_BITS, TURN = 128, 64, 29
CONSTANT = 0x9E3779B97F4A7C15F39CC0605CEDC835
MASK = (1 << BITS) - 1
WHOLE = 1 << KEY_BITS | 1
"""K ‖ K is K times this."""


def round_keys(key: bytes) -> list[tuple[int, int]]:
    """Both forms of the round keys."""
    words = [int.from_bytes(key[at : at + 8], "little") for at in range(0, len(key), 8)]
    return [(word, word ^ (1 << KEY_BITS) - 1) for word in words]


class Mix:
    """The keyed cipher on bytes, any number of whole blocks."""

    def __init__(self, key: bytes):
        self.keys = [first * WHOLE for first, _ in round_keys(key)]

    def encrypt(self, blocks: bytes) -> bytes:
        """Blocks enciphered one by one."""
        return self._each(blocks, self._encrypt)

    def decrypt(self, blocks: bytes) -> bytes:
        """Blocks deciphered one by one."""
        return self._each(blocks, self._decrypt)

    @staticmethod
    def _each(blocks: bytes, step: Any) -> bytes:
        numbers = (int.from_bytes(blocks[at : at + 16], "little") for at in range(0, len(blocks), 16))
        return b"".join(step(number).to_bytes(16, "little") for number in numbers)

    def _encrypt(self, x: int) -> int:
        for key in self.keys:
            x = (x ^ key) + CONSTANT & MASK
            x = (x << TURN | x >> BITS - TURN) & MASK
        return x

    def _decrypt(self, x: int) -> int:
        for key in reversed(self.keys):
            x = (x >> TURN | x << BITS - TURN) & MASK
            x = (x - CONSTANT & MASK) ^ key
        return x


class MixCore(wiring.Component):
    """An "enc", "dec" or "both" core; a block a cycle, or a sequential one that starts when it is told and holds its result."""

    def __init__(self, core: str, sequential: bool, rounds: int, latency: int, slots: int):
        self.core, self.sequential, self.rounds, self.latency, self.slots = core, sequential, rounds, latency, slots
        slot = range(max(2, slots))
        ports: dict[str, Any] = {
            "i": In(BITS), "slot": In(slot), "o": Out(BITS),
            "key_we": In(1), "key_slot": In(slot), "key_round": In(range(max(2, rounds))), "key_data": In(KEY_BITS),
        }  # fmt: skip
        if sequential:
            ports["start"] = In(1)
        if core == "both":
            ports |= {"decrypt": In(1), "key_data_dec": In(KEY_BITS)}
        super().__init__(ports)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        ways = {"enc": ("key_data",), "dec": ("key_data",), "both": ("key_data", "key_data_dec")}[self.core]
        results = []
        for data in ways:
            decrypts = self.core == "dec" or data == "key_data_dec"
            results.append(self._crypted(m, data, decrypts))
        value: Value = Mux(self.decrypt, results[1], results[0]) if self.core == "both" else results[0]
        at_work: Value = self.start if self.sequential else Value.cast(1)
        for cycle in range(self.latency):
            last = cycle == self.latency - 1
            reg = Signal(BITS, name=f"value{cycle}_reg")
            with m.If(at_work if self.sequential and last else 1):
                m.d.sync += reg.eq(value)
            value = reg
            if self.sequential and not last:
                began = Signal(name=f"began{cycle}_reg")
                m.d.sync += began.eq(at_work)
                at_work = began
        m.d.comb += self.o.eq(value)
        return m

    def _crypted(self, m: Module, data: str, decrypts: bool) -> Value:
        keys = []
        for r in range(self.rounds):
            held = [Signal(KEY_BITS, name=f"{data}{r}_{slot}_reg", reset_less=True) for slot in range(self.slots)]
            for slot, reg in enumerate(held):
                with m.If(self.key_we & (self.key_slot == slot) & (self.key_round == r)):
                    m.d.sync += reg.eq(getattr(self, data))
            key = Array(held)[self.slot]
            keys.append((~key if decrypts else key).replicate(2))
        x: Value = self.i
        for r in range(self.rounds):
            step = Signal(BITS, name=f"{data}_step{r}")
            if decrypts:
                m.d.comb += step.eq((x.rotate_right(TURN) - CONSTANT) ^ keys[-1 - r])
            else:
                m.d.comb += step.eq((((x ^ keys[r]) + CONSTANT)[:BITS]).rotate_left(TURN))
            x = step
        return x


def _timing(request: CoreRequest) -> CoreTiming:
    rounds = request.key_bits // KEY_BITS
    return CoreTiming(rounds + 1, 1) if request.form == "pipelined" else CoreTiming(rounds + 2, rounds + 1)


def _hardware(request: CoreRequest) -> MixCore:
    core = {"encrypt": "enc", "decrypt": "dec", "both": "both"}[request.direction]
    return MixCore(core, request.form == "sequential", request.key_bits // KEY_BITS, _timing(request).latency, request.slots)


def _no_schedule(key_bits: int) -> Any:
    raise NotImplementedError("the tests write round keys themselves")


MIX = BlockCipher(
    name="mix",
    block_bytes=BITS // 8,
    key_bits=(128, 192, 256),
    round_keys=lambda key_bits: key_bits // KEY_BITS,
    round_key_bits=KEY_BITS,
    pipelined=DIRECTIONS,
    sequential=DIRECTIONS,
    timing=_timing,
    software=Mix,
    hardware=_hardware,
    key_schedule=_no_schedule,
)
"""Mix as the compiler knows it."""
