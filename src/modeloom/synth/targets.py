# SPDX-License-Identifier: Apache-2.0
"""The targets: the Yosys commands for each, and the weights of its cells."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from modeloom.synth.result import SynthesisError

__all__ = ["TARGETS", "Library", "Target", "read_library", "target_named"]

# The contents of a Liberty file that Yosys does not report: areas, cells that hold state, and the NAND2 gate as the unit of areas.

_TOKEN = re.compile(r"\s*([A-Za-z_][\w\[\]]*|[01]|[!'*&+|^()])")


@dataclass(frozen=True)
class Library:
    """Cells of a Liberty file.

    Attributes
    ----------
    areas : dict
        Area of each cell, in the unit of the file.
    sequential : frozenset of str
        Cells that hold state.
    nand2 : float or None
        Area of the smallest cell that is a NAND of two inputs; None if there is none.
    """

    areas: dict[str, float]
    sequential: frozenset[str]
    nand2: float | None


def read_library(path: Path) -> Library:
    """The cells of a file.

    Raises
    ------
    ValueError
        If there is no such file, its name cannot be used in a Yosys command, or it lacks necessary cells: a cell with an area, a logic
        cell, and a flip-flop.
    """
    if not path.is_file():
        raise ValueError(f"there is no Liberty file {path}; give its path as liberty:FILE")
    if any(c.isspace() or c in "{};\"" for c in str(path.absolute())):
        raise ValueError(f"the path of a Liberty file must be free of spaces, quotes, braces and semicolons: {path.absolute()}")
    try:
        source = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ValueError(f"cannot read the Liberty file {path}: {error.strerror}") from None
    text = re.sub(r"/\*.*?\*/", "", source, flags=re.DOTALL)
    areas: dict[str, float] = {}
    sequential: set[str] = set()
    nands: list[float] = []
    logic = flip_flops = False
    parts = re.split(r"\bcell\s*\(\s*\"?([^\s\")]+)\"?\s*\)\s*\{", text)
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        if found := re.search(r"\barea\s*:\s*\"?([-+0-9.eE]+)", body):
            areas[name] = float(found[1])
        flip_flops = flip_flops or bool(re.search(r"\bff(_bank)?\s*\(", body))
        if re.search(r"\b(ff|latch|ff_bank|latch_bank)\s*\(", body):
            sequential.add(name)
            continue
        logic = logic or bool(re.search(r"\bfunction\s*:", body))
        if name in areas and _is_nand2(re.findall(r"\bfunction\s*:\s*\"([^\"]*)\"", body)):
            nands.append(areas[name])
    lacking = "area" if not areas else "function" if not logic else "flip-flop" if not flip_flops else ""
    if lacking:
        what = f"no cell with {'an' if lacking == 'area' else 'a'} {lacking}"
        raise ValueError(f"{path} has {what}: a design cannot be mapped with it; is it a Liberty file of standard cells?")
    return Library(areas, frozenset(sequential), min(nands, default=None))


def _is_nand2(functions: list[str]) -> bool:
    """Whether the only output of a cell is the NAND of two inputs."""
    if len(functions) != 1:
        return False
    names = sorted(set(re.findall(r"[A-Za-z_][\w\[\]]*", functions[0])))
    if len(names) != 2:
        return False
    cases = [dict(zip(names, bits, strict=True)) for bits in product((False, True), repeat=2)]
    return all(_value(functions[0], case) != all(case.values()) for case in cases)


def _value(function: str, inputs: dict[str, bool]) -> bool:
    """Evaluates a Liberty expression: ! and ' invert, ^ binds tighter than AND (``*``, ``&`` or nothing), and OR is ``+`` or ``|``."""
    tokens = _TOKEN.findall(function)
    position = 0

    def peek() -> str:
        return tokens[position] if position < len(tokens) else ""

    def take() -> str:
        nonlocal position
        position += 1
        return tokens[position - 1]

    def factor() -> bool:
        token = take()
        if token == "!":
            return not factor()
        if token == "(":
            value = disjunction()
            take()
        else:
            value = token == "1" if token in "01" else inputs[token]
        while peek() == "'":
            take()
            value = not value
        return value

    def parity() -> bool:
        value = factor()
        while peek() == "^":
            take()
            value ^= factor()
        return value

    def conjunction() -> bool:
        value = parity()
        while peek() and peek() not in "+|)":
            if peek() in "*&":
                take()
            value &= parity()
        return value

    def disjunction() -> bool:
        value = conjunction()
        while peek() and peek() in "+|":
            take()
            value |= conjunction()
        return value

    return disjunction()


