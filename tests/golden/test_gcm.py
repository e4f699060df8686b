# SPDX-License-Identifier: Apache-2.0
"""GCM: test cases with their intermediate values, all published vectors, the ``cryptography`` package, and what is refused."""

from random import Random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from tests.golden.relations import flipped

from modeloom import vectors
from modeloom_golden import AES, GCM, SM4, AuthenticationError, gcm, ghash_mul
from modeloom_golden import ghash as horner
from modeloom_golden.checks import counter_mode_32, split_blocks, xor

FILES = {
    "gcm_botan": (47, 0),
    "gcm_cavp_decrypt": (3148, 1575),
    "gcm_cavp_encrypt": (1575, 0),
    "gcm_cavp_iv96": (375, 0),
    "gcm_gladman": (88, 0),
    "gcm_sm4": (3, 0),
    "gcm_wycheproof": (316, 87),
    "gmac_botan": (143, 0),
    "gmac_wycheproof": (414, 324),
}
"""Tests in each file, and how many of them must be refused."""

KEY, AD = "feffe9928665731c6d6a8f9467308308", "feedfacedeadbeeffeedfacedeadbeefabaddad2"
TEXT = (
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"
)
LONG_NONCE = (
    "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b"
)

SPECIFICATION = [
    # Key, nonce, associated data, text; then H, Y_0, E(K, Y_0), GHASH(H, A, C), T.
    ("0" * 32, "0" * 24, "", "", "66e94bd4ef8a2c3b884cfa59ca342b2e", "0" * 31 + "1",
     "58e2fccefa7e3061367f1d57a4e7455a", "0" * 32, "58e2fccefa7e3061367f1d57a4e7455a"),
    ("0" * 32, "0" * 24, "", "0" * 32, "66e94bd4ef8a2c3b884cfa59ca342b2e", "0" * 31 + "1",
     "58e2fccefa7e3061367f1d57a4e7455a", "f38cbb1ad69223dcc3457ae5b6b0f885", "ab6e47d42cec13bdf53a67b21257bddf"),
    (KEY, "cafebabefacedbaddecaf888", "", TEXT, "b83b533708bf535d0aa6e52980d53b78", "cafebabefacedbaddecaf88800000001",
     "3247184b3c4f69a44dbcd22887bbb418", "7f1b32b81b820d02614f8895ac1d4eac", "4d5c2af327cd64a62cf35abd2ba6fab4"),
    (KEY, "cafebabefacedbaddecaf888", AD, TEXT[:120], "b83b533708bf535d0aa6e52980d53b78", "cafebabefacedbaddecaf88800000001",
     "3247184b3c4f69a44dbcd22887bbb418", "698e57f70e6ecc7fd9463b7260a9ae5f", "5bc94fbc3221a5db94fae95ae7121a47"),
    (KEY, "cafebabefacedbad", AD, TEXT[:120], "b83b533708bf535d0aa6e52980d53b78", "c43a83c4c4badec4354ca984db252f7d",
     "e94ab9535c72bea9e089c93d48e62fb0", "df586bb4c249b92cb6922877e444d37b", "3612d2e79e3b0785561be14aaca2fccb"),
    (KEY, LONG_NONCE, AD, TEXT[:120], "b83b533708bf535d0aa6e52980d53b78", "3bab75780a31c059f83d2a44752f9864",
     "7dc63b399f2d98d57ab073b6baa4138e", "1c5afe9760d3932f3c9a878aac3dc3de", "619cc5aefffe0bfa462af43c1699d050"),
]  # fmt: skip
"""Test cases 1 to 6 of McGrew and Viega's specification, appendix B."""


@pytest.mark.parametrize("case", SPECIFICATION, ids=range(1, 7))
def test_intermediate_values_of_the_specification(case):
    key, nonce, ad, text, h, y0, mask, digest, tag = map(bytes.fromhex, case)
    aes, reference = AES(key), GCM(key)
    assert aes.encrypt_block(bytes(16)) == h
    if len(nonce) == 12:
        assert nonce + b"\0\0\0\1" == y0
    else:
        assert gcm.ghash(h, nonce + bytes(-len(nonce) % 16) + (8 * len(nonce)).to_bytes(16, "big")) == y0
    assert aes.encrypt_block(y0) == mask
    sealed = reference.seal(nonce, text, ad)
    c = sealed[: len(text)]
    assert gcm.gctr(aes, gcm.inc32(y0), text) == c
    lengths = (8 * len(ad)).to_bytes(8, "big") + (8 * len(text)).to_bytes(8, "big")
    assert gcm.ghash(h, ad + bytes(-len(ad) % 16) + c + bytes(-len(c) % 16) + lengths) == digest
    assert sealed == c + tag
    assert xor(digest, mask) == tag


