# SPDX-License-Identifier: Apache-2.0
"""Counts and logic depth of a mapped netlist from ``write_json`` of Yosys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from modeloom.synth.result import Figures, SynthesisError
from modeloom.synth.targets import Target

__all__ = ["Depth", "cell_counts", "depth", "figures", "module_counts"]

Netlist = Mapping[str, Any]


def _own_modules(netlist: Netlist) -> dict[str, Mapping[str, Any]]:
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
    def total(weight: Any) -> int:
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

    Paths start at input ports, flip-flops and block memories; they end at output ports and at clocked inputs. Only
    flip-flops count as registers.

    Raises
    ------
    SynthesisError
        If the netlist has a combinational loop.
    """
    module = netlist["modules"][top]
    names = _net_names(module)
    driver: dict[int, str] = {}
    through: dict[str, list[tuple[int, int]]] = {}  # cell: (bit, weight) of the inputs that reach its outputs
    ends: list[tuple[int, bool, str]] = []
    outputs: dict[str, list[int]] = {}
    register_bits: set[int] = set()
    for name, cell in module["cells"].items():
        kind = cell["type"]
        if kind == "$scopeinfo":
            continue
        through[name], outputs[name] = [], []
        for port, bits in cell["connections"].items():
            wires = [bit for bit in bits if isinstance(bit, int)]
            if cell["port_directions"][port] == "output":
                outputs[name] += wires
                driver.update((bit, name) for bit in wires)
                if target.is_flip_flop(kind):
                    register_bits.update(wires)
            elif target.passes(kind, port):
                through[name] += [(bit, target.weight(kind, port)) for bit in wires]
            else:
                ends += [(bit, target.is_flip_flop(kind), name) for bit in wires]
    for port in module["ports"].values():
        if port["direction"] != "input":
            ends += [(bit, False, "") for bit in port["bits"] if isinstance(bit, int)]

    # level[bit] = (levels from any start, the start); registered[bit] = the same from registers only, -1 for none
    level: dict[int, tuple[int, int]] = {}
    registered: dict[int, int] = {}
    waiting = {name: sum(bit in driver for bit, _ in inputs) for name, inputs in through.items()}
    readers: dict[int, list[str]] = {}
    for name, inputs in through.items():
        for bit, _ in inputs:
            readers.setdefault(bit, []).append(name)
    ready = [name for name, count in waiting.items() if count == 0]
    done = 0
    while ready:
        name = ready.pop()
        done += 1
        best, start, best_registered = 0, -1, -1
        for bit, weight in through[name]:
            at, origin = level.get(bit, (0, bit))
            if at + weight > best or start < 0:
                best, start = at + weight, origin
            from_register = registered.get(bit, -1)
            if from_register >= 0:
                best_registered = max(best_registered, from_register + weight)
        for bit in outputs[name]:
            level[bit] = (best, start if start >= 0 else bit)
            registered[bit] = 0 if bit in register_bits else best_registered
            for reader in readers.get(bit, ()):
                waiting[reader] -= 1
                if not waiting[reader]:
                    ready.append(reader)
    if done < len(through):
        stuck = sorted(names.get(bit, "") for name, count in waiting.items() if count for bit in outputs[name])
        raise SynthesisError(f"combinational loop through {next(filter(None, stuck), 'unnamed nets')}")

    longest = max(ends, key=lambda end: level.get(end[0], (0, end[0]))[0], default=None)
    if longest is None:
        return Depth(0, None, "", "")
    levels, start = level.get(longest[0], (0, longest[0]))
    between = [registered.get(bit, -1) for bit, is_register, _ in ends if is_register]
    register_levels = max(between, default=-1)
    cell_outputs = outputs.get(longest[2], [])
    end = names.get(cell_outputs[0], longest[2]) if cell_outputs else names.get(longest[0], "")
    return Depth(levels, register_levels if register_levels >= 0 else None, names.get(start, ""), end)


def _net_names(module: Mapping[str, Any]) -> dict[int, str]:
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
