# SPDX-License-Identifier: Apache-2.0
"""What tools for synthesis are told of memories and registers: attributes, and statements of memories in the forms of templates.

The attributes in the hardware descriptions, and their equivalents for Vivado and Quartus:

========================  ======================================  ==============================================
description               Yosys, Vivado                           Quartus
========================  ======================================  ==============================================
ram_style "distributed"   ram_style = "distributed"               ramstyle = "MLAB"
ram_style "block"         ram_style = "block"                     ramstyle = "no_rw_check" (and no_rw_check below)
ram_style "ultra"         ram_style = "ultra"                     as for "block"
no_rw_check               no_rw_check; rw_addr_collision = "no"   ramstyle = "no_rw_check"
rom_style "logic"         ram_style = "registers" for Yosys,      romstyle = "logic"
                          rom_style = "distributed" for Vivado
rom_style "block"         rom_style = "block"                     the tool's choice, which is a block memory
keep                      keep = "true"                           keep = "true"
async_reg                 ASYNC_REG = "TRUE",                     altera_attribute, which names a synchroniser
                          shreg_extract = "no"
========================  ======================================  ==============================================

Registers of synchronisers also have ``syn_preserve`` for Synplify and Radiant.

Sources: UG901 (RAM_STYLE, ROM_STYLE, RW_ADDR_COLLISION, KEEP, ASYNC_REG), Quartus Prime help (ramstyle, romstyle, keep, altera_attribute),
Yosys' memory_libmap.

``verilog`` writes memories in these forms::

    RAM, read with a register      always @(posedge clk) begin if (we) words[waddr] <= wdata; end
    (block RAM or LUTs)            always @(posedge clk) begin if (en) rdata <= words[raddr]; end
    RAM, read without a register   always @(posedge clk) begin if (we) words[waddr] <= wdata; end
    (LUTs)                         assign rdata = words[raddr];
    ROM, read with a register      initial begin words[0] = ...; end
    (block memory)                 always @(posedge clk) begin rdata <= words[raddr]; end
    ROM, read without a register   initial begin words[0] = ...; end
    (logic)                        assign rdata = words[raddr];

They are those of these templates:

- AMD UG901 (Vivado Design Suite User Guide: Synthesis), chapter "HDL Coding Techniques".  RAM with a register: "Simple Dual-Port Block RAM
  with Single Clock (Verilog)" (simple_dual_one_clock.v).  RAM without one: "Dual-Port RAM with Asynchronous Read" (rams_dist.v).  ROM: "ROM
  HDL Coding Techniques".  Its example "ROM Using Block RAM Resources (Verilog)" is a ``case``; a ROM as an array, as here, is in "ROM_STYLE
  Verilog Example".
- Quartus Prime Pro Edition User Guide: Design Recommendations, chapter "Recommended HDL Coding Styles", section "Inferring Memory Functions
  from HDL Code".  RAM with a register: "Single-Clock Synchronous RAM with Old Data Read-During-Write Behavior"; for ``no_rw_check`` see
  "Check Read-During-Write Behavior".  Initial contents: "Specifying Initial Memory Contents at Power-Up".  ROM: "Inferring ROM Functions
  from HDL Code".  There is no template without a register: "Use Synchronous Memory Blocks" says that such memories become logic cells.
- Yosys documentation, "Memory handling", section "Supported memory patterns" (``memory_libmap``).  RAM with a register: "Synchronous SDP
  read first", and with ``no_rw_check`` "Synchronous SDP with undefined collision behavior".  RAM without one: "Asynchronous-read SDP".
  Initial contents: "Initial data".

``ultra`` cites the template of UltraRAM.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["attributes_of"]

_SAME = {
    ("ram_style", "distributed"): (("ramstyle", '"MLAB"'),),
}
"""Further attributes that are written for an attribute and its value."""

_NO_CHECK = (("ramstyle", '"no_rw_check"'), ("rw_addr_collision", '"no"'))
"""Programs never use a word that is read in the cycle in which it is written."""

_SYNCHRONIZER = (
    ("ASYNC_REG", '"TRUE"'), ("shreg_extract", '"no"'), ("syn_preserve", "1"),
    ("altera_attribute", '"-name SYNCHRONIZER_IDENTIFICATION FORCED"'),
)  # fmt: skip
"""What the registers of a synchroniser need: they stay two registers, and lie beside each other."""


def attributes_of(attributes: Mapping[str, str]) -> str:
    """The text of the attributes before the declaration of a net or memory, with a space at the end.  It is empty if there are none.

    Parameters
    ----------
    attributes : mapping
        Names and values as in RTLIL.  Attributes that are not for synthesis (``init``) are left out.
    """
    found: list[tuple[str, str]] = []
    for name, value in attributes.items():
        if name == "rom_style" and value == '"logic"':
            # With "distributed", Yosys would use memories, which cannot be initialized in most devices.  Yosys reads ram_style first.
            # Vivado ignores ram_style for a ROM.
            found += [("ram_style", '"registers"'), ("rom_style", '"distributed"'), ("romstyle", '"logic"')]
        elif name in ("ram_style", "rom_style"):
            found += [(name, value), *_SAME.get((name, value.strip('"')), ())]
        elif name == "no_rw_check":
            found += [(name, "1"), *_NO_CHECK]
        elif name in ("keep", "shreg_extract"):
            found.append((name, '"true"' if name == "keep" else value))
        elif name == "async_reg":
            found += _SYNCHRONIZER
        elif name == "mapped_apart":
            found.append((name, "1"))
    if not found:
        return ""
    return "(* " + ", ".join(f"{name} = {value}" for name, value in found) + " *) "
