# SPDX-License-Identifier: Apache-2.0
"""The software model of OCB3: the vectors of RFC 7253, the reference, the ``cryptography`` package, and what it refuses."""

from __future__ import annotations

import random

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESOCB3
from tests.modes.stream_vectors import check

import modeloom
import modeloom_golden as golden
from modeloom import vectors
from modeloom.spec import InputError
from modeloom.spec.errors import AuthenticationError

TAGS = (16, 12, 8)


def test_published_vectors() -> None:
    """All of the RFC and its drafts, but those whose nonces or tags the mode does not have."""
    tests = [test for test in vectors.for_mode("ocb3") if len(test["tag"]) // 2 in TAGS]
    assert len(tests) > 30
    assert sum(check(tests, "ocb3", longest=15)) == len(tests)


@pytest.mark.parametrize("key_bytes", [16, 24, 32])
@pytest.mark.parametrize("tag_bytes", TAGS)
def test_iteration_of_the_rfc(key_bytes: int, tag_bytes: int) -> None:
    """RFC 7253, appendix A: 384 messages sealed, and the tag of all that they gave."""
    wanted = {
        (16, 16): "67E944D23256C5E0B6C61FA22FDF1EA2", (24, 16): "F673F2C3E7174AAE7BAE986CA9F29E17",
        (32, 16): "D90EB8E9C977C88B79DD793D7FFA161C",
        (16, 12): "77A3D8E73589158D25D01209", (24, 12): "05D56EAD2752C86BE6932C5E", (32, 12): "5458359AC23B0CBA9E6330DD",
        (16, 8): "192C9B7BD90BA06A", (24, 8): "0066BC6E0EF34E24", (32, 8): "7D4EA5D445501CBE",
    }  # fmt: skip
    model = modeloom.model("ocb3", bytes(key_bytes - 1) + bytes([8 * tag_bytes]))
    given = b""
    for i in range(128):
        text = bytes(i)
        for n, (plain, ad) in enumerate(((text, text), (text, b""), (b"", text)), 1):
            given += model.seal((3 * i + n).to_bytes(12, "big"), plain, ad, tag_bytes)
    assert model.seal((385).to_bytes(12, "big"), b"", given, tag_bytes) == bytes.fromhex(wanted[key_bytes, tag_bytes])


def against_another(count: int, seed: int) -> None:
    rng = random.Random(seed)
    for number in range(count):
        key, nonce = rng.randbytes((16, 24, 32)[number % 3]), rng.randbytes(rng.randrange(12, 16))
        ad, text = rng.randbytes(rng.choice((0, rng.randrange(90)))), rng.randbytes(rng.choice((0, rng.randrange(140))))
        model = modeloom.model("ocb3", key)
        sealed = model.seal(nonce, text, ad)
        assert sealed == AESOCB3(key).encrypt(nonce, text, ad or None)
        assert model.open(nonce, sealed, ad) == text


def test_another_implementation() -> None:
    against_another(300, 7253)


@pytest.mark.slow
def test_another_implementation_on_many_messages() -> None:
    against_another(10_000, 38)


def aligned(pairs: list[tuple[int, int]]) -> None:
    rng = random.Random(4)
    key, nonce = rng.randbytes(16), rng.randbytes(12)
    model, other = modeloom.model("ocb3", key), AESOCB3(key)
    data = rng.randbytes(64)
    for ad, text in pairs:
        sealed = model.seal(nonce, data[:text], data[:ad])
        assert sealed == other.encrypt(nonce, data[:text], data[:ad] or None)
        assert model.open(nonce, sealed, data[:ad]) == data[:text]


def test_alignments() -> None:
    aligned([(ad, (7 * ad + 13 * turn) % 65) for ad in range(65) for turn in range(4)])


@pytest.mark.slow
def test_all_alignments() -> None:
    aligned([(ad, text) for ad in range(65) for text in range(65)])


def test_the_reference() -> None:
    """Short tags and short nonces, too, and texts in which the number of trailing zeros grows."""
    rng = random.Random(39)
    for tag_bytes in TAGS:
        for nonce_bytes in range(1, 16):
            key, nonce, ad = rng.randbytes((16, 24, 32)[nonce_bytes % 3]), rng.randbytes(nonce_bytes), rng.randbytes(rng.randrange(60))
            text = rng.randbytes(rng.choice((20, 16 * 70)))
            sealed = modeloom.model("ocb3", key).seal(nonce, text, ad, tag_bytes)
            assert sealed == golden.stream_mode("ocb3", key).seal(nonce, text, ad, tag_bytes)
            assert modeloom.model("ocb3", key).open(nonce, sealed, ad, tag_bytes) == text


def test_a_changed_message_is_refused() -> None:
    model = modeloom.model("ocb3", bytes(range(16)))
    nonce, ad, text = bytes(12), b"header", bytes(range(37))
    for tag_bytes in TAGS:
        sealed = model.seal(nonce, text, ad, tag_bytes)
        for place in range(len(sealed)):
            changed = bytes(byte ^ (at == place) for at, byte in enumerate(sealed))
            with pytest.raises(AuthenticationError, match="^ocb3: the tag is wrong$"):
                model.open(nonce, changed, ad, tag_bytes)
        for other in ((bytes(11) + b"\1", sealed, ad), (bytes(11), sealed, ad), (nonce, sealed, b"Header"), (nonce, sealed, b"header\0")):
            with pytest.raises(AuthenticationError):
                model.open(*other, tag_bytes)
    # A tag that is cut off is another tag: its length is a part of the nonce.
    with pytest.raises(AuthenticationError):
        model.open(nonce, model.seal(nonce, text, ad)[:-4], ad, 12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.seal(bytes(16), b""), "ocb3: a nonce has 1 to 15 bytes, not 16"),
        (lambda m: m.seal(b"", b""), "ocb3: a nonce has 1 to 15 bytes, not 0"),
        (lambda m: m.seal(bytes(12), b"", tag_bytes=11), "ocb3: a tag has 16 or 12 or 8 bytes, not 11"),
        (lambda m: m.open(bytes(12), bytes(15)), "ocb3: a sealed message has at least the 16 bytes of its tag, not 15"),
        (
            lambda m: m.mode.check_lengths(1 << 36, 0, 9),
            f"ocb3: a message has at most {(1 << 36) - 1} bytes of associated data, not {1 << 36}",
        ),
    ],
)
def test_wrong_lengths(call, message) -> None:
    with pytest.raises(InputError) as error:
        call(modeloom.model("ocb3", bytes(16)))
    assert str(error.value) == message
