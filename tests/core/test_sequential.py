# SPDX-License-Identifier: Apache-2.0
"""Cores with sequential ciphers: timing, one core for both directions, results at the least interval."""

from __future__ import annotations

import random

import pytest
from tests.built import SEQUENTIAL, compiled, simulated, slowly

import modeloom_golden as golden
from modeloom.ciphers import AES, CoreRequest
from modeloom.cores.sector import ModeCore
from modeloom.product.simulated import Sector
from modeloom.rtl.engine.layout import used_cores

pytestmark = pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")

CORES = [("hctr2", SEQUENTIAL)]
CORES += slowly(
    ("xts", {"sector": 64, "cipher_arch": "serial8"}),
    ("hctr2", {"sector": 40, "cipher_arch": "serial32", "cipher_cores": 2, "key_slots": 2}),
    ("heh-poly", {"sector": 80, "cipher_arch": "sequential", "cipher_cores": 2, "cipher_stages": 1}),
    ("heh-poly", {"sector": 64, "cipher_arch": "sequential", "direction": "encrypt", "key_bits": 256, "overlap": False}),
    ("hmch-poly", {"sector": 64, "cipher_arch": "sequential", "direction": "decrypt", "cipher_stages": 4}),
    ("hctr2", {"sector": 72, "more_sectors": (96,), "cipher_arch": "sequential", "cipher_sbox": "compact", "key_slots": 2}),
)


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
@pytest.mark.parametrize("direction", AES.sequential)
def test_the_timing_is_that_of_the_component(direction, stages):
    for key_bits in AES.key_bits:
        request = CoreRequest(direction=direction, form="sequential", key_bits=key_bits, stages=stages)
        timing, component = AES.timing(request), AES.hardware(request)
        assert (timing.latency, timing.interval) == (component.latency, component.interval)


@pytest.mark.parametrize(("mode", "changes"), CORES)
def test_sectors_at_the_least_interval(mode, changes):
    """Every block starts in the last cycle of the one before it, for sectors of both directions."""
    design = compiled(mode, **changes)
    assert not design.options.overlap or design.schedule.ii == design.schedule.problem.ii_bound()
    rng = random.Random(3)
    core = simulated(mode, **changes)
    key, slot = rng.randbytes(core.description.key_bytes), core.description.key_slots - 1
    core.load_key(key, slot)
    reference = golden.mode(mode, key)
    ways = core.description.directions
    jobs = [
        Sector(rng.randbytes(core.tweak_bytes), rng.randbytes(design.source.nbytes), rng.choice(ways) == "decrypt", slot)
        for _ in range(16)
    ]
    assert core.run(jobs) == [(reference.decrypt if job.decrypt else reference.encrypt)(job.tweak, job.data) for job in jobs]
    assert {b - a for a, b in zip(core.status_cycles[4:], core.status_cycles[5:])} == {design.schedule.ii}


def built(mode, base="default", **changes):
    """For each cipher unit of a core, the names of the cores that are built."""
    design = compiled(mode, base, prove=False, restarts=0, **changes)
    program, core = design.core_program, ModeCore(design)
    return [tuple(core.cores(unit.kind, used_cores(program, unit))) for unit in program.units if unit.kind in ("cipher", "enc", "dec")]


@pytest.mark.parametrize(
    ("mode", "changes", "cores"),
    [
        ("hctr2", {}, [("both",)]),
        ("hctr2", {"cipher_cores": 2}, [("both",), ("both",)]),
        ("hctr2", {"direction": "encrypt"}, [("enc",)]),
        # The other direction enciphers, too; and so does set-up.
        ("hctr2", {"direction": "decrypt"}, [("both",)]),
        ("heh-poly", {"direction": "encrypt"}, [("enc",)]),
    ],
)
def test_one_core_does_what_is_needed(mode, changes, cores):
    assert built(mode, sector=64, cipher_arch="sequential", **changes) == cores


def test_only_one_pipeline_has_the_decrypter_of_hmch():
    """brw2013, table 3: HMCH[BRW]-1 has two pipelines for encryption and one sequential decrypter."""
    assert sorted(built("hmch-brw", "brw2013-hmch-brw-1", sector=64)) == [("enc",), ("enc", "dec")]
    assert built("heh-brw", "brw2013-heh-brw-1", sector=64) == [("enc", "dec")] * 2
