# SPDX-License-Identifier: Apache-2.0
"""SM4: the examples of GB/T 32907-2016 and another library."""

import random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from tests import built

from modeloom_golden import SM4
from modeloom_golden.sm4 import CK, SBOX, round_keys

EXAMPLE = bytes.fromhex("0123456789abcdeffedcba9876543210")
ONCE = "681edf34d206965e86b3e94f536e4246"
A_MILLION_TIMES = "595298c7c6fd271f0402f804c33d3f66"


def library(key):
    ecb = Cipher(algorithms.SM4(key), modes.ECB())
    return ecb.encryptor().update, ecb.decryptor().update


def test_first_example():
    cipher = SM4(EXAMPLE)
    assert cipher.encrypt_block(EXAMPLE).hex() == ONCE
    assert cipher.decrypt_block(bytes.fromhex(ONCE)) == EXAMPLE


def test_printed_round_keys():
    """The first and the last of the first example."""
    keys = round_keys(EXAMPLE)
    assert len(keys) == 32
    assert [f"{key:08x}" for key in (*keys[:4], keys[-1])] == ["f12186f9", "41662b61", "5a6ab19a", "7ba92077", "9124a012"]


@built.slow
def test_second_example():
    cipher, block = SM4(EXAMPLE), EXAMPLE
    for _ in range(1_000_000):
        block = cipher.encrypt_block(block)
    assert block.hex() == A_MILLION_TIMES


def test_the_library_has_the_second_example_and_agrees():
    """A thousand steps are those of the reference."""
    encrypt, _ = library(EXAMPLE)
    cipher, block = SM4(EXAMPLE), EXAMPLE
    for step in range(1_000_000):
        following = encrypt(block)
        assert step >= 1000 or following == cipher.encrypt_block(block)
        block = following
    assert block.hex() == A_MILLION_TIMES


def test_random_keys_and_edges():
    rng = random.Random(4)
    for key in (bytes(16), b"\xff" * 16, *(rng.randbytes(16) for _ in range(100))):
        encrypt, decrypt = library(key)
        cipher = SM4(key)
        for block in (bytes(16), b"\xff" * 16, rng.randbytes(16), rng.randbytes(16)):
            assert cipher.encrypt_block(block) == encrypt(block)
            assert cipher.decrypt_block(block) == decrypt(block)


def test_tables():
    assert sorted(SBOX) == list(range(256))
    assert (CK[0], CK[1], CK[31]) == (0x00070E15, 0x1C232A31, 0x646B7279)


def test_what_is_refused():
    for size in (0, 15, 24, 32):
        with pytest.raises(ValueError, match=f"SM4 key must be 16 bytes, not {size}"):
            SM4(bytes(size))
    with pytest.raises(TypeError, match="SM4 key must be bytes"):
        SM4("0" * 16)
    for call in (SM4(EXAMPLE).encrypt_block, SM4(EXAMPLE).decrypt_block):
        with pytest.raises(ValueError, match="block must be 16 bytes, not 17"):
            call(bytes(17))
