# SPDX-License-Identifier: Apache-2.0
"""Messages that a core cannot hold back or store: they are not applicable, to the byte, and all shorter ones are run."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESGCMSIV
from tests import streamed
from tests.built import slow
from tests.conformance import made
from tests.conformance.reports import counted
from tests.cores.lwc import core as lwc

from modeloom.conformance import Subject, read_file, run_file, subject_of, subjects
from modeloom.cores.stream import StreamCore
from modeloom.definition.messages import StreamModel
from modeloom.interfaces.messages import MessageCode
from modeloom.modes import find_any
from modeloom.product.message import Message, Outcome, check_room
from modeloom.product.messages import StreamDescription
from modeloom.spec import InputError

OTHER = " (the other direction passed)"
HELD = "gcm: this core holds back at most 50 bytes of text"
HELD_PACKET = "gcm: this core holds back at most 50 bytes of header and text"
HELD_PASS = "gcm-siv: this core holds back at most 50 bytes of text"
STORED = "gcm-siv: this core stores at most 40 bytes of a message to seal, in whole beats"

SIV: dict[str, Any] = {**streamed.TINY, "keys": "derived"}

CORES = {
    "held packets": ("gcm", {**streamed.TINY, "packet": "wire", "hold": 50}), "held text": ("gcm", {**streamed.TINY, "hold": 50}),
    "held passes": ("gcm-siv", {**SIV, "hold": 50}), "stored": ("gcm-siv", {**SIV, "message_buffer": 40}),
}  # fmt: skip

LENGTHS = (
    (0, 50), (0, 51), (9, 41), (9, 42), (50, 0), (51, 0), (300, 0), (0, 300), (16, 32), (17, 16), (16, 33), (33, 15), (31, 17), (0, 48),
    (0, 49),
)  # fmt: skip
"""Bytes of associated data and of text."""


REFUSED_WAYS = {"held packets": {1}, "held text": {1}, "held passes": {1, 2}, "stored": {0}}
"""What a host sends that has a limit: 0 seals, 1 opens, 2 is the second pass."""


def described(name: str) -> StreamDescription:
    mode, options = CORES[name]
    return StreamCore(streamed.compiled(mode, prove=False, **options)).describe("core", "modeloom build")


def too_long(name: str, associated: int, text: int) -> str:
    """Why a core with beats of 16 bytes cannot do all that a message needs."""
    if name == "stored":  # in three beats: each part begins in a new one
        return STORED if -(-associated // 16) - (-text // 16) > 3 else ""
    if name == "held packets":
        return HELD_PACKET if associated + text > 50 else ""
    return "" if text <= 50 else HELD if name == "held text" else HELD_PASS


def seal(mode: str, key: bytes, nonce: bytes, text: bytes, ad: bytes) -> bytes:
    return (AESGCM if mode == "gcm" else AESGCMSIV)(key).encrypt(nonce, text, ad)


def messages(mode: str, lengths: Sequence[tuple[int, int]] = LENGTHS) -> Any:
    """Valid messages in the form of Wycheproof, which are sealed and opened."""
    rng, key, tests = Random(mode), Random(1).randbytes(16), []
    for number, (associated, nbytes) in enumerate(lengths, 1):
        nonce, ad, text = rng.randbytes(12), rng.randbytes(associated), rng.randbytes(nbytes)
        sealed = seal(mode, key, nonce, text, ad)
        tests.append({"tcId": number, "result": "valid", "key": key.hex(), "iv": nonce.hex(), "aad": ad.hex(), "msg": text.hex(),
                      "ct": sealed[:nbytes].hex(), "tag": sealed[nbytes:].hex()})  # fmt: skip
    return {"algorithm": "AES-GCM" if mode == "gcm" else "AES-GCM-SIV", "testGroups": [{"tagSize": 128, "tests": tests}]}


def prompt(mode: str, lengths: Sequence[tuple[int, int]] = LENGTHS) -> Any:
    """The same messages as questions and answers of ACVP, to seal alone."""
    tests = messages(mode, lengths)["testGroups"][0]["tests"]
    asked = [{"tcId": one["tcId"], "key": one["key"], "iv": one["iv"], "aad": one["aad"], "pt": one["msg"],
              **({"ct": one["ct"], "tag": one["tag"]} if mode == "gcm" else {"ct": one["ct"] + one["tag"]})} for one in tests]  # fmt: skip
    return {"algorithm": "ACVP-AES-GCM" if mode == "gcm" else "ACVP-AES-GCM-SIV",
            "testGroups": [{"tgId": 1, "direction": "encrypt", "tagLen": 128, "tests": asked}]}  # fmt: skip


class OneMessage:
    """What a right core with these options gives, by the software model of its mode."""

    slots = 3

    def __init__(self, name: str):
        self.name, self.mode, self.keys = name, CORES[name][0], dict[int, bytes]()
        self.passes = 2 if name == "held passes" else 1

    def load_key(self, key: bytes, slot: int) -> None:
        self.keys[slot] = key

    def outcomes(self, given: Sequence[Message]) -> list[Outcome]:
        return [self.one(message) for message in given]

    def one(self, message: Message) -> Outcome:
        model = StreamModel(find_any(self.mode), self.keys[message.slot])
        text = message.data[: len(message.data) - (16 if message.decrypt else 0)]
        if too_long(self.name, len(message.ad), len(text)) and message.decrypt in REFUSED_WAYS[self.name]:
            return Outcome(MessageCode.TOO_LONG_TO_HOLD)
        if message.decrypt == 1:
            return Outcome(MessageCode.OK, model.open(message.nonce, message.data, message.ad, 16))
        sealed = model.seal(message.nonce, text, message.ad, 16)
        first = self.passes == 2 and not message.decrypt
        return Outcome(MessageCode.OK, b"" if first else sealed[:-16], b"" if message.decrypt else sealed[-16:])


def check(name: str, subject: Subject, folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Runs messages of all lengths: what is run passes, and what is not has its reason.  Sealing has no limit where text leaves at once."""
    mode, _ = CORES[name]
    both, sealing = read_file(made.write(folder, "w.json", messages(mode))), read_file(made.write(folder, "p.json", prompt(mode)))
    unable = [reason for lengths in LENGTHS if (reason := too_long(name, *lengths))]
    report = run_file(both, subject)
    what = unable[0] + (OTHER if name != "held passes" else "")
    assert (counted(report), report.not_applicable) == ((len(LENGTHS) - len(unable), 0, 0, len(unable)), {what: len(unable)})
    report = run_file(sealing, subject)
    kept = 0 if mode == "gcm" else len(unable)
    assert counted(report) == (len(LENGTHS) - kept, 0, 0, kept)
    # Without the check, the core itself refuses each of these messages, and no other one.
    patch.setattr(subjects, "check_room", lambda *_: None)
    report = run_file(both, subject)
    assert len(report.failed) == len(unable) and all("TOO_LONG_TO_HOLD" in text for text in report.failed.values()), report.failed