@pytest.mark.parametrize("name", FILES)
def test_published_vectors(name):
    """Both directions; what must be refused is refused for its tag, a nonce of no bytes for its length."""
    file = vectors.load(name)
    cipher = SM4 if file.get("cipher") == "sm4" else AES
    refused = 0
    for test in file["tests"]:
        key, nonce, ad, c, t = (bytes.fromhex(test[value]) for value in ("key", "nonce", "aad", "ct", "tag"))
        reference = GCM(key, cipher)
        if test["result"] == "valid":
            text = bytes.fromhex(test["pt"])
            assert reference.seal(nonce, text, ad, len(t)) == c + t, (test["tcId"], test["comment"])
            assert reference.open(nonce, c + t, ad, len(t)) == text, (test["tcId"], test["comment"])
            assert text or reference.gmac(nonce, ad, len(t)) == t
            continue
        refused += 1
        with pytest.raises(ValueError if not nonce else AuthenticationError):
            reference.open(nonce, c + t, ad, len(t))
        if nonce and "pt" in test:
            # Nothing but the tag is wrong.
            right = reference.seal(nonce, bytes.fromhex(test["pt"]), ad, len(t))
            assert right[: len(c)] == c
            assert right[len(c) :] != t
    assert (len(file["tests"]), refused) == FILES[name]


