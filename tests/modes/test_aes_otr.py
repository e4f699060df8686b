# SPDX-License-Identifier: Apache-2.0
"""The software model of AES-OTR.  No published vectors may be copied, so there are two references, neither written from the other."""

import random

import pytest
from tests.built import slowly

import modeloom
import modeloom_golden as golden
from modeloom import vectors
from modeloom.spec import InputError
from modeloom.spec.errors import AuthenticationError

REFERENCES = (golden.AESOTR, golden.ChainedOTR)


def agree(lengths, seed):
    """Seals messages of these lengths of associated data and text as both references do, and opens them."""
    rng = random.Random(seed)
    for number, (ad_bytes, text_bytes) in enumerate(lengths):
        key, nonce, tag_bytes = rng.randbytes((16, 24, 32)[number % 3]), rng.randbytes(rng.randrange(1, 16)), rng.randrange(4, 17)
        ad, text = rng.randbytes(ad_bytes), rng.randbytes(text_bytes)
        model = modeloom.model("aes-otr", key)
        sealed = model.seal(nonce, text, ad, tag_bytes)
        assert [reference(key).seal(nonce, text, ad, tag_bytes) for reference in REFERENCES] == [sealed, sealed], (ad_bytes, text_bytes)
        assert model.open(nonce, sealed, ad, tag_bytes) == text


def test_none_are_published() -> None:
    assert vectors.for_mode("aes-otr") == [] and vectors.count("aes-otr") == 0


@pytest.mark.parametrize(
    "pairs", [[(ad, (7 * ad + 13 * turn) % 97) for ad in range(65) for turn in range(3)],
              *slowly([(ad, text) for ad in range(65) for text in range(97)])],
    ids=["sample", "all"],
)  # fmt: skip
def test_alignments(pairs) -> None:
    """Every number of bytes about one, two and three pairs."""
    agree(pairs, 1)


@pytest.mark.parametrize("count", [60, *slowly(10_000)])
def test_random_messages(count) -> None:
    rng = random.Random(2)
    agree([(rng.randrange(200), rng.randrange(400)) for _ in range(count)], 3)


def test_the_length_of_the_tag_is_a_part_of_the_nonce() -> None:
    model = modeloom.model("aes-otr", bytes(16))
    sealed = {nbytes: model.seal(bytes(12), bytes(40), b"ad", nbytes) for nbytes in range(4, 17)}
    assert len({each[:40] for each in sealed.values()}) == 13
    with pytest.raises(AuthenticationError):
        model.open(bytes(12), sealed[16][:-4], b"ad", 12)


@pytest.mark.parametrize("text_bytes", [0, 5, 16, 20, 32, 45, 64])
def test_a_changed_message_is_refused(text_bytes) -> None:
    model = modeloom.model("aes-otr", bytes(range(16)))
    nonce, ad = bytes(12), b"header of a message"
    sealed = model.seal(nonce, bytes(range(text_bytes)), ad)
    for place in range(len(sealed)):
        with pytest.raises(AuthenticationError, match="^aes-otr: the tag is wrong$"):
            model.open(nonce, bytes(byte ^ (at == place) for at, byte in enumerate(sealed)), ad)
    for other in ((bytes(11) + b"\1", sealed, ad), (bytes(11), sealed, ad), (nonce, sealed, b""), (nonce, sealed, ad + b"\0")):
        with pytest.raises(AuthenticationError):
            model.open(*other)


def test_wrong_lengths() -> None:
    model = modeloom.model("aes-otr", bytes(16))
    for call, message in (
        (lambda: model.seal(bytes(16), b""), "aes-otr: a nonce has 1 to 15 bytes, not 16"),
        (lambda: model.seal(b"", b""), "aes-otr: a nonce has 1 to 15 bytes, not 0"),
        (lambda: model.open(bytes(12), bytes(15)), "aes-otr: a sealed message has at least the 16 bytes of its tag, not 15"),
    ):
        with pytest.raises(InputError) as error:
            call()
        assert str(error.value) == message
    with pytest.raises(InputError, match="aes-otr: a tag has 16 or 4 or"):
        model.seal(bytes(12), b"", tag_bytes=3)
