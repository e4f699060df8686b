# SPDX-License-Identifier: Apache-2.0
"""Derived sizes of a bus and the checks on its parameters."""

from __future__ import annotations

import pytest
from tests.rtl.bus.parameters import bus_sizes

from modeloom.cycles import ring_depth

GOOD = {"blocks": 8, "ring_sectors": 2}


def test_derived_sizes() -> None:
    p = bus_sizes(
        blocks=33, ring_sectors=5, lanes=4, tail=7, tweak_blocks=2, cipher_key_bits=192, raw_words_after=2, key_words=9
    )
    assert (p.beats, p.data.beat_bits, p.beat_bytes, p.sector_bytes) == (9, 512, 64, 519)
    assert (p.last_keep, p.tweak_bits, p.ticket_bits, p.keys.packet_bytes) == (0x7F, 256, 3, 56)


@pytest.mark.parametrize(
    "blocks, lanes, tail, byte_count", [(4, 2, 0, 32), (3, 2, 0, 16), (4, 2, 1, 17), (4, 1, 16, 16), (256, 8, 9, 121)]
)
def test_last_keep(blocks: int, lanes: int, tail: int, byte_count: int) -> None:
    assert bus_sizes(blocks=blocks, lanes=lanes, tail=tail, ring_sectors=2).last_keep == (1 << byte_count) - 1


@pytest.mark.parametrize(
    "latency, interval, beats, depth",
    [(90, 32, 32, 4), (91, 32, 32, 4), (92, 32, 32, 5), (10, 8, 16, 2), (1, 99, 2, 1)],
)
def test_ring_depth(latency: int, interval: int, beats: int, depth: int) -> None:
    assert ring_depth(latency, interval, beats) == depth


@pytest.mark.parametrize(("round_keys", "bits"), [(1, 1), (2, 1), (11, 4), (15, 4), (16, 4), (17, 5), (21, 5), (256, 8)])
def test_round_keys_have_addresses(round_keys: int, bits: int) -> None:
    p = bus_sizes(blocks=2, ring_sectors=1, key_slots=3, round_keys=round_keys)
    assert p.keys.round_bits == bits and p.erase_words == max(2, 3 << bits)


def test_several_cipher_keys_have_addresses() -> None:
    """A slot has a power of two of them, whether all are in use or not; the whole key has those of the host only."""
    p = bus_sizes(
        blocks=2, ring_sectors=1, key_slots=3, round_keys=11, cipher_keys=2, cipher_key_bits=192, raw_words_after=1, key_words=6,
        derived_keys=((1, 2), (4, 3), (5, 5)),
    )  # fmt: skip
    assert (p.keys.all_cipher_keys, p.keys.number_bits, p.keys.round_words, p.keys.packet_bytes) == (5, 3, 3 * 8 * 16, 2 * 24 + 16)
    assert p.erase_words == p.keys.round_words
    single = bus_sizes(blocks=2, ring_sectors=1, key_slots=3, round_keys=11)
    assert (single.keys.all_cipher_keys, single.keys.number_bits, single.keys.round_words) == (1, 0, 3 * 16)


def test_cipher_keys_may_have_different_lengths() -> None:
    p = bus_sizes(
        blocks=2, ring_sectors=1, round_keys=15, cipher_keys=2, fixed_key_bits=((1, 256),), key_words=2, raw_words_after=1,
        derived_keys=((1,),),
    )  # fmt: skip
    assert (p.keys.widths, p.keys.lengths, p.keys.packet_bytes) == ((128, 256, 128), (128, 256), 64)


@pytest.mark.parametrize(
    "change",
    [
        {"blocks": 0},
        {"blocks": 513},
        {"ring_sectors": 0},
        {"ring_sectors": 4097},
        {"block_bits": 64},
        {"lanes": 3},
        {"tail": 17},
        {"tail": -1},
        {"tweak_blocks": -1},
        {"tweak_blocks": 3},
        {"tweak_blocks": 2, "block_bits": 256},
        {"key_slots": 0},
        {"key_slots": 1025},
        {"cipher_key_bits": 100},
        {"round_keys": 0},
        {"round_keys": 257},
        {"round_key_bits": 7},
        {"round_key_bits": 1025},
        {"raw_words_before": -1},
        {"raw_words_before": 17, "key_words": 20},
        {"raw_words_after": 17, "key_words": 20},
        {"key_words": 1025},
        {"engine_words": 0},
        {"engine_words": 65537},
        {"raw_words_after": 2, "key_words": 1},
        {"ring_style": "bram"},
        {"encrypt": False, "decrypt": False},
        {"cipher_keys": 0},
        {"cipher_keys": 9},
        {"cipher_keys": 8, "key_words": 9, "derived_keys": ((0,),) * 9},
        {"cipher_keys": 2, "cipher_key_bits": 64},
        {"cipher_keys": 2, "fixed_key_bits": ((1, 64),)},
        {"cipher_keys": 2, "fixed_key_bits": ((1, 200),)},
        {"cipher_keys": 2, "fixed_key_bits": ((1, 576),)},
        {"cipher_keys": 2, "fixed_key_bits": ((2, 256),)},
        {"cipher_keys": 2, "fixed_key_bits": ((-1, 256),)},
        {"cipher_keys": 2, "fixed_key_bits": ((0, 256), (1, 192))},
        {"fixed_key_bits": ((0, 256),)},
        {"cipher_keys": 3, "distinct_keys": True},
        {"key_words": 2, "derived_keys": ((1, 2),)},
        {"key_words": 2, "raw_words_after": 1, "derived_keys": ((0,),)},
        {"key_words": 2, "cipher_key_bits": 192, "derived_keys": ((1,),)},
        {"key_words": 2, "nonzero_words": (2,)},
        {"key_words": 2, "raw_words_before": 1, "nonzero_words": (0,)},
    ],
)
def test_values_out_of_range(change: dict) -> None:
    with pytest.raises(ValueError):
        bus_sizes(**(GOOD | change))


@pytest.mark.parametrize("change", [{"blocks": 8.0}, {"key_slots": True}, {"encrypt": 1}, {"tail": None}, {"distinct_keys": 1}])
def test_values_of_wrong_type(change: dict) -> None:
    with pytest.raises(TypeError):
        bus_sizes(**(GOOD | change))