def test_the_vectors_have_every_kind_of_length():
    tests = vectors.for_mode("gcm")
    valid = [test for test in tests if test["result"] == "valid"]
    assert {len(test["tag"]) // 2 for test in valid} == set(gcm.TAG_BYTES)
    assert {len(test["key"]) // 2 for test in valid} == {16, 24, 32}
    assert {1, 2, 4, 6, 8, 10, 12, 15, 16, 17, 20, 32, 60, 64, 128, 257} <= {len(test["nonce"]) // 2 for test in valid}
    assert {0, 1, 3, 4, 5, 8, 13, 15} <= {len(test["ct"]) // 2 % 16 for test in valid}
    assert {0, 16, 65536} <= {len(test["aad"]) // 2 for test in valid}
    assert len([test for test in tests if "CounterWrap" in test["flags"]]) > 10
    # Each pair of a tag's length and a key's, and each of a tag's and a nonce's, is refused somewhere when it is wrong.
    wrong = [test for test in tests if "Fail" in test["flags"]]
    assert {(len(test["tag"]), len(test["key"])) for test in wrong} == {(2 * t, k) for t in gcm.TAG_BYTES for k in (32, 48, 64)}
    assert {(len(test["tag"]), len(test["nonce"])) for test in wrong} == {(2 * t, n) for t in gcm.TAG_BYTES for n in (2, 24, 256)}


@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_the_cryptography_package_agrees(key_bytes):
    random = Random(key_bytes)
    cases = [(random.randrange(8, 40), random.randrange(70), random.randrange(70)) for _ in range(60)]
    cases += [(12, text, ad) for text in range(34) for ad in (0, 15, 16, 17)]
    for nonce_bytes, text_bytes, ad_bytes in cases:
        key, nonce = random.randbytes(key_bytes), random.randbytes(nonce_bytes)
        text, ad = random.randbytes(text_bytes), random.randbytes(ad_bytes)
        encryptor = Cipher(algorithms.AES(key), modes.GCM(nonce)).encryptor()
        encryptor.authenticate_additional_data(ad)
        c = encryptor.update(text) + encryptor.finalize()
        for tag_bytes in gcm.TAG_BYTES:
            sealed = c + encryptor.tag[:tag_bytes]
            assert GCM(key).seal(nonce, text, ad, tag_bytes) == sealed
            assert GCM(key).open(nonce, sealed, ad, tag_bytes) == text


def test_product_and_hash_agree_with_the_other_references():
    random = Random(1)
    one = (b"\x80" + bytes(15), b"\xc2" + bytes(15), bytes(15) + b"\1", bytes(16), b"\xff" * 16)
    for a in (*one, *(random.randbytes(16) for _ in range(50))):
        for b in (*one, random.randbytes(16)):
            product = gcm.multiply(int.from_bytes(a, "big"), int.from_bytes(b, "big"))
            assert product.to_bytes(16, "big") == ghash_mul(a, b)
        x = random.randbytes(16 * random.randrange(5))
        assert gcm.ghash(a, x) == horner(a, split_blocks("x", x))


def test_counter_of_32_bits():
    assert gcm.inc32(b"\xff" * 16) == b"\xff" * 12 + bytes(4)
    assert gcm.inc32(bytes(16)) == bytes(15) + b"\1"
    aes, data = AES(bytes(16)), bytes(range(70))
    for last in (0, 1, 2**32 - 3, 2**32 - 2, 2**32 - 1):
        block = bytes(range(12)) + last.to_bytes(4, "big")
        assert gcm.gctr(aes, block, data) == counter_mode_32(aes, block, 0, data)


@pytest.mark.parametrize("tag_bytes", gcm.TAG_BYTES)
def test_a_flipped_bit_is_refused(tag_bytes):
    reference, nonce, text, ad = GCM(bytes(range(16))), bytes(range(12)), bytes(range(20)), bytes(range(17))
    sealed = reference.seal(nonce, text, ad, tag_bytes)
    for bit in range(8 * len(sealed)):
        with pytest.raises(AuthenticationError, match="the tag is wrong"):
            reference.open(nonce, flipped(sealed, bit), ad, tag_bytes)
    for bit in range(0, 8 * len(ad), 7):
        with pytest.raises(AuthenticationError):
            reference.open(nonce, sealed, flipped(ad, bit), tag_bytes)
    for bit in range(0, 8 * len(nonce), 7):
        with pytest.raises(AuthenticationError):
            reference.open(flipped(nonce, bit), sealed, ad, tag_bytes)
    # A zero more at the end of the associated data, or moved from there to the text: the lengths are authenticated.
    with pytest.raises(AuthenticationError):
        reference.open(nonce, sealed, ad + b"\0", tag_bytes)
    with pytest.raises(AuthenticationError):
        reference.open(nonce, ad[-1:] + sealed, ad[:-1], tag_bytes)
    assert reference.open(nonce, sealed, ad, tag_bytes) == text


def test_verdict_has_one_shape():
    """A message with a wrong tag takes the same calls of the cipher, on the same blocks, as one with the right tag."""
    calls = []

    class Counted(AES):
        def encrypt_block(self, block):
            calls.append(block)
            return super().encrypt_block(block)

    reference = GCM(bytes(16), Counted)
    sealed = reference.seal(bytes(8), bytes(50), bytes(20))
    shapes = []
    for message in (sealed, flipped(sealed, 8 * len(sealed) - 1), flipped(sealed, 8 * 50)):
        calls.clear()
        try:
            reference.open(bytes(8), message, bytes(20))
        except AuthenticationError:
            assert message != sealed
        shapes.append(list(calls))
    assert shapes[0] == shapes[1] == shapes[2]
    assert len(shapes[0]) == 4 + 1


def test_short_tag_is_the_beginning_of_the_whole_one():
    reference = GCM(bytes(range(32)))
    whole = reference.gmac(bytes(12), b"associated")
    assert whole == reference.seal(bytes(12), b"", b"associated")
    assert reference.open(bytes(12), whole, b"associated") == b""
    for tag_bytes in gcm.TAG_BYTES:
        assert reference.gmac(bytes(12), b"associated", tag_bytes) == whole[:tag_bytes]


def test_what_is_refused():
    reference = GCM(bytes(16))
    for tag_bytes in (-1, 0, 1, 3, 5, 7, 9, 10, 11, 17, 32):
        for call in (reference.seal, reference.open):
            with pytest.raises(ValueError, match=f"a GCM tag has 16, 15, 14, 13, 12, 8 or 4 bytes, not {tag_bytes}"):
                call(bytes(12), bytes(40), b"", tag_bytes)
    for call in (reference.seal, reference.open):
        with pytest.raises(ValueError, match="a GCM nonce must have at least 1 byte"):
            call(b"", bytes(16))
        for name, arguments in (("nonce", (1, b"", b"")), ("ad", (b"1", b"", 1))):
            with pytest.raises(TypeError, match=f"{name} must be bytes"):
                call(*arguments)
    with pytest.raises(AuthenticationError, match="a sealed message of 15 bytes has no tag of 16 bytes"):
        reference.open(bytes(12), bytes(15))
    for size in (0, 15, 17, 33):
        with pytest.raises(ValueError, match="AES key must be 16, 24 or 32 bytes"):
            GCM(bytes(size))
    with pytest.raises(ValueError, match="x must be whole blocks of 16 bytes, not 17 bytes"):
        gcm.ghash(bytes(16), bytes(17))


def test_longest_messages(monkeypatch):
    """2^39 - 256 bits of text; less than 2^64 bits of nonce and of associated data."""
    gcm.check_lengths(2**61 - 1, 2**36 - 32, 2**61 - 1, 16)
    assert 8 * (2**36 - 32) == 2**39 - 256
    # The last counter block of the longest text is the one before J0.
    assert ((2**36 - 32) // 16 + 2) % 2**32 == 0
    for lengths, name in (((2**61, 0, 0, 16), "nonce"), ((12, 2**36 - 31, 0, 16), "text"), ((12, 0, 2**61, 16), "ad")):
        with pytest.raises(ValueError, match=f"GCM {name} must be at most"):
            gcm.check_lengths(*lengths)
    reference = GCM(bytes(16))
    sealed = reference.seal(bytes(12), bytes(33))
    monkeypatch.setattr(gcm, "MOST_TEXT_BYTES", 32)
    with pytest.raises(ValueError, match="GCM text must be at most 32 bytes, not 33"):
        reference.seal(bytes(12), bytes(33))
    with pytest.raises(ValueError, match="GCM text must be at most 32 bytes, not 33"):
        reference.open(bytes(12), sealed)
    assert len(reference.seal(bytes(12), bytes(32))) == 48
