# SPDX-License-Identifier: Apache-2.0
"""Key slots of whole cores: sectors of different slots overlap, loading and erasing one leaves the others alone."""

import os
import random

import pytest
from tests.built import simulated

from modeloom import golden
from modeloom.rtl.bus import StatusCode
from modeloom.simulated import Sector, SectorError

pytestmark = pytest.mark.skipif(
    not os.environ.get("MODELOOM_SLOW"), reason="two minutes: MODELOOM_SLOW=1 python -m pytest tests/core/test_key_slots.py"
)

SECTOR = 64
SLOTS = 64
USED = (0, 1, SLOTS // 2 - 1, SLOTS // 2, SLOTS - 2, SLOTS - 1)


def jobs_of(rng, slots, count):
    return [Sector(rng.randbytes(16), rng.randbytes(SECTOR), rng.random() < 0.5, rng.choice(slots)) for _ in range(count)]


def expected(keys, jobs):
    modes = {slot: golden.mode("hctr2", key) for slot, key in keys.items()}
    return [
        (modes[job.slot].decrypt if job.decrypt else modes[job.slot].encrypt)(job.tweak, job.data) for job in jobs
    ]  # fmt: skip


def test_slots():
    rng = random.Random(64)
    core = simulated("hctr2", sector=SECTOR, key_slots=SLOTS)
    keys = {slot: rng.randbytes(16) for slot in USED}
    for slot, key in keys.items():
        core.load_key(key, slot)
    assert core.simulation.get("key_loaded") == sum(1 << slot for slot in keys)
    jobs = jobs_of(rng, list(keys), 80)
    assert core.run(jobs) == expected(keys, jobs)

    erased, new = SLOTS // 2 - 1, SLOTS // 2 + 1
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


def test_sectors_of_different_slots_do_not_drain_the_pipeline():
    """Forty sectors on six slots in turn take as many cycles as forty on one."""
    rng = random.Random(3)
    keys = {slot: rng.randbytes(16) for slot in USED}
    cycles = []
    for slots in ([USED[2]], list(keys)):
        core = simulated("hctr2", sector=SECTOR, key_slots=SLOTS)
        for slot, key in keys.items():
            core.load_key(key, slot)
        jobs = [Sector(bytes(16), bytes(SECTOR), n % 3 == 0, slots[n % len(slots)]) for n in range(40)]
        start = core.cycles
        assert core.run(jobs) == expected(keys, jobs)
        cycles.append(core.cycles - start)
    assert cycles[0] == cycles[1]
