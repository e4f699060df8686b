# SPDX-License-Identifier: Apache-2.0
"""XCB-AES of IEEE 1619.2: vectors, the parts of the definition apart, and the attacks that break it."""

from random import Random

import pytest
from tests.golden.relations import check_diffusion, check_inversion, check_published_vectors, check_refused_input, flipped

from modeloom_golden import AES, XCB1619
from modeloom_golden.checks import xor

TWEAK = bytes(range(16))


def test_published_vectors_both_directions():
    assert check_published_vectors("xcb-1619") == 5


@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_decryption_inverts_encryption(key_bytes):
    keyed = XCB1619(bytes(range(key_bytes)))
    for size in [*range(16, 52), 512, 16 * 40 + 3]:
        check_inversion(keyed, TWEAK, bytes(size))
    for tweak in (b"", bytes(1), bytes(17), bytes(100)):
        check_inversion(keyed, tweak, bytes(37))


def test_every_bit_reaches_every_block():
    keyed = XCB1619(bytes(range(16)))
    check_diffusion(keyed, TWEAK, [16, 20, 32, 45, 512])
    check_diffusion(keyed, bytes(range(37)), [16, 46])


class Identity:
    """The cipher that does nothing: H = 0, so the hashes are zero and D = A."""

    def __init__(self, key):
        pass

    def encrypt_block(self, block):
        return block

    decrypt_block = encrypt_block


def test_counter_is_32_bits_and_starts_with_d():
    high = bytes(range(12))
    a = high + b"\xff\xff\xff\xfe"
    counters = b"".join(high + number for number in (b"\xff\xff\xff\xfe", b"\xff\xff\xff\xff", bytes(4), b"\x00\x00\x00\x01"))
    assert XCB1619(bytes(16), cipher=Identity).encrypt(TWEAK, bytes(60) + a) == counters[:60] + a


@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_derived_keys(key_bytes):
    key, given = bytes(range(key_bytes)), []

    def cipher(secret):
        given.append(secret)
        return AES(secret)

    XCB1619(key, cipher=cipher)
    stream = b"".join(AES(key).encrypt_block(bytes(15) + bytes([i])) for i in range(1, 7))
    assert given == [key, *(stream[start : start + key_bytes] for start in (0, 32, 64))]


@pytest.mark.parametrize("size", [17, 31, 32, 47, 48, 512, 1000])
@pytest.mark.parametrize("tweak", [b"", TWEAK, bytes(20)])
def test_two_queries_recover_the_plaintext_and_a_third_its_last_block(size, tweak):
    # The attacks of Bhati et al. (eprint 2024/1554) and of Wang et al. (2024/1527) rest on this. With P the part of
    # either hash that B or E enters, F = E_Ke(A) + P(key stream of D) + a constant of the tweak and the length, and
    # D = F + P(E) + another.
    oracle = XCB1619(bytes(range(16)))
    secret = Random(size).randbytes(size)
    target = oracle.encrypt(tweak, secret)
    e, g = target[:-16], target[-16:]

    # 1. Another E with the same G has the same F.
    e1 = flipped(e, 3)
    answer = oracle.decrypt(tweak, e1 + g)
    stream1, a1 = xor(answer[:-16], e1), answer[-16:]
    # 2. A_1 with this B has the D of the target, so its key stream.
    b2 = xor(stream1, e)
    answer = oracle.encrypt(tweak, b2 + a1)
    stream, g2 = xor(answer[:-16], b2), answer[-16:]
    b = xor(e, stream)
    assert b == secret[:-16]
    # 3. G_2 with this E has the D of the first query, so E_Ke(A) is the target's.
    query = xor(e1, stream1, stream) + g2
    assert query != target
    answer = oracle.decrypt(tweak, query)
    assert b + answer[-16:] == secret


@pytest.mark.parametrize("part", [1, 7, 15])
def test_a_partial_block_is_told_from_random_by_two_queries(part):
    # The first hash pads B with zeros and takes the padded length: B and B ‖ 00 have one D, and one key stream.
    oracle, b, a = XCB1619(bytes(range(32))), bytes(range(32 + part)), bytes(range(100, 116))
    longer = oracle.encrypt(TWEAK, b + b"\x00" + a)
    assert oracle.encrypt(TWEAK, b + a)[:-16] == longer[: 32 + part]


def test_what_is_refused():
    check_refused_input(XCB1619(bytes(32)))
    with pytest.raises(ValueError, match="at most 32 bytes, as its derived keys are, not 33"):
        XCB1619(bytes(33))
    with pytest.raises(ValueError, match="AES key must be 16, 24 or 32 bytes, not 20"):
        XCB1619(bytes(20))
    with pytest.raises(TypeError, match="XCB key must be bytes"):
        XCB1619("text")
