# SPDX-License-Identifier: Apache-2.0
"""Deoxys-BC-256: directions are inverse, rounds are those of AES, the schedule of key and tweak is the specification's."""

from random import Random

import pytest
from tests.golden.relations import flipped

from modeloom_golden import DeoxysBC256, aes_steps
from modeloom_golden.checks import xor
from modeloom_golden.deoxys_bc import H, key_parts, lfsr_2, permute, round_constant, tweak_parts

PRINTED_RCON = "2f5ebc63c697356ad4b37dfaefc591"
"""rcon_0 to rcon_14, as the specification prints them."""


def test_directions_are_inverse_under_every_bit_of_key_and_tweak():
    random = Random(1)
    key, tweak, block = (random.randbytes(16) for _ in range(3))
    seen = set()
    for bit in range(128):
        for cipher, its_tweak in ((DeoxysBC256(flipped(key, bit)), tweak), (DeoxysBC256(key), flipped(tweak, bit))):
            seen.add(result := cipher.encrypt_block(block, its_tweak))
            assert cipher.decrypt_block(result, its_tweak) == block
            assert cipher.encrypt_block(cipher.decrypt_block(block, its_tweak), its_tweak) == block
    assert len(seen) == 256


def test_rounds_are_those_of_aes_with_mixcolumns_in_all():
    random = Random(2)
    for _ in range(5):
        cipher, tweak, block = DeoxysBC256(random.randbytes(16)), random.randbytes(16), random.randbytes(16)
        first, *others = cipher.subtweakeys(tweak)
        state = xor(block, first)
        for subtweakey in others:
            state = aes_steps.encrypt_round(state, subtweakey)
        assert len(others) == 14
        assert cipher.encrypt_block(block, tweak) == state


def test_round_constants():
    assert bytes(round_constant(i)[4] for i in range(15)).hex() == PRINTED_RCON
    assert round_constant(14).hex() == "01020408" + "91" * 4 + "00" * 8


def steps_back(word, step):
    """How many steps lead from *word* to itself."""
    reached, steps = step(word), 1
    while reached != word:
        reached, steps = step(reached), steps + 1
    return steps


def test_lfsr():
    """Its characteristic polynomial is x^8 + x^2 + 1, the square of the primitive x^4 + x + 1: all states have periods that divide 30."""
    assert lfsr_2(b"\0\x80\x20\xa0") == b"\0\x01\x41\x40"
    assert {steps_back(bytes([x]), lfsr_2) for x in range(256)} == {1, 15, 30}
    assert len({lfsr_2(bytes([x])) for x in range(256)}) == 256


def test_permutation():
    assert sorted(H) == list(range(16))
    assert permute(bytes(range(16))) == bytes(H)
    assert steps_back(bytes(range(16)), permute) == 8


def test_a_tweak_permutes_and_nothing_else():
    tweak = Random(3).randbytes(16)
    parts = tweak_parts(tweak)
    assert len(parts) == len(key_parts(bytes(16))) == 15
    assert parts[0] == tweak and all(later == permute(earlier) for earlier, later in zip(parts, parts[1:], strict=False))
    assert key_parts(bytes(16)) == [round_constant(i) for i in range(15)]


def test_what_is_refused():
    for key in (b"", bytes(15), bytes(32)):
        with pytest.raises(ValueError, match="Deoxys-BC-256 key must be 16 bytes"):
            DeoxysBC256(key)
    with pytest.raises(TypeError, match="Deoxys-BC-256 key must be bytes"):
        DeoxysBC256("key")
    cipher = DeoxysBC256(bytes(16))
    for call in (cipher.encrypt_block, cipher.decrypt_block):
        for block, tweak, name in ((bytes(15), bytes(16), "block"), (bytes(16), bytes(17), "tweak")):
            with pytest.raises(ValueError, match=f"{name} must be 16 bytes"):
                call(block, tweak)
