# SPDX-License-Identifier: Apache-2.0
"""A simulated core for messages from Python: seal, open, run, long messages in pieces, and what is refused."""

from __future__ import annotations

import random

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from tests.built import SEQUENTIAL
from tests.built import folder as sector_folder
from tests.streamed import TINY, folder, simulated

import modeloom
from modeloom.interfaces.messages import MessageCode
from modeloom.product.message import Message, MessageError
from modeloom.product.simulated import SimulatedCore
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.spec import InputError


@pytest.fixture(scope="module")
def core() -> SimulatedStreamCore:
    return simulated(**TINY)


KEY = bytes(range(16))


def test_core_gives_the_right_kind() -> None:
    made = modeloom.core(folder(**TINY), optimize=0)
    assert isinstance(made, SimulatedStreamCore)
    made.load_key(KEY)
    sealed = made.seal(bytes(12), b"text", b"header")
    assert sealed == AESGCM(KEY).encrypt(bytes(12), b"text", b"header")
    assert made.open(bytes(12), sealed, b"header") == b"text"
    assert isinstance(modeloom.core(sector_folder("hctr2", **SEQUENTIAL), optimize=0), SimulatedCore)


def test_every_slot_has_its_key(core: SimulatedStreamCore) -> None:
    rng = random.Random(1)
    keys = [rng.randbytes(16) for _ in range(3)]
    for slot, key in enumerate(keys):
        core.load_key(key, slot)
    jobs, wanted = [], []
    for number in range(60):
        slot, nonce, ad, text = number * 7 % 3, rng.randbytes(12), rng.randbytes(number % 20), rng.randbytes(number)
        sealed = AESGCM(keys[slot]).encrypt(nonce, text, ad)
        decrypt = rng.random() < 0.5
        jobs.append(Message(nonce, sealed if decrypt else text, ad, decrypt, slot))
        wanted.append(text if decrypt else sealed)
    assert core.run(jobs) == wanted
    assert len(core.status_cycles) == 60 and core.status_cycles == sorted(core.status_cycles)
    assert core.run([]) == []


@pytest.mark.parametrize("tag_bytes", [16, 15, 14, 13, 12, 8, 4])
def test_tags(core: SimulatedStreamCore, tag_bytes: int) -> None:
    core.load_key(KEY)
    sealed = core.seal(bytes(12), b"some text", b"ad", tag_bytes=tag_bytes)
    assert sealed == AESGCM(KEY).encrypt(bytes(12), b"some text", b"ad")[: 9 + tag_bytes]
    assert core.open(bytes(12), sealed, b"ad", tag_bytes=tag_bytes) == b"some text"
    for place in (0, 8, 9, 9 + tag_bytes - 1):
        wrong = bytearray(sealed)
        wrong[place] ^= 0x80
        with pytest.raises(modeloom.AuthenticationError, match="gcm: the tag is wrong"):
            core.open(bytes(12), bytes(wrong), b"ad", tag_bytes=tag_bytes)
    with pytest.raises(modeloom.AuthenticationError):
        core.open(bytes(12), sealed, b"aD", tag_bytes=tag_bytes)


def test_nonces_of_all_lengths_are_those_of_the_model(core: SimulatedStreamCore) -> None:
    core.load_key(KEY)
    model = modeloom.model("gcm", KEY)
    for length in range(1, 17):
        nonce = bytes(range(length))
        assert core.seal(nonce, b"text", b"a") == model.seal(nonce, b"text", b"a")


def test_what_came_of_messages_that_fail(core: SimulatedStreamCore) -> None:
    core.load_key(KEY)
    good = AESGCM(KEY).encrypt(bytes(12), b"abc", b"")
    jobs = [
        Message(bytes(12), b"abc"), Message(bytes(12), good[:-1] + b"\0", decrypt=True), Message(bytes(12), good, decrypt=True),
        Message(bytes(12), b"x", slot=2),
    ]  # fmt: skip
    core.erase_key(2)
    found = core.outcomes(jobs)
    assert [one.code for one in found] == [MessageCode.OK, MessageCode.WRONG_TAG, MessageCode.OK, MessageCode.NO_KEY]
    assert [one.text for one in found] == [good[:3], b"abc", b"abc", b""]
    with pytest.raises(MessageError, match=r"message 0: status NO_KEY \(6\): the key slot is empty"):
        core.run(jobs[3:])
    assert core.open(bytes(12), good) == b"abc", "a refused message changes nothing"


