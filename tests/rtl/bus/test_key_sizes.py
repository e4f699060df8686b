# SPDX-License-Identifier: Apache-2.0
"""Packets with keys of several sizes, through the key port, a key schedule and a pipeline to ciphertexts: the length of a packet is the
size of its key.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from tests.generality.two_sizes import TWO_SIZES

from modeloom.ciphers import AES, BlockCipher, CoreRequest
from modeloom.cycles import FENCE_CYCLES
from modeloom.rtl.bus import KeyParameters
from modeloom.rtl.bus.key_port import KeyPort
from modeloom.rtl.bus.parameters import packet_ends
from modeloom.sim import Simulation

SLOTS = 3
PATIENCE = 300


class Chain(wiring.Component):
    """Key port, key schedule and pipeline; a set-up takes three cycles."""

    def __init__(self, cipher: BlockCipher, sizes: tuple[int, ...], before: int):
        self.cipher, self.sizes = cipher, sizes
        self.keys = KeyParameters(
            slots=SLOTS, cipher_key_bits=sizes[0], more_key_bits=sizes[1:], raw_words_before=before, words=before,
            round_keys=max(cipher.round_keys(bits) for bits in sizes), round_key_bits=cipher.round_key_bits,
        )  # fmt: skip
        request = CoreRequest(direction="encrypt", form="pipelined", key_bits=sizes[0], more_key_bits=sizes[1:], stages=1, slots=SLOTS)
        self.pipeline = cipher.hardware(request)
        self.latency = self.pipeline.latency
        super().__init__({
            "valid": In(1), "ready": Out(1), "data": In(128), "keep": In(16), "last": In(1), "slot": In(8), "erase": In(1),
            "slot_busy": In(1), "loaded": Out(SLOTS), "busy": Out(1), "error": Out(1),
            "i": In(128), "use": In(2), "o": Out(128), "rk_we": Out(1), "rk_data": Out(128), "word_we": Out(1), "word": Out(128),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.port = port = KeyPort(self.keys)
        m.submodules.schedule = schedule = self.cipher.expander(self.sizes)
        m.submodules.pipeline = pipeline = self.pipeline
        wiring.connect(m, port.schedule, schedule)
        beat, setup, round_key, word = port.key.payload, port.preparation.setup, port.preparation.round_key, port.preparation.word
        waited = Signal(2)
        m.d.sync += waited.eq((waited + 1)[:2] & setup.request.replicate(2))
        m.d.comb += [
            port.key.valid.eq(self.valid), self.ready.eq(port.key.ready), beat.data.eq(self.data), beat.keep.eq(self.keep),
            beat.last.eq(self.last), beat.slot.eq(self.slot), beat.erase.eq(self.erase),
            port.in_use.busy.eq(self.slot_busy), setup.done.eq(waited == 3),
            self.loaded.eq(port.state.loaded), self.busy.eq(port.state.busy), self.error.eq(port.state.error),
            pipeline.i.eq(self.i), pipeline.slot.eq(self.use), self.o.eq(pipeline.o),
            pipeline.key_we.eq(round_key.we), pipeline.key_slot.eq(round_key.slot), pipeline.key_round.eq(round_key.round),
            pipeline.key_data.eq(round_key.data), pipeline.key_length.eq(round_key.length),
            self.rk_we.eq(round_key.we), self.rk_data.eq(round_key.data), self.word_we.eq(word.we), self.word.eq(word.data),
        ]  # fmt: skip
        return m


class Host:
    """Sends packets and blocks."""

    def __init__(self, chain: Chain):
        self.chain, self.rng = chain, random.Random(3)
        self.sim = Simulation.of(rtlil.convert(chain, name="chain"), "chain", optimize=0)
        self.sim.reset()
        self.words: list[int] = []

    def step(self) -> None:
        if self.sim.get("word_we"):
            self.words.append(self.sim.get("word"))
        self.sim.step()

    def packet(self, slot: int, packet: bytes, *, keep: int | None = None, erase: bool = False, gap: int = 0) -> int:
        """A packet, up to the cycle in which the port is idle again; the cycles that it took.  Bytes outside tkeep are anything."""
        sim, cycle = self.sim, self.sim.cycle
        chunks = [packet[at : at + 16] for at in range(0, len(packet), 16)] or [b""]
        for number, chunk in enumerate(chunks):
            last = number == len(chunks) - 1
            mask = keep if last and keep is not None else (1 << len(chunk)) - 1
            data = int.from_bytes(chunk + self.rng.randbytes(16 - len(chunk)), "little")
            for name, value in (("data", data), ("keep", mask), ("last", last), ("slot", slot), ("erase", erase), ("valid", 1)):
                sim.set(name, int(value))
            for _ in range(PATIENCE):
                taken = sim.get("ready")
                self.step()
                if taken:
                    break
            sim.set("valid", 0)
            for _ in range(gap):
                self.step()
        for _ in range(PATIENCE):
            if not sim.get("busy"):
                return sim.cycle - cycle
            self.step()
        raise AssertionError("the key port is not idle again")

    def load(self, slot: int, key: bytes, before: bytes = b"", gap: int = 0) -> int:
        cycles = self.packet(slot, before + key, gap=gap)
        assert self.sim.get("loaded") >> slot & 1 and not self.sim.get("error")
        return cycles

    def encrypt(self, slots: list[int]) -> Iterator[tuple[int, bytes, bytes]]:
        """Slot, block and result of random blocks in successive cycles."""
        blocks = [self.rng.randbytes(16) for _ in slots]
        found = []
        for number in range(len(slots) + self.chain.latency):
            at_work = number < len(slots)
            self.sim.set("use", slots[number] if at_work else 0)
            self.sim.set("i", int.from_bytes(blocks[number], "little") if at_work else 0)
            found.append(self.sim.get("o").to_bytes(16, "little"))
            self.step()
        return zip(slots, blocks, found[self.chain.latency :], strict=True)

    def check(self, keys: dict[int, bytes]) -> None:
        """The slots encrypt under their keys, a block of another slot in each cycle."""
        slots = [slot for _ in range(5) for slot in keys]
        for slot, block, result in self.encrypt(slots):
            assert result == self.chain.cipher.software(keys[slot]).encrypt(block), slot

    def held(self, slot: int) -> list[int]:
        """All round keys of a slot."""
        memories = [name for name, port in self.sim.objects.items() if port.kind == "memory" and port.width == 128 and port.depth == SLOTS]
        assert len(memories) == self.chain.keys.round_keys
        return [self.sim.get(name, slot) for name in memories]


SIZES = (256, 192, 128)


@pytest.fixture(scope="module")
def aes() -> Host:
    return Host(Chain(AES, SIZES, 0))


@pytest.fixture(scope="module")
def own() -> Host:
    """A cipher of the tests' own, whose keys come behind a word."""
    return Host(Chain(TWO_SIZES, (128, 256), 1))


