# SPDX-License-Identifier: Apache-2.0
"""What HCH, HCHfp, HCTR, XCB and TET have in common: inversion, diffusion, numbers of calls, and what they refuse."""

import random

import pytest
from tests.golden.relations import check_diffusion, check_inversion

from modeloom_golden import AES, HCH, HCTR, TET, XCB, HCHfp

# The mode, its key lengths, its least number of blocks, its cipher calls less m (tes2010, Table 1) and how many are for the key.
MODES = {
    "hch": (HCH, (16, 24, 32), 2, 3, 0),
    "hchfp": (HCHfp, (32, 40, 48), 2, 2, 0),
    "hctr": (HCTR, (32, 40, 48), 1, 0, 0),
    "xcb": (XCB, (16,), 2, 6, 5),
    "tet": (TET, (48, 64, 80), 1, 2, 0),
}
each_mode = pytest.mark.parametrize("name", MODES)


class CountedAES(AES):
    """AES that counts its calls, over all keys."""

    calls = 0

    def encrypt_block(self, block):
        type(self).calls += 1
        return super().encrypt_block(block)

    def decrypt_block(self, block):
        type(self).calls += 1
        return super().decrypt_block(block)


def sample(name, blocks, seed=1):
    """The mode under a random key, a tweak and data."""
    mode, keys, *_ = MODES[name]
    rng = random.Random(f"{name} {blocks} {seed}")
    return mode(rng.randbytes(keys[0])), rng.randbytes(16), rng.randbytes(16 * blocks)


@pytest.mark.parametrize(
    ("name", "blocks"), [(name, m) for name, (_, _, least, *_) in MODES.items() for m in (1, 2, 3, 8, 31, 32, 1000) if m >= least]
)
def test_decryption_inverts_encryption(name, blocks):
    mode, keys, *_ = MODES[name]
    for length in keys if blocks < 1000 else keys[:1]:
        rng = random.Random(length + blocks)
        keyed, tweak, data = mode(rng.randbytes(length)), rng.randbytes(16), rng.randbytes(16 * blocks)
        check_inversion(keyed, tweak, data)


@each_mode
def test_every_bit_reaches_every_block(name):
    keyed, tweak, _ = sample(name, 1)
    check_diffusion(keyed, tweak, [32, 48, 80, 512])


@each_mode
def test_cipher_calls_of_table_1(name, monkeypatch):
    mode, keys, least, extra, for_key = MODES[name]
    monkeypatch.setattr(CountedAES, "calls", 0)
    keyed = mode(bytes(range(keys[0])), CountedAES)
    # XCB: Fig. 2 derives its keys in each encryption, but they depend on the key alone.
    assert CountedAES.calls == for_key
    for blocks in (least, 2, 32):
        for call in (keyed.encrypt, keyed.decrypt):
            CountedAES.calls = 0
            call(bytes(16), bytes(16 * blocks))
            assert CountedAES.calls == blocks + extra - for_key


@each_mode
def test_arguments_of_other_bytes_types(name):
    keyed, tweak, data = sample(name, 3)
    assert keyed.encrypt(bytearray(tweak), memoryview(data)) == keyed.encrypt(tweak, data)


@each_mode
@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
def test_wrong_data_is_refused(name, direction):
    _, _, least, *_ = MODES[name]
    keyed, tweak, _ = sample(name, 3)
    call = getattr(keyed, direction)
    with pytest.raises(ValueError, match="at least"):
        call(tweak, b"")
    with pytest.raises(ValueError, match="at least|whole blocks"):
        call(tweak, bytes(16 * least - 1))
    with pytest.raises(TypeError, match="data must be bytes, not str"):
        call(tweak, "data")
    with pytest.raises(TypeError, match="tweak must be bytes, not int"):
        call(7, bytes(48))
    if name != "hctr":
        with pytest.raises(ValueError, match="whole blocks of 16 bytes, not 47 bytes"):
            call(tweak, bytes(47))
        with pytest.raises(ValueError, match=f"data must be at least {least} block.*, not {least - 1}"):
            call(tweak, bytes(16 * (least - 1)))
        for length in (0, 15, 17):
            with pytest.raises(ValueError, match=f"tweak must be 16 bytes, not {length}"):
                call(bytes(length), bytes(48))


@each_mode
def test_wrong_keys_are_refused(name):
    mode, keys, *_ = MODES[name]
    for length in (0, 1, 15, *(length + by for length in keys for by in (-1, 1))):
        with pytest.raises(ValueError, match="key must be"):
            mode(bytes(length))
    with pytest.raises(TypeError, match="key must be bytes, not list"):
        mode([0] * keys[0])
