# SPDX-License-Identifier: Apache-2.0
"""Keys of modes: their layout, sizes that are refused, and keys that are weak."""

from __future__ import annotations

import pytest

import modeloom_golden as golden
from modeloom import model
from modeloom.definition.software import Model
from modeloom.modes import all_modes, find
from modeloom.spec import GHASH_ORDER, InputError

LAYOUTS = {
    "cmc": ("K", "K2"),
    "eme": ("cipher",),
    "eme2": ("K_AD", "K_ECB", "cipher"),
    "hch": ("cipher",),
    "hchfp": ("cipher", "alpha"),
    "hctr": ("cipher", "h"),
    "hctr2": ("cipher",),
    "heh-brw": ("cipher", "h"),
    "heh-brw-pi": ("cipher", "h"),
    "heh-poly": ("cipher", "h"),
    "hmch-brw": ("cipher", "h"),
    "hmch-poly": ("cipher", "h"),
    "tet": ("K1", "K2", "tau"),
    "xcb": ("cipher",),
    "xcb-1619": ("cipher",),
    "xts": ("K1", "K2"),
}
TWEAK = bytes(16)
ONE = GHASH_ORDER.one.to_bytes(16, "little")
X = GHASH_ORDER.scale(GHASH_ORDER.one, 1)
CUBE_ROOT = GHASH_ORDER.power(X, (2**128 - 1) // 3)
"""A root of 1 + tau + tau^2."""


def test_layouts() -> None:
    assert {name: mode.key_parts for name, mode in all_modes().items()} == LAYOUTS


@pytest.mark.parametrize("name", LAYOUTS)
def test_sizes(name: str) -> None:
    mode = find(name)
    blocks = len(mode.key_parts) - len(mode.cipher_keys)
    ciphers = (16,) if name == "xcb" else (16, 24, 32)
    legal = {16 * blocks + size * len(mode.cipher_keys) for size in ciphers}
    for size in range(100):
        if size in legal:
            Model(mode, bytes(range(size)))
        else:
            with pytest.raises(InputError, match=f"{name}: a key .* bytes, not {size}$"):
                Model(mode, bytes(range(size)))


def test_xcb_of_2004_is_one_of_aes_128() -> None:
    """Its derived keys are blocks, so that longer ones would need a rule that the paper does not give."""
    with pytest.raises(InputError, match=r"xcb: a key \(cipher\) must have 16 bytes, not 32"):
        model("xcb", bytes(32))
    for bits in (192, 256):
        with pytest.raises(InputError, match=f"xcb: the mode is defined for cipher keys of 128 bits, not {bits}"):
            find("xcb").check_key_bits(bits)
    find("xcb").check_key_bits(128)
    find("xcb-1619").check_key_bits(256)


def test_xts_refuses_equal_keys() -> None:
    for size in (16, 24, 32):
        key = bytes(range(size))
        with pytest.raises(InputError, match="xts: K1 and K2 are equal; choose different keys"):
            model("xts", key + key)
        model("xts", key + bytes(size))


def test_cmc_and_tet_take_equal_keys() -> None:
    """Nothing forbids them there, and EME2's parts are no cipher keys."""
    for name, key in (("cmc", bytes(32)), ("tet", bytes(32) + X.to_bytes(16, "little")), ("eme2", bytes(48))):
        assert model(name, key).encrypt(TWEAK, bytes(64)) == golden.mode(name, key).encrypt(TWEAK, bytes(64))


def test_the_cube_root_is_one() -> None:
    field = GHASH_ORDER
    assert CUBE_ROOT != field.one and field.mul(CUBE_ROOT, field.mul(CUBE_ROOT, CUBE_ROOT)) == field.one
    assert not field.one ^ CUBE_ROOT ^ field.mul(CUBE_ROOT, CUBE_ROOT)


@pytest.mark.parametrize(("tau", "refused"), [(CUBE_ROOT, {2, 5, 8}), (GHASH_ORDER.one, {3, 5, 7, 9}), (X, set())])
def test_tet_refuses_keys_whose_sigma_is_zero(tau: int, refused: set[int]) -> None:
    keyed = model("tet", bytes(range(32)) + tau.to_bytes(16, "little"))
    for m in range(2, 10):
        data = bytes(range(16)) * m
        if m in refused:
            for run in (keyed.encrypt, keyed.decrypt):
                with pytest.raises(InputError, match=rf"this key cannot be used: sigma = .* \+ tau\^{m} is 0; choose another key"):
                    run(TWEAK, data)
        else:
            assert keyed.decrypt(TWEAK, keyed.encrypt(TWEAK, data)) == data
