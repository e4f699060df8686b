# SPDX-License-Identifier: Apache-2.0
"""OCB3: RFC 7253's examples and its iterated check, the ``cryptography`` package as oracle, and what is refused."""

from random import Random

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESOCB3
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

from modeloom import vectors
from modeloom_golden import OCB3, SM4, ocb3

ITERATED = {
    (16, 16): "67e944d23256c5e0b6c61fa22fdf1ea2",
    (24, 16): "f673f2c3e7174aae7bae986ca9f29e17",
    (32, 16): "d90eb8e9c977c88b79dd793d7ffa161c",
    (16, 12): "77a3d8e73589158d25d01209",
    (24, 12): "05d56ead2752c86be6932c5e",
    (32, 12): "5458359ac23b0cba9e6330dd",
    (16, 8): "192c9b7bd90ba06a",
    (24, 8): "0066bc6e0ef34e24",
    (32, 8): "7d4ea5d445501cbe",
}
"""What the iterated check at the end of RFC 7253, appendix A, prints for each length of key and tag in bytes."""


def iterated(reference_of_key, key_bytes, tag_bytes):
    """The check of appendix A: 384 messages of 0 to 127 bytes, and all of them as associated data of one more."""
    reference, sealed = reference_of_key(bytes([*bytes(key_bytes - 1), 8 * tag_bytes])), b""
    for i in range(128):
        for number, (text, ad) in enumerate(((i, i), (i, 0), (0, i)), 3 * i + 1):
            sealed += reference.seal(number.to_bytes(12, "big"), bytes(text), bytes(ad), tag_bytes)
    return reference.seal((385).to_bytes(12, "big"), b"", sealed, tag_bytes).hex()


@pytest.mark.parametrize(("key_bytes", "tag_bytes"), ITERATED)
def test_iterated_check_of_the_rfc(key_bytes, tag_bytes):
    assert iterated(OCB3, key_bytes, tag_bytes) == ITERATED[key_bytes, tag_bytes]


def test_published_vectors():
    """The sixteen examples of RFC 7253 with tags of 16 bytes, the one with 12, and those of a draft."""
    assert check_published("ocb3_botan", OCB3) == (42, 0, 0)
    tests = vectors.load("ocb3_botan")["tests"]
    assert {len(test["tag"]) // 2 for test in tests} == {16, 12}
    assert {0, 8, 16, 24, 32, 40} <= {len(test["pt"]) // 2 for test in tests}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(i & -i).bit_length() - 1", "i.bit_length() - 1"),
        ("ktop[1:9]", "ktop[:8]"),
        ("block[-1] & 63", "block[-1] & 31"),
        ("8 * tag_bytes % 128 << 1", "0"),
        ("0b10000111", "0b10000101"),
        ("self._l_star = self._cipher.encrypt_block(bytes(BLOCK_BYTES))", "self._l_star = bytes(BLOCK_BYTES)"),
        ("xor(checksum, offset, self._l_dollar)", "xor(checksum, offset)"),
        ("checksum = xor(checksum, pad_one_zeros(p_star))", "pass"),
        ("self._cipher.encrypt_block(xor(pad_one_zeros(a_star), offset))", "self._cipher.encrypt_block(pad_one_zeros(a_star))"),
    ],
)
def test_a_mistake_does_not_pass_the_iterated_check(old, new):
    assert any(iterated(planted("ocb3", old, new)["OCB3"], *sizes) != ITERATED[sizes] for sizes in ((16, 16), (16, 12)))


@pytest.mark.parametrize("lengths", [SAMPLE, *slowly(ALIGNMENTS)], ids=["sample", "all"])
def test_the_cryptography_package_agrees_on_alignments(lengths):
    random = Random(1)
    for ad_bytes, text_bytes in lengths:
        key = random.randbytes(random.choice((16, 24, 32)))
        nonce, text, ad = message(random, random.randrange(12, 16), text_bytes, ad_bytes)
        check_both_ways(OCB3(key), AESOCB3(key).encrypt(nonce, text, ad), nonce, text, ad)


