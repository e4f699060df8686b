# SPDX-License-Identifier: Apache-2.0
"""Steps of AES by the examples of FIPS 197, and put together against whole AES."""

from modeloom_golden import AES
from modeloom_golden.aes_steps import inv_mix_column, inv_sub_byte, mix_column, sub_byte


def test_examples():
    assert sub_byte(0x53) == 0xED  # FIPS 197, 5.1.1
    # FIPS 197, appendix B, round 1.
    before, after = bytes.fromhex("d4bf5d30"), bytes.fromhex("046681e5")
    assert mix_column(before) == after
    assert inv_mix_column(after) == before


def test_inverses():
    assert [inv_sub_byte(sub_byte(x)) for x in range(256)] == list(range(256))
    for n in range(32):
        column = (1 << n).to_bytes(4, "little")
        assert inv_mix_column(mix_column(column)) == column


def _round_keys(key: bytes) -> list[bytes]:
    words, rcon = [key[n : n + 4] for n in range(0, 16, 4)], 1
    for n in range(4, 44):
        word = words[-1]
        if n % 4 == 0:
            word = bytes(sub_byte(word[(k + 1) % 4]) ^ (rcon if k == 0 else 0) for k in range(4))
            rcon = rcon << 1 ^ (0x11B if rcon & 0x80 else 0)
        words.append(bytes(a ^ b for a, b in zip(words[-4], word, strict=True)))
    return [b"".join(words[n : n + 4]) for n in range(0, 44, 4)]


def test_ten_rounds_are_aes():
    key, block = bytes(range(16)), bytes(range(100, 116))
    keys = _round_keys(key)
    state = bytes(a ^ b for a, b in zip(block, keys[0], strict=True))
    for number, round_key in enumerate(keys[1:], 1):
        state = bytes(sub_byte(state[5 * n % 16]) for n in range(16))
        if number < 10:
            state = b"".join(mix_column(state[n : n + 4]) for n in range(0, 16, 4))
        state = bytes(a ^ b for a, b in zip(state, round_key, strict=True))
    assert state == AES(key).encrypt_block(block)
