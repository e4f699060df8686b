# SPDX-License-Identifier: Apache-2.0
"""Slices of a key packet put together again."""

from __future__ import annotations

import itertools

import pytest
from tests.rtl.bus.parameters import bus_sizes

from modeloom.interfaces.shared import KEY_BEAT_BYTES as BEAT_BYTES
from modeloom.modes import find
from modeloom.rtl.bus.parameters import history_beats, key_beats, key_last_keep, key_parts

SHAPES = [
    *itertools.product((64, 128, 192, 256, 512), (1,), range(3), range(3), (128, 256)),
    *itertools.product((128, 192, 256, 320), (2, 3), range(3), range(2), (128, 256)),
]


@pytest.mark.parametrize("bits, keys, before, after, block", SHAPES)
def test_each_part_is_in_its_window(bits: int, keys: int, before: int, after: int, block: int) -> None:
    words = before + after
    p = bus_sizes(
        blocks=4,
        ring_sectors=1,
        cipher_key_bits=bits,
        cipher_keys=keys,
        raw_words_before=before,
        raw_words_after=after,
        block_bits=block,
        key_words=words,
    )
    key = bytes(range(1, p.keys.packet_bytes + 1))
    beats = [key[at : at + BEAT_BYTES].ljust(BEAT_BYTES, b"\0") for at in range(0, len(key), BEAT_BYTES)]
    history = history_beats(p.keys)
    assert len(beats) == key_beats(p.keys)
    assert key_last_keep(p.keys).bit_count() == len(key) - BEAT_BYTES * (len(beats) - 1)
    found = {}
    for part in key_parts(p.keys):
        padded = [bytes(BEAT_BYTES)] * history + beats
        window = b"".join(padded[part.end_beat : part.end_beat + history + 1])
        bits_of_part = part.window_slice(history)
        assert (part.word is None) != (part.cipher is None)
        place = ("word", part.word) if part.cipher is None else ("cipher", part.cipher)
        assert place not in found
        found[place] = window[bits_of_part.start // 8 : bits_of_part.stop // 8]
    ends = [part.end_beat for part in key_parts(p.keys)]
    size, cipher = block // 8, bits // 8
    split = before * size
    raw = key[:split] + key[split + keys * cipher :]
    wanted = {("word", n): raw[n * size : (n + 1) * size] for n in range(words)}
    wanted |= {("cipher", n): key[split + n * cipher : split + (n + 1) * cipher] for n in range(keys)}
    assert found == wanted
    assert len(set(ends)) == len(ends), "two parts end in one beat"


@pytest.mark.parametrize("block", [128, 256])
@pytest.mark.parametrize("widths", [(128, 256), (256, 128), (192, 256, 128), (256, 192, 192), (128, 448)])
@pytest.mark.parametrize(("before", "after"), [(0, 0), (1, 1), (2, 1)])
def test_cipher_keys_of_different_lengths(widths: tuple[int, ...], before: int, after: int, block: int) -> None:
    """Each part is in its window, and ends in a beat of its own."""
    usual = widths[-1]
    p = bus_sizes(
        blocks=4, ring_sectors=1, cipher_key_bits=usual, cipher_keys=len(widths), raw_words_before=before, raw_words_after=after,
        fixed_key_bits=tuple((n, bits) for n, bits in enumerate(widths) if bits != usual), block_bits=block, key_words=before + after,
    )  # fmt: skip
    assert p.keys.widths == widths and p.keys.lengths == tuple(dict.fromkeys((usual, *widths)))
    sizes = [block // 8] * before + [bits // 8 for bits in widths] + [block // 8] * after
    key = bytes(range(1, sum(sizes) + 1))
    assert p.keys.packet_bytes == len(key)
    beats = [key[at : at + BEAT_BYTES].ljust(BEAT_BYTES, b"\0") for at in range(0, len(key), BEAT_BYTES)]
    history, at = history_beats(p.keys), 0
    for part, size in zip(key_parts(p.keys), sizes, strict=True):
        padded = [bytes(BEAT_BYTES)] * history + beats
        window = b"".join(padded[part.end_beat : part.end_beat + history + 1])
        bits = part.window_slice(history)
        assert window[bits.start // 8 : bits.stop // 8] == key[at : at + size]
        at += size
    ends = [part.end_beat for part in key_parts(p.keys)]
    assert len(set(ends)) == len(ends)
    assert [part.cipher for part in key_parts(p.keys)] == [None] * before + list(range(len(widths))) + [None] * after


MODES = {
    ("xts", 128): ([("cipher", 0, 0), ("cipher", 1, 1)], 2, 16, 0),
    ("xts", 192): ([("cipher", 0, 1), ("cipher", 1, 2)], 3, 16, 1),
    ("xts", 256): ([("cipher", 0, 1), ("cipher", 1, 3)], 4, 16, 1),
    ("tet", 128): ([("cipher", 0, 0), ("cipher", 1, 1), ("word", 0, 2)], 3, 16, 0),
    ("tet", 192): ([("cipher", 0, 1), ("cipher", 1, 2), ("word", 0, 3)], 4, 16, 1),
    ("tet", 256): ([("cipher", 0, 1), ("cipher", 1, 3), ("word", 0, 4)], 5, 16, 1),
    ("eme2", 128): ([("word", 0, 0), ("word", 1, 1), ("cipher", 0, 2)], 3, 16, 0),
    ("eme2", 192): ([("word", 0, 0), ("word", 1, 1), ("cipher", 0, 3)], 4, 8, 1),
    ("eme2", 256): ([("word", 0, 0), ("word", 1, 1), ("cipher", 0, 3)], 4, 16, 1),
    ("xcb-1619", 128): ([("cipher", 0, 0)], 1, 16, 0),
    ("xcb-1619", 192): ([("cipher", 0, 1)], 2, 8, 1),
    ("xcb-1619", 256): ([("cipher", 0, 1)], 2, 16, 1),
}
"""For a mode and the bits of its cipher keys: the parts with the beats in which they end; beats; bytes of the last; earlier beats."""


@pytest.mark.parametrize(("mode", "bits"), MODES)
def test_packets_of_the_modes(mode: str, bits: int) -> None:
    """As ``docs/interfaces.md`` has them: the bytes of the whole key in order, 16 a beat."""
    parts, keys = find(mode).key_parts, find(mode).cipher_keys
    before = parts.index(keys[0])
    p = bus_sizes(
        blocks=4, ring_sectors=1, cipher_key_bits=bits, cipher_keys=len(keys), raw_words_before=before,
        raw_words_after=len(parts) - before - len(keys), key_words=len(parts) - len(keys),
    )  # fmt: skip
    ends, beats, last, history = MODES[mode, bits]
    found = [
        ("cipher", part.cipher, part.end_beat) if part.word is None else ("word", part.word, part.end_beat) for part in key_parts(p.keys)
    ]  # fmt: skip
    assert found == ends
    assert (key_beats(p.keys), key_last_keep(p.keys), history_beats(p.keys)) == (beats, (1 << last) - 1, history)
    assert p.keys.packet_bytes == find(mode).key_bytes(bits // 8)
