# SPDX-License-Identifier: Apache-2.0
"""HEH[BRW]: inversion, and the relations of brw2013, Fig. 9, evaluated apart from the implementation."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modeloom.golden import AES, HEH, brw, ghash_double, ghash_mul, permutation
from modeloom.golden.checks import split_blocks, xor

KEYS = st.sampled_from([32, 40, 48]).flatmap(lambda size: st.binary(min_size=size, max_size=size))
TWEAKS = st.binary(min_size=16, max_size=16)
SECTORS = st.integers(2, 64).flatmap(lambda m: st.binary(min_size=16 * m, max_size=16 * m))


def pi_of_three_stages(hashed_blocks):
    return permutation(hashed_blocks, 3)


@settings(deadline=None)
@given(key=KEYS, tweak=TWEAKS, data=SECTORS, order=st.sampled_from([None, pi_of_three_stages]))
def test_decryption_inverts_encryption(key, tweak, data, order):
    mode = HEH(key, order)
    sealed = mode.encrypt(tweak, data)
    assert len(sealed) == len(data)
    assert mode.decrypt(tweak, sealed) == data
    assert mode.encrypt(tweak, mode.decrypt(tweak, data)) == data


@settings(deadline=None)
@given(key=KEYS, tweak=TWEAKS, data=SECTORS)
def test_relations_of_fig_9(key, tweak, data):
    # With U and V from the two outer hashes, each block is one call of the cipher between masks x^i β.
    aes, h = AES(key[:-16]), key[-16:]
    p, c = (split_blocks("sector", sector) for sector in (data, HEH(key).encrypt(tweak, data)))
    beta1 = aes.encrypt_block(tweak)
    beta2 = ghash_double(beta1)
    u = xor(p[-1], ghash_mul(brw(h, p[:-1]), h))
    v = xor(c[-1], ghash_mul(brw(h, c[:-1]), h))
    assert aes.encrypt_block(xor(u, beta1)) == xor(v, beta2)
    x_to_the_i = b"\x80" + bytes(15)
    for block_in, block_out in zip(p[:-1], c[:-1], strict=True):
        x_to_the_i = ghash_double(x_to_the_i)
        inner = aes.encrypt_block(xor(block_in, u, ghash_mul(x_to_the_i, beta1)))
        assert block_out == xor(inner, v, ghash_mul(x_to_the_i, beta2))


def test_three_blocks_written_out():
    key, tweak = bytes(range(100, 132)), bytes(range(16))
    aes, h = AES(key[:16]), key[16:]
    p1, p2, p3 = (bytes([value]) * 16 for value in (1, 2, 3))
    beta1 = aes.encrypt_block(tweak)
    beta2 = xbeta1 = ghash_double(beta1)
    xbeta2 = x2beta1 = ghash_double(beta2)
    x2beta2 = ghash_double(x2beta1)
    h2 = ghash_mul(h, h)
    u = xor(p3, ghash_mul(h2, p2), ghash_mul(h, p1))
    v = xor(aes.encrypt_block(xor(u, beta1)), beta2)
    c1 = xor(aes.encrypt_block(xor(p1, u, xbeta1)), xbeta2, v)
    c2 = xor(aes.encrypt_block(xor(p2, u, x2beta1)), x2beta2, v)
    c3 = xor(v, ghash_mul(h2, c2), ghash_mul(h, c1))
    assert HEH(key).encrypt(tweak, p1 + p2 + p3) == c1 + c2 + c3


@pytest.mark.parametrize("order", [None, pi_of_three_stages])
def test_every_bit_of_input_reaches_every_block(order):
    mode = HEH(bytes(range(48)), order)
    tweak, data = bytes(16), bytes(range(128))
    sealed = split_blocks("sector", mode.encrypt(tweak, data))
    for bit in (0, 300, 700, 1023):
        changed = (int.from_bytes(data, "little") ^ 1 << bit).to_bytes(128, "little")
        other = split_blocks("sector", mode.encrypt(tweak, changed))
        assert all(a != b for a, b in zip(sealed, other, strict=True))
    other = split_blocks("sector", mode.encrypt(b"\x01" + bytes(15), data))
    assert all(a != b for a, b in zip(sealed, other, strict=True))


def test_permutation_reorders_the_hashed_blocks():
    # Fig. 9 with hBRW(P_π(1), …, P_π(31)): U shows in the relation of the last block.
    key, tweak = bytes(range(32)), bytes(16)
    data = bytes(range(256)) * 2
    pi = permutation(31)
    sealed = HEH(key, pi).encrypt(tweak, data)
    assert sealed == HEH(key, pi_of_three_stages).encrypt(tweak, data)
    assert sealed != HEH(key).encrypt(tweak, data)
    aes, h = AES(key[:16]), key[16:]
    p, c = split_blocks("sector", data), split_blocks("sector", sealed)
    beta1 = aes.encrypt_block(tweak)
    u = xor(p[31], ghash_mul(h, brw(h, [p[i - 1] for i in pi])))
    v = xor(c[31], ghash_mul(h, brw(h, [c[i - 1] for i in pi])))
    assert aes.encrypt_block(xor(u, beta1)) == xor(v, ghash_double(beta1))


def test_identity_permutation_is_the_natural_order():
    data = bytes(range(64))
    assert HEH(bytes(32), (1, 2, 3)).encrypt(bytes(16), data) == HEH(bytes(32)).encrypt(bytes(16), data)


@pytest.mark.parametrize("key_bytes", [16, 31, 33, 64])
def test_wrong_key_length(key_bytes):
    with pytest.raises(ValueError, match="32, 40 or 48 bytes"):
        HEH(bytes(key_bytes))


def test_what_is_refused():
    mode = HEH(bytes(32))
    for call in (mode.encrypt, mode.decrypt):
        with pytest.raises(ValueError, match="whole blocks"):
            call(bytes(16), bytes(40))
        with pytest.raises(ValueError, match="at least 2 blocks"):
            call(bytes(16), bytes(16))
        with pytest.raises(ValueError, match="tweak must be 16 bytes"):
            call(bytes(8), bytes(32))
    with pytest.raises(ValueError, match="each of 1 to 3 once"):
        HEH(bytes(32), (1, 2, 2))
    with pytest.raises(ValueError, match="for 31 hashed blocks, the data has 15"):
        HEH(bytes(32), permutation(31)).encrypt(bytes(16), bytes(256))
