# SPDX-License-Identifier: Apache-2.0
"""Figures of small designs whose size is known or bounded."""

import json
import re
from dataclasses import astuple

import pytest
from tests.built import slow, slowly
from tests.synth.designs import Adder, AsyncMemory, Rom, TwoBlocks, XorTree, convert

from modeloom.synth import SynthesisError, SynthResult, result, synthesize, synthesize_blocks
from modeloom.synth.flow import _Mappings, _side_by_side
from modeloom.synth.result import run_tool

GROUPS = {"tables": ["rom_", "engine.rom"], "engine": ["engine"], "adders": ["adder"]}


def test_rom_on_luts():
    result = synthesize(convert(Rom(), "rom"), "rom", "ecp5", command="modeloom circuit rom --target ecp5")
    # An 8-input function takes sixteen LUT4 and a tree of 15 multiplexers, of which 12 are free in the fabric: 19 LUT4.
    assert 8 * 8 <= result.luts <= 8 * 19
    assert result.ffs == 0
    assert 1 <= result.levels <= 5
    assert result.levels_register is None
    assert result.command == "modeloom circuit rom --target ecp5"
    assert re.match(r"0\.\d+", result.tools["yosys"])
    assert re.fullmatch(r"i\[\d\]", result.longest_path["from"]) and re.fullmatch(r"o\[\d\]", result.longest_path["to"])


def test_a_design_without_wide_multiplexers():
    rom = convert(Rom(), "rom")
    wide, narrow = synthesize(rom, "rom", "xc4v"), synthesize(rom, "rom", "xc4v", narrow=True)
    assert any(cell.startswith("MUXF") for cell in wide.cells) and not any(cell.startswith("MUXF") for cell in narrow.cells)
    assert all("-nowidelut" in command for command in narrow.script if command.startswith("synth_")) and wide.luts < narrow.luts
    with pytest.raises(ValueError, match="target xc7 has no mapping without wide multiplexers"):
        synthesize(rom, "rom", "xc7", narrow=True)


def test_adder_uses_the_carry_chain():
    result = synthesize(convert(Adder(16), "adder"), "adder", "ecp5")
    assert result.cells["CCU2C"] * 2 <= result.luts <= 20
    assert result.ffs == 48
    assert result.levels == result.levels_register == 1
    assert result.longest_path["from"].startswith(("a_reg", "b_reg"))
    assert result.longest_path["to"].startswith("o")


def test_memory_with_asynchronous_read_becomes_lutram():
    result = synthesize(convert(AsyncMemory(), "memory"), "memory", "ecp5")
    # 32 x 16 bits are eight cells of 16 x 4, and a multiplexer for the upper half of the addresses.
    assert result.memories == {"lutram_cells": 8, "lutram_luts": 32, "srl_luts": 0, "bram_cells": 0}
    assert result.ffs == 21
    assert result.levels_register == 2


@pytest.mark.parametrize("target", ["xc4v", *slowly("xc3se")])
def test_four_input_luts(target):
    """Virtex-4 has LUT4 alone: the parity of 16 bits takes five of them and two levels."""
    result = synthesize(convert(XorTree(), "tree"), "tree", target)
    assert {cell for cell in result.cells if cell.startswith("LUT")} == {"LUT4"}
    assert (result.luts, result.levels_register, result.ffs) == (5, 2, 17)


@slow
@pytest.mark.parametrize("target", ["xc4v", "xc3se"])
def test_tables_of_four_input_luts(target):
    """A function of eight inputs is sixteen LUT4 and a tree of multiplexers that are not LUTs: the other of two mappings."""
    table = synthesize(convert(Rom(), "rom"), "rom", target)
    assert table.luts <= 8 * 16 and table.cells["MUXF8"] > 0


@pytest.mark.parametrize("target", ["xc7", "xcup", *slowly("xc5v")])
def test_six_input_luts(target):
    result = synthesize(convert(AsyncMemory(), "memory"), "memory", target)
    assert result.memories["lutram_cells"] > 0 and result.memories["bram_cells"] == 0
    # From 32 x 6 bits in four LUT6 to one bit of both ports in two.
    assert 12 <= result.memories["lutram_luts"] <= 32
    assert result.ffs == 21
    assert result.luts < 16
    assert result.levels_register == 1


def test_gates_count_and_depth():
    result = synthesize(convert(XorTree(), "tree"), "tree", "gates")
    assert result.gates == {"and": 0, "xor": 15, "not": 0}
    assert (result.levels, result.ffs, result.luts) == (4, 17, None)
    # 15 XOR of 12 transistors and 17 flip-flops of 16.
    assert result.area == 15 * 3 + 17 * 4


