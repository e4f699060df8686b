# SPDX-License-Identifier: Apache-2.0
"""POLYVAL against its vectors, GHASH against the tags of an independent AES-GCM."""

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given
from hypothesis import strategies as st

from modeloom import vectors
from modeloom_golden import AES, ghash, ghash_double, polyval
from modeloom_golden.checks import split_blocks, xor

BLOCKS = st.binary(min_size=16, max_size=16)


@pytest.mark.parametrize("name", ["polyval", "polyval_rfc8452"])
def test_published_vectors(name):
    for test in vectors.load(name)["tests"]:
        blocks = split_blocks("message", bytes.fromhex(test["msg"]))
        assert polyval(bytes.fromhex(test["key"]), blocks).hex() == test["hash"], test["comment"]


def test_rfc8452_appendix_a():
    h = bytes.fromhex("25629347589242761d31f826ba4b757b")
    blocks = [bytes.fromhex("4f4f95668c83dfb6401762bb2d01a262"), bytes.fromhex("d1a24ddd2721d006bbe45f20d3c9f362")]
    assert polyval(h, blocks).hex() == "f7a3b47b846119fae5b7866cf5e5b77e"
    assert ghash(h, blocks).hex() == "bd9b3997046731fb96251b91f9c99d7a"


@given(
    key=st.sampled_from([16, 24, 32]).flatmap(lambda size: st.binary(min_size=size, max_size=size)),
    nonce=st.binary(min_size=12, max_size=12),
    aad=st.binary(max_size=50),
    plaintext=st.binary(max_size=100),
)
def test_ghash_gives_the_tag_of_aes_gcm(key, nonce, aad, plaintext):
    sealed = AESGCM(key).encrypt(nonce, plaintext, aad)
    ciphertext, tag = sealed[:-16], sealed[-16:]
    aes = AES(key)
    lengths = (8 * len(aad)).to_bytes(8, "big") + (8 * len(ciphertext)).to_bytes(8, "big")
    padded = aad + bytes(-len(aad) % 16) + ciphertext + bytes(-len(ciphertext) % 16) + lengths
    digest = ghash(aes.encrypt_block(bytes(16)), split_blocks("padded", padded))
    assert xor(digest, aes.encrypt_block(nonce + b"\x00\x00\x00\x01")) == tag


@given(h=BLOCKS, blocks=st.lists(BLOCKS, max_size=5))
def test_polyval_is_ghash_of_reversed_blocks(h, blocks):
    # RFC 8452, appendix A: POLYVAL(H, X…) = ByteReverse(GHASH(mulX_GHASH(ByteReverse(H)), ByteReverse(X)…))
    assert polyval(h, blocks) == ghash(ghash_double(h[::-1]), [block[::-1] for block in blocks])[::-1]


@pytest.mark.parametrize("function", [ghash, polyval])
def test_what_is_refused(function):
    with pytest.raises(ValueError, match="hash key must be 16 bytes"):
        function(bytes(15), [])
    with pytest.raises(ValueError, match="block must be 16 bytes"):
        function(bytes(16), [bytes(15)])
    with pytest.raises(ValueError, match="whole blocks"):
        split_blocks("message", bytes(17))