@pytest.mark.parametrize("ad", [b"", b"x", bytes(16), bytes(40)])
def test_long_messages_in_pieces(core: SimulatedStreamCore, ad: bytes) -> None:
    core.load_key(KEY)
    for text in (b"", b"a", bytes(16), bytes(range(100)), bytes(160)):
        chunks = [text[at : at + 48] for at in range(0, len(text), 48)]
        sealed = AESGCM(KEY).encrypt(bytes(12), text, ad)
        assert b"".join(core.pieces(Message(bytes(12), b"", ad), chunks)) == sealed
        sealed_chunks = [sealed[at : min(at + 48, len(text))] for at in range(0, len(text), 48)]
        opened = core.pieces(Message(bytes(12), b"", ad, True), sealed_chunks, sealed[len(text) :])
        assert b"".join(opened) == text
        with pytest.raises(modeloom.AuthenticationError):
            list(core.pieces(Message(bytes(12), b"", ad, True), sealed_chunks, bytes(16)))


def test_gaps_change_cycles_and_nothing_else() -> None:
    gaps = dict.fromkeys(("s_axis", "s_axis_cmd", "m_axis", "m_axis_status"), 0.97)
    made, plain = simulated(seed=3, gaps=gaps, **TINY), simulated(**TINY)
    jobs = [Message(bytes([n]) * 12, bytes(n * 5), bytes(n % 18)) for n in range(30)]
    for each in (made, plain):
        each.load_key(KEY)
    assert made.run(jobs) == plain.run(jobs)
    assert made.status_cycles[-1] - made.status_cycles[0] > 2 * (plain.status_cycles[-1] - plain.status_cycles[0])
    assert not made.runner.violations()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"nonce": b""}, "gcm: a nonce has 1 to 16 bytes, not 0"),
        ({"nonce": bytes(17)}, "gcm: a nonce has 1 to 16 bytes, not 17"),
        ({"tag_bytes": 5}, "gcm: a tag has 16, 15, 14, 13, 12, 8 or 4 bytes, not 5"),
        ({"slot": 3}, "this core has no key slot 3: it has 3, counted from 0"),
        ({"data": bytes(7), "decrypt": True}, "gcm: a sealed message has at least the 16 bytes of its tag, not 7"),
    ],
)
def test_wrong_messages(core: SimulatedStreamCore, arguments: dict, message: str) -> None:
    with pytest.raises(InputError) as caught:
        core.run([Message(**{"nonce": bytes(12), "data": b"", **arguments})])
    assert str(caught.value) == message


@pytest.mark.parametrize("arguments", [{"nonce": "00"}, {"data": 3}, {"decrypt": 3}, {"decrypt": "1"}, {"slot": "0"}, {"tag_bytes": 16.0}])
def test_wrong_types(arguments: dict) -> None:
    with pytest.raises(TypeError):
        Message(**{"nonce": bytes(12), "data": b"", **arguments})


def test_wrong_keys(core: SimulatedStreamCore) -> None:
    with pytest.raises(InputError, match=r"gcm: this core takes keys of 16 bytes \(cipher\), not 15"):
        core.load_key(bytes(15))
    with pytest.raises(InputError, match="this core has no key slot 3"):
        core.load_key(KEY, 3)


@pytest.mark.slow
def test_a_core_that_only_seals() -> None:
    made = simulated(direction="encrypt", **TINY)
    made.load_key(KEY)
    assert made.seal(bytes(12), b"a") == AESGCM(KEY).encrypt(bytes(12), b"a", b"")
    with pytest.raises(InputError, match="this core was not built to open messages; build it with --direction both"):
        made.open(bytes(12), bytes(17))
