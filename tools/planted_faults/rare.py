# SPDX-License-Identifier: Apache-2.0
"""Rare single faults: one bit of a comparison, of a counter, of a depth or of an index.

The Verilog has one operator a line (``plain``)::

    comparison   a == 8'h0c     ──▶  bit 7 is not compared         (a | 8'h80) == (8'h0c | 8'h80)
    counter      a + 60'h1      ──▶  the carry into bit 12 is lost, or the highest bit is
    depth        level < 5'h08  ──▶  a bit of the bound is turned over
    index        memory[a]      ──▶  bit 3 of the address is low

What overwrites memories in an erasure is left out, and so are tables: other faults are for those (``sites``).
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from .sites import Fault

__all__ = ["RARE_KINDS", "rare_faults"]

RARE_KINDS = ("comparison", "counter", "depth", "index")

_ASSIGN = re.compile(r"^  assign (\w+)(?:\[(\d+)(?::(\d+))?\])? = (.*);$")
_OPERAND = r"(\w+(?:\[[\d:]+\])?|\d+'h[0-9a-f]+|\{ [^{}?]* \})"
_COMPARED = re.compile(rf"^{_OPERAND} (==|!=) {_OPERAND}$")
_BELOW = re.compile(rf"^{_OPERAND} (<|<=|>|>=) (\d+)'h([0-9a-f]+)$")
_ADDED = re.compile(rf"^{_OPERAND} ([+-]) {_OPERAND}$")
_ANY = re.compile(r"^\| (\w+(?:\[[\d:]+\])?)$")
_READ = re.compile(r"^(\w+)\[(\w+)(?:\[(\d+):(\d+)\])?\]$")
_SHIFTED = re.compile(rf"^{_OPERAND} >> (\w+)(?:\[(\d+):(\d+)\])?$")
_CONSTANT = re.compile(r"^(\d+)'h([0-9a-f]+)$")
_MODULE = re.compile(r"^module (\w+)")
_WIDTH = re.compile(r"^  (?:wire|reg|input|output) (?:\[(\d+):(\d+)\] )?(\w+)(?: = .*)?;$")
_MEMORY = re.compile(r"^  reg \[\d+:0\] (\w+) \[\d+:0\];$")
_LEFT_OUT = re.compile(r"erase|aes_sbox|aes_inverses|sbox|rst\b")


def rare_faults(verilog: str, number: int, seed: int) -> list[Fault]:
    """So many different faults, as many of each kind as of any other if there are so many.  A line is drawn first, then a bit of it."""
    rng = random.Random(seed)
    lines: dict[str, list[tuple[int, list[Fault]]]] = {kind: [] for kind in RARE_KINDS}
    for at, found in _places(verilog):
        for kind in RARE_KINDS:
            if some := [fault for fault in found if fault.kind == kind]:
                lines[kind].append((at, some))
    chosen: dict[tuple[int, str], Fault] = {}
    for turn in range(50 * number):
        if len(chosen) == number:
            break
        kind = RARE_KINDS[turn % len(RARE_KINDS)]
        if lines[kind]:
            fault = rng.choice(rng.choice(lines[kind])[1])
            chosen.setdefault((fault.line, fault.new), fault)
    return list(chosen.values())


def _places(verilog: str) -> Iterator[tuple[int, list[Fault]]]:
    """Lines with the faults that can stand on them."""
    module, number, aside = "", 0, 0
    widths: dict[str, int] = {}
    memories: set[str] = set()
    for at, line in enumerate(verilog.split("\n")):
        aside += line.startswith(("`ifdef", "`ifndef")) - line.startswith("`endif")
        if match := _MODULE.match(line):
            module, widths, memories, number = match[1], {}, set(), number + 1
        if aside or number < 2:
            continue
        if match := _MEMORY.match(line):
            memories.add(match[1])
        elif match := _WIDTH.match(line):
            widths[match[3]] = int(match[1] or 0) - int(match[2] or 0) + 1
        elif (match := _ASSIGN.match(line)) and not _LEFT_OUT.search(line) and not _LEFT_OUT.search(module):
            wide = _width(f"{match[1]}[{match[2]}:{match[3] or match[2]}]" if match[2] else match[1], widths)
            found = [
                Fault(kind, module, at, line, f"{line[: match.start(4)]}{new};") for kind, new in _of(match[4], wide, widths, memories)
            ]
            if found:
                yield at, found


def _width(operand: str, widths: dict[str, int]) -> int:
    """Bits of an operand; 0 if it is not known."""
    if match := _CONSTANT.match(operand):
        return int(match[1])
    if match := re.match(r"^\w+\[(\d+)(?::(\d+))?\]$", operand):
        return int(match[1]) - int(match[2] or match[1]) + 1
    if operand.startswith("{"):
        parts = [_width(part.strip(), widths) for part in operand[1:-1].split(",")]
        return sum(parts) if all(parts) else 0
    return widths.get(operand, 0)


def _of(text: str, wide: int, widths: dict[str, int], memories: set[str]) -> Iterator[tuple[str, str]]:
    """Kinds and texts of the faults of an expression."""
    if match := _COMPARED.match(text):
        one, sign, other = match.groups()
        bits = max(_width(one, widths), _width(other, widths))
        if bits > 1:
            for bit in range(bits):
                mask = f"{bits}'h{1 << bit:x}"
                yield "comparison", f"({one} | {mask}) {sign} ({other} | {mask})"
    elif match := _ANY.match(text):
        bits = _width(match[1], widths)
        for bit in range(bits if bits > 1 else 0):
            yield "comparison", f"| ({match[1]} & {bits}'h{(1 << bits) - 1 ^ 1 << bit:x})"
    elif match := _BELOW.match(text):
        bits = int(match[3])
        for bit in range(bits):
            yield "depth", f"{match[1]} {match[2]} {bits}'h{int(match[4], 16) ^ 1 << bit:x}"
    elif (match := _ADDED.match(text)) and wide > 1:
        one, sign, other = match.groups()
        for bit in range(1, wide):
            low, high = (1 << bit) - 1, (1 << wide) - (1 << bit)
            upper = f"((({one}) & {wide}'h{high:x}) {sign} (({other}) & {wide}'h{high:x}))"
            yield "counter", f"(({one} {sign} {other}) & {wide}'h{low:x}) | ({upper} & {wide}'h{high:x})"
        yield "counter", f"({one} {sign} {other}) & {wide}'h{(1 << wide - 1) - 1:x}"
    elif (match := _READ.match(text)) and match[1] in memories:
        yield from _indices(match, text, widths)
    elif match := _SHIFTED.match(text):
        yield from _indices(match, text, widths)


def _indices(match: re.Match[str], text: str, widths: dict[str, int]) -> Iterator[tuple[str, str]]:
    name, high, low = match[2], match[3], match[4]
    bits = widths.get(name, 0) if high is None else int(high) - int(low) + 1
    index = name if high is None else f"{name}[{high}:{low}]"
    for bit in range(bits):
        masked = f"({index} & {bits}'h{(1 << bits) - 1 ^ 1 << bit:x})"
        yield "index", f"{match[1]}[{masked}]" if "[" in text and ">>" not in text else f"{match[1]} >> {masked}"
