# SPDX-License-Identifier: Apache-2.0
"""The graph of dependences in a netlist, bit by bit."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NotRequired, Protocol, TypedDict

import numpy as np

from modeloom.sim.build import BuildError, verilog_to_rtlil

__all__ = [
    "REGISTERS", "Bit", "BitGraph", "Cell", "Dependences", "Netlist", "Reached", "UnknownCell", "combinational_paths",
    "dependences", "flat_netlist", "netlist_of_rtlil", "port_directions", "selects",
]  # fmt: skip


# -- netlist ---------------------------------------------------------------------------------------------------------------------------

# The netlist of an emitted core: one flat module of word-level cells, read from the unchanged Verilog.
#
#     core.v ──Yosys: read, flatten, collect memories──▶ JSON ──▶ cells, ports and names over numbered bits
#
# Only dead cells are removed, so the check applies to the Verilog as written.  A bit is a number, or "0", "1", "x" or
# "z" for a constant.

Bit = int | str

# The Yosys library keeps its design in globals, so each run has its own process.
_SCRIPT = """
import sys
from pyosys import libyosys as ys
design = ys.Design()
for command in sys.argv[1:]:
    ys.run_pass("tee -q " + command, design)
"""

_COMMANDS = ("proc -noopt", "flatten", "opt_clean", "memory_collect", "opt_clean")

# Names of wires of expressions that Yosys makes when it writes or reads Verilog.
_UNNAMED = re.compile(r"(.*\.)?(_\d+_|\$.*)")


@dataclass(frozen=True)
class Cell:
    """A cell: its path, its type, its ports, and its parameters (numbers, or text for others such as contents of memories)."""

    name: str
    type: str
    parameters: Mapping[str, int | str]
    ports: Mapping[str, Sequence[Bit]]

    @property
    def numbers(self) -> dict[str, int]:
        """The parameters that are numbers."""
        return {name: value for name, value in self.parameters.items() if isinstance(value, int)}

    def __getitem__(self, port: str) -> Sequence[Bit]:
        return self.ports.get(port, ())


class _Port(TypedDict):
    direction: str
    bits: list[Bit]


class _Cell(TypedDict):
    type: str
    parameters: dict[str, str]
    connections: dict[str, list[Bit]]


class _Net(TypedDict):
    bits: list[Bit]
    hide_name: NotRequired[int]
    attributes: NotRequired[dict[str, str]]


class Module(TypedDict):
    """A module in the JSON of Yosys."""

    ports: dict[str, _Port]
    cells: dict[str, _Cell]
    netnames: dict[str, _Net]


class Netlist:
    """A flat module.

    Parameters
    ----------
    module : mapping
        The module from ``write_json`` of Yosys.

    Attributes
    ----------
    cells : list of Cell
    inputs, outputs : dict
        Bits of each port, bit 0 first.
    """

    def __init__(self, module: Module):
        self._nets = module["netnames"]
        self.inputs: dict[str, list[Bit]] = {}
        self.outputs: dict[str, list[Bit]] = {}
        for name, port in module["ports"].items():
            (self.inputs if port["direction"] == "input" else self.outputs)[name] = port["bits"]
        self.cells = [
            Cell(
                name,
                cell["type"],
                {key: _number(value) for key, value in cell["parameters"].items()},
                cell["connections"],
            )
            for name, cell in module["cells"].items()
            if cell["type"] != "$scopeinfo"
        ]
        bits = (bit for net in self._nets.values() for bit in net["bits"] if isinstance(bit, int))
        self.size = 1 + max(bits, default=1)

    @cached_property
    def names(self) -> dict[int, str]:
        """The name of each bit that was named in the sources.  If it has several names, the outermost module counts."""
        best: dict[int, tuple[int, int, str]] = {}
        for name, net in self._nets.items():
            if net.get("hide_name") or _UNNAMED.fullmatch(name):
                continue
            for index, bit in enumerate(net["bits"]):
                if isinstance(bit, int):
                    label = f"{name}[{index}]" if len(net["bits"]) > 1 else name
                    key = (name.count("."), len(name), label)
                    if bit not in best or key < best[bit]:
                        best[bit] = key
        return {bit: label for bit, (_, _, label) in best.items()}

    def net(self, name: str) -> list[Bit]:
        """Bits of a named net.  Raises ``KeyError``."""
        return list(self._nets[name]["bits"])

    def ending(self, end: str) -> list[int]:
        """The bits of all nets whose names end with this one and the names of the instances around it, "parser.gate.header"."""
        nets = (net for name, net in self._nets.items() if f".{name}".endswith(f".{end}"))
        return [bit for net in nets for bit in net["bits"] if isinstance(bit, int)]

    @cached_property
    def initial(self) -> dict[int, str]:
        """For each bit of a register that has one, its value at power-on: "0" or "1"."""
        result: dict[int, str] = {}
        for net in self._nets.values():
            value = net.get("attributes", {}).get("init")
            if value is not None:
                result.update((bit, v) for bit, v in zip(net["bits"], reversed(value)) if isinstance(bit, int) and v in "01")
        return result


def _number(value: str) -> int | str:
    if isinstance(value, str) and value and not value.strip("01"):
        return int(value, 2)
    return value


def netlist_of_rtlil(text: str, top: str, keep: Sequence[str] = ()) -> Netlist:
    """The flat netlist of a design in RTLIL, in which instances of the modules ``keep`` stay cells.

    Raises ``BuildError`` if Yosys refuses it.
    """
    with tempfile.TemporaryDirectory(prefix="modeloom-taint-") as work:
        source, result = Path(work) / "design.il", Path(work) / "design.json"
        source.write_text(text, encoding="utf-8")
        # A core may ask tools to map the modules of some tables by themselves.  They are flattened here.
        hierarchy = ("setattr -mod -unset keep_hierarchy *", *(f"setattr -mod -set keep_hierarchy 1 {module}" for module in keep))
        script = (f"read_rtlil {source}", f"hierarchy -check -top {top}", *hierarchy, *_COMMANDS, f"write_json {result}")
        run = subprocess.run([sys.executable, "-P", "-c", _SCRIPT, *script], capture_output=True, text=True, check=False)
        if run.returncode or not result.exists():
            reason = (run.stdout + run.stderr).strip().splitlines()[-1:] or ["no message"]
            raise BuildError(f"Yosys cannot flatten {top}: {reason[0]}")
        return Netlist(json.loads(result.read_text(encoding="utf-8"))["modules"][top])


def port_directions(text: str, module: str) -> dict[str, str]:
    """Direction ("input", "output") of each port of a module of a design in RTLIL, in the order of the ports."""
    start = text.index(f"\nmodule \\{module}\n")
    wires = re.findall(r"^  wire (?:.* )?(input|output) (\d+) \\(\S+)$", text[start : text.index("\nend\n", start)], re.M)
    return {name: direction for direction, _, name in sorted(wires, key=lambda wire: int(wire[1]))}


def flat_netlist(verilog: Path, top: str, *others: Path) -> Netlist:
    """The flat netlist of a Verilog file, and of others behind it.  Raises ``BuildError`` if Yosys refuses it."""
    return netlist_of_rtlil(verilog_to_rtlil(verilog, top, *others), top)


# -- graph -----------------------------------------------------------------------------------------------------------------------------

# The dependences of each output bit of a cell, for every type of word-level cell in Yosys.
#
#     y[i] of      depends on
#     and, or, xor, not    bit i of the operands; of none if the other operand is a constant that decides
#     mux                  bit i of both choices, and the select
#     add, sub             bits i and below
#     shift                all bits, by a constant distance the one bit
#     compare, reduce      all bits (and there is only bit 0)
#     register             bit i of D a cycle earlier, and of its controls
#     memory               column i: bit i of all that is written; and the address
#
# A type that is not in this list is an error, and never an empty dependence.

class UnknownCell(ValueError):
    """The dependences of a type of cell are not known."""


class Dependences(Protocol):
    """Takes the dependences of cells."""

    def comb(self, source: Bit, target: Bit) -> None:
        """``target`` depends on ``source`` of the same cycle."""

    def clocked(self, source: Bit, target: Bit) -> None:
        """``target`` depends on ``source`` of an earlier cycle."""

    def virtual(self, name: str) -> int:
        """A new bit that represents many bits."""


REGISTERS: dict[str, tuple[str, ...]] = {
    "$dff": ("CLK",),
    "$dffe": ("CLK", "EN"),
    "$sdff": ("CLK", "SRST"),
    "$sdffe": ("CLK", "EN", "SRST"),
    "$sdffce": ("CLK", "EN", "SRST"),
    "$adff": ("CLK", "ARST"),
    "$adffe": ("CLK", "EN", "ARST"),
}
"""Types of registers and their controls."""

_SHIFTS = {"$shl": 1, "$sshl": 1, "$shr": -1, "$sshr": -1, "$shift": -1, "$shiftx": -1}

_SELECTS = ("$mux", "$pmux", "$bmux", "$bwmux")


def selects(cell: Cell) -> Sequence[Bit]:
    """The bits of a cell that select between values: selects of multiplexers, distances of shifts."""
    if cell.type in _SELECTS:
        return cell["S"]
    return cell["B"] if cell.type in _SHIFTS else ()


def _operand(cell: Cell, port: str, width: int) -> list[Bit]:
    """An operand, extended or truncated to a width."""
    bits = list(cell[port][:width])
    fill: Bit = bits[-1] if bits and cell.parameters.get(f"{port}_SIGNED") else "0"
    return bits + [fill] * (width - len(bits))


def _bitwise(cell: Cell, to: Dependences) -> None:
    width = len(cell["Y"])
    decides = {"$and": "0", "$or": "1"}.get(cell.type)
    operands = [_operand(cell, port, width) for port in ("A", "B") if port in cell.ports]
    for y, *bits in zip(cell["Y"], *operands):
        if decides not in bits:
            for bit in bits:
                to.comb(bit, y)


def _choice(cell: Cell, to: Dependences) -> None:
    """Multiplexers.  A bit that is the same in all choices does not depend on the select."""
    y, s = cell["Y"], cell["S"]
    width = len(y)
    choices = [cell["A"][i : i + width] for i in range(0, len(cell["A"]), width)]
    choices += [cell["B"][i : i + width] for i in range(0, len(cell["B"]), width)]
    if cell.type == "$bwmux":
        for target, *chosen in zip(y, s, *choices):
            for bit in chosen:
                to.comb(bit, target)
        return
    select = _all(s, to, f"select of {cell.name}")
    for target, *bits in zip(y, *choices):
        if len(set(bits)) > 1:
            to.comb(select, target)
        for bit in dict.fromkeys(bits):
            to.comb(bit, target)


def _all(bits: Iterable[Bit], to: Dependences, name: str) -> Bit:
    """One bit that depends on all of some bits."""
    distinct = sorted({bit for bit in bits if isinstance(bit, int)})
    if len(distinct) <= 1:
        return distinct[0] if distinct else "0"
    node = to.virtual(name)
    for bit in distinct:
        to.comb(bit, node)
    return node


def _sum(cell: Cell, to: Dependences) -> None:
    width = len(cell["Y"])
    operands = [_operand(cell, port, width) for port in ("A", "B") if port in cell.ports]
    carry: Bit = "0"
    for y, *bits in zip(cell["Y"], *operands):
        carry = _all([carry, *bits], to, f"carry of {cell.name}")
        to.comb(carry, y)


def _shift(cell: Cell, to: Dependences) -> None:
    distance = cell["B"]
    if all(bit in ("0", "1") for bit in distance):
        places = sum(1 << i for i, bit in enumerate(distance) if bit == "1")
        if cell.parameters.get("B_SIGNED") and distance and distance[-1] == "1":
            places -= 1 << len(distance)
        places *= _SHIFTS[cell.type]
        a = cell["A"]
        fill: Bit = a[-1] if a and cell.parameters.get("A_SIGNED") else "0"
        for i, y in enumerate(cell["Y"]):
            at = i - places
            to.comb("0" if at < 0 else a[at] if at < len(a) else fill, y)
        return
    _together(cell, to)


def _together(cell: Cell, to: Dependences) -> None:
    """All output bits depend on all inputs."""
    node = _all((bit for port, bits in cell.ports.items() if port != "Y" for bit in bits), to, cell.name)
    for y in cell["Y"]:
        to.comb(node, y)


def _one(cell: Cell, to: Dependences) -> None:
    """Bit 0 depends on all inputs.  The other bits are zero."""
    to.comb(_all((bit for port, bits in cell.ports.items() if port != "Y" for bit in bits), to, cell.name), cell["Y"][0])


def _register(cell: Cell, to: Dependences) -> None:
    controls = [bit for port in REGISTERS[cell.type] for bit in cell[port]]
    for d, q in zip(cell["D"], cell["Q"]):
        to.clocked(d, q)
        for bit in controls:
            to.clocked(bit, q)


def _memory(cell: Cell, to: Dependences) -> None:
    p = cell.numbers
    width, address = p["WIDTH"], p["ABITS"]
    columns = [to.virtual(f"{cell.name} column {i}") for i in range(width)]

    def port(name: str, number: int, bits: int) -> Sequence[Bit]:
        return cell[name][number * bits : (number + 1) * bits]

    for n in range(p["WR_PORTS"]):
        where = [*port("WR_ADDR", n, address), *port("WR_CLK", n, 1)]
        for column, data, enable in zip(columns, port("WR_DATA", n, width), port("WR_EN", n, width)):
            for bit in (data, enable, *where):
                to.clocked(bit, column)
    for n in range(p["RD_PORTS"]):
        # A port without a clock reads in the same cycle.  Yosys leaves its other controls undefined.
        registered = p["RD_CLK_ENABLE"] >> n & 1
        tell = to.clocked if registered else to.comb
        where = list(port("RD_ADDR", n, address))
        if registered:
            where += [bit for name in ("RD_CLK", "RD_EN", "RD_ARST", "RD_SRST") for bit in port(name, n, 1)]
        for column, data in zip(columns, port("RD_DATA", n, width)):
            tell(column, data)
            for bit in where:
                tell(bit, data)


def _types() -> Iterator[tuple[str, Callable[[Cell, Dependences], None]]]:
    yield from ((name, _bitwise) for name in ("$and", "$or", "$xor", "$xnor", "$not", "$pos", "$buf"))
    yield from ((name, _choice) for name in _SELECTS)
    yield from ((name, _sum) for name in ("$add", "$sub", "$neg"))
    yield from ((name, _shift) for name in _SHIFTS)
    yield from ((name, _together) for name in ("$mul", "$div", "$mod", "$divfloor", "$modfloor", "$pow"))
    yield from ((f"${name}", _one) for name in ("eq", "ne", "eqx", "nex", "lt", "le", "gt", "ge"))
    yield from ((f"$reduce_{name}", _one) for name in ("and", "or", "xor", "xnor", "bool"))
    yield from ((f"$logic_{name}", _one) for name in ("and", "or", "not"))
    yield from ((name, _register) for name in REGISTERS)
    yield "$mem_v2", _memory


_RULES = dict(_types())


def dependences(cell: Cell, to: Dependences) -> None:
    """Adds the dependences of a cell to ``to``.  Raises ``UnknownCell``."""
    rule = _RULES.get(cell.type)
    if rule is None:
        raise UnknownCell(f"cell {cell.name} has type {cell.type}, whose dependences are not known")
    rule(cell, to)


# The graph of a netlist, with a node for each bit and an edge from each bit to the bits that depend on it.

class Reached:
    """The nodes that can be reached from some sources.

    Attributes
    ----------
    parent : numpy array
        For each node, its predecessor on a shortest path; the node itself for a source, and -1 if it is not reached.
    """

    def __init__(self, parent: np.ndarray):
        self.parent = parent

    def __contains__(self, bit: Bit) -> bool:
        return isinstance(bit, int) and self.parent[bit] >= 0

    def count(self) -> int:
        """Number of nodes."""
        return int((self.parent >= 0).sum())

    def path(self, bit: int) -> list[int]:
        """The nodes from a source to a reached bit."""
        result = [bit]
        while self.parent[result[-1]] != result[-1]:
            result.append(int(self.parent[result[-1]]))
        return result[::-1]


class BitGraph:
    """Dependences between the bits of a netlist.

    Parameters
    ----------
    netlist : Netlist

    Attributes
    ----------
    size : int
        Number of nodes.  Nodes from ``netlist.size`` on represent several bits, such as a column of a memory.

    Raises
    ------
    UnknownCell
        If the netlist has a cell whose dependences are not known.
    """

    def __init__(self, netlist: Netlist):
        self.netlist = netlist
        self.size = netlist.size
        self.virtual_names: dict[int, str] = {}
        self._comb = (array("i"), array("i"))
        self._clocked = (array("i"), array("i"))
        for cell in netlist.cells:
            dependences(cell, self)

    def comb(self, source: Bit, target: Bit) -> None:
        """An edge within a cycle, unless the source is a constant."""
        if isinstance(source, int):
            assert isinstance(target, int)
            self._comb[0].append(source)
            self._comb[1].append(target)

    def clocked(self, source: Bit, target: Bit) -> None:
        """An edge from an earlier cycle, unless the source is a constant."""
        if isinstance(source, int):
            assert isinstance(target, int)
            self._clocked[0].append(source)
            self._clocked[1].append(target)

    def virtual(self, name: str) -> int:
        """Adds a node."""
        self.virtual_names[self.size] = name
        self.size += 1
        return self.size - 1

    def name(self, node: int) -> str | None:
        """Name of a node that has one."""
        return self.netlist.names.get(node)

    def reached(
        self, sources: Iterable[Bit], *, clocked: bool = True, backwards: bool = False, stops: Iterable[int] = ()
    ) -> Reached:
        """The bits that depend on some bits, in the same cycle or, with ``clocked``, in any later one; or the bits on which they depend.

        ``stops`` are bits that do not count as reached, and at which all paths end.
        """
        edges = [self._comb, self._clocked] if clocked else [self._comb]
        starts = np.concatenate([np.frombuffer(a, np.int32) if a else np.empty(0, np.int32) for a, _ in edges])
        ends = np.concatenate([np.frombuffer(b, np.int32) if b else np.empty(0, np.int32) for _, b in edges])
        if backwards:
            starts, ends = ends, starts
        order = np.argsort(starts, kind="stable")
        ends = ends[order]
        first = np.zeros(self.size + 1, np.int64)
        np.cumsum(np.bincount(starts, minlength=self.size), out=first[1:])

        parent = np.full(self.size, -1, np.int32)
        frontier = np.array(sorted({bit for bit in sources if isinstance(bit, int)}), np.int64)
        parent[frontier] = frontier
        barred = np.array(sorted(set(stops)), np.int64)
        parent[barred] = barred
        while len(frontier):
            counts = first[frontier + 1] - first[frontier]
            total = int(counts.sum())
            if not total:
                break
            # All edges of the frontier in one array: the number of an edge is the first one of its node plus its position in the run.
            begin = np.repeat(first[frontier] - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
            targets = ends[begin + np.arange(total)]
            origins = np.repeat(frontier, counts)
            new = parent[targets] < 0
            targets, origins = targets[new], origins[new]
            # The first of several edges into a node counts, so paths do not depend on the order in which numpy writes.
            frontier, index = np.unique(targets, return_index=True)
            parent[frontier] = origins[index]
        parent[barred] = -1
        return Reached(parent)


# Paths without a register from the inputs of a core to its outputs.
#
# AXI4-Stream does not allow ``tvalid`` to wait for ``tready``, and AXI does not allow combinational paths from input to output of an
# interface.  The cores here have no such path at all, not even between different buses.  Cores can therefore be chained without loops, and
# their clock does not depend on their neighbours.

def combinational_paths(netlist: Netlist) -> dict[tuple[str, str], tuple[str, ...]]:
    """For each input and output that are connected without a register, the names of the nets on one such path."""
    graph = BitGraph(netlist)
    result: dict[tuple[str, str], tuple[str, ...]] = {}
    for source, bits in netlist.inputs.items():
        reached = graph.reached(bits, clocked=False)
        for target, ends in netlist.outputs.items():
            through = next((bit for bit in ends if isinstance(bit, int) and bit in reached), None)
            if through is not None:
                names = (graph.name(node) for node in reached.path(through))
                result[source, target] = tuple(dict.fromkeys(name for name in names if name))
    return result
