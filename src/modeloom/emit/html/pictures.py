# SPDX-License-Identifier: Apache-2.0
"""The pictures of the page: the schedule or pipeline, which zooms, and the block diagram."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from modeloom.emit.html.style import COLOURS
from modeloom.product.page import Box, Chart, Diagram, DiagramRow
from modeloom.spec.wording import many

__all__ = ["chart", "diagram"]

TOP, ROW, BAR, LETTER = 22, 22, 14, 7
"""Pixels: height of the axis, of a row, of the bar of a sector; width of a letter."""

WIDTH, LEAST_CELL, MOST_CELL = 1080, 4, 22
"""Pixels: desired width of all columns, smallest and largest width of a column."""

# A schedule, or a pipeline of tokens, as a picture that zooms: rows are units, and each cell is a link to a line of the definition.
#
#     ┌ names ─────┬ plot, which scrolls ────────────────┐
#     │ cipher 0   │ ▇ ▇▇▇▇▇▇▇▇▇▇▒▒▒▒▒▒▒▒▒▒▒▒▒▒          │
#     │ mul 0      │    ▇▇▇▇▇▇▇▇▇▇▒▒▒▒▒▒▒▒▒▒▒▒           │
#     │ sector 0   │ ├──────────────────┤                │
#     └────────────┴─────────────────────────────────────┘
#
# The cells of a sector stand in the page once, and each further sector reuses them.

BARS = 8
"""Largest number of sectors with a bar."""

TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


def chart(shown: Chart, number: int) -> Iterator[str]:
    """The lines of a figure.  ``number`` tells charts of a page apart."""
    yield from _SchedulePicture(shown, number).lines()


class _SchedulePicture:
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


# -- diagram -----------------------------------------------------------------------------------------------------------------------

LEFT, TRACK, OPERAND, BOX, GAP, HEIGHT = 12, 11, 104, 152, 26, 42
"""Pixels: margin, distance of tracks, width of the operands, of a box and between boxes, height of a box."""

READ, ABOVE = 19, 8
"""Pixels: height of an operand, and of the line above a row for each track that it drives."""

# The block diagram: a row for each unit or bus, and a track for each value that rows read.
#
#       tracks          operands      boxes
#     ┌──────────────────────────────────────────────────────┐
#     │   ┌──│────────────────────────────────────────────┐  │   a box drives its track over the line above its row
#     │   │  │                        ┌────────┐ ┌──────┐ │  │
#     │   ●──│───────────────── ⊕ ──▶ │ cipher │▶│ bank │─┘  │   a dot: the operand reads this track
#     │   │  │                        └────────┘ └──────┘    │
#     └──────────────────────────────────────────────────────┘

NAMES = {"bus": "bus", "control": "control, keys", "unit": "functional unit", "storage": "storage"}


def diagram(shown: Diagram) -> Iterator[str]:
    """The lines of a figure."""
    yield from _BlockPicture(shown).lines()


class _BlockPicture:
    def __init__(self, shown: Diagram):
        self.shown = shown
        read = {track for row in shown.rows for one in row.reads for track in one.tracks}
        self.tracks = {name: n for n, name in enumerate(track for track in shown.tracks if track in read)}
        self.boxes = LEFT + TRACK * len(self.tracks) + 14 + OPERAND
        most = max((len(row.boxes) for row in shown.rows), default=0)
        self.width = self.boxes + most * (BOX + GAP) + 24
        self.tops: list[int] = []
        y = 10
        for row in shown.rows:
            self.tops.append(y)
            y += self._height(row)
        self.height = y + 4

    def _driven(self, row: DiagramRow) -> list[Box]:
        return [box for box in row.boxes if box.drives in self.tracks]

    def _body(self, row: DiagramRow) -> int:
        return max(HEIGHT, READ * len(row.reads) + 4)

    def _height(self, row: DiagramRow) -> int:
        return ABOVE * len(self._driven(row)) + self._body(row) + 20

    def _middle(self, number: int) -> int:
        row = self.shown.rows[number]
        return self.tops[number] + ABOVE * len(self._driven(row)) + 6 + self._body(row) // 2

    def lines(self) -> Iterator[str]:
        """The figure."""
        kinds = {box.kind for row in self.shown.rows for box in row.boxes}
        keys = "".join(f'<span class="key {kind}"></span>{name}' for kind, name in NAMES.items() if kind in kinds)
        yield "<figure>"
        yield f"<figcaption>{escape(self.shown.about, quote=False)}<br>{keys}</figcaption>"
        yield f'<svg class="diagram" width="{self.width}" height="{self.height}" role="img"><title>Block diagram</title>'
        yield (
            '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0 0L8 4L0 8z" class="dot"/></marker></defs>'
        )
        for n, row in enumerate(self.shown.rows):
            if n:
                yield f'<path class="thin" d="M{self.boxes - OPERAND} {self.tops[n] - 5}H{self.width - 8}"/>'
            yield from self._reads(n, row)
            yield from self._boxes(n, row)
        yield from self._tracks()
        yield "</svg></figure>"

    def _left(self, place: int) -> int:
        return self.boxes + place * (BOX + GAP)

    def _boxes(self, number: int, row: DiagramRow) -> Iterator[str]:
        y = self._middle(number)
        for place, box in enumerate(row.boxes):
            x = self._left(place)
            if place:
                yield f'<path class="wire" d="M{x - GAP} {y}H{x - 1}" marker-end="url(#arrow)"/>'
            yield f'<g><title>{escape(": ".join(filter(None, (box.title, box.tip or box.detail))), quote=False)}</title>'
            yield f'<rect class="box {box.kind}" x="{x}" y="{y - HEIGHT // 2}" width="{BOX}" height="{HEIGHT}" rx="4"/>'
            middle = f'x="{x + BOX // 2}" text-anchor="middle"'
            yield f'<text {middle} y="{y - 3 if box.detail else y + 4}">{escape(_short(box.title, 24), quote=False)}</text>'
            if box.detail:
                yield f'<text class="quiet" {middle} y="{y + 12}">{escape(_short(box.detail, 26), quote=False)}</text>'
            yield "</g>"

    def _read_y(self, number: int, place: int) -> int:
        count = len(self.shown.rows[number].reads)
        return self._middle(number) + READ * place - READ * (count - 1) // 2

    def _reads(self, number: int, row: DiagramRow) -> Iterator[str]:
        """The operands, with a line from their leftmost track."""
        for place, read in enumerate(row.reads):
            y = self._read_y(number, place)
            first = min((self._x(track) for track in read.tracks), default=self.boxes - OPERAND - 4)
            sign = "⊕" if len(read.tracks) > 1 else ""
            yield f"<g><title>{escape(read.tip, quote=False)}</title>"
            yield f'<path class="wire" d="M{first} {y}H{self.boxes - 1}" marker-end="url(#arrow)"/>'
            label = f"{sign} {read.operand}".strip()
            yield f'<text class="quiet" x="{self.boxes - OPERAND + 4}" y="{y - 3}">{escape(_short(label, 15), quote=False)}</text></g>'

    def _x(self, track: str) -> int:
        return LEFT + TRACK * self.tracks[track]

    def _tracks(self) -> Iterator[str]:
        """The tracks: from the box, above its row, down or up to all that read it."""
        for n, row in enumerate(self.shown.rows):
            for level, box in enumerate(self._driven(row)):
                x, at = self._x(box.drives), self.tops[n] + 2 + ABOVE * level
                right = self._left(row.boxes.index(box)) + BOX - 12 - 9 * level
                taps = [
                    self._read_y(other, place) for other, each in enumerate(self.shown.rows) for place, read in enumerate(each.reads)
                    if box.drives in read.tracks
                ]  # fmt: skip
                ends = [at, *taps]
                title = f"{box.title}: read at {many(len(taps), 'operand')}"
                yield f'<g class="track"><title>{escape(title, quote=False)}</title>'
                yield f'<path class="wire" d="M{right} {self._middle(n) - HEIGHT // 2}V{at}H{x}M{x} {min(ends)}V{max(ends)}"/>'
                yield from (f'<circle class="dot" cx="{x}" cy="{y}" r="3"/>' for y in taps)
                yield "</g>"


def _short(text: str, letters: int) -> str:
    return text if len(text) <= letters else text[: letters - 1] + "…"
