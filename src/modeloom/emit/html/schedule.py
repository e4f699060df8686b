# SPDX-License-Identifier: Apache-2.0
"""A schedule, or a pipeline of tokens, as a picture that zooms: rows are units, and each cell is a link to a line of the definition.

::

    ┌ names ─────┬ plot, which scrolls ────────────────┐
    │ cipher 0   │ ▇ ▇▇▇▇▇▇▇▇▇▇▒▒▒▒▒▒▒▒▒▒▒▒▒▒          │
    │ mul 0      │    ▇▇▇▇▇▇▇▇▇▇▒▒▒▒▒▒▒▒▒▒▒▒           │
    │ sector 0   │ ├──────────────────┤                │
    └────────────┴─────────────────────────────────────┘

The cells of a sector stand in the page once, and each further sector reuses them.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from modeloom.emit.html.style import COLOURS
from modeloom.product.page import Chart

__all__ = ["chart"]

TOP, ROW, BAR, LETTER = 22, 22, 14, 7
"""Pixels: height of the axis, of a row, of the bar of a sector; width of a letter."""

WIDTH, LEAST_CELL, MOST_CELL = 1080, 4, 22
"""Pixels: desired width of all columns, smallest and largest width of a column."""

BARS = 8
"""Largest number of sectors with a bar."""

TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


def chart(shown: Chart, number: int) -> Iterator[str]:
    """The lines of a figure.  ``number`` tells charts of a page apart."""
    yield from _Picture(shown, number).lines()


class _Picture:
    def __init__(self, shown: Chart, number: int):
        self.shown, self.number = shown, number
        self.cell = max(LEAST_CELL, min(MOST_CELL, WIDTH // max(1, shown.columns)))
        self.names = 20 + LETTER * max([8, *map(len, shown.rows)])
        self.bars = min(len(shown.repeats), BARS) if shown.length else 0
        self.bottom = TOP + ROW * len(shown.rows)
        self.height = self.bottom + BAR * self.bars + (8 if self.bars else 0) + (20 if shown.marks else 4)
        self.width = self.cell * shown.columns + 12

    def lines(self) -> Iterator[str]:
        """The figure."""
        shown = self.shown
        yield "<figure>"
        title, about = escape(shown.title, quote=False), escape(shown.about, quote=False)
        yield f"<figcaption><strong>{title}</strong><br>{about}{self._legend()}</figcaption>"
        yield (
            '<div class="tools"><button type="button" data-zoom="1.5" title="zoom in">+</button> <button type="button" '
            'data-zoom="0.6667" title="zoom out">−</button> <button type="button" data-zoom="0" title="show all">fit</button> '
            '<span class="quiet">or Ctrl and the wheel; drag to move</span></div>'
        )
        yield '<div class="chart">'
        yield from self._names()
        yield '<div class="plot">'
        yield f'<svg width="{self.width}" height="{self.height}" role="img"><title>{escape(shown.title, quote=False)}</title>'
        yield '<g class="zoom">'
        yield from self._ground()
        yield f'<defs><g id="cells-{self.number}">'
        yield from (self._cell(n) for n in range(len(shown.cells)))
        yield "</g></defs>"
        for copy, at in enumerate(shown.repeats):
            yield f'<use href="#cells-{self.number}" x="{self.cell * at}" class="c{copy % COLOURS}"/>'
        yield from self._bars()
        yield "</g>"
        yield from self._texts()
        yield "</svg></div></div></figure>"

    def _legend(self) -> str:
        keys = (f'<span class="key c{n % COLOURS}"></span>{escape(name)}' for n, name in enumerate(self.shown.legend))
        return f"<br>{''.join(keys)}" if self.shown.legend else ""

    def _names(self) -> Iterator[str]:
        yield f'<svg class="rows" width="{self.names}" height="{self.height}" aria-hidden="true">'
        for n, name in enumerate(self.shown.rows):
            yield f'<text x="{self.names - 8}" y="{TOP + ROW * n + 15}" text-anchor="end">{escape(name)}</text>'
        for n in range(self.bars):
            yield f'<text class="quiet" x="{self.names - 8}" y="{self._bar(n) + 4}" text-anchor="end">sector {n}</text>'
        yield "</svg>"

    def _bar(self, number: int) -> int:
        return self.bottom + 8 + BAR * number + BAR // 2

    def _ground(self) -> Iterator[str]:
        """Bands of rows, lines of columns, and the entries of sectors."""
        end = self.cell * self.shown.columns
        for n in range(0, len(self.shown.rows), 2):
            yield f'<rect class="band" x="0" y="{TOP + ROW * n}" width="{end}" height="{ROW}"/>'
        for column in self._ticks():
            yield f'<path class="grid" d="M{self.cell * column} {TOP - 4}V{self.bottom}" vector-effect="non-scaling-stroke"/>'
        for at in self.shown.repeats[1:]:
            yield f'<path class="enter" d="M{self.cell * at} {TOP}V{self.bottom}" vector-effect="non-scaling-stroke"/>'
        for column, _ in self.shown.marks:
            yield f'<path class="enter" d="M{self.cell * column} {TOP}V{self.bottom + 6}" vector-effect="non-scaling-stroke"/>'

    def _ticks(self) -> range:
        step = next((t for t in TICKS if t * self.cell >= 40), TICKS[-1])
        return range(0, self.shown.columns + 1, step)

    def _cell(self, number: int) -> str:
        """A cell, with a link if it comes from a line.  With a legend, its colour is its own."""
        one = self.shown.cells[number]
        x, y, width = self.cell * one.at, TOP + ROW * one.row + 3, self.cell * one.length
        own = f" c{one.colour % COLOURS}" if self.shown.legend else ""
        tip = f"<title>{escape(one.tip, quote=False)}</title>"
        rect = f'<rect class="cell{own}" x="{x}" y="{y}" width="{width}" height="{ROW - 6}">{tip}</rect>'
        return f'<a href="#{one.line}">{rect}</a>' if one.line else rect

    def _bars(self) -> Iterator[str]:
        """The bars of the first sectors, from entry to last block."""
        for n, at in enumerate(self.shown.repeats[: self.bars]):
            yield (
                f'<rect class="c{n % COLOURS}" x="{self.cell * at}" y="{self._bar(n) - 3}" width="{self.cell * self.shown.length}" '
                f'height="6"><title>sector {n}: {self.shown.column}s {at} to {at + self.shown.length - 1}</title></rect>'
            )

    def _texts(self) -> Iterator[str]:
        """Texts, which the zoom moves and does not stretch."""
        for column in self._ticks():
            x = self.cell * column
            anchor = "start" if not column else "middle"
            yield f'<text class="quiet" data-x="{x}" x="{x}" y="14" text-anchor="{anchor}">{column}</text>'
        for column, text in self.shown.marks:
            x = self.cell * column
            anchor = "end" if column > self.shown.columns // 2 else "start"
            yield f'<text class="quiet" data-x="{x}" x="{x}" y="{self.height - 4}" text-anchor="{anchor}">{escape(text)}</text>'
