# SPDX-License-Identifier: Apache-2.0
"""Gives registers the names that end in ``_reg``.

If several signals are the same net, Amaranth takes the name of the first.  For a register this can be one that only reads it::

    a <= ...;  column_0_reg = a          ──▶   column_0_reg <= ...
"""

from __future__ import annotations

import re

from modeloom.emit.rtlil import RtlilModule

__all__ = ["name_registers"]

_REGISTER = re.compile(r".*_reg(\$\d+)?")


def name_registers(modules: list[RtlilModule]) -> None:
    """Renames registers of all modules that are no ports, in place."""
    for module in modules:
        ports = module.ports()
        wires = {wire.name: wire for wire in module.of_kind("wire")}
        slices = {name: f"[{_width(wire.lines[0]) - 1}:0]" for name, wire in wires.items()}
        aliases: dict[str, str] = {}
        for statement in module.of_kind("connect"):
            alias, *signal = statement.lines[0][1:]
            if _whole(signal, slices) and _REGISTER.fullmatch(alias) and alias in wires and alias not in ports:
                aliases.setdefault(signal[0], alias)
        new: dict[str, str] = {}
        for cell in module.of_kind("cell"):
            if cell.type in ("$dff", "$adff"):
                signal = next(connection.signal for connection in cell.connections() if connection.port == "\\Q")
                if _whole(signal, slices) and signal[0] in aliases and signal[0] not in ports and not _REGISTER.fullmatch(signal[0]):
                    new[signal[0]] = aliases[signal[0]]
        if new:
            _apply(module, new)


def _width(line: list[str]) -> int:
    return int(line[line.index("width") + 1]) if "width" in line else 1


def _whole(signal: list[str], slices: dict[str, str]) -> bool:
    """Whether tokens name all bits of one wire."""
    if signal[0] not in slices:
        return False
    return len(signal) == 1 or len(signal) == 2 and signal[1] in (slices[signal[0]], "[0]" if slices[signal[0]] == "[0:0]" else "")


def _apply(module: RtlilModule, new: dict[str, str]) -> None:
    """Puts new names in the place of old ones; the wires that had them go."""
    gone = set(new.values())
    module.statements = [
        statement
        for statement in module.statements
        if not (statement.kind == "wire" and statement.name in gone or statement.kind == "connect" and statement.lines[0][1] in gone)
    ]
    for statement in module.statements:
        for line in statement.lines:
            if line[0] != "parameter":
                start = 2 if statement.kind == "cell" and line[0] in ("cell", "connect") else 1
                line[start:] = [new.get(token, token) for token in line[start:]]
