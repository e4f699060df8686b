# SPDX-License-Identifier: Apache-2.0
"""LED: the examples of its specification, and a second reference that was written from the specification in another manner."""

import random

import pytest
from tests.golden import led_bits

from modeloom import vectors
from modeloom_golden.led import LED, SBOX, A, multiply, round_constants

MATRIX = ((0x4, 0x1, 0x2, 0x2), (0x8, 0x6, 0x5, 0x6), (0xB, 0xE, 0xA, 0x9), (0x2, 0x2, 0xF, 0xB))
"""A^4, as the specification prints it."""


@pytest.mark.parametrize("name", ["led64", "led128"])
def test_published_examples(name):
    tests = vectors.load(name)["tests"]
    assert len(tests) == 2
    for test in tests:
        key, pt, ct = (bytes.fromhex(test[member]) for member in ("key", "pt", "ct"))
        assert LED(key).encrypt_block(pt) == led_bits.encrypt(key, pt) == ct
        assert LED(key).decrypt_block(ct) == pt


@pytest.mark.parametrize("key_bytes", [8, 16])
def test_both_references_agree(key_bytes):
    rng = random.Random(key_bytes)
    edges = [(bytes([key]) * key_bytes, bytes([text]) * 8) for key in (0, 255) for text in (0, 255)]
    for key, block in [*edges, *((rng.randbytes(key_bytes), rng.randbytes(8)) for _ in range(300))]:
        cipher = LED(key)
        result = cipher.encrypt_block(block)
        assert result == led_bits.encrypt(key, block)
        assert cipher.decrypt_block(result) == block


def test_key_sizes_differ_in_more_than_the_number_of_rounds():
    """The revised constants depend on the key size: equal halves are another cipher than LED-64 with more rounds."""
    half = bytes(range(8))
    assert (LED(half).rounds, LED(half + half).rounds) == (32, 48)
    one, two = (led_bits.constant(led_bits.RC[0], bits) for bits in (64, 128))
    assert one ^ two == 0xC000_C000_0000_0000


def test_tables():
    assert sorted(SBOX) == list(range(16))
    assert bytes(round_constants(48)) == led_bits.RC
    power = [[int(row == column) for column in range(4)] for row in range(4)]
    for _ in range(4):
        power = [[_dot(row, [other[column] for other in power]) for column in range(4)] for row in A]
    assert tuple(map(tuple, power)) == MATRIX


def _dot(row, column):
    total = 0
    for a, b in zip(row, column, strict=True):
        total ^= multiply(a, b)
    return total


def test_what_is_refused():
    for size in (0, 7, 10, 15, 17):
        with pytest.raises(ValueError, match=f"LED key must be 8 or 16 bytes, not {size}"):
            LED(bytes(size))
    with pytest.raises(TypeError, match="LED key must be bytes"):
        LED("0" * 8)
    for call in (LED(bytes(8)).encrypt_block, LED(bytes(8)).decrypt_block):
        with pytest.raises(ValueError, match="block must be 8 bytes, not 16"):
            call(bytes(16))
