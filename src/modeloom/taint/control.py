# SPDX-License-Identifier: Apache-2.0
"""The definition of control, and the exemptions where a secret may select a value.

A *control point* is a bit that decides when or where something happens:

- an output of the core other than those of its results;
- an address or an enable of a memory port, a clock or reset of one;
- a clock, enable or reset of a register;
- the select of a multiplexer, the distance of a shift.

The block cipher of a user may be written in any style, with look-ups in arrays, choices of ``Switch``, and memories of constants.  In it, a
select is a control point only if it decides whether a register keeps its value, because this is what changes the cycle of a result.  Any
other choice is a function of values of the same cycle, like a gate.

A *control signal* is a bit from which a control point can be reached, in the same cycle or later: all state machines, counters, handshakes
and flags.  If no control point depends on a secret, then no control signal does.  A gate is not a control point, because an AND of secrets
is part of a multiplication.

By design, the core tells the host one bit about a key, and one bit about the tag of a message. These bits are *declassified*: a value that
depends on a secret only through such a bit counts as public.

The names of nets do not matter here.  Ports have roles (``modeloom.interfaces``).  Tables and verdicts are found by their structure, so a
register may have any name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from modeloom.interfaces import Role
from modeloom.product.description import Result
from modeloom.taint.cells import REGISTERS, selects
from modeloom.taint.graph import BitGraph, Reached
from modeloom.taint.netlist import Bit, Cell, Netlist
from modeloom.taint.tables import Tables

__all__ = ["EXEMPTIONS", "ControlPoint", "Exemption", "control_points", "exemption", "verdict_candidates"]  # fmt: skip

@dataclass(frozen=True)
class ControlPoint:
    """A bit with its kind, the path of the port, register or memory that it controls (for a multiplexer, the path of the module), and
    the cell (None for an output).
    """

    kind: str
    where: str
    bit: int
    cell: Cell | None = None


def control_points(netlist: Netlist, results: Iterable[Result]) -> Iterator[ControlPoint]:
    """All control points of a netlist with the given result outputs.  Constants are not control points."""
    fields: dict[str, set[int]] = {}
    for result in results:
        width = len(netlist.outputs.get(result.port, ()))
        fields.setdefault(result.port, set()).update(range(width) if result.alone else result.bits)

    def some(kind: str, where: str, bits: Iterator[Bit] | list[Bit], cell: Cell | None) -> Iterator[ControlPoint]:
        for bit in sorted({bit for bit in bits if isinstance(bit, int)}):
            yield ControlPoint(kind, where, bit, cell)

    for name, bits in netlist.outputs.items():
        yield from some("output", name, [bit for place, bit in enumerate(bits) if place not in fields.get(name, ())], None)
    for cell in netlist.cells:
        if cell.type == "$mem_v2":
            for kind, ports in _MEMORY:
                yield from some(f"memory {kind}", cell.name, [bit for port in ports for bit in cell[port]], cell)
        elif cell.type in REGISTERS:
            register = next((netlist.names[bit] for bit in cell["Q"][:1] if isinstance(bit, int) and bit in netlist.names), cell.name)
            for port in REGISTERS[cell.type]:
                yield from some(f"register {_CONTROLS[port]}", register, list(cell[port]), cell)
        else:
            yield from some("select", _module_of(cell), list(selects(cell)), cell)


_MEMORY = (
    ("address", ("RD_ADDR", "WR_ADDR")),
    ("enable", ("RD_EN", "WR_EN")),
    ("clock or reset", ("RD_CLK", "RD_ARST", "RD_SRST", "WR_CLK")),
)

_CONTROLS = {"CLK": "clock", "EN": "enable", "SRST": "reset", "ARST": "reset"}


def _module_of(cell: Cell) -> str:
    """The path of the module instance that contains an unnamed cell, or of a memory."""
    path, _, _ = cell.name.partition(".$")
    return path.removeprefix("$flatten").replace("\\", "")


@dataclass(frozen=True)
class Exemption:
    """A kind of control point that a secret may reach.  The dependence itself goes on: what depends on the chosen value is
    checked like everything else.

    Attributes
    ----------
    name : str
    kind : str
        Kind of the control point.
    fits : callable
        Whether the cell has the structure for which the exemption is meant.
    reason : str
    users : bool
        Whether it is for block ciphers of users only, instead of those of this project.
    """

    name: str
    kind: str
    fits: Callable[[Tables, Cell], bool]
    reason: str
    users: bool = False


EXEMPTIONS: tuple[Exemption, ...] = (
    Exemption(
        "S-box",
        "memory address",
        lambda tables, cell: tables.is_table(cell),
        "an S-box is a constant table, 32 LUTs per byte or logic, or a block memory with its register behind the look-up: its result "
        "is there in the same cycle for every address, and nothing else waits for it",
    ),
    Exemption(
        "S-box in two steps",
        "select",
        lambda tables, cell: tables.is_last_level(cell),
        "with four registers per round the upper two bits of a byte choose between four looked-up bytes: the last two levels "
        "of the same table",
    ),
    Exemption(
        "choice in the user's cipher",
        "select",
        lambda tables, cell: not tables.decides_to_hold(cell),
        "a multiplexer or a shift is a function of values of the same cycle; a register behind it takes a new value in any case",
        users=True,
    ),
    Exemption(
        "table in the user's cipher",
        "memory address",
        lambda tables, cell: not cell.parameters["WR_PORTS"],
        "a memory that is never written is a constant table: a word comes after the same number of cycles for every address",
        users=True,
    ),
)
"""All exemptions, with their reasons."""


def exemption(point: ControlPoint, tables: Tables, secrets: Collection[str], users: Collection[str] = ()) -> Exemption | None:
    """The exemption for a control point that some secrets reach.

    Those of the ciphers of this project need a key among the secrets.  Those of the cipher of a user are for cells in the instances
    ``users``, which are given by patterns for their paths.
    """
    cell = point.cell
    if cell is None:
        return None
    inside = any(re.fullmatch(rf"{pattern}(\..*)?", _module_of(cell)) for pattern in users)
    for entry in EXEMPTIONS:
        allowed = inside if entry.users else Role.KEY in secrets
        if allowed and entry.kind == point.kind and entry.fits(tables, cell):
            return entry
    return None


def verdict_candidates(graph: BitGraph, reached: Reached, outputs: Iterable[Result]) -> list[int]:
    """Registers of one bit that may hold a verdict.  They lie on the paths from a key to the outputs that reveal it.

    One register is declassified for each verdict of a core (``Description.verdicts``). The host learns its value, so it is not secret any
    more, and later values may depend on it by design.  Every path from a key to any control must pass through this register.
    """
    single = {cell["Q"][0] for cell in graph.netlist.cells if cell.type in REGISTERS and len(cell["Q"]) == 1}
    found: dict[int, None] = {}
    for output in outputs:
        bits = graph.netlist.outputs.get(output.port, ())
        for bit in (bits[place] for place in output.bits if place < len(bits)):
            if isinstance(bit, int) and bit in reached:
                found.update((node, None) for node in reached.path(bit) if node in single)
    return list(found)
