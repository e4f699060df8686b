# SPDX-License-Identifier: Apache-2.0
"""Wide modes from definition to proved program: the software model and the program on numbers agree with plain Python."""

from __future__ import annotations

import random

import pytest
from tests.generality import reference
from tests.generality.cores import MODES, compiled

from modeloom.modes import find
from modeloom.prove.numeric import NumericMachine
from modeloom.software import Model

CASES = [
    ("WideHEH", {"sector": 64}),
    ("WideHEH", {"sector": 128, "aes": 2, "direction": "decrypt", "squares": "fly"}),
    ("WideHEH", {"sector": 96, "overlap": False, "registered": False, "aes_stages": 1}),
    ("WideHEH", {"sector": 96, "overlap": False, "registered": False, "aes_stages": 1, "squares": "fly"}),
    ("WideHCTR", {"sector": 70}),
    ("WideHCTR", {"sector": 128, "aes": 2, "mul": 4}),
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
    program, units = design.allocation.program, design.units
    rng = random.Random(f"{name} {options}")
    key = rng.randbytes(design.mode.key_bytes(32))
    parts = design.mode.split_key(key, (32,))
    machine = NumericMachine(
        program, design.mode.field, design.architecture.cipher.software(parts["cipher"]),
        [parts[word] for word in program.key_words[: program.raw_words]],
        out_delay=units.unit("out").latency, key_delay=units.key_delay,
    )  # fmt: skip
    directions = [rng.choice(program.directions) for _ in range(8)]
    tweaks = [rng.randbytes(32) for _ in directions]
    data = [rng.randbytes(program.nbytes) for _ in directions]
    result = machine.run(directions, [n * program.ii for n in range(8)], [tweaks], [data])
    plain = getattr(reference, name)(key)
    assert result.sectors[0] == [getattr(plain, d)(t, x) for d, t, x in zip(directions, tweaks, data, strict=True)]


def test_without_a_sequential_form_the_decrypter_is_pipelined():
    assert compiled("WideHCTR", sector=128, aes=2, mul=4).architecture.cores == {"enc": "pipelined", "dec": "pipelined"}
