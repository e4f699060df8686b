# SPDX-License-Identifier: Apache-2.0
"""Key slots of whole cores: sectors of different slots overlap, loading and erasing one leaves the others alone."""

import random

import pytest
from tests.built import SMALL, simulated, slowly

import modeloom_golden as golden
from modeloom.interfaces.sector import NAMED_SLOTS, StatusCode
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.options.sectors import MOST_SLOTS
from modeloom.product.simulated import Sector, SectorError
from modeloom.verification.host import hold_cycles, request

SECTOR = 64
TINY = {"sector": SECTOR, "cipher_arch": "sequential", "cipher_stages": 1, "restarts": 0}

CORES = [
    {**TINY, "key_slots": 5},
    *slowly(
        {**TINY, "key_slots": 100}, {"sector": SECTOR, "key_slots": 64}, {"sector": SECTOR, "key_slots": MOST_SLOTS},
    ),
]  # fmt: skip
"""A number of slots that is no power of two, by default; more than a port lists; as many as it lists, and the most that there can be, on a
pipeline."""



def slots_of(changes):
    return f"{changes['key_slots']}-slots"


each = pytest.mark.parametrize("changes", CORES, ids=slots_of)


def used(slots):
    """Slots with keys: the first, the last, those in the middle."""
    return sorted({0, 1, slots // 2 - 1, slots // 2, slots - 2, slots - 1} - {slots // 2 + 1})


def jobs_of(rng, slots, count):
    return [Sector(rng.randbytes(16), rng.randbytes(SECTOR), rng.random() < 0.5, rng.choice(slots)) for _ in range(count)]


def expected(keys, jobs):
    modes = {slot: golden.mode("hctr2", key) for slot, key in keys.items()}
    return [
        (modes[job.slot].decrypt if job.decrypt else modes[job.slot].encrypt)(job.tweak, job.data) for job in jobs
    ]  # fmt: skip


@each
def test_slots(changes):
    slots = changes["key_slots"]
    rng = random.Random(slots)
    core = simulated("hctr2", **changes)
    keys = {slot: rng.randbytes(16) for slot in used(slots)}
    for slot, key in keys.items():
        core.load_key(key, slot)
    listed = slots <= LISTED_SLOTS
    assert core.simulation.get("key_loaded") == (sum(1 << slot for slot in keys) if listed else 1)
    jobs = jobs_of(rng, list(keys), 80)
    assert core.run(jobs) == expected(keys, jobs)

    erased, new = slots // 2, slots // 2 + 1
    core.erase_key(erased)
    with pytest.raises(SectorError) as refused:
        core.encrypt(bytes(16), bytes(SECTOR), erased)
    assert refused.value.code == StatusCode.NO_KEY
    keys[1], keys[new] = rng.randbytes(16), rng.randbytes(16)
    core.load_key(keys[1], 1)
    core.load_key(keys[new], new)
    del keys[erased]
    jobs = jobs_of(rng, list(keys), 40)
    assert core.run(jobs) == expected(keys, jobs)


@each
def test_sectors_of_different_slots_do_not_drain_the_pipeline(changes):
    """Forty sectors on all slots with keys in turn take as many cycles as forty on one."""
    rng = random.Random(3)
    keys = {slot: rng.randbytes(16) for slot in used(changes["key_slots"])}
    cycles = []
    for slots in (list(keys)[-1:], list(keys)):
        core = simulated("hctr2", **changes)
        for slot, key in keys.items():
            core.load_key(key, slot)
        jobs = [Sector(bytes(16), bytes(SECTOR), n % 3 == 0, slots[n % len(slots)]) for n in range(40)]
        start = core.cycles
        assert core.run(jobs) == expected(keys, jobs)
        cycles.append(core.cycles - start)
    assert cycles[0] == cycles[1]


@pytest.mark.parametrize("changes", [SMALL, *slowly(CORES[0]), *CORES[1:]], ids=slots_of)
def test_no_slot_has_a_key_after_zeroize(changes):
    rng = random.Random(4)
    core = simulated("hctr2", **changes)
    slots = used(changes["key_slots"])
    for slot in slots:
        core.load_key(rng.randbytes(16), slot)
    request(core, "zeroize")
    assert hold_cycles(core, core.description.erase_cycles + 1) == (core.description.erase_cycles, "")
    for slot in slots:
        with pytest.raises(SectorError) as refused:
            core.encrypt(bytes(16), bytes(SECTOR), slot)
        assert refused.value.code == StatusCode.NO_KEY


def test_a_core_has_as_many_slots_as_a_command_can_name():
    assert MOST_SLOTS == NAMED_SLOTS == 256