def test_keys_of_all_sizes_in_all_slots(aes: Host) -> None:
    keys: dict[int, bytes] = {}
    for turn in range(6):
        slot, bits = turn % SLOTS, SIZES[(turn + turn // SLOTS) % len(SIZES)]
        keys[slot] = aes.rng.randbytes(bits // 8)
        aes.load(slot, keys[slot], gap=turn % 2)
        aes.check(keys)


def test_other_lengths_are_refused(aes: Host) -> None:
    """The slot is empty and overwritten, and other slots go on."""
    other = aes.rng.randbytes(24)
    aes.load(0, other)
    for wrong in (1, 8, 15, 17, 23, 25, 31, 33, 40, 47, 48, 49, 64, 70):
        aes.load(1, aes.rng.randbytes(aes.rng.choice(SIZES) // 8))
        assert any(aes.held(1))
        aes.packet(1, aes.rng.randbytes(wrong))
        assert aes.sim.get("error") and aes.sim.get("loaded") & 0b11 == 0b01 and not any(aes.held(1)), wrong
    aes.check({0: other})


@pytest.mark.parametrize(
    ("length", "keep"), [(16, 0xFFFE), (16, 0xFF0F), (24, 0xFE), (24, 0x1FF), (32, 0x7FFF), (32, 0xFEFF), (24, 0xFFF0)]
)
def test_holes_in_tkeep_are_refused(aes: Host, length: int, keep: int) -> None:
    aes.packet(2, aes.rng.randbytes(length), keep=keep)
    assert aes.sim.get("error") and not aes.sim.get("loaded") & 0b100 and not any(aes.held(2))


def test_a_shorter_key_leaves_nothing_of_a_longer_one(aes: Host) -> None:
    for before, after in ((256, 128), (192, 128), (256, 192), (128, 256)):
        aes.load(0, aes.rng.randbytes(before // 8))
        key = aes.rng.randbytes(after // 8)
        aes.load(0, key)
        assert aes.held(0).count(0) == (max(SIZES) - after) // 32
        aes.check({0: key})


def test_the_old_key_goes_before_the_new_one_comes(aes: Host) -> None:
    """Nothing but zeros is written until the first beat is taken, and then all round keys are zero, whatever the sizes are."""
    for old, new in ((256, 128), (128, 256), (192, 192)):
        aes.load(1, aes.rng.randbytes(old // 8))
        key = aes.rng.randbytes(new // 8)
        first = int.from_bytes(key[:16], "little")
        for name, value in (("data", first), ("keep", 0xFFFF), ("last", new == 128), ("slot", 1), ("valid", 1)):
            aes.sim.set(name, int(value))
        # While anything of the slot is in flight, nothing happens to it.
        aes.sim.set("slot_busy", 1)
        for _ in range(20):
            aes.step()
        assert any(aes.held(1)) and not aes.sim.get("loaded") & 0b10
        aes.sim.set("slot_busy", 0)
        for _ in range(aes.chain.keys.round_keys + FENCE_CYCLES):
            assert not (aes.sim.get("rk_we") and aes.sim.get("rk_data"))
            if taken := aes.sim.get("ready"):
                break
            aes.step()
        aes.step()
        assert taken and not any(aes.held(1))
        aes.sim.set("valid", 0)
        for _ in range(70):
            aes.step()
        if new > 128:
            aes.packet(1, key[16:])
        aes.check({1: key})


def test_erasure(aes: Host) -> None:
    for bits in SIZES:
        aes.load(1, aes.rng.randbytes(bits // 8))
        aes.packet(1, b"", erase=True)
        assert not aes.sim.get("error") and not aes.sim.get("loaded") & 0b10 and not any(aes.held(1))


def test_time_depends_on_the_length_only(aes: Host) -> None:
    """And not on the key, nor on that before it."""
    times: dict[int, set[int]] = {bits: set() for bits in SIZES}
    for bits in (256, 128, 192, 192, 256, 256, 128, 128, 192, 128):
        for key in (bytes(bits // 8), b"\xff" * (bits // 8), aes.rng.randbytes(bits // 8)):
            times[bits].add(aes.load(2, key))
    assert all(len(cycles) == 1 for cycles in times.values())


def test_a_word_before_the_key(own: Host) -> None:
    keys: dict[int, bytes] = {}
    for slot, bits in ((0, 256), (1, 128), (2, 256), (0, 128), (1, 256)):
        word, keys[slot] = own.rng.randbytes(16), own.rng.randbytes(bits // 8)
        own.words.clear()
        own.load(slot, keys[slot], word)
        # The old word is overwritten first.
        assert own.words == [0, int.from_bytes(word, "little")]
        own.check(keys)
    for wrong in (16, 24, 31, 33, 40, 47, 49, 64):
        own.packet(2, own.rng.randbytes(wrong))
        assert own.sim.get("error") and own.sim.get("loaded") == 0b011
    own.check({0: keys[0], 1: keys[1]})


@pytest.mark.parametrize(
    ("sizes", "before", "ends"),
    [
        ((128, 192, 256), 0, [(0, 0xFFFF), (1, 0xFF), (1, 0xFFFF)]),
        ((256, 128), 1, [(2, 0xFFFF), (1, 0xFFFF)]),
        ((64, 512), 0, [(0, 0xFF), (3, 0xFFFF)]),
    ],
)
def test_ends_of_packets(sizes: tuple[int, ...], before: int, ends: list[tuple[int, int]]) -> None:
    keys = KeyParameters(cipher_key_bits=sizes[0], more_key_bits=sizes[1:], raw_words_before=before, words=before)
    assert [(end.beat, end.keep) for end in packet_ends(keys)] == ends
    assert keys.packet_lengths == tuple(16 * before + bits // 8 for bits in sizes) and keys.packet_bytes == max(keys.packet_lengths)
    assert keys.lengths == keys.sizes == sizes and keys.sizes[keys.longest] == max(sizes)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"more_key_bits": (100,)}, "cipher_key_bits is a multiple of 64, not 100"),
        ({"more_key_bits": (576,)}, "cipher_key_bits is from 64 to 512, not 576"),
        ({"more_key_bits": (256, 256)}, "more_key_bits are other widths than 128, all different"),
        ({"more_key_bits": (128,)}, "more_key_bits are other widths than 128, all different"),
        ({"more_key_bits": (256,), "cipher_keys": 2}, "packets that end with their only cipher key"),
        ({"more_key_bits": (256,), "derived_keys": ((0,),), "words": 1}, "packets that end with their only cipher key"),
        ({"more_key_bits": (256,), "raw_words_after": 1, "words": 1}, "packets that end with their only cipher key"),
    ],
)
def test_parameters_are_checked(words: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        KeyParameters(**words)
