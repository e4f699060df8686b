# SPDX-License-Identifier: Apache-2.0
import random

import pytest

from modeloom.rtl.gf128.words import Word, evaluate, gate_counts, repeat, reverse_in_bytes, to_lanes, to_planes, transpose


def test_repeat():
    assert repeat(0b011, 4, 10) == 0b11_0011_0011


@pytest.mark.parametrize(("side", "columns"), [(1, 5), (2, 3), (4, 1), (8, 12), (16, 2), (64, 1)])
def test_transpose_exchanges_rows_and_columns(side, columns):
    source = random.Random(side)
    rows = [Word.input(side * columns) for _ in range(side)]
    values = {row: source.getrandbits(side * columns) for row in rows}
    for t, word in enumerate(transpose(rows)):
        value = evaluate(word, values)
        for c in range(columns):
            for r in range(side):
                assert value >> c * side + r & 1 == values[rows[r]] >> c * side + t & 1
        assert gate_counts(word) == (0, 0)


def test_transpose_of_other_shapes_is_refused():
    with pytest.raises(ValueError, match="3 rows of 6 bits"):
        transpose([Word.input(6)] * 3)
    with pytest.raises(ValueError, match="4 rows of 6 bits"):
        transpose([Word.input(6)] * 4)
    with pytest.raises(ValueError, match="2 rows of 4 bits"):
        transpose([Word.input(4), Word.input(6)])


@pytest.mark.parametrize(("width", "lanes"), [(1, 3), (5, 9), (8, 81), (16, 27), (12, 40), (64, 3)])
def test_planes_hold_one_coefficient_of_every_lane(width, lanes):
    source = random.Random(lanes)
    words = [Word.input(width) for _ in range(lanes)]
    values = {word: source.getrandbits(width) for word in words}
    planes = to_planes(words)
    assert len(planes) == width and {plane.width % 32 for plane in planes} == {0}
    for t, plane in enumerate(planes):
        assert evaluate(plane, values) == sum((values[word] >> t & 1) << i for i, word in enumerate(words))
    assert [evaluate(lane, values) for lane in to_lanes(planes, lanes)] == [values[word] for word in words]


def test_reverse_in_bytes():
    word = Word.input(24)
    assert evaluate(reverse_in_bytes(word), {word: 0x01_C5_F0}) == 0x80_A3_0F
