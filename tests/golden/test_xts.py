# SPDX-License-Identifier: Apache-2.0
"""XTS: IEEE 1619, Botan's and Gladman's vectors, the ``cryptography`` package, and which blocks a bit reaches."""

from random import Random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from tests.golden.relations import check_inversion, check_published_vectors, doubled, flipped, same_blocks

from modeloom_golden import AES, XTS
from modeloom_golden.checks import xor

TWEAK = bytes(range(16))


def test_published_vectors_both_directions():
    assert check_published_vectors("xts") == 223 + 185


@pytest.mark.parametrize("key_bytes", [32, 64])
def test_the_cryptography_package_agrees(key_bytes):
    random = Random(key_bytes)
    for size in [*range(16, 100), 512, 4095, 4096]:
        key, tweak, data = random.randbytes(key_bytes), random.randbytes(16), random.randbytes(size)
        cipher = Cipher(algorithms.AES(key), modes.XTS(tweak))
        assert XTS(key).encrypt(tweak, data) == cipher.encryptor().update(data)
        assert XTS(key).decrypt(tweak, data) == cipher.decryptor().update(data)


def test_three_bytes_stolen_with_aes_192():
    # Section 5.3.2, for the key length that neither the standard nor the package has.
    key, data = bytes(range(48)), bytes(range(100, 119))
    e = AES(key[:24]).encrypt_block
    mask0 = AES(key[24:]).encrypt_block(TWEAK)
    mask1 = doubled(mask0)
    cc = xor(e(xor(data[:16], mask0)), mask0)
    expected = xor(e(xor(data[16:] + cc[3:], mask1)), mask1) + cc[:3]
    assert XTS(key).encrypt(TWEAK, data) == expected
    assert XTS(key).decrypt(TWEAK, expected) == data


@pytest.mark.parametrize("key_bytes", [32, 48, 64])
def test_decryption_inverts_encryption(key_bytes):
    keyed = XTS(bytes(range(key_bytes)))
    for size in [*range(16, 70), 16 * 128, 16 * 129 + 1, 16 * 300]:
        check_inversion(keyed, TWEAK, bytes(size))


@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
def test_a_bit_of_data_reaches_its_block_alone(direction):
    run = getattr(XTS(bytes(range(32))), direction)
    data = bytes(range(128))
    result = run(TWEAK, data)
    for bit in range(0, 1024, 37):
        others = [block for block in range(8) if block != bit // 128]
        assert same_blocks(result, run(TWEAK, flipped(data, bit))) == others
    assert same_blocks(result, run(flipped(TWEAK, 100), data)) == []


@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
def test_stolen_bytes_tie_the_last_two_blocks(direction):
    run = getattr(XTS(bytes(range(32))), direction)
    data = bytes(range(55))
    result = run(TWEAK, data)
    for block, others in [(0, [1, 2, 3]), (1, [0, 2, 3]), (2, [0, 1]), (3, [0, 1, 3])]:
        assert same_blocks(result, run(TWEAK, flipped(data, 128 * block + 5))) == others


def test_why_equal_keys_are_refused():
    # A cipher that ignores its key stands for equal ones: zeros then decrypt to the tweak plus its mask.
    aes = AES(bytes(16))
    keyed = XTS(bytes(range(32)), cipher=lambda key: aes)
    assert keyed.decrypt(TWEAK, bytes(16)) == xor(TWEAK, aes.encrypt_block(TWEAK))
    for key in (bytes(32), b"\x07" * 48, bytes(range(32)) * 2):
        with pytest.raises(ValueError, match="two different keys"):
            XTS(key)


def test_what_is_refused():
    keyed = XTS(bytes(range(32)))
    for call in (keyed.encrypt, keyed.decrypt):
        for size in (0, 15, 2**24 + 1):
            with pytest.raises(ValueError, match=f"16 bytes to 2\\^20 blocks, not {size} bytes"):
                call(TWEAK, bytes(size))
        with pytest.raises(ValueError, match="tweak must be 16 bytes, not 8"):
            call(bytes(8), bytes(16))
        with pytest.raises(TypeError, match="must be bytes"):
            call(TWEAK, "text")
    with pytest.raises(ValueError, match="two keys of equal length, not 33 bytes"):
        XTS(bytes(33))
    with pytest.raises(ValueError, match="AES key must be 16, 24 or 32 bytes, not 8"):
        XTS(bytes(range(16)))
    with pytest.raises(TypeError, match="XTS key must be bytes"):
        XTS("text")
