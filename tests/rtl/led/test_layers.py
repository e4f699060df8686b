# SPDX-License-Identifier: Apache-2.0
"""The layers of LED against the reference: the column on all pairs of basis elements, S-boxes with constants, order of cells."""

import random

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.led import SBOX, column_network, constants_of_round, mix_columns, place, round_constants, sub_cells
from modeloom.sim import Simulation
from modeloom_golden import led


def cells_at_port(value):
    return [value >> place(cell) & 15 for cell in range(16)]


def test_order_of_cells():
    """The first cell is the upper half of byte 0."""
    block = bytes.fromhex("0123456789abcdef")
    assert cells_at_port(int.from_bytes(block, "little")) == led.cells_of(block) == list(range(16))


def test_tables():
    assert SBOX == led.SBOX and round_constants(48) == led.round_constants(48)


@pytest.mark.parametrize(("lut_inputs", "luts"), [(6, 16), (4, 24)])
def test_column(lut_inputs, luts):
    """The network is linear, so its values on the basis decide."""
    network = column_network(lut_inputs)
    assert (network.luts, network.levels) == (luts, 6)
    assert max(each.fan_in for each in network.sums.values()) == lut_inputs
    found = network.evaluate({name: 1 << n for n, name in enumerate(network.inputs)})
    for n, name in enumerate(network.inputs):
        row, k = int(name[1]), int(name[3])
        state = [0] * 16
        state[4 * row] = 1 << k
        image = led.mix_columns_serial(state)
        assert [bits >> n & 1 for bits in found] == [image[4 * row] >> k & 1 for row in range(4) for k in range(4)]


def test_no_column_of_fewer_luts_exists():
    """Every output is another sum of at least two inputs, so each needs a LUT of its own."""
    network = column_network()
    rows = network.evaluate({name: 1 << n for n, name in enumerate(network.inputs)})
    assert len(set(rows)) == network.luts == 16 and all(row.bit_count() >= 2 for row in rows)


class Layers(wiring.Component):
    """The three layers side by side."""

    def __init__(self, key_bits, lut_inputs):
        self.key_bits, self.lut_inputs = key_bits, lut_inputs
        super().__init__({"i": In(64), "rc": In(6), "substituted": Out(64), "mixed": Out(64), "constant": Out(64)})

    def elaborate(self, platform):
        m = Module()
        m.d.comb += [
            self.substituted.eq(sub_cells(self.i, self.key_bits)), self.mixed.eq(mix_columns(m, self.i, self.lut_inputs)),
            self.constant.eq(constants_of_round(self.rc)),
        ]  # fmt: skip
        return m


def test_layers():
    rng = random.Random(5)
    for key_bits, lut_inputs in ((64, 6), (128, 4)):
        simulation = Simulation.of(rtlil.convert(Layers(key_bits, lut_inputs), name="layers"), "layers", optimize=0)
        for _ in range(50):
            block, rc = rng.randbytes(8), rng.randrange(64)
            state = led.cells_of(block)
            simulation.set("i", int.from_bytes(block, "little"))
            simulation.set("rc", rc)
            assert cells_at_port(simulation.get("mixed")) == led.mix_columns_serial(led.shift_rows(state))
            added = led.add_constants([0] * 16, rc, key_bits)
            fixed = led.add_constants([0] * 16, 0, key_bits)
            assert cells_at_port(simulation.get("constant")) == [a ^ b for a, b in zip(added, fixed, strict=True)]
            assert cells_at_port(simulation.get("substituted")) == [SBOX[a ^ b] for a, b in zip(state, fixed, strict=True)]
