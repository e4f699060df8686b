# SPDX-License-Identifier: Apache-2.0
"""Slices of a key packet put together again."""

from __future__ import annotations

import itertools

import pytest

from modeloom.rtl.bus import BusParameters
from modeloom.rtl.bus.key_format import BEAT_BYTES, history_beats, key_beats, key_last_keep, key_parts


@pytest.mark.parametrize(
    "bits, before, after, block", itertools.product((64, 128, 192, 256, 512), range(3), range(3), (128, 256))
)
def test_each_part_is_in_its_window(bits: int, before: int, after: int, block: int) -> None:
    words = before + after
    p = BusParameters(
        blocks=4,
        ring_sectors=1,
        cipher_key_bits=bits,
        raw_words_before=before,
        raw_words_after=after,
        block_bits=block,
        key_words=words,
    )
    key = bytes(range(1, p.key_bytes + 1))
    beats = [key[at : at + BEAT_BYTES].ljust(BEAT_BYTES, b"\0") for at in range(0, len(key), BEAT_BYTES)]
    history = history_beats(p)
    assert len(beats) == key_beats(p)
    assert key_last_keep(p).bit_count() == len(key) - BEAT_BYTES * (len(beats) - 1)
    found = {}
    for part in key_parts(p):
        padded = [bytes(BEAT_BYTES)] * history + beats
        window = b"".join(padded[part.end_beat : part.end_beat + history + 1])
        bits_of_part = part.window_slice(history)
        assert part.word not in found
        found[part.word] = window[bits_of_part.start // 8 : bits_of_part.stop // 8]
    ends = [part.end_beat for part in key_parts(p)]
    size = block // 8
    split = before * size
    assert found.pop(None) == key[split : split + bits // 8]
    raw = key[:split] + key[split + bits // 8 :]
    assert found == {n: raw[n * size : (n + 1) * size] for n in range(words)}
    assert len(set(ends)) == len(ends)
