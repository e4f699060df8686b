# SPDX-License-Identifier: Apache-2.0
"""Where a single fault can stand in emitted Verilog, and which.

The Verilog has one operator a line (``plain``), so a fault is another text for one line::

    kind        what becomes of it
    operator    & for |, + for -, == for !=, ~ left out, ...
    constant    a bit of a constant is turned over
    table       a bit of a word of a table (S-box, control) is turned over, or the word is another one
    select      the arms of a multiplexer are exchanged, or one is always taken; an index of bits is one off
    enable      a register or a memory is always written, never, or when it should not be; a gate lets everything pass
    reset       a register is not reset, or to another value
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from dataclasses import dataclass

__all__ = ["KINDS", "Fault", "faults"]

KINDS = ("operator", "constant", "table", "select", "enable", "reset")

_ATTRIBUTE = re.compile(r"\(\* .*? \*\) ")
_CONSTANT = re.compile(r"(\d+)'([hd])([0-9a-f]+)")
_ASSIGN = re.compile(r"^  assign (\w+(?:\[[\d:]+\])?) = (.*);$")
_IF = re.compile(r"^    if \((.*)\)$")
_WORD = re.compile(r"^    (\w+)\[(\d+)\] = (\d+)'h([0-9a-f]+);$")
_WRITE = re.compile(r"^\s+(\w+)\[.*\] <= ")
_MODULE = re.compile(r"^module (\w+)")
_BINARY = re.compile(r" (&|\||\^|\+|-|\*|==|!=|<=|>=|<|>|>>|<<) ")
_TERNARY = re.compile(r"^(\S+) \? (.*) : (.*)$")
_INDEX = re.compile(r"(\w+)\[(\d+)(?::(\d+))?\]")
_WIDTH = re.compile(r"^  (?:wire|reg|input|output) (?:\[(\d+):0\] )?(\w+)(?: = .*)?;$")

_OTHER = {
    "&": "|", "|": "&", "^": "|", "+": "-", "-": "+", "*": "+", "==": "!=", "!=": "==",
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", ">>": "<<", "<<": ">>",
}  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """A fault: the line (from 0) with its old and new text.

    ``word``: for a fault of a table its name, the number of the word, and the bits that turn over.
    """

    kind: str
    module: str
    line: int
    old: str
    new: str
    word: tuple[str, int, int] | None = None

    def apply(self, verilog: str) -> str:
        """The Verilog with this fault; raises ``ValueError`` if the line is another."""
        lines = verilog.split("\n")
        if lines[self.line] != self.old:
            raise ValueError(f"line {self.line + 1} is not {self.old!r}")
        lines[self.line] = self.new
        return "\n".join(lines)


def faults(verilog: str, number: int, seed: int) -> list[Fault]:
    """So many different faults, as many of each kind as of any other.

    Half of them are drawn from all places alike, half from a module that is drawn first: most lines are arithmetic, and most of what
    can go wrong without being seen at once is control.
    """
    rng = random.Random(seed)
    places = _places(verilog)
    found: dict[tuple[int, str], Fault] = {}
    tries = 0
    while len(found) < number:
        tries += 1
        if tries > 1000 * number:
            raise ValueError(f"there are no {number} different faults, as many of each kind; found {len(found)}")
        kind = KINDS[len(found) % len(KINDS)]
        of_kind = places[kind]
        everywhere = [place for module in of_kind.values() for place in module]
        if not everywhere:
            raise ValueError(f"there is no place for a fault of kind {kind}")
        fault = rng.choice(everywhere if rng.random() < 0.5 else of_kind[rng.choice(sorted(of_kind))]).draw(rng)
        if fault is not None and fault.new != fault.old:
            found.setdefault((fault.line, fault.new), fault)
    return list(found.values())


@dataclass(frozen=True)
class _Place:
    """A line on which faults of a kind can stand."""

    kind: str
    module: str
    line: int
    text: str
    widths: dict[str, int]

    def draw(self, rng: random.Random) -> Fault | None:
        """One of them, or none after all."""
        if self.kind == "table":
            return self._table(rng)
        choices = {"operator": _operators, "constant": _constants, "select": _selects, "enable": _enables, "reset": _resets}
        texts = choices[self.kind](self.text, self.widths, rng)
        return Fault(self.kind, self.module, self.line, self.text, rng.choice(texts)) if texts else None

    def _table(self, rng: random.Random) -> Fault:
        match = _WORD.match(self.text)
        assert match is not None
        name, at, width, value = match[1], int(match[2]), int(match[3]), int(match[4], 16)
        flip = 1 << rng.randrange(width) if rng.random() < 0.5 else (rng.randrange(1, 1 << width))
        new = f"    {name}[{at}] = {width}'h{value ^ flip:0{-(-width // 4)}x};"
        return Fault("table", self.module, self.line, self.text, new, (name, at, flip))


def _places(verilog: str) -> dict[str, dict[str, list[_Place]]]:
    """Places by kind and module.  The top, which only connects the core, comments, and what is not synthesised have none."""
    lines = verilog.split("\n")
    module, written = "", set()
    for line in lines:
        if match := _MODULE.match(line):
            module = match[1]
        elif match := _WRITE.match(line):
            written.add((module, match[1]))
    places: dict[str, dict[str, list[_Place]]] = {kind: defaultdict(list) for kind in KINDS}
    widths: dict[str, int] = {}
    number = 0
    aside = 0
    for at, line in enumerate(lines):
        aside += line.startswith(("`ifdef", "`ifndef")) - line.startswith("`endif")
        if aside:
            continue
        if match := _MODULE.match(line):
            module, widths, number = match[1], {}, number + 1
        if number < 2:
            continue
        if match := _WIDTH.match(line):
            widths[match[2]] = int(match[1] or 0) + 1
        if match := _WORD.match(line):
            if (module, match[1]) not in written:
                places["table"][module].append(_Place("table", module, at, line, widths))
        elif _ASSIGN.match(line) or _IF.match(line):
            for kind, find in (
                ("operator", _operators), ("constant", _constants), ("select", _selects), ("enable", _enables), ("reset", _resets),
            ):  # fmt: skip
                if find(line, widths, random.Random(0)):
                    places[kind][module].append(_Place(kind, module, at, line, widths))
    return places


def _right(line: str) -> tuple[str, str, str] | None:
    """What stands before an expression, the expression without attributes, and what stands behind it."""
    if match := _ASSIGN.match(line):
        return f"  assign {match[1]} = ", _ATTRIBUTE.sub("", match[2]), ";"
    if match := _IF.match(line):
        return "    if (", _ATTRIBUTE.sub("", match[1]), ")"
    return None


def _whole(line: str, expressions: list[str]) -> list[str]:
    parts = _right(line)
    assert parts is not None
    return [f"{parts[0]}{expression}{parts[2]}" for expression in expressions if expression != parts[1]]


def _operators(line: str, widths: dict[str, int], rng: random.Random) -> list[str]:
    expression = _right(line)[1]  # type: ignore[index]
    found = []
    for match in _BINARY.finditer(expression):
        found.append(f"{expression[: match.start(1)]}{_OTHER[match[1]]}{expression[match.end(1) :]}")
    if match := re.match(r"^([~|&!^]) (.*)$", expression):
        found.append({"|": f"& {match[2]}", "&": f"| {match[2]}", "^": f"| {match[2]}"}.get(match[1], match[2]))
    return _whole(line, found)


def _constants(line: str, widths: dict[str, int], rng: random.Random) -> list[str]:
    expression = _right(line)[1]  # type: ignore[index]
    if _TERNARY.match(expression) and expression.startswith("rst "):
        return []
    found = []
    for match in _CONSTANT.finditer(expression):
        width, value = int(match[1]), int(match[3], 16 if match[2] == "h" else 10)
        found.append(f"{expression[: match.start()]}{width}'h{value ^ 1 << rng.randrange(width):x}{expression[match.end() :]}")
    return _whole(line, found)


def _selects(line: str, widths: dict[str, int], rng: random.Random) -> list[str]:
    expression = _right(line)[1]  # type: ignore[index]
    found = []
    if (match := _TERNARY.match(expression)) and match[1] != "rst" and not _holds(line):
        choice, one, other = match.groups()
        found += [f"{choice} ? {other} : {one}", one, other]
    for match in _INDEX.finditer(expression):
        name, high, low = match[1], int(match[2]), match[3]
        if name not in widths:  # a memory
            continue
        for step in (-1, 1):
            bottom = int(low) if low is not None else high
            if bottom + step >= 0 and high + step < widths[name]:
                index = f"{high + step}" if low is None else f"{high + step}:{bottom + step}"
                found.append(f"{expression[: match.start()]}{name}[{index}]{expression[match.end() :]}")
    return _whole(line, found)


def _holds(line: str) -> bool:
    """Whether a multiplexer keeps a register's value or takes a new one: one of its arms is a register, by its name, or a flag's rest."""
    match = _TERNARY.match(_right(line)[1])  # type: ignore[index]
    return bool(match and match[1] != "rst" and any(re.fullmatch(r"\w+_reg", arm) for arm in match.groups()[1:]))


def _enables(line: str, widths: dict[str, int], rng: random.Random) -> list[str]:
    expression = _right(line)[1]  # type: ignore[index]
    if _IF.match(line):
        return _whole(line, ["1'h1", "1'h0", f"!({expression})"])
    match = _TERNARY.match(expression)
    if match and _holds(line):
        return _whole(line, [match[2], match[3], f"{match[1]} ? {match[3]} : {match[2]}"])
    # A gate of one bit.
    if (gate := re.fullmatch(r"(\w+) & (\w+)", expression)) and all(widths.get(name) == 1 for name in gate.groups()):
        return _whole(line, [gate[1], gate[2]])
    return []


def _resets(line: str, widths: dict[str, int], rng: random.Random) -> list[str]:
    match = re.match(r"^rst \? (\d+)'([hd])([0-9a-f]+) : (.*)$", _right(line)[1])  # type: ignore[index]
    if not match:
        return []
    width, value = int(match[1]), int(match[3], 16 if match[2] == "h" else 10)
    other = value ^ 1 << rng.randrange(width)
    return _whole(line, [match[4], f"rst ? {width}'h{other:x} : {match[4]}"])
