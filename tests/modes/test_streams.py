# SPDX-License-Identifier: Apache-2.0
"""Software models of stream modes: published vectors, the reference, the ``cryptography`` package, and what they refuse."""

from __future__ import annotations

import random

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from tests.modes.stream_vectors import check
from tests.streams.modes import Deciphering, HashedTwice, NoHash, Padded, WideAEAD

import modeloom
import modeloom_golden as golden
from modeloom import vectors
from modeloom.definition.messages import StreamModel
from modeloom.modes import all_streams, find_any
from modeloom.spec import InputError
from modeloom.spec.errors import AuthenticationError


def test_published_vectors() -> None:
    """Some of each file; ``test_all_published_vectors`` takes all."""
    done, refused, strange = check(vectors.for_mode("gcm")[::29], "gcm")
    assert done > 100 and refused > 40 and strange > 5


def test_all_published_vectors() -> None:
    tests = vectors.for_mode("gcm")
    assert sum(check(tests, "gcm")) == len(tests) == 6106


def test_gcm_with_sm4() -> None:
    assert check(vectors.for_mode("gcm", "sm4"), "gcm", "sm4") == (3, 0, 0)


def test_another_implementation() -> None:
    """All lengths of nonces that it takes, of keys, and alignments of the last blocks."""
    rng = random.Random(38)
    for number in range(200):
        key, nonce = rng.randbytes((16, 24, 32)[number % 3]), rng.randbytes((12, rng.randrange(8, 17))[number % 2])
        ad, text = rng.randbytes(rng.randrange(50)), rng.randbytes(rng.randrange(70))
        model = modeloom.model("gcm", key)
        sealed = model.seal(nonce, text, ad)
        assert sealed == AESGCM(key).encrypt(nonce, text, ad or None)
        assert model.open(nonce, sealed, ad) == text


def test_the_reference() -> None:
    """Short tags and short nonces, too."""
    rng = random.Random(39)
    for tag_bytes in (16, 15, 14, 13, 12, 8, 4):
        for nonce_bytes in range(1, 17):
            key, nonce, ad, text = rng.randbytes(16), rng.randbytes(nonce_bytes), rng.randbytes(rng.randrange(40)), rng.randbytes(20)
            sealed = modeloom.model("gcm", key).seal(nonce, text, ad, tag_bytes)
            assert sealed == golden.stream_mode("gcm", key).seal(nonce, text, ad, tag_bytes)


def test_a_changed_message_is_refused() -> None:
    model = modeloom.model("gcm", bytes(range(16)))
    nonce, ad, text = bytes(12), b"header", bytes(range(37))
    for tag_bytes in (16, 4):
        sealed = model.seal(nonce, text, ad, tag_bytes)
        for place in range(len(sealed)):
            changed = bytes(byte ^ (at == place) for at, byte in enumerate(sealed))
            with pytest.raises(AuthenticationError, match="^gcm: the tag is wrong$"):
                model.open(nonce, changed, ad, tag_bytes)
        for other in ((bytes(11) + b"\1", sealed, ad), (nonce, sealed, b"Header"), (nonce, sealed, b"header\0")):
            with pytest.raises(AuthenticationError):
                model.open(*other, tag_bytes)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.seal(bytes(17), b""), "gcm: a nonce has 1 to 16 bytes, not 17"),
        (lambda m: m.seal(b"", b""), "gcm: a nonce has 1 to 16 bytes, not 0"),
        (lambda m: m.seal(bytes(12), b"", tag_bytes=11), "gcm: a tag has 16 or 15 or 14 or 13 or 12 or 8 or 4 bytes, not 11"),
        (lambda m: m.open(bytes(12), bytes(15)), "gcm: a sealed message has at least the 16 bytes of its tag, not 15"),
    ],
)
def test_wrong_lengths(call, message) -> None:
    with pytest.raises(InputError) as error:
        call(modeloom.model("gcm", bytes(16)))
    assert str(error.value) == message


def test_wrong_types() -> None:
    model = modeloom.model("gcm", bytes(16))
    for call in (lambda: model.seal("0" * 12, b""), lambda: model.seal(bytes(12), "text"), lambda: model.open(bytes(12), 7)):
        with pytest.raises(TypeError, match="must be bytes, not"):
            call()


@pytest.mark.parametrize("mode", [WideAEAD, NoHash, Padded, Deciphering, HashedTwice])
def test_modes_of_the_tests_own(mode) -> None:
    rng = random.Random(40)
    model = StreamModel(mode(), rng.randbytes(64 if mode is WideAEAD else 16))
    for lengths in mode.nonce_bytes:
        for nbytes in range(70):
            nonce, ad, text = rng.randbytes(lengths[0]), rng.randbytes(nbytes // 2), rng.randbytes(nbytes)
            sealed = model.seal(nonce, text, ad)
            assert len(sealed) == nbytes + mode.tag_bytes[0] and model.open(nonce, sealed, ad) == text
            if nbytes:
                with pytest.raises(AuthenticationError):
                    model.open(nonce, bytes([sealed[0] ^ 1]) + sealed[1:], ad)


def test_names() -> None:
    assert set(all_streams()) == {"aes-otr", "ccm", "deoxys-i", "deoxys-ii", "gcm", "gcm-siv", "ocb3"}
    assert find_any("gcm").name == "gcm" and find_any("xts").name == "xts"
    with pytest.raises(InputError, match="^unknown mode 'gmc'; did you mean gcm or cmc"):
        find_any("gmc")
    for name in ("gcm", "tests/streams/modes.py:NoHash"):
        with pytest.raises(InputError, match="is a stream mode: it works on messages, and this works on sectors"):
            modeloom.compile(name)
    assert find_any("tests/streams/modes.py:NoHash").place == "tests/streams/modes.py:NoHash"
