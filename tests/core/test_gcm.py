# SPDX-License-Identifier: Apache-2.0
"""GCM on a simulated core: published vectors, and the cryptography package as the oracle."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from tests.built import slow
from tests.streamed import SMALL, simulated

from modeloom.interfaces.messages import MessageCode
from modeloom.product.message import Message
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.verification.stream.bounds import fitting, run_vectors

SIZES = {**SMALL, "key_bits": None}
"""A core that takes keys of all sizes."""

TAGS = (16, 15, 14, 13, 12, 8, 4)


@pytest.fixture(scope="module")
def core() -> SimulatedStreamCore:
    return simulated(**SIZES)


@pytest.fixture(scope="module")
def small() -> SimulatedStreamCore:
    """A core that other files test, too, for keys of 128 bits."""
    return simulated(**SMALL)


def compare(core: SimulatedStreamCore, cases: list[tuple[bytes, int, int, int, bool]], rng: random.Random) -> None:
    """Runs messages: key, bytes of associated data and text, bytes of the tag, direction; each under the slot that gets its key."""
    slots = {key: slot for slot, key in enumerate(dict.fromkeys(key for key, *_ in cases))}
    for key, slot in slots.items():
        core.load_key(key, slot)
    jobs, wanted = [], []
    for key, ad_bytes, text_bytes, tag_bytes, decrypt in cases:
        nonce, ad, text = rng.randbytes(12), rng.randbytes(ad_bytes), rng.randbytes(text_bytes)
        sealed = AESGCM(key).encrypt(nonce, text, ad)[: text_bytes + tag_bytes]
        jobs.append(Message(nonce, sealed if decrypt else text, ad, decrypt, slots[key], tag_bytes))
        wanted.append(text if decrypt else sealed)
    assert core.run(jobs) == wanted


def keys(rng: random.Random) -> list[bytes]:
    return [rng.randbytes(size) for size in (16, 24, 32)]


def sample(core: SimulatedStreamCore, given: list[bytes], rng: random.Random) -> None:
    lengths = [*range(65)]
    cases = [
        (rng.choice(given), ad, text, rng.choice(TAGS), rng.random() < 0.5)
        for ad, text in zip(rng.sample(lengths, 65), rng.sample(lengths, 65), strict=True)
    ]
    compare(core, [*cases, *((key, 0, 0, tag, way) for key in given for tag in TAGS for way in (False, True))], rng)


def test_a_sample_of_all_lengths(small: SimulatedStreamCore) -> None:
    """Each length of associated data and of text from 0 to 64, with all sizes of tags and directions, in a random combination."""
    rng = random.Random(11)
    sample(small, [rng.randbytes(16) for _ in range(3)], rng)


@slow
def test_a_sample_of_all_lengths_and_sizes_of_keys(core: SimulatedStreamCore) -> None:
    rng = random.Random(11)
    sample(core, keys(rng), rng)


def test_a_sample_of_published_vectors(core: SimulatedStreamCore) -> None:
    """Some of every kind: sizes of keys and tags, valid and not; all of them are in the slow test."""
    chosen, seen = [], Counter[tuple[int, int, str, bool]]()
    for test in fitting(core.description):
        kind = len(test["key"]), len(test["tag"]), test["result"], len(test["nonce"]) == 24
        seen[kind] += 1
        if seen[kind] <= 2 and len(test["ct"]) <= 128:
            chosen.append(test)
    assert len(chosen) > 60 and len({key for key, *_ in seen}) == 3
    assert run_vectors(core, chosen) > len(chosen)


def test_a_wrong_tag_then_a_right_one(small: SimulatedStreamCore) -> None:
    key, core = bytes(range(16)), small
    core.load_key(key)
    sealed = AESGCM(key).encrypt(bytes(12), b"abc", b"")
    wrong = sealed[:-1] + bytes([sealed[-1] ^ 1])
    found = core.outcomes([Message(bytes(12), data, decrypt=True) for data in (wrong, sealed, wrong, wrong, sealed)])
    assert [one.code == MessageCode.OK for one in found] == [False, True, False, False, True]


@slow
def test_all_published_vectors() -> None:
    core = simulated(optimize=1, **SIZES)
    assert run_vectors(core, fitting(core.description)) > 5000


@slow
@pytest.mark.parametrize("tag_bytes", TAGS)
@pytest.mark.parametrize("size", [16, 24, 32])
def test_all_lengths(size: int, tag_bytes: int) -> None:
    """Associated data 0 to 64 bytes, text 0 to 64, in both directions."""
    rng = random.Random(f"{size} {tag_bytes}")
    core, key = simulated(optimize=1, **SIZES), rng.randbytes(size)
    for ad in range(65):
        compare(core, [(key, ad, text, tag_bytes, decrypt) for text in range(65) for decrypt in (False, True)], rng)


@slow
@pytest.mark.parametrize("seed", range(10))
def test_random_messages_with_gaps(seed: int) -> None:
    """10 000 messages of random lengths with pauses on the inputs and back-pressure on the outputs, ten times."""
    rng = random.Random(seed)
    gaps = {name: rng.choice((0.0, 0.1, 0.5)) for name in ("s_axis", "s_axis_cmd", "m_axis", "m_axis_status")}
    core, given = simulated(seed=seed, gaps=gaps, optimize=1, **SIZES), keys(rng)
    for _ in range(100):
        cases = [
            (rng.choice(given), rng.randrange(80), rng.randrange(rng.choice((100, 600))), rng.choice(TAGS), rng.random() < 0.5)
            for _ in range(100)
        ]
        compare(core, cases, rng)
    assert not core.runner.violations()
