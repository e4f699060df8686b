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

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from modeloom.interfaces import Role
from modeloom.product.description import Declassified, Result, Secret, Verdict
from modeloom.product.folder import read_description
from modeloom.spec.errors import FailedCheck
from modeloom.taint.control import ControlPoint, control_points, exemption, verdict_candidates
from modeloom.taint.graph import BitGraph, Reached
from modeloom.taint.netlist import Bit, Netlist, flat_netlist
from modeloom.taint.tables import Tables
from modeloom.taint.undue import kept

__all__ = [
    "Flow", "Leak", "TaintReport", "TimingChannel", "check_core", "check_netlist", "find_flow", "find_leaks", "secret_bits",
    "verdict_registers",
]  # fmt: skip


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
