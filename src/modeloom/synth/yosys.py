# SPDX-License-Identifier: Apache-2.0
"""Mapping with Yosys, with a child process for each run."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import util
from pathlib import Path

from modeloom.synth.memories import with_output_registers
from modeloom.synth.netlist import Netlist, cell_counts
from modeloom.synth.result import SynthesisError, run_tool
from modeloom.synth.targets import Target

__all__ = [
    "APART", "FOUR", "MANY", "TABLE", "Mapped", "commands_of", "map_design", "pin_commands", "tables_apart", "version_of", "ways",
    "without_wide",
]  # fmt: skip

# Sums that a circuit assigns to LUTs by hand.
#
# A wire with the attribute ``keep`` that is driven by one wide XOR (``$reduce_xor``) of two to six bits is one LUT on targets with LUT6:
#
#     (* keep *) wire s;  assign s = ^{a, b, c, d, e, f};   ──▶   LUT6
#
# ABC would restructure networks of XORs for depth and ignore the attribute.  On other targets, the attribute is removed, so the mapper is
# free.  If a wire also has the attribute ``lut4``, its sum has at most four bits, and it is one LUT on Xilinx targets with LUT4, too.

FOUR = "lut4"
"""Attribute of a wire whose sum is made for LUTs with four inputs."""

_FILE = "pins.v"


def _parity_table(size: int) -> str:
    return f"{1 << size}'h{sum((n.bit_count() & 1) << n for n in range(1 << size)):x}"


def _cells() -> str:
    cases = []
    for size in range(2, 7):
        pins = ", ".join(f".I{n}(A[{n}])" for n in range(size))
        cases.append(f"  {size}: LUT{size} #(.INIT({_parity_table(size)})) _TECHMAP_REPLACE_ ({pins}, .O(Y));\n")
    return (
        '(* techmap_celltype = "$reduce_xor" *)\nmodule pinned (A, Y);\n'
        "parameter A_WIDTH = 1;\nparameter A_SIGNED = 0;\nparameter Y_WIDTH = 1;\ninput [A_WIDTH-1:0] A;\noutput Y;\n"
        f"generate case (A_WIDTH)\n{''.join(cases)}  default: wire _TECHMAP_FAIL_ = 1;\nendcase endgenerate\nendmodule\n"
    )


def pin_commands(rtlil: str, directory: Path, *, lut6: bool, lut4: bool = False) -> list[str]:
    """Yosys commands for a design that has just been read.  There are none if it has no such wires.

    Parameters
    ----------
    rtlil : str
        The design.
    directory : Path
        The folder in which Yosys runs.  A file with the LUTs is written there.
    lut6 : bool
        Whether the target has cells named LUT2 to LUT6.
    lut4 : bool
        Whether it has cells named LUT2 to LUT4, and no larger ones.
    """
    if "attribute \\keep " not in rtlil:
        return []
    commands = ["select -set sums w:* a:keep %i %ci1 t:$reduce_xor %i", "select -set pinned @sums %co1 w:* %i a:keep %i",
                "setattr -unset keep @pinned"]
    if lut4 and f"attribute \\{FOUR} 1" in rtlil:
        commands.append(f"select -set sums w:* a:{FOUR} %i %ci1 t:$reduce_xor %i")
    if lut6 or (lut4 and f"attribute \\{FOUR} 1" in rtlil):
        (directory / _FILE).write_text(_cells(), encoding="utf-8")
        commands.append(f"techmap -map {_FILE} @sums")
    return commands


# -- tables ------------------------------------------------------------------------------------------------------------------------

# Makes modules of the tables of a design, such as S-boxes, so equal tables become logic only once.
#
# A core with S-boxes in LUTs reads about three hundred tables of 256 bytes, but only two different ones.  Each is 2 040 multiplexers, which
# every pass before the mapping processes.  With modules, there are only two tables.  They are flattened before LUTs are mapped, because ABC
# takes a quarter more LUTs for a single S-box (159) than for one of many:
#
#     memory, rom_style "logic"                      module table_8_8_HASH: the memory with one port
#       port 0 ── A ─▶ D          ──▶                 ├─ instance for port 0
#       port 1 ── A ─▶ D                              └─ instance for port 1

MANY = 8
"""Smallest number of places for which a table becomes a module."""

TABLE = "mapped_table"
"""Attribute of the modules."""

WHOLE_TABLE = re.compile(r"^ *attribute \\table_whole ", re.MULTILINE)
"""The attribute of memories of tables that the design asks to be mapped by themselves (``rtl.aes.sbox``)."""

_MODULE = re.compile(r"^module \\(\S+)\n(.*?)^end$\n?", re.MULTILINE | re.DOTALL)
_MEMORY = re.compile(
    r'^(?:  attribute [^\n]*\n)*  attribute \\(?:rom_style "logic"|ram_style "registers")\n(?:  attribute [^\n]*\n)*'
    r"  memory width (\d+) size (\d+) \\(\S+)\n",
    re.MULTILINE,
)
_INSTANCE = re.compile(r"^  cell \\(\S+) ", re.MULTILINE)
_ANY = re.compile(r"^  (?:cell|process) ", re.MULTILINE)
_CELL = re.compile(r"^(?:  attribute [^\n]*\n)*  cell \$(meminit_v2|memrd|memrd_v2) (\S+)\n(.*?)^  end\n", re.MULTILINE | re.DOTALL)
_MENTIONED = re.compile(r'^    parameter \\MEMID (".*")$', re.MULTILINE)
_WORD = re.compile(r"^    (?:parameter(?: signed)?|connect) \\(\w+) (.*)$", re.MULTILINE)


def tables_apart(rtlil: str) -> str:
    """The design, in which each table that should be logic is in a module with ``keep_hierarchy``.

    A table is a memory whose words all have initial values, which is never written, and which is read without a clock.  It should be logic
    if its ``rom_style`` is "logic" or, in emitted Verilog, its ``ram_style`` is "registers".  With the attribute ``table_whole``, its
    module is mapped by itself, like the module of such a table in emitted Verilog.  Tables that are read in fewer than `MANY` places, and
    all other memories, are not changed.
    """
    parts = [(match[1], *match.span()) for match in _MODULE.finditer(rtlil)]
    tables = [table for owner, begin, end in parts for table in _tables(rtlil, owner, begin, end)]
    # A module that contains only a table is read once for each of its instances.
    instances = Counter(_INSTANCE.findall(rtlil))
    places: Counter[str] = Counter()
    for table in tables:
        places[table.name] += instances[table.owner] if table.alone else len(table.ports)
    chosen = [table for table in tables if places[table.name] >= MANY]
    # The removed text and its replacement.
    edits = [(table.memory.span(), "") for table in chosen]
    for table in chosen:
        edits += [(cell.span(), "") for cell, _ in table.words]
        edits += [(cell.span(), _instance(table.name, cell[2], port)) for cell, port in table.ports]
    pieces, at = [], 0
    for (begin, end), text in sorted(edits):
        pieces += [rtlil[at:begin], text]
        at = end
    modules = {table.name: table for table in chosen}
    return "".join([*pieces, rtlil[at:], *(_module(table) for table in modules.values())])


_Cell = tuple[re.Match[str], dict[str, str]]
"""A cell in the text, and its parameters and connections."""


@dataclass(frozen=True)
class _Table:
    """A table in a memory.

    It has the name of its module, the module that has the memory, the memory, the cells that set its words, and the cells that read them.
    Then follow its words, whether the module contains nothing else and was not made here, and whether it is mapped by itself.
    """

    name: str
    owner: str
    memory: re.Match[str]
    words: list[_Cell]
    ports: list[_Cell]
    contents: dict[int, str]
    alone: bool
    whole: bool


def _tables(rtlil: str, owner: str, begin: int, end: int) -> Iterator[_Table]:
    """The tables of the module between two positions in the text."""
    memories = list(_MEMORY.finditer(rtlil, begin, end))
    if not memories:
        return
    cells: dict[str, list[_Cell]] = {}
    for cell in _CELL.finditer(rtlil, begin, end):
        words = dict(_WORD.findall(cell[3]))
        cells.setdefault(words["MEMID"], []).append((cell, words))
    mentioned = Counter(_MENTIONED.findall(rtlil, begin, end))
    for memory in memories:
        name = f'"\\\\{memory[3]}"'
        own = cells.get(name, [])
        # Every use is a port or a word.
        if mentioned[name] == len(own) and (table := _table(owner, memory, own)) is not None:
            alone = len(table.ports) == 1 and owner != table.name and len(_ANY.findall(rtlil, begin, end)) == len(own)
            yield replace(table, alone=alone)


def _table(owner: str, memory: re.Match[str], cells: list[_Cell]) -> _Table | None:
    """The table in a memory that these cells use, or None if it is not a table whose ports need no clock."""
    size = int(memory[2])
    inits = [each for each in cells if each[0][1] == "meminit_v2"]
    whole = WHOLE_TABLE.search(memory[0]) is not None
    # Ports of Amaranth have more parameters.  They are read for tables that must be modules.
    ports = [each for each in cells if each[0][1] == "memrd" or (whole and each[0][1] == "memrd_v2")]
    contents = {int(init["ADDR"]): init["DATA"] for _, init in inits if _is_word(init)}
    if whole and len(inits) == 1 and inits[0][1]["WORDS"] == str(size) and size > 1:
        contents = _cut(inits[0][1]["DATA"], int(memory[1]))
    # Every word has a value.
    if len(contents) != size or len(inits) not in (1, size) or not ports:
        return None
    address = (size - 1).bit_length()
    if not all(port["CLK_ENABLE"] in ("0", "1'0") and int(port["ABITS"]) == address for _, port in ports):
        return None
    text = "\n".join(f"{place} {contents[place]}" for place in sorted(contents))
    name = f"table_{address}_{memory[1]}_{hashlib.sha256(text.encode()).hexdigest()[:12]}{'_whole' * whole}"
    return _Table(name, owner, memory, inits, ports, contents, False, whole)


def _instance(table: str, name: str, port: dict[str, str]) -> str:
    """An instance of the module of a table, which replaces a port."""
    return f"  cell \\{table} {name}\n    connect \\A {port['ADDR']}\n    connect \\D {port['DATA']}\n  end\n"


def _is_word(init: dict[str, str]) -> bool:
    """Whether an initial value sets one whole word at an address that is a plain number."""
    return init["WORDS"] == "1" and init["ADDR"].isdecimal() and not set(init["EN"].rpartition("'")[2]) - {"1"}


def _cut(data: str, width: int) -> dict[int, str]:
    """The words of a number of binary digits that sets all of them, the last word first."""
    digits = data.rpartition("'")[2]
    ends = range(len(digits), 0, -width)
    return {place: f"{width}'{digits[end - width : end]}" for place, end in enumerate(ends)}


def _module(table: _Table) -> str:
    """The module of a table: its memory with one port."""
    width, size = int(table.memory[1]), int(table.memory[2])
    address = (size - 1).bit_length()
    words = table.contents
    inits = "".join(
        f"  cell $meminit_v2 $init${place}\n"
        f'    parameter \\WORDS 1\n    parameter \\MEMID "\\\\table"\n    parameter \\ABITS 32\n    parameter \\WIDTH {width}\n'
        f"    parameter \\PRIORITY {place}\n    connect \\ADDR {place}\n    connect \\DATA {words[place]}\n"
        f"    connect \\EN {width}'{'1' * width}\n  end\n"
        for place in sorted(words)
    )
    attributes = 'attribute \\keep_hierarchy "yes"\n' if table.whole else f"attribute \\keep_hierarchy 1\nattribute \\{TABLE} 1\n"
    return (
        f"{attributes}module \\{table.name}\n"
        f"  wire width {address} input 1 \\A\n  wire width {width} output 2 \\D\n"
        f'  attribute \\rom_style "logic"\n  memory width {width} size {size} \\table\n{inits}'
        f'  cell $memrd $read\n    parameter \\MEMID "\\\\table"\n    parameter \\ABITS {address}\n    parameter \\WIDTH {width}\n'
        "    parameter \\CLK_ENABLE 0\n    parameter \\CLK_POLARITY 0\n    parameter \\TRANSPARENT 0\n"
        "    connect \\CLK 1'x\n    connect \\EN 1'x\n    connect \\ADDR \\A\n    connect \\DATA \\D\n  end\nend\n"
    )


# -- yosys -------------------------------------------------------------------------------------------------------------------------

APART = "mapped_apart"
"""Attribute of a wire, set with ``Signal(..., attrs={"mapped_apart": 1})``."""

WHOLE = 'attribute \\keep_hierarchy "yes"\n'
"""The attribute of modules that the design asks to be mapped by themselves."""

_CHILD = """
import sys
from pyosys import libyosys as ys
design = ys.Design()
for command in sys.argv[1:]:
    ys.run_pass(command, design)
