# SPDX-License-Identifier: Apache-2.0
"""Counts and logic depth of a mapped netlist from ``write_json`` of Yosys."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NotRequired, TypedDict

from modeloom.synth.result import Figures, SynthesisError
from modeloom.synth.targets import Target

__all__ = [
    "Bit", "Cell", "Depth", "Module", "Net", "Netlist", "Pairs", "Port", "cell_counts", "depth", "figures", "lut_ff_pairs",
    "module_counts",
]  # fmt: skip

Bit = int | str
"""The number of a net, or the text of a constant."""


class Port(TypedDict):
    """A port of a module."""

    direction: str
    bits: list[Bit]


class Cell(TypedDict):
    """A cell."""

    type: str
    connections: dict[str, list[Bit]]
    port_directions: dict[str, str]
    parameters: NotRequired[dict[str, str]]
    attributes: NotRequired[dict[str, str]]


class Net(TypedDict):
    """A net with its names."""

    bits: list[Bit]
    hide_name: NotRequired[int]
    attributes: NotRequired[dict[str, str]]


class Module(TypedDict):
    """A module."""

    ports: dict[str, Port]
    cells: dict[str, Cell]
    netnames: dict[str, Net]
    attributes: NotRequired[dict[str, str]]


class Netlist(TypedDict):
    """What ``write_json`` of Yosys writes, as far as it is read here."""

    modules: dict[str, Module]
    creator: NotRequired[str]


def _own_modules(netlist: Netlist) -> dict[str, Module]:
    library = ("blackbox", "whitebox")
    return {name: module for name, module in netlist["modules"].items()
            if not any(int(module.get("attributes", {}).get(key, "0"), 2) for key in library)}


def module_counts(netlist: Netlist, top: str) -> dict[str, Counter[str]]:
    """Cells by type within each module below `top`, multiplied by the number of instances of the module; submodules
    apart.
    """
    modules = _own_modules(netlist)
    counts: dict[str, Counter[str]] = {}

    def visit(name: str) -> None:
        for cell in modules[name]["cells"].values():
            kind = cell["type"]
            if kind in modules:
                counts.setdefault(kind, Counter())
                visit(kind)
            elif kind != "$scopeinfo":
                counts[name][kind] += 1

    counts[top] = Counter()
    visit(top)
    return counts


def cell_counts(netlist: Netlist, top: str) -> Counter[str]:
    """Cells by type below `top`, including submodules."""
    return sum(module_counts(netlist, top).values(), Counter())


def figures(cells: Mapping[str, int], target: Target, area_cells: Mapping[str, int] | None = None) -> Figures:
    """The figures of a set of cells.  `area_cells` is the second, area-oriented mapping of a gate target."""
    def total(weight: Callable[[str], int]) -> int:
        return sum(number * int(weight(cell)) for cell, number in cells.items())

    memories = {
        "lutram_cells": total(lambda cell: target.lutram_luts_of(cell) > 0),
        "lutram_luts": total(target.lutram_luts_of),
        "srl_luts": total(target.is_shift_register),
        "bram_cells": total(target.is_block_ram),
    }
    gates = area = None
    if target.kind == "gate":
        if target.areas:
            gates = {cell: number for cell, number in sorted(cells.items()) if not target.is_flip_flop(cell)}
        else:
            gates = {name: sum(number * target.basis_of(cell)[i] for cell, number in cells.items())
                     for i, name in enumerate(("and", "xor", "not"))}
        by_area = cells if area_cells is None else area_cells
        area = round(sum(number * target.area_of(cell) for cell, number in sorted(by_area.items())), 2)
    return Figures(target.luts_in(cells) if target.kind == "lut" else None, total(target.is_flip_flop), memories, gates,
    area,
                   dict(sorted(cells.items())))


@dataclass(frozen=True)
class Depth:
    """Longest paths: `levels` between any two ends, `levels_register` between registers (``None`` without such a path),
    and the nets at both ends of the former.
    """

    levels: int
    levels_register: int | None
    start: str
    end: str


def depth(netlist: Netlist, top: str, target: Target) -> Depth:
    """Longest combinational paths of a flattened netlist.

    Paths start at input ports, flip-flops and block memories; they end at output ports and at clocked inputs. Flip-flops and the output
    registers of block memories count as registers.

    Raises
    ------
    SynthesisError
        If the netlist has a combinational loop.
    """
    module = netlist["modules"][top]
    names, paths = _net_names(module), _paths(module, target)
    level, registered = _levels(paths, names)
    longest = max(paths.ends, key=lambda end: level.get(end[0], (0, end[0]))[0], default=None)
    if longest is None:
        return Depth(0, None, "", "")
    levels, start = level.get(longest[0], (0, longest[0]))
    between = [registered.get(bit, -1) for bit, is_register, _ in paths.ends if is_register]
    register_levels = max(between, default=-1)
    cell_outputs = paths.outputs.get(longest[2], [])
    end = names.get(cell_outputs[0], longest[2]) if cell_outputs else names.get(longest[0], "")
    return Depth(levels, register_levels if register_levels >= 0 else None, names.get(start, ""), end)


@dataclass(frozen=True)
class _Paths:
    """The edges of the combinational paths of a module.

    Attributes
    ----------
    through : dict
        For each cell, bit and weight of the inputs that reach its outputs.
    outputs : dict
        The bits that each cell drives.
    ends : list
        Where paths end: the bit, whether a register takes it, and the cell, which is empty for an output port.
    register_bits : set of int
        The outputs of flip-flops, and of the output registers of block memories.
    """

    through: dict[str, list[tuple[int, int]]]
    outputs: dict[str, list[int]]
    ends: list[tuple[int, bool, str]]
    register_bits: set[int]


def _paths(module: Module, target: Target) -> _Paths:
    paths = _Paths({}, {}, [], set())
    for name, cell in module["cells"].items():
        kind = cell["type"]
        if kind == "$scopeinfo":
            continue
        paths.through[name], paths.outputs[name] = [], []
        for port, bits in cell["connections"].items():
            wires = [bit for bit in bits if isinstance(bit, int)]
            if cell["port_directions"][port] == "output":
                paths.outputs[name] += wires
                if target.is_flip_flop(kind) or _has_output_register(cell, port):
                    paths.register_bits.update(wires)
            elif target.passes(kind, port):
                paths.through[name] += [(bit, target.weight(kind, port)) for bit in wires]
            else:
                paths.ends.extend((bit, target.is_flip_flop(kind), name) for bit in wires)
    for pins in module["ports"].values():
        if pins["direction"] != "input":
            paths.ends.extend((bit, False, "") for bit in pins["bits"] if isinstance(bit, int))
    return paths


def _has_output_register(cell: Cell, port: str) -> bool:
    """Whether an output of a block memory of ECP5 comes from its output register."""
    return port.startswith("DO") and cell.get("parameters", {}).get(f"REGMODE_{port[2:3]}") == "OUTREG"


def _levels(paths: _Paths, names: Mapping[int, str]) -> tuple[dict[int, tuple[int, int]], dict[int, int]]:
    """For each bit, the levels from any start with this start, and the levels from registers only, -1 for none."""
    level: dict[int, tuple[int, int]] = {}
    registered: dict[int, int] = {}
    driven = {bit for wires in paths.outputs.values() for bit in wires}
    waiting = {name: sum(bit in driven for bit, _ in inputs) for name, inputs in paths.through.items()}
    readers: dict[int, list[str]] = {}
    for name, inputs in paths.through.items():
        for bit, _ in inputs:
            readers.setdefault(bit, []).append(name)
    ready = [name for name, count in waiting.items() if count == 0]
    done = 0
    while ready:
        name = ready.pop()
        done += 1
        best, start, best_registered = 0, -1, -1
        for bit, weight in paths.through[name]:
            at, origin = level.get(bit, (0, bit))
            if at + weight > best or start < 0:
                best, start = at + weight, origin
            from_register = registered.get(bit, -1)
            if from_register >= 0:
                best_registered = max(best_registered, from_register + weight)
        for bit in paths.outputs[name]:
            level[bit] = (best, start if start >= 0 else bit)
            registered[bit] = 0 if bit in paths.register_bits else best_registered
            for reader in readers.get(bit, ()):
                waiting[reader] -= 1
                if not waiting[reader]:
                    ready.append(reader)
    if done < len(paths.through):
        stuck = sorted(names.get(bit, "") for name, count in waiting.items() if count for bit in paths.outputs[name])
        raise SynthesisError(f"combinational loop through {next(filter(None, stuck), 'unnamed nets')}")
    return level, registered


def _net_names(module: Module) -> dict[int, str]:
    """A name for each bit, preferably one from the sources."""
    names: dict[int, tuple[bool, str]] = {}
    for name, net in module["netnames"].items():
        hidden = bool(net.get("hide_name"))
        for index, bit in enumerate(net["bits"]):
            if isinstance(bit, int):
                label = (hidden, f"{name}[{index}]" if len(net["bits"]) > 1 else name)
                if bit not in names or label < names[bit]:
                    names[bit] = label
    return {bit: name for bit, (_, name) in names.items()}


# -- pairs -------------------------------------------------------------------------------------------------------------------------

# LUT-FF pairs of a mapped netlist.
#
# A slice is made of equal units.  Each has a LUT and the flip-flop behind it, and `luts2017` counts these pairs:
#
#              ┌───────────────────── pair ─────────────────────┐
#     inputs ──┤ LUT, or shift register, or LUT memory          │
#              │    └─▶ wide multiplexer or carry ─▶ flip-flop  ├── outputs
#              └────────────────────────────────────────────────┘
#
# The rule of packing has four sentences.
#
# 1. Each LUT takes the LUT of a pair: a LUT of logic, a shift register, and each LUT of a memory in LUTs.
# 2. A flip-flop shares the pair of a LUT if its data come from that LUT, directly, through wide multiplexers (MUXF5 to MUXF9, PFUMX,
#    L6MUX21) or through the carry logic at the LUT.
# 3. A pair has one flip-flop, so the second flip-flop behind a LUT has a pair of its own.
# 4. All other flip-flops have pairs of their own, because no data path joins them to a LUT.
#
# The rule is on the safe side.  It does not put two small functions with common inputs, or two shift registers of 16 bits, into one LUT,
# and it does not put a flip-flop next to a LUT that it has nothing to do with.  Tools of the manufacturers do the former where they can,
# and the latter where space is short.  `luts2017` calls a register free if sentence 2 holds for it (section 3.3, Figures 7 and 8).
#
# Source: Khairallah, Chattopadhyay and Peyrin, "Looting the LUTs", 2017 (`luts2017`), section 3.3.

_WIDE = re.compile(r"MUXF[5-9]|PFUMX|L6MUX21")
# Inputs of wide multiplexers that come from LUTs, and not the ones that select.
_WIDE_DATA = re.compile(r"I[01]|ALUT|BLUT|D[01]")
_REGISTER_DATA = ("D", "DI")

Place = tuple[str, int]
"""A cell, and the number of one of its LUTs."""


@dataclass(frozen=True)
class Pairs:
    """Pairs of a design with both parts used, with the LUT only, and with the flip-flop only."""

    both: int
    lut_only: int
    register_only: int

    @property
    def total(self) -> int:
        """Number of pairs."""
        return self.both + self.lut_only + self.register_only


def lut_ff_pairs(netlist: Netlist, top: str, target: Target) -> Pairs:
    """The LUT-FF pairs of a flattened netlist from ``write_json`` of Yosys.

    As many flip-flops as possible share a pair with a LUT, so the result does not depend on the order of cells.

    Raises
    ------
    ValueError
        If the target has no LUTs.
    """
    if target.kind != "lut":
        raise ValueError(f"target {target.name} has no LUTs, so it has no LUT-FF pairs")
    cells = netlist["modules"][top]["cells"]
    places = {name: _luts(cell["type"], target) for name, cell in cells.items()}
    driver: dict[Bit, tuple[str, str, int]]
    driver = {bit: (name, port, index) for name, cell in cells.items() for port, bits in cell["connections"].items()
              if cell["port_directions"][port] == "output" for index, bit in enumerate(bits) if isinstance(bit, int)}  # fmt: skip

    def behind(bit: Bit) -> Iterator[Place]:
        """The LUTs whose flip-flop can take this bit."""
        if bit not in driver:
            return
        name, port, index = driver[bit]
        cell = cells[name]
        if places[name]:
            yield from ((name, number) for number in range(places[name]))
        elif _WIDE.fullmatch(cell["type"]):
            for data, bits in cell["connections"].items():
                if _WIDE_DATA.fullmatch(data):
                    yield from behind(bits[0])
        elif cell["type"] == "CARRY4" and port in ("O", "CO"):
            yield from behind(cell["connections"]["S"][index])
        elif cell["type"] == "XORCY":
            yield from behind(cell["connections"]["LI"][0])

    registers = [name for name, cell in cells.items() if target.is_flip_flop(cell["type"])]
    choices = {name: [place for port in _REGISTER_DATA for bit in cells[name]["connections"].get(port, ()) for place in behind(bit)]
               for name in registers}  # fmt: skip
    both = _most(choices)
    return Pairs(both, sum(places.values()) - both, len(registers) - both)


def _luts(kind: str, target: Target) -> int:
    return target.luts_of(kind) + target.lutram_luts_of(kind) + int(target.is_shift_register(kind))


def _most(choices: Mapping[str, list[Place]]) -> int:
    """How many registers get a place of their own at most: a maximum matching by augmenting paths."""
    owner: dict[Place, str] = {}

    def settle(register: str, tried: set[Place]) -> bool:
        for place in choices[register]:
            if place not in tried:
                tried.add(place)
                if place not in owner or settle(owner[place], tried):
                    owner[place] = register
                    return True
        return False

    return sum(settle(register, set()) for register in choices)
