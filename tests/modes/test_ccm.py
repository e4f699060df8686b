# SPDX-License-Identifier: Apache-2.0
"""The software model of CCM: the examples of SP 800-38C, Wycheproof's vectors, the ``cryptography`` package, limits and refusals."""

from random import Random

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESCCM
from tests.built import slowly
from tests.golden.aead import ALIGNMENTS, SAMPLE, check_both_ways, message
from tests.golden.ccm_examples import EXAMPLES
from tests.golden.relations import flipped

import modeloom
import modeloom_golden as golden
from modeloom import vectors
from modeloom.modes.ccm import CCM
from modeloom.spec import InputError
from modeloom.spec.errors import AuthenticationError

LENGTHS = ("InvalidNonceSize", "InvalidTagSize", "InsecureTagSize")
"""Flags of vectors with a length that the standard does not have."""


@pytest.mark.parametrize("number", range(1, 5))
def test_examples_of_the_standard(number):
    nonce_bytes, ad, text_bytes, tag_bytes, sealed = EXAMPLES[number - 1]
    nonce, text = bytes(range(0x10, 0x10 + nonce_bytes)), bytes(range(0x20, 0x20 + text_bytes))
    check_both_ways(modeloom.model("ccm", bytes(range(0x40, 0x50))), bytes.fromhex(sealed), nonce, text, ad, tag_bytes)


def test_published_vectors():
    opened = tags = lengths = 0
    for test in vectors.for_mode("ccm"):
        key, nonce, ad, text, c, t = (bytes.fromhex(test[value]) for value in ("key", "nonce", "aad", "pt", "ct", "tag"))
        model = modeloom.model("ccm", key)
        if test["result"] == "valid":
            opened += 1
            check_both_ways(model, c + t, nonce, text, ad, len(t))
        elif set(test["flags"]) & set(LENGTHS):
            lengths += 1
            for call, data in ((model.seal, text), (model.open, c + t)):
                with pytest.raises(InputError, match="ccm: a (tag|nonce) has "):
                    call(nonce, data, ad, len(t))
        else:
            tags += 1
            with pytest.raises(AuthenticationError, match="^ccm: the tag is wrong$"):
                model.open(nonce, c + t, ad, len(t))
    assert (opened, tags, lengths) == (228, 54, 34)


def agree(random, ad_bytes, text_bytes):
    key, tag_bytes = random.randbytes(random.choice((16, 24, 32))), random.choice(CCM.tag_bytes)
    nonce, text, ad = message(random, random.choice(CCM.nonce_bytes[0]), text_bytes, ad_bytes)
    check_both_ways(modeloom.model("ccm", key), AESCCM(key, tag_bytes).encrypt(nonce, text, ad), nonce, text, ad, tag_bytes)


@pytest.mark.parametrize("lengths", [SAMPLE, *slowly(ALIGNMENTS)], ids=["sample", "all"])
def test_the_cryptography_package_agrees_on_alignments(lengths):
    random = Random(11)
    for ad_bytes, text_bytes in lengths:
        agree(random, ad_bytes, text_bytes)


@pytest.mark.parametrize("count", [60, *slowly(10_000)])
def test_the_cryptography_package_agrees_on_random_messages(count):
    random = Random(12)
    for _ in range(count):
        agree(random, random.randrange(200), random.randrange(400))


@pytest.mark.parametrize("ad_bytes", [65_279, 65_280, 65_281])
def test_both_encodings_of_lengths(ad_bytes):
    agree(Random(ad_bytes), ad_bytes, 5)


def test_the_encoding_of_the_longest():
    """The examples of appendix A.2.2, and the limits between them."""
    for length, encoded in (
        (0, ""), (1, "0001"), (65_279, "feff"), (65_280, "fffe0000ff00"), (65_536, "fffe00010000"), (2**32 - 1, "fffeffffffff"),
        (2**32, "ffff0000000100000000"), (2**61 - 1, "ffff1fffffffffffffff"),
    ):  # fmt: skip
        assert CCM.prefix_of(length).hex() == encoded


def test_another_cipher():
    model, reference = modeloom.model("ccm", bytes(range(16)), "sm4"), golden.stream_mode("ccm", bytes(range(16)), "sm4")
    assert model.seal(bytes(13), bytes(50), b"ad", 8) == reference.seal(bytes(13), bytes(50), b"ad", 8)


def test_every_bit_of_a_sealed_message():
    model = modeloom.model("ccm", bytes(range(16)))
    nonce, text, ad = bytes(range(12)), bytes(range(35)), bytes(range(17))
    for tag_bytes in (16, 4):
        sealed = model.seal(nonce, text, ad, tag_bytes)
        for bit in range(8 * len(sealed)):
            with pytest.raises(AuthenticationError):
                model.open(nonce, flipped(sealed, bit), ad, tag_bytes)
        # The tag says how long it is, and so do text and associated data.
        for data, other in ((sealed, ad + b"\0"), (sealed[:-2], ad)):
            with pytest.raises(AuthenticationError):
                model.open(nonce, data, other, tag_bytes)


@pytest.mark.parametrize(("call", "text"), [
    (lambda m: m.seal(bytes(6), b""), "ccm: a nonce has 7 to 13 bytes, not 6"),
    (lambda m: m.seal(bytes(14), b""), "ccm: a nonce has 7 to 13 bytes, not 14"),
    (lambda m: m.seal(bytes(12), b"", tag_bytes=5), "ccm: a tag has 16 or 14 or 12 or 10 or 8 or 6 or 4 bytes, not 5"),
    (lambda m: m.seal(bytes(13), bytes(65_536)), "ccm: a message with a nonce of 13 bytes has at most 65535 bytes of text, not 65536"),
    (lambda m: m.open(bytes(13), bytes(65_552)), "ccm: a message with a nonce of 13 bytes has at most 65535 bytes of text, not 65536"),
])  # fmt: skip
def test_what_is_refused(call, text):
    with pytest.raises(InputError) as error:
        call(modeloom.model("ccm", bytes(16)))
    assert str(error.value) == text


def test_the_longest_text_of_a_nonce():
    agree(Random(3), 0, 20)
    key, nonce, text = bytes(range(16)), bytes(13), bytes(65_535)
    assert modeloom.model("ccm", key).seal(nonce, text) == AESCCM(key).encrypt(nonce, text, None)
