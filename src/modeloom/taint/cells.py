# SPDX-License-Identifier: Apache-2.0
"""The dependences of each output bit of a cell, for every type of word-level cell in Yosys.

::

    y[i] of      depends on
    and, or, xor, not    bit i of the operands; of none if the other operand is a constant that decides
    mux                  bit i of both choices, and the select
    add, sub             bits i and below
    shift                all bits, by a constant distance the one bit
    compare, reduce      all bits (and there is only bit 0)
    register             bit i of D a cycle earlier, and of its controls
    memory               column i: bit i of all that is written; and the address

A type that is not in this list is an error, and never an empty dependence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from modeloom.taint.netlist import Bit, Cell

__all__ = ["REGISTERS", "Dependences", "UnknownCell", "dependences", "selects"]


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
