# SPDX-License-Identifier: Apache-2.0
"""Cores on SM4: published vectors of HCTR, XTS of OpenSSL's test data, and the references."""

from __future__ import annotations

import json
import random

import pytest
from tests.built import folder, simulated, slow, slowly

import modeloom
import modeloom_golden as golden
from modeloom import vectors, verification
from modeloom.cli import main
from modeloom.product.simulated import Sector

COMMON = {"cipher": "sm4", "cipher_stages": 1, "restarts": 50}
HCTR = {"sector": 64, "more_sectors": (26,), "tweak": 16, "mul": 1, "key_slots": 2, **COMMON}
XTS = {"sector": 56, "cipher_arch": "combined", **COMMON}
SEQUENTIAL = {"sector": 48, "cipher": "sm4", "cipher_arch": "sequential", "cipher_stages": 2, "key_slots": 2}
PIPELINED = {"sector": 64, "tweak": 16, "cipher": "sm4", "cipher_stages": 1, "mul": 1}


@slow
def test_both_published_vectors_of_hctr():
    """The core reproduces both vectors, one of them with a partial block, with both keys and directions in flight."""
    tests = vectors.for_mode("hctr", "sm4")
    core, jobs, wanted = simulated("hctr", **HCTR), [], []
    for slot, test in enumerate(tests):
        core.load_key(bytes.fromhex(test["key"]), slot)
        tweak, pt, ct = (bytes.fromhex(test[name]) for name in ("tweak", "pt", "ct"))
        jobs += [Sector(tweak, pt, False, slot), Sector(tweak, ct, True, slot)]
        wanted += [ct, pt]
    assert len(tests) == 2 and core.run(jobs) == wanted


@pytest.mark.parametrize(("mode", "changes"), [
    ("xts-gb", XTS),
    *slowly(
        ("xts-ieee", {"sector": 56, **COMMON}), ("hctr", PIPELINED), ("hctr", {**HCTR, "cipher_arch": "sequential"}), ("tet", SEQUENTIAL),
        ("xts-gb", {"sector": 64, "cipher": "sm4", "key_slots": 3}), ("eme", {"sector": 64, "cipher": "sm4"}),
    ),
], ids=str)  # fmt: skip
def test_cores_are_what_the_references_are(mode, changes):
    rng = random.Random(4)
    core = simulated(mode, **changes)
    keys = [rng.randbytes(core.description.key_bytes) for _ in range(core.description.key_slots)]
    for slot, key in enumerate(keys):
        core.load_key(key, slot)
    references = [golden.mode(mode, key, "sm4") for key in keys]
    jobs = [
        Sector(rng.randbytes(core.tweak_bytes), rng.randbytes(changes["sector"]), rng.random() < 0.5, rng.randrange(len(keys)))
        for _ in range(24)
    ]
    expected = [getattr(references[job.slot], "decrypt" if job.decrypt else "encrypt")(job.tweak, job.data) for job in jobs]
    assert core.run(jobs) == expected


@pytest.mark.parametrize("mode", ["xts-gb", *slowly("xts-ieee")])
def test_published_vectors_of_xts(mode):
    """The core reproduces the vectors of its sector size.  Its sectors end with a partial block."""
    core = simulated(mode, **XTS)
    tests = [test for test in vectors.for_mode(mode, "sm4") if len(test["pt"]) == 2 * XTS["sector"]]
    for test in tests:
        core.load_key(bytes.fromhex(test["key"]), 0)
        tweak, pt, ct = (bytes.fromhex(test[name]) for name in ("tweak", "pt", "ct"))
        assert core.run([Sector(tweak, pt, False, 0), Sector(tweak, ct, True, 0)]) == [ct, pt]
    assert tests


def test_xts_with_sm4_is_that_of_gb_t_17964(capsys):
    """Its name says so wherever a cipher is chosen by name; a definition that is given is taken as it stands."""
    assert modeloom.compile("xts", **XTS).mode.name == "xts-gb"
    with pytest.raises(SystemExit):
        main(["explain", "xts", "--sector", "32", "--cipher", "sm4", "--cipher-stages", "1", "--json"])
    assert json.loads(capsys.readouterr().out)["mode"] == "xts-gb"


@slow
def test_verify_passes():
    """The static checks and the dynamic ones, against the reference on SM4 that shares no code with the compiler."""
    steps = {step.name: step for step in verification.verify_core(folder("hctr", **PIPELINED), hashes=False)}
    assert {"timing", "engine", "vectors", "keys"} <= set(steps)
