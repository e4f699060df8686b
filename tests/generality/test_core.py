# SPDX-License-Identifier: Apache-2.0
"""Whole cores of 256-bit blocks: emitted, simulated, compared with plain Python, verified, erased."""

from __future__ import annotations

import random

import pytest
from tests.built import slow
from tests.generality import reference
from tests.generality.cores import OPTIMIZE, compiled, folder, simulated

from modeloom.cores.sector import bus_parameters, key_erase_cycles
from modeloom.product.description import KeyPart
from modeloom.product.folder import read_sectors
from modeloom.product.simulated import Sector
from modeloom.rtl.bus import key_schedule_signature
from modeloom.verification import verify_core
from modeloom.verification.host import request, state

CORE = {"sector": 96, "mul": 1, "cipher_stages": 1, "key_slots": 2, "squares": "fly"}
LANES = {"sector": 118, "cipher_cores": 2, "cipher_stages": 1, "mul": 2}

def with_keys(name, options, seed):
    """A simulated core and the references of its slots."""
    rng = random.Random(seed)
    core = simulated(name, **options)
    keys = [rng.randbytes(core.description.key_bytes) for _ in range(core.description.key_slots)]
    for slot, key in enumerate(keys):
        core.load_key(key, slot)
    return core, [getattr(reference, name)(key) for key in keys]


@slow
@pytest.mark.parametrize(("name", "options"), [("WideHEH", CORE), ("WideHCTR", LANES)], ids=["heh", "hctr-lanes"])
def test_sectors(name, options):
    """Both directions and all slots, mixed, back to back."""
    core, references = with_keys(name, options, seed=5)
    rng = random.Random(6)
    jobs = [
        Sector(rng.randbytes(32), rng.randbytes(core.sector_bytes), rng.random() < 0.5, rng.randrange(len(references)))
        for _ in range(30)
    ]  # fmt: skip
    assert {(job.decrypt, job.slot) for job in jobs} == {(d, s) for d in (False, True) for s in range(len(references))}
    wanted = [(references[job.slot].decrypt if job.decrypt else references[job.slot].encrypt)(job.tweak, job.data) for job in jobs]
    assert core.run(jobs) == wanted
    steady = {later - earlier for earlier, later in zip(core.status_cycles[8:], core.status_cycles[9:])}
    assert steady == {core.description.pins.interval}
    assert not core.runner.violations()


@slow
def test_verify():
    """All that ``modeloom verify`` does; the definition and its cipher are read from their file again."""
    steps = list(verify_core(folder("WideHEH", **CORE), sectors=25, optimize=OPTIMIZE))
    names = [step.name for step in steps]
    assert names[:6] == ["files", "proof", "lint", "timing", "engine", "vectors"] and names[-3:] == ["bench", "skipped", "unconfirmed"]
    assert steps[-1].text.startswith("no published vector confirms the mode wide-heh or the cipher quad256: they are compared only")
    assert "exempt: none" in steps[3].text, "Quad256 has no tables"


def test_the_description_says_what_it_is():
    built = folder("WideHEH", **CORE)
    d = read_sectors(built)
    assert d.cipher == d.options["cipher"] == "quad256" and d.block_bytes == 32
    assert d.key_layout == (KeyPart(name="cipher", offset=0, bytes=32), KeyPart(name="h", offset=32, bytes=32))
    widths = {port.name: port.width for port in d.ports}
    assert widths["s_axis_tdata"] == widths["m_axis_tdata"] == 256 and widths["s_axis_tkeep"] == 32
    head = (built / d.verilog).read_text().split("module", 1)[0]
    assert "QUAD256-256" in head and "AES" not in head


def test_nothing_is_left_of_keys_and_data():
    """Two cores that differ in keys and data only are in the same state after ``zeroize``, and an erased slot differs in nothing."""
    cores = []
    for seed in (1, 2):
        core, _ = with_keys("WideHEH", CORE, seed)
        rng = random.Random(seed)
        for n in range(8):
            core.send_command(bytes([n]) * 32, decrypt=n % 2 == 1, slot=n % 2, tag=n)
            core.send_packet(rng.randbytes(core.sector_bytes))
        core.runner.run(max_cycles=80)
        cores.append(core)
    first, second = (state(core) for core in cores)
    assert sum(first[name] != second[name] for name in first) > 100
    for core in cores:
        core.runner.forget()
        core.simulation.set("s_axis_tdata", 0)
        request(core, "zeroize")
        cycles = 0
        while core.simulation.get("zeroizing"):
            core.runner.run(max_cycles=1)
            cycles += 1
        assert cycles == core.description.erase_cycles
    first, second = (state(core) for core in cores)
    assert [name for name in first if first[name] != second[name]] == []


def test_nothing_is_left_of_an_erased_key():
    """The same for the key of a slot, within the stated number of cycles; set-up has run with it."""
    cores = [with_keys("WideHEH", CORE, seed)[0] for seed in (3, 4)]
    for core in cores:
        for slot in (0, 1):
            core.send_key(bytes(16), slot, erase=True)
            core.runner.run(max_cycles=key_erase_cycles(compiled("WideHEH", **CORE)))
    first, second = (state(core) for core in cores)
    assert [name for name in first if first[name] != second[name]] == []
    assert not any(core.simulation.get("key_busy") or core.simulation.get("key_loaded") for core in cores)


def test_sizes_of_the_key_port():
    p = bus_parameters(compiled("WideHEH", **CORE))
    assert (p.data.block_bits, p.keys.round_keys, p.keys.round_bits, p.keys.round_key_bits) == (256, 21, 5, 256)
    assert p.erase_words >= 2 * 32, "every round key of every slot has an address"
    ports = key_schedule_signature(p.keys.cipher_key_bits, p.keys.round_keys, p.keys.round_key_bits).members
    assert [ports[name].shape for name in ("key", "round", "data", "data_dec")] == [256, 5, 256, 256]
