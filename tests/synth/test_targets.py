# SPDX-License-Identifier: Apache-2.0
"""Target names and what cells count for."""


import pytest
from tests.built import slowly
from tests.synth.designs import Adder, AsyncMemory, convert

from modeloom.rtl.aes.sboxes import SBox
from modeloom.synth import TARGETS, synthesize, target_named

NAMES = [
    "ecp5", "xcup", "xc7", "xc6v", "xc5v", "xc4v", "xc3se", "nexus", "ice40", "gowin", "gatemate", "cyclonev", "gates",
]  # fmt: skip


def test_names():
    assert [*TARGETS] == NAMES
    with pytest.raises(ValueError, match=r"unknown target 'xc6': did you mean (xc6v or xc7|xc7 or xc6v)\?"):
        target_named("xc6")
    with pytest.raises(ValueError, match=f"known: {', '.join(NAMES)}, liberty:FILE"):
        target_named("?")


def test_cells():
    xc7, ecp5, gates = TARGETS["xc7"], TARGETS["ecp5"], TARGETS["gates"]
    assert [xc7.luts_of(c) for c in ("LUT1", "LUT6", "MUXF7", "CARRY4", "INV")] == [1, 1, 0, 0, 0]
    assert [ecp5.luts_of(c) for c in ("LUT4", "CCU2C", "PFUMX", "L6MUX21", "TRELLIS_DPR16X4")] == [1, 2, 0, 0, 0]
    assert all(xc7.is_flip_flop(c) for c in ("FDRE", "FDSE", "FDCE", "FDPE_1"))
    assert not any(xc7.is_flip_flop(c) for c in ("LUT6", "SRL16E", "RAM32M", "FIFO18E1"))
    assert xc7.passes("RAM32M", "ADDRA") and not xc7.passes("RAM32M", "DIA") and not xc7.passes("RAM32M", "WCLK")
    assert xc7.passes("SRL16E", "A0") and not xc7.passes("SRL16E", "D")
    xcup = TARGETS["xcup"]
    assert [xcup.lutram_luts_of(c) for c in ("RAM32M16", "RAM64M8", "RAM64X8SW", "RAM32X16DR8")] == [8] * 4
    assert xcup.is_block_ram("RAMB36E2") and xcup.is_block_ram("URAM288") and xcup.is_dsp("DSP48E2")
    assert xcup.passes("RAM64M8", "ADDRA") and not xcup.passes("RAM64M8", "DIA") and not xcup.passes("URAM288", "ADDR_A")
    assert not xc7.passes("RAMB36E1", "ADDRARDADDR") and not ecp5.passes("DP16KD", "ADA0")
    assert [gates.area_of(c) for c in ("$_NAND_", "$_XOR_", "$_NOT_", "$_DFF_P_")] == [1, 3, 0.5, 4]
    assert gates.weight("$_NOT_", "A") == 0 and gates.weight("$_XOR_", "A") == 1


ADDERS = {
    "nexus": ("CCU2", "FD1P3IX"), "ice40": ("SB_CARRY", "SB_DFFSR"), "gowin": ("ALU", "DFFR"), "gatemate": ("CC_ADDF", "CC_DFF"),
    "cyclonev": ("MISTRAL_ALUT_ARITH", "MISTRAL_FF"),
}  # fmt: skip
"""Cells of a sum and of registers."""


@pytest.mark.parametrize("target", ["ice40", *slowly("nexus", "gowin", "gatemate", "cyclonev")])
def test_cells_of_a_small_design(target):
    """Each cell of logic is counted, and so are all registers.  A sum of 16 bits is a chain, which takes few levels."""
    result = synthesize(convert(Adder(16), "adder"), "adder", target)
    assert set(ADDERS[target]) <= result.cells.keys()
    assert result.ffs == 48 and 16 <= result.luts <= 120
    assert 1 <= result.levels_register <= 2


@pytest.mark.parametrize("target", ["ice40", *slowly("nexus", "gowin", "gatemate", "cyclonev")])
def test_memories_in_luts_are_mapped_everywhere(target):
    """A memory with the attributes of emitted Verilog.  Where LUTs cannot be memories, it becomes whatever the tool chooses."""
    text, styles = convert(AsyncMemory(), "store"), '  attribute \\ram_style "distributed"\n  attribute \\ramstyle "MLAB"\n'
    assert text.count("\n  memory ") == 1
    found = synthesize(text.replace("\n  memory ", f"\n{styles}  memory "), "store", target)
    assert (found.memories["lutram_luts"] > 0) == TARGETS[target].lut_memories
    assert TARGETS[target].lut_memories != (found.memories["bram_cells"] > 0 or found.ffs > 512)


@pytest.mark.parametrize("target", ["ice40", *slowly("nexus", "gowin", "gatemate", "cyclonev")])
def test_block_memories(target):
    result = synthesize(convert(SBox("bram", stages=2), "sbox"), "sbox", target)
    assert result.memories["bram_cells"] == 1 and result.luts <= 16
    assert not any(TARGETS[target].passes(cell, "ADDR") for cell in result.cells if TARGETS[target].is_block_ram(cell))
