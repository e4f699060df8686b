# SPDX-License-Identifier: Apache-2.0
"""Cores whose pipelines do both directions: what is built, sectors of both directions mixed, and what comes of a fault in one of them."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests import built
from tests.built import slow, slowly

import modeloom_golden as golden
from modeloom import verification
from modeloom.ciphers import AES, CoreRequest
from modeloom.cores.sector import ModeCore, SectorCore, core_requests
from modeloom.equivalence import prove_engine
from modeloom.product.simulated import Sector
from modeloom.rtl.engine.layout import used_cores
from modeloom.taint.check import check_core

SMALL: dict[str, Any] = {"sector": 32, "cipher_arch": "combined", "cipher_stages": 1, "restarts": 20}
CORES = slowly(
    ("heh-poly", SMALL),
    ("heh-poly", {"sector": 64, "cipher_arch": "combined", "cipher_cores": 2, "cipher_sbox": "composite", "key_slots": 3}),
    ("hctr2", {"sector": 72, "more_sectors": (96,), "cipher_arch": "combined", "cipher_sbox": "bram", "key_bits": 256}),
    ("xts", {"sector": 40, "cipher_arch": "combined", "cipher_stages": 3, "key_slots": 2}),
    ("cmc", {"sector": 48, "cipher_arch": "combined", "cipher_stages": 4, "overlap": False}),
    ("xts", {"sector": 64, "cipher_arch": "combined", "direction": "decrypt"}),
    ("eme", {"sector": 48, "cipher_arch": "combined", "cipher": "sm4", "key_slots": 2}),
)
"""``test_sm4`` has one that runs by default."""


@pytest.mark.parametrize(("mode", "changes"), CORES, ids=str)
def test_sectors_of_both_directions(mode, changes):
    rng = random.Random(5)
    core = built.simulated(mode, **changes)
    keys = [rng.randbytes(core.description.key_bytes) for _ in range(core.description.key_slots)]
    for slot, key in enumerate(keys):
        core.load_key(key, slot)
    references = [golden.mode(mode, key, changes.get("cipher", "aes")) for key in keys]
    ways = core.description.directions
    jobs = [
        Sector(rng.randbytes(core.tweak_bytes), rng.randbytes(changes["sector"]), rng.choice(ways) == "decrypt", rng.randrange(len(keys)))
        for _ in range(24)
    ]
    expected = [getattr(references[job.slot], "decrypt" if job.decrypt else "encrypt")(job.tweak, job.data) for job in jobs]
    assert core.run(jobs) == expected


@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
@pytest.mark.parametrize(("mode", "changes", "names"), [
    ("heh-poly", {}, ["both"]), ("heh-poly", {"cipher_cores": 2}, ["both", "both"]), ("hctr2", {"direction": "encrypt"}, ["enc"]),
    ("cmc", {"direction": "decrypt"}, ["both"]), ("xts", {"direction": "encrypt"}, ["enc"]),
], ids=str)  # fmt: skip
def test_one_pipeline_does_what_is_needed(mode, changes, names):
    """Where one direction is enough, the pipelines have that alone.  A core for both directions takes as many cycles a sector as one with
    pipelines for each: in both, one operand network is before them.
    """
    same = {"prove": False, "sector": 64, "cipher_stages": 1, "restarts": 20, **changes}
    design, other = (built.compiled(mode, cipher_arch=arch, **same) for arch in ("combined", "pipelined"))
    core, program = ModeCore(design), design.core_program
    units = [unit for unit in program.units if unit.kind in ("cipher", "enc", "dec")]
    assert [name for unit in units for name in core.cores(unit.kind, used_cores(program, unit))] == names
    assert set(design.architecture.forms.values()) == {"pipelined"}
    bound = design.schedule.problem.ii_bound()
    assert design.schedule.ii == bound and (other.schedule.ii == bound or (mode, names) == ("cmc", ["both"]))


@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
@pytest.mark.parametrize("stages", [1, 2, 3, 4])
@pytest.mark.parametrize("key_bits", AES.key_bits)
def test_the_timing_is_that_of_the_component(key_bits, stages):
    for sbox in AES.sboxes:
        request = CoreRequest(direction="both", form="pipelined", key_bits=key_bits, stages=stages, sbox=sbox)
        timing, component = AES.timing(request), AES.hardware(request)
        assert (timing.latency, timing.interval) == (component.latency, component.interval)


def test_the_slots_are_those_of_the_cipher_keys():
    """Each of two key slots of XTS has two cipher keys."""
    design = built.compiled("xts", sector=32, cipher_arch="combined", cipher_stages=1, key_slots=2, restarts=20)
    assert core_requests(design) == {
        "both": CoreRequest(direction="both", form="pipelined", key_bits=128, stages=1, slots=4, sbox="lut")
    }  # fmt: skip


def test_every_sector_of_symbols_is_right():
    """The emitted core with pipelines for both directions is proved to compute the graph."""
    report = prove_engine(built.folder("heh-poly", **SMALL), SectorCore(built.compiled("heh-poly", **SMALL)))
    assert report.whole and report.blocks == 2 * report.sectors


@slow
def test_no_timing_channel():
    report = check_core(built.folder("heh-poly", **SMALL))
    assert set(report.secret) == {"data", "key", "tweak"} and set(report.exempt) == {"S-box"}


@slow
@pytest.mark.parametrize(("mode", "changes"), [("heh-poly", SMALL), ("hctr", {**SMALL, "sector": 48, "cipher": "sm4"})], ids=str)
def test_verify_passes(mode, changes):
    steps = {step.name for step in verification.verify_core(built.folder(mode, **changes), hashes=False)}
    assert {"timing", "engine", "sectors", "zeroize"} <= steps
