# SPDX-License-Identifier: Apache-2.0
"""CCM: the examples of SP 800-38C, Wycheproof's vectors, the ``cryptography`` package as oracle, and what is refused."""

from random import Random

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESCCM
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
from tests.golden.ccm_examples import EXAMPLES

from modeloom_golden import CCM, SM4, ccm
from modeloom_golden.checks import pad_zeros


def example(reference, nonce_bytes, ad, text_bytes, tag_bytes):
    nonce, text = bytes(range(0x10, 0x10 + nonce_bytes)), bytes(range(0x20, 0x20 + text_bytes))
    return reference.seal(nonce, text, ad, tag_bytes)


@pytest.mark.parametrize("number", range(1, 5))
def test_examples_of_the_standard(number):
    reference = CCM(bytes(range(0x40, 0x50)))
    *arguments, sealed = EXAMPLES[number - 1]
    assert example(reference, *arguments).hex() == sealed
    nonce_bytes, ad, text_bytes, tag_bytes = arguments
    text = reference.open(bytes(range(0x10, 0x10 + nonce_bytes)), bytes.fromhex(sealed), ad, tag_bytes)
    assert text == bytes(range(0x20, 0x20 + text_bytes))


def test_published_vectors():
    wrong_length = ("InvalidNonceSize", "InvalidTagSize", "InsecureTagSize")
    assert check_published("ccm_wycheproof", CCM, wrong_length) == (228, 54, 34)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("64 * bool(ad)", "64"),
        ("(tag_bytes - 2) // 2", "tag_bytes // 2"),
        ("+ q - 1\n", "+ q\n"),
        ("2**16 - 2**8", "2**16"),
        ('b"\\xff\\xfe"', 'b"\\xff\\xff"'),
        ("return bytes([q - 1]) + nonce", "return bytes([q]) + nonce"),
        ("xor(y, blocks[i : i + BLOCK_BYTES])", "blocks[i : i + BLOCK_BYTES]"),
        ("_added(text, b\"\".join(s)) + _added(t, s_0)", "_added(text, s_0 + b\"\".join(s)) + _added(t, s_0)"),
    ],
)  # fmt: skip
def test_a_mistake_does_not_pass_the_examples(old, new):
    reference = planted("ccm", old, new)["CCM"](bytes(range(0x40, 0x50)))
    examples = [*EXAMPLES]
    # No example is without associated data, as 7162015b… is with it; nor has one 65 280 bytes.
    examples += [(7, ad, 4, 4, example(CCM(bytes(range(0x40, 0x50))), 7, ad, 4, 4).hex()) for ad in (b"", bytes(65_280))]
    assert any(example(reference, *arguments).hex() != sealed for *arguments, sealed in examples)


def test_lengths_of_associated_data():
    """The three encodings, the two limits between them among them: appendix A.2.2, with its own example."""
    for length, encoded in (
        (1, "0001"),
        (65_279, "feff"),
        (65_280, "fffe0000ff00"),
        (65_536, "fffe00010000"),
        (2**32 - 1, "fffeffffffff"),
        (2**32, "ffff0000000100000000"),
        (2**64 - 1, "ffffffffffffffffffff"),
    ):
        assert ccm.encode_ad_length(length).hex() == encoded


@pytest.mark.parametrize("ad_bytes", [65_279, 65_280, 65_281, 70_000])
def test_long_associated_data_agrees(ad_bytes):
    key, (nonce, text, ad) = bytes(range(24)), message(Random(ad_bytes), 11, 33, ad_bytes)
    check_both_ways(CCM(key), AESCCM(key).encrypt(nonce, text, ad), nonce, text, ad)