@pytest.mark.parametrize("count", [60, *slowly(10_000)])
def test_the_cryptography_package_agrees_on_random_messages(count):
    random = Random(2)
    for _ in range(count):
        key = random.randbytes(random.choice((16, 24, 32)))
        nonce, text, ad = message(random, random.randrange(12, 16), random.randrange(400), random.randrange(200))
        check_both_ways(OCB3(key), AESOCB3(key).encrypt(nonce, text, ad), nonce, text, ad)


def test_long_message_agrees():
    """Ten trailing zeros of a block's number."""
    key, (nonce, text, ad) = bytes(range(16)), message(Random(3), 12, 16 * 1025 + 3, 16 * 520)
    check_both_ways(OCB3(key), AESOCB3(key).encrypt(nonce, text, ad), nonce, text, ad)


def test_nonces_of_every_length_and_bottom():
    """Each nonce gives its own block, of the layout of section 4.2; each of the 64 shifts opens what it seals."""
    reference, seen = OCB3(bytes(16)), set()
    for nonce_bytes in range(1, 16):
        block = ocb3.nonce_block(b"\xff" * nonce_bytes, 12)
        assert f"{int.from_bytes(block, 'big'):0128b}" == f"{96:07b}" + (128 - 8 - 8 * nonce_bytes) * "0" + "1" + 8 * nonce_bytes * "1"
        for tag_bytes in (16, 8):
            seen.add(ocb3.nonce_block(bytes(nonce_bytes), tag_bytes))
    assert len(seen) == 30
    sealed = set()
    for bottom in range(64):
        nonce = bytes([*bytes(6), bottom])
        sealed.add(reference.seal(nonce, bytes(20), b"ad"))
        assert reference.open(nonce, reference.seal(nonce, bytes(20), b"ad"), b"ad") == bytes(20)
    assert len(sealed) == 64


@pytest.mark.parametrize("tag_bytes", [1, 8, 12, 15, 16])
def test_tags_of_every_length(tag_bytes):
    """The length of the tag goes into the nonce block, so that a short tag is not the beginning of a long one."""
    reference = OCB3(bytes(range(32)))
    sealed = reference.seal(bytes(12), b"some text", b"ad", tag_bytes)
    assert len(sealed) == 9 + tag_bytes
    assert reference.open(bytes(12), sealed, b"ad", tag_bytes) == b"some text"
    assert (sealed == reference.seal(bytes(12), b"some text", b"ad")[: len(sealed)]) == (tag_bytes == 16)


def test_another_cipher():
    reference = OCB3(bytes(range(16)), SM4)
    sealed = reference.seal(bytes(12), bytes(50), b"ad")
    assert sealed != OCB3(bytes(range(16))).seal(bytes(12), bytes(50), b"ad")
    assert reference.open(bytes(12), sealed, b"ad") == bytes(50)


def test_what_is_refused():
    for tag_bytes in (16, 8):
        check_refusals(OCB3(bytes(range(16))), bytes(range(12)), bytes(range(35)), bytes(range(17)), tag_bytes)
    reference = OCB3(bytes(16))
    check_wrong_types(reference, bytes(12))
    for call in (reference.seal, reference.open):
        for tag_bytes in (-1, 0, 17):
            with pytest.raises(ValueError, match=f"an OCB3 tag has 1 to 16 bytes, not {tag_bytes}"):
                call(bytes(12), bytes(40), b"", tag_bytes)
        for nonce_bytes in (0, 16):
            with pytest.raises(ValueError, match=f"an OCB3 nonce has 1 to 15 bytes, not {nonce_bytes}"):
                call(bytes(nonce_bytes), bytes(40))
    with pytest.raises(ValueError, match="AES key must be 16, 24 or 32 bytes"):
        OCB3(bytes(20))


def test_verdict_has_one_shape():
    # The nonce, four blocks of text, the tag, and two blocks of associated data.
    assert check_one_shape(OCB3(bytes(16), Counted), bytes(12)) == 1 + 4 + 1 + 2
