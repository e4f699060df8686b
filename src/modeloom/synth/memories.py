# SPDX-License-Identifier: Apache-2.0
"""Memories of a design on a target: LUTs or block memories, and the output registers of the latter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar, cast

from modeloom.synth.netlist import Bit, Cell, Module, Net, Netlist
from modeloom.synth.result import SynthesisError
from modeloom.synth.targets import Target

__all__ = ["Register", "differences", "register_of", "with_output_registers", "with_styles"]

# -- LUTs or blocks ------------------------------------------------------------------------------------------------------------------------

# A memory with ``no_rw_check`` and no style may become LUTs or block memories, with the same results: its data are registered, and no word
# is read in the cycle in which it is written.  The target decides by the number of words, which is that for a word of 128 bits.  A memory
# with shorter words must have more of them, and one with longer words at least as many, because a block memory has many short words.
# Where LUTs cannot be memories, Yosys refuses a memory that has to be one, and makes registers of a memory without a style that a block
# memory cannot be.

_BITS = 128
_MEMORY_LINE = re.compile(
    r"(?P<attributes>(?:^  attribute [^\n]*\n)*)^  memory (?=width (?P<width>\d+) size (?P<words>\d+) )", re.MULTILINE
)
_FREE = re.compile(r"^  attribute \\no_rw_check ", re.MULTILINE)
_STYLE = re.compile(r'^  attribute \\(?:(?:ram|rom|logic)_(?:style|block)|syn_r[ao]mstyle|r[ao]mstyle (?!"no_rw_check"))', re.MULTILINE)
_DISTRIBUTED = re.compile(r'^  attribute \\(?:ram_style "distributed"|ramstyle "MLAB")\n', re.MULTILINE)


def with_styles(rtlil: str, target: Target) -> str:
    """The design in which each memory that may be of either kind has the style that is better on the target.

    Parameters
    ----------
    rtlil : str
        The design as RTLIL text.
    target : Target
    """
    if not target.block_words:
        return rtlil

    if not target.lut_memories:
        rtlil = _DISTRIBUTED.sub("", rtlil)

    def styled(line: re.Match[str]) -> str:
        if not _FREE.search(line["attributes"]) or _STYLE.search(line["attributes"]):
            return line[0]
        words, bits = int(line["words"]), int(line["words"]) * int(line["width"])
        blocks = words >= target.block_words and bits >= target.block_words * _BITS
        style = "block" if blocks else "distributed" if target.lut_memories else ""
        return f'  attribute \\ram_style "{style}"\n{line[0]}' if style else line[0]

    return _MEMORY_LINE.sub(styled, rtlil)


# -- output registers ----------------------------------------------------------------------------------------------------------------------

# A register behind each data output of a block memory of ECP5 moves into the memory:
#
#     DP16KD, NOREG                                       DP16KD, OUTREG
#     │ array │ latch ─▶ DO ─▶ TRELLIS_FF ─▶ Q    ──▶    │ array │ latch ─▶ register ─▶ DO = Q
#                                enable                                     OCE = enable
#
# The delay from the clock to the data falls from 5.8 to 0.95 ns, and the registers of the fabric are free for other logic.  Yosys 0.70
# never uses the register (yosys#5814).  So this is done on the mapped netlist, and the result is proved: the registers are taken out again
# as the memory is defined, and the netlist must then be the one that was mapped, cell by cell.
#
# The definition is that of the simulation library of Lattice (``DP16KC`` of ECP3, the same memory), for a memory that is never reset:
#
# - The register of a port has the clock and the edge of the port.  It takes the latch of the port if OCE is 1, whatever CE is.
# - It is 0 at the start.
# - If port A has 36 bits, the memory has one port to write, A, and one to read, B.  ``DOA`` then belongs to port B.  The mode of each half
#   is its own, but both halves have the clock and OCE of B.  ``OCEA`` is made equal, so it does not matter which one a half has.

_Value = TypeVar("_Value")

_MEMORY, _REGISTER = "DP16KD", "TRELLIS_FF"
_WIDE = 36
_PARAMETERS = {"CEMUX", "CLKMUX", "GSR", "LSRMUX", "LSRMODE", "REGSET", "SRMODE"}


@dataclass(frozen=True)
class Register:
    """A register that is 0 at the start and never reset.

    Attributes
    ----------
    clock, data, output : int or str
        Its nets.
    falling : bool
        Whether it takes its data at the falling edge.
    enable : int or str
        The net of its enable; ``"1"`` if it takes data at each edge.
    inverted : bool
        Whether it takes data if the net of its enable is 0.
    gsr : str
        What the global reset does with it.
    """

    clock: Bit
    falling: bool
    enable: Bit
    inverted: bool
    gsr: str
    data: Bit
    output: Bit


def register_of(cell: Cell) -> Register | None:
    """The register that a cell is, or None if it is none or has what the output register of a memory has not: a reset, another value at
    the start, or data that it must keep (``keep``)."""
    given = _parameters(cell)
    if cell["type"] != _REGISTER or not _PARAMETERS.issuperset(given) or _kept(cell.get("attributes")):
        return None
    pins = {port: bits[0] for port, bits in cell["connections"].items() if bits}
    plain = (given.get("REGSET", "RESET"), given.get("LSRMUX", "LSR"), given.get("LSRMODE", "LSR"), pins.get("LSR"))
    if plain != ("RESET", "LSR", "LSR", "0") or not isinstance(pins.get("CLK"), int) or "DI" not in pins or "Q" not in pins:
        return None
    edge, enabled = given.get("CLKMUX", "CLK"), given.get("CEMUX", "1")
    if edge not in ("CLK", "INV") or enabled not in ("1", "CE", "INV"):
        return None
    enable = "1" if enabled == "1" else pins.get("CE", "x")
    if enable == "1" and enabled == "INV" or enable in ("0", "x", "z"):
        return None
    return Register(pins["CLK"], edge == "INV", enable, enabled == "INV", given.get("GSR", "ENABLED"), pins["DI"], pins["Q"])


def with_output_registers(netlist: Netlist) -> Netlist:
    """The netlist in which each port of a block memory has its output register, if every data output that is read goes to a register,
    to nothing else, and these registers are alike.

    Raises
    ------
    SynthesisError
        If the result cannot be proved equal, which is an error of this program.
    """
    result = cast(Netlist, {**netlist, "modules": {name: _folded(module) for name, module in netlist["modules"].items()}})
    for wrong in differences(netlist, result):
        raise SynthesisError(f"a register behind a block memory was moved wrongly into it: {wrong}")
    return result


# -- ports of a memory -----------------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class _Side:
    """A port that reads: the letter of its clock and controls, and those of its data."""

    letter: str
    data: str

    def outputs(self, cell: Cell) -> dict[str, Bit]:
        """The nets of its data outputs."""
        pattern = re.compile(rf"DO[{self.data}]\d+")
        return {pin: bits[0] for pin, bits in cell["connections"].items() if bits and pattern.fullmatch(pin)}


def _sides(cell: Cell) -> tuple[_Side, ...]:
    wide = int(_parameters(cell).get("DATA_WIDTH_A", "10010"), 2) == _WIDE
    return (_Side("B", "AB"),) if wide else (_Side("A", "A"), _Side("B", "B"))


def _form(cell: Cell, side: _Side) -> tuple[Bit, bool, str] | None:
    """Clock, whether it falls, and global reset of a port without an output register that is never reset; None for other ports."""
    given, letter = _parameters(cell), side.letter
    edge, pins = given.get(f"CLK{letter}MUX", f"CLK{letter}"), cell["connections"]
    clock = next(iter(pins.get(f"CLK{letter}", ())), "x")
    ways = [given.get(f"{pin}MUX", pin) == pin for each in side.data for pin in (f"OCE{each}", f"RST{each}")]
    plain = all(given.get(f"REGMODE_{each}", "NOREG") == "NOREG" and pins.get(f"RST{each}") == ["0"] for each in side.data)
    if not plain or not all(ways) or edge not in (f"CLK{letter}", "INV") or not isinstance(clock, int):
        return None
    return clock, edge == "INV", given.get("GSR", "ENABLED")


def _parameters(cell: Cell) -> dict[str, str]:
    # Yosys adds a space to texts that look like numbers.
    return {name: value.rstrip() for name, value in cell.get("parameters", {}).items()}


def _kept(attributes: Mapping[str, str] | None) -> bool:
    return int((attributes or {}).get("keep", "0"), 2) != 0


# -- into the memory -------------------------------------------------------------------------------------------------------------------

def _folded(module: Module) -> Module:
    cells = module["cells"]
    if not any(cell["type"] == _MEMORY for cell in cells.values()):
        return module
    readers = _readers(module)
    kept = {bit for net in module["netnames"].values() if _kept(net.get("attributes")) for bit in net["bits"]}
    found, moved, gone = dict(cells), set[str](), set[Bit]()
    for name, cell in cells.items():
        for side in _sides(cell) if cell["type"] == _MEMORY else ():
            behind = _behind(cell, side, cells, readers)
            if behind is None or any(bit in kept for bit in side.outputs(cell).values()):
                continue
            found[name] = _with_register(found[name], side, {pin: register for pin, (_, register) in behind.items()})
            for reader, register in behind.values():
                del found[reader]
                moved.add(reader)
                gone.add(register.data)
    return module if not moved else cast(Module, {**module, "cells": found, "netnames": _without(module["netnames"], gone)})


def _readers(module: Module) -> dict[Bit, list[str]]:
    """The cells that read each net, once for each pin, and an empty name for a port of the module."""
    readers: dict[Bit, list[str]] = {}
    for name, cell in module["cells"].items():
        for pin, bits in cell["connections"].items():
            if cell["port_directions"][pin] != "output":
                for bit in bits:
                    readers.setdefault(bit, []).append(name)
    for port in module["ports"].values():
        if port["direction"] != "input":
            for bit in port["bits"]:
                readers.setdefault(bit, []).append("")
    return readers


def _behind(
    cell: Cell, side: _Side, cells: Mapping[str, Cell], readers: Mapping[Bit, list[str]]
) -> dict[str, tuple[str, Register]] | None:
    """The register behind each data output that is read, with its name; None if the memory cannot take them."""
    behind: dict[str, tuple[str, Register]] = {}
    for pin, bit in side.outputs(cell).items():
        names = readers.get(bit, [])
        if not names or not isinstance(bit, int):
            continue
        register = register_of(cells[names[0]]) if len(names) == 1 and names[0] else None
        if register is None or register.data != bit:
            return None
        behind[pin] = names[0], register
    forms = {(each.clock, each.falling, each.gsr) for _, each in behind.values()}
    enables = {(each.enable, each.inverted) for _, each in behind.values()}
    return behind if len(enables) == 1 and forms == {_form(cell, side)} else None


def _with_register(cell: Cell, side: _Side, behind: Mapping[str, Register]) -> Cell:
    register = next(iter(behind.values()))
    parameters, connections = dict(cell.get("parameters", {})), dict(cell["connections"])
    for each in side.data:
        parameters[f"REGMODE_{each}"] = "OUTREG"
        connections[f"OCE{each}"] = [register.enable]
        if register.inverted:
            parameters[f"OCE{each}MUX"] = "INV"
    connections |= {pin: [each.output] for pin, each in behind.items()}
    return cast(Cell, {**cell, "parameters": parameters, "connections": connections,
                       "port_directions": {**cell["port_directions"], **{f"OCE{each}": "input" for each in side.data}}})


def _without(nets: Mapping[str, Net], gone: set[Bit]) -> dict[str, Net]:
    """The names of nets, without nets that no longer exist."""
    left: dict[str, Net] = {}
    for name, net in nets.items():
        if gone.isdisjoint(net["bits"]):
            left[name] = net
        elif not gone.issuperset(net["bits"]):
            left[name] = cast(Net, {**net, "bits": ["x" if bit in gone else bit for bit in net["bits"]]})
    return left


# -- the proof -------------------------------------------------------------------------------------------------------------------------

def differences(before: Netlist, after: Netlist) -> Iterator[str]:
    """What keeps two netlists from being equal for all states and inputs, where the second may have registers of the first inside its
    memories.  There is nothing if they are proved equal.

    The output registers that only the second has are taken out again, each as a register beside its memory.  Then both have the same cells
    with the same parameters, and a renaming of nets that maps one to the other.  Names of nets, attributes and positions do not count.
    """
    if {*before["modules"]} != {*after["modules"]}:
        yield "the modules differ"
        return
    for name, module in after["modules"].items():
        if module is not before["modules"][name]:
            yield from (f"module {name}: {each}" for each in _module_differences(before["modules"][name], module))


def _module_differences(before: Module, after: Module) -> Iterator[str]:
    if before["ports"] != after["ports"]:
        yield "its ports differ"
    if strange := sorted({*after["cells"]} - {*before["cells"]}):
        yield f"cell {strange[0]} is new"
        return
    cells, inside = dict(after["cells"]), set[Register]()
    # The net of each latch in the first netlist.  No other net of the second may become one of them.
    latches: set[Bit] = set()
    for name, cell in after["cells"].items():
        old = before["cells"][name]
        if cell is not old and cell["type"] == _MEMORY == old["type"]:
            cells[name], registers = _taken_out(cell, old)
            inside |= registers
            latches |= {register.data for register in registers}
    read = _readers(cast(Module, {**after, "cells": cells}))
    if taken := latches.intersection(read):
        yield f"net {min(taken, key=str)} between a memory and its register is read elsewhere"
    for name, cell in cells.items():
        if cell is not (old := before["cells"][name]) and _contents(cell) != _contents(old):
            yield f"cell {name} differs"
    beside = [(name, register_of(cell)) for name, cell in before["cells"].items() if name not in cells]
    for name, register in beside:
        if register is None or register not in inside:
            yield f"register {name} is not inside its memory"
    # A register whose output nothing reads may be there or not.
    outside = {register for _, register in beside}
    if left := {register.output for register in inside - outside}.intersection(read):
        yield f"net {min(left, key=str)} has a register inside its memory that is new"


def _taken_out(cell: Cell, old: Cell) -> tuple[Cell, set[Register]]:
    """A memory without the output registers that it had not before, and these registers.  Their data are on the nets of before.

    This assumes nothing of how they came into the memory.  What is no register by the definition stays, so the cell differs.
    """
    given, before = _parameters(cell), _parameters(old)
    parameters, connections = dict(cell.get("parameters", {})), dict(cell["connections"])
    registers = set[Register]()
    for side in _sides(cell):
        pins, letter = cell["connections"], side.letter
        enables = {(pins.get(f"OCE{each}", ["x"])[0], given.get(f"OCE{each}MUX", f"OCE{each}") == "INV") for each in side.data}
        new = all(given.get(f"REGMODE_{each}") == "OUTREG" and before.get(f"REGMODE_{each}", "NOREG") == "NOREG"
                  and pins.get(f"RST{each}") == ["0"] and given.get(f"RST{each}MUX", f"RST{each}") == f"RST{each}" for each in side.data)
        edge = given.get(f"CLK{letter}MUX", f"CLK{letter}")
        known = all(given.get(f"OCE{each}MUX", f"OCE{each}") in (f"OCE{each}", "INV") for each in side.data)
        if not new or not known or len(enables) != 1 or edge not in (f"CLK{letter}", "INV"):
            continue
        for each in side.data:
            # Without the register, its mode and its enable are those of before, which have no effect.
            _restore(f"REGMODE_{each}", parameters, old.get("parameters", {}))
            _restore(f"OCE{each}MUX", parameters, old.get("parameters", {}))
            _restore(f"OCE{each}", connections, old["connections"])
        enable, inverted = enables.pop()
        nets = side.outputs(old)
        for pin, output in side.outputs(cell).items():
            if pin in nets:
                form = edge == "INV", enable, inverted, given.get("GSR", "ENABLED")
                registers.add(Register(pins[f"CLK{letter}"][0], *form, nets[pin], output))
                connections[pin] = [nets[pin]]
    return cast(Cell, {**cell, "parameters": parameters, "connections": connections}), registers


def _restore(name: str, values: dict[str, _Value], others: Mapping[str, _Value]) -> None:
    """Gives a name the value that it has in another mapping, or none."""
    if name in others:
        values[name] = others[name]
    else:
        values.pop(name, None)


def _contents(cell: Cell) -> tuple[object, ...]:
    return cell["type"], cell["connections"], cell.get("parameters", {})
