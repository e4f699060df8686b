# SPDX-License-Identifier: Apache-2.0
"""Many faults in one Verilog file: an input ``planted_fault`` chooses which of them the core has, 0 none.

One simulation serves all faults, and choosing costs nothing::

    assign y = a & b;        ──▶  assign y = planted_fault == 7 ? (a | b) : (a & b);
    assign d = table[x];     ──▶  assign d = (table[x] ^ (planted_fault == 9 && x == 8'h53 ? 8'h04 : 8'h00));
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from .sites import Fault

__all__ = ["INPUT", "SEEN", "schemata"]

INPUT = "planted_fault"
SEEN = "planted_seen_"
BITS = 16

_MODULE = re.compile(r"^module (\w+)")
_EXPRESSION = re.compile(r"^(  assign \w+(?:\[[\d:]+\])? = |    if \()(.*)(;|\))$")
_READ = re.compile(r"^(  assign \w+(?:\[[\d:]+\])? = |\s+\w+ <= )(\w+)\[(.+)\];$")


def schemata(verilog: str, faults: Sequence[Fault], *, monitors: bool = False) -> str:
    """The Verilog with fault i of the list as number i + 1.

    With *monitors*, a register of each fault, whose name is ``SEEN`` and its number, goes high in the first cycle in which its expression
    differs from the right one.  Of a core without faults, they say which faults its traffic can show at all.
    """
    lines = verilog.split("\n")
    names = {match[1] for line in lines if (match := _MODULE.match(line))}
    by_line: dict[int, list[tuple[int, Fault]]] = defaultdict(list)
    tables: dict[tuple[str, str], list[tuple[int, Fault]]] = defaultdict(list)
    for number, fault in enumerate(faults, 1):
        if fault.word is not None:
            tables[fault.module, fault.word[0]].append((number, fault))
        else:
            by_line[fault.line].append((number, fault))
    result: list[str] = []
    module, widths, first, header, clocked = "", {}, True, False, False
    aside = 0
    for at, line in enumerate(lines):
        aside += line.startswith(("`ifdef", "`ifndef")) - line.startswith("`endif")
        if aside:  # what is not synthesised
            result.append(line)
            continue
        if match := _MODULE.match(line):
            module, widths, clocked = match[1], {}, False
        clocked |= line == "  input clk;"
        if match := re.match(r"^  reg \[(\d+):0\] (\w+) \[\d+:0\];$", line):
            widths[match[2]] = int(match[1]) + 1
        of_module = {name: (widths[name], some) for (where, name), some in tables.items() if where == module and name in widths}
        if by_line[at]:
            line = _chosen(line, by_line[at], of_module)
        elif (match := _READ.match(line)) and match[2] in of_module:
            line = f"{match[1]}({_read(match[2], match[3], of_module)});"
        if starts := _MODULE.match(line):
            # The port list of the top, which has the directions, begins on the next line; those of the others begin on this one.
            header = not first
            line = line.replace("(", f"({INPUT}, ", 1) if header else line
        result.append(line)
        for number, fault in by_line[at] if monitors and clocked else ():
            result += _monitor(number, fault)
        if starts and first:
            result.append(f"    input  wire   [{BITS - 1}:0] {INPUT},")
            first = False
        if header and line.endswith(");"):
            result += [f"  input [{BITS - 1}:0] {INPUT};", f"  wire [{BITS - 1}:0] {INPUT};"]
            header = False
        elif (match := re.match(r"^  (\w+) \w+ \($", line)) and match[1] in names:
            result.append(f"    .{INPUT}({INPUT}),")
    return "\n".join(result)


def _monitor(number: int, fault: Fault) -> list[str]:
    """A register that notes that a fault makes a difference to its line."""
    good, faulty = _EXPRESSION.match(fault.old), _EXPRESSION.match(fault.new)
    if good is None or faulty is None or not fault.old.startswith("  assign"):
        return []
    name = f"{SEEN}{number}"
    return [
        f"  (* keep *) reg {name} = 1'h0;", "  always @(posedge clk)",
        f"    if (({good[2]}) != ({faulty[2]})) {name} <= 1'h1;",
    ]  # fmt: skip


Tables = Mapping[str, tuple[int, Sequence[tuple[int, Fault]]]]
"""For each table of a module its width and its faults."""


def _chosen(line: str, faults: Sequence[tuple[int, Fault]], tables: Tables) -> str:
    match = _EXPRESSION.match(line)
    if match is None:
        raise ValueError(f"no expression: {line}")

    def whole(expression: str) -> str:
        """With the faults of the table that it reads, if it is one that has any."""
        read = re.fullmatch(r"(\w+)\[(.+)\]", expression)
        return _read(read[1], read[2], tables) if read and read[1] in tables else expression

    text = f"({whole(match[2])})"
    for number, fault in faults:
        faulty = _EXPRESSION.match(fault.new)
        assert faulty is not None and faulty[1] == match[1]
        text = f"({INPUT} == {BITS}'d{number} ? ({whole(faulty[2])}) : {text})"
    return f"{match[1]}{text}{match[3]}"


def _read(name: str, address: str, tables: Tables) -> str:
    width, faults = tables[name]
    text = f"{name}[{address}]"
    for number, fault in faults:
        assert fault.word is not None
        _, at, flip = fault.word
        text += f" ^ ({INPUT} == {BITS}'d{number} && {{{address}}} == 32'd{at} ? {width}'h{flip:x} : {width}'h0)"
    return text
