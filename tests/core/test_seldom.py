# SPDX-License-Identifier: Apache-2.0
"""A core of the cipher that sectors need twice is sequential beside a pipeline, behind one operand network: encrypter or decrypter."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests import built
from tests.modes import seldom
from tests.program_runs import computes

from modeloom.definition.software import Model
from modeloom.modes import find
from modeloom.product.simulated import Sector
from modeloom.prove import ProofError, prove

CASES = {"TwoDecryptions": "dec", "TwoEncryptions": "enc"}
CORE = {"sector": 320, "cipher_stages": 1, "restarts": 10}


def place(name: str) -> str:
    return f"{Path(seldom.__file__)}:{name}"


@pytest.mark.parametrize(("name", "core"), CASES.items())
def test_program(name, core):
    """Its two operations are an interval apart, in the sector and from sector to sector; the pipeline keeps its bound."""
    design = built.compiled(place(name), **CORE)
    assert design.architecture.forms[core] == "sequential" and design.schedule.ii == design.schedule.problem.ii_bound() == 21
    unit = design.units.unit("cipher")
    assert (unit.count, unit.slow_core, unit.slow_interval) == (1, core, 10)
    slots = [start % 21 for start, slow in zip(design.schedule.start, design.schedule.problem.slow) if slow]
    assert len(slots) == 2 and 10 <= abs(slots[0] - slots[1]) <= 11
    assert computes(design, lambda key: Model(design.mode, key), name, sectors=4)


@pytest.mark.parametrize(("name", "core"), CASES.items())
def test_operations_too_close_are_refused(name, core):
    """The program's checker and its machine know the interval of the slow core."""
    design = built.compiled(place(name), **CORE)
    unit = next(unit for unit in design.allocation.program.units if unit.kind == "cipher")
    try:
        unit.slow_interval = 12
        with pytest.raises(ProofError, match=f"core {core} starts in slots"):
            prove(design)
    finally:
        unit.slow_interval = 10
    prove(design)


@built.slow
@pytest.mark.parametrize("name", CASES)
def test_core(name):
    core, rng = built.simulated(place(name), **CORE), random.Random(5)
    key = rng.randbytes(16)
    core.load_key(key)
    jobs = [Sector(rng.randbytes(16), rng.randbytes(320), rng.random() < 0.5) for _ in range(20)]
    model = Model(find(place(name)), key)
    assert core.run(jobs) == [(model.decrypt if job.decrypt else model.encrypt)(job.tweak, job.data) for job in jobs]
