# SPDX-License-Identifier: Apache-2.0
"""The block diagram: a row for each unit or bus, and a track for each value that rows read.

::

      tracks          operands      boxes
    ┌──────────────────────────────────────────────────────┐
    │   ┌──│────────────────────────────────────────────┐  │   a box drives its track over the line above its row
    │   │  │                        ┌────────┐ ┌──────┐ │  │
    │   ●──│───────────────── ⊕ ──▶ │ cipher │▶│ bank │─┘  │   a dot: the operand reads this track
    │   │  │                        └────────┘ └──────┘    │
    └──────────────────────────────────────────────────────┘
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from modeloom.product.page import Box, Diagram, DiagramRow
from modeloom.spec.wording import many

__all__ = ["diagram"]

LEFT, TRACK, OPERAND, BOX, GAP, HEIGHT = 12, 11, 104, 152, 26, 42
"""Pixels: margin, distance of tracks, width of the operands, of a box and between boxes, height of a box."""

READ, ABOVE = 19, 8
"""Pixels: height of an operand, and of the line above a row for each track that it drives."""

NAMES = {"bus": "bus", "control": "control, keys", "unit": "functional unit", "storage": "storage"}


def diagram(shown: Diagram) -> Iterator[str]:
    """The lines of a figure."""
    yield from _Picture(shown).lines()


class _Picture:
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
