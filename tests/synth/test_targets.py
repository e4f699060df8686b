# SPDX-License-Identifier: Apache-2.0
"""Target names and what cells count for."""

import pytest

from modeloom.synth import TARGETS, target_named


def test_names():
    assert set(TARGETS) == {"ecp5", "xcup", "xc7", "xc6v", "xc5v", "xc4v", "xc3se", "gates"}
    with pytest.raises(ValueError, match=r"unknown target 'xc6': did you mean (xc6v or xc7|xc7 or xc6v)\?"):
        target_named("xc6")
    with pytest.raises(ValueError, match=r"known: ecp5, xcup, xc7, xc6v, xc5v, xc4v, xc3se, gates, liberty:FILE"):
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
