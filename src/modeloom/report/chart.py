# SPDX-License-Identifier: Apache-2.0
"""The schedule as a picture (SVG), similar to the time diagrams of the papers.

Rows are units, columns are cycles, and every sector has a colour::

                0         10        20        30
    cipher 0    ▇ ▇▇▇▇▇▇▇▇▇▇▒▒▒▒▒▒▒▒▒▒▒▒▒▒        one cell for each issue
    mul 0          ▇▇▇▇▇▇▇▇▇▇▒▒▒▒▒▒▒▒▒▒▒▒
    sector 0    ├──────────────────┤              from entry to last block
    sector 1              ├──────────────────┤
    24  length = ...                              the lines of the definition, which are the targets of links
    26  return o.poly(...)

The operations of a sector are drawn once and reused for each further sector.  The picture has its own background, so it looks the same on
light and on dark pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

from modeloom.compiler.compile import Compiled
from modeloom.compiler.dump import operation_text
from modeloom.ir.graph import Line
from modeloom.spec.kinds import UnitKind

__all__ = ["chart"]

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
"""Colours that people with any colour vision can tell apart (Okabe and Ito)."""

LEFT, RIGHT, TOP, ROW, BAR = 120, 16, 78, 22, 15
"""Pixels: margins, height of the row of a unit, height of the bar of a sector."""

WIDTH, LEAST_CELL, MOST_CELL = 1200, 4, 16
"""Pixels: desired width of all cycles, smallest and largest width of a cycle."""

LINE, LETTER = 16, 7.3
"""Pixels: height of a line of the definition, width of a letter."""

BARS = 8
"""Largest number of sectors with a bar."""

TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def chart(compiled: Compiled) -> str:
    """The schedule of a compiled mode as an SVG document, the same text for the same schedule.

    An overlapped schedule is shown from an empty pipeline until the pipeline is empty again.  It has the largest number of sectors that can
    be in flight, and at least two.  A plain schedule is shown for one sector.  A cell is the cycle in which an operation issues.  Its
    tooltip has the operation and the line of the definition, and it is a link to this line below the diagram.  If both directions share
    the cell, it is a link to the line of the first direction.
    """
    return _Chart(compiled).text()


def _anchor(line: Line) -> str:
    """Name of a line in the document."""
    return f"line-{line}".replace(":", "-")


def _noun(kind: UnitKind) -> str:
    """The name of a unit for readers.  Units for keys of another length have their own names."""
    return str(kind) if kind.key_bits or not kind.type.noun else kind.type.noun



class _Chart:
    def __init__(self, compiled: Compiled):
        self.compiled = compiled
        self.schedule = schedule = compiled.schedule
        self.latency, self.ii = schedule.latency, schedule.ii
        # Enough sectors to fill each place in the pipeline once, and all of them to their last block.  The interval of a plain schedule
        # ends with the cycle in which its last block leaves.
        self.sectors = max(2, -(-(self.latency + 1) // self.ii)) if schedule.overlap else 1
        self.cycles = self.ii * (self.sectors - 1) + self.latency + 1 if schedule.overlap else self.ii
        self.cell = max(LEAST_CELL, min(MOST_CELL, WIDTH // self.cycles))
        self.rows = self._rows()
        self.bars = min(self.sectors, BARS)
        self.definition = self._texts()
        self.bottom = TOP + ROW * len(self.rows)
        longest = max(map(len, self.definition.values()), default=0)
        self.width = max(LEFT + self.cell * self.cycles, int(LETTER * (longest + 6)) + 16) + RIGHT
        self.listing = self.bottom + 10 + BAR * self.bars + 34
        files = {line.file for line in self.definition}
        self.height = self.listing + LINE * (len(self.definition) + len(files)) + 12

    def _rows(self) -> dict[tuple[UnitKind, int], int]:
        """The top pixel of each unit that is used, in the order of the unit set."""
        problem = self.schedule.problem
        busy = {(unit.kind, n) for unit, n in zip(problem.unit, self.schedule.instance, strict=True)}
        units = [(unit.kind, n) for unit in problem.units.units for n in range(unit.count) if (unit.kind, n) in busy]
        return {unit: TOP + ROW * i for i, unit in enumerate(units)}

    def _texts(self) -> dict[Line, str]:
        """The traced lines of the definition, by file and number, without the common indent of a file."""
        texts = {line: text.expandtabs(4) for line, text in sorted(self.compiled.source.text.items())}
        indents: dict[str, int] = {}
        for line, text in texts.items():
            indent = len(text) - len(text.lstrip())
            indents[line.file] = min(indents.get(line.file, indent), indent)
        return {line: text[indents[line.file] :] for line, text in texts.items()}

    def x(self, cycle: int) -> int:
        """The pixel of the left edge of a cycle."""
        return LEFT + self.cell * cycle

    def text(self) -> str:
        """The whole document."""
        return "".join(f"{line}\n" for line in self._document())

    def _document(self) -> Iterator[str]:
        title, subtitle = self._titles()
        # The viewer scales charts that are wider than a page.  The drawing itself is in pixels.
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" role="img" font-family="Helvetica, Arial, sans-serif" font-size="12" '
            'fill="#24292f">'
        )
        yield f"<title>{escape(title)}</title>"
        yield f"<desc>{escape(subtitle)}</desc>"
        yield "<style>a{cursor:pointer}text:target{fill:#cf222e;font-weight:bold}</style>"
        yield f'<rect width="{self.width}" height="{self.height}" rx="6" fill="#f6f8fa" stroke="#d0d7de"/>'
        yield f'<text x="16" y="25" font-size="16" font-weight="bold">{escape(title)}</text>'
        yield f'<text x="16" y="44">{escape(subtitle)}</text>'
        yield from self._axis()
        area = f'x="{LEFT}" y="{TOP}" width="{self.cell * self.cycles}" height="{self.bottom - TOP}"'
        yield f'<clipPath id="cycles"><rect {area}/></clipPath>'
        yield "<defs>"
        yield '<g id="sector">'
        yield from self._operations()
        yield "</g>"
        yield "</defs>"
        yield '<g clip-path="url(#cycles)">'
        for sector in range(self.sectors):
            yield f'<use href="#sector" x="{self.cell * self.ii * sector}" fill="{COLOURS[sector % len(COLOURS)]}"/>'
        yield "</g>"
        yield from self._bars()
        yield f'<text x="16" y="{self.listing - 12}">{escape(self._legend())}</text>'
        yield from self._definition()
        yield "</svg>"

    def _titles(self) -> tuple[str, str]:
        figures = self.compiled.explain()
        title = f"{self.compiled.mode.title}, sectors of {figures['sector_bytes']} bytes ({figures['blocks']} blocks): "
        latency = f"latency {self.latency} cycles (bound {figures['latency_bound']})"
        if self.schedule.overlap:
            title += f"a sector every {self.ii} cycles"
            subtitle = f"initiation interval {self.ii} (bound {figures['ii_bound']}), {latency}"
        else:
            title += f"{self.latency} cycles"
            subtitle = f"one sector at a time, {latency}"
        units = ", ".join(
            f"{unit['count']} {_noun(kind)}{'s' if unit['count'] > 1 else ''} ({unit['latency']})"
            for kind, unit in figures["units"].items()
            if (kind, 0) in self.rows
        )
        return title, f"{subtitle}; units and their latency: {units}"

    def _axis(self) -> Iterator[str]:
        """The rows with their names, and the lines and numbers of cycles.  The entry of a sector is a stronger line."""
        end = self.x(self.cycles)
        for i, ((kind, n), y) in enumerate(self.rows.items()):
            yield f'<rect x="{LEFT}" y="{y}" width="{end - LEFT}" height="{ROW}" fill="{("#ffffff", "#eef1f4")[i % 2]}"/>'
            yield f'<text x="{LEFT - 8}" y="{y + 15}" text-anchor="end">{_noun(kind)} {n}</text>'
        step = next((t for t in TICKS if t * self.cell >= 40), TICKS[-1])
        for cycle in range(0, self.cycles + 1, step):
            x = self.x(cycle)
            yield f'<path d="M{x} {TOP - 4}V{self.bottom}" stroke="#d0d7de"/>'
            yield f'<text x="{x}" y="{TOP - 8}" text-anchor="middle" font-size="11">{cycle}</text>'
        for sector in range(self.sectors):
            yield f'<path d="M{self.x(sector * self.ii)} {TOP}V{self.bottom}" stroke="#8c959f" stroke-dasharray="3 3"/>'

    def _operations(self) -> Iterator[str]:
        """The cells of one sector, as if it entered in cycle 0."""
        problem, schedule = self.schedule.problem, self.schedule
        for i in sorted(range(len(schedule.start)), key=lambda i: (schedule.start[i], i)):
            unit, start = problem.unit[i], schedule.start[i]
            x, y = self.x(start), self.rows[unit.kind, schedule.instance[i]] + 3
            width = self.cell * unit.interval - 1
            texts: dict[str, list[str]] = {}
            for direction, op in problem.graph.pairs[i].ops.items():
                texts.setdefault(operation_text(i, op).replace("    ;", ","), []).append(direction)
            tip = "\n".join(
                text if len(directions) == len(problem.graph.directions) else f"{' and '.join(directions)}: {text}"
                for text, directions in texts.items()
            )
            line = next((op.line for op in problem.graph.pairs[i].ops.values() if op.line), None)
            cell = (
                f'<path d="M{x} {y}h{width}v{ROW - 6}h-{width}z">'
                f"<title>cycle {start} of a sector\n{escape(tip, quote=False)}</title></path>"
            )
            yield f'<a href="#{_anchor(line)}">{cell}</a>' if line else cell

    def _bars(self) -> Iterator[str]:
        """The bars of the first sectors, from entry to last block."""
        for sector in range(self.bars):
            y = self.bottom + 10 + BAR * sector + BAR // 2
            left, right = self.x(sector * self.ii), self.x(sector * self.ii + self.latency + 1)
            colour = COLOURS[sector % len(COLOURS)]
            yield f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end" font-size="11">sector {sector}</text>'
            yield f'<path d="M{left} {y}H{right}" stroke="{colour}" stroke-width="5"/>'

    def _definition(self) -> Iterator[str]:
        """The lines of the definition, under the name of each file."""
        y, file = self.listing, None
        for line, text in self.definition.items():
            if line.file != file:
                file = line.file
                name = file or Path(self.compiled.source.file).name
                y += LINE
                yield f'<text x="16" y="{y}" font-weight="bold">{escape(name)}</text>'
            y += LINE
            yield (
                f'<text id="{_anchor(line)}" x="16" y="{y}" font-family="monospace" xml:space="preserve">'
                f"{line.number:>4}  {escape(text, quote=False)}</text>"
            )

    def _legend(self) -> str:
        text = "a cell: an operation issues, a link to its line below; colours: sectors"
        if self.schedule.overlap:
            text += "; dashed lines: a sector enters"
        if self.bars < self.sectors:
            text += f"; bars: the first {self.bars} sectors, from entry to last block"
        else:
            text += "; bars: from entry to last block"
        return text
