# SPDX-License-Identifier: Apache-2.0
"""HEH: the relations of brw2013, Fig. 9, evaluated apart from the implementation."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modeloom_golden import AES, HEH, brw, ghash_double, ghash_mul, permutation, poly
from modeloom_golden.checks import split_blocks, xor

KEYS = st.sampled_from([32, 40, 48]).flatmap(lambda size: st.binary(min_size=size, max_size=size))
TWEAKS = st.binary(min_size=16, max_size=16)
SECTORS = st.integers(2, 64).flatmap(lambda m: st.binary(min_size=16 * m, max_size=16 * m))
each_polynomial = pytest.mark.parametrize("polynomial", [brw, poly])


def pi_of_three_stages(hashed_blocks):
    return permutation(hashed_blocks, 3)


@each_polynomial
@settings(deadline=None)
@given(key=KEYS, tweak=TWEAKS, data=SECTORS)
def test_relations_of_fig_9(polynomial, key, tweak, data):
    # With U and V from the two outer hashes, each block is one call of the cipher between masks x^i β.
    aes, h = AES(key[:-16]), key[-16:]
    sealed = HEH(key, polynomial=polynomial).encrypt(tweak, data)
    p, c = (split_blocks("sector", sector) for sector in (data, sealed))
    beta1 = aes.encrypt_block(tweak)
    beta2 = ghash_double(beta1)
    u = xor(p[-1], ghash_mul(polynomial(h, p[:-1]), h))
    v = xor(c[-1], ghash_mul(polynomial(h, c[:-1]), h))
    assert aes.encrypt_block(xor(u, beta1)) == xor(v, beta2)
    x_to_the_i = b"\x80" + bytes(15)
    for block_in, block_out in zip(p[:-1], c[:-1], strict=True):
        x_to_the_i = ghash_double(x_to_the_i)
        inner = aes.encrypt_block(xor(block_in, u, ghash_mul(x_to_the_i, beta1)))
        assert block_out == xor(inner, v, ghash_mul(x_to_the_i, beta2))


@each_polynomial
def test_three_blocks_written_out(polynomial):
    key, tweak = bytes(range(100, 132)), bytes(range(16))
    aes, h = AES(key[:16]), key[16:]
    h2 = ghash_mul(h, h)

    def psi(x1, x2):
        # hBRW = h(X_2 h + X_1), hPoly = h(X_1 h + X_2)
        high, low = (x1, x2) if polynomial is poly else (x2, x1)
        return xor(ghash_mul(h2, high), ghash_mul(h, low))

    p1, p2, p3 = (bytes([value]) * 16 for value in (1, 2, 3))
    beta1 = aes.encrypt_block(tweak)
    beta2 = xbeta1 = ghash_double(beta1)
    xbeta2 = x2beta1 = ghash_double(beta2)
    x2beta2 = ghash_double(x2beta1)
    u = xor(p3, psi(p1, p2))
    v = xor(aes.encrypt_block(xor(u, beta1)), beta2)
    c1 = xor(aes.encrypt_block(xor(p1, u, xbeta1)), xbeta2, v)
    c2 = xor(aes.encrypt_block(xor(p2, u, x2beta1)), x2beta2, v)
    c3 = xor(v, psi(c1, c2))
    mode = HEH(key, polynomial=polynomial)
    assert mode.encrypt(tweak, p1 + p2 + p3) == c1 + c2 + c3
    assert mode.decrypt(tweak, c1 + c2 + c3) == p1 + p2 + p3


@given(key=KEYS, tweak=TWEAKS, data=st.binary(min_size=32, max_size=32))
def test_one_hashed_block_is_the_same_for_both_polynomials(key, tweak, data):
    # BRW_h(X_1) = Poly_h(X_1) = X_1.
    assert HEH(key).encrypt(tweak, data) == HEH(key, polynomial=poly).encrypt(tweak, data)


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


@each_polynomial
def test_one_block_is_refused(polynomial):
    mode = HEH(bytes(32), polynomial=polynomial)
    for call in (mode.encrypt, mode.decrypt):
        with pytest.raises(ValueError, match="at least 2 blocks of 16 bytes, not 1"):
            call(bytes(16), bytes(16))
