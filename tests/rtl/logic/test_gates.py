# SPDX-License-Identifier: Apache-2.0
"""Gate lists: values, counts, depth, places of registers."""

import pytest

from modeloom.rtl.logic import Gate, GateList, GateListBuilder, add_linear, apply, inverse_matrix, multiply_matrices, rank

EVERY = GateList(
    3,
    [
        Gate("xor", (0, 1)), Gate("xnor", (0, 1)), Gate("and", (0, 1)), Gate("or", (0, 1)), Gate("not", (0,)),
        Gate("mux", (2, 0, 1)),
    ],
    range(3, 9),
)  # fmt: skip


def test_every_operation_on_all_values():
    for x, value in enumerate(EVERY.table()):
        a, b, s = x & 1, x >> 1 & 1, x >> 2
        bits = [a ^ b, 1 - (a ^ b), a & b, a | b, 1 - a, a if s else b]
        assert value == sum(bit << n for n, bit in enumerate(bits))


def test_counts_and_depth():
    # A multiplexer is one AND and two XOR, of which its select passes two; an inversion is free.
    assert (EVERY.ands, EVERY.xors, EVERY.depth) == (3, 4, 3)
    assert EVERY.depths == (0, 0, 0, 1, 1, 1, 1, 0, 3)
    chain = GateList(2, [Gate("xor", (0, 1)), Gate("mux", (2, 0, 1)), Gate("not", (3,))], [4])
    assert (chain.depths[3], chain.depth) == (3, 3)


def test_copies_do_not_meet():
    values = [0b0011, 0b0101, 0b1001]
    whole = EVERY.evaluate(values, 0b1111)
    for n in range(4):
        assert [value >> n & 1 for value in whole] == EVERY.evaluate([value >> n & 1 for value in values])


@pytest.mark.parametrize(
    ("gates", "outputs", "message"),
    [
        ([Gate("nor", (0, 1))], [2], "no such gate"),
        ([Gate("xor", (0,))], [2], "no such gate"),
        ([Gate("xor", (0, 2))], [2], "reads one that is not before it"),
        ([Gate("xor", (0, 1))], [3], "an output is no signal"),
    ],
)
def test_refused(gates, outputs, message):
    with pytest.raises(ValueError, match=message):
        GateList(2, gates, outputs)


def test_builder_shares_drops_and_absorbs_inverters():
    builder = GateListBuilder(2)
    first = builder.xor(0, 1)
    assert builder.xor(1, 0) == first
    builder.conjunction(0, 1)
    inverted = builder.invert(first)
    gates = builder.finish([inverted])
    assert [gate.operation for gate in gates.gates] == ["xnor"]
    # An XOR that somebody else reads stays beside its inverse.
    both = builder.finish([first, inverted])
    assert [gate.operation for gate in both.gates] == ["xor", "not"]


def test_registers_cut_the_longest_path_evenly():
    chain = GateListBuilder(9)
    end = 0
    for n in range(1, 9):
        end = chain.xor(end, n)
    gates = chain.finish([end])
    assert gates.depth == 8
    assert gates.place_cuts(0) == ()
    assert gates.place_cuts(1) == (4,)
    # A register at the output holds one bit, at the inputs nine; the longest stretch comes first.
    assert gates.place_cuts(3) == (2, 4, 6)
    assert gates.place_cuts(8)[-1] == 8
    assert len(gates.place_cuts(12)) == 12


def test_matrices():
    rows = [0b011, 0b110, 0b100]
    inverse = inverse_matrix(rows)
    assert multiply_matrices(rows, inverse) == [1, 2, 4]
    assert [apply(inverse, apply(rows, x)) for x in range(8)] == list(range(8))
    assert (rank(rows), rank([3, 5, 6])) == (3, 2)
    with pytest.raises(ValueError, match="singular"):
        inverse_matrix([3, 5, 6])


def test_linear_layer_makes_a_shared_sum_once():
    builder = GateListBuilder(4)
    rows = [0b0111, 0b1011, 0b0011, 0b0001]
    gates = builder.finish(add_linear(builder, range(4), rows))
    assert gates.xors == 3
    assert list(gates.table()) == [apply(rows, x) for x in range(16)]
    with pytest.raises(ValueError, match="row of 0"):
        add_linear(builder, range(4), [0])
