# SPDX-License-Identifier: Apache-2.0
"""The references of stream modes by name."""

import pytest

import modeloom_golden as golden
from modeloom import vectors


def test_names_give_their_modes():
    key, text, ad = bytes(range(16)), bytes(50), b"associated"
    on_any = {"ccm": golden.CCM, "gcm": golden.GCM, "ocb3": golden.OCB3}
    on_aes = {
        "aes-otr": golden.AESOTR,
        "aes-otr-serial": lambda key: golden.AESOTR(key, serial=True),
        "gcm-siv": golden.GCMSIV,
    }
    assert golden.stream_mode_names() == tuple(sorted({**on_any, **on_aes}))
    assert golden.stream_mode_names("sm4") == tuple(on_any)
    assert golden.stream_mode_names("deoxys-bc") == ("deoxys-i", "deoxys-ii")
    assert golden.stream_mode_names("des") == ()
    references = {(name, "aes"): make(key) for name, make in (on_any | on_aes).items()}
    references |= {(name, "sm4"): make(key, golden.SM4) for name, make in on_any.items()}
    references |= {("deoxys-i", "deoxys-bc"): golden.DeoxysI(key), ("deoxys-ii", "deoxys-bc"): golden.DeoxysII(key)}
    nonce_bytes, tag_bytes_of = {"deoxys-i": 8, "deoxys-ii": 15}, {"gcm-siv": 16, "deoxys-i": 16, "deoxys-ii": 16}
    messages = set()
    for (name, cipher), reference in references.items():
        mode, tag_bytes = golden.stream_mode(name, key, cipher), tag_bytes_of.get(name, 12)
        nonce = bytes(range(nonce_bytes.get(name, 12)))
        sealed = mode.seal(nonce, text, ad, tag_bytes=tag_bytes)
        assert sealed == reference.seal(nonce, text, ad, tag_bytes)
        assert mode.open(nonce, sealed, ad, tag_bytes=tag_bytes) == text
        with pytest.raises(golden.AuthenticationError):
            mode.open(nonce, sealed, b"other", tag_bytes=tag_bytes)
        messages.add(sealed)
    assert len(messages) == 11


@pytest.mark.parametrize("cipher", ["aes", "sm4"])
def test_published_vectors_by_name(cipher):
    tests = [test for test in vectors.for_mode("gcm", cipher) if test["result"] == "valid" and len(test["tag"]) == 32][:100]
    assert tests
    for test in tests:
        nonce, text, ad = (bytes.fromhex(test[name]) for name in ("nonce", "pt", "aad"))
        assert golden.stream_mode("gcm", bytes.fromhex(test["key"]), cipher).seal(nonce, text, ad).hex() == test["ct"] + test["tag"]


def test_unknown_names():
    with pytest.raises(ValueError, match="no reference for stream mode 'hctr2'; there are aes-otr, aes-otr-serial, ccm, "):
        golden.stream_mode("hctr2", bytes(32))
    with pytest.raises(ValueError, match="no reference for stream mode 'gcm' with cipher 'des'; there are none"):
        golden.stream_mode("gcm", bytes(16), "des")
    with pytest.raises(ValueError, match="no reference for stream mode 'gcm-siv' with cipher 'sm4'; there are ccm, gcm, ocb3"):
        golden.stream_mode("gcm-siv", bytes(16), "sm4")
    with pytest.raises(ValueError, match="no reference for stream mode 'gcm' with cipher 'deoxys-bc'; there are deoxys-i, deoxys-ii"):
        golden.stream_mode("gcm", bytes(16), "deoxys-bc")
    with pytest.raises(ValueError, match="AES key must be"):
        golden.stream_mode("gcm", bytes(17))
    assert "gcm" not in golden.mode_names()
