# SPDX-License-Identifier: Apache-2.0
"""The operations of a definition on numbers, one by one, against plain arithmetic on bytes."""

from __future__ import annotations

import random
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeloom.spec import GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER, CipherKey, DefinitionError, Field, InputError, Numbers

BLOCK = st.integers(0, (1 << 128) - 1)
FIELDS = [GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER, Field("wide", 256, (1 << 256) | 0x425)]


class Shifted:
    """A cipher that adds its key to every byte."""

    def __init__(self, key: bytes):
        self.key = key

    def encrypt(self, block: bytes) -> bytes:
        return bytes(byte + self.key[0] & 255 for byte in block)

    def decrypt(self, block: bytes) -> bytes:
        return bytes(byte - self.key[0] & 255 for byte in block)


def operations(field: Field = GHASH_ORDER, key_bytes: int = 16) -> Numbers:
    return Numbers(field, [Shifted(b"\x01"), Shifted(b"\x02")], Shifted, key_bytes)


def number(data: bytes) -> int:
    return int.from_bytes(data, "little")


@given(BLOCK, st.integers(0, 2**32 - 1))
def test_add32_is_on_the_last_four_bytes_big_endian(block: int, value: int) -> None:
    data, o = block.to_bytes(16, "little"), operations()
    count = (int.from_bytes(data[12:], "big") + value) % 2**32
    assert o.add32(block, value) == number(data[:12] + count.to_bytes(4, "big"))
    assert o.add32(o.add32(block, value), 2**32 - value) == block


def test_add32_wraps_and_carries_no_further() -> None:
    o = operations()
    full = bytes(range(12)) + b"\xff" * 4
    assert o.add32(number(full), 1) == number(bytes(range(12)) + bytes(4))
    assert o.add32(number(full), 2**32) == number(full)
    assert o.add32(number(b"\xff" * 16), 3) == number(b"\xff" * 12 + b"\0\0\0\2")
    wide = operations(FIELDS[3])
    assert wide.add32(number(bytes(28) + b"\0\0\xff\xff"), 1) == number(bytes(28) + b"\0\1\0\0")


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_inverse(field: Field) -> None:
    o, rng = operations(field), random.Random(field.name)
    for value in (field.one, *(rng.getrandbits(field.width) | 1 for _ in range(5))):
        assert field.mul(o.inverse(value, "it"), value) == field.one


def test_zero_has_no_inverse() -> None:
    with pytest.raises(InputError, match="this key cannot be used: sigma of the mode is 0; choose another key"):
        operations().inverse(0, "sigma of the mode")


@pytest.mark.parametrize("n", range(1, 17))
def test_head_and_tail_are_the_two_parts(n: int) -> None:
    o, data = operations(), bytes(range(1, 17))
    assert o.head(number(data), n) == number(data[:n])
    assert o.tail(number(data), n) == number(bytes(n) + data[n:])
    assert o.head(number(data), n) ^ o.tail(number(data), n) == number(data)
    assert o.tail(number(data), 0) == number(data)


@pytest.mark.parametrize("n", range(1, 17))
def test_pad(n: int) -> None:
    data = bytes(range(1, n + 1))
    assert operations().pad(number(data), n, 0x80) == number((data + b"\x80")[:16] if n < 16 else data)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
@pytest.mark.parametrize("m", [1, 2, 3, 7])
def test_poly_ends_with_h_or_with_another_key_value(field: Field, m: int) -> None:
    o, rng = operations(field), random.Random(m)
    h, last, *blocks = (rng.getrandbits(field.width) for _ in range(m + 2))

    def total(end: int) -> int:
        terms = [field.mul(x if e == 1 else field.mul(x, field.power(h, e - 1)), end) for x, e in zip(blocks, range(m, 0, -1), strict=True)]
        return reduce(int.__xor__, terms)

    assert o.poly(h, blocks) == total(h)
    assert o.poly(h, blocks, last) == total(last)


def test_cipher_keys() -> None:
    o = operations()
    block = number(bytes(range(16)))
    assert o.enc(block) == o.enc(block, CipherKey(0)) == number(bytes(range(1, 17)))
    assert o.enc(block, CipherKey(1)) == number(bytes(range(2, 18)))
    third = o.cipher_key(number(b"\x07" * 16))
    assert third == CipherKey(2)
    assert o.enc(block, third) == number(bytes(range(7, 23))) and o.dec(o.enc(block, third), third) == block
    assert o.cipher_key(number(b"\x09" * 16)) == CipherKey(3)


@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_a_cipher_key_is_the_first_bytes_of_its_blocks(key_bytes: int) -> None:
    blocks = [number(bytes(range(start, start + 16))) for start in (0, 16, 32)]
    o = operations(key_bytes=key_bytes)
    key = o.cipher_key(*blocks)
    assert o.ciphers[key.number].key == bytes(range(key_bytes))


def test_cipher_keys_that_cannot_be() -> None:
    with pytest.raises(DefinitionError, match=r"o.cipher_key\(\) got 16 bytes for a cipher key of 24"):
        operations(key_bytes=24).cipher_key(1)
    with pytest.raises(DefinitionError, match="got 0 bytes"):
        operations().cipher_key()
    with pytest.raises(DefinitionError, match="needs a cipher that takes keys"):
        Numbers(GHASH_ORDER, [Shifted(b"\1")]).cipher_key(1)