# -- targets -----------------------------------------------------------------------------------------------------------------------

# Inputs that reach an output without a clock: read addresses of LUT memories and the tap of a shift register in LUTs. The other inputs
# of these cells are clocked.
_ASYNC_READ = {"TRELLIS_DPR16X4": ("RAD",), "SRL16E": ("A",), "SRLC16E": ("A",), "SRLC32E": ("A",), "RAM": ("ADDR", "A", "DPRA", "RADR")}
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
    output_registers : bool
        Whether the flow uses the output registers of block memories (``memories``).  Yosys does not use those of ECP5.
    block_words : int
        Number of words from which a memory of 128 bits is better in block memories than in LUTs; 0 for gates (``memories``).
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
    output_registers: bool = False
    block_words: int = 0
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


# By half the share of a device, as cores use hardly any other block memories.  A memory of 128 bits takes four block memories of 36 bits:
# those of an LFE5U-85F are as large a share of it as 1 600 LUTs, those of an XC3S500E as 1 860, and those of an XC7A100T as 940.  In LUTs,
# a read port of 128 words takes about 2 000 LUTs on ECP5, with the multiplexers behind the parts of 16 words.  One of 64 words takes about
# 1 300 where a LUT has 16 bits (RAM16X1D), and one of 112 words about 480 where it has 32 or 64 (RAM32M, RAM64M).
_BLOCK_WORDS = {4: 32, 6: 96}


def _xilinx(name: str, device: str, inputs: int = 6) -> Target:
    synth = f"synth_xilinx -family {name} -top {{top}} -flatten -abc9 -noiopad -noclkbuf"
    shift_registers = ("xilinx_srl -fixed -minlen 3",) if inputs == 6 else ()
    compact = (f"{synth} -run begin:map_luts", "opt_expr -mux_undef -noclkinv", _COMPACT.format(size=inputs), "clean",
               *shift_registers,
               f"techmap -map +/xilinx/lut_map.v -map +/xilinx/cells_map.v -D LUT_WIDTH={inputs}",
               "xilinx_dffopt" + " -lut4" * (inputs == 4), "opt_lut_ins -tech xilinx", f"{synth} -run finalize:edif")
    # With LUT4, functions of eight inputs from sixteen LUTs and free multiplexers are good for tables, but make XOR networks much larger.
    plain = () if inputs == 6 else (f"{synth} -nowidelut",)
    return Target(name, device, "lut", (synth,), other_commands=plain, compact_commands=compact, lut_inputs=inputs,
                  block_words=_BLOCK_WORDS[inputs])


_ECP5 = Target(
    "ecp5", "Lattice ECP5 (LUT4)", "lut", ("synth_ecp5 -top {top}",), lut_inputs=4, output_registers=True, block_words=64,
    compact_commands=("synth_ecp5 -top {top} -run begin:map_luts", _COMPACT.format(size=4), "clean",
                      "synth_ecp5 -top {top} -run map_cells:edif"))

# Enables and resets of flip-flops become logic first, so they are counted as gates.
_GATES = ("synth -top {top} -flatten -noabc", "dfflegalize -cell $_DFF_P_ 01", "simplemap", "opt_expr", "opt_merge", "opt_clean")

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
