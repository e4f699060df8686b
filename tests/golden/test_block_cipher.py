# SPDX-License-Identifier: Apache-2.0
"""The counter mode of tes2010, equation (2)."""

import pytest
from tests.golden.powers import ONE

from modeloom.golden import AES
from modeloom.golden.block_cipher import bin_n, counter_mode
from modeloom.golden.checks import xor


def test_numbers_are_big_endian():
    assert bin_n(1) == bytes(15) + b"\x01"
    assert bin_n(4096) == bytes(14) + b"\x10\x00"
    # A number is not the field element of that name.
    assert bin_n(1) != ONE


def test_numbers_are_added_by_xor_from_1():
    aes, s = AES(bytes(16)), bytes(15) + b"\x01"
    stream = counter_mode(aes, s, bytes(64))
    # 1 ⊕ i for i = 1 … 4
    assert stream == b"".join(aes.encrypt_block(bin_n(number)) for number in (0, 3, 2, 5))


@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 600 * 16 + 3])
def test_last_block_is_cut(length):
    aes, s = AES(bytes(range(16))), bytes(range(16))
    data = bytes(i % 251 for i in range(length))
    whole = counter_mode(aes, s, bytes(601 * 16))
    assert counter_mode(aes, s, data) == xor(data, whole[:length])
    assert counter_mode(aes, s, counter_mode(aes, s, data)) == data


def test_data_must_be_bytes():
    with pytest.raises(TypeError, match="data must be bytes"):
        counter_mode(AES(bytes(16)), bytes(16), [1])
