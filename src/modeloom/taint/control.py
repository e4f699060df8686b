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
from functools import cached_property

from modeloom.interfaces import Role
from modeloom.product.description import Result
from modeloom.taint.graph import REGISTERS, BitGraph, Reached, selects
from modeloom.taint.netlist import Bit, Cell, Netlist

__all__ = ["EXEMPTIONS", "ControlPoint", "Exemption", "Tables", "control_points", "exemption", "verdict_candidates"]

MOST_BITS, MOST_WORDS = 8, 512
"""A table of bytes, or one for each direction."""


# Finds constant tables and registers that are held in a netlist by their structure, independently of their names.
#
#     byte ──┬─ bits 0..5 ─▶ table of 64 bytes ──[reg]──┐
#            │   ...         (four of them)             ├─ choice ─ choice ─▶ looked-up byte
#            └─ bits 6, 7 ───────────────────────[reg]──┘
#
# A table is logic, like a gate: it has a result in the same cycle for every address. The same holds for the last two levels of a table
# that is read in two steps: one register later, the rest of the same address selects between the bytes.
#
# A register is held if one of the choices before it is its own value.

class Tables:
    """The constant tables of a netlist.

    Parameters
    ----------
    netlist : Netlist
    """

    def __init__(self, netlist: Netlist):
        self._driver: dict[int, tuple[Cell, str, int]] = {}
        for cell in netlist.cells:
            for port in ("Y", "Q", "RD_DATA"):
                for index, bit in enumerate(cell[port]):
                    if isinstance(bit, int):
                        self._driver[bit] = cell, port, index
        self._known: dict[int, frozenset[int] | None] = {}
        self._registers = [cell for cell in netlist.cells if cell.type in REGISTERS]

    @staticmethod
    def is_table(cell: Cell) -> bool:
        """Whether a memory is a constant table of bytes, or one table for each direction, that is read in the same cycle."""
        if cell.type != "$mem_v2":
            return False
        p = cell.numbers
        return p["WIDTH"] <= MOST_BITS and p["SIZE"] <= MOST_WORDS and not p["WR_PORTS"] and not p["RD_CLK_ENABLE"]

    def is_last_level(self, cell: Cell) -> bool:
        """Whether a multiplexer selects between bytes of a table by another bit of their address."""
        if cell.type != "$mux" or len(cell["Y"]) > MOST_BITS:
            return False
        addresses: set[int] = set()
        for bit in (*cell["A"], *cell["B"]):
            found = self._looked_up(bit)
            if found is None:
                return False
            addresses |= found
        held = self._before(cell["S"][0])
        # The rest of the address has the same origin as the address.
        return bool(addresses) and held is not None and {self._source(bit) for bit in addresses} == {self._source(held)}

    def _before(self, bit: Bit) -> int | None:
        """The source of a bit of a plain register in the previous cycle."""
        cell, port, index = self._driver.get(bit, (None, "", 0)) if isinstance(bit, int) else (None, "", 0)
        if cell is None or cell.type != "$dff" or port != "Q":
            return None
        before = cell["D"][index]
        return before if isinstance(before, int) else None

    def _source(self, bit: int) -> str | int:
        """The cell that drives a bit."""
        return self._driver[bit][0].name if bit in self._driver else bit

    def _looked_up(self, bit: Bit) -> frozenset[int] | None:
        """The table address that gave a bit in the previous cycle; None if the bit does not come from a table."""
        if not isinstance(bit, int):
            return frozenset()
        if bit not in self._known:
            self._known[bit] = None
            self._known[bit] = self._find(bit)
        return self._known[bit]

    def _find(self, bit: int) -> frozenset[int] | None:
        if bit not in self._driver:
            return None
        cell, _, index = self._driver[bit]
        if cell.type == "$mux" and len(cell["Y"]) <= MOST_BITS:
            parts = [self._looked_up(cell[port][index]) for port in "AB"]
            return None if None in parts else frozenset().union(*(part for part in parts if part is not None))
        before = self._before(bit)
        if before is None or before not in self._driver:
            return None
        table, port, place = self._driver[before]
        if port != "RD_DATA" or not self.is_table(table):
            return None
        number, bits = place // table.numbers["WIDTH"], table.numbers["ABITS"]
        return frozenset(at for at in table["RD_ADDR"][number * bits : (number + 1) * bits] if isinstance(at, int))

    def decides_to_hold(self, cell: Cell) -> bool:
        """Whether a multiplexer has a register behind it that keeps its value with some choices of it, and not with others."""
        return cell.name in self._holding

    @cached_property
    def _holding(self) -> frozenset[str]:
        """The names of all such multiplexers."""
        found: set[str] = set()
        for register in self._registers:
            for d, q in zip(register["D"], register["Q"]):
                self._keeps(d, q, found, {})
        return frozenset(found)

    def _keeps(self, bit: Bit, own: Bit, found: set[str], known: dict[Bit, bool]) -> bool:
        """Whether a bit is a register's own value with some choices of the multiplexers before it.  These are added to ``found``."""
        if bit == own:
            return True
        if bit not in known:
            known[bit] = False
            cell, port, index = self._driver.get(bit, (None, "", 0)) if isinstance(bit, int) else (None, "", 0)
            if cell is not None and cell.type in ("$pos", "$buf"):
                known[bit] = index < len(cell["A"]) and self._keeps(cell["A"][index], own, found, known)
            elif cell is not None and cell.type in ("$mux", "$pmux", "$bmux", "$bwmux"):
                width = len(cell["Y"])
                names = "B" if self._decodes(cell) else "AB"
                choices = [cell[name][at + index] for name in names for at in range(0, len(cell[name]), width)]
                kept = [self._keeps(choice, own, found, known) for choice in choices]
                if any(kept) and not all(choice == own for choice in choices):
                    found.add(cell.name)
                known[bit] = any(kept)
        return known[bit]

    def _decodes(self, cell: Cell) -> bool:
        """Whether one of the selects of a multiplexer is always set, because they compare a word with all its values."""
        if cell.type != "$pmux":
            return False
        compared = [self._compares(bit) for bit in cell["S"]]
        words = {word for word, _ in compared}
        return len(words) == 1 and () not in words and len(set(compared)) == 1 << len(next(iter(words)))

    def _compares(self, bit: Bit) -> tuple[tuple[Bit, ...], int]:
        """The word that a bit compares with a constant, and the constant; an empty word if it does something else."""
        cell, _, index = self._driver.get(bit, (None, "", 0)) if isinstance(bit, int) else (None, "", 0)
        if cell is None or index:
            return (), 0
        if cell.type == "$logic_not":
            return tuple(cell["A"]), 0
        if cell.type == "$eq" and len(cell["A"]) == len(cell["B"]):
            for word, constant in ((cell["A"], cell["B"]), (cell["B"], cell["A"])):
                if all(bit in ("0", "1") for bit in constant) and any(isinstance(bit, int) for bit in word):
                    return tuple(word), sum(1 << n for n, bit in enumerate(constant) if bit == "1")
        return (), 0


# -- control -----------------------------------------------------------------------------------------------------------------------

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
