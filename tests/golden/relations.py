# SPDX-License-Identifier: Apache-2.0
"""What the tests of several modes check: published vectors, inversion, diffusion, and a cipher that is not AES."""

from random import Random

import pytest

from modeloom import vectors
from modeloom_golden import AES, mode


def check_published_vectors(name):
    """Both directions of every vector of a mode; how many there were."""
    tests = vectors.for_mode(name)
    check_vectors(tests, lambda key: mode(name, key))
    return len(tests)


def check_vectors(tests, mode_of_key):
    """Both directions of each of *tests*."""
    for test in tests:
        keyed, tweak = mode_of_key(bytes.fromhex(test["key"])), bytes.fromhex(test["tweak"])
        assert keyed.encrypt(tweak, bytes.fromhex(test["pt"])).hex() == test["ct"], (test["tcId"], test["comment"])
        assert keyed.decrypt(tweak, bytes.fromhex(test["ct"])).hex() == test["pt"], (test["tcId"], test["comment"])


def check_inversion(keyed, tweak, data):
    """Each direction keeps the length, changes the data and undoes the other."""
    for first, second in ((keyed.encrypt, keyed.decrypt), (keyed.decrypt, keyed.encrypt)):
        result = first(tweak, data)
        assert len(result) == len(data)
        assert result != data
        assert second(tweak, result) == data


def check_diffusion(keyed, tweak, sizes, seed=1):
    """A flipped bit of the data or of the tweak changes every block; a partial block must have 4 bytes or more."""
    random = Random(seed)
    for size in sizes:
        data = random.randbytes(size)
        for run in (keyed.encrypt, keyed.decrypt):
            result = run(tweak, data)
            for bit in (0, 8 * size - 1, random.randrange(8 * size)):
                assert not same_blocks(result, run(tweak, flipped(data, bit))), (size, bit)
            for bit in {8 * len(tweak) - 1, random.randrange(8 * len(tweak))} if tweak else ():
                assert not same_blocks(result, run(flipped(tweak, bit), data)), (size, bit)


def check_refused_input(keyed):
    """Data below a block, and what are no bytes, are refused in both directions; for modes that take any tweak."""
    for call in (keyed.encrypt, keyed.decrypt):
        with pytest.raises(ValueError, match="at least 16 bytes, not 15"):
            call(b"", bytes(15))
        with pytest.raises(TypeError, match="tweak must be bytes"):
            call(7, bytes(16))
        with pytest.raises(TypeError, match="data must be bytes"):
            call(b"", "text")


def flipped(data, bit):
    return (int.from_bytes(data, "little") ^ 1 << bit).to_bytes(len(data), "little")


def same_blocks(a, b):
    """The indices, from 0, of the blocks that are the same in both."""
    assert len(a) == len(b)
    return [i // 16 for i in range(0, len(a), 16) if a[i : i + 16] == b[i : i + 16]]


def doubled(block):
    """x · block, little-endian, apart from ``golden/field.py``."""
    number = 2 * int.from_bytes(block, "little")
    return (number ^ (0x100000000000000000000000000000087 if number >> 128 else 0)).to_bytes(16, "little")


class HalfAES(AES):
    """AES-128 on a key of 8 bytes, used twice: another cipher, with one block at a time and another key length."""

    def __init__(self, key):
        if len(key) != 8:
            raise ValueError(f"HalfAES key must be 8 bytes, not {len(key)}")
        super().__init__(key + key)
        self.encrypt_blocks = self.decrypt_blocks = None
