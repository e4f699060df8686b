# SPDX-License-Identifier: Apache-2.0
"""The lines of a definition as the HTML datasheet shows them: those that make operations, and in the mode's own file those between."""

from __future__ import annotations

import linecache
from pathlib import Path

from modeloom.ir.graph import Trace
from modeloom.ir.lines import Line
from modeloom.product.page import SourceLine, SourceText

__all__ = ["anchor_of", "definition_lines"]

NEAR = 12
"""Lines without operations between two lines with operations that are still shown, and before the first one."""


def anchor_of(line: Line, texts: tuple[SourceText, ...]) -> str:
    """The anchor of a line in the page; "" if the operation comes from none, or from one that is not shown."""
    for text in texts:
        if text.own != (not line.file) or (line.file and line.file != text.file):
            continue
        if any(each.number == line.number for each in text.lines):
            return text.anchor(line.number)
    return ""


def definition_lines(*traces: Trace) -> tuple[SourceText, ...]:
    """The lines of each file, the mode's own file first, without the common indent of a file.  There is a trace for each size."""
    files: dict[str, dict[int, SourceLine]] = {}
    for line, text in sorted({line: text for trace in traces for line, text in trace.text.items()}.items()):
        files.setdefault(line.file, {})[line.number] = SourceLine(line.number, text.expandtabs(4))
    own = traces[0].file
    if "" in files and own:
        files[""] |= _between(own, files[""])
    return tuple(
        SourceText(file or Path(own).name, _dedented([lines[number] for number in sorted(lines)]), own=not file)
        for file, lines in sorted(files.items())
    )


def _between(path: str, traced: dict[int, SourceLine]) -> dict[int, SourceLine]:
    """The lines of a file between traced ones, and from the head of the function before a first one, where they are few."""
    every = [text.rstrip().expandtabs(4) for text in linecache.getlines(path)]
    found: dict[int, SourceLine] = {}
    last = 0
    for number in sorted(traced):
        start = last + 1 if last and number - last <= NEAR else _head(every, number, last)
        found |= {n: SourceLine(n, every[n - 1], traced=False) for n in range(start, number) if n <= len(every)}
        last = number
    return {n: line for n, line in found.items() if n not in traced}


def _head(every: list[str], number: int, last: int) -> int:
    """The line with the head of the function around a line, if it is near; the line itself otherwise."""
    for n in range(number, max(last, number - NEAR), -1):
        if n <= len(every) and every[n - 1].lstrip().startswith("def "):
            return n
    return number


def _dedented(lines: list[SourceLine]) -> tuple[SourceLine, ...]:
    indent = min((len(line.text) - len(line.text.lstrip()) for line in lines if line.text.strip()), default=0)
    return tuple(SourceLine(line.number, line.text[indent:], line.traced) for line in lines)