def test_gates_of_a_table_are_reworked():
    result = synthesize(convert(Rom(), "rom"), "rom", "gates")
    # A random 8-bit table as 255 multiplexers for each output would be 255 * 8 AND; ABC finds far less.
    assert "abc -g AND,XOR" in result.script
    assert set(result.cells) <= {"$_AND_", "$_XOR_", "$_NOT_"}
    assert 300 < result.gates["and"] + result.gates["xor"] < 2000
    assert result.ffs == 0 and result.area > 300


@slow
def test_compact_mapper():
    design = convert(Rom(), "rom")
    normal, compact = (synthesize(design, "rom", "xc7", mapper=mapper) for mapper in ("abc9", "compact"))
    assert "MUXF7" in normal.cells and not any(cell.startswith("MUXF") for cell in compact.cells)
    assert sum(number for cell, number in compact.cells.items() if cell.startswith("LUT")) == compact.luts
    # Sixty-four bits fill a LUT: an 8-input function takes four and a 4:1 multiplexer, one LUT6 or free.
    assert normal.luts <= 8 * 4 and compact.luts <= 8 * 5
    with pytest.raises(ValueError, match="no compact mapper for gates"):
        synthesize(design, "rom", "gates", mapper="compact")
    with pytest.raises(ValueError, match="unknown mapper"):
        synthesize(design, "rom", "xc7", mapper="best")


@pytest.mark.parametrize("target", ["ecp5", "gates"])
def test_blocks_add_up(target):
    result = synthesize(convert(TwoBlocks(), "two"), "two", target, groups=GROUPS)
    assert list(result.blocks) == ["tables", "engine", "adders", "other"]
    whole = result.blocks_total
    for name in ("luts", "ffs", "area"):
        parts = [getattr(block, name) for block in result.blocks.values()]
        if getattr(whole, name) is None:
            assert set(parts) == {None}
        else:
            assert sum(parts) == pytest.approx(getattr(whole, name))
    for kind, number in whole.cells.items():
        assert sum(block.cells.get(kind, 0) for block in result.blocks.values()) == number
    size = (lambda block: block.luts) if target == "ecp5" else (lambda block: block.area)
    # Two ROMs outweigh everything else; registers are where the design has them.
    assert size(result.blocks["tables"]) > size(whole) / 2
    ffs = {name: block.ffs for name, block in result.blocks.items()}
    assert ffs == {"tables": 0, "engine": 8, "adders": 48, "other": 16}
    assert result.ffs <= whole.ffs == 72
    assert size(result.total) <= 1.1 * size(whole)


def test_modules_that_are_shared_count_each_time():
    """One ROM module for both instances: it is mapped once, and its group has twice the cells of the ROM alone."""
    design = convert(TwoBlocks(), "two").replace("cell \\two.engine.rom", "cell \\two.rom_0")
    result = synthesize_blocks(design, "two", "ecp5", GROUPS, command="pytest")
    alone = synthesize(convert(Rom(), "rom"), "rom", "ecp5")
    assert result.blocks["tables"].cells == {cell: 2 * number for cell, number in alone.cells.items()}
    assert {name: block.ffs for name, block in result.blocks.items()} == {"tables": 0, "engine": 8, "adders": 48, "other": 16}
    assert result.total.luts == sum(block.luts for block in result.blocks.values()) > 2 * alone.luts
    assert (result.command, result.tools) == ("pytest", alone.tools)
    with pytest.raises(ValueError, match="no instance begins with 'rum_'"):
        synthesize_blocks(design, "two", "ecp5", {"tables": ["rum_"]})


def test_json_round_trip_and_repetition():
    groups = {"adders": GROUPS["adders"]}
    texts = [synthesize(convert(TwoBlocks(), "two"), "two", "ecp5", groups=groups).to_json() for _ in range(2)]
    assert texts[0] == texts[1]
    data = json.loads(texts[0])
    assert data["schema"] == "modeloom-synth-1" and data["luts"] > 0 and data["blocks"]["adders"]["ffs"] == 48
    assert SynthResult.from_dict(data).to_json() == texts[0]
    with pytest.raises(ValueError, match="schema"):
        SynthResult.from_dict({**data, "schema": "other/1"})


