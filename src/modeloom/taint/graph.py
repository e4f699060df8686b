# SPDX-License-Identifier: Apache-2.0
"""The graph of dependences in a netlist, bit by bit."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np

from modeloom.taint.netlist import Bit, Cell, Netlist

__all__ = ["REGISTERS", "BitGraph", "Dependences", "Reached", "UnknownCell", "combinational_paths", "dependences", "selects"]


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


# -- graph -------------------------------------------------------------------------------------------------------------------------

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
