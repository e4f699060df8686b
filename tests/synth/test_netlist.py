# SPDX-License-Identifier: Apache-2.0
"""Counting and depth on netlists written by hand."""

import pytest
from tests.synth.netlists import cell, module

from modeloom.synth import SynthesisError, target_named
from modeloom.synth.netlist import cell_counts, depth, figures, module_counts

ECP5 = target_named("ecp5")


def test_depth_of_two_kinds_of_path():
    # register 10 - lut 11 - pfumx 12 (free) - lut 13 - register; input 2 - lut 14 - lut 15 - lut 16 - output
    cells = {
        "q": cell("TRELLIS_FF", {"DI": 13, "CLK": 1}, {"Q": 10}),
        "a": cell("LUT4", {"A": 10}, {"Z": 11}), "b": cell("PFUMX", {"ALUT": 11}, {"Z": 12}),
        "c": cell("LUT4", {"A": 12}, {"Z": 13}), "d": cell("LUT4", {"A": 2, "B": 10}, {"Z": 14}),
        "e": cell("LUT4", {"A": 14}, {"Z": 15}), "f": cell("LUT4", {"A": 15}, {"Z": 16}),
    }
    found = depth({"modules": {"top": module(cells, {"clk": 1, "i": 2}, {"o": 16})}}, "top", ECP5)
    assert (found.levels, found.levels_register, found.end) == (3, 2, "f_net")
    assert found.start in ("i", "q_net")


def test_carry_chain_counts_once_and_lutram_reads():
    cells = {
        "c0": cell("CCU2C", {"A0": 2}, {"COUT": 10}), "c1": cell("CCU2C", {"CIN": 10}, {"COUT": 11}),
        "c2": cell("CCU2C", {"CIN": 11}, {"S0": 12}),
        "m": cell("TRELLIS_DPR16X4", {"RAD": 12, "DI": 3, "WCK": 1}, {"DO": 13}),
        "q": cell("TRELLIS_FF", {"DI": 13, "CLK": 1}, {"Q": 14}),
    }
    found = depth({"modules": {"top": module(cells, {"clk": 1, "i": 2, "d": 3}, {})}}, "top", ECP5)
    assert (found.levels, found.levels_register, found.start, found.end) == (2, None, "i", "q_net")


def test_loops_are_reported():
    cells = {"a": cell("LUT4", {"A": 11}, {"Z": 10}), "b": cell("LUT4", {"A": 10}, {"Z": 11})}
    with pytest.raises(SynthesisError, match="combinational loop through a_net"):
        depth({"modules": {"top": module(cells)}}, "top", ECP5)


def test_counts_multiply_instances():
    leaf = module({"l": cell("LUT4", {"A": 2}, {"Z": 3}), "s": cell("$scopeinfo", {}, {})})
    register = cell("TRELLIS_FF", {"DI": 2}, {"Q": 3})
    middle = module({"x": cell("leaf", {}, {}), "y": cell("leaf", {}, {}), "q": register})
    top = module({"m": cell("middle", {}, {}), "n": cell("middle", {}, {}), "c": cell("CCU2C", {}, {})})
    library = {**module({"inner": cell("LUT4", {}, {})}), "attributes": {"blackbox": "0001"}}
    netlist = {"modules": {"leaf": leaf, "middle": middle, "top": top, "CCU2C": library}}
    assert cell_counts(netlist, "top") == {"LUT4": 4, "TRELLIS_FF": 2, "CCU2C": 1}
    assert module_counts(netlist, "top") == {"leaf": {"LUT4": 4}, "middle": {"TRELLIS_FF": 2}, "top": {"CCU2C": 1}}
    found = figures(cell_counts(netlist, "top"), ECP5)
    assert (found.luts, found.ffs, found.gates, found.area) == (6, 2, None, None)


def test_unmapped_cells_have_no_area():
    with pytest.raises(SynthesisError, match=r"cell \$_LATCH_ has no area"):
        figures({"$_AND_": 1, "$_LATCH_": 1}, target_named("gates"))
