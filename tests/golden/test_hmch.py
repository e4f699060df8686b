# SPDX-License-Identifier: Apache-2.0
"""HMCH: the relations of brw2013, Fig. 10, evaluated apart from the implementation."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modeloom_golden import AES, HMCH, brw, ghash_double, ghash_mul, permutation, poly
from modeloom_golden.checks import split_blocks, xor

KEYS = st.sampled_from([32, 40, 48]).flatmap(lambda size: st.binary(min_size=size, max_size=size))
TWEAKS = st.binary(min_size=16, max_size=16)
SECTORS = st.integers(1, 64).flatmap(lambda m: st.binary(min_size=16 * m, max_size=16 * m))
ONE = b"\x80" + bytes(15)
each_polynomial = pytest.mark.parametrize("polynomial", [brw, poly])


def blocks_of(sector):
    return split_blocks("sector", sector)


@each_polynomial
@settings(deadline=None)
@given(key=KEYS, tweak=TWEAKS, data=SECTORS)
def test_relations_of_fig_10(polynomial, key, tweak, data):
    # The outer hashes alone give M_1 and U_1; everything else must follow from them, in both directions.
    aes, h = AES(key[:-16]), key[-16:]
    mode = HMCH(key, polynomial=polynomial)
    beta = aes.encrypt_block(tweak)
    for plain, cipher in ((data, mode.encrypt(tweak, data)), (mode.decrypt(tweak, data), data)):
        p, c = blocks_of(plain), blocks_of(cipher)
        m1 = xor(p[0], ghash_mul(polynomial(h, p[1:]), h))
        u1 = xor(c[0], ghash_mul(polynomial(h, c[1:]), h))
        assert u1 == aes.encrypt_block(m1)
        x_to_the_i = ONE
        for block_in, block_out in zip(p[1:], c[1:], strict=True):
            # x^(i-2) β_1 + β_1 + x β_1 as one multiple of β_1
            factor = xor(x_to_the_i, ONE, ghash_double(ONE))
            assert xor(block_in, block_out) == aes.encrypt_block(xor(ghash_mul(factor, beta), m1, u1))
            x_to_the_i = ghash_double(x_to_the_i)


@each_polynomial
def test_four_blocks_written_out(polynomial):
    key, tweak = bytes(range(100, 140)), bytes(range(16))
    aes, h = AES(key[:24]), key[24:]
    h2 = ghash_mul(h, h)
    h3 = ghash_mul(h2, h)

    def psi(x1, x2, x3):
        if polynomial is poly:
            return xor(ghash_mul(h3, x1), ghash_mul(h2, x2), ghash_mul(h, x3))
        return ghash_mul(h, xor(ghash_mul(xor(h, x1), xor(h2, x2)), x3))

    p1, p2, p3, p4 = (bytes([value]) * 16 for value in (1, 2, 3, 4))
    beta1 = aes.encrypt_block(tweak)
    beta2 = ghash_double(beta1)
    m1 = xor(p1, psi(p2, p3, p4))
    u1 = aes.encrypt_block(m1)
    c2 = xor(p2, aes.encrypt_block(xor(m1, u1, beta2)))  # β_1 + S: β_1 cancels
    c3 = xor(p3, aes.encrypt_block(xor(m1, u1, beta1)))  # β_2 + S
    c4 = xor(p4, aes.encrypt_block(xor(m1, u1, beta1, beta2, ghash_double(beta2))))
    c1 = xor(u1, psi(c2, c3, c4))
    mode = HMCH(key, polynomial=polynomial)
    assert mode.encrypt(tweak, p1 + p2 + p3 + p4) == c1 + c2 + c3 + c4
    assert mode.decrypt(tweak, c1 + c2 + c3 + c4) == p1 + p2 + p3 + p4


@given(key=KEYS, tweak=TWEAKS, data=st.binary(min_size=32, max_size=32))
def test_one_hashed_block_is_the_same_for_both_polynomials(key, tweak, data):
    # BRW_h(X_1) = Poly_h(X_1) = X_1.
    assert HMCH(key).encrypt(tweak, data) == HMCH(key, polynomial=poly).encrypt(tweak, data)


@each_polynomial
@given(key=KEYS, tweak=TWEAKS, block=TWEAKS)
def test_one_block_is_one_call_of_the_cipher(polynomial, key, tweak, block):
    assert HMCH(key, polynomial=polynomial).encrypt(tweak, block) == AES(key[:-16]).encrypt_block(block)


@each_polynomial
@settings(deadline=None)
@given(key=KEYS, tweak=TWEAKS, other=TWEAKS, data=SECTORS)
def test_tweak_does_not_reach_u_1(polynomial, key, tweak, other, data):
    # A weakness of the mode as printed, stated in the module's docstring: not a property to rely on.
    h = key[-16:]
    mode = HMCH(key, polynomial=polynomial)
    c, d = blocks_of(mode.encrypt(tweak, data)), blocks_of(mode.encrypt(other, data))
    assert xor(c[0], d[0]) == ghash_mul(h, xor(polynomial(h, c[1:]), polynomial(h, d[1:])))


def test_permutation_reorders_the_hashed_blocks():
    # Section 4.2: hBRW(P_{π(1)+1}, …, P_{π(31)+1}) in the place of ψ_h(P_2, …, P_32).
    key, tweak, data = bytes(range(32)), bytes(16), bytes(range(256)) * 2
    aes, h, pi = AES(key[:16]), key[16:], permutation(31)
    sealed = HMCH(key, pi).encrypt(tweak, data)
    assert sealed != HMCH(key).encrypt(tweak, data)
    assert HMCH(key, pi).decrypt(tweak, sealed) == data
    p, c = blocks_of(data), blocks_of(sealed)
    m1, u1 = (xor(x[0], ghash_mul(h, brw(h, [x[i] for i in pi]))) for x in (p, c))  # x[i] is block i + 1
    assert aes.encrypt_block(m1) == u1


def test_no_block_is_refused():
    with pytest.raises(ValueError, match="at least 1 block of 16 bytes, not 0"):
        HMCH(bytes(32)).encrypt(bytes(16), b"")
