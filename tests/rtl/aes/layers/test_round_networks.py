# SPDX-License-Identifier: Apache-2.0
"""MixColumns with the round key in LUTs: the matrix by all basis vectors, sizes, and the same behind a register."""

import random

import pytest
from amaranth.hdl import Cat, Module, Value
from amaranth.sim import Simulator
from tests.rtl.aes.bench import INV_MIX, MIX, Function, evaluate, from_bytes, multiply_columns, to_bytes

from modeloom.rtl.aes.layers import (
    add_in_luts,
    keyed_both_network,
    keyed_forward_network,
    keyed_inverse_network,
    lower_columns,
    plain_network,
)
from modeloom.rtl.aes.rounds import register


@pytest.mark.parametrize(
    ("network", "luts", "levels"),
    [(keyed_forward_network, 39, 2), (keyed_inverse_network, 61, 3), (keyed_both_network, 66, 4)],
)
def test_matrix_and_size(network, luts, levels):
    built = network()
    assert (built.luts, built.levels) == (luts, levels)
    assert all(each.fan_in <= 6 for each in built.sums.values())
    rng = random.Random(4)
    for gate in (0, 1):
        row = INV_MIX if network is keyed_inverse_network or (network is keyed_both_network and gate) else MIX
        columns = [to_bytes(1 << n, 4) for n in range(32)] + [rng.randbytes(4) for _ in range(8)]
        keys = [bytes(4)] * 33 + [rng.randbytes(4) for _ in range(7)]
        values = {
            name: sum((from_bytes(word) >> n & 1) << copy for copy, word in enumerate(words))
            for words, names in ((columns, built.inputs[:32]), (keys, built.inputs[32:]))
            for n, name in enumerate(names)
        }
        outputs = built.evaluate(values, (gate << len(columns)) - gate)
        for copy, (column, key) in enumerate(zip(columns, keys, strict=True)):
            result = to_bytes(sum((output >> copy & 1) << n for n, output in enumerate(outputs)), 4)
            assert result == bytes(a ^ b for a, b in zip(multiply_columns(row, column), key, strict=True))


@pytest.mark.parametrize(("direction", "row"), [("encrypt", MIX), ("decrypt", INV_MIX)])
def test_hardware_without_key(direction, row):
    states = [random.Random(6).randbytes(16) for _ in range(20)]
    results = evaluate(128, lambda m, state: lower_columns(m, plain_network(direction), state), states)
    assert results == [multiply_columns(row, state) for state in states]


def test_sum_of_blocks():
    blocks = [random.Random(7).randbytes(32) for _ in range(20)]
    results = evaluate(256, lambda m, both: Cat(add_in_luts(m, both[:128], both[128:]), both[:128]), blocks)
    assert [result[:16] for result in results] == [bytes(a ^ b for a, b in zip(block[:16], block[16:], strict=True)) for block in blocks]


@pytest.mark.parametrize(("network", "row"), [(keyed_forward_network, MIX), (keyed_inverse_network, INV_MIX)])
def test_behind_a_register(network, row):
    def cut(m: Module, state: Value) -> Value:
        return lower_columns(m, network(), state, state, register=lambda value, name: register(m, value, name))

    dut = Function(32, cut)
    rng = random.Random(8)
    states = [rng.randbytes(4) for _ in range(12)]
    seen = []

    async def bench(context):
        for state in states:
            context.set(dut.i, from_bytes(state))
            await context.delay(1e-9)
            seen.append(to_bytes(context.get(dut.o), 4))
            await context.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    # The state is registered; what is given as key is of the cycle of the result.
    expected = [
        bytes(a ^ b for a, b in zip(multiply_columns(row, before), now, strict=True))
        for before, now in zip(states, states[1:], strict=False)
    ]
    assert seen[1:] == expected
