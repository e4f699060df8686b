# SPDX-License-Identifier: Apache-2.0
"""Wide modes from definition to proved program: the software model and the program on numbers agree with plain Python."""

from __future__ import annotations

import random

import pytest
from tests.generality import reference
from tests.generality.cores import MODES, compiled
from tests.program_runs import computes

from modeloom.definition.software import Model
from modeloom.modes import find

CASES = [
    ("WideHEH", {"sector": 64}),
    ("WideHEH", {"sector": 128, "cipher_cores": 2, "direction": "decrypt", "squares": "fly"}),
    ("WideHEH", {"sector": 96, "overlap": False, "registered": False, "cipher_stages": 1}),
    ("WideHEH", {"sector": 96, "overlap": False, "registered": False, "cipher_stages": 1, "squares": "fly"}),
    ("WideHCTR", {"sector": 70}),
    ("WideHCTR", {"sector": 128, "cipher_cores": 2, "mul": 4}),
]


@pytest.mark.parametrize("sizes", [("WideHEH", 64), ("WideHEH", 320), ("WideHCTR", 32), ("WideHCTR", 33), ("WideHCTR", 96)], ids=str)
def test_software_model(sizes):
    name, nbytes = sizes
    rng = random.Random(nbytes)
    mode = find(f"{MODES}:{name}")
    key = rng.randbytes(mode.key_bytes(32))
    tweak, data = rng.randbytes(32), rng.randbytes(nbytes)
    model, plain = Model(mode, key), getattr(reference, name)(key)
    assert model.encrypt(tweak, data) == plain.encrypt(tweak, data) != data
    assert model.decrypt(tweak, data) == plain.decrypt(tweak, data)
    assert model.decrypt(tweak, model.encrypt(tweak, data)) == data


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_program(name, options):
    """It is proved, reaches its bound, and computes the mode on numbers."""
    design = compiled(name, **options)
    figures = design.explain()
    assert figures["proved"] and figures["key_bits"] == 256 and figures["ii"] == figures["ii_bound"]
    assert computes(design, getattr(reference, name), f"{name} {options}")


def test_without_a_sequential_form_the_decrypter_is_pipelined():
    assert compiled("WideHCTR", sector=128, cipher_cores=2, mul=4).architecture.forms == {"enc": "pipelined", "dec": "pipelined"}
