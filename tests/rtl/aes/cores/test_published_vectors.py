# SPDX-License-Identifier: Apache-2.0
"""Every core on all published vectors of its key size, in compiled simulation: FIPS 197, NIST's CAVP files, those of Botan."""

from __future__ import annotations

import pytest
from amaranth.back import rtlil
from tests.built import slow
from tests.rtl.aes.bench import from_bytes
from tests.rtl.aes.published import published

from modeloom.rtl.aes import AESPipeline, AESSequential
from modeloom.rtl.aes.sequential import AESSerial
from modeloom.sim import Simulation
from modeloom.spec.mode import DIRECTIONS
from modeloom_circuits.aes.rounds import AESMultiStream
from modeloom_golden.aes_steps import inverse_form, round_keys

pytestmark = pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")

class Core:
    """A core in simulation, with its round keys."""

    def __init__(self, component):
        self.component = component
        self.both = hasattr(component, "decrypt")
        self.simulation = Simulation.of(rtlil.convert(component, name="aes"), "aes", optimize=0)
        self.simulation.reset()

    def step(self, **values):
        for name, value in values.items():
            self.simulation.set(name, value)
        self.simulation.step()

    def load(self, key: bytes, backward_only: bool) -> None:
        plain = round_keys(key)
        pairs = [tuple(map(from_bytes, pair)) for pair in zip(plain, inverse_form(plain), strict=True)]
        self.keys = pairs
        if isinstance(self.component, AESMultiStream):
            return
        for index, (forward, backward) in enumerate(pairs):
            more = {"key_data_dec": backward} if self.both else {}
            self.step(key_we=1, key_round=index, key_data=backward if backward_only else forward, **more)
        self.simulation.set("key_we", 0)

    def way(self, decrypt: bool) -> dict[str, int]:
        return {"decrypt": int(decrypt)} if self.both else {}

    def run(self, blocks: list[tuple[int, bool]]) -> list[int]:
        """Results of blocks, each with its direction, as fast as the core takes them."""
        if isinstance(self.component, AESMultiStream):
            return self._in_batches(blocks)
        interval, latency = self.component.interval, self.component.latency
        starts = interval > 1
        results = []
        for cycle in range((len(blocks) - 1) * interval + latency + 1):
            number, turn = divmod(cycle, interval)
            at_work = number < len(blocks) and turn == 0
            if at_work:
                block, decrypt = blocks[number]
                self.simulation.set("i", block)
                for name, value in self.way(decrypt).items():
                    self.simulation.set(name, value)
            if starts:
                self.simulation.set("start", at_work)
            done, turn = divmod(cycle - latency, interval)
            if done >= 0 and turn == 0:
                results.append(self.simulation.get("o"))
            self.simulation.step()
        return results

    def _in_batches(self, blocks: list[tuple[int, bool]]) -> list[int]:
        # A batch has one direction; the key follows ``key_index`` by a cycle.
        streams = self.component.streams
        results = []
        for decrypt in (False, True):
            mine = [block for block, way in blocks if way == decrypt]
            batches = [mine[at : at + streams] for at in range(0, len(mine), streams)]
            form = int(decrypt)
            found, asked = [], 0
            self.simulation.set("key_first", self.keys[-1 if decrypt else 0][form])
            for cycle in range(len(batches) * self.component.interval + streams + 1 if batches else 0):
                number, turn = divmod(cycle, self.component.interval)
                starts = turn == 0 and number < len(batches)
                here = number < len(batches) and turn < len(batches[number])
                self.simulation.set("key", self.keys[asked][form])
                self.simulation.set("start", starts)
                self.simulation.set("i", batches[number][turn] if here else 0)
                for name, value in self.way(decrypt).items():
                    self.simulation.set(name, value if starts else 1 - value)
                assert self.simulation.get("ready") or not starts
                asked = self.simulation.get("key_index")
                if self.simulation.get("valid"):
                    found.append(self.simulation.get("o"))
                self.simulation.step()
            results += [block for n in range(len(batches)) for block in found[n * streams :][: len(batches[n])]]
        return results


def core(kind: str, key_bits: int, direction: str, stages: int, options: dict):
    if kind == "pipeline":
        return AESPipeline(key_bits, stages, direction=direction, **options)
    if kind == "serial":
        return AESSerial(key_bits, bits=stages, direction=direction)
    if kind == "streams":
        return AESMultiStream(key_bits, stages, direction)
    return AESSequential(key_bits, 1, stages, direction=direction, **options)


LUT6 = {"mixcolumns": "lut6"}
CORES = [
    ("streams", 192, "both", 4, {}),
    ("serial", 192, "both", 32, {}),
    ("serial", 128, "both", 8, {}),
    ("sequential", 256, "both", 1, {"sbox": "table"}),
]
MORE = [
    ("sequential", 128, "both", 1, LUT6),
    *[
        (kind, key_bits, direction, stages, options)
        for key_bits in (128, 192, 256)
        for direction in DIRECTIONS
        for kind, stages, options in (
            ("streams", 1, {}), ("streams", 2, {}), ("streams", 4, {}),
            ("sequential", 1, {"sbox": "table"}), ("sequential", 2, {"sbox": "table"}), ("sequential", 1, {"sbox": "bram"}),
            ("sequential", 1, {}), ("sequential", 2, LUT6), ("sequential", 3, LUT6), ("sequential", 4, {}),
            ("pipeline", 1, LUT6),
        )
    ],
    *[
        ("pipeline", key_bits, direction, stages, options)
        for key_bits, direction, stages, options in (
            (128, "both", 1, {}), (128, "both", 2, LUT6), (192, "both", 3, {}), (256, "both", 4, LUT6), (128, "both", 1, {"sbox": "bram"}),
            (192, "both", 3, {"sbox": "bram"}), (128, "encrypt", 3, LUT6), (192, "decrypt", 3, LUT6), (256, "decrypt", 4, LUT6),
            (128, "both", 4, {"sbox": "composite"}), (256, "encrypt", 1, {"sbox": "composite"}),
        )
    ],
]  # fmt: skip


@pytest.mark.parametrize(("kind", "key_bits", "direction", "stages", "options"), CORES, ids=str)
def test_published_vectors(kind, key_bits, direction, stages, options):
    """Each ninth key, with its first 16 blocks."""
    check(kind, key_bits, direction, stages, options, [(key, pairs[:16]) for key, pairs in [*published(key_bits).items()][::9]])


@slow
@pytest.mark.parametrize(("kind", "key_bits", "direction", "stages", "options"), [*CORES, *MORE], ids=str)
def test_all_published_vectors(kind, key_bits, direction, stages, options):
    check(kind, key_bits, direction, stages, options, list(published(key_bits).items()))


def check(kind, key_bits, direction, stages, options, chosen):
    device = Core(core(kind, key_bits, direction, stages, options))
    for key, pairs in chosen:
        device.load(key, direction == "decrypt")
        blocks, expected = [], []
        for decrypt in (False, True):
            if direction in ("both", "decrypt" if decrypt else "encrypt"):
                blocks += [(from_bytes(ct if decrypt else pt), decrypt) for pt, ct in pairs]
                expected += [from_bytes(pt if decrypt else ct) for pt, ct in pairs]
        if kind != "streams":
            # Directions alternate.
            order = sorted(range(len(blocks)), key=lambda n: n % max(1, len(pairs)))
            blocks, expected = [blocks[n] for n in order], [expected[n] for n in order]
        assert device.run(blocks) == expected, key.hex()
