# SPDX-License-Identifier: Apache-2.0
"""Counter modes, masks that double, and ciphers other than AES in the modes that take one."""

import pytest
from tests.golden.powers import ONE
from tests.golden.relations import HalfAES, check_inversion, doubled

from modeloom_golden import AES, CMC, EME, EME2, HCH, HCTR, TET, XCB1619, XTS, HCHfp, ghash_double, xts_double
from modeloom_golden.checks import bin_n, counter_mode, counter_mode_32, doublings, xor


def test_numbers_are_big_endian():
    assert bin_n(1) == bytes(15) + b"\x01"
    assert bin_n(4096) == bytes(14) + b"\x10\x00"
    # A number is not the field element of that name.
    assert bin_n(1) != ONE


def test_numbers_are_added_by_xor_from_1():
    aes, s = AES(bytes(16)), bytes(15) + b"\x01"
    stream = counter_mode(aes, s, bytes(64))
    # 1 ⊕ i for i = 1 … 4
    assert stream == b"".join(aes.encrypt_block(bin_n(number)) for number in (0, 3, 2, 5))


def test_carry_out_of_32_bits_is_lost():
    aes, left = AES(bytes(16)), b"\xff" * 12
    words = [bytes.fromhex(word) for word in ("fffffffe", "ffffffff", "00000000", "00000001")]
    expected = b"".join(aes.encrypt_block(left + word) for word in words)
    assert counter_mode_32(aes, left + words[0], 0, bytes(64)) == expected
    assert counter_mode_32(aes, left + words[0], 1, bytes(48)) == expected[16:]


def counter_from_1(cipher, s, data):
    return counter_mode_32(cipher, s, 1, data)


each_counter = pytest.mark.parametrize("counter", [counter_mode, counter_from_1])


@each_counter
@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 600 * 16 + 3])
def test_last_block_is_cut(counter, length):
    aes, s = AES(bytes(range(16))), bytes(range(16))
    data = bytes(i % 251 for i in range(length))
    whole = counter(aes, s, bytes(601 * 16))
    assert counter(aes, s, data) == xor(data, whole[:length])
    assert counter(aes, s, counter(aes, s, data)) == data


@each_counter
def test_data_must_be_bytes(counter):
    with pytest.raises(TypeError, match="data must be bytes"):
        counter(AES(bytes(16)), bytes(16), [1])


def test_doublings():
    # 1, x, x², …, x^127 are single bits, in GHASH order from the left; then comes 1 + x + x² + x^7.
    for one, double, order, reduced in (
        (b"\x01" + bytes(15), xts_double, "little", b"\x87" + bytes(15)),
        (ONE, ghash_double, "big", b"\xe1" + bytes(15)),
    ):
        assert doublings(one, 0, double) == []
        powers = doublings(one, 129, double)
        number = int.from_bytes(one, order)
        shifts = (number << i if order == "little" else number >> i for i in range(128))
        assert powers[:-1] == [shifted.to_bytes(16, order) for shifted in shifts]
        assert powers[-1] == reduced
    assert all(doubled(block) == xts_double(block) for block in doublings(bytes(range(16)), 300, xts_double))


# Mode, bytes of its key with HalfAES, and where in it the keys of the cipher are, 8 bytes each.
KINDS = {
    CMC: (16, (0, 8)),
    EME: (8, (0,)),
    EME2: (40, (32,)),
    HCH: (8, (0,)),
    HCHfp: (24, (0,)),
    HCTR: (24, (0,)),
    TET: (32, (0, 8)),
    XTS: (16, (0, 8)),
}


@pytest.mark.parametrize(("kind", "key_bytes"), [(XCB1619, 8), *((kind, size) for kind, (size, _) in KINDS.items())])
def test_another_cipher(kind, key_bytes):
    keyed = kind(bytes(range(key_bytes)), cipher=HalfAES)
    for size in (32, 64, 512):
        check_inversion(keyed, bytes(range(16)), bytes(size))
    with pytest.raises(ValueError, match="HalfAES key must be 8 bytes, not"):
        kind(bytes(range(key_bytes + 2)), cipher=HalfAES)


@pytest.mark.parametrize(("kind", "key_bytes", "places"), [(kind, *layout) for kind, layout in KINDS.items()])
def test_the_cipher_is_all_that_changes(kind, key_bytes, places):
    # HalfAES under 8 bytes is AES under those bytes twice.
    key = bytes(range(key_bytes))
    words = ((key[i : i + 8], i in places) for i in range(0, key_bytes, 8))
    doubled_key = b"".join(2 * word if of_the_cipher else word for word, of_the_cipher in words)
    data, tweak = bytes(range(160)), bytes(range(16))
    assert kind(key, cipher=HalfAES).encrypt(tweak, data) == kind(doubled_key, cipher=AES).encrypt(tweak, data)
