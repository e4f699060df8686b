# SPDX-License-Identifier: Apache-2.0
"""S-boxes, exhaustively."""

import pytest
from amaranth.hdl import Module, Signal
from tests.rtl.aes.bench import evaluate, reference_sbox

from modeloom.rtl.aes.sbox import (
    INV_SBOX,
    SBOX,
    cut_sub_bytes,
    inv_sbox,
    inv_sub_bytes,
    join_sub_bytes,
    quarter_of_bytes,
    sbox,
    sub_bytes,
)


def in_two_parts(inverse):
    def function(m, state):
        return join_sub_bytes(m, cut_sub_bytes(m, state, inverse=inverse), quarter_of_bytes(state))

    return function


def test_tables_follow_the_standard():
    assert reference_sbox() == SBOX
    assert SBOX[0x53] == 0xED  # the example of FIPS 197, 5.1.1
    assert sorted(SBOX) == list(range(256))
    assert [INV_SBOX[SBOX[x]] for x in range(256)] == list(range(256))


@pytest.mark.parametrize(("function", "table"), [(sbox, SBOX), (inv_sbox, INV_SBOX)])
def test_byte(function, table):
    assert evaluate(8, function, [bytes([x]) for x in range(256)]) == [bytes([y]) for y in table]


@pytest.mark.parametrize(
    ("function", "table"),
    [(sub_bytes, SBOX), (inv_sub_bytes, INV_SBOX), (in_two_parts(False), SBOX), (in_two_parts(True), INV_SBOX)],
    ids=["forward", "inverse", "forward-cut", "inverse-cut"],
)
def test_state_each_byte_through_all_values(function, table):
    states = [bytes((x + 37 * n) % 256 for n in range(16)) for x in range(256)]
    assert evaluate(128, function, states) == [bytes(table[x] for x in state) for state in states]


@pytest.mark.parametrize("function", [sub_bytes, inv_sub_bytes, cut_sub_bytes])
@pytest.mark.parametrize("width", [0, 7, 12])
def test_state_must_be_whole_bytes(function, width):
    with pytest.raises(ValueError, match=f"whole number of bytes, not {width} bits"):
        function(Module(), Signal(width))


@pytest.mark.parametrize("function", [sbox, inv_sbox])
def test_byte_must_have_eight_bits(function):
    with pytest.raises(ValueError, match="must be a byte, not 16 bits"):
        function(Module(), Signal(16))
