# SPDX-License-Identifier: Apache-2.0
"""The modes that are ``broken`` are so in the software model: the attacks that their definitions name, run on it."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.golden.relations import same_blocks

from modeloom import model
from modeloom.modes import all_modes
from modeloom.spec import GHASH_ORDER


def xor(a: bytes, b: bytes) -> bytes:
    assert len(a) == len(b)
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def number(block: bytes) -> int:
    return int.from_bytes(block, "little")


@settings(max_examples=30, deadline=None)
@given(
    key=st.sampled_from((16, 24, 32)), size=st.integers(17, 600), tweak=st.sampled_from((0, 7, 16, 32)),
    seed=st.integers(0, 2**32), bit=st.integers(0, 10**6),
)  # fmt: skip
def test_two_queries_recover_a_plaintext_of_xcb_1619(key: int, size: int, tweak: int, seed: int, bit: int) -> None:
    """All but the last 16 bytes (eprint 2024/1554), and a third query those."""
    rng = Random(seed)
    oracle, tweak_bytes, secret = model("xcb-1619", rng.randbytes(key)), rng.randbytes(tweak), rng.randbytes(size)
    target = oracle.encrypt(tweak_bytes, secret)
    e, g = target[:-16], target[-16:]
    # Another E with the same G: F stays, and D changes by the difference of the two hashes of E.
    other = flipped(e, bit % (8 * len(e)))
    answer = oracle.decrypt(tweak_bytes, other + g)
    key_stream, a = xor(answer[:-16], other), answer[-16:]
    # That A under this B has the D of the target.
    plain = xor(key_stream, e)
    answer = oracle.encrypt(tweak_bytes, plain + a)
    found = xor(e, xor(answer[:-16], plain))
    assert found == secret[:-16]
    query = xor(other, xor(key_stream, xor(found, e))) + answer[-16:]
    assert query != target
    assert found + oracle.decrypt(tweak_bytes, query)[-16:] == secret


@settings(max_examples=20, deadline=None)
@given(key=st.binary(min_size=32, max_size=48).filter(lambda key: len(key) % 8 == 0), data=st.binary(min_size=32, max_size=32))
@pytest.mark.parametrize("name", ["hmch-brw", "hmch-poly"])
def test_two_tweaks_give_the_hash_key_of_hmch(name: str, key: bytes, data: bytes) -> None:
    """U_1 does not depend on the tweak: C_1 + C_1' = h (C_2 + C_2') with two blocks, and h falls out."""
    keyed = model(name, key)
    c, d = (keyed.encrypt(bytes([tweak]) * 16, data) for tweak in (1, 2))
    first, second = (number(xor(c[at : at + 16], d[at : at + 16])) for at in (0, 16))
    inverse = GHASH_ORDER.power(second, 2**128 - 2)
    assert GHASH_ORDER.mul(first, inverse) == number(key[-16:])


def test_equal_blocks_show_in_xts() -> None:
    """A block under one tweak at one place is always the same: two versions of a sector tell which blocks changed."""
    keyed, data = model("xts", bytes(range(32))), bytes(512)
    edited = data[:160] + bytes([1]) * 32 + data[192:]
    assert same_blocks(keyed.encrypt(bytes(16), data), keyed.encrypt(bytes(16), edited)) == [
        i for i in range(32) if i not in (10, 11)
    ]


def test_broken_modes_say_so() -> None:
    """Exactly the modes with a known attack are marked as broken."""
    assert [name for name, mode in all_modes().items() if mode.broken] == ["hmch-brw", "hmch-poly", "xcb-1619"]
