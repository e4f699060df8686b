# SPDX-License-Identifier: Apache-2.0
"""MixColumns in LUT6: by the matrices of the networks, by the hardware, and as it is mapped."""

import random
import re

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from tests.built import slow
from tests.rtl.aes.bench import INV_MIX, MIX, evaluate, from_bytes, multiply_columns, to_bytes

from modeloom.rtl.aes.mixcolumns_lut6 import (
    both_mix_columns_lut6,
    both_network,
    forward_network,
    inv_mix_columns_lut6,
    inverse_network,
    keyed_forward_network,
    keyed_inverse_network,
    mix_columns_lut6,
)
from modeloom.rtl.aes.sboxes import sub_bytes_of
from modeloom.rtl.logic import Sum, XorLuts
from modeloom.synth import synthesize

RANDOM = [random.Random(7 + n).randbytes(8) for n in range(12)]
"""Two columns each."""

# Network, matrix, value of the gate, LUTs and levels.
NETWORKS = [
    (forward_network(), MIX, 0, 36, 2),
    (keyed_forward_network(), MIX, 0, 44, 2),
    (inverse_network(), INV_MIX, 0, 51, 4),
    (inverse_network(3), INV_MIX, 0, 57, 3),
    (keyed_inverse_network(), INV_MIX, 0, 58, 5),
    (both_network(), MIX, 0, 60, 4),
    (both_network(), INV_MIX, 1, 60, 4),
]


@pytest.mark.parametrize(("network", "row", "gate", "luts", "levels"), NETWORKS)
def test_matrix_and_size(network, row, gate, luts, levels):
    """Every sum is linear in the inputs, the gate being fixed, so basis vectors decide."""
    columns = []
    for n in range(len(network.inputs)):
        values = {name: int(name == network.inputs[n]) for name in network.inputs}
        columns.append(sum(bit << k for k, bit in enumerate(network.evaluate(values, gate))))
    wanted = [from_bytes(multiply_columns(row, to_bytes(1 << n, 4))) for n in range(32)]
    assert columns[:32] == wanted
    # A round key is added as it is.
    assert columns[32:] == [1 << n for n in range(len(network.inputs) - 32)]
    assert (network.luts, network.levels) == (luts, levels)
    assert network.luts == len(network.sums) and all(each.fan_in <= 6 for each in network.sums.values())


def test_hardware_on_columns():
    def mixed(state):
        return multiply_columns(MIX, state)

    def unmixed(state):
        return multiply_columns(INV_MIX, state)

    key = 0x0123456789ABCDEF

    def keyed(state):
        return to_bytes(from_bytes(state) ^ key, 8)

    def constant(m):
        signal = Signal(64, init=key)
        return signal

    forms = {
        "forward": (lambda m, s: mix_columns_lut6(m, s), mixed),
        "inverse": (lambda m, s: inv_mix_columns_lut6(m, s), unmixed),
        "inverse, 3 levels": (lambda m, s: inv_mix_columns_lut6(m, s, levels=3), unmixed),
        "forward with key": (lambda m, s: mix_columns_lut6(m, s, constant(m)), lambda s: keyed(mixed(s))),
        "inverse with key": (lambda m, s: inv_mix_columns_lut6(m, s, constant(m)), lambda s: keyed(unmixed(s))),
        "both, 0": (lambda m, s: both_mix_columns_lut6(m, s, Signal(init=0)), mixed),
        "both, 1": (lambda m, s: both_mix_columns_lut6(m, s, Signal(init=1)), unmixed),
    }
    for name, (function, reference) in forms.items():
        assert evaluate(64, function, RANDOM) == [reference(state) for state in RANDOM], name


def test_refused():
    for width in (0, 8, 48):
        with pytest.raises(ValueError, match=f"32-bit columns, not {width} bits"):
            mix_columns_lut6(Module(), Signal(width))
    with pytest.raises(ValueError, match="as wide as the state, 32 bits, not 8"):
        mix_columns_lut6(Module(), Signal(32), Signal(8))
    with pytest.raises(ValueError, match="levels must be 3 or 4, not 2"):
        inv_mix_columns_lut6(Module(), Signal(32), levels=2)
    with pytest.raises(ValueError, match="7 inputs"):
        XorLuts("abcdefg", {"o": Sum(tuple("abcdefg"))}, ["o"])
    with pytest.raises(ValueError, match="6 inputs|7 inputs"):
        XorLuts("abcdefg", {"o": Sum(tuple("ab"), tuple("cdef"))}, ["o"])
    with pytest.raises(ValueError, match="reads z"):
        XorLuts("ab", {"o": Sum(("a", "z"))}, ["o"])
    with pytest.raises(ValueError, match="no such outputs: p"):
        XorLuts("ab", {"o": Sum(("a", "b"))}, ["p"])


class Parts(wiring.Component):
    """Functions of inputs of their own, each with its output."""

    def __init__(self, **functions):
        self.functions = functions
        ports = {}
        for name, (inputs, outputs, _) in functions.items():
            ports |= {f"{name}_i": In(inputs), f"{name}_o": Out(outputs)}
        super().__init__(ports)

    def elaborate(self, platform):
        m = Module()
        for name, (_, _, function) in self.functions.items():
            m.d.comb += getattr(self, f"{name}_o").eq(function(m, getattr(self, f"{name}_i")))
        return m


SBOX = (8, 8, lambda m, i: sub_bytes_of(m, i))
FORWARD = (32, 32, mix_columns_lut6)
INVERSE = (32, 32, inv_mix_columns_lut6)
FLAT = (32, 32, lambda m, i: inv_mix_columns_lut6(m, i, levels=3))
KEYED = (64, 32, lambda m, i: mix_columns_lut6(m, i[:32], i[32:]))
KEYED_INVERSE = (64, 32, lambda m, i: inv_mix_columns_lut6(m, i[:32], i[32:]))
BOTH = (33, 32, lambda m, i: both_mix_columns_lut6(m, i[:32], i[32]))


def mapped(target="xc6v", **functions):
    return synthesize(rtlil.convert(Parts(**functions), name="parts"), "parts", target)


def test_mapped_together():
    """The goals are 32 LUT6 for an S-box, 36 for MixColumns, 60 for its inverse; one run of Yosys for all three."""
    result = mapped(sbox=SBOX, forward=FORWARD, inverse=INVERSE)
    assert result.luts == 32 + 36 + 51
    assert result.levels == 4
    # A table of 256 bits is four LUT6 and their multiplexers; the sums of five and six terms are counted one by one.
    assert result.cells["LUT6"] == 32 + 12 + 37


@slow
@pytest.mark.parametrize(
    ("function", "luts", "levels"),
    [(SBOX, 32, 1), (FORWARD, 36, 2), (INVERSE, 51, 4), (FLAT, 57, 3), (KEYED, 44, 2), (KEYED_INVERSE, 58, 5), (BOTH, 63, 4)],
    ids=["sbox", "forward", "inverse", "flat", "keyed", "keyed inverse", "both"],
)
def test_mapped_alone(function, luts, levels):
    result = mapped(it=function)
    assert result.luts <= luts and result.levels <= levels


@slow
@pytest.mark.parametrize("target", ["ecp5", "gates"])
def test_other_targets_map_freely(target):
    """Without LUT6 the attribute is taken off: what is mapped is as if it had never been there."""
    design = rtlil.convert(Parts(it=INVERSE), name="parts")
    free = re.sub(r"^ *attribute \\keep 1\n", "", design, flags=re.MULTILINE)
    assert free != design
    assert synthesize(design, "parts", target).cells == synthesize(free, "parts", target).cells
