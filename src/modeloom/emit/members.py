# SPDX-License-Identifier: Apache-2.0
"""Gives the ports of modules the names of the ports of the components.

Amaranth names a port after the first signal that it finds on its net, or does not name it.  Both the module of a component and the module
around it have a signal for the port of the component.  The name that is common to both modules is therefore the name of the port::

    module mul0:    y_reg, y          module engine:  y, mul0_post_r0          ──▶   y
"""

from __future__ import annotations

import re
from collections import defaultdict

from modeloom.emit.rtlil import RtlilModule, Statement
from modeloom.emit.unnamed import UNNAMED

__all__ = ["name_ports"]

_NUMBER = re.compile(r"\$\d+$")

Place = tuple[str, int, int]


def name_ports(modules: list[RtlilModule], top: str) -> None:
    """Renames the ports of all modules except ``top``, in place.  Each module has one instance.

    If the net of an output has its own name in the module, for instance the name of a register, it keeps this name beside the port.
    """
    by_name = {module.name: module for module in modules}
    parents = {one.type: (module, one) for module in modules for one in module.of_kind("cell") if one.instance}
    aliases = {module.name: _aliases(module) for module in modules}
    renamed: dict[str, dict[str, str]] = {}
    for name, (parent, instance) in parents.items():
        if name == top or name not in by_name:
            continue
        module = by_name[name]
        renamed[name] = _new_names(module, parent, instance, aliases)
        _apply(module, module.ports(), renamed[name])
    for module in modules:
        for statement in module.of_kind("cell"):
            if statement.instance:
                for line in statement.lines[1:]:
                    if line[0] == "connect":
                        line[1] = renamed.get(statement.type, {}).get(line[1], line[1])


def _new_names(module: RtlilModule, parent: RtlilModule, instance: Statement, aliases: dict[str, dict[Place, list[str]]]) -> dict[str, str]:
    """The ports of a module that get other names, with these."""
    taken = {wire.name for wire in module.of_kind("wire")}
    ports = module.ports()
    new: dict[str, str] = {}
    for connection in instance.connections():
        port = connection.port
        width = _width(module, port)
        outside = {_bare(one) for one in _names(aliases[parent.name], connection.signal) if not UNNAMED.fullmatch(one)}
        own = [port, *aliases[module.name].get((port, width - 1, 0), ())]
        chosen = _common_name(own, outside)
        if not chosen and UNNAMED.fullmatch(port):
            chosen = _part_of(module, [port, f"[{width - 1}:0]" if width > 1 else "[0]"]) or _part_of(parent, connection.signal)
        if not chosen or chosen == port and not _NUMBER.search(port):
            continue
        # The name without its number, unless something else in the module has this name.
        final = _bare(chosen)
        if final in new.values() or final in taken and final not in own:
            final = chosen
        if final != port and final not in new.values() and (final not in taken or final in own):
            new[port] = final
    # A name that another port loses in the same step is not free yet.  A port that would take it keeps its old name.
    return {old: final for old, final in new.items() if final not in ports or final in new}


def _common_name(own: list[str], outside: set[str]) -> str:
    """A name that both modules have for a port, the first of whose own names is that of today.  For a port without a name, any of them."""
    port = own[0]
    common = [one for one in own if _bare(one) in outside and not UNNAMED.fullmatch(one)]
    chosen = port if port in common and not _NUMBER.search(port) else next(iter(common), "")
    if not chosen and UNNAMED.fullmatch(port):
        chosen = next((one for one in own[1:] if not UNNAMED.fullmatch(one)), "") or min(outside, default="")
    return chosen


def _bare(name: str) -> str:
    return _NUMBER.sub("", name)


def _width(module: RtlilModule, port: str) -> int:
    line = next(wire for wire in module.of_kind("wire") if wire.name == port).lines[0]
    return int(line[line.index("width") + 1]) if "width" in line else 1


def _part_of(module: RtlilModule, signal: list[str]) -> str:
    """A name for a part of a concatenated signal: the name of the signal with the bits."""
    place = _place(signal)
    for statement in module.of_kind("connect") if place else ():
        tokens = statement.lines[0]
        if tokens[2] != "{" or not tokens[1].startswith("\\") or "$" in tokens[1]:
            continue
        low, at = 0, len(tokens) - 1
        while at > 3:
            end = at
            at -= 2 if tokens[at - 1].startswith("[") else 1
            part = tokens[at:end]
            if _place(part) == place:
                assert place is not None
                return f"{tokens[1]}_{low + place[1] - place[2]}_{low}"
            found = _place(part)
            low += found[1] - found[2] + 1 if found else int(part[0].partition("'")[0])
    return ""


def _place(tokens: list[str]) -> Place | None:
    """The net and the bits that the tokens describe, if they are one run of bits."""
    if len(tokens) != 2 or not tokens[1].startswith("["):
        return None
    high, _, low = tokens[1][1:-1].partition(":")
    return tokens[0], int(high), int(low or high)


def _aliases(module: RtlilModule) -> dict[Place, list[str]]:
    """The names of wires that are equal to a run of bits of a net, for all such runs."""
    found: dict[Place, list[str]] = defaultdict(list)
    for wire in module.of_kind("wire"):
        line = wire.lines[0]
        width = int(line[line.index("width") + 1]) if "width" in line else 1
        found[wire.name, width - 1, 0].append(wire.name)
    for statement in module.of_kind("connect"):
        tokens = statement.lines[0]
        place = _place(tokens[2:])
        if place is not None:
            found[place].append(tokens[1])
    return found


def _names(aliases: dict[Place, list[str]], signal: list[str]) -> list[str]:
    place = _place(signal)
    if place is None:
        return []
    return [name for name in aliases.get(place, []) if name.startswith("\\")]


def _apply(module: RtlilModule, ports: dict[str, str], new: dict[str, str]) -> None:
    """Renames ports of a module."""
    if not new:
        return
    inputs = {old: final for old, final in new.items() if ports[old] == "input"}
    outputs = {old: final for old, final in new.items() if ports[old] == "output"}
    dropped = set(new.values())
    wires = {wire.name: wire for wire in module.of_kind("wire")}
    statements: list[Statement] = []
    for statement in module.statements:
        if statement.kind == "wire" and statement.name in dropped:
            continue
        if statement.kind == "connect" and statement.lines[0][1] in dropped:
            continue
        statements.append(statement)
    module.statements = statements
    _rename_nets(statements, inputs)
    for old, final in outputs.items():
        wire = wires[old]
        line = wire.lines[0]
        at = line.index("output")
        number = line[at + 1]
        del line[at : at + 2]
        width = _width_of(line)
        if UNNAMED.fullmatch(old):
            # The port replaces the net, because nothing else uses the name of the net.
            line[-1:] = ["output", number, line[-1]]
            _rename_nets(statements, {old: final})
            continue
        bits = f"[{width - 1}:0]" if width > 1 else "[0]"
        module.statements.insert(0, Statement("wire", [["wire", "width", str(width), "output", number, final]]))
        module.statements.append(Statement("connect", [["connect", final, old, bits]]))


def _rename_nets(statements: list[Statement], names: dict[str, str]) -> None:
    """Renames nets wherever they are read or driven."""
    for statement in statements:
        for line in statement.lines:
            start = 2 if statement.kind == "cell" and line[0] in ("cell", "connect") else 1
            if line[0] != "parameter":
                line[start:] = [names.get(token, token) for token in line[start:]]


def _width_of(line: list[str]) -> int:
    return int(line[line.index("width") + 1]) if "width" in line else 1
