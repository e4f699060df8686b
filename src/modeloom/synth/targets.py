# SPDX-License-Identifier: Apache-2.0
"""The targets: the Yosys commands for each, and the weights of its cells."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from modeloom.synth.liberty import read_library
from modeloom.synth.result import SynthesisError

__all__ = ["TARGETS", "Target", "target_named"]

# Inputs that reach an output without a clock: read addresses of LUT memories and the tap of a shift register in LUTs. The other inputs
# of these cells are clocked.
_ASYNC_READ = {"TRELLIS_DPR16X4": ("RAD",), "SRL16E": ("A",), "SRLC16E": ("A",), "SRLC32E": ("A",),
               "RAM": ("ADDR", "A", "DPRA", "RADR")}
_LUTRAM_LUTS = {"TRELLIS_DPR16X4": 4, "RAM16X1S": 1, "RAM16X1D": 2, "RAM32X1S": 1, "RAM32X1D": 2, "RAM64X1S": 1,
                "RAM64X1D": 2, "RAM128X1S": 2, "RAM128X1D": 4, "RAM256X1S": 4, "RAM256X1D": 8, "RAM512X1S": 8,
                "RAM32M": 4, "RAM64M": 4, "RAM32M16": 8, "RAM64M8": 8, "RAM64X8SW": 8, "RAM32X16DR8": 8}
# Numbers of static CMOS transistors, from `stat -tech cmos` of Yosys and from `abc -g cmos4`.
_TRANSISTORS = {"$_NOT_": 2, "$_NAND_": 4, "$_NOR_": 4, "$_AND_": 6, "$_OR_": 6, "$_XOR_": 12, "$_XNOR_": 12,
                "$_MUX_": 12, "$_NMUX_": 10, "$_AOI3_": 6, "$_OAI3_": 6, "$_AOI4_": 8, "$_OAI4_": 8,
                "$_DFF_P_": 16, "$_DFF_N_": 16}
# AND, XOR and NOT gates for each gate of the simple library. A multiplexer is b ^ s & (a ^ b).
_MUXES = ("$_MUX_", "$_NMUX_")
_BASIS = {**dict.fromkeys(("$_AND_", "$_OR_", "$_NAND_", "$_NOR_", "$_ANDNOT_", "$_ORNOT_"), (1, 0, 0)),
          **dict.fromkeys(("$_XOR_", "$_XNOR_"), (0, 1, 0)), **dict.fromkeys(_MUXES, (1, 2, 0)), "$_NOT_": (0, 0, 1)}
_FLIP_FLOP = re.compile(r"TRELLIS_FF|FD[A-Z]*E?(_1)?|\$_\w*DFF\w*_")
_BLOCK_RAM = re.compile(r"DP16KD|PDPW16KD|RAMB\w+|URAM288\w*|FIFO\w+")
_DSP = re.compile(r"MULT\w+|ALU54B|DSP48\w*")


@dataclass(frozen=True)
class Target:
    """One target.

    Attributes
    ----------
    name : str
        Its name on the command line.
    device : str
        A phrase for reports.
    kind : str
        ``"lut"`` or ``"gate"``.
    commands : tuple of str
        Yosys commands from word-level RTLIL to the mapped netlist.  ``{top}`` is replaced by the top module.
    other_commands : tuple of str
        For LUTs: an alternative to `commands`, without the wide multiplexers of the fabric.  The mapping with fewer LUTs is used.
    rework_commands : tuple of str
        For gates: commands that let ABC restructure the netlist.  The smaller of both netlists is used.
    area_commands : tuple of str
        For gates: commands that map the netlist a second time, for the area.
    compact_commands : tuple of str
        For LUTs: commands that put area before depth.
    fast_commands : tuple of str
        For a Liberty file: commands that put delay before area.
    lut_inputs : int
        Inputs of a LUT; 0 for gates.
    areas, sequential, nand2 : dict, frozenset, float or None
        For a Liberty file: area by cell, the cells that hold state, and the area of its smallest NAND2.
    """

    name: str
    device: str
    kind: str
    commands: tuple[str, ...]
    other_commands: tuple[str, ...] = ()
    rework_commands: tuple[str, ...] = ()
    area_commands: tuple[str, ...] = ()
    compact_commands: tuple[str, ...] = ()
    fast_commands: tuple[str, ...] = ()
    lut_inputs: int = 0
    areas: dict[str, float] = field(default_factory=dict)
    sequential: frozenset[str] = frozenset()
    nand2: float | None = None

    @property
    def has_lut4_cells(self) -> bool:
        """Whether the target has cells named LUT2 to LUT4, and no larger ones: the older families of Xilinx."""
        return self.lut_inputs == 4 and self.name.startswith("xc")

    def luts_of(self, cell: str) -> int:
        """Number of LUTs that a cell of this type takes as logic."""
        if cell == "CCU2C":
            return 2
        return int(re.fullmatch(r"LUT[1-6]|LUT6_2", cell) is not None)

    def luts_in(self, cells: Mapping[str, int]) -> int:
        """Number of LUTs that cells take as logic."""
        return sum(number * self.luts_of(cell) for cell, number in cells.items())

    def is_flip_flop(self, cell: str) -> bool:
        return cell in self.sequential or _FLIP_FLOP.fullmatch(cell) is not None

    def lutram_luts_of(self, cell: str) -> int:
        return _LUTRAM_LUTS.get(cell, 0)

    def is_shift_register(self, cell: str) -> bool:
        return cell.startswith("SRL")

    def is_block_ram(self, cell: str) -> bool:
        return _BLOCK_RAM.fullmatch(cell) is not None

    def is_dsp(self, cell: str) -> bool:
        return _DSP.fullmatch(cell) is not None

    def area_of(self, cell: str) -> float:
        """NAND2 equivalents of one cell, or its area in the Liberty file.

        Raises
        ------
        SynthesisError
            If the cell is in no table, because the netlist is not fully mapped.
        """
        table = self.areas or _TRANSISTORS
        if cell not in table:
            raise SynthesisError(f"cell {cell} has no area for target {self.name}")
        return table[cell] if self.areas else table[cell] / 4

    def basis_of(self, cell: str) -> tuple[int, int, int]:
        """AND, XOR and NOT gates of the cell.  Inversions at the pins of a gate are free."""
        return _BASIS.get(cell, (0, 0, 0))

    def passes(self, cell: str, port: str) -> bool:
        """Whether a change at this input reaches an output of the cell without a clock edge."""
        if self.is_flip_flop(cell) or self.is_block_ram(cell) or _DSP.fullmatch(cell):
            return False
        if cell in _ASYNC_READ:
            return port.startswith(_ASYNC_READ[cell])
        if cell in _LUTRAM_LUTS:
            return port.startswith(_ASYNC_READ["RAM"])
        return True

    def weight(self, cell: str, port: str) -> int:
        """Number of levels that the path from this input through the cell adds."""
        if self.kind == "gate":
            return 3 if cell in _MUXES else int(cell not in ("$_NOT_", "$_BUF_"))
        if cell == "CCU2C":
            return int(port != "CIN")
        return int(self.luts_of(cell) > 0 or cell in _LUTRAM_LUTS or self.is_shift_register(cell))


# Area-oriented: no restructuring for depth after the choice nodes, then don't-care based resynthesis. Mishchenko et
# al.,
# "Combinational and sequential mapping with priority cuts", ICCAD 2007 (if -a); "Scalable don't-care-based logic
# optimization and resynthesis", ACM TRETS 4(4), 2011 (mfs2).
_COMPACT = "abc -lut {size} -script +strash;dch;if,-a;mfs2"


def _xilinx(name: str, device: str, inputs: int = 6) -> Target:
    synth = f"synth_xilinx -family {name} -top {{top}} -flatten -abc9 -noiopad -noclkbuf"
    shift_registers = ("xilinx_srl -fixed -minlen 3",) if inputs == 6 else ()
    compact = (f"{synth} -run begin:map_luts", "opt_expr -mux_undef -noclkinv", _COMPACT.format(size=inputs), "clean",
               *shift_registers,
               f"techmap -map +/xilinx/lut_map.v -map +/xilinx/cells_map.v -D LUT_WIDTH={inputs}",
               "xilinx_dffopt" + " -lut4" * (inputs == 4), "opt_lut_ins -tech xilinx", f"{synth} -run finalize:edif")
    # With LUT4, functions of eight inputs from sixteen LUTs and free multiplexers are good for tables, but make XOR networks much larger.
    plain = () if inputs == 6 else (f"{synth} -nowidelut",)
    return Target(name, device, "lut", (synth,), other_commands=plain, compact_commands=compact, lut_inputs=inputs)


_ECP5 = Target(
    "ecp5", "Lattice ECP5 (LUT4)", "lut", ("synth_ecp5 -top {top}",), lut_inputs=4,
    compact_commands=("synth_ecp5 -top {top} -run begin:map_luts", _COMPACT.format(size=4), "clean",
                      "synth_ecp5 -top {top} -run map_cells:edif"))

# Enables and resets of flip-flops become logic first, so they are counted as gates.
_GATES = ("synth -top {top} -flatten -noabc", "dfflegalize -cell $_DFF_P_ 01", "simplemap", "opt_expr", "opt_merge",
          "opt_clean")

TARGETS = {
    "ecp5": _ECP5,
    "xcup": _xilinx("xcup", "Xilinx UltraScale+ (LUT6)"),
    "xc7": _xilinx("xc7", "Xilinx 7 series (LUT6)"),
    "xc6v": _xilinx("xc6v", "Xilinx Virtex-6 (LUT6)"),
    "xc5v": _xilinx("xc5v", "Xilinx Virtex-5 (LUT6; experimental in Yosys)"),
    "xc4v": _xilinx("xc4v", "Xilinx Virtex-4 (LUT4; experimental in Yosys)", 4),
    "xc3se": _xilinx("xc3se", "Xilinx Spartan-3E (LUT4; experimental in Yosys)", 4),
    "gates": Target("gates", "gates: AND, XOR, NOT; area in NAND2 equivalents", "gate", _GATES,
                    rework_commands=("abc -g AND,XOR", "opt_clean"),
                    area_commands=("abc -g cmos4,XOR,XNOR,MUX", "opt_clean")),
}


# Area first, and delay first with cells sized for their loads.  Both end with the delay of the longest path.
_CELLS_SMALL = "+strash;&get,-n;&fraig,-x;&put;scorr;dc2;strash;&get,-n;&dch,-f;&nf;&put;topo;stime,-p"
_CELLS_FAST = "+strash;&get,-n;&st;&syn3;&syn3;&dch,-f;&nf;&put;buffer,-c;topo;upsize,-c;dnsize,-c;stime,-p"


def _liberty(path: Path) -> Target:
    library = read_library(path)
    # Yosys runs in a separate folder.
    file = path.absolute()
    before = ("synth -top {top} -flatten -noabc", f"dfflibmap -liberty {file}")
    small, fast = ((*before, f"abc -liberty {file} -script {script}", "opt_clean") for script in (_CELLS_SMALL, _CELLS_FAST))
    return Target(f"liberty:{path}", f"Liberty cells of {path.name}", "gate", small, fast_commands=fast,
                  areas=library.areas, sequential=library.sequential, nand2=library.nand2)


def target_named(name: str) -> Target:
    """The target called `name`: a key of ``TARGETS``, or ``liberty:FILE``.

    Raises
    ------
    ValueError
        If there is no such target (the message has the nearest names), no such file, or the Liberty file is unusable.
    """
    if name.startswith("liberty:"):
        return _liberty(Path(name.removeprefix("liberty:")))
    if name in TARGETS:
        return TARGETS[name]
    near = difflib.get_close_matches(name.lower(), TARGETS, n=2, cutoff=0.4)
    known = ", ".join([*TARGETS, "liberty:FILE"])
    hint = f": did you mean {' or '.join(near)}?" if near else ""
    raise ValueError(f"unknown target {name!r}{hint} (known: {known})")
