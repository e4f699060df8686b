# SPDX-License-Identifier: Apache-2.0
"""Erasing a slot leaves nothing of its key in the core, within the stated number of cycles."""

import random

import pytest
from tests.built import SEQUENTIAL, SMALL, compiled, simulated, slowly
from tests.core.several_keys import CORES, TET, XCB, XTS

from modeloom.rtl.core import key_erase_cycles
from modeloom.simulated import Sector
from modeloom.verification.twins import state

CHOICES = [("hctr2", SMALL), ("hctr2", SEQUENTIAL), XCB]
CHOICES += slowly(
    ("heh-brw", {"sector": 128, "key_bits": 256, "key_slots": 2}),
    ("heh-brw", {"sector": 128, "squares": "fly"}),
    ("heh-poly", {"sector": 128, "direction": "encrypt", "mul": 2}),
    ("hmch-brw", {"sector": 128, "key_slots": 3}),
    # The decrypter alone is sequential.
    ("hctr2", {"sector": 192, "key_slots": 2, "aes_stages": 1}),
    ("heh-poly", {"sector": 64, "aes_arch": "sequential", "aes_stages": 3}),
    XTS, TET, CORES["xts-256"],
)  # fmt: skip


@pytest.mark.parametrize(("mode", "changes"), CHOICES, ids=lambda choice: choice if isinstance(choice, str) else "-".join(choice))
def test_nothing_of_a_key_is_left(mode, changes):
    """Two cores that differ in one key only are in the same state once it is erased; set-up and sectors have run with it.

    Results are the host's: those in the result buffer and behind it stay (docs/security.md).
    """
    cores = []
    for seed in (1, 2):
        rng = random.Random(seed)
        core = simulated(mode, **changes)
        slot = core.description["key_slots"] - 1
        core.load_key(rng.randbytes(core.description["key_bytes"]), slot)
        data = random.Random(0)
        for decrypt in (way == "decrypt" for way in core.description["directions"]):
            jobs = [Sector(bytes([n]) * core.tweak_bytes, data.randbytes(changes["sector"]), decrypt, slot) for n in range(3)]
            assert len(set(core.run(jobs))) == len(jobs)
        cores.append(core)
    first, second = (state(core) for core in cores)
    assert sum(first[name] != second[name] for name in first) > 10
    for core in cores:
        core.send_key(bytes(16), core.description["key_slots"] - 1, erase=True)
        core.runner.run(max_cycles=key_erase_cycles(compiled(mode, **changes)))
    first, second = (state(core) for core in cores)
    left = [name for name in first if first[name] != second[name] and "core.bus.ring." not in str(name)]
    assert not left, left[:20]
    assert not any(core.simulation.get("key_busy") for core in cores)