def test_formatted_blocks():
    """Every n and t: the octets of appendix A.2.1, A.2.2 and A.3."""
    for n in ccm.NONCE_BYTES:
        for t in ccm.TAG_BYTES:
            for ad in (b"", b"abc"):
                blocks, q = ccm.formatted(bytes(range(1, n + 1)), bytes(20), ad, t), 15 - n
                bits = f"{blocks[0]:08b}"
                assert bits[0] == "0" and bits[1] == str(int(bool(ad)))
                assert (int(bits[2:5], 2), int(bits[5:], 2)) == ((t - 2) // 2, q - 1)
                assert blocks[1 : n + 1] == bytes(range(1, n + 1)) and int.from_bytes(blocks[n + 1 : 16], "big") == 20
                assert blocks[16:] == (pad_zeros(b"\0\3abc") if ad else b"") + bytes(32)
        assert ccm.counter_block(bytes(n), 258) == bytes([14 - n]) + bytes(13) + b"\1\2"


@pytest.mark.parametrize("lengths", [SAMPLE, *slowly(ALIGNMENTS)], ids=["sample", "all"])
def test_the_cryptography_package_agrees_on_alignments(lengths):
    random = Random(1)
    for ad_bytes, text_bytes in lengths:
        key, tag_bytes = random.randbytes(random.choice((16, 24, 32))), random.choice(ccm.TAG_BYTES)
        nonce, text, ad = message(random, random.choice(ccm.NONCE_BYTES), text_bytes, ad_bytes)
        check_both_ways(CCM(key), AESCCM(key, tag_bytes).encrypt(nonce, text, ad), nonce, text, ad, tag_bytes)


@pytest.mark.parametrize("count", [60, *slowly(10_000)])
def test_the_cryptography_package_agrees_on_random_messages(count):
    random = Random(2)
    for _ in range(count):
        key, tag_bytes = random.randbytes(random.choice((16, 24, 32))), random.choice(ccm.TAG_BYTES)
        nonce, text, ad = message(random, random.choice(ccm.NONCE_BYTES), random.randrange(400), random.randrange(200))
        check_both_ways(CCM(key), AESCCM(key, tag_bytes).encrypt(nonce, text, ad), nonce, text, ad, tag_bytes)


def test_another_cipher():
    reference = CCM(bytes(range(16)), SM4)
    sealed = reference.seal(bytes(12), bytes(50), b"ad")
    assert sealed != CCM(bytes(range(16))).seal(bytes(12), bytes(50), b"ad")
    assert reference.open(bytes(12), sealed, b"ad") == bytes(50)


def test_what_is_refused():
    for tag_bytes in (16, 4):
        check_refusals(CCM(bytes(range(16))), bytes(range(12)), bytes(range(35)), bytes(range(17)), tag_bytes)
    reference = CCM(bytes(16))
    check_wrong_types(reference, bytes(12))
    for call in (reference.seal, reference.open):
        for tag_bytes in (-2, 0, 2, 5, 15, 17, 18):
            with pytest.raises(ValueError, match=f"a CCM tag has 4, 6, 8, 10, 12, 14 or 16 bytes, not {tag_bytes}"):
                call(bytes(12), bytes(40), b"", tag_bytes)
        for nonce_bytes in (0, 6, 14):
            with pytest.raises(ValueError, match=f"a CCM nonce has 7 to 13 bytes, not {nonce_bytes}"):
                call(bytes(nonce_bytes), bytes(40))
    with pytest.raises(ValueError, match="AES key must be 16, 24 or 32 bytes"):
        CCM(bytes(20))


def test_longest_messages():
    """A text has as many bytes as q bytes can tell."""
    reference = CCM(bytes(16))
    assert len(reference.seal(bytes(13), bytes(2**16 - 1))) == 2**16 + 15
    with pytest.raises(ValueError, match="with a nonce of 13 bytes a CCM text has at most 65535 bytes, not 65536"):
        reference.seal(bytes(13), bytes(2**16))
    with pytest.raises(ValueError, match="with a nonce of 13 bytes a CCM text has at most 65535 bytes, not 65536"):
        reference.open(bytes(13), bytes(2**16 + 16))
    ccm.check_lengths(7, 2**64 - 1, 2**64 - 1, 16)
    for lengths in ((7, 2**64, 0, 16), (12, 2**24, 0, 16)):
        with pytest.raises(ValueError, match="a CCM text has at most"):
            ccm.check_lengths(*lengths)
    with pytest.raises(ValueError, match="CCM associated data has at most"):
        ccm.check_lengths(7, 0, 2**64, 16)


def test_verdict_has_one_shape():
    # B_0, two blocks of associated data with its length, four of text; S_0 and four blocks of keystream.
    assert check_one_shape(CCM(bytes(16), Counted), bytes(12)) == 1 + 2 + 4 + 1 + 4
