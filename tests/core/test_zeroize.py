# SPDX-License-Identifier: Apache-2.0
"""``zeroize`` and the reset leave nothing of keys and data in a core, and stop what is under way."""

import random
import re

import pytest
from tests.built import SEQUENTIAL, SMALL, compiled, simulated, slow
from tests.core.several_keys import TET, XTS

import modeloom_golden as golden
from modeloom.cores.sector import erase_cycles
from modeloom.product.simulated import Sector
from modeloom.verification.host import hold_cycles, request, state
from modeloom.verification.sector.erasure import fill

SECTOR = 64
SECTORS = 12
CHOICES = [("hctr2", "default", SMALL), ("hctr2", "default", SEQUENTIAL), (XTS[0], "default", XTS[1])]
MORE = [
    ("heh-brw", "brw2013-1core", {"sector": SECTOR}),
    ("heh-brw", "brw2013-1core", {"sector": SECTOR, "squares": "fly"}),
    ("hctr2", "default", {"sector": SECTOR, "cipher_stages": 4, "direction": "encrypt"}),
    ("heh-poly", "tes2010-sequential", {"sector": SECTOR}),
    (TET[0], "default", TET[1]),
]

HOLDING = (
    r"core\.bus\.sector\.", r"core\.bus\.ring\.", r"core\.engine\.bank_in0\.", r"core\.engine\.bank_(?!in0|tweak)\w+\.",
    r"core\.engine\.(cipher|enc|dec)0\.",
)  # fmt: skip
"""What is full of data before an erasure: beats that arrive, results, blocks of sectors, intermediate values, the cipher."""


def filled(choice, seed):
    """A core in the middle of its work, with keys and data of a seed; all else is the same for all seeds."""
    mode, base, changes = choice
    rng = random.Random(seed)
    core = simulated(mode, base, **changes)
    return core, fill(core, rng, sectors=SECTORS, cycles=8)


@pytest.mark.parametrize("how", ["zeroize", "reset"])
@pytest.mark.parametrize(
    "choice",
    [pytest.param(choice, marks=slow if choice in MORE else ()) for choice in (*CHOICES, *MORE)],
    ids=lambda choice: "-".join(map(str, (*choice[:2], *choice[2].values()))),
)
def test_nothing_is_left(choice, how):
    """Two cores in step with different keys and data have the same state afterwards."""
    cores = [filled(choice, seed)[0] for seed in (1, 2)]
    before = [state(core) for core in cores]
    differ = {name: (value ^ before[1][name]).bit_count() for name, value in before[0].items() if value != before[1][name]}
    assert sum(differ.values()) > 2000
    for place in HOLDING:
        assert any(re.match(place, str(name[0] if isinstance(name, tuple) else name)) for name in differ), place
    after = []
    for core in cores:
        request(core, how)
        stated = core.description.erase_cycles
        assert hold_cycles(core, 2 * stated) == (stated, "")
        assert not core.simulation.get("key_loaded")
        after.append(state(core))
    left = [name for name in after[0] if after[0][name] != after[1][name]]
    assert not left, left[:40]


def test_the_core_works_again():
    mode, _, changes = CHOICES[0]
    core, keys = filled(CHOICES[0], 3)
    request(core, "zeroize")
    core.runner.run(max_cycles=core.description.erase_cycles)
    core.runner.forget()
    core.runner.set_gaps({"m_axis": 0.0})
    rng = random.Random(4)
    key = rng.randbytes(16)
    core.load_key(key, 2)
    jobs = [Sector(rng.randbytes(16), rng.randbytes(SECTOR), n % 2 == 1, 2) for n in range(6)]
    reference = golden.mode(mode, key)
    assert core.run(jobs) == [
        (reference.decrypt if job.decrypt else reference.encrypt)(job.tweak, job.data) for job in jobs
    ]  # fmt: skip


def test_a_request_during_the_sweep_starts_it_anew():
    core, _ = filled(CHOICES[0], 5)
    core.runner.forget()
    request(core, "zeroize")
    core.runner.run(max_cycles=core.description.erase_cycles // 2)
    request(core, "zeroize")
    core.runner.run(max_cycles=core.description.erase_cycles - 1)
    assert core.simulation.get("zeroizing")
    core.runner.run(max_cycles=1)
    assert not core.simulation.get("zeroizing")


def test_cycles_are_stated():
    """An erasure overwrites one word in each cycle, so the stated number grows with the deepest memory."""
    small, large = (compiled("hctr2", sector=SECTOR, key_slots=slots) for slots in (1, 64))
    assert erase_cycles(large) - erase_cycles(small) >= 64 * 16 - 200
