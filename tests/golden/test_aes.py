# SPDX-License-Identifier: Apache-2.0
"""AES against FIPS 197 and the CAVP files."""

import pytest

from modeloom import vectors
from modeloom_golden import AES


@pytest.mark.parametrize("name", ["aes_fips197", "aes_cavp", "aes_botan"])
def test_published_vectors_both_directions(name):
    for test in vectors.load(name)["tests"]:
        aes = AES(bytes.fromhex(test["key"]))
        pt, ct = bytes.fromhex(test["pt"]), bytes.fromhex(test["ct"])
        assert aes.encrypt_blocks(pt) == ct, test["comment"]
        assert aes.decrypt_blocks(ct) == pt, test["comment"]


@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_batch_equals_single_blocks(key_bytes):
    aes = AES(bytes(range(key_bytes)))
    data = bytes(range(96))
    single = b"".join(aes.encrypt_block(data[i : i + 16]) for i in range(0, 96, 16))
    assert aes.encrypt_blocks(data) == single
    assert aes.decrypt_blocks(single) == data
    assert aes.encrypt_blocks(b"") == b""


@pytest.mark.parametrize("key_bytes", [0, 15, 17, 48, 64])
def test_wrong_key_length(key_bytes):
    with pytest.raises(ValueError, match="16, 24 or 32 bytes"):
        AES(bytes(key_bytes))


def test_key_that_is_no_bytes():
    with pytest.raises(TypeError, match="must be bytes"):
        AES("0" * 16)


def test_refused_data_leaves_no_state_behind():
    aes = AES(bytes(16))
    expected = aes.encrypt_block(bytes(16))
    for call in (aes.encrypt_block, aes.decrypt_block, aes.encrypt_blocks, aes.decrypt_blocks):
        with pytest.raises(ValueError, match="16 bytes"):
            call(bytes(15))
    assert aes.encrypt_block(bytes(16)) == expected
    assert aes.decrypt_block(expected) == bytes(16)
