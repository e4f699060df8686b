# SPDX-License-Identifier: Apache-2.0
"""Layers that encrypt or decrypt: exhaustively by bytes, MixColumns by its matrices; words of tables."""

import random

import pytest
from amaranth.hdl import Cat, Signal
from tests.rtl.aes.bench import INV_MIX, MIX, evaluate, multiply, multiply_columns, reference_sbox

from modeloom.rtl.aes.layers import (
    INVERSES,
    cut_both_mix_columns,
    invert_bytes,
    join_mix_columns,
    map_after,
    map_after_split,
    map_before,
    map_before_split,
)
from modeloom.rtl.aes.rounds import table_words


def with_direction(function):
    return lambda m, value: Cat(function(m, value[:128], value[128]), value[128:])


def rows(state, step):
    return bytes(state[(r + 4 * (c + step * r)) % 16] for c in range(4) for r in range(4))


def substituted(state, decrypt):
    table = reference_sbox()
    return bytes(table.index(y) for y in rows(state, -1)) if decrypt else bytes(table[x] for x in rows(state, 1))


def by_muxes(m, state, decrypt):
    return map_after(m, invert_bytes(m, map_before(m, state, decrypt)), decrypt)


def by_sums(m, state, decrypt):
    halves = Signal(128), Signal(128)
    m.d.comb += [halves[0].eq(state & ~decrypt.replicate(128)), halves[1].eq(state & decrypt.replicate(128))]
    return map_after_split(m, invert_bytes(m, map_before_split(m, halves, decrypt)), decrypt)


@pytest.mark.parametrize("function", [by_muxes, by_sums])
def test_every_byte_in_both_directions(function):
    states = [bytes((x + 37 * n) % 256 for n in range(16)) for x in range(0, 256, 16)]
    states += [bytes([x] * 16) for x in range(256)]
    arguments = [state + bytes([decrypt]) + bytes(3) for state in states for decrypt in (0, 1)]
    results = evaluate(160, with_direction(function), arguments)
    assert [result[:16] for result in results] == [substituted(argument[:16], argument[16]) for argument in arguments]


def test_inverses():
    assert INVERSES[0] == 0
    assert all(multiply(x, INVERSES[x]) == 1 for x in range(1, 256))


def test_mixcolumns_of_both_directions():
    states = [(1 << n).to_bytes(16, "little") for n in range(0, 128, 3)] + [random.Random(1).randbytes(16) for _ in range(8)]
    arguments = [state + bytes([decrypt]) + bytes(3) for state in states for decrypt in (0, 1)]

    def function(m, state, decrypt):
        return join_mix_columns(m, *cut_both_mix_columns(m, state, decrypt))

    results = evaluate(160, with_direction(function), arguments)
    expected = [multiply_columns(INV_MIX if argument[16] else MIX, argument[:16]) for argument in arguments]
    assert [result[:16] for result in results] == expected


def test_words_of_tables():
    table = reference_sbox()
    words = [word.to_bytes(4, "little") for word in table_words("both")]
    assert len(words) == 1024
    for x in range(256):
        s, back = table[x], table.index(x)
        assert words[x] == multiply_columns(MIX, bytes([s, 0, 0, 0]))
        assert words[512 + x] == multiply_columns(INV_MIX, bytes([back, 0, 0, 0]))
        assert (words[256 + x], words[768 + x]) == (bytes([s, 0, 0, 0]), bytes([back, 0, 0, 0]))
    assert table_words("encrypt") + table_words("decrypt") == table_words("both")
