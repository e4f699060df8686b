# SPDX-License-Identifier: Apache-2.0
"""Cores of modes with two passes: what comes out in each pass, passes that differ, text that is held, and what ``verify`` does."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
from tests.built import slow, slowly
from tests.streamed import compiled, folder, simulated
from tests.streams.modes import HashedTwice, WideTwice

import modeloom
import modeloom_golden as golden
from modeloom.cli import cli
from modeloom.cores.stream import StreamCore
from modeloom.definition.messages import StreamModel
from modeloom.equivalence.stream import prove_messages
from modeloom.interfaces.messages import MessageCode
from modeloom.product.message import Message
from modeloom.spec import InputError
from modeloom.spec.stream import StreamMode
from modeloom.verification.stream.bounds import check_vectors
from modeloom.verification.stream.erasure import check_erasure, check_zeroize
from modeloom.verification.stream.host import StreamSubject
from modeloom.verification.stream.pace import check_pace
from modeloom.verification.stream.statuses import check_lengths, check_messages, check_reloads, check_statuses

SMALL: dict[str, Any] = {"key_slots": 2, "cipher_stages": 1, "mul_stages": 0}
SIZE = 32

WIDE = "tests/streams/modes.py:WideTwice"
"""A definition that ``verify`` finds again."""

TINY: dict[str, Any] = {"key_bits": 128, "key_slots": 2, "cipher_arch": "multistream", "streams": 1}
"""Such a core of another mode is built in less time."""

LENGTHS = [(0, 0), (0, SIZE), (SIZE, 0), (5, 0), (0, 5), (SIZE + 1, 2 * SIZE + 1), (4 * SIZE, 4 * SIZE), (0, 0), (1, 150)]


def loaded(**options: Any) -> tuple[Any, list[StreamModel], Random]:
    """A core with keys in its slots, and their models."""
    core, rng = simulated(WIDE, prove=False, **SMALL | options), Random(3)
    keys = [rng.randbytes(2 * SIZE) for _ in range(2)]
    for slot, key in enumerate(keys):
        core.load_key(key, slot)
    return core, [StreamModel(WideTwice(), key) for key in keys], rng


def test_sealed_and_opened() -> None:
    core, models, rng = loaded()
    for number, (ad, text) in enumerate(LENGTHS):
        slot, nonce, header, plain = number % 2, rng.randbytes((16, 24, 32)[number % 3]), rng.randbytes(ad), rng.randbytes(text)
        sealed = models[slot].seal(nonce, plain, header)
        assert core.seal(nonce, plain, header, slot=slot) == sealed
        assert core.open(nonce, sealed, header, slot=slot) == plain
        with pytest.raises(modeloom.AuthenticationError):
            core.open(nonce, sealed[:-1] + bytes([sealed[-1] ^ 1]), header, slot=slot)


@pytest.mark.parametrize("mode", [HashedTwice, *slowly(WideTwice)])
def test_passes(mode: type[StreamMode]) -> None:
    """The first pass gives the tag and no text.  The second one gives the ciphertext, and tells if the text or the tag is another one."""
    if mode is WideTwice:
        core, (model, _), rng = loaded()
    else:
        core, rng = simulated(mode.name, prove=False, **TINY), Random(3)
        key = rng.randbytes(16)
        core.load_key(key, 0)
        model = StreamModel(mode(), key)
    size = mode.block_bytes
    nonce, header, plain = rng.randbytes(16), rng.randbytes(7), rng.randbytes(3 * size + 4)
    sealed = model.seal(nonce, plain, header)
    text, tag = sealed[: len(plain)], sealed[len(plain) :]
    other = bytes([plain[0] ^ 1]) + plain[1:]
    first, second, changed, wrong = core.outcomes([
        Message(nonce, plain, header, 0), Message(nonce, plain + tag, header, 2), Message(nonce, other + tag, header, 2),
        Message(nonce, plain + bytes(size), header, 2),
    ])  # fmt: skip
    assert (first.code, first.text, first.tag) == (MessageCode.OK, b"", tag)
    assert (second.code, second.text, second.tag) == (MessageCode.OK, text, b"")
    assert changed.code == wrong.code == MessageCode.WRONG_TAG and changed.text[1:] == text[1:] and wrong.text != text


def test_messages_back_to_back() -> None:
    core, models, rng = loaded()
    made = []
    for number in range(30):
        nonce, header, plain = rng.randbytes(16), rng.randbytes(rng.randrange(80)), rng.randbytes(rng.randrange(200))
        sealed = models[number % 2].seal(nonce, plain, header)
        way = rng.random() < 0.5
        made.append((Message(nonce, sealed if way else plain, header, way, number % 2), plain if way else sealed))
    assert core.run([message for message, _ in made]) == [wanted for _, wanted in made]
    # No cycle is lost between messages: a token for each block, and the tag.
    d = core.description
    assert core.status_cycles[-1] - core.status_cycles[0] <= sum(d.cycles_of(len(m.ad), len(m.data)) for m, _ in made)


def test_other_cores_have_no_second_pass() -> None:
    core = simulated("wide-aead", prove=False, **{**SMALL, "mul_stages": 1})
    with pytest.raises(InputError, match="a message of wide-aead to seal goes through the core once; it has no second pass"):
        core.outcomes([Message(bytes(16), bytes(SIZE), decrypt=2)])
    with pytest.raises(TypeError, match="decrypt is True or False, or 2 for a second pass, not 3"):
        Message(bytes(16), b"", decrypt=3)


@slow
def test_held() -> None:
    """Nothing of a second pass leaves if the passes differ."""
    core, models, rng = loaded(hold=100)
    nonce, plain = rng.randbytes(16), rng.randbytes(90)
    sealed = models[0].seal(nonce, plain)
    other = bytes([plain[0] ^ 1]) + plain[1:]
    outcomes = core.outcomes([
        Message(nonce, plain + sealed[90:], b"", 2), Message(nonce, other + sealed[90:], b"", 2), Message(nonce, sealed, b"", 1),
        Message(nonce, bytes(101), b"", 0), Message(nonce, bytes(101 + SIZE), b"", 2),
    ])  # fmt: skip
    codes = [MessageCode.OK, MessageCode.WRONG_TAG, MessageCode.OK, MessageCode.OK, MessageCode.TOO_LONG_TO_HOLD]
    assert [outcome.code for outcome in outcomes] == codes
    assert [outcome.text for outcome in outcomes] == [sealed[:90], b"", plain, b"", b""]


OTHERS: dict[str, tuple[str, dict[str, Any]]] = {
    "lanes": (WIDE, {**SMALL, "blocks_per_cycle": 2}),
    "channels": (WIDE, {**SMALL, "channels": 3}),
    "held": (WIDE, {**SMALL, "hold": 100}),
    "sealing alone": (WIDE, {**SMALL, "direction": "encrypt"}),
    "opening alone": (WIDE, {**SMALL, "direction": "decrypt"}),
    "keys inline": (WIDE, {**SMALL, "key_slots": 4, "keys": "inline"}),
    "deoxys-ii": ("deoxys-ii", {"cipher_stages": 1, "key_slots": 2}),
    "deoxys-ii in channels": ("deoxys-ii", {"cipher_stages": 1, "key_slots": 2, "channels": 2}),
    "gcm-siv": ("gcm-siv", {"key_bits": 128, "cipher_stages": 1, "mul_stages": 1, "keys": "inline", "key_slots": 8}),
    "batches": ("tests/streams/modes.py:HashedTwice", {"key_bits": 128, "key_slots": 2, "cipher_arch": "multistream", "streams": 2}),
}
"""What a core can have."""

few = partial(check_messages, wanted=130)
rounds = partial(check_reloads, rounds=6)


@pytest.mark.parametrize("check", [check_statuses, few, *slowly(rounds, check_lengths, check_erasure, check_zeroize, check_pace)])
def test_checks(check: Any) -> None:
    text, figures = check(StreamSubject(folder(WIDE, prove=False, **SMALL), optimize=1))
    assert text and all(value for value in figures.values())


@slow
@pytest.mark.parametrize("name", OTHERS)
def test_checks_of_other_cores(name: str) -> None:
    mode, options = OTHERS[name]
    subject = StreamSubject(folder(mode, prove=False, **options), optimize=1)
    for check in (check_vectors, few, check_statuses, check_lengths, rounds, check_pace, check_erasure, check_zeroize):
        assert check(subject)[0]


def test_proof() -> None:
    """The emitted Verilog, on symbols, for each pass and for messages to open."""
    core = StreamCore(compiled(WIDE, prove=False, **SMALL))
    assert prove_messages(folder(WIDE, prove=False, **SMALL), core.component).messages > 200


@slow
@pytest.mark.parametrize("name", OTHERS)
def test_proof_of_other_cores(name: str) -> None:
    mode, options = OTHERS[name]
    report = prove_messages(folder(mode, prove=False, **options), StreamCore(compiled(mode, prove=False, **options)).component)
    # Nothing leaves of a message that is longer than what the core holds: three blocks.  To open, a message comes once.
    assert report.blocks > (50 if "hold" in options else 100) and report.messages > (150 if options.get("direction") == "decrypt" else 200)


@slow
def test_deoxys_ii() -> None:
    core, rng = simulated("deoxys-ii", prove=False, **OTHERS["deoxys-ii"][1]), Random(4)
    key = rng.randbytes(16)
    core.load_key(key)
    reference = golden.DeoxysII(key)
    for ad, text in [(0, 0), (0, 16), (16, 0), (5, 0), (0, 5), (17, 33), (64, 64), (1, 100)]:
        nonce, header, plain = rng.randbytes(15), rng.randbytes(ad), rng.randbytes(text)
        sealed = reference.seal(nonce, plain, header)
        assert core.seal(nonce, plain, header) == sealed and core.open(nonce, sealed, header) == plain


@slow
def test_gcm_siv() -> None:
    """Under a master key, and with a master key for each message; the keys of messages are derived outside the core."""
    core, rng = simulated("gcm-siv", prove=False, **OTHERS["gcm-siv"][1]), Random(5)
    with pytest.raises(InputError, match="gcm-siv: load a master key first, of which the keys of messages are derived"):
        core.seal(bytes(12), b"")
    with pytest.raises(InputError, match="gcm-siv: a master key has 16 bytes, not 32"):
        core.load_key(bytes(32))
    key = rng.randbytes(16)
    core.load_key(key)
    for ad, text in LENGTHS:
        nonce, header, plain = rng.randbytes(12), rng.randbytes(ad), rng.randbytes(text)
        sealed = AESGCMSIV(key).encrypt(nonce, plain, header)
        assert core.seal(nonce, plain, header) == sealed and core.open(nonce, sealed, header) == plain
        with pytest.raises(modeloom.AuthenticationError):
            core.open(nonce, sealed[:-1] + bytes([sealed[-1] ^ 1]), header)
    made = []
    for number in range(30):
        key, nonce, plain = rng.randbytes(16), rng.randbytes(12), rng.randbytes(rng.randrange(300))
        sealed = AESGCMSIV(key).encrypt(nonce, plain, b"header")
        data, wanted = (sealed, plain) if number % 3 else (plain, sealed)
        made.append((Message(nonce, data, b"header", bool(number % 3), key=key), wanted))
    assert core.run([message for message, _ in made]) == [wanted for _, wanted in made]


@slow
def test_a_file(tmp_path: Path) -> None:
    """``seal`` sends the file twice, and ``open`` once."""
    place = str(folder("gcm-siv", prove=False, **OTHERS["gcm-siv"][1]))
    files = {name: tmp_path / name for name in ("key", "plain", "sealed", "back")}
    files["key"].write_bytes(bytes(range(16)))
    files["plain"].write_bytes(bytes(range(256)) * 5 + b"end")
    common = [place, "--key-file", str(files["key"]), "--nonce", "00" * 12, "--optimize", "0"]
    assert CliRunner().invoke(cli, ["seal", *common, str(files["plain"]), str(files["sealed"])]).exit_code == 0
    assert files["sealed"].read_bytes() == AESGCMSIV(bytes(range(16))).encrypt(bytes(12), files["plain"].read_bytes(), None)
    assert CliRunner().invoke(cli, ["open", *common, str(files["sealed"]), str(files["back"])]).exit_code == 0
    assert files["back"].read_bytes() == files["plain"].read_bytes()
