# SPDX-License-Identifier: Apache-2.0
"""HCTR: published vectors with SM4, the lines of tes2010, Fig. 2, with equation (1) as a sum of powers, and partial blocks."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.golden.powers import falling, number, power, weighted_sum
from tests.golden.relations import check_inversion, check_vectors

from modeloom import vectors
from modeloom_golden import AES, HCTR, SM4, ghash_mul
from modeloom_golden.checks import split_blocks, xor


def test_published_vectors_both_directions():
    tests = vectors.for_mode("hctr", "sm4")
    assert len(tests) == 2
    check_vectors(tests, lambda key: HCTR(key, SM4))
    for test in tests:
        key, tweak, pt = (bytes.fromhex(test[name]) for name in ("key", "tweak", "pt"))
        assert HCTR(key).encrypt(tweak, pt).hex() != test["ct"]


@pytest.mark.parametrize("m", [1, 2, 3, 17, 32])
@pytest.mark.parametrize("key_bytes", [16, 32])
def test_lines_of_fig_2(m, key_bytes):
    rng = random.Random(m)
    key, h, tweak = rng.randbytes(key_bytes), rng.randbytes(16), rng.randbytes(16)
    aes, mode = AES(key), HCTR(key + h)
    p = split_blocks("data", rng.randbytes(16 * m))
    c = split_blocks("data", mode.encrypt(tweak, b"".join(p)))

    def hashed(blocks):
        # m blocks are hashed, the tweak among them: exponents m + 1 … 2, and 1 for the length.
        return weighted_sum(h, [*falling([*blocks, tweak], m + 1), (number(128 * m), 1)])

    mm = xor(p[0], hashed(p[1:]))
    cc = aes.encrypt_block(mm)
    s = xor(mm, cc)
    assert c[0] == xor(cc, hashed(c[1:]))
    assert c[1:] == [xor(block, aes.encrypt_block(xor(s, number(i)))) for i, block in enumerate(p[1:], 1)]


@settings(deadline=None)
@given(
    key=st.sampled_from([32, 40, 48]).flatmap(lambda size: st.binary(min_size=size, max_size=size)),
    tweak=st.binary(max_size=50),
    data=st.binary(min_size=16, max_size=200),
)
def test_decryption_inverts_encryption(key, tweak, data):
    check_inversion(HCTR(key), tweak, data)


def test_partial_block_and_odd_tweak_written_out():
    # 3 bytes of rest and 14 of tweak: 17 bytes without a gap, padded to two blocks, 136 bits.
    key, h = bytes(range(16)), bytes(range(100, 116))
    tweak, data = bytes(range(200, 214)), bytes(range(19))
    aes = AES(key)

    def hashed(rest):
        joined = rest + tweak
        first, last = joined[:16], joined[16:] + bytes(15)
        return xor(ghash_mul(first, power(h, 3)), ghash_mul(last, power(h, 2)), ghash_mul(number(136), h))

    mm = xor(data[:16], hashed(data[16:]))
    cc = aes.encrypt_block(mm)
    rest = xor(data[16:], aes.encrypt_block(xor(mm, cc, number(1)))[:3])
    assert HCTR(key + h).encrypt(tweak, data) == xor(cc, hashed(rest)) + rest


def test_one_block_without_tweak_is_the_cipher():
    # Equation (1) of no blocks is bin(0) h = 0.
    key, data = bytes(range(32)), bytes(range(16))
    assert HCTR(key).encrypt(b"", data) == AES(key[:16]).encrypt_block(data)


def test_padding_does_not_confuse_tweaks():
    # Only the length block tells these tweaks apart.
    mode, data = HCTR(bytes(range(32))), bytes(40)
    sealed = {mode.encrypt(bytes(length), data) for length in range(8)}
    assert len(sealed) == 8


def test_what_is_refused():
    with pytest.raises(ValueError, match="HCTR key must be K ‖ h, more than 16 bytes, not 16"):
        HCTR(bytes(16))
    for length in (0, 1, 15):
        for call in (HCTR(bytes(32)).encrypt, HCTR(bytes(32)).decrypt):
            with pytest.raises(ValueError, match=f"HCTR data must be at least 16 bytes, not {length}"):
                call(bytes(16), bytes(length))
