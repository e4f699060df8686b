# SPDX-License-Identifier: Apache-2.0
"""Whole cores: results against the independent references, cycles against the schedule."""

from __future__ import annotations

import random

import pytest
from tests.built import compiled, simulated, slow, slowly

import modeloom_golden as golden
from modeloom import vectors
from modeloom.product.simulated import Sector

CORES = [pytest.param("hctr2", "default", {}, id="hctr2")]
CORES += [
    pytest.param(mode, base, changes, id=name, marks=slow)
    for name, mode, base, changes in (
        ("hctr2-partial-256", "hctr2", "default",
         {"sector": 255, "tweak": 32, "key_bits": 256, "cipher_stages": 1, "cipher_sbox": "bram", "mul_arch": "fan-hasan"}),
        ("heh-brw", "heh-brw", "default", {}),
        ("heh-brw-2core-fly", "heh-brw", "brw2013-2core", {"sector": 128, "squares": "fly"}),
        ("heh-brw-fly", "heh-brw", "default",
         {"sector": 80, "squares": "fly", "key_slots": 2, "mul_arch": "mastrovito", "cipher_sbox": "compact"}),
        ("hmch-brw-1core-fly", "hmch-brw", "brw2013-1core", {"sector": 96, "squares": "fly"}),
        ("hctr2-256", "hctr2", "default", {"key_bits": 256, "mul_arch": "lut6"}),
    )
]  # fmt: skip

TINY = {"cipher_arch": "sequential", "cipher_stages": 1, "restarts": 0}
"""The smallest cipher and the shortest search."""

PUBLISHED = [
    ("hctr2", {"sector": 31, **TINY}, 10),
    ("xts", {"sector": 33, "more_sectors": (36,), **TINY}, 26),
    *slowly(
        ("hctr2", {"sector": 255, "tweak": 32, "key_bits": 256, "cipher_stages": 1, "cipher_sbox": "bram", "mul_arch": "fan-hasan"}, 5),
        ("hctr2", {"key_bits": 256, "mul_arch": "lut6"}, 5),
        ("xts", {"sector": 35, "more_sectors": (34, 37), "key_bits": 256}, 36),
        ("xcb-1619", {"sector": 48, "more_sectors": (20, 32), "cipher_stages": 1}, 3),
        ("eme2", {"sector": 32, "cipher_stages": 1}, 1),
        ("eme", {"sector": 512, "key_bits": 256, **TINY}, 2),
    ),
]
"""Cores whose sizes published vectors have, and the number of these."""


def _jobs(options: object, name: str, count: int, seed: int) -> tuple[bytes, list[Sector], list[bytes]]:
    rng = random.Random(seed)
    design = options
    key = rng.randbytes(design.mode.key_bytes(design.options.key_bits // 8))
    reference = golden.mode(name, key)
    sectors, expected = [], []
    for _ in range(count):
        tweak, data = rng.randbytes(design.source.tweak_bytes), rng.randbytes(design.source.nbytes)
        decrypt = rng.choice(design.options.directions) == "decrypt"
        sectors.append(Sector(tweak, data, decrypt))
        expected.append((reference.decrypt if decrypt else reference.encrypt)(tweak, data))
    return key, sectors, expected


@pytest.mark.parametrize(("mode", "base", "changes"), CORES)
def test_back_to_back(mode: str, base: str, changes: dict) -> None:
    """Sectors back to back give the results of the reference, at the interval of the schedule."""
    design = compiled(mode, base, **changes)
    key, sectors, expected = _jobs(design, mode, 40, seed=7)
    core = simulated(mode, base, **changes)
    core.load_key(key)
    assert core.run(sectors) == expected
    beats = -(-design.source.blocks // core.lanes)
    steady = [b - a for a, b in zip(core.status_cycles[8:], core.status_cycles[9:])]
    assert set(steady) == {max(design.schedule.ii, beats)}


@pytest.mark.parametrize(("mode", "base", "changes"), CORES)
def test_gaps_and_back_pressure(mode: str, base: str, changes: dict) -> None:
    """Pauses on all buses change no result, and no bus breaks its rules."""
    for seed, gaps in ((1, 0.05), (2, 0.5), (3, 0.9)):
        design = compiled(mode, base, **changes)
        key, sectors, expected = _jobs(design, mode, 25, seed)
        streams = dict.fromkeys(("s_axis", "s_axis_cmd", "m_axis", "m_axis_status"), gaps)
        core = simulated(mode, base, seed=seed, gaps=streams, **changes)
        core.load_key(key)
        assert core.run(sectors) == expected, f"seed {seed}"
        assert not core.runner.violations()


@pytest.mark.parametrize(("mode", "changes", "count"), PUBLISHED)
def test_published_vectors_on_the_core(mode: str, changes: dict, count: int) -> None:
    """The core reproduces the published vectors of its sizes in both directions."""
    core = simulated(mode, **changes)
    others = (core.tweak_bytes, core.description.key_bytes)
    fitting = [
        test
        for test in vectors.for_mode(mode)
        if len(test["pt"]) // 2 in core.sizes and tuple(len(test[name]) // 2 for name in ("tweak", "key")) == others
    ]
    assert len(fitting) == count
    for test in fitting:
        core.load_key(bytes.fromhex(test["key"]))
        tweak, plain, cipher = (bytes.fromhex(test[name]) for name in ("tweak", "pt", "ct"))
        assert core.encrypt(tweak, plain) == cipher, test["tcId"]
        assert core.decrypt(tweak, cipher) == plain, test["tcId"]


def test_a_lone_sector_takes_as_long_whatever_it_holds() -> None:
    core = simulated("hctr2")
    times = set()
    for fill in (0x00, 0xFF, 0x5A):
        core.load_key(bytes([fill]) * 16)
        for decrypt in (False, True):
            start = core.cycles
            core.run([Sector(bytes([fill]) * 16, bytes([255 - fill]) * 512, decrypt)])
            times.add(core.status_cycles[0] - start)
    assert len(times) == 1
