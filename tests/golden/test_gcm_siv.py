# SPDX-License-Identifier: Apache-2.0
"""AES-GCM-SIV: examples of RFC 8452, Wycheproof's vectors, the ``cryptography`` package as oracle, and what is refused."""

from random import Random

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
from tests.built import slowly
from tests.golden.aead import (
    ALIGNMENTS,
    SAMPLE,
    Counted,
    check_both_ways,
    check_one_shape,
    check_published,
    check_refusals,
    check_wrong_types,
    message,
    planted,
)
from tests.golden.gcm_siv_examples import AES_256, ONE, THREE

from modeloom_golden import AES, GCMSIV, AuthenticationError, gcm_siv


@pytest.mark.parametrize(("key", "nonce", "text", "sealed"), AES_256, ids=range(1, 7))
def test_examples_of_the_rfc_with_keys_of_256_bits(key, nonce, text, sealed):
    check_both_ways(GCMSIV(key), bytes.fromhex(sealed), nonce, bytes.fromhex(text), b"")


def test_derived_keys_of_the_rfc():
    """The record keys of the first example of appendix C.2."""
    authentication_key, encryption_key = GCMSIV(ONE).derive_keys(THREE)
    assert authentication_key.hex() == "b5d3c529dfafac43136d2d11be284d7f"
    assert encryption_key.hex() == "b914f4742be9e1d7a2f84addbf96dec3456e3c6c05ecc157cdbf0700fedad222"
    assert [len(key) for key in GCMSIV(bytes(16)).derive_keys(THREE)] == [16, 16]


def test_published_vectors():
    """Appendix C.1, counters that wrap around, and tags that were changed."""
    assert check_published("gcm_siv_wycheproof", GCMSIV) == (67, 32, 0)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[:8] for i in", "[8:] for i in"),
        ("nonce + bytes(4))", "bytes(4) + nonce)"),
        ("s_s[-1] & 0x7F", "s_s[-1]"),
        ("tag[-1] | 0x80", "tag[-1]"),
        ("% 2**32).to_bytes(4, \"little\") + block[4:]", "+ 0).to_bytes(5, \"little\")[:4] + block[4:-1] + b\"\\0\""),
        ("(8 * len(ad)).to_bytes(8, \"little\") + (8 * len(text)).to_bytes(8, \"little\")",
         "(8 * len(text)).to_bytes(8, \"little\") + (8 * len(ad)).to_bytes(8, \"little\")"),
        ("pad_zeros(ad) + pad_zeros(text)", "pad_zeros(ad + text)"),
    ],
)  # fmt: skip
def test_a_mistake_does_not_pass_the_vectors(old, new):
    reference = planted("gcm_siv", old, new)["GCMSIV"]
    with pytest.raises(AssertionError):
        check_published("gcm_siv_wycheproof", reference)


@pytest.mark.parametrize("last", [0, 1, 2**32 - 3, 2**32 - 2, 2**32 - 1])
def test_counter_of_32_bits(last):
    """Bytes 0 to 3 alone count, and no carry leaves them."""
    aes, rest = AES(bytes(range(16))), b"\xff" * 12
    stream = b"".join(aes.encrypt_block(((last + i) % 2**32).to_bytes(4, "little") + rest) for i in range(5))
    assert gcm_siv.aes_ctr(aes, last.to_bytes(4, "little") + rest, bytes(70)) == stream[:70]


@pytest.mark.parametrize("lengths", [SAMPLE, *slowly(ALIGNMENTS)], ids=["sample", "all"])
def test_the_cryptography_package_agrees_on_alignments(lengths):
    random = Random(1)
    for ad_bytes, text_bytes in lengths:
        key = random.randbytes(random.choice((16, 32)))
        nonce, text, ad = message(random, 12, text_bytes, ad_bytes)
        check_both_ways(GCMSIV(key), AESGCMSIV(key).encrypt(nonce, text, ad), nonce, text, ad)


@pytest.mark.parametrize("count", [40, *slowly(10_000)])
def test_the_cryptography_package_agrees_on_random_messages(count):
    random = Random(2)
    for _ in range(count):
        key = random.randbytes(random.choice((16, 32)))
        nonce, text, ad = message(random, 12, random.randrange(400), random.randrange(200))
        check_both_ways(GCMSIV(key), AESGCMSIV(key).encrypt(nonce, text, ad), nonce, text, ad)


def test_a_nonce_used_twice():
    """Two texts that differ in one bit have nothing in common; the same text is sealed to the same bytes."""
    reference = GCMSIV(bytes(16))
    first, second, again = (reference.seal(bytes(12), text) for text in (bytes(40), b"\1" + bytes(39), bytes(40)))
    assert first == again
    assert all(a != b for a, b in zip((first[:16], first[16:32], first[-16:]), (second[:16], second[16:32], second[-16:]), strict=True))


def test_what_is_refused():
    for key_bytes in (16, 32):
        check_refusals(GCMSIV(bytes(range(key_bytes))), bytes(range(12)), bytes(range(35)), bytes(range(17)))
    reference = GCMSIV(bytes(16))
    check_wrong_types(reference, bytes(12))
    for call in (reference.seal, reference.open):
        for tag_bytes in (0, 8, 15, 17):
            with pytest.raises(ValueError, match=f"a GCM-SIV tag has 16 bytes, not {tag_bytes}"):
                call(bytes(12), bytes(40), b"", tag_bytes)
        for nonce_bytes in (0, 11, 13):
            with pytest.raises(ValueError, match=f"a GCM-SIV nonce has 12 bytes, not {nonce_bytes}"):
                call(bytes(nonce_bytes), bytes(40))
    for key_bytes in (0, 15, 24, 33):
        with pytest.raises(ValueError, match=f"GCM-SIV key must be 16 or 32 bytes, not {key_bytes}"):
            GCMSIV(bytes(key_bytes))
    with pytest.raises(TypeError, match="GCM-SIV key must be bytes"):
        GCMSIV("key")


def test_longest_messages(monkeypatch):
    gcm_siv.check_lengths(12, 2**36, 2**36, 16)
    for lengths, name in (((12, 2**36 + 1, 0, 16), "text"), ((12, 0, 2**36 + 1, 16), "ad")):
        with pytest.raises(ValueError, match=f"GCM-SIV {name} must be at most {2**36} bytes"):
            gcm_siv.check_lengths(*lengths)
    reference = GCMSIV(bytes(16))
    sealed = reference.seal(bytes(12), bytes(33))
    monkeypatch.setattr(gcm_siv, "MOST_BYTES", 32)
    for call, data in ((reference.seal, bytes(33)), (reference.open, sealed)):
        with pytest.raises(ValueError, match="GCM-SIV text must be at most 32 bytes, not 33"):
            call(bytes(12), data)
    with pytest.raises(AuthenticationError):
        reference.open(bytes(12), bytes(32))


def test_verdict_has_one_shape():
    # Four halves of derived keys, four blocks of keystream, the tag.
    assert check_one_shape(GCMSIV(bytes(16), Counted), bytes(12)) == 4 + 4 + 1
