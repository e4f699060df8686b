# SPDX-License-Identifier: Apache-2.0
"""Cores of counter modes, in simulation, against Python integers and the ``cryptography`` package; sectors in which counters wrap."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from tests import built
from tests.modes import counters

from modeloom.product.simulated import Sector
from modeloom.prove import ProofError, prove
from modeloom.spec import COUNTERS
from modeloom.verification import verify_core

FILE = Path(counters.__file__)
SMALL = {"sector": 64, "direction": "encrypt", "cipher_arch": "sequential", "cipher_stages": 1, "restarts": 10}
WAYS = {"CounterMode": (128, "big"), "Counter64": (64, "big"), "Counter32Little": (32, "little"),
        "Counter64Little": (64, "little"), "Counter128Little": (128, "little")}  # fmt: skip


def counted(tweak: bytes, number: int, bits: int, order: str) -> bytes:
    """A counter block, by the plain words of the document: a big counter at the end, a little one at the front."""
    size = bits // 8
    part = tweak[-size:] if order == "big" else tweak[:size]
    after = ((int.from_bytes(part, order) + number) % (1 << bits)).to_bytes(size, order)  # type: ignore[arg-type]
    return tweak[:-size] + after if order == "big" else after + tweak[size:]


def stream(key: bytes, blocks: list[bytes]) -> bytes:
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(b"".join(blocks))


def tweaks(rng: random.Random, bits: int, order: str) -> list[bytes]:
    """Counters that wrap within a sector, that carry through half of their bytes, and others."""
    size = bits // 8
    starts = [(1 << bits) - 1 - back for back in (0, 1, 2, 4)] + [(1 << bits // 2) - 3, (1 << bits - 8) - 2, 0]
    found = []
    for start in starts:
        rest, part = rng.randbytes(16 - size), start.to_bytes(size, order)  # type: ignore[arg-type]
        found.append(rest + part if order == "big" else part + rest)
    return [*found, rng.randbytes(16), bytes(16), b"\xff" * 16]


@pytest.mark.parametrize("name", [
    "CounterMode", "Counter64Little",
    *(pytest.param(name, marks=built.slow) for name in ("Counter64", "Counter32Little", "Counter128Little")),
])  # fmt: skip
def test_counters_that_wrap_within_a_sector(name):
    bits, order = WAYS[name]
    rng = random.Random(bits)
    core, key = built.simulated(f"{FILE}:{name}", **SMALL), rng.randbytes(16)
    core.load_key(key)
    jobs = [Sector(tweak, rng.randbytes(64)) for tweak in tweaks(rng, bits, order)]
    for job, result in zip(jobs, core.run(jobs), strict=True):
        blocks = [counted(job.tweak, i, bits, order) for i in range(1, 5)]
        assert result == bytes(a ^ b for a, b in zip(job.data, stream(key, blocks), strict=True)), job.tweak.hex()
    if name == "CounterMode":
        ctr = Cipher(algorithms.AES(key), modes.CTR(counted(jobs[2].tweak, 1, 128, "big"))).encryptor()
        assert core.run([jobs[2]]) == [ctr.update(jobs[2].data)], "it is CTR of SP 800-38A"


def test_one_adder_for_all_counters():
    """Six counters behind one operand network, one of them counted backwards."""
    options = {**SMALL, "sector": 96}
    rng = random.Random(3)
    core, key = built.simulated(f"{FILE}:AllCounters", **options), rng.randbytes(16)
    core.load_key(key)
    ways = [(128, "big"), (64, "big"), (32, "big"), (128, "little"), (64, "little"), (32, "little")]
    jobs = [Sector(tweak, rng.randbytes(96)) for bits, order in ways for tweak in tweaks(rng, bits, order)]
    for job, result in zip(jobs, core.run(jobs), strict=True):
        blocks = [counted(job.tweak, -7 if i == 2 else i + 1, *ways[i]) for i in range(6)]
        assert result == bytes(a ^ b for a, b in zip(job.data, stream(key, blocks), strict=True)), job.tweak.hex()
    unit = built.compiled(f"{FILE}:AllCounters", **options).units.unit("add")
    assert unit.count == 1 and set(unit.forms) == set(COUNTERS) and unit.core == 1, "a register in the chain of 128 carries"


@built.slow
def test_verify():
    """All that ``modeloom verify`` does, the linter included."""
    core = built.folder(f"{FILE}:AllCounters", **{**SMALL, "sector": 96})
    names = {step.name for step in verify_core(core, sectors=20, optimize=0)}
    assert {"proof", "lint", "timing", "engine", "keys", "sectors", "bench"} <= names


@pytest.mark.parametrize("name", list(WAYS))
def test_another_counter_is_refused(name):
    """The proof knows counters apart: by their bits, their order and their number."""
    compiled = built.compiled(f"{FILE}:{name}", **SMALL)
    for change in ("kind", "number"):
        ops = [op for _, op in compiled.graph.ops("encrypt") if op.kind in COUNTERS]
        old = ops[1].kind, ops[1].number
        if change == "kind":
            ops[1].kind = "add" if old[0] != "add" else "add64"
        else:
            ops[1].number ^= 1 << WAYS[name][0] - 1
        try:
            with pytest.raises(ProofError):
                prove(compiled)
        finally:
            ops[1].kind, ops[1].number = old
    prove(compiled)
