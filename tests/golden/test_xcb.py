# SPDX-License-Identifier: Apache-2.0
"""XCB of tes2010: the lines of Fig. 2 with equation (4) as a sum of powers, and its counter."""

import random

import pytest
from tests.golden.powers import falling, weighted_sum

from modeloom_golden import AES, XCB
from modeloom_golden.checks import split_blocks, xor

KEY, TWEAK = bytes(range(16)), bytes(range(50, 66))


def derived(key):
    aes = AES(key)
    return [aes.encrypt_block(bytes(15) + bytes([i])) for i in range(5)]


def hashed(h, blocks, tweak):
    """Equation (4): the tweak has h^2, the lengths in bits h."""
    lengths = (128 * len(blocks)).to_bytes(8, "big") + bytes(7) + b"\x80"
    return weighted_sum(h, [*falling(blocks, len(blocks) + 2), (tweak, 2), (lengths, 1)])


@pytest.mark.parametrize("m", [2, 3, 17, 32])
def test_lines_of_fig_2(m):
    rng = random.Random(m)
    key, tweak = rng.randbytes(16), rng.randbytes(16)
    k0, k1, k2, k3, k4 = derived(key)
    p = split_blocks("data", rng.randbytes(16 * m))
    c = split_blocks("data", XCB(key).encrypt(tweak, b"".join(p)))
    h1 = xor(AES(k0).encrypt_block(p[0]), hashed(k1, p[1:], tweak))
    assert AES(k4).encrypt_block(c[0]) == xor(h1, hashed(k3, c[1:], tweak))
    stream = AES(k2)
    for i, (block_in, block_out) in enumerate(zip(p[1:], c[1:], strict=True), 1):
        counter = h1[:12] + ((int.from_bytes(h1[12:], "big") + i) % 2**32).to_bytes(4, "big")
        assert block_out == xor(block_in, stream.encrypt_block(counter))


@pytest.mark.parametrize("word", ["ffffffff", "fffffffe", "0000ffff"])
def test_counter_counts_in_its_last_word(word):
    # P_1 is chosen such that the counter starts at S; a carry out of the last word is lost.
    k0, k1, k2, _, _ = derived(KEY)
    s = b"\xa5" * 11 + b"\xff" + bytes.fromhex(word)
    rest = [bytes([value]) * 16 for value in (7, 8, 9)]
    p1 = AES(k0).decrypt_block(xor(s, hashed(k1, rest, TWEAK)))
    c = split_blocks("data", XCB(KEY).encrypt(TWEAK, b"".join([p1, *rest])))
    start = int(word, 16)
    words = [f"{(start + i) & 0xFFFFFFFF:08x}" for i in (1, 2, 3)]
    assert c[1:] == [
        xor(block, AES(k2).encrypt_block(s[:12] + bytes.fromhex(last))) for block, last in zip(rest, words, strict=True)
    ]


def test_cipher_is_a_parameter():
    made = []

    class Recorded(AES):
        def __init__(self, key):
            made.append(key)
            super().__init__(key)

    data = bytes(range(48))
    assert XCB(KEY, Recorded).encrypt(TWEAK, data) == XCB(KEY).encrypt(TWEAK, data)
    # E_K, and the three keys that the cipher gets; K1 and K3 are those of the hash.
    k0, _, k2, _, k4 = derived(KEY)
    assert made == [KEY, k0, k2, k4]


@pytest.mark.parametrize("length", [0, 15, 24, 32])
def test_only_keys_of_one_block(length):
    with pytest.raises(ValueError, match=f"XCB key must be 16 bytes, not {length}: the keys that it derives"):
        XCB(bytes(length))
