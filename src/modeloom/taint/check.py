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
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from modeloom.interfaces import Role
from modeloom.product.description import Declassified, Result, Secret, Verdict
from modeloom.product.folder import read_description
from modeloom.spec.errors import FailedCheck
from modeloom.taint.control import ControlPoint, Tables, control_points, exemption, verdict_candidates
from modeloom.taint.graph import REGISTERS, BitGraph, Reached
from modeloom.taint.netlist import Bit, Cell, Netlist, flat_netlist

__all__ = [
    "Flow", "Leak", "TaintReport", "TimingChannel", "check_core", "check_netlist", "find_flow", "find_leaks", "kept", "secret_bits",
    "specialised", "verdict_registers",
]  # fmt: skip


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


# -- check -------------------------------------------------------------------------------------------------------------------------

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
        now, after = kept(netlist, due, held)
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
