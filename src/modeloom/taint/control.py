# SPDX-License-Identifier: Apache-2.0
"""What counts as control, and the places where a secret may choose.

A *control point* is a bit that decides when or where something happens:

- an output of the core other than that of its results;
- an address or an enable of a memory port, a clock or reset of one;
- a clock, enable or reset of a register;
- the select of a multiplexer, the distance of a shift.

A *control signal* is a bit from which a control point can be reached, in the same cycle or later: all of the state machines,
counters, handshakes and flags.  So if no control point depends on a secret, no control signal does.  A gate is no control
point: an AND of secrets is part of a multiplication.

What the host is told of a key, which is one bit, is *declassified*: what depends on a secret only through it counts as public.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from modeloom.taint.cells import REGISTERS, selects
from modeloom.taint.netlist import Bit, Cell, Netlist

__all__ = [
    "EXEMPTIONS", "VERDICT", "ControlPoint", "Exemption", "control_points", "declassified", "exemption",
]  # fmt: skip

@dataclass(frozen=True)
class ControlPoint:
    """A bit with its kind, the path of the port, register or memory that it controls (of the module, for a multiplexer), and the
    cell (None for an output).
    """

    kind: str
    where: str
    bit: int
    cell: Cell | None = None


def control_points(netlist: Netlist, result: str) -> Iterator[ControlPoint]:
    """All control points of a netlist whose results leave at one output; constants are none."""

    def some(kind: str, where: str, bits: Iterator[Bit] | list[Bit], cell: Cell | None) -> Iterator[ControlPoint]:
        for bit in sorted({bit for bit in bits if isinstance(bit, int)}):
            yield ControlPoint(kind, where, bit, cell)

    for name, bits in netlist.outputs.items():
        if name != result:
            yield from some("output", name, bits, None)
    for cell in netlist.cells:
        if cell.type == "$mem_v2":
            for kind, ports in _MEMORY:
                yield from some(f"memory {kind}", cell.name, [bit for port in ports for bit in cell[port]], cell)
        elif cell.type in REGISTERS:
            register = netlist.names.get(cell["Q"][0], cell.name)  # type: ignore[arg-type]
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
    """Path of the module instance that a cell without a name of its own stands in."""
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
    where : str
        Regular expression for the whole of ``ControlPoint.where``.
    source : str
        Regular expression for a name of the bit itself; empty: any bit.
    fits : callable
        Whether the cell is what the exemption is meant for.
    reason : str
    """

    name: str
    kind: str
    where: str
    source: str
    fits: Callable[[Cell], bool]
    reason: str


_CIPHERS = r"(.*\.)?engine\.\w+\.(enc|dec|both)\.[^.]*"
_KEY_SCHEDULE = r"(.*\.)?bus\.key_schedule(\.length_\d+)?\.[^.]*"


def _is_table(cell: Cell) -> bool:
    """A memory that is a table of bytes, or one for each direction, read within the cycle and never written: logic, whatever it is
    drawn as.
    """
    p = cell.parameters
    return p["WIDTH"] <= 8 and p["SIZE"] <= 512 and not p["WR_PORTS"] and not p["RD_CLK_ENABLE"]


def _is_choice_of_bytes(cell: Cell) -> bool:
    return cell.type == "$mux" and len(cell["Y"]) <= 8


EXEMPTIONS: tuple[Exemption, ...] = (
    Exemption(
        "S-box",
        "memory address",
        f"{_CIPHERS}|{_KEY_SCHEDULE}",
        "",
        _is_table,
        "an S-box is a constant table, 32 LUTs a byte or logic, or a block memory with its register behind the look-up: its result "
        "is there in the same cycle for every address, and nothing else waits for it",
    ),
    Exemption(
        "S-box in two steps",
        "select",
        r"(.*\.)?engine\.\w+\.(enc|dec)",
        r"(.*\.)?engine\.\w+\.(enc|dec)\.(round_\d+_)?chosen_column_\d_reg(\[\d+\])?",
        _is_choice_of_bytes,
        "with four registers a round the upper two bits of a byte choose between four looked-up bytes: the last two levels "
        "of the same table",
    ),
)
"""All exemptions, with their reasons."""


def exemption(point: ControlPoint, netlist: Netlist) -> Exemption | None:
    """The exemption that a control point has."""
    if point.cell is None:
        return None
    for entry in EXEMPTIONS:
        if entry.kind == point.kind and re.fullmatch(entry.where, point.where) and entry.fits(point.cell):
            if not entry.source or re.fullmatch(entry.source, netlist.names.get(point.bit, "")):
                return entry
    return None


VERDICT = "whether the mode refuses the key"
"""Name of what is declassified: the one register of a core in which a mode that takes not every key (equal keys of XTS, sigma = 0 of
TET) keeps what it has found of the key that is being loaded.  ``key_error`` and ``key_loaded`` tell the host, so that it is no secret
any more; how long the rest takes depends on it by design.  Cores of other modes have no such register.
"""

_VERDICT = re.compile(r"(.*\.)?bus\.key_port\.unusable_reg")


def declassified(netlist: Netlist) -> dict[str, list[int]]:
    """Bits of registers that count as public though secrets reach them, by name."""
    registers = {bit for cell in netlist.cells for bit in cell["Q"]}
    bits = sorted(bit for bit, name in netlist.names.items() if _VERDICT.fullmatch(name) and bit in registers)
    return {VERDICT: bits} if bits else {}
