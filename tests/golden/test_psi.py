# SPDX-License-Identifier: Apache-2.0
"""What holds for HEH and HMCH with either polynomial: inversion, diffusion, the parts of the key, what is refused."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.golden.relations import check_inversion, flipped, same_blocks

from modeloom_golden import HEH, HMCH, mode, permutation, poly

NAMES = ["heh-brw", "heh-brw-pi", "heh-poly", "hmch-brw", "hmch-poly"]
KEYS = st.sampled_from([32, 40, 48]).flatmap(lambda size: st.binary(min_size=size, max_size=size))
TWEAKS = st.binary(min_size=16, max_size=16)
SECTORS = st.integers(2, 64).flatmap(lambda m: st.binary(min_size=16 * m, max_size=16 * m))
ANY_SECTOR = {name: SECTORS | TWEAKS if name.startswith("hmch") else SECTORS for name in NAMES}
each_mode = pytest.mark.parametrize("name", NAMES)


@each_mode
@settings(deadline=None)
@given(sampled=st.data())
def test_decryption_inverts_encryption(name, sampled):
    key, tweak, data = sampled.draw(KEYS), sampled.draw(TWEAKS), sampled.draw(ANY_SECTOR[name])
    check_inversion(mode(name, key), tweak, data)


@each_mode
@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**64 - 1), key_bytes=st.sampled_from([32, 40, 48]), m=st.integers(2, 64), place=st.floats(0, 1))
def test_every_bit_of_sector_and_tweak_reaches_every_block(name, direction, seed, key_bytes, m, place):
    # Values without structure: where h = 0, or X_1 = h in BRW, some block has no part in the hash.
    random = Random(seed)
    key, tweak, data = random.randbytes(key_bytes), random.randbytes(16), random.randbytes(16 * m)
    run = getattr(mode(name, key), direction)
    result = run(tweak, data)
    assert not same_blocks(result, run(tweak, flipped(data, round(place * (128 * m - 1)))))
    assert not same_blocks(result, run(flipped(tweak, round(place * 127)), data))


@each_mode
@pytest.mark.parametrize("key_bytes", [32, 40, 48])
@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
def test_every_byte_of_the_key_counts(name, key_bytes, direction):
    key, tweak, data = bytes(range(key_bytes)), bytes(range(16)), bytes(range(160))
    result = getattr(mode(name, key), direction)(tweak, data)
    for byte in range(key_bytes):
        other = getattr(mode(name, flipped(key, 8 * byte + byte % 8)), direction)(tweak, data)
        assert not same_blocks(result, other)


def test_the_modes_differ():
    key, tweak, data = bytes(range(32)), bytes(16), bytes(range(256)) * 2
    assert len({mode(name, key).encrypt(tweak, data) for name in NAMES}) == len(NAMES)


def test_names_carry_their_polynomials():
    key, tweak, data = bytes(range(40)), bytes(range(16)), bytes(range(160))
    for name, reference in [
        ("heh-brw", HEH(key)),
        ("heh-poly", HEH(key, polynomial=poly)),
        ("hmch-brw", HMCH(key)),
        ("hmch-poly", HMCH(key, polynomial=poly)),
    ]:
        assert mode(name, key).encrypt(tweak, data) == reference.encrypt(tweak, data)


@each_mode
@pytest.mark.parametrize("key_bytes", [16, 31, 33, 64])
def test_wrong_key_length(name, key_bytes):
    with pytest.raises(ValueError, match=f"{name[: name.index('-')].upper()} key .* 32, 40 or 48 bytes"):
        mode(name, bytes(key_bytes))


@each_mode
def test_wrong_lengths_and_types(name):
    keyed = mode(name, bytes(32))
    for call in (keyed.encrypt, keyed.decrypt):
        with pytest.raises(ValueError, match="whole blocks"):
            call(bytes(16), bytes(40))
        with pytest.raises(ValueError, match="at least [12] block"):
            call(bytes(16), b"")
        with pytest.raises(ValueError, match="tweak must be 16 bytes"):
            call(bytes(8), bytes(32))
        with pytest.raises(TypeError, match="must be bytes"):
            call(bytes(16), "text")
    with pytest.raises(TypeError, match="must be bytes"):
        mode(name, "text")


@pytest.mark.parametrize("kind", [HEH, HMCH])
def test_wrong_permutations(kind):
    with pytest.raises(ValueError, match="each of 1 to 3 once"):
        kind(bytes(32), (1, 2, 2))
    with pytest.raises(ValueError, match="for 31 hashed blocks, the data has 15"):
        kind(bytes(32), permutation(31)).encrypt(bytes(16), bytes(256))
