# SPDX-License-Identifier: Apache-2.0
"""Reads RTLIL text as modules of statements.  It covers what emission needs: names, ports, and dependences.

::

    wire width 8 input 2 \\a        one statement of one line
    cell $add $3 ... end           one statement of several lines
    process $4 ... end
    connect \\y $5 [7:0]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

__all__ = ["Connection", "RtlilModule", "Statement", "parse", "render"]

_BLOCK = {"cell", "process"}


def sigspec_end(tokens: list[str], at: int) -> int:
    """Index after the signal that begins at a token.  A signal is a name, a constant or a concatenation, with its slice."""
    if tokens[at] == "{":
        depth = 0
        while True:
            depth += {"{": 1, "}": -1}.get(tokens[at], 0)
            at += 1
            if not depth:
                break
    else:
        at += 1
    while at < len(tokens) and tokens[at].startswith("["):
        at += 1
    return at


def names_in(tokens: Iterable[str]) -> set[str]:
    """Names of wires in signals, without keywords and constants."""
    return {token for token in tokens if token[0] in "\\$"}


@dataclass
class Connection:
    """A port of a cell, and the signal that is connected to it, as tokens."""

    port: str
    signal: list[str]


@dataclass
class Statement:
    """One declaration, cell, process or connection.

    Attributes
    ----------
    kind : str
        "wire", "memory", "cell", "process" or "connect".
    lines : list of list of str
        Its lines as tokens.  A string is one token.  Attributes are not included.
    attributes : list of str
        Lines of attributes before it.
    """

    kind: str
    lines: list[list[str]]
    attributes: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Name of a wire, memory, cell or process."""
        return self.lines[0][-1]

    @property
    def type(self) -> str:
        """Type of a cell."""
        return self.lines[0][1]

    @property
    def instance(self) -> bool:
        """Whether it is an instance of a module."""
        return self.kind == "cell" and self.type.startswith("\\")

    @property
    def port(self) -> str:
        """"input" or "output" for a wire that is a port, otherwise an empty string."""
        return next((token for token in self.lines[0] if token in ("input", "output")), "")

    def connections(self) -> Iterator[Connection]:
        """Ports of a cell."""
        for line in self.lines[1:]:
            if line[0] == "connect":
                yield Connection(line[1], line[2:])

    def parameter(self, name: str) -> str | None:
        """Value of a parameter of a cell, as written in the text."""
        return next((line[-1] for line in self.lines if line[0] == "parameter" and line[-2] == name), None)


@dataclass
class RtlilModule:
    """A module: its name with the backslash, its lines of attributes, and its statements in order."""

    name: str
    attributes: list[str]
    statements: list[Statement]

    def of_kind(self, *kinds: str) -> list[Statement]:
        """Statements of some kinds."""
        return [statement for statement in self.statements if statement.kind in kinds]

    def ports(self) -> dict[str, str]:
        """Direction of each port, in the order of their numbers."""
        found = [one for one in self.of_kind("wire") if one.port]
        return {one.name: one.port for one in sorted(found, key=lambda one: int(one.lines[0][one.lines[0].index(one.port) + 1]))}


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\S+')


def parse(text: str) -> list[RtlilModule]:
    """Modules of a design.  Raises ``ValueError`` for lines outside the subset described above."""
    modules: list[RtlilModule] = []
    attributes: list[str] = []
    module: RtlilModule | None = None
    statement: Statement | None = None
    depth = 0
    for raw in text.split("\n"):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        first = line.partition(" ")[0]
        if statement is not None and depth:
            statement.lines.append(_TOKEN.findall(line))
            if first == "switch":
                depth += 1
            elif first == "end":
                depth -= 1
            continue
        if first == "attribute":
            attributes.append(line)
            continue
        if first == "module":
            module = RtlilModule(line.split()[1], attributes, [])
            modules.append(module)
        elif first == "end":
            module = None
        elif first in ("wire", "memory", "cell", "process", "connect") and module is not None:
            statement = Statement(first, [_TOKEN.findall(line)], attributes)
            module.statements.append(statement)
            depth = int(first in _BLOCK)
        elif first != "autoidx":
            raise ValueError(f"unexpected line of RTLIL: {line}")
        attributes = []
    return modules


def render(modules: Iterable[RtlilModule]) -> str:
    """The text of modules."""
    lines: list[str] = []
    for module in modules:
        lines += [*module.attributes, f"module {module.name}"]
        for statement in module.statements:
            lines += ["  " + attribute for attribute in statement.attributes]
            last = len(statement.lines) - 1
            for i, tokens in enumerate(statement.lines):
                lines.append(("    " if 0 < i < last else "  ") + " ".join(tokens))
        lines += ["end", ""]
    return "\n".join(lines)
