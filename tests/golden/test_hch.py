# SPDX-License-Identifier: Apache-2.0
"""HCH and HCHfp: the lines of tes2010, Fig. 2, with the hash as a sum of powers, and the errata of the hash."""

import random

import pytest
from tests.golden.powers import falling, number, weighted_sum

from modeloom_golden import AES, HCH, HCHfp, ghash_double, ghash_mul
from modeloom_golden.checks import split_blocks, xor


def keyed(name, rng, key_bytes):
    """Mode, cipher, R, Q of a random key and tweak for a number of blocks."""
    key, alpha, tweak = rng.randbytes(key_bytes), rng.randbytes(16), rng.randbytes(16)
    aes = AES(key)
    if name == "hch":
        r = aes.encrypt_block(tweak)
        return HCH(key), tweak, aes, lambda m: (r, aes.encrypt_block(xor(r, number(128 * m))))
    return HCHfp(key + alpha), tweak, aes, lambda m: (alpha, aes.encrypt_block(tweak))


each_mode = pytest.mark.parametrize("name", ["hch", "hchfp"])


@each_mode
@pytest.mark.parametrize("m", [2, 3, 17, 32])
@pytest.mark.parametrize("key_bytes", [16, 32])
def test_lines_of_fig_2(name, m, key_bytes):
    mode, tweak, aes, hash_keys = keyed(name, rng := random.Random(m), key_bytes)
    r, q = hash_keys(m)
    p = split_blocks("data", rng.randbytes(16 * m))
    c = split_blocks("data", mode.encrypt(tweak, b"".join(p)))
    m1 = xor(p[0], q, weighted_sum(r, falling(p[1:], m - 1)))
    u1 = aes.encrypt_block(m1)
    s = aes.encrypt_block(xor(m1, u1))
    assert c[0] == xor(u1, ghash_double(q), weighted_sum(r, falling(c[1:], m - 1)))
    assert c[1:] == [xor(block, aes.encrypt_block(xor(s, number(i)))) for i, block in enumerate(p[1:], 1)]


@each_mode
def test_second_hash_has_xq(name):
    # Fig. 2 prints Q: the first block would be another, and P_1 and C_1 would be masked alike.
    mode, tweak, aes, hash_keys = keyed(name, random.Random(5), 16)
    data = bytes(range(64))
    r, q = hash_keys(4)
    p, c = split_blocks("data", data), split_blocks("data", mode.encrypt(tweak, data))
    u1 = aes.encrypt_block(xor(p[0], q, weighted_sum(r, falling(p[1:], 3))))
    printed = xor(u1, q, weighted_sum(r, falling(c[1:], 3)))
    assert c[0] != printed
    assert xor(c[0], printed) == xor(q, ghash_double(q))


@each_mode
def test_exponents_of_equation_3(name):
    # Printed from p - 1 to 1 for p blocks, so that with two both would have R: their order would not matter to the hash.
    mode, tweak, aes, hash_keys = keyed(name, random.Random(6), 16)
    r, q = hash_keys(3)
    p1, p2, p3 = (bytes([value]) * 16 for value in (1, 2, 3))
    c1, c2, c3 = split_blocks("data", mode.encrypt(tweak, p1 + p2 + p3))

    def hashed(x1, x2):
        return xor(ghash_mul(ghash_mul(x1, r), r), ghash_mul(x2, r))

    u1 = xor(c1, ghash_double(q), hashed(c2, c3))
    m1 = aes.decrypt_block(u1)
    assert m1 == xor(p1, q, hashed(p2, p3))
    assert m1 != xor(p1, q, ghash_mul(p2, r), ghash_mul(p3, r))
    swapped = mode.encrypt(tweak, p1 + p3 + p2)
    # Equal hashes would give equal keystreams.
    assert xor(swapped[16:32], p3) != xor(c2, p2)


def test_length_enters_hch_but_not_hchfp():
    # Q of HCH depends on the length. Leading zero blocks add nothing to the hash, so HCHfp has the same S for both lengths.
    short, long = bytes(range(32)), bytes(range(16)) + bytes(16) + bytes(range(16, 32))
    for name, same in (("hch", False), ("hchfp", True)):
        mode, tweak, _, _ = keyed(name, random.Random(7), 16)
        first_of_short = xor(mode.encrypt(tweak, short)[16:32], short[16:])
        first_of_long = mode.encrypt(tweak, long)[16:32]
        assert (first_of_short == first_of_long) is same


def test_key_layout_is_told():
    with pytest.raises(ValueError, match="HCHfp key must be K ‖ α, more than 16 bytes, not 16"):
        HCHfp(bytes(16))
    with pytest.raises(ValueError, match="AES key must be 16, 24 or 32 bytes, not 17"):
        HCHfp(bytes(33))
