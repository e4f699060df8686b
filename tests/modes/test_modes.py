# SPDX-License-Identifier: Apache-2.0
"""The definitions as software models: the independent references, inversion, diffusion, and what is refused."""

from __future__ import annotations

import random

import pytest
from tests.golden.relations import check_diffusion, check_inversion, flipped, same_blocks

import modeloom_golden as golden
from modeloom import model
from modeloom.modes import all_modes, find
from modeloom.modes.brw import permutation, schedule
from modeloom.spec import InputError, UnknownName

ALL = sorted(all_modes())

AES_KEYS = (16, 24, 32)

TWEAK = bytes(range(100, 116))


def blocks_of(name: str, most: int) -> range:
    """Numbers of blocks that a mode takes."""
    mode = find(name)
    return range(-(-max(mode.min_bytes, 16) // 16), (mode.max_blocks and min(mode.max_blocks, most) or most) + 1)


def sizes(name: str, random: random.Random, count: int, most: int = 40) -> list[int]:
    """Sizes of sectors in bytes: the shortest and the longest of up to ``most`` blocks, and others, partial ones among them."""
    blocks, mode = blocks_of(name, most), find(name)
    least, last = max(mode.min_bytes, 16), 16 * blocks[-1]
    chosen = [least, last, *(16 * random.choice(blocks) for _ in range(count - 2))]
    if mode.partial:
        chosen += [least + 1, last - 1, *(random.randint(least, last) for _ in range(count))]
    return chosen


def key_sizes(name: str) -> list[int]:
    """Bytes of a cipher key."""
    return [size for size in AES_KEYS if not find(name).cipher_key_bits or 8 * size in find(name).cipher_key_bits]


@pytest.mark.parametrize("name", ALL)
def test_two_models_agree(name: str) -> None:
    mode, rng = find(name), random.Random(name)
    for key_bytes in key_sizes(name):
        secret = rng.randbytes(mode.key_bytes(key_bytes))
        keyed, reference = model(name, secret), golden.mode(name, secret)
        for size in sizes(name, rng, 6):
            lengths = [*mode.tweak_sizes, *((0, rng.randint(1, 15), rng.randint(17, 60)) if mode.any_tweak else ())]
            tweak, data = rng.randbytes(rng.choice(lengths)), rng.randbytes(size)
            cipher = keyed.encrypt(tweak, data)
            assert cipher == reference.encrypt(tweak, data), (size, len(tweak))
            assert keyed.decrypt(tweak, cipher) == data == reference.decrypt(tweak, cipher), (size, len(tweak))


@pytest.mark.parametrize("size", [16 * 128, 16 * 128 + 5, 16 * 129, 16 * 257, 16 * 300 + 1])
def test_groups_of_eme2(size: int) -> None:
    """Every 128 blocks EME2 takes another mask."""
    secret, data = bytes(range(48)), random.Random(size).randbytes(size)
    cipher = model("eme2", secret).encrypt(TWEAK, data)
    assert cipher == golden.mode("eme2", secret).encrypt(TWEAK, data)
    assert model("eme2", secret).decrypt(TWEAK, cipher) == data


@pytest.mark.parametrize("name", ALL)
def test_each_direction_inverts_the_other(name: str) -> None:
    mode, rng = find(name), random.Random(f"inverse {name}")
    for key_bytes in key_sizes(name):
        keyed = model(name, rng.randbytes(mode.key_bytes(key_bytes)))
        for size in sizes(name, rng, 3):
            check_inversion(keyed, rng.randbytes(mode.tweak_sizes[-1]), rng.randbytes(size))


@pytest.mark.parametrize("name", [name for name in ALL if find(name).wide])
def test_one_flipped_bit_changes_every_block(name: str) -> None:
    mode = find(name)
    keyed = model(name, bytes(range(mode.key_bytes(16))))
    partial = [36, 45, 93] if mode.partial else []
    # Partial blocks of four bytes or more: shorter ones stay the same by chance.
    for size in mode.tweak_sizes:
        check_diffusion(keyed, bytes(range(size)), [32, 64, 512, *partial])


def test_every_mode_but_xts_is_wide() -> None:
    assert [name for name in ALL if not find(name).wide] == ["xts"]


@pytest.mark.parametrize("size", [16, 32, 64, 512])
def test_a_flipped_bit_in_xts_changes_its_block_alone(size: int) -> None:
    keyed, rng = model("xts", bytes(range(32))), random.Random(size)
    data = rng.randbytes(size)
    for run in (keyed.encrypt, keyed.decrypt):
        for bit in (0, rng.randrange(8 * size), 8 * size - 1):
            same = same_blocks(run(TWEAK, data), run(TWEAK, flipped(data, bit)))
            assert same == [i for i in range(size // 16) if i != bit // 128]
        assert same_blocks(run(TWEAK, data), run(flipped(TWEAK, 3), data)) == []


@pytest.mark.parametrize("size", [20, 36, 47, 500])
def test_stealing_in_xts_couples_the_last_two_blocks(size: int) -> None:
    keyed, data = model("xts", bytes(range(32))), random.Random(size).randbytes(size)
    last = -(-size // 16) - 1
    for run in (keyed.encrypt, keyed.decrypt):
        before = run(TWEAK, data)
        # The last block whole is enciphered twice: it changes both.  The partial one enters the second call alone.
        for bit, changed in ((128 * (last - 1), {last - 1, last}), (8 * size - 1, {last - 1})):
            same = same_blocks(before, run(TWEAK, flipped(data, bit)))
            assert same == [i for i in range(last + 1) if i not in changed]
        if last > 1:
            assert same_blocks(before, run(TWEAK, flipped(data, 0))) == list(range(1, last + 1))


def test_modes_are_different_ciphers() -> None:
    """Even those that differ in the order of blocks, in one factor or in one key."""
    data = bytes(range(256)) * 2
    seen = {}
    for name in ALL:
        cipher = model(name, bytes(range(find(name).key_bytes(16)))).encrypt(TWEAK, data)
        assert seen.setdefault(cipher, name) == name
    assert len(seen) == len(ALL)


@pytest.mark.parametrize("m", range(2, 65))
def test_order_of_products_is_that_of_the_reference(m: int) -> None:
    assert [i + 1 for i in permutation(m)] == list(golden.permutation(m))
    assert schedule(m, 2) == list(golden.schedule(m, 2))


@pytest.mark.parametrize("name", ALL)
def test_sizes_that_are_refused(name: str) -> None:
    mode = find(name)
    keyed, least = model(name, bytes(range(mode.key_bytes(16)))), max(mode.min_bytes, 16)
    for run in (keyed.encrypt, keyed.decrypt):
        with pytest.raises(InputError, match=f"^{name}: a sector must have at least {least} bytes, not {least - 1}"):
            run(TWEAK, bytes(least - 1))
        if not mode.partial:
            with pytest.raises(InputError, match=f"^{name}: a sector must be a whole number of blocks of 16 bytes, and 77 bytes are not"):
                run(TWEAK, bytes(77))
        if not mode.any_tweak:
            with pytest.raises(InputError, match=f"^{name}: a tweak must have 16 bytes, not 8"):
                run(bytes(8), bytes(512))


def test_shortest_messages() -> None:
    for name in ("hctr", "hctr2", "xcb-1619", "eme2"):
        keyed = model(name, bytes(range(find(name).key_bytes(16))))
        assert keyed.decrypt(b"", keyed.encrypt(b"", bytes(16))) == bytes(16)


def test_eme_refuses_more_than_128_blocks_and_says_why() -> None:
    keyed = model("eme", bytes(16))
    assert len(keyed.encrypt(TWEAK, bytes(2048))) == 2048
    for run in (keyed.encrypt, keyed.decrypt):
        with pytest.raises(InputError, match=r"at most 2048 bytes, not 2064 \(EME is secure for at most .* take eme2\)"):
            run(TWEAK, bytes(2064))


def test_wrong_keys_and_names() -> None:
    with pytest.raises(InputError, match="32 or 40 or 48 bytes, not 16"):
        model("heh-brw", bytes(16))
    with pytest.raises(UnknownName, match="did you mean hctr or hctr2"):
        model("hctr3", bytes(16))
    assert list(all_modes()) == sorted(all_modes())
