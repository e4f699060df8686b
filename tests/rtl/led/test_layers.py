# SPDX-License-Identifier: Apache-2.0
"""The layers of LED against the reference: the column on all pairs of basis elements, S-boxes with constants, order of cells."""

import random

from amaranth.back import rtlil
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.golden import led
from modeloom.rtl.led.layers import SBOX, column_network, constants_of_round, mix_columns, place, round_constants, sub_cells
from modeloom.sim import Simulation


def cells_at_port(value):
    return [value >> place(cell) & 15 for cell in range(16)]


def test_order_of_cells():
    """The first cell is the upper half of byte 0."""
    block = bytes.fromhex("0123456789abcdef")
    assert cells_at_port(int.from_bytes(block, "little")) == led.cells_of(block) == list(range(16))


def test_tables():
    assert SBOX == led.SBOX and round_constants(48) == led.round_constants(48)


def test_column():
    """The network is linear, so its values on the basis decide."""
    network = column_network()
    assert (network.luts, network.levels) == (16, 6)
    values = {name: 1 << n for n, name in enumerate(network.inputs)}
    found = network.evaluate(values)
    for n, name in enumerate(network.inputs):
        row, k = int(name[1]), int(name[3])
        state = [0] * 16
        state[4 * row] = 1 << k
        image = led.mix_columns_serial(state)
        assert [bits >> n & 1 for bits in found] == [image[4 * row] >> k & 1 for row in range(4) for k in range(4)]


def test_no_column_of_fewer_luts_exists():
    """Every bit is another sum of at least two inputs, so each needs a LUT of its own."""
    network = column_network()
    rows = network.evaluate({name: 1 << n for n, name in enumerate(network.inputs)})
    images = [sum((row >> n & 1) << at for at, row in enumerate(rows)) for n in range(16)]
    assert len(set(rows)) == 16 and all(row.bit_count() >= 2 for row in rows) and len(set(images)) == 16


class Layers(wiring.Component):
    """The three layers side by side."""

    def __init__(self, key_bits):
        self.key_bits = key_bits
        super().__init__({"i": In(64), "rc": In(6), "substituted": Out(64), "mixed": Out(64), "constant": Out(64)})

    def elaborate(self, platform):
        m = Module()
        m.d.comb += [
            self.substituted.eq(sub_cells(self.i, self.key_bits)), self.mixed.eq(mix_columns(m, self.i)),
            self.constant.eq(constants_of_round(self.rc)),
        ]  # fmt: skip
        return m


def test_layers():
    rng = random.Random(5)
    for key_bits in (64, 128):
        simulation = Simulation.of(rtlil.convert(Layers(key_bits), name="layers"), "layers", optimize=0)
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
