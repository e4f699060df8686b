# SPDX-License-Identifier: Apache-2.0
"""XCTR against its vectors."""

import pytest

from modeloom import vectors
from modeloom_golden import AES, xctr


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_published_vectors_both_directions(bits):
    for test in vectors.load(f"xctr_aes{bits}")["tests"]:
        aes, nonce = AES(bytes.fromhex(test["key"])), bytes.fromhex(test["nonce"])
        pt, ct = bytes.fromhex(test["pt"]), bytes.fromhex(test["ct"])
        assert xctr(aes, nonce, pt) == ct, test["tcId"]
        assert xctr(aes, nonce, ct) == pt, test["tcId"]


def test_counter_is_xored_and_carries_into_byte_1():
    # Block 256 of the keystream: bytes 00 01 of the counter, and S = ff… shows XOR from addition.
    aes, nonce = AES(bytes(16)), b"\xff" * 16
    keystream = xctr(aes, nonce, bytes(256 * 16))
    assert keystream[255 * 16 :] == aes.encrypt_block(b"\xff\xfe" + b"\xff" * 14)
    assert keystream[:16] == aes.encrypt_block(b"\xfe" + b"\xff" * 15)


def test_what_is_refused():
    assert xctr(AES(bytes(16)), bytes(16), b"") == b""
    with pytest.raises(ValueError, match="nonce must be 16 bytes"):
        xctr(AES(bytes(16)), bytes(12), b"")
    with pytest.raises(TypeError, match="data must be bytes"):
        xctr(AES(bytes(16)), bytes(16), "text")
