# SPDX-License-Identifier: Apache-2.0
"""What a mode says of its keys, and what it refuses."""

from __future__ import annotations

import pytest

from modeloom.spec import InputError, Mode

AES_SIZES = (16, 24, 32)


class Two(Mode):
    """Two cipher keys around a block."""

    name = "two"
    key_parts = ("A", "h", "B")
    cipher_keys = ("A", "B")


class Apart(Two):
    """The same, and the cipher keys must differ."""

    name = "apart"
    distinct_keys = True


class Long(Two):
    """The same for AES-256 alone."""

    name = "long"
    cipher_key_bits = (256,)


@pytest.mark.parametrize("size", AES_SIZES)
def test_parts_in_order(size: int) -> None:
    key = bytes(range(2 * size + 16))
    assert Two.key_bytes(size) == len(key)
    assert Two.split_key(key, AES_SIZES) == {"A": key[:size], "h": key[size : size + 16], "B": key[size + 16 :]}


def test_wrong_lengths_are_told() -> None:
    with pytest.raises(InputError, match=r"^two: a key \(A \|\| h \|\| B\) must have 48 or 64 or 80 bytes, not 47$"):
        Two.split_key(bytes(47), AES_SIZES)
    with pytest.raises(InputError, match=r"^long: a key \(A \|\| h \|\| B\) must have 80 bytes, not 48$"):
        Long.split_key(bytes(48), AES_SIZES)
    assert set(Long.split_key(bytes(80), AES_SIZES)) == {"A", "h", "B"}


def test_equal_cipher_keys() -> None:
    key = bytes(range(16))
    assert Two.split_key(key * 3, AES_SIZES)["B"] == key
    with pytest.raises(InputError, match="^apart: A and B are equal; choose different keys$"):
        Apart.split_key(key * 3, AES_SIZES)
    assert Apart.split_key(key * 2 + bytes(16), AES_SIZES)["B"] == bytes(16)


def test_sizes_that_a_mode_is_defined_for() -> None:
    Two.check_key_bits(100)
    Long.check_key_bits(256)
    with pytest.raises(InputError, match="^long: the mode is defined for cipher keys of 256 bits, not 128$"):
        Long.check_key_bits(128)


def test_the_reason_of_a_limit_is_told() -> None:
    class Short(Mode):
        name = "short"
        max_blocks = 4

    class Told(Short):
        max_blocks_reason = "the paper says so"

    Short.check_sector(64)
    with pytest.raises(InputError, match="^short: a sector must have at most 64 bytes, not 80$"):
        Short.check_sector(80)
    with pytest.raises(InputError, match=r"^short: a sector must have at most 64 bytes, not 80 \(the paper says so\)$"):
        Told.check_sector(80)