def test_errors():
    design = convert(Adder(8), "adder")
    with pytest.raises(ValueError, match="did you mean ecp5"):
        synthesize(design, "adder", "epc5")
    with pytest.raises(ValueError, match="place and route is for ecp5, nexus"):
        synthesize(design, "adder", "xc7", pnr=True)
    with pytest.raises(ValueError, match="no module named 'missing'"):
        synthesize(design, "missing", "ecp5")
    with pytest.raises(ValueError, match="must be positive"):
        synthesize(design, "adder", "ecp5", pnr=True, freq=-1)
    with pytest.raises(ValueError, match="no router 'router3', only router1 and router2"):
        synthesize(design, "adder", "ecp5", pnr=True, router="router3")
    with pytest.raises(ValueError, match="timing weight must be positive"):
        synthesize(design, "adder", "ecp5", pnr=True, timing_weight=0)
    with pytest.raises(SynthesisError, match=r"Yosys did not finish in 0\.05 s"):
        synthesize(design, "adder", "ecp5", timeout=0.05)
    with pytest.raises(SynthesisError, match="Yosys failed"):
        synthesize(design.replace("cell $add", "cell $addd"), "adder", "ecp5")


def liberty_cell(name: str, area: float, inputs: str, function: str) -> str:
    """A gate with the same delay from every pin; ABC refuses libraries without delays."""
    tables = ("cell_rise", "cell_fall", "rise_transition", "fall_transition")
    timing = "".join(f'{table}(t) {{ values("0.1, 0.2", "0.2, 0.3"); }} ' for table in tables)
    pins = "".join(f"pin({pin}) {{ direction : input; capacitance : 0.001; }} " for pin in inputs)
    arcs = "".join(f'timing() {{ related_pin : "{pin}"; timing_sense : negative_unate; {timing} }} ' for pin in inputs)
    return (f"cell ({name}) {{ area : {area}; {pins}"
            f'pin(Y) {{ direction : output; function : "{function}"; max_capacitance : 1; {arcs} }} }}\n')


def test_liberty_file(tmp_path):
    library = tmp_path / "five.lib"
    library.write_text("""library(five) {
  time_unit : "1ns"; capacitive_load_unit(1, pf);
  /* cell (COMMENT) { area : 99; } */
  lu_table_template(t) { variable_1 : input_net_transition; variable_2 : total_output_net_capacitance;
                         index_1("0.01, 0.1"); index_2("0.001, 0.01"); }
""" + liberty_cell("BUF", 1.5, "A", "A") + liberty_cell("INV", 1, "A", "A'")
        + liberty_cell("NAND2", 2, "AB", "(A*B)'") + liberty_cell("NOR2", 2.5, "AB", "(A+B)'") + """
  cell (DFF)   { area : 9.5; ff(IQ, IQN) { clocked_on : C; next_state : D; }
                 pin(C) { direction : input; clock : true; } pin(D) { direction : input; }
                 pin(Q) { direction : output; function : "IQ"; } }
}
""")
    result = synthesize(convert(XorTree(), "tree"), "tree", f"liberty:{library}")
    assert result.ffs == 17 and set(result.cells) <= {"BUF", "INV", "NAND2", "NOR2", "DFF"}
    areas = {"BUF": 1.5, "INV": 1, "NAND2": 2, "NOR2": 2.5, "DFF": 9.5}
    assert result.area == sum(areas[kind] * number for kind, number in result.cells.items())
    # An XOR is three or four NAND and NOR gates with their inverters.
    assert 3 * 15 <= result.cells["NAND2"] + result.cells["NOR2"] <= 6 * 15
    assert sum(result.gates.values()) == sum(result.cells.values()) - 17
    assert result.area_nand2 == result.area / 2
    # A gate takes a tenth of a nanosecond and more; an XOR has at least two in a row, and there are four.
    assert 8 * 0.1 <= result.fast["delay_ns"] <= result.delay_ns < 20
    assert result.fast["area_nand2"] == result.fast["area"] / 2 > 17 * 9.5 / 2
    assert astuple(result)[2] == "Liberty cells of five.lib"
    with pytest.raises(ValueError, match="there is no Liberty file"):
        synthesize(convert(XorTree(), "tree"), "tree", f"liberty:{tmp_path / 'none.lib'}")


def test_when_one_mapping_fails_the_other_is_stopped(tmp_path):
    """The error is that of the one that failed, and no tool stays behind."""
    stopped = []

    def sleeps():
        try:
            run_tool(["sleep", "600"], "sleep", directory=tmp_path)
        except SynthesisError as error:
            stopped.append(str(error))
            raise

    def fails():
        while not result._running:
            pass
        raise KeyError("wrong")

    with pytest.raises(KeyError, match="wrong"):
        _side_by_side(sleeps, fails, None, tmp_path)
    assert stopped == ["sleep failed (exit status -9): no output"] and not result._running
    assert _side_by_side(lambda: 1, lambda: (2, 3, ""), lambda: 4, tmp_path) == _Mappings(1, 2, 3, 4)
