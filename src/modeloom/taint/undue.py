# SPDX-License-Identifier: Apache-2.0
"""A verdict is declassified in the cycles in which it is due, and in no others.

::

    due = 0 ──constants──▶ netlist without all that waits for it ──▶ what the register of the verdict still reaches

The register that holds a verdict has a value in every cycle.  In the cycle of the verdict, the host learns it.  In all other cycles, it may
compare unfinished values, so it is a secret like any other.  The core has a public bit that is high in the cycle of the verdict.  With a 0
in its place, the rest of the netlist must be as free of leaks as with any secret.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from modeloom.taint.cells import REGISTERS
from modeloom.taint.graph import BitGraph, Reached
from modeloom.taint.netlist import Bit, Cell, Netlist

__all__ = ["kept", "specialised"]


def specialised(netlist: Netlist, fixed: Mapping[int, str]) -> Netlist:
    """The netlist with constants "0" or "1" in the place of some bits, and of all that they decide in the same cycle."""
    known: dict[Bit, str] = {}
    known.update(fixed.items())
    readers: dict[int, list[Cell]] = {}
    for cell in netlist.cells:
        if cell.type in _VALUES:
            inputs = {bit for port, bits in cell.ports.items() if port != "Y" for bit in bits if isinstance(bit, int)}
            for read in inputs:
                readers.setdefault(read, []).append(cell)
    todo: list[int] = list(fixed)
    while todo:
        for cell in readers.get(todo.pop(), ()):
            for bit, value in zip(cell["Y"], _VALUES[cell.type](cell, known)):
                if value is not None and isinstance(bit, int) and bit not in known:
                    known[bit] = value
                    todo.append(bit)
    result = copy.copy(netlist)
    result.cells = [_chosen(_with(cell, known)) for cell in netlist.cells]
    result.outputs = {name: [known.get(bit, bit) for bit in bits] for name, bits in netlist.outputs.items()}
    return result


def kept(netlist: Netlist, due: Iterable[int], held: int) -> tuple[set[int], set[int]]:
    """What a register reaches while a verdict is not due: bits of the same cycle, and bits of registers and memories behind them."""
    without = specialised(netlist, dict.fromkeys(due, "0"))
    now = BitGraph(without).reached([held], clocked=False)
    after: set[int] = set()
    for cell in without.cells:
        if cell.type in REGISTERS:
            controls = [bit for port in REGISTERS[cell.type] for bit in cell[port]]
            every = any(bit in now for bit in controls)
            after.update(q for d, q in zip(cell["D"], cell["Q"]) if isinstance(q, int) and q != held and (every or d in now))
        elif cell.type == "$mem_v2":
            columns = _written(cell, now)
            width = cell.numbers["WIDTH"]
            after.update(bit for n, bit in enumerate(cell["RD_DATA"]) if isinstance(bit, int) and n % width in columns)
    return {bit for bit in range(netlist.size) if bit in now}, after


def _written(cell: Cell, now: Reached) -> set[int]:
    """The columns of a memory that take what is reached, over write ports that are not shut, or in which it chooses a word."""
    p = cell.numbers
    width, bits = p["WIDTH"], p["ABITS"]
    found: set[int] = set()
    for n in range(p["WR_PORTS"]):
        enable, data = (cell[port][n * width : (n + 1) * width] for port in ("WR_EN", "WR_DATA"))
        every = any(bit in now for bit in cell["WR_ADDR"][n * bits : (n + 1) * bits])
        found.update(
            column for column in range(width) if enable[column] != "0" and (every or data[column] in now or enable[column] in now)
        )
    if p["RD_CLK_ENABLE"] and any(bit in now for port in ("RD_ADDR", "RD_EN") for bit in cell[port]):
        found.update(range(width))
    return found


def _with(cell: Cell, known: Mapping[Bit, str]) -> Cell:
    outputs = ("Y", "Q", "RD_DATA")
    ports = {port: bits if port in outputs else [known.get(bit, bit) for bit in bits] for port, bits in cell.ports.items()}
    return replace(cell, ports=ports)


def _chosen(cell: Cell) -> Cell:
    """A multiplexer without the choices that it cannot make."""
    if cell.type not in ("$mux", "$pmux"):
        return cell
    width = len(cell["Y"])
    choices = [(select, cell["B"][n * width : (n + 1) * width]) for n, select in enumerate(cell["S"]) if select != "0"]
    if not choices:
        return Cell(cell.name, "$pos", {"A_SIGNED": 0}, {"A": cell["A"], "Y": cell["Y"]})
    if len(choices) == 1 and choices[0][0] == "1":
        return Cell(cell.name, "$pos", {"A_SIGNED": 0}, {"A": choices[0][1], "Y": cell["Y"]})
    ports = {
        "A": cell["A"], "B": [bit for _, bits in choices for bit in bits], "S": [select for select, _ in choices], "Y": cell["Y"]
    }  # fmt: skip
    return replace(cell, ports=ports)


# -- constants --------------------------------------------------------------------------------------------------------------

Values = list[str | None]


def _read(cell: Cell, port: str, known: Mapping[Bit, str], width: int | None = None) -> Values:
    bits = [known.get(bit, bit if isinstance(bit, str) else None) for bit in cell[port]]
    values: Values = [bit if bit in ("0", "1") else None for bit in bits]
    if width is not None:
        fill = values[-1] if values and cell.parameters.get(f"{port}_SIGNED") else "0"
        values = (values + [fill] * width)[:width]
    return values


def _and(a: str | None, b: str | None) -> str | None:
    return "0" if "0" in (a, b) else "1" if a == b == "1" else None


def _or(a: str | None, b: str | None) -> str | None:
    return "1" if "1" in (a, b) else "0" if a == b == "0" else None


def _not(a: str | None) -> str | None:
    return None if a is None else "10"[int(a)]


def _bits(rule: Callable[[str | None, str | None], str | None]) -> Callable[[Cell, Mapping[Bit, str]], Values]:
    def values(cell: Cell, known: Mapping[Bit, str]) -> Values:
        width = len(cell["Y"])
        return [rule(a, b) for a, b in zip(_read(cell, "A", known, width), _read(cell, "B", known, width))]

    return values


def _xor(a: str | None, b: str | None) -> str | None:
    return None if a is None or b is None else str(int(a != b))


def _inverted(cell: Cell, known: Mapping[Bit, str]) -> Values:
    return [_not(a) for a in _read(cell, "A", known, len(cell["Y"]))]


def _same(cell: Cell, known: Mapping[Bit, str]) -> Values:
    return _read(cell, "A", known, len(cell["Y"]))


def _any(values: Sequence[str | None]) -> str | None:
    return "1" if "1" in values else None if None in values else "0"


def _one(rule: Callable[[Cell, Mapping[Bit, str]], str | None]) -> Callable[[Cell, Mapping[Bit, str]], Values]:
    return lambda cell, known: [rule(cell, known), *["0"] * (len(cell["Y"]) - 1)]


def _equal(cell: Cell, known: Mapping[Bit, str]) -> str | None:
    width = max(len(cell["A"]), len(cell["B"]))
    pairs = [_xor(a, b) for a, b in zip(_read(cell, "A", known, width), _read(cell, "B", known, width))]
    return _not(_any(pairs))


def _mux(cell: Cell, known: Mapping[Bit, str]) -> Values:
    select = _read(cell, "S", known)[0]
    a, b = _read(cell, "A", known), _read(cell, "B", known)
    return a if select == "0" else b if select == "1" else [x if x == y else None for x, y in zip(a, b)]


def _pmux(cell: Cell, known: Mapping[Bit, str]) -> Values:
    width, a, b = len(cell["Y"]), _read(cell, "A", known), _read(cell, "B", known)
    selects = _read(cell, "S", known)
    open_ = [b[n * width : (n + 1) * width] for n, select in enumerate(selects) if select != "0"]
    every = [*open_, *([] if "1" in selects else [a])]
    return [values[0] if len(set(values)) == 1 else None for values in zip(*every)]


_VALUES: dict[str, Callable[[Cell, Mapping[Bit, str]], Values]] = {
    "$and": _bits(_and), "$or": _bits(_or), "$xor": _bits(_xor), "$xnor": _bits(lambda a, b: _not(_xor(a, b))),
    "$not": _inverted, "$pos": _same, "$buf": _same, "$mux": _mux, "$pmux": _pmux,
    "$eq": _one(_equal), "$ne": _one(lambda cell, known: _not(_equal(cell, known))),
    "$reduce_or": _one(lambda cell, known: _any(_read(cell, "A", known))),
    "$reduce_bool": _one(lambda cell, known: _any(_read(cell, "A", known))),
    "$reduce_and": _one(lambda cell, known: _not(_any([_not(a) for a in _read(cell, "A", known)]))),
    "$logic_not": _one(lambda cell, known: _not(_any(_read(cell, "A", known)))),
    "$logic_and": _one(lambda cell, known: _and(_any(_read(cell, "A", known)), _any(_read(cell, "B", known)))),
    "$logic_or": _one(lambda cell, known: _or(_any(_read(cell, "A", known)), _any(_read(cell, "B", known)))),
}  # fmt: skip
"""The outputs of cells whose inputs are known in part."""
