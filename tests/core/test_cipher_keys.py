# SPDX-License-Identifier: Apache-2.0
"""Cores of modes with several cipher keys: sectors of mixed slots against the references, cycles, keys that are refused."""

from __future__ import annotations

import random

import pytest
from tests.built import compiled, simulated, slow
from tests.core.several_keys import EACH, TET, XTS

import modeloom_golden as golden
from modeloom.interfaces.sector import StatusCode
from modeloom.product.simulated import Sector, SectorError, SimulatedCore
from modeloom.spec import GHASH_ORDER

each = pytest.mark.parametrize(("mode", "changes"), EACH)


def loaded(mode: str, changes: dict, rng: random.Random) -> tuple[SimulatedCore, list]:
    """A core with keys in all slots, and the references."""
    core = simulated(mode, **changes)
    keys = [rng.randbytes(core.description.key_bytes) for _ in range(core.description.key_slots)]
    for slot, key in enumerate(keys):
        core.load_key(key, slot)
    return core, [golden.mode(mode, key) for key in keys]


def jobs_of(core: SimulatedCore, rng: random.Random, count: int, size: int) -> list[Sector]:
    ways = [way == "decrypt" for way in core.description.directions]
    slots = range(core.description.key_slots)
    return [Sector(rng.randbytes(core.tweak_bytes), rng.randbytes(size), rng.choice(ways), rng.choice(slots)) for _ in range(count)]


def wanted(references: list, jobs: list[Sector]) -> list[bytes]:
    return [getattr(references[job.slot], "decrypt" if job.decrypt else "encrypt")(job.tweak, job.data) for job in jobs]


@each
def test_sectors_of_mixed_slots(mode: str, changes: dict) -> None:
    """Back to back at the interval of the schedule, in each size; then with gaps."""
    rng = random.Random(mode)
    core, references = loaded(mode, changes, rng)
    for figures in core.description.sizes:
        jobs = jobs_of(core, rng, 30, figures.sector_bytes)
        assert core.run(jobs) == wanted(references, jobs)
        steady = core.status_cycles[10:]
        assert {b - a for a, b in zip(steady, steady[1:])} == {figures.interval}
    first = compiled(mode, **changes)
    assert core.description.sizes[0].interval == max(first.schedule.ii, -(-first.source.blocks // core.lanes), 4)
    core.runner.set_gaps(dict.fromkeys(("s_axis", "s_axis_cmd", "m_axis", "m_axis_status"), 0.4))
    jobs = [job for size in core.sizes for job in jobs_of(core, rng, 8, size)]
    rng.shuffle(jobs)
    assert core.run(jobs) == wanted(references, jobs)
    assert not core.runner.violations()


def cycles_to_load(core: SimulatedCore, key: bytes, slot: int) -> int:
    """Cycles for which the key port is busy with a key."""
    core.send_key(key, slot)
    for _ in range(core.description.erase_cycles + 100):
        if core.simulation.get("key_busy"):
            break
        core.runner.run(max_cycles=1)
    start = core.cycles
    while core.simulation.get("key_busy"):
        core.runner.run(max_cycles=1)
    assert core.cycles > start
    return core.cycles - start


@each
def test_cycles_do_not_depend_on_keys_and_data(mode: str, changes: dict) -> None:
    core = simulated(mode, **changes)
    size = core.description.key_bytes
    to_load, to_run = set(), set()
    for key in (bytes(range(size)), b"\xff" * (size - 1) + b"\x01", random.Random(1).randbytes(size)):
        slot = core.description.key_slots - 1
        to_load.add(cycles_to_load(core, key, slot))
        assert core.simulation.get("key_loaded") >> slot & 1
        for way in core.description.directions:
            start = core.cycles
            core.run([Sector(key[: core.tweak_bytes].ljust(core.tweak_bytes), key[:1] * core.sector_bytes, way == "decrypt", slot)])
            to_run.add(core.status_cycles[0] - start)
    assert len(to_load) == len(to_run) == 1


def assert_refused(core: SimulatedCore, key: bytes, slot: int) -> None:
    """The key is an error, and its slot empty; the other slots stay as they are."""
    before = core.simulation.get("key_loaded")
    cycles_to_load(core, key, slot)
    assert core.simulation.get("key_error")
    assert core.simulation.get("key_loaded") == before & ~(1 << slot)
    with pytest.raises(SectorError) as error:
        core.encrypt(bytes(core.tweak_bytes), bytes(core.sector_bytes), slot)
    assert error.value.code == StatusCode.NO_KEY


def assert_goes_on(core: SimulatedCore, mode: str, references: list, slot: int, rng: random.Random) -> None:
    """The next key of the slot is taken, and sectors of all slots are right."""
    key = rng.randbytes(core.description.key_bytes)
    core.load_key(key, slot)
    assert not core.simulation.get("key_error")
    references[slot] = golden.mode(mode, key)
    jobs = jobs_of(core, rng, 8, core.sector_bytes)
    assert core.run(jobs) == wanted(references, jobs)


@slow
def test_equal_keys_of_xts_are_refused() -> None:
    rng = random.Random(5)
    core, references = loaded(*XTS, rng)
    for slot in (1, 1, 0):
        half = rng.randbytes(16)
        assert_refused(core, half + half, slot)
        assert_goes_on(core, XTS[0], references, slot, rng)
    core.load_key(half + half[:-1] + bytes([half[-1] ^ 0x80]), 1)


@slow
@pytest.mark.parametrize("order", [3, 5])
def test_keys_of_tet_without_an_inverse_are_refused(order: int) -> None:
    """1 + tau + ... + tau^m is 0 for a root of unity of order m + 1: 3 for the core's sectors of 32 bytes, 5 for those of 64."""
    rng = random.Random(order)
    core, references = loaded(*TET, rng)
    one = GHASH_ORDER.one
    roots = (GHASH_ORDER.power(rng.getrandbits(128), ((1 << 128) - 1) // order) for _ in range(100))
    tau = next(root for root in roots if root != one)
    assert GHASH_ORDER.power(tau, order) == one
    key = rng.randbytes(32) + tau.to_bytes(16, "little")
    with pytest.raises(ValueError, match=f"= 0, so it cannot encrypt sectors of {order - 1} blocks"):
        golden.mode("tet", key).encrypt(bytes(16), bytes(16 * (order - 1)))
    for slot in (2, 0):
        assert_refused(core, key, slot)
        assert_goes_on(core, TET[0], references, slot, rng)
