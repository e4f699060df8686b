# SPDX-License-Identifier: Apache-2.0
"""Modules that are mapped alone: their LUTs stay as they are, and the netlist is flat again."""

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.synth import synthesize
from modeloom.synth.yosys import APART


class TwoSteps(wiring.Component):
    """The XOR of two bits in a module of its own, and behind it one with a third bit: one LUT for any mapper that sees both."""

    a: In(3)
    o: Out(1)

    def __init__(self, apart: bool) -> None:
        self.apart = apart
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        inner = Signal(attrs={APART: 1} if self.apart else {})
        m.submodules.first = first = Module()
        first.d.comb += inner.eq(self.a[0] ^ self.a[1])
        m.d.comb += self.o.eq(inner ^ self.a[2])
        return m


@pytest.mark.parametrize("mapper", ["abc9", "compact"])
@pytest.mark.parametrize("apart", [False, True])
def test_luts_of_a_module_mapped_alone_stay(mapper, apart):
    result = synthesize(rtlil.convert(TwoSteps(apart), name="steps"), "steps", "ecp5", mapper=mapper)
    assert (result.luts, result.levels) == ((2, 2) if apart else (1, 1))
    assert (result.script[-1] == "clean") == apart


def test_gates_are_mapped_as_ever():
    result = synthesize(rtlil.convert(TwoSteps(True), name="steps"), "steps", "gates")
    assert result.gates == {"and": 0, "xor": 2, "not": 0}


@pytest.mark.parametrize(("target", "luts"), [("xc7", 2), ("ecp5", 1)])
def test_modules_that_ask_for_it_are_mapped_alone_for_six_inputs_only(target, luts):
    text = rtlil.convert(TwoSteps(False), name="steps")
    asked = text.replace("module \\steps.first\n", 'attribute \\keep_hierarchy "yes"\nmodule \\steps.first\n')
    assert asked != text
    result = synthesize(asked, "steps", target)
    assert result.luts == luts
    assert synthesize(text, "steps", target).luts == 1
