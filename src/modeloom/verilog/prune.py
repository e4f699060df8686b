# SPDX-License-Identifier: Apache-2.0
"""Removes everything on which no output of the top depends, at all levels of the hierarchy, including ports of modules.

A wire is live if something live is computed from it::

    output of the top ──▶ instance's output ──▶ output port of its module ──▶ cell ──▶ input port ──▶ wires of all instances
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from modeloom.verilog.rtlil import RtlilModule, Statement, names_in, sigspec_end

__all__ = ["MARKS", "prune"]

MARKS = ("bytes", "bytes_of")
"""Attributes of wires that stay in a module that is needed (see ``copies``)."""

_OUTPUTS = {"\\Y", "\\Q"}


@dataclass
class _Node:
    """Something that computes wires from wires."""

    statement: Statement
    inputs: set[str]
    outputs: set[str]


def _node(statement: Statement) -> _Node:
    inputs: set[str] = set()
    outputs: set[str] = set()
    if statement.kind == "connect":
        tokens = statement.lines[0]
        middle = sigspec_end(tokens, 1)
        return _Node(statement, names_in(tokens[middle:]), names_in(tokens[:middle]))
    if statement.kind == "process":
        for tokens in statement.lines[1:]:
            if tokens[0] == "assign":
                middle = sigspec_end(tokens, 1)
                outputs |= names_in(tokens[:middle])
                inputs |= names_in(tokens[middle:])
            elif tokens[0] == "switch":
                inputs |= names_in(tokens)
        return _Node(statement, inputs, outputs)
    memory = (statement.parameter("\\MEMID") or "").strip('"').replace("\\\\", "\\")
    reads = statement.type.startswith("$memrd")
    for connection in statement.connections():
        drives = connection.port in _OUTPUTS or (reads and connection.port == "\\DATA")
        (outputs if drives else inputs).update(names_in(connection.signal))
    if memory:
        (inputs if reads else outputs).add(memory)
    return _Node(statement, inputs, outputs)


def prune(modules: list[RtlilModule], top: str) -> list[RtlilModule]:
    """The modules that are still needed, without dead wires, cells and ports.  Ports are renumbered, with clock and reset first.

    Parameters
    ----------
    modules : list of RtlilModule
        Changed in place.
    top : str
        Name of the top with its backslash.  All its ports stay.
    """
    ports = {module.name: module.ports() for module in modules}
    live, read, needed = _live(modules, top, ports)
    alive = {name for name, _ in live}
    kept = [module for module in modules if module.name in alive]
    for module in kept:
        _sweep(module, read, needed, ports)
    return kept


Wire = tuple[str, str]
"""A module, and a wire or a port of it."""


@dataclass
class _Drivers:
    """What drives wires: nodes, and ports of instances.  ``instances`` has those of a module, each with the module around it."""

    nodes: dict[Wire, list[_Node]]
    ports: dict[Wire, list[Wire]]
    instances: dict[str, list[tuple[str, Statement]]]


def _drivers(modules: list[RtlilModule], ports: dict[str, dict[str, str]]) -> _Drivers:
    found = _Drivers(defaultdict(list), defaultdict(list), defaultdict(list))
    for module in modules:
        for statement in module.of_kind("cell", "process", "connect"):
            if statement.instance:
                found.instances[statement.type].append((module.name, statement))
                for connection in statement.connections():
                    if ports[statement.type][connection.port] == "output":
                        for wire in names_in(connection.signal):
                            found.ports[module.name, wire].append((statement.type, connection.port))
                continue
            node = _node(statement)
            for wire in node.outputs:
                found.nodes[module.name, wire].append(node)
    return found


def _live(modules: list[RtlilModule], top: str, ports: dict[str, dict[str, str]]) -> tuple[set[Wire], set[Wire], set[int]]:
    """The live wires, the ports that are read, and the statements that are needed, by their ``id``."""
    drivers = _drivers(modules, ports)
    marked = {module.name: [one.name for one in module.of_kind("wire") if _marked(one)] for module in modules}
    work = [(top, name) for name in ports[top]]
    # A wire can be live within its module although nothing outside reads it.  Output ports that are read are therefore recorded separately.
    read: set[Wire] = set(work)
    live: set[Wire] = set()
    needed: set[int] = set()
    while work:
        at = work.pop()
        if at in live:
            continue
        live.add(at)
        name, net = at
        work += [(name, other) for other in marked.pop(name, ())]
        for node in drivers.nodes[at]:
            if id(node.statement) not in needed:
                needed.add(id(node.statement))
                work += [(name, other) for other in node.inputs]
        read.update(drivers.ports[at])
        work += drivers.ports[at]
        if ports[name].get(net) == "input":
            read.add(at)
            for parent, statement in drivers.instances[name]:
                for connection in statement.connections():
                    if connection.port == net:
                        work += [(parent, other) for other in names_in(connection.signal)]
    return live, read, needed


def _marked(wire: Statement) -> bool:
    """Whether emission asks for a wire, though nothing reads it."""
    return any(line.split(" ", 2)[1].removeprefix("\\") in MARKS for line in (text.strip() for text in wire.attributes))


def _sweep(
    module: RtlilModule, read: set[tuple[str, str]], needed: set[int], ports: dict[str, dict[str, str]]
) -> None:
    """Removes the dead objects of one module."""
    statements: list[Statement] = []
    mentioned: set[str] = set()
    for statement in module.statements:
        if statement.kind in ("wire", "memory"):
            continue
        if statement.instance:
            own = ports[statement.type]
            statement.lines = [
                line for line in statement.lines if line[0] != "connect" or (statement.type, line[1]) in read
            ]
            if not any(own[connection.port] == "output" for connection in statement.connections()):
                statement.lines = []
        elif id(statement) not in needed:
            statement.lines = []
        for line in statement.lines[0 if statement.kind == "connect" else 1 :]:
            if line[0] == "parameter" and line[-2] == "\\MEMID":
                mentioned.add(line[-1].strip('"').replace("\\\\", "\\"))
            elif line[0] != "parameter":
                mentioned |= names_in(line[2 if statement.kind == "cell" else 1 :])
    numbers = _port_order([name for name in ports[module.name] if (module.name, name) in read], ports[module.name])
    for statement in module.statements:
        if statement.kind in ("wire", "memory"):
            name = statement.name
            if name not in mentioned and name not in numbers:
                continue
            if statement.port:
                place = statement.lines[0].index(statement.port)
                new = [statement.port, str(numbers[name])] if name in numbers else []
                statement.lines[0][place : place + 2] = new
            statements.append(statement)
        elif statement.lines:
            statements.append(statement)
    module.statements = statements


def _port_order(names: list[str], directions: dict[str, str]) -> dict[str, int]:
    """Numbers of ports from 1, because 0 means "no port" in Yosys: clock, reset, then inputs and outputs in their old order."""
    special = {"\\clk": 0, "\\rst": 1}
    names = sorted(names, key=lambda name: special.get(name, 2 if directions[name] == "input" else 3))
    return {name: i for i, name in enumerate(names, 1)}
