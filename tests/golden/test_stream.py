# SPDX-License-Identifier: Apache-2.0
"""The references of stream modes by name."""

import pytest

from modeloom import golden, vectors


def test_names_give_their_modes():
    key, nonce, text, ad = bytes(range(16)), bytes(range(12)), bytes(50), b"associated"
    assert golden.stream_mode_names() == golden.stream_mode_names("sm4") == ("gcm",)
    assert golden.stream_mode_names("des") == ()
    for cipher, primitive in (("aes", golden.AES), ("sm4", golden.SM4)):
        mode = golden.stream_mode("gcm", key, cipher)
        sealed = mode.seal(nonce, text, ad, tag_bytes=12)
        assert sealed == golden.GCM(key, primitive).seal(nonce, text, ad, 12)
        assert mode.open(nonce, sealed, ad, tag_bytes=12) == text
        with pytest.raises(golden.AuthenticationError):
            mode.open(nonce, sealed, b"other", tag_bytes=12)


@pytest.mark.parametrize("cipher", ["aes", "sm4"])
def test_published_vectors_by_name(cipher):
    tests = [test for test in vectors.for_mode("gcm", cipher) if test["result"] == "valid" and len(test["tag"]) == 32][:100]
    assert tests
    for test in tests:
        nonce, text, ad = (bytes.fromhex(test[name]) for name in ("nonce", "pt", "aad"))
        assert golden.stream_mode("gcm", bytes.fromhex(test["key"]), cipher).seal(nonce, text, ad).hex() == test["ct"] + test["tag"]


def test_unknown_names():
    with pytest.raises(ValueError, match="no reference for stream mode 'hctr2'; there are gcm"):
        golden.stream_mode("hctr2", bytes(32))
    with pytest.raises(ValueError, match="no reference for stream mode 'gcm' with cipher 'des'; there are none"):
        golden.stream_mode("gcm", bytes(16), "des")
    with pytest.raises(ValueError, match="AES key must be"):
        golden.stream_mode("gcm", bytes(17))
    assert "gcm" not in golden.mode_names()
