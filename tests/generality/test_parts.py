# SPDX-License-Identifier: Apache-2.0
"""The parts that the wide modes stand on: the field is one, and Quad256 is a block cipher."""

from __future__ import annotations

import random

import pytest
from tests.generality.quad256 import QUAD256, Quad256, QuadPipeline, mix, substitute
from tests.generality.reference import MODULUS, product
from tests.generality.wide_modes import ORDER_256
from tests.kinds import kind, unit_kind

from modeloom.rtl.engine.unit import EngineUnit, UnitCore


def gcd(a: int, b: int) -> int:
    """Greatest common divisor of two polynomials over GF(2)."""
    while b:
        while a.bit_length() >= b.bit_length():
            a ^= b << a.bit_length() - b.bit_length()
        a, b = b, a
    return a


def x_to_the_2_to_the(n: int) -> int:
    """x^(2^n) modulo the field's polynomial."""
    power = 2
    for _ in range(n):
        power = product(power, power)
    return power


def test_the_modulus_is_irreducible():
    """Rabin's test; 2 is the only prime that divides the degree."""
    assert ORDER_256.modulus == MODULUS
    assert x_to_the_2_to_the(256) == 2
    assert gcd(MODULUS, x_to_the_2_to_the(128) ^ 2) == 1


def test_the_field_is_that_of_the_reference():
    rng = random.Random(1)
    for _ in range(20):
        a, b = rng.getrandbits(256), rng.getrandbits(256)
        assert ORDER_256.mul(a, b) == product(a, b)


def test_the_layers_are_permutations():
    rng = random.Random(2)
    for _ in range(20):
        block = rng.getrandbits(256)
        assert substitute(substitute(block)) == block != substitute(block)
        assert mix(mix(block), inverse=True) == block != mix(block)


def test_quad256_is_inverted_by_its_inverse():
    rng = random.Random(3)
    quad, data = Quad256(rng.randbytes(32)), rng.randbytes(3 * 32)
    assert quad.decrypt(quad.encrypt(data)) == data
    assert quad.encrypt(data[32:64]) == quad.encrypt(data)[32:64]
    with pytest.raises(ValueError, match="32 bytes, not 16"):
        Quad256(bytes(16))


@pytest.mark.parametrize("bit", [0, 63, 64, 200, 255])
def test_each_bit_reaches_about_half_of_the_others(bit):
    flip = (1 << bit).to_bytes(32, "little")
    before = int.from_bytes(Quad256(bytes(32)).encrypt(bytes(32)), "little")
    for changed in (Quad256(bytes(32)).encrypt(flip), Quad256(flip).encrypt(bytes(32))):
        assert 90 < (before ^ int.from_bytes(changed, "little")).bit_count() < 166


def test_nothing_of_it_is_that_of_aes():
    from modeloom.ciphers import AES

    key_bits = QUAD256.key_bits[0]
    assert QUAD256.block_bytes != AES.block_bytes and QUAD256.round_key_bits != AES.round_key_bits
    assert QUAD256.round_keys(key_bits) > 16 >= AES.round_keys(256), "its round keys are numbered in more bits"
    assert not QUAD256.sequential and QUAD256.most_stages < AES.most_stages


@pytest.mark.parametrize(
    ("width", "round_bits", "round_key_bits", "message"),
    [
        (128, 5, 256, "^enc: i of QuadPipeline has 256 bits, not 128$"),
        (256, 4, 256, "^enc: key_round of QuadPipeline has 5 bits, not 4$"),
        (256, 5, 128, "^enc: key_data of QuadPipeline has 256 bits, not 128$"),
    ],
)
def test_a_cipher_of_other_widths_is_refused(width, round_bits, round_key_bits, message):
    core = QuadPipeline(False, 1, 1)
    cores, enc = {"enc": UnitCore(core, (kind("enc").operation,))}, unit_kind("enc")
    assert EngineUnit(256, enc, cores, True, True, core.latency, (), 1, 5, 256).keyed
    with pytest.raises(ValueError, match=message):
        EngineUnit(width, enc, cores, True, True, core.latency, (), 1, round_bits, round_key_bits)
