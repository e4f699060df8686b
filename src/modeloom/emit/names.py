# SPDX-License-Identifier: Apache-2.0
"""Plain Verilog names for all named objects of a design.

::

    \\key_busy$104    ──▶  key_busy            \\port$4127$0  ──▶  p3 (its place among the ports, if ``unnamed`` finds no name)
    \\s__payload.data ──▶  s_payload_data      \\final        ──▶  final_v (a keyword of SystemVerilog)
"""

from __future__ import annotations

import re

from modeloom.emit.rtlil import RtlilModule, Statement
from modeloom.product.keywords import KEYWORDS

__all__ = ["plain_design", "plain_name"]

_UNNAMED = re.compile(r"port\$\d+(\$\d+)?|U\$\d+")


def plain_name(name: str, place: int, kind: str) -> str:
    """A name of letters, digits and single underscores.  Objects without a name are named by ``kind`` and ``place``."""
    if _UNNAMED.fullmatch(name):
        return f"{kind}{place}"
    new = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_") or f"{kind}{place}"
    if new[0].isdigit():
        new = f"{kind}{new}"
    return f"{new}_v" if new in KEYWORDS else new


def plain_design(modules: list[RtlilModule]) -> None:
    """Renames modules and their wires, memories and instances, in place.  Names stay unique in their module.

    Raises ``ValueError`` if two modules would get the same name.
    """
    module_names = {module.name: "\\" + plain_name(module.name[1:], i, "module") for i, module in enumerate(modules)}
    if len(set(module_names.values())) != len(modules):
        raise ValueError("two modules would have the same name")
    ports = {module.name: module.ports() for module in modules}
    maps = {module.name: _names(module, ports) for module in modules}
    for module in modules:
        names = maps[module.name]
        for statement in module.statements:
            for line in statement.lines:
                if line[0] == "parameter":
                    if line[-2] == "\\MEMID":
                        old = line[-1].strip('"').replace("\\\\", "\\")
                        line[-1] = '"' + names[old].replace("\\", "\\\\") + '"'
                    continue
                # In a cell, the second token is a type or port, which belongs to another namespace.
                own = 2 if statement.kind == "cell" and line[0] in ("cell", "connect") else 1
                if statement.instance and line[0] == "connect":
                    line[1] = maps[statement.type].get(line[1], line[1])
                line[own:] = [names.get(token, token) for token in line[own:]]
    for module in modules:
        for statement in module.statements:
            if statement.instance:
                statement.lines[0][1] = module_names[statement.type]
        module.name = module_names[module.name]


def _names(module: RtlilModule, ports: dict[str, dict[str, str]]) -> dict[str, str]:
    """New names for the public objects of a module.  Ports are named first, because they are visible from outside."""
    places = {name: i for i, name in enumerate(module.ports())}
    named = module.of_kind("wire", "memory", "cell")
    taken: set[str] = set()
    result: dict[str, str] = {}

    def give(statement: Statement, place: int, kind: str, name: str = "") -> None:
        old = statement.name
        if not old.startswith("\\") and not name:
            return
        numbered = _NUMBERED.fullmatch(old[1:])
        base = new = plain_name(name or (numbered[1] if numbered and numbered[1] not in ("port", "U") else old[1:]), place, kind)
        number = 2
        while new in taken:
            new, number = f"{base}_{number}", number + 1
        taken.add(new)
        result[old] = "\\" + new

    for statement in named:
        if statement.name in places:
            give(statement, places[statement.name], "p")
    homes = _homes(module, ports)
    for i, statement in enumerate(named):
        if statement.name in places:
            continue
        home = homes.get(statement.name)
        if home is not None:
            give(statement, i, "", home)
        else:
            give(statement, i, {"wire": "w", "memory": "memory", "cell": "u"}[statement.kind])
    return result


_NUMBERED = re.compile(r"(.*?)\$\d+")
_PORTS = {"\\DATA": "data", "\\ADDR": "addr", "\\EN": "en"}


def _homes(module: RtlilModule, ports: dict[str, dict[str, str]]) -> dict[str, str]:
    """Names of the form INSTANCE_PORT or MEMORY_PORT for wires whose name is that of a port of an instance or memory, or is not unique.

    Registers, and ports of the module itself, keep their names.  A wire that an instance drives is named after this instance.
    """
    registers = {token for cell in module.of_kind("cell") if cell.type in ("$dff", "$adff") for token in _signal(cell, "\\Q")}
    own = set(module.ports())
    found: dict[str, str] = {}

    def give(wire: str, home: str, port: str, always: bool) -> None:
        numbered = _NUMBERED.fullmatch(wire[1:])
        bare = numbered[1] if numbered else wire[1:]
        if (wire.startswith("\\") or always) and wire not in own and wire not in registers and (always or numbered or bare == port):
            found.setdefault(wire, f"{home}_{port}")

    for drives in (True, False):
        for cell in module.of_kind("cell"):
            for connection in cell.connections():
                tokens = connection.signal
                if len(tokens) > 2 or not tokens or tokens[0][0] not in "\\$":
                    continue
                if cell.instance and (ports[cell.type].get(connection.port) == "output") == drives:
                    give(tokens[0], cell.name[1:], connection.port[1:], drives)
                elif cell.type.startswith("$mem") and (cell.type.startswith("$memrd") and connection.port == "\\DATA") == drives:
                    memory = (cell.parameter("\\MEMID") or "").strip('"').replace("\\\\", "\\")
                    if connection.port in _PORTS and memory and not memory.startswith("\\U$"):
                        side = "read" if cell.type.startswith("$memrd") else "write"
                        give(tokens[0], memory[1:], f"{side}_{_PORTS[connection.port]}", False)
    return found


def _signal(cell: Statement, port: str) -> list[str]:
    return next((connection.signal for connection in cell.connections() if connection.port == port), [])
