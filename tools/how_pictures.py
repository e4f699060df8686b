#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/how-it-works.md: ``python tools/how_pictures.py`` (``--check``: only says which differ).

They show one core, ``modeloom build hctr2 --sector 64``.  ``dataflow.svg`` has the operations that encrypt a sector, and ``engine.svg`` the
block diagram of its ``datasheet.html``.  The schedule of this core is on the page of the mode (``mode_pages``).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src")]

from modeloom.compiler.compile import Compiled, compile_mode  # noqa: E402
from modeloom.compiler.dump import operation_text  # noqa: E402
from modeloom.cores.sector import SectorCore  # noqa: E402
from modeloom.emit.html.page import diagram  # noqa: E402
from modeloom.ir.graph import Op, Term  # noqa: E402
from modeloom.modes import find  # noqa: E402
from modeloom.options.sectors import Options  # noqa: E402

IMAGES = ROOT / "docs" / "img"

MODE, SECTOR, DIRECTION = "hctr2", 64, "encrypt"

WIDE, HIGH, ROW, COLUMN, GAP, MARGIN, TOP = 84, 34, 72, 100, 26, 16, 52
"""Pixels: size of a box, distance of rows, width for a box and for a line that passes a row, margin, height of the title."""

SWEEPS = 7
"""How often the rows are sorted, from the top and from the bottom in turn."""

FONT = 'font-family="Helvetica, Arial, sans-serif"'

FILLS = {"enc": "#dcecfb", "dec": "#dcecfb", "mul": "#e0f3ea", "acc": "#efe5f3"}
"""Colours of operations; blocks that enter and leave have another one."""

BUS = "#fdf0d3"

STYLE = """svg { font-family: Helvetica, Arial, sans-serif; } text { fill: #1c2128; font-size: 12px; } text.quiet { fill: #57606a;
font-size: 11px; } .unit { fill: #dcecfb; } .storage { fill: #e0f3ea; } .bus { fill: #fdf0d3; } .control { fill: #efe5f3; }
.box { stroke: #8c959f; } .wire { fill: none; stroke: #57606a; } .thin { fill: none; stroke: #d0d7de; } .dot { fill: #57606a; }"""
"""The block diagram in a file of its own has the light colours of the datasheet."""

Place = tuple[str, object]
"""A box: ("op", number), ("block", number), ("tweak", number) or ("out", number)."""

Box = tuple[str, str, str, list[Place]]
"""Kind, name, text of the operation, and the boxes that it reads."""


def compiled() -> Compiled:
    """The core of the pictures, not proved here: the tests of the compiler prove it."""
    return compile_mode(find(MODE), Options(sector=SECTOR), prove=False)


def operations(core: Compiled) -> dict[Place, Box]:
    """The boxes in the order of the operations."""
    found: dict[Place, Box] = {}
    for number, op in core.schedule.problem.graph.ops(DIRECTION):
        terms = [term for form in (*op.pre, op.post) for term in form]
        read = list(dict.fromkeys(_place(term) for term in terms if _place(term)))
        for place in read:
            if place[0] in ("block", "tweak"):
                name = f"{'P' if place[0] == 'block' else 'T'}{place[1]}"
                found.setdefault(place, ("in", name, f"block {name} enters", []))
        leaves = op.leaves
        place = ("out", op.index) if leaves else ("op", number)
        name = f"C{op.index}" if leaves else _label(op)
        found[place] = ("out" if leaves else str(op.kind), name, operation_text(number, op), read)
    return found


def _place(term: Term) -> Place:
    kind, which = term.source[0], term.source[1]
    return (kind, which) if kind in ("block", "tweak", "op") else ()  # type: ignore[return-value]


def _label(op: Op) -> str:
    """What a box says: the kind, and the key value of a multiplication."""
    keys = [str(term.source[1]) for form in op.pre for term in form if term.source[0] == "key"]
    return f"· {keys[0]}" if str(op.kind) == "mul" and keys else str(op.kind)


def levels(boxes: dict[Place, Box]) -> dict[Place, int]:
    """The row of each box: below all boxes that it reads.  Blocks that leave are in the last row."""
    found: dict[Place, int] = {}
    for place, (*_, read) in boxes.items():
        found[place] = 1 + max((found[each] for each in read), default=-1)
    last = max(level for place, level in found.items() if place[0] != "out") + 1
    return {place: last if place[0] == "out" else level for place, level in found.items()}


def tracks(boxes: dict[Place, Box], level: dict[Place, int]) -> list[list[Place]]:
    """The rows from top to bottom.  A value that is read further below has a place ("line", row, box) in each row between."""
    rows: list[list[Place]] = [[] for _ in range(max(level.values()) + 1)]
    for place in boxes:
        rows[level[place]].append(place)
    rows[0].sort(key=lambda place: (place[0] != "tweak", str(place[1])))
    for place, (*_, read) in boxes.items():
        for each in read:
            for row in range(level[each] + 1, level[place]):
                if (line := ("line", (row, each))) not in rows[row]:
                    rows[row].append(line)
    return rows


def steps(each: Place, place: Place, level: dict[Place, int]) -> list[Place]:
    """The places through which a line leads from a box to one that reads it."""
    return [each, *(("line", (row, each)) for row in range(level[each] + 1, level[place])), place]


