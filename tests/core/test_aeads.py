# SPDX-License-Identifier: Apache-2.0
"""OCB3, CCM and Deoxys-I on simulated cores: published vectors, every alignment, random messages, and messages that must be refused.

The oracle is the cryptography package.  Deoxys-I is not in it, and neither are OCB3's nonces of fewer than 12 bytes and its short tags:
there, the oracle is the reference in ``modeloom_golden``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESOCB3
from tests.built import slow, slowly
from tests.golden.aead import ALIGNMENTS, wrong_messages
from tests.streamed import simulated

import modeloom_golden as golden
from modeloom.interfaces.messages import MessageCode
from modeloom.product.message import Message
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.verification.stream.bounds import fitting, run_vectors

SMALL: dict[str, Any] = {"key_bits": 128, "key_slots": 2, "cipher_stages": 1, "prove": False}

CORES: dict[str, dict[str, Any]] = {"ocb3": SMALL, "ccm": {**SMALL, "channels": 3}, "deoxys-i": SMALL}
"""For each mode the options of its core."""

NONCES = {"ocb3": (12, 13, 14, 15), "ccm": (7, 8, 9, 10, 11, 12, 13), "deoxys-i": (8,)}

TAGS = {"ocb3": (16,), "ccm": (16, 14, 12, 10, 8, 6, 4), "deoxys-i": (16,)}

MODES = [*CORES]

BATCH = 200
"""Messages back to back."""

PARTS = 5
"""Parts of the random messages, each with another seed: a test of all of them would take too long."""


@cache
def deoxys(key: bytes) -> golden.DeoxysI:
    return golden.DeoxysI(key)


SEAL: dict[str, Callable[..., bytes]] = {
    "ocb3": lambda key, nonce, text, ad, tag_bytes: AESOCB3(key).encrypt(nonce, text, ad),
    "ccm": lambda key, nonce, text, ad, tag_bytes: AESCCM(key, tag_bytes).encrypt(nonce, text, ad),
    "deoxys-i": lambda key, nonce, text, ad, tag_bytes: deoxys(key).seal(nonce, text, ad, tag_bytes),
}
"""Ciphertext and tag of a message, from the oracle."""


class Loaded:
    """A core with a key in each slot, and messages of the oracle for it."""

    def __init__(self, mode: str, seed: int, gaps: dict[str, float] | None = None):
        self.mode, self.rng = mode, random.Random(f"{mode} {seed}")
        self.core: SimulatedStreamCore = simulated(mode, seed=seed, gaps=gaps, **CORES[mode])
        self.new_keys()

    def new_keys(self) -> None:
        """Another key in each slot."""
        self.keys = [self.rng.randbytes(16) for _ in range(self.core.description.key_slots)]
        for slot, key in enumerate(self.keys):
            self.core.load_key(key, slot)

    def compare(self, lengths: Iterable[tuple[int, int]]) -> None:
        """Messages with these bytes of associated data and text, each sealed and opened, in a random order of slots and channels."""
        jobs, wanted = [], []
        for ad_bytes, text_bytes in lengths:
            slot, tag_bytes = self.rng.randrange(len(self.keys)), self.rng.choice(TAGS[self.mode])
            nonce = self.rng.randbytes(self.rng.choice(NONCES[self.mode]))
            ad, text = self.rng.randbytes(ad_bytes), self.rng.randbytes(text_bytes)
            sealed = SEAL[self.mode](self.keys[slot], nonce, text, ad, tag_bytes)
            for decrypt in self.rng.sample((False, True), 2):
                channel = len(jobs) % self.core.description.channels
                jobs.append(Message(nonce, sealed if decrypt else text, ad, decrypt, slot, tag_bytes, channel=channel))
                wanted.append(text if decrypt else sealed)
        assert self.core.run(jobs) == wanted


@slow
@pytest.mark.parametrize("mode", MODES)
def test_every_alignment(mode: str) -> None:
    """Associated data of 0 to 64 bytes with text of 0 to 64, sealed and opened."""
    one = Loaded(mode, 2)
    for at in range(0, len(ALIGNMENTS), BATCH):
        one.compare(ALIGNMENTS[at : at + BATCH])


@slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("mode", MODES)
def test_ten_thousand_random_messages(mode: str, part: int) -> None:
    """10 000 messages in all parts, each sealed and opened.  Each batch has other keys, and all buses have gaps."""
    one = Loaded(mode, 10 + part, {"s_axis": 0.1, "s_axis_cmd": 0.2, "m_axis": 0.2, "m_axis_status": 0.1})
    for _ in range(10_000 // PARTS // BATCH):
        one.new_keys()
        one.compare([(one.rng.randrange(one.rng.choice((20, 200))), one.rng.randrange(one.rng.choice((50, 400)))) for _ in range(BATCH)])
    assert not one.core.runner.violations()


@slow
@pytest.mark.parametrize("mode", MODES)
def test_what_must_be_refused(mode: str) -> None:
    """Each wrong bit of ciphertext and tag, some of nonce and associated data, and bytes at another place.  The message itself opens."""
    one = Loaded(mode, 4)
    core, key = one.core, one.keys[0]
    for ad_bytes, text_bytes in ((21, 19), (16, 32), (5, 0)):
        nonce, ad, text = one.rng.randbytes(NONCES[mode][0]), one.rng.randbytes(ad_bytes), one.rng.randbytes(text_bytes)
        sealed = SEAL[mode](key, nonce, text, ad, 16)
        jobs = []
        for wrong_nonce, data, header in wrong_messages(nonce, sealed, ad):
            jobs += [Message(wrong_nonce, data, header, True)] if len(data) >= 16 else []
        found = core.outcomes([*jobs, Message(nonce, sealed, ad, True), *jobs[::17]])
        assert {outcome.code for outcome in (*found[: len(jobs)], *found[len(jobs) + 1 :])} == {MessageCode.WRONG_TAG}
        assert (found[len(jobs)].code, found[len(jobs)].text) == (MessageCode.OK, text)


@slow
@pytest.mark.parametrize("tag_bytes", [16, 12, 8])
def test_nonces_and_tags_of_every_length(tag_bytes: int) -> None:
    """OCB3: nonces of 1 to 15 bytes with each tag, and each bit of a short tag counts."""
    one = Loaded("ocb3", 5)
    reference, jobs, wanted = golden.OCB3(one.keys[0]), [], []
    for nonce_bytes in range(1, 16):
        nonce, ad, text = one.rng.randbytes(nonce_bytes), one.rng.randbytes(nonce_bytes), one.rng.randbytes(3 * nonce_bytes)
        sealed = reference.seal(nonce, text, ad, tag_bytes)
        jobs += [Message(nonce, text, ad, False, 0, tag_bytes), Message(nonce, sealed, ad, True, 0, tag_bytes)]
        wanted += [sealed, text]
    assert one.core.run(jobs) == wanted
    flipped = [sealed[:at] + bytes([sealed[at] ^ 1 << bit]) + sealed[at + 1 :] for at in range(len(text), len(sealed)) for bit in range(8)]
    found = one.core.outcomes([Message(nonce, data, ad, True, 0, tag_bytes) for data in flipped])
    assert len(found) == 8 * tag_bytes and {outcome.code for outcome in found} == {MessageCode.WRONG_TAG}


@pytest.mark.parametrize(("mode", "fewest", "refused"), slowly(("ocb3", 40, 0), ("ccm", 100, 20), ("deoxys-i", 4, 0)))
def test_published_vectors(mode: str, fewest: int, refused: int) -> None:
    """All that fit the core, with those whose tags must be refused."""
    core = simulated(mode, **CORES[mode])
    tests = fitting(core.description)
    assert len(tests) >= fewest and sum(test["result"] != "valid" for test in tests) >= refused
    assert run_vectors(core, tests) >= len(tests)
