# SPDX-License-Identifier: Apache-2.0
"""The definitions as software models: published vectors, and the independent references."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modeloom import golden, model, vectors
from modeloom.modes import all_modes, find
from modeloom.modes.brw import permutation, schedule
from modeloom.spec import InputError, UnknownName


def test_hctr2_vectors() -> None:
    tests = vectors.for_mode("hctr2")
    assert len(tests) == 375
    for test in tests:
        keyed = model("hctr2", bytes.fromhex(test["key"]))
        tweak, plain, cipher = (bytes.fromhex(test[name]) for name in ("tweak", "pt", "ct"))
        assert keyed.encrypt(tweak, plain) == cipher, test["tcId"]
        assert keyed.decrypt(tweak, cipher) == plain, test["tcId"]


@pytest.mark.parametrize("name", ["hctr2", "heh-brw", "heh-brw-pi"])
@settings(max_examples=25, deadline=None)
@given(random=st.randoms(use_true_random=False), blocks=st.integers(2, 64), key=st.sampled_from((16, 24, 32)))
def test_two_models_agree(name: str, random, blocks: int, key: int) -> None:  # type: ignore[no-untyped-def]
    mode = find(name)
    size = 16 * blocks - (random.randrange(16) if mode.partial else 0)
    tweak = random.randbytes(random.choice(mode.tweak_sizes))
    secret, data = random.randbytes(mode.key_bytes(key)), random.randbytes(size)
    keyed, reference = model(name, secret), golden.mode(name, secret)
    cipher = keyed.encrypt(tweak, data)
    assert cipher == reference.encrypt(tweak, data)
    assert keyed.decrypt(tweak, cipher) == data == reference.decrypt(tweak, cipher)


@pytest.mark.parametrize("name", ["hctr2", "heh-brw"])
def test_one_flipped_bit_changes_every_block(name: str) -> None:
    secret = bytes(range(find(name).key_bytes(16)))
    keyed, tweak, data = model(name, secret), bytes(16), bytes(512)
    for run in (keyed.encrypt, keyed.decrypt):
        before = run(tweak, data)
        for bit in (0, 7, 1000, 2049, 4095):
            flipped = bytearray(data)
            flipped[bit // 8] ^= 1 << bit % 8
            after = run(tweak, bytes(flipped))
            assert all(before[at : at + 16] != after[at : at + 16] for at in range(0, 512, 16))
        assert run(bytes([1]) + tweak[1:], data) != before


def test_the_permutation_is_another_cipher() -> None:
    secret = bytes(range(32))
    assert model("heh-brw", secret).encrypt(bytes(16), bytes(range(256)) * 2) != model("heh-brw-pi", secret).encrypt(
        bytes(16), bytes(range(256)) * 2
    )


@pytest.mark.parametrize("m", range(2, 65))
def test_order_of_products_is_that_of_the_reference(m: int) -> None:
    assert [i + 1 for i in permutation(m)] == list(golden.permutation(m))
    assert schedule(m, 2) == list(golden.schedule(m, 2))


def test_shortest_messages() -> None:
    keyed = model("hctr2", bytes(16))
    assert keyed.decrypt(b"", keyed.encrypt(b"", bytes(16))) == bytes(16)
    with pytest.raises(InputError, match="at least 16 bytes"):
        keyed.encrypt(b"", bytes(15))
    with pytest.raises(InputError, match="whole blocks"):
        model("heh-brw", bytes(32)).encrypt(bytes(16), bytes(520))
    with pytest.raises(InputError, match="16 bytes, not 8"):
        model("heh-brw", bytes(32)).encrypt(bytes(8), bytes(512))


def test_wrong_keys_and_names() -> None:
    with pytest.raises(InputError, match="32, 40, 48 bytes, not 16"):
        model("heh-brw", bytes(16))
    with pytest.raises(UnknownName, match="did you mean hctr or hctr2"):
        model("hctr3", bytes(16))
    assert list(all_modes()) == sorted(all_modes())
