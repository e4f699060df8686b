# SPDX-License-Identifier: Apache-2.0
"""TET: the lines of tes2010, Fig. 2, with the hash as a sum of powers, and the erratum of σ."""

import random

import pytest
from tests.golden.powers import ONE, falling, power, weighted_sum

from modeloom_golden import AES, TET, ghash_inverse, ghash_mul
from modeloom_golden.checks import split_blocks, xor

# A root of 1 + τ + τ^2: a^((2^128 - 1) / 3) for an a that is no cube.
CUBE_ROOT_OF_ONE = power(b"\x40" + bytes(15), (2**128 - 1) // 3)


def sum_of_powers(tau, exponents):
    return xor(bytes(16), *(power(tau, i) for i in exponents))


def hash_layer(tau, blocks, exponents):
    """PP of the blocks P, with σ as the sum of τ^i over *exponents*."""
    total = weighted_sum(tau, falling(blocks, len(blocks)))
    total = ghash_mul(total, ghash_inverse(sum_of_powers(tau, exponents)))
    return [xor(block, total) for block in blocks]


@pytest.mark.parametrize("m", [1, 2, 3, 17, 32])
@pytest.mark.parametrize("key_bytes", [16, 32])
def test_lines_of_fig_2(m, key_bytes):
    rng = random.Random(m)
    k1, k2, tau, tweak = rng.randbytes(key_bytes), rng.randbytes(key_bytes), rng.randbytes(16), rng.randbytes(16)
    data = rng.randbytes(16 * m)
    times_x = b"\x40" + bytes(15)
    x = AES(k1).encrypt_block((128 * m).to_bytes(16, "big"))
    beta = AES(k1).encrypt_block(xor(tweak, ghash_mul(times_x, x)))
    masks = [ghash_mul(beta, power(times_x, i)) for i in range(m)]
    pp = hash_layer(tau, split_blocks("data", data), range(m + 1))
    cc = [xor(AES(k2).encrypt_block(xor(block, mask)), mask) for block, mask in zip(pp, masks, strict=True)]
    c = hash_layer(tau, cc, range(m + 1))
    mode = TET(k1 + k2 + tau)
    assert mode.encrypt(tweak, data) == b"".join(c)
    assert mode.decrypt(tweak, b"".join(c)) == data


@pytest.mark.parametrize("m", [2, 3, 4])
def test_printed_sigma_loses_the_sum_for_every_tau(m):
    # σ = τ + … + τ^m: sectors that differ by one block added to all have the same image, for each τ that has an inverse σ.
    rng = random.Random(m)
    for tau in (b"\x40" + bytes(15), *(rng.randbytes(16) for _ in range(5))):
        p = [rng.randbytes(16) for _ in range(m)]
        other = [xor(block, b"\x2b" * 16) for block in p]
        assert hash_layer(tau, p, range(1, m + 1)) == hash_layer(tau, other, range(1, m + 1))
        assert hash_layer(tau, p, range(m + 1)) != hash_layer(tau, other, range(m + 1))
        # What the right σ keeps: the sum of the image is the block that was added.
        pp = hash_layer(tau, p, range(m + 1))
        assert xor(p[0], pp[0]) == weighted_sum(tau, falling(pp, m))
        mode = TET(bytes(range(32)) + tau)
        assert mode.encrypt(bytes(16), b"".join(p)) != mode.encrypt(bytes(16), b"".join(other))


@pytest.mark.parametrize(
    ("tau", "refused"),
    [(ONE, {1, 3, 5, 7}), (CUBE_ROOT_OF_ONE, {2, 5}), (b"\x40" + bytes(15), set())],
    ids=["one", "cube root of one", "x"],
)
def test_tau_with_sigma_zero_is_refused(tau, refused):
    mode = TET(bytes(range(32)) + tau)
    for m in range(1, 8):
        assert (m in refused) is not any(sum_of_powers(tau, range(m + 1)))
        data = bytes(range(16)) * m
        if m not in refused:
            assert mode.decrypt(bytes(16), mode.encrypt(bytes(16), data)) == data
            continue
        for call in (mode.encrypt, mode.decrypt):
            with pytest.raises(ValueError, match=rf"τ\^{m} = 0, so it cannot encrypt sectors of {m} blocks"):
                call(bytes(16), data)


def test_tau_for_which_only_the_printed_sigma_is_zero():
    # τ = 1 with two blocks: τ + τ^2 = 0, while 1 + τ + τ^2 = 1 serves.
    assert not any(sum_of_powers(ONE, (1, 2)))
    mode, data = TET(bytes(range(32)) + ONE), bytes(range(32))
    assert mode.decrypt(bytes(16), mode.encrypt(bytes(16), data)) == data


def test_key_layout_is_told():
    with pytest.raises(ValueError, match="TET key must be K_1 ‖ K_2 ‖ τ, more than 16 bytes, not 16"):
        TET(bytes(16))
    with pytest.raises(ValueError, match="K_1 and K_2 of one length, not 33 bytes ‖ τ"):
        TET(bytes(49))
    with pytest.raises(ValueError, match="AES key must be 16, 24 or 32 bytes, not 20"):
        TET(bytes(56))