@pytest.mark.parametrize("name", CORES)
def test_messages_around_the_limit(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subjects, "message_core", lambda *_, **__: OneMessage(name))
    check(name, subjects.MessageCoreSubject(str(tmp_path), described(name), 0), tmp_path, monkeypatch)


@slow
@pytest.mark.parametrize("name", CORES)
def test_messages_around_the_limit_on_cores(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mode, options = CORES[name]
    check(name, subject_of(str(streamed.folder(mode, prove=False, **options)), optimize=0), tmp_path, monkeypatch)


class Refusing:
    """A core that does nothing, for the check before it."""

    slots = 3

    def load_key(self, *_: Any) -> None: ...

    def outcomes(self, given: Sequence[Any]) -> list[Any]:
        return [Outcome(MessageCode.TOO_LONG_TO_HOLD)] * len(given)


def test_a_message_that_a_core_wrongly_refuses_fails(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A core that says that a message is too long, and it is not, is wrong."""
    monkeypatch.setattr(subjects, "message_core", lambda *_, **__: Refusing())
    subject = subjects.MessageCoreSubject(str(tmp_path), described("held text"), 0)
    report = run_file(read_file(made.write(tmp_path, "w.json", messages("gcm", [(300, 50), (0, 51)]))), subject)
    assert all(text.startswith("seal: ") and "TOO_LONG_TO_HOLD" in text for text in report.failed.values()) and len(report.failed) == 2
    assert not report.not_applicable


@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
def test_a_direction_that_is_not_there(direction: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests of the other direction are not applicable, and those of both are run in the one that is there."""
    monkeypatch.setattr(subjects, "message_core", lambda *_, **__: Refusing())
    compiled = streamed.compiled("gcm", prove=False, **streamed.TINY, direction=direction)
    subject = subjects.MessageCoreSubject(str(tmp_path), StreamCore(compiled).describe("core", "modeloom build"), 0)
    report = run_file(read_file(made.write(tmp_path, "p.json", prompt("gcm", [(1, 1)]))), subject)
    assert report.not_applicable == ({} if direction == "encrypt" else {"this core was not built to seal": 1})
    report = run_file(read_file(made.write(tmp_path, "w.json", messages("gcm", [(1, 1)]))), subject)
    assert list(report.failed.values())[0].startswith("seal" if direction == "encrypt" else "open")


@slow
def test_behind_the_lwc_interface(tmp_path: Any) -> None:
    """The limit counts text alone."""
    folder = lwc.folder("gcm", hold=50)
    report = run_file(read_file(made.write(tmp_path, "w.json", messages("gcm"))), subject_of(str(folder), optimize=0))
    unable = [lengths for lengths in LENGTHS if lengths[1] > 50]
    assert counted(report) == (len(LENGTHS) - len(unable), 0, 0, len(unable))


@pytest.mark.parametrize("name", CORES)
def test_every_way_of_a_core(name: str) -> None:
    """What is held: texts to open, and second passes, whose tags are compared, too."""
    d, refused = described(name), set()
    for way in d.ways:
        try:
            check_room(d, way, 16, 51)
        except InputError:
            refused.add(way)
    assert refused == REFUSED_WAYS[name]
