# SPDX-License-Identifier: Apache-2.0
"""Linear layers: by all basis vectors and by their matrices."""

import random

import pytest
from amaranth.hdl import Module, Signal
from tests.rtl.aes.bench import INV_MIX, MIX, evaluate, from_bytes, multiply_columns, to_bytes

from modeloom.rtl.aes.layers import (
    cut_inv_mix_columns,
    cut_mix_columns,
    inv_mix_columns,
    inv_shift_rows,
    mix_columns,
    shift_rows,
)

BASIS = [to_bytes(1 << n) for n in range(128)]
RANDOM = [random.Random(1).randbytes(16) for _ in range(64)]


def rotate_rows(state, step):
    return bytes(state[(r + 4 * (c + step * r)) % 16] for c in range(4) for r in range(4))


LAYERS = {
    "mix": (mix_columns, lambda state: multiply_columns(MIX, state)),
    "inv_mix": (inv_mix_columns, lambda state: multiply_columns(INV_MIX, state)),
    "shift": (lambda m, state: shift_rows(state), lambda state: rotate_rows(state, 1)),
    "inv_shift": (lambda m, state: inv_shift_rows(state), lambda state: rotate_rows(state, -1)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_matrix_and_linearity(name):
    function, reference = LAYERS[name]
    states = [bytes(16), *BASIS, *RANDOM]
    results = evaluate(128, function, states)
    assert results == [reference(state) for state in states]
    columns = [from_bytes(result) for result in results[1:129]]
    for state, result in zip(RANDOM, results[129:], strict=True):
        total = 0
        for n, column in enumerate(columns):
            total ^= column * (from_bytes(state) >> n & 1)
        assert to_bytes(total) == result


@pytest.mark.parametrize(
    "function",
    [
        lambda m, state: inv_mix_columns(m, mix_columns(m, state)),
        lambda m, state: mix_columns(m, inv_mix_columns(m, state)),
        lambda m, state: inv_shift_rows(shift_rows(state)),
    ],
    ids=["inv_mix-mix", "mix-inv_mix", "inv_shift-shift"],
)
def test_inverse(function):
    assert evaluate(128, function, BASIS) == BASIS


def test_published_columns():
    # FIPS 197, appendix B, round 1: after ShiftRows, after MixColumns.
    before = bytes.fromhex("d4bf5d30e0b452aeb84111f11e2798e5")
    after = bytes.fromhex("046681e5e0cb199a48f8d37a2806264c")
    assert evaluate(128, mix_columns, [before]) == [after]
    assert evaluate(128, inv_mix_columns, [after]) == [before]


def test_one_column():
    columns = [to_bytes(1 << n, 4) for n in range(32)]
    assert evaluate(32, mix_columns, columns) == [multiply_columns(MIX, column) for column in columns]


@pytest.mark.parametrize("function", [mix_columns, inv_mix_columns, cut_mix_columns, cut_inv_mix_columns])
@pytest.mark.parametrize("width", [0, 8, 48])
def test_state_must_be_whole_columns(function, width):
    with pytest.raises(ValueError, match=f"32-bit columns, not {width} bits"):
        function(Module(), Signal(width))


@pytest.mark.parametrize("function", [shift_rows, inv_shift_rows])
def test_shift_rows_needs_a_state(function):
    with pytest.raises(ValueError, match="must be a state of 128 bits, not 32"):
        function(Signal(32))
