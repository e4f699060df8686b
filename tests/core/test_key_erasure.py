# SPDX-License-Identifier: Apache-2.0
"""Erasing a slot leaves nothing of its key in the core, within the stated number of cycles."""

import random

import pytest
from tests.built import SEQUENTIAL, SMALL, compiled, simulated, slowly
from tests.core.several_keys import CORES, TET, XCB, XTS

from modeloom.cores.sector import key_erase_cycles
from modeloom.product.simulated import Sector
from modeloom.verification.host import state

ROWS_LEFT: tuple[str, dict] = ("xts", {"sector": 16, "more_sectors": (64,), "cipher_arch": "sequential", "key_slots": 2})
"""The engine runs 157 rows after the last block of a sector of 64 bytes, since one of 16 bytes goes through more stages."""

CHOICES = [("hctr2", SEQUENTIAL), XTS, ROWS_LEFT]
CHOICES += slowly(
    ("hctr2", SMALL),
    XCB,
    ("heh-brw", {"sector": 128, "key_bits": 256, "key_slots": 2}),
    ("heh-brw", {"sector": 128, "squares": "fly"}),
    ("heh-poly", {"sector": 128, "direction": "encrypt", "mul": 2}),
    ("hmch-brw", {"sector": 128, "key_slots": 3}),
    # The decrypter alone is sequential.
    ("hctr2", {"sector": 192, "key_slots": 2, "cipher_stages": 1}),
    ("heh-poly", {"sector": 64, "cipher_arch": "sequential", "cipher_stages": 3}),
    TET, CORES["xts-256"],
    # Half a sector is left in the last stage of these, too.
    ("xts", {"sector": 256, "cipher_arch": "sequential", "key_slots": 2}), ("xts", {"sector": 4096}),
)  # fmt: skip


OVER = [XTS, *slowly(("hctr2", SMALL), XCB, ("heh-brw", {"sector": 64, "cipher_cores": 2, "cipher_stages": 1}), TET)]
"""In HEH[BRW] with two pipelines a unit reads a word in the cycle before the set-up of the new key overwrites it."""


def _name(choice):
    return choice if isinstance(choice, str) else "-".join(choice)


def _used(mode, changes):
    """Two cores that differ in the key of their last slot only; set-up and sectors have run with it."""
    cores = []
    for seed in (1, 2):
        rng = random.Random(seed)
        core = simulated(mode, **changes)
        slot = core.description.key_slots - 1
        core.load_key(rng.randbytes(core.description.key_bytes), slot)
        data = random.Random(0)
        for decrypt in (way == "decrypt" for way in core.description.directions):
            sizes = (changes["sector"], *changes.get("more_sectors", ()))
            jobs = [Sector(bytes([n]) * core.tweak_bytes, data.randbytes(size), decrypt, slot) for size in sizes for n in range(3)]
            assert len(set(core.run(jobs))) == len(jobs)
        cores.append(core)
    first, second = (state(core) for core in cores)
    assert sum(first[name] != second[name] for name in first) > 10
    return cores


def _left(cores):
    """What depends on the key.  Results are the host's: those in the result buffer and behind it stay (docs/security.md)."""
    first, second = (state(core) for core in cores)
    return [name for name in first if first[name] != second[name] and "core.bus.ring." not in str(name)]


@pytest.mark.parametrize(("mode", "changes"), CHOICES, ids=_name)
def test_nothing_of_a_key_is_left(mode, changes):
    """Two cores that differ in one key only have the same state once this key is erased."""
    cores = _used(mode, changes)
    for core in cores:
        core.send_key(bytes(16), core.description.key_slots - 1, erase=True)
        core.runner.run(max_cycles=key_erase_cycles(compiled(mode, **changes)))
    assert not (left := _left(cores)), left[:20]
    assert not any(core.simulation.get("key_busy") for core in cores)


@pytest.mark.parametrize(("mode", "changes"), OVER, ids=_name)
def test_nothing_of_a_key_is_left_under_another(mode, changes):
    """Another key replaces the one key in which two cores differ.  Their memories are the same at once, and all of their state later."""
    cores = _used(mode, changes)
    key = random.Random(3).randbytes(cores[0].description.key_bytes)
    for core in cores:
        core.load_key(key, core.description.key_slots - 1)
    assert not (left := [name for name in _left(cores) if isinstance(name, tuple)]), left[:20]
    for core in cores:
        core.runner.run(max_cycles=key_erase_cycles(compiled(mode, **changes)))
    assert not (left := _left(cores)), left[:20]
