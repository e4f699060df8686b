# SPDX-License-Identifier: Apache-2.0
"""Pipelines for keys of several sizes: any slot after any other, all in the same number of cycles."""

from __future__ import annotations

import random
from typing import Any

import pytest
from amaranth.back import rtlil
from tests.built import slow, slowly
from tests.rtl.aes.bench import decrypt, encrypt, encrypt_with, from_bytes, to_bytes
from tests.rtl.aes.published import published

from modeloom.rtl.aes.pipeline import AESPipeline, KeySizes
from modeloom.sim import Simulation
from modeloom_golden.aes_steps import inverse_form, round_keys

# Some components are made only to be asked for their figures, or to be refused.
pytestmark = pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")

ALL = (128, 192, 256)


class Pipeline:
    """A pipeline in simulation."""

    def __init__(self, component: AESPipeline):
        self.component = component
        self.sizes = component.sizes.sizes
        self.simulation = Simulation.of(rtlil.convert(component, name="aes"), "aes", optimize=0)
        self.simulation.reset()

    def step(self, **values: int) -> None:
        for name, value in values.items():
            self.simulation.set(name, value)
        self.simulation.step()

    def load(self, slot: int, key: bytes) -> None:
        """A key into a slot that has been erased."""
        self.erase(slot)
        plain = round_keys(key)
        self.write(slot, self.sizes.index(8 * len(key)), list(zip(plain, inverse_form(plain), strict=True)))

    def erase(self, slot: int) -> None:
        zeros = (bytes(16), bytes(16))
        self.write(slot, self.sizes.index(max(self.sizes)), [zeros] * (self.component.rounds + 1))

    def write(self, slot: int, length: int, keys: list[tuple[bytes, bytes]]) -> None:
        for number, (plain, inverse) in enumerate(keys):
            direction = self.component.direction
            values = {"key_data": from_bytes(inverse if direction == "decrypt" else plain)}
            if direction == "both":
                values["key_data_dec"] = from_bytes(inverse)
            self.step(key_we=1, key_slot=slot, key_round=number, key_length=length, **values)
        self.simulation.set("key_we", 0)

    def run(self, jobs: list[tuple[int, bool, bytes]]) -> list[bytes]:
        """Slot, direction and block in successive cycles; results after the pipeline's latency."""
        found = []
        for slot, decrypts, block in jobs + [(0, False, bytes(16))] * self.component.latency:
            way = {"decrypt": int(decrypts)} if self.component.direction == "both" else {}
            self.simulation.set("slot", slot)
            self.simulation.set("i", from_bytes(block))
            for name, value in way.items():
                self.simulation.set(name, value)
            found.append(to_bytes(self.simulation.get("o")))
            self.simulation.step()
        return found[self.component.latency :]


def directions(component: AESPipeline) -> list[bool]:
    return {"encrypt": [False], "decrypt": [True], "both": [False, True]}[component.direction]


def expected(jobs: list[tuple[int, bool, bytes]], keys: list[bytes]) -> list[bytes]:
    return [(decrypt if decrypts else encrypt)(keys[slot], block) for slot, decrypts, block in jobs]


def build(sizes: tuple[int, ...], registers: int, slots: int, **options: Any) -> Pipeline:
    return Pipeline(AESPipeline(sizes[0], registers, slots, more_key_bits=sizes[1:], **options))


CONFIGURATIONS = [
    ((128, 192, 256), 1, 4, {}),
    ((256, 128), 2, 65, {"key_memory": "block"}),
]
CONFIGURATIONS += slowly(
    ((192, 128), 2, 1, {}),
    ((256, 192, 128), 2, 16, {"mixcolumns": "lut6"}),
    ((256, 192), 3, 5, {}),
    ((128, 256, 192), 4, 2, {}),
    ((256, 192, 128), 1, 4, {"sbox": "bram"}),
    ((256, 192, 128), 4, 4, {"sbox": "bram"}),
    ((256, 192, 128), 2, 3, {"sbox": "composite"}),
    ((256, 192, 128), 1, 4, {"direction": "decrypt"}),
    ((128, 192, 256), 2, 100, {"direction": "decrypt", "mixcolumns": "lut6", "key_memory": "block"}),
    ((256, 192, 128), 1, 4, {"direction": "both"}),
    ((128, 256), 2, 4, {"direction": "both", "mixcolumns": "lut6"}),
    ((256, 192, 128), 2, 3, {"direction": "both", "sbox": "bram"}),
    ((256, 192, 128), 3, 2, {"direction": "both", "key_memory": "block"}),
)


