# SPDX-License-Identifier: Apache-2.0
"""Checks that a core has no timing channel: no control point depends on a secret.

::

    secrets (data, key, tweak) ──▶ all that depends on them ──▶ results (m_axis_tdata, a tag)    there it must arrive
                                                       ╳
                          state, handshakes, addresses, enables ──▶ control points           here it must not

If the check passes, consider two runs of the core that differ only in data, keys and tweaks.  All control signals are equal in every
cycle, because each of them is computed from equal bits.  Lengths, tkeep, tlast, the timing of the host, slots, sizes, tags and directions
are public.  Tweaks (sector numbers) are public by definition, but are treated as secrets.
If a mode refuses some keys, the refusal is public: the keys of the two runs are then both accepted or both refused.  It is also public
whether the tag of a message is correct.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from modeloom.interfaces import Role
from modeloom.product.description import Declassified, Result, Secret, Verdict
from modeloom.product.folder import read_description
from modeloom.spec.errors import FailedCheck
from modeloom.taint.graph import REGISTERS, Bit, BitGraph, Cell, Netlist, Reached, flat_netlist, selects

__all__ = [
    "EXEMPTIONS", "ControlPoint", "Exemption", "Flow", "Leak", "Tables", "TaintReport", "TimingChannel", "check_core",
    "check_netlist", "control_points", "exemption", "find_flow", "find_leaks", "reached_before", "secret_bits", "specialised",
    "verdict_candidates", "verdict_registers",
]  # fmt: skip


# -- control ---------------------------------------------------------------------------------------------------------------------------

# The definition of control, and the exemptions where a secret may select a value.
#
# A *control point* is a bit that decides when or where something happens:
#
# - an output of the core other than those of its results;
# - an address or an enable of a memory port, a clock or reset of one;
# - a clock, enable or reset of a register;
# - the select of a multiplexer, the distance of a shift.
#
# The block cipher of a user may be written in any style, with look-ups in arrays, choices of ``Switch``, and memories of constants.  In it,
# a select is a control point only if it decides whether a register keeps its value, because this is what changes the cycle of a result.
# Any other choice is a function of values of the same cycle, like a gate.
#
# A *control signal* is a bit from which a control point can be reached, in the same cycle or later: all state machines, counters,
# handshakes and flags.  If no control point depends on a secret, then no control signal does.  A gate is not a control point, because an
# AND of secrets is part of a multiplication.
#
# By design, the core tells the host one bit about a key, and one bit about the tag of a message. These bits are *declassified*: a value
# that depends on a secret only through such a bit counts as public.
#
# The names of nets do not matter here.  Ports have roles (``modeloom.interfaces``).  Tables and verdicts are found by their structure, so a
# register may have any name.

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
                holds = [self._keeps(choice, own, found, known) for choice in choices]
                if any(holds) and not all(choice == own for choice in choices):
                    found.add(cell.name)
                known[bit] = any(holds)
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


# -- check -----------------------------------------------------------------------------------------------------------------------------

# A verdict is declassified in the cycles in which it is due, and in no others.
#
#     due = 0 ──constants──▶ netlist without all that waits for it ──▶ what the register of the verdict still reaches
#
# The register that holds a verdict has a value in every cycle.  In the cycle of the verdict, the host learns it.  In all other cycles, it
# may compare unfinished values, so it is a secret like any other.  The core has a public bit that is high in the cycle of the verdict.
# With a 0 in its place, the rest of the netlist must be as free of leaks as with any secret.

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


def reached_before(netlist: Netlist, due: Iterable[int], held: int) -> tuple[set[int], set[int]]:
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
        found.update(column for column in range(width) if enable[column] != "0" and (every or data[column] in now or enable[column] in now))
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
    ports = {"A": cell["A"], "B": [bit for _, bits in choices for bit in bits], "S": [select for select, _ in choices], "Y": cell["Y"]}
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


class TimingChannel(FailedCheck, RuntimeError):
    """A control point depends on a secret, or the check would be meaningless.  The message is one line."""


@dataclass(frozen=True)
class Leak:
    """A control point that a secret reaches: the name of the secret ("key"), the names of nets on the path, and its length.
    """

    point: ControlPoint
    secret: str
    path: tuple[str, ...]
    length: int

    def __str__(self) -> str:
        join = {"output": "", "select": "in "}.get(self.point.kind, "of ")
        what = f"{self.point.kind} {join}{self.point.where}"
        return f"{what} depends on the {self.secret}: {' -> '.join(self.path)}"


@dataclass(frozen=True)
class TaintReport:
    """The result of the check.

    Attributes
    ----------
    bits : int
        Number of bits of the netlist, including columns of memories.
    secret : mapping
        For each secret, the number of bits that depend on it.
    control : int
        Number of control signals: bits from which a control point can be reached.
    points : int
        Number of checked control points.
    exempt : mapping
        For each exemption in use, the number of places (memories or multiplexers).
    declassified : mapping
        For each verdict, which a core reveals by design, the number of register bits that hold it; and for words that are public by
        protocol, the number of their bits.
    """

    bits: int
    secret: Mapping[str, int]
    control: int
    points: int
    exempt: Mapping[str, int]
    declassified: Mapping[str, int]


def secret_bits(netlist: Netlist, secrets: Iterable[Secret]) -> dict[str, list[Bit]]:
    """The input bits of each secret.  Raises ``TimingChannel`` if a port is missing in the netlist."""
    found: dict[str, list[Bit]] = {}
    for secret in secrets:
        port = netlist.inputs.get(secret.port, [])
        if len(port) < secret.low + secret.width:
            raise TimingChannel(f"{secret.port} has no bit {secret.low + secret.width - 1}: the {secret.name} cannot be looked for")
        found.setdefault(secret.name, []).extend(port[secret.low : secret.low + secret.width])
    return found


def find_leaks(
    graph: BitGraph, reached: Mapping[str, Reached], results: Sequence[Result], users: Collection[str] = ()
) -> tuple[list[Leak], list[ControlPoint], Counter[str]]:
    """The leaks, the control points that are safe without an exemption, and the places of each exemption in use."""
    netlist, tables = graph.netlist, Tables(graph.netlist)
    leaks: list[Leak] = []
    clean: list[ControlPoint] = []
    exempt: dict[str, set[str]] = {}
    for point in control_points(netlist, results):
        found = [name for name, bits in reached.items() if point.bit in bits]
        if not found:
            clean.append(point)
            continue
        allowed = exemption(point, tables, found, users)
        if allowed:
            exempt.setdefault(allowed.name, set()).add(point.cell.name if point.cell else point.where)
        else:
            for name in found:
                path = reached[name].path(point.bit)
                leaks.append(Leak(point, name, _names(graph, path), len(path)))
    return leaks, clean, Counter({name: len(places) for name, places in sorted(exempt.items())})


def _names(graph: BitGraph, path: Sequence[int]) -> tuple[str, ...]:
    """The names along a path, for bits that have one."""
    return tuple(name for node in path if (name := graph.name(node)))


@dataclass(frozen=True)
class Flow:
    """The spread of secrets: the bits that each one reaches, the leaks, the safe control points, the places of exemptions, and the
    register that holds each verdict of the core.
    """

    reached: Mapping[str, Reached]
    leaks: list[Leak]
    points: list[ControlPoint]
    exempt: Counter[str]
    verdicts: Mapping[Verdict, int]


def declassified_bits(netlist: Netlist, declassified: Iterable[Declassified]) -> dict[str, list[int]]:
    """The bits of each declassified value.  Raises ``TimingChannel`` if the netlist has no such net."""
    found: dict[str, list[int]] = {}
    for one in declassified:
        for end in one.names:
            bits = netlist.ending(end)
            if not bits:
                raise TimingChannel(f"there is no {end}: {one.about} cannot be told from secrets")
            found.setdefault(one.about, []).extend(bits)
    return found


def find_flow(
    graph: BitGraph, sources: Mapping[str, Sequence[Bit]], results: Sequence[Result], verdicts: Sequence[Verdict] = (),
    public: Collection[int] = (), users: Collection[str] = (),
) -> Flow:
    """Follows secrets through a netlist.  They stop at bits that are ``public``.

    For each verdict one register of one bit may hold what it tells: the one without which nothing leaks or, if something leaks all the
    same, the least.
    """

    def flow(held: Mapping[Verdict, int]) -> Flow:
        reached = {name: graph.reached(bits, stops=[*held.values(), *public]) for name, bits in sources.items()}
        return Flow(reached, *find_leaks(graph, reached, results, users), held)

    named = {verdict: _register(graph.netlist, verdict) for verdict in verdicts if verdict.held}
    best = flow(named)
    for verdict in (verdict for verdict in verdicts if not verdict.held):
        before = best
        if before.leaks and Role.KEY in before.reached:
            for candidate in verdict_candidates(graph, before.reached[Role.KEY], verdict.outputs):
                best = min(best, flow({**before.verdicts, verdict: candidate}), key=lambda found: len(found.leaks))
    return best


def _register(netlist: Netlist, verdict: Verdict) -> int:
    """The register that holds a verdict, by its name."""
    bits = netlist.ending(verdict.held)
    if len(bits) != 1:
        raise TimingChannel(f"there is no {verdict.held} of one bit: {verdict.about} cannot be told from secrets")
    return bits[0]


def _check_due(
    graph: BitGraph, flow: Flow, results: Sequence[Result], public: Collection[int], users: Collection[str]
) -> None:
    """Checks that no verdict has an effect while it is not due.  Raises ``TimingChannel``."""
    netlist = graph.netlist
    stops = [*flow.verdicts.values(), *public]
    for verdict, held in flow.verdicts.items():
        if not verdict.due:
            continue
        due = [bit for end in verdict.due for bit in netlist.ending(end)]
        if not netlist.ending(verdict.due[0]):
            raise TimingChannel(f"there is no {verdict.due[0]}: the cycle of a verdict ({verdict.about}) is not known")
        secret = next((name for name, reached in flow.reached.items() if any(bit in reached for bit in due)), None)
        if secret is not None:
            raise TimingChannel(f"{graph.name(due[0])}, the cycle of a verdict ({verdict.about}), depends on the {secret}")
        now, after = reached_before(netlist, due, held)
        later = graph.reached(after, stops=stops)
        leaks, _, _ = find_leaks(graph, {verdict.about: later}, results, users)
        at_once = [point for point in control_points(netlist, results) if point.bit in now and point.kind != "select"]
        points = [*at_once, *(leak.point for leak in leaks)]
        if points:
            first = points[0]
            raise TimingChannel(
                f"{first.kind} {first.where} depends on {graph.name(held)} in cycles in which no verdict is due ({verdict.about})"
            )


def verdict_registers(
    netlist: Netlist, secrets: Sequence[Secret], results: Sequence[Result], verdicts: Sequence[Verdict], users: Collection[str] = ()
) -> tuple[str, ...]:
    """The names of the registers that hold verdicts, without unnamed ones."""
    found = find_flow(BitGraph(netlist), secret_bits(netlist, secrets), results, verdicts, users=users).verdicts
    return tuple(netlist.names[bit] for bit in found.values() if bit in netlist.names)


def check_netlist(
    netlist: Netlist, secrets: Sequence[Secret], results: Sequence[Result], verdicts: Sequence[Verdict] = (),
    declassified: Sequence[Declassified] = (), users: Collection[str] = (),
) -> TaintReport:
    """Checks a flat core.

    Parameters
    ----------
    netlist : Netlist
    secrets : sequence of Secret
        Bits of its inputs on which no control may depend.
    results : sequence of Result
        The outputs that may depend on them.
    verdicts : sequence of Verdict
        The verdicts that the core reveals by design.
    declassified : sequence of Declassified
        Bits that are public although secrets come over the same ports.
    users : collection of str
        Patterns for the paths of the instances of a user's block cipher.

    Raises
    ------
    TimingChannel
        For the leak with the shortest path; or if the netlist has no such secret or result, or a secret does not reach every bit of the
        result though it must, because the check would then say nothing.
    """
    graph = BitGraph(netlist)
    public = declassified_bits(netlist, declassified)
    flow = find_flow(graph, secret_bits(netlist, secrets), results, verdicts, [bit for bits in public.values() for bit in bits], users)
    leaks, points, reached = flow.leaks, flow.points, flow.reached
    if leaks:
        # Consequences of a leak have longer paths, so the shortest path ends where the secret leaves the data.
        first = min(leaks, key=lambda leak: (leak.length, leak.point.cell is not None, str(leak)))
        more = f" (and {len(leaks) - 1} more)" if len(leaks) > 1 else ""
        raise TimingChannel(f"{first}{more}")
    _check_due(graph, flow, results, [bit for bits in public.values() for bit in bits], users)
    for secret in secrets:
        for result in results if secret.reaches else ():
            port = netlist.outputs.get(result.port, [])
            if len(port) < result.bits.stop:
                raise TimingChannel(f"{result.port} has no bit {result.bits.stop - 1}: the result cannot be looked for")
            for place in result.bits:
                if port[place] not in reached[secret.name]:
                    raise TimingChannel(f"{result.port}[{place}] does not depend on the {secret.name}: the check would be empty")
    control = graph.reached([point.bit for point in points], backwards=True, stops=flow.verdicts.values())
    return TaintReport(
        graph.size, {name: bits.count() for name, bits in reached.items()}, control.count(), len(points), flow.exempt,
        {**{verdict.about: 1 for verdict in flow.verdicts}, **{about: len(bits) for about, bits in public.items()}},
    )  # fmt: skip


def check_core(directory: str | Path) -> TaintReport:
    """Checks the Verilog of a built core.  Raises ``InputError`` if the folder has none, ``BuildError`` if Yosys refuses it, and
    what ``check_netlist`` raises.
    """
    d = read_description(directory)
    netlist = flat_netlist(Path(directory) / d.files.verilog, d.top)
    return check_netlist(netlist, d.secrets, d.results, d.verdicts, d.declassified, d.users_cipher)
