# SPDX-License-Identifier: Apache-2.0
"""EME: EME-32-AES of the IEEE 1619 list, tes2010 Fig. 2 written out, and what is refused."""

import pytest
from tests.golden.relations import check_diffusion, check_inversion, check_published_vectors, doubled

from modeloom_golden import AES, EME
from modeloom_golden.checks import xor

TWEAK = bytes(range(16))


def test_published_vectors_both_directions():
    assert check_published_vectors("eme") == 2


@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_decryption_inverts_encryption(key_bytes):
    keyed = EME(bytes(range(key_bytes)))
    for blocks in [*range(1, 20), 127, 128]:
        check_inversion(keyed, TWEAK, bytes(range(16)) * blocks)


def test_every_bit_reaches_every_block():
    check_diffusion(EME(bytes(range(16))), TWEAK, [16, 32, 48, 512, 2048])


def test_three_blocks_written_out():
    key = bytes(range(100, 116))
    e = AES(key).encrypt_block
    p1, p2, p3 = (bytes([value]) * 16 for value in (1, 2, 3))
    l1 = doubled(e(bytes(16)))
    l2 = doubled(l1)
    l3 = doubled(l2)
    ppp1, ppp2, ppp3 = e(xor(p1, l1)), e(xor(p2, l2)), e(xor(p3, l3))
    mp = xor(ppp1, ppp2, ppp3, TWEAK)
    mc = e(mp)
    m = xor(mp, mc)
    ccc2, ccc3 = xor(ppp2, doubled(m)), xor(ppp3, doubled(doubled(m)))
    ccc1 = xor(mc, ccc2, ccc3, TWEAK)
    expected = xor(e(ccc1), l1) + xor(e(ccc2), l2) + xor(e(ccc3), l3)
    assert EME(key).encrypt(TWEAK, p1 + p2 + p3) == expected


def test_one_block_is_three_calls():
    key, p = bytes(16), bytes(range(16))
    e = AES(key).encrypt_block
    mask = doubled(e(bytes(16)))
    inner = e(xor(e(xor(p, mask)), TWEAK))
    assert EME(key).encrypt(TWEAK, p) == xor(e(xor(inner, TWEAK)), mask)


def test_what_is_refused():
    keyed = EME(bytes(32))
    for call in (keyed.encrypt, keyed.decrypt):
        with pytest.raises(ValueError, match="at most 128 blocks, not 129: the masks .* linearly dependent"):
            call(TWEAK, bytes(16 * 129))
        with pytest.raises(ValueError, match="at least 1 block of 16 bytes, not 0"):
            call(TWEAK, b"")
        with pytest.raises(ValueError, match="whole blocks"):
            call(TWEAK, bytes(31))
        with pytest.raises(ValueError, match="tweak must be 16 bytes, not 15"):
            call(bytes(15), bytes(32))
        with pytest.raises(TypeError, match="must be bytes"):
            call(TWEAK, "text")
    with pytest.raises(ValueError, match="AES key must be"):
        EME(bytes(20))
