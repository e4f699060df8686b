# SPDX-License-Identifier: Apache-2.0
"""The plain key expansion: FIPS 197, appendix A, another implementation, and both forms against each other."""

import random

import pytest
from tests.rtl.aes.bench import INV_MIX, encrypt, encrypt_with, expand_key, multiply_columns

from modeloom_golden.aes_steps import inverse_round_keys, round_keys

# FIPS 197, A.1 to A.3: the key and its last round key.
FIPS_197_A = [
    ("2b7e151628aed2a6abf7158809cf4f3c", "d014f9a8c9ee2589e13f0cc8b6630ca6"),
    ("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", "e98ba06f448c773c8ecc720401002202"),
    ("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", "fe4890d1e6188d0b046df344706c631e"),
]


@pytest.mark.parametrize(("key", "last"), FIPS_197_A)
def test_published_keys(key, last):
    expanded = round_keys(bytes.fromhex(key))
    assert len(expanded) == len(key) // 8 + 7
    assert (expanded[0].hex(), expanded[-1].hex()) == (key[:32], last)


@pytest.mark.parametrize("size", [16, 24, 32])
def test_random_keys(size):
    rng = random.Random(4)
    for _ in range(5):
        key, block = rng.randbytes(size), rng.randbytes(16)
        assert round_keys(key) == expand_key(key)
        assert encrypt_with(round_keys(key), block) == encrypt(key, block)
        first, *inner, last = round_keys(key)
        assert inverse_round_keys(key) == [first, *(multiply_columns(INV_MIX, k) for k in inner), last]


@pytest.mark.parametrize("expand", [round_keys, inverse_round_keys])
def test_wrong_keys_are_refused(expand):
    with pytest.raises(ValueError, match="16, 24 or 32 bytes, not 15"):
        expand(bytes(15))
    with pytest.raises(TypeError):
        expand("0" * 16)