def placed(boxes: dict[Place, Box], level: dict[Place, int]) -> dict[Place, tuple[int, int]]:
    """The middle of each place.  Rows below the first one are sorted by the middle of what they read, and then of who reads them."""
    rows = tracks(boxes, level)
    near: dict[Place, list[Place]] = {place: [] for row in rows for place in row}
    for place, (*_, read) in boxes.items():
        for each in read:
            way = steps(each, place, level)
            for one, other in zip(way, way[1:], strict=False):
                near[one].append(other)
                near[other].append(one)
    wide = max(map(_width, rows))
    at: dict[Place, float] = {}
    for sweep in range(SWEEPS):
        for row in rows[1:] if sweep % 2 == 0 else rows[-2:0:-1]:
            row.sort(key=lambda place: _middle([at[each] for each in near[place] if each in at]))
        for row in rows:
            x = (wide - _width(row)) / 2
            for place in row:
                at[place] = x + _width([place]) / 2
                x += _width([place])
    return {place: (MARGIN + round(at[place]), TOP + ROW * n + HIGH // 2) for n, row in enumerate(rows) for place in row}


def _width(row: list[Place]) -> int:
    return sum(GAP if place[0] == "line" else COLUMN for place in row)


def _middle(places: list[float]) -> float:
    return sum(places) / len(places) if places else 0.0


def dataflow(core: Compiled) -> str:
    """The operations of one direction as an SVG document: each box reads those above it, and a line is a block of 16 bytes."""
    boxes = operations(core)
    level = levels(boxes)
    at = placed(boxes, level)
    width = 2 * MARGIN + max(map(_width, tracks(boxes, level)))
    height = TOP + ROW * (max(level.values()) + 1)
    return "".join(f"{line}\n" for line in _drawn(boxes, level, at, width, height))


def _drawn(
    boxes: dict[Place, Box], level: dict[Place, int], at: dict[Place, tuple[int, int]], width: int, height: int
) -> Iterator[str]:
    title = f"{MODE}, sectors of {SECTOR} bytes: operations that {DIRECTION}"
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" {FONT} '
        'font-size="13" fill="#24292f">'
    )
    yield f"<title>{title}</title>"
    yield f'<rect width="{width}" height="{height}" rx="6" fill="#f6f8fa" stroke="#d0d7de"/>'
    yield f'<text x="{MARGIN}" y="26" font-size="16" font-weight="bold">{title}</text>'
    for place, (*_, read) in boxes.items():
        for each in read:
            way = [at[step] for step in steps(each, place, level)]
            path = f"M{way[0][0]} {way[0][1] + HIGH // 2}"
            for (left, above), (x, y) in zip(way, way[1:], strict=False):
                start, end = above + HIGH // 2, y - HIGH // 2
                half = (start + end) // 2
                path += f"C{left} {half} {x} {half} {x} {end}" + ("" if (x, y) == way[-1] else f"V{end + HIGH}")
            yield f'<path d="{path}" fill="none" stroke="#8c959f"/>'
    for place, (kind, name, text, _) in boxes.items():
        x, y = at[place]
        yield f"<g><title>{escape(text, quote=False)}</title>"
        yield (
            f'<rect x="{x - WIDE // 2}" y="{y - HIGH // 2}" width="{WIDE}" height="{HIGH}" rx="4" fill="{FILLS.get(kind, BUS)}" '
            'stroke="#8c959f"/>'
        )
        yield f'<text x="{x}" y="{y + 5}" text-anchor="middle">{escape(name)}</text></g>'
    yield "</svg>"


def engine(core: Compiled) -> str:
    """The block diagram of the datasheet as an SVG document of its own."""
    made = SectorCore(core)
    lines = "".join(f"{line}\n" for line in diagram(made.page(made.describe("core", "")).diagram))
    found = re.search(r'<svg class="diagram" width="(\d+)" height="(\d+)" role="img">(.*)</svg>', lines, re.DOTALL)
    if found is None:
        raise ValueError("the datasheet has no block diagram")
    width, height, inner = found[1], found[2], found[3]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">'
        f'\n<style>{STYLE}</style>\n<rect width="{width}" height="{height}" rx="6" fill="#f6f8fa" stroke="#d0d7de"/>{inner}</svg>\n'
    )


def pictures() -> dict[Path, str]:
    """Every picture."""
    core = compiled()
    return {IMAGES / "dataflow.svg": dataflow(core), IMAGES / "engine.svg": engine(core)}


def stale(files: dict[Path, str]) -> list[Path]:
    """The pictures that are missing or differ."""
    return [path for path, text in files.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]


def main(arguments: Sequence[str]) -> int:
    """Draws, or with ``--check`` says what differs; exit status 1 if something does."""
    if list(arguments) not in ([], ["--check"]):
        print("usage: python tools/how_pictures.py [--check]", file=sys.stderr)
        return 2
    files = pictures()
    found = stale(files)
    for path in found:
        if not arguments:
            path.write_text(files[path], encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: {'differs; run python tools/how_pictures.py' if arguments else 'drawn'}")
    return 1 if arguments and found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
