# SPDX-License-Identifier: Apache-2.0
"""CMC, of which no vectors are published: both passes against CBC of the ``cryptography`` package."""

from itertools import pairwise

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st
from tests.golden.relations import check_diffusion, check_inversion, doubled

from modeloom_golden import AES, CMC
from modeloom_golden.checks import split_blocks, xor

TWEAK = bytes(range(16))


def cbc(key, iv, data):
    return split_blocks("CBC", Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor().update(data))


@given(
    key=st.sampled_from([32, 48, 64]).flatmap(lambda size: st.binary(min_size=size, max_size=size)),
    tweak=st.binary(min_size=16, max_size=16),
    data=st.integers(2, 40).flatmap(lambda m: st.binary(min_size=16 * m, max_size=16 * m)),
)
def test_cbc_mask_cbc(key, tweak, data):
    # The passes of a ciphertext by decryption meet those of the plaintext, reversed, in one mask.
    half = len(key) // 2
    k, k2 = key[:half], key[half:]
    t = AES(k2).encrypt_block(tweak)
    ppp = cbc(k, t, data)
    c = split_blocks("ciphertext", CMC(key).encrypt(tweak, data))
    c[0] = xor(c[0], t)
    ccc = [bytes(16)]
    for block in c:
        ccc.append(AES(k).decrypt_block(xor(block, ccc[-1])))
    mask = doubled(xor(ppp[0], ppp[-1]))
    assert ccc[1:] == [xor(block, mask) for block in reversed(ppp)]
    # The other way: the sum of neighbours is what the cipher gives.
    assert [AES(k).encrypt_block(block) for block in ccc[1:]] == [
        xor(block, before) for block, (before, _) in zip(c, pairwise(ccc), strict=True)
    ]


def test_two_blocks_written_out():
    key, p1, p2 = bytes(range(32)), bytes(16), b"\x01" * 16
    e = AES(key[:16]).encrypt_block
    t = AES(key[16:]).encrypt_block(TWEAK)
    ppp1 = e(xor(p1, t))
    ppp2 = e(xor(p2, ppp1))
    m = doubled(xor(ppp1, ppp2))
    ccc1, ccc2 = xor(ppp2, m), xor(ppp1, m)
    ciphertext = xor(e(ccc1), t) + xor(e(ccc2), ccc1)
    assert CMC(key).encrypt(TWEAK, p1 + p2) == ciphertext
    assert CMC(key).decrypt(TWEAK, ciphertext) == p1 + p2


@pytest.mark.parametrize("key_bytes", [32, 48, 64])
def test_decryption_inverts_encryption(key_bytes):
    keyed = CMC(bytes(range(key_bytes)))
    for blocks in [*range(2, 20), 32, 128, 129, 300]:
        check_inversion(keyed, TWEAK, bytes(range(16)) * blocks)


def test_every_bit_reaches_every_block():
    check_diffusion(CMC(bytes(range(32))), TWEAK, [32, 48, 512, 4096])


def test_what_is_refused():
    keyed = CMC(bytes(32))
    for call in (keyed.encrypt, keyed.decrypt):
        for blocks in (0, 1):
            with pytest.raises(ValueError, match=f"at least 2 blocks of 16 bytes, not {blocks}"):
                call(TWEAK, bytes(16 * blocks))
        with pytest.raises(ValueError, match="whole blocks"):
            call(TWEAK, bytes(40))
        with pytest.raises(ValueError, match="tweak must be 16 bytes"):
            call(b"", bytes(32))
        with pytest.raises(TypeError, match="must be bytes"):
            call(TWEAK, "text")
    with pytest.raises(ValueError, match="two keys of equal length, not 33 bytes"):
        CMC(bytes(33))
    with pytest.raises(ValueError, match="AES key must be 16, 24 or 32 bytes, not 8"):
        CMC(bytes(16))
    with pytest.raises(TypeError, match="CMC key must be bytes"):
        CMC("text")