@pytest.mark.parametrize(("sizes", "registers", "slots", "options"), CONFIGURATIONS, ids=str)
def test_sizes_mixed_in_every_cycle(sizes, registers, slots, options):
    """Random slots in successive cycles, keys of other sizes loaded into slots that others had, and erased slots."""
    pipeline = build(sizes, registers, slots, **options)
    component = pipeline.component
    rng = random.Random(1)
    keys = [b""] * slots
    ways = directions(component)
    block = bytes.fromhex("00112233445566778899aabbccddeeff")
    used = sorted({0, slots - 1, *(rng.randrange(slots) for _ in range(4))})
    for turn in range(3):
        for n, slot in enumerate(used):
            keys[slot] = rng.randbytes(sizes[(n + turn) % len(sizes)] // 8)
            pipeline.load(slot, keys[slot])
        jobs = [(rng.choice(used), rng.choice(ways), rng.randbytes(16)) for _ in range(60)]
        assert pipeline.run(jobs) == expected(jobs, keys)
        # What is loaded leaves other slots alone; an erased one has zeros.
        if slots > 1:
            pipeline.erase(used[0])
            zeros = encrypt_with([bytes(16) for _ in range(component.rounds + 1)], block)
            jobs = [(used[-1], ways[0], block)]
            assert pipeline.run(jobs) == expected(jobs, keys)
            if component.direction != "decrypt":
                assert pipeline.run([(used[0], False, block)]) == [zeros]


def test_published_vectors_mixed():
    """FIPS 197, NIST's CAVP files and those of Botan: keys of the three sizes in turn, a block of another one in each cycle."""
    mixed_vectors(build((256, 192, 128), 1, 16), 9)


@slow
@pytest.mark.parametrize("registers", [1, 2])
def test_all_published_vectors_mixed(registers):
    mixed_vectors(build((256, 192, 128), registers, 16), 1)


def mixed_vectors(pipeline: Pipeline, step: int) -> None:
    by_size = [[*published(bits).items()][::step] for bits in ALL]
    chosen = [entry for n in range(max(map(len, by_size))) for entries in by_size for entry in entries[n : n + 1]]
    slots = pipeline.component.slots
    for first in range(0, len(chosen), slots):
        group = chosen[first : first + slots]
        for slot, (key, _) in enumerate(group):
            pipeline.load(slot, key)
        tests = [
            (slot, pair) for n in range(max(len(pairs) for _, pairs in group)) for slot, (_, pairs) in enumerate(group)
            for pair in pairs[n : n + 1]
        ]  # fmt: skip
        found = pipeline.run([(slot, False, plain) for slot, (plain, _) in tests])
        assert found == [cipher for _, (_, cipher) in tests]


def test_a_shorter_key_leaves_nothing_of_a_longer_one():
    """All that the memories hold after a key of 256 bits, an erasure and a key of 128 bits: the round keys of the latter, and zeros."""
    pipeline = build((256, 128), 1, 2)
    pipeline.load(1, bytes(range(32)))
    short = bytes(range(100, 116))
    pipeline.load(1, short)
    objects = pipeline.simulation.objects
    memories = [name for name, port in objects.items() if port.kind == "memory" and port.width == 128]
    held = sorted(pipeline.simulation.get(name, 1) for name in memories)
    assert held == sorted([0] * 4 + [from_bytes(key) for key in round_keys(short)])


@pytest.mark.parametrize(
    ("sizes", "rounds", "skips"),
    [
        ((128, 192, 256), 14, [(1, 2, (True, True, False)), (3, 4, (True, False, False))]),
        ((256, 128), 14, [(1, 4, (False, True))]),
        ((192, 128), 12, [(1, 2, (False, True))]),
        ((192,), 12, []),
    ],
)
def test_skipped_rounds(sizes, rounds, skips):
    of = KeySizes(sizes)
    assert of.rounds == rounds and [(skip.first, skip.last, skip.lengths) for skip in of.skips] == skips


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"more_key_bits": (64,)}, ValueError, "key_bits must be 128, 192 or 256, not 64"),
        ({"more_key_bits": (256, 256)}, ValueError, "key sizes must differ, not 128, 256, 256"),
        ({"more_key_bits": (256,), "whitening_register": False}, ValueError, "several key sizes need whitening_register"),
        ({"key_memory": "lut"}, ValueError, "key_memory must be one of distributed, block, not 'lut'"),
    ],
)
def test_parameters_are_checked(arguments, error, message):
    with pytest.raises(error, match=message):
        AESPipeline(**arguments)


def test_latency():
    """It is that of the longest key, and two cycles more with block memories."""
    assert AESPipeline(128, 2, 4, more_key_bits=(256,)).latency == 29
    assert AESPipeline(128, 2, 4, more_key_bits=(192,), key_memory="block").latency == 27
    assert AESPipeline(128, 2, 1, key_memory="block").latency == 21