"""
"""A process that runs commands.  The Yosys library keeps its design and log in globals, and only a process can be stopped at the time
limit."""


@dataclass(frozen=True)
class Mapped:
    """The result of one run.

    Attributes
    ----------
    netlist : dict
        The netlist as JSON from Yosys: the smaller one if there are two versions.
    area : dict or None
        For gate targets: the netlist mapped for area.
    path : Path
        File of `netlist`.
    script : list of str
        The commands for both.
    delay_ns : float or None
        For a Liberty file: the longest path of gates in the static timing analysis of ABC.
    """

    netlist: Netlist
    area: Netlist | None
    path: Path
    script: list[str]
    delay_ns: float | None


def map_design(rtlil: str, top: str, target: Target, directory: Path, *, mapper: str = "abc9",
               timeout: float | None = None) -> Mapped:
    """Maps a design with the commands of the target, or with its commands for the mapper ``"compact"`` or ``"fast"``.

    Modules with ``keep_hierarchy`` stay separate, and everything else is flattened. Sums that the design assigns to LUTs are kept on
    targets with LUT6 (``pins``).  On targets with LUTs, tables that are read in many places become logic only once (``tables``).  Modules
    with a wire that has ``APART`` are mapped separately and flattened afterwards. Their logic already consists of LUTs, which ABC would
    restructure for depth.  On targets whose block memories have output registers, these take the registers behind them (``memories``).

    Raises
    ------
    SynthesisError
        If Yosys is missing, fails, or takes more than `timeout` seconds.
    """
    if util.find_spec("pyosys") is None:
        raise SynthesisError("Yosys is missing: pip install 'pyosys>=0.70'")
    if target.kind == "lut":
        rtlil = tables_apart(rtlil)
    (directory / "design.il").write_text(rtlil, encoding="utf-8")
    if len(several := ways(target, mapper)) > 1:
        mapped = []
        for number, way in enumerate(several):
            (directory / str(number)).mkdir()
            mapped.append(map_design(rtlil, top, way, directory / str(number), timeout=timeout))
        return min(mapped, key=lambda each: target.luts_in(cell_counts(each.netlist, top)))
    first = pin_commands(rtlil, directory, lut6=target.has_lut6_cells, lut4=target.has_lut4_cells)
    wanted = commands_of(target, mapper, top)
    first += _tables_until_luts(wanted) if f"attribute \\{TABLE} 1" in rtlil else wanted
    if WHOLE in rtlil:
        # Other targets do better when they map everything at once.
        together = ["setattr -mod -unset keep_hierarchy A:keep_hierarchy=yes", "flatten", "clean"]
        first = [*first, *together] if target.lut_inputs == 6 else [together[0], *first]
    if f"attribute \\{APART} 1" in rtlil and target.kind == "lut":
        apart = f"a:{APART} %m"
        # Their wires may be gone after the mapping, so the modules get a separate mark.
        first = [f"setattr -mod -set keep_hierarchy 1 -set {APART} 1 {apart}", *first,
                 f"setattr -mod -unset keep_hierarchy A:{APART}=1", "flatten", "clean"]
    run = ["read_rtlil design.il", *_with_libraries(target), *first, "write_json netlist.json"]
    if target.rework_commands:
        run += [*target.rework_commands, "write_json reworked.json"]
    if target.area_commands:
        run += [*target.area_commands, "write_json area.json"]
    # -P removes the folder of the design from the module path.  The child needs only pyosys.
    log = run_tool([sys.executable, "-P", "-c", _CHILD, *run], "Yosys", directory=directory, timeout=timeout)
    netlist, path, script = _read(directory / "netlist.json"), directory / "netlist.json", first
    if target.output_registers:
        netlist = with_output_registers(netlist)
        path.write_text(json.dumps(netlist, separators=(",", ":")), encoding="utf-8")
    if target.rework_commands:
        reworked = _read(directory / "reworked.json")
        # ABC finds smaller logic for tables and controllers, but destroys hand-made XOR networks.
        if _gates(reworked, top, target) < _gates(netlist, top, target):
            netlist, path, script = reworked, directory / "reworked.json", [*first, *target.rework_commands]
    area = _read(directory / "area.json") if target.area_commands else None
    times = re.findall(r"\bDelay = *([0-9.]+) ps", log)
    return Mapped(netlist, area, path, script, max(map(float, times)) / 1000 if times else None)


def commands_of(target: Target, mapper: str, top: str) -> list[str]:
    """The commands of a mapper, without the commands before and after them that depend on the design."""
    chosen = {"compact": target.compact_commands, "fast": target.fast_commands}.get(mapper, target.commands)
    return [command.format(top=top) for command in chosen]


def _tables_until_luts(commands: Sequence[str]) -> list[str]:
    """The commands with tables as separate modules until LUTs are mapped.  For LUTs, ABC works better on the whole design."""
    join = [f"setattr -mod -unset keep_hierarchy A:{TABLE}=1", "flatten", "opt_clean"]
    found: list[str] = []
    for command in commands:
        if command.startswith("synth_") and "-run" not in command:
            found += [f"{command} -run begin:map_luts", *join, f"{command} -run map_luts:"]
        else:
            found += [command, *(join if command.endswith("-run begin:map_luts") else [])]
    return found


def without_wide(target: Target) -> Target:
    """The target with its alternative commands alone, which leave the wide multiplexers of the fabric out.

    Raises
    ------
    ValueError
        If it has no such commands.
    """
    if not target.other_commands:
        raise ValueError(f"target {target.name} has no mapping without wide multiplexers")
    return replace(target, commands=target.other_commands, other_commands=())


def ways(target: Target, mapper: str) -> list[Target]:
    """The target with each of its alternative lists of commands.  The mapping with fewer LUTs is used."""
    other = [target.other_commands] if target.other_commands and mapper == "abc9" else []
    return [replace(target, commands=commands, other_commands=()) for commands in (target.commands, *other)]


def version_of(mapped: Mapped) -> str:
    """The version of Yosys that mapped a design."""
    return str(mapped.netlist.get("creator", "")).removeprefix("Yosys ").partition(" (")[0]


def _gates(netlist: Netlist, top: str, target: Target) -> int:
    return sum(number * sum(target.basis_of(cell)[:2]) for cell, number in cell_counts(netlist, top).items())


def _with_libraries(target: Target) -> Sequence[str]:
    # The port directions in the netlist come from the cells of the library.  Liberty files contain them.
    return [f"read_liberty -lib {Path(target.name.removeprefix('liberty:')).absolute()}"] if target.areas else []


def _read(path: Path) -> Netlist:
    with path.open(encoding="utf-8") as handle:
        result: Netlist = json.load(handle)
    return result
