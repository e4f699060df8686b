# SPDX-License-Identifier: Apache-2.0
"""The skeleton of the page: head, links, and sections from the security of the mode to the commands that check the core.

::

    title, what it is, security       the first lines
    figures                           cycles, and throughput for clocks
    diagram, schedule, definition     of the ``Page`` of the core
    timing, area                      measured after the build
    interfaces … verification         the sections of the Markdown datasheet
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from modeloom.emit.datasheet import FILES, verification
from modeloom.emit.html.measured import Measured, area_lines, timing_lines
from modeloom.emit.html.style import COLOURS, SCRIPT, STYLE
from modeloom.front.map import Register, register_sections
from modeloom.product.core import CLOCK, Core, D, Sheet
from modeloom.product.description import Description
from modeloom.product.page import Box, Chart, Diagram, DiagramRow, Page, SourceText, table
from modeloom.spec.errors import many

__all__ = ["CLOCKS", "chart", "definition", "diagram", "figure_tiles", "html_datasheet", "inline", "markdown", "throughput_table"]


# -- pictures --------------------------------------------------------------------------------------------------------------------------

# The pictures of the page: the schedule or pipeline, which zooms, and the block diagram.

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


# -- page ------------------------------------------------------------------------------------------------------------------------------

# The lines of a definition, each with an anchor for the links of charts.

def definition(texts: Sequence[SourceText]) -> Iterator[str]:
    """The lines under the names of their files, in a frame that scrolls.  Lines that make no operation are dim."""
    yield '<div class="source" tabindex="0">'
    for text in texts:
        yield f'<div class="file">{escape(text.file)}</div>'
        last = None
        for line in text.lines:
            if last is not None and line.number > last + 1:
                yield '<div class="dim"><i>⋮</i></div>'
            last = line.number
            dim = "" if line.traced else ' class="dim"'
            yield f'<div id="{text.anchor(line.number)}"{dim}><i>{line.number}</i>{escape(line.text, quote=False)}</div>'
    yield "</div>"


# -- figures -----------------------------------------------------------------------------------------------------------------------

# The first figures of a core, and its throughput for clocks.

CLOCKS = (100, 200, 300, 400, 500)
"""Clocks of the table in MHz.  What a device reaches is for place and route to say."""

FIRST = 200
"""The clock in the field of the reader, in MHz."""


def figure_tiles(d: Description) -> Iterator[str]:
    """The figures at the head."""
    tiles = []
    for rate in d.rates[:2]:
        tiles.append((many(rate.interval, "cycle"), f"for a {rate.what} of {rate.bytes} bytes"))
        tiles.append((f"{8 * rate.bytes / rate.interval:.2f} bits", f"per cycle, {rate.what}s of {rate.bytes} bytes"))
    tiles += [(str(d.key_slots), f"key slot{'s' * (d.key_slots != 1)}"), (f"{d.erase_cycles} cycles", "to erase everything")]
    yield '<div class="tiles">'
    yield from (f"<div><b>{escape(value)}</b><small>{escape(text)}</small></div>" for value, text in tiles)
    yield "</div>"


def throughput_table(d: Description) -> Iterator[str]:
    """Throughput of data for some clocks, and for one that the reader gives.  It is bits per cycle times the clock, and claims no clock."""
    yield '<div class="wide"><table>'
    heads = "".join(f"<th>{clock} MHz</th>" for clock in CLOCKS)
    field = f'<label><input type="number" min="1" max="2000" value="{FIRST}" data-clock> MHz</label>'
    yield f"<tr><th>throughput</th>{heads}<th>{field}</th></tr>"
    for rate in d.rates:
        bits = 8 * rate.bytes
        cells = "".join(f'<td class="n">{bits * clock / rate.interval / 1000:.2f} Gbit/s</td>' for clock in CLOCKS)
        own = f'<td class="n"><output data-bits="{bits}" data-interval="{rate.interval}"></output></td>'
        yield f"<tr><td>a {rate.what} of {rate.bytes} bytes every {many(rate.interval, 'cycle')}</td>{cells}{own}</tr>"
    yield "</table></div>"
    yield (
        '<p class="quiet">The throughput is bits per cycle times the clock frequency. Place and route shows which frequency a device '
        "reaches.</p>"
    )


# -- markdown ----------------------------------------------------------------------------------------------------------------------

# The Markdown that datasheets are written in, as HTML: paragraphs, headings, lists, quotes, tables, and code, bold text and links in them.
#
#     | port | bits |        <table>
#     - an item              <ul>
#     > a warning            <blockquote>
#     ### a title            <h4>, a level deeper, as sections of the page stand above
#     text `code` **bold**   <p>

_CODE = re.compile(r"`([^`]+)`")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_LINK = re.compile(r"\[([^\]]+)\]\((#[^)]+|[\w./-]+)\)")
_ITEM = re.compile(r"(?:-|\d+\.) +(.*)")
_HEADING = re.compile(r"#{2,4} +(.*)")

def inline(text: str) -> str:
    """A text with its code, bold text and links.  Everything else is escaped."""
    codes: list[str] = []

    def keep(found: re.Match[str]) -> str:
        codes.append(f"<code>{found[1]}</code>")
        return f"\0{len(codes) - 1}\0"

    # Code may stand within bold text, and asterisks within code.
    held = _CODE.sub(keep, escape(text.replace("\0", ""), quote=False))
    # Links lead to other files of the folder, or to other sections.
    linked = _LINK.sub(lambda found: f'<a href="{found[2]}">{found[1]}</a>', held)
    return re.sub("\0(\\d+)\0", lambda found: codes[int(found[1])], _BOLD.sub(r"<strong>\1</strong>", linked))


def markdown(lines: Sequence[str]) -> Iterator[str]:
    """The HTML of some lines of Markdown."""
    for kind, group in groupby((line for text in lines for line in text.split("\n")), _kind):
        block = list(group)
        if kind == "table":
            yield from _table(block)
        elif kind == "item":
            yield "<ul>"
            yield from (f"<li>{inline(found[1])}</li>" for found in map(_ITEM.match, block) if found)
            yield "</ul>"
        elif kind == "quote":
            yield f"<blockquote>{inline(' '.join(line.removeprefix('>').strip() for line in block))}</blockquote>"
        elif kind == "heading":
            for line in block:
                level = min(6, line.index(" ") + 1)
                yield f"<h{level}>{inline(line.lstrip('#').strip())}</h{level}>"
        elif kind == "code":
            yield f"<pre><code>{escape(chr(10).join(line[4:] for line in block), quote=False)}</code></pre>"
        elif kind == "text":
            yield f"<p>{inline(' '.join(line.strip() for line in block))}</p>"


def _kind(line: str) -> str:
    """The kind of block that a line belongs to; "" for an empty line or a comment."""
    if not line.strip() or line.startswith("<!--"):
        return ""
    if line.startswith("|"):
        return "table"
    if line.startswith(">"):
        return "quote"
    if line.startswith("    "):
        return "code"
    if _HEADING.match(line):
        return "heading"
    return "item" if _ITEM.match(line) else "text"


def _table(lines: Sequence[str]) -> Iterator[str]:
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    head, body = rows[0], rows[2:]
    yield '<div class="wide"><table>'
    yield f"<thead><tr>{''.join(f'<th>{inline(cell)}</th>' for cell in head)}</tr></thead>"
    yield "<tbody>"
    yield from (f"<tr>{''.join(f'<td>{inline(cell)}</td>' for cell in row)}</tr>" for row in body)
    yield "</tbody></table></div>"

NEUTRAL = "The definition says nothing more of what the mode gives. Read its source before you use it."
"""The line for a mode of which nothing is known."""

UNPROTECTED = (
    "**The core is not protected against power, electromagnetic and fault attacks.** Nothing is masked, and nothing is computed twice. "
    "An attacker with physical access may recover the keys by measuring power or injecting faults."
)  # fmt: skip


def html_datasheet(
    core: Core[D], description: D, front: Sequence[str] = (), registers: Sequence[Register] = (), measured: Measured | None = None
) -> str:
    """Text of ``datasheet.html``.

    Parameters
    ----------
    core : Core
    description : Description
    front : sequence of str
        The section of a front end, Markdown.
    registers : sequence of Register
        Its registers.
    measured : Measured, optional
        What was measured after the build.  By default nothing was.
    """
    sheet, page, found = core.sheet(description), core.page(description), measured or Measured()
    sections = [
        ("figures", "Figures", _figures(sheet, description)),
        ("diagram", "Block diagram", diagram(page.diagram) if page.diagram.rows else iter(())),
        ("schedule", "Schedule", _charts(page)),
        ("timing", "Timing", timing_lines(found)),
        ("area", "Area", area_lines(found)),
        ("interfaces", "Interfaces", _interfaces(core, sheet, description)),
        ("front", "Front end", _front(front)),
        ("registers", "Registers", register_sections(registers) if registers else iter(())),
        ("guide", "Programmer’s guide", markdown(sheet.use)),
        ("theory", "Theory of operation", markdown(sheet.theory)),
        ("verification", "What was proved and tested", _verification(sheet, description)),
        ("files", "Files", _files(description)),
    ]
    made = [(name, title, lines) for name, title, each in sections if (lines := list(each))]
    return "".join(f"{line}\n" for line in _document(sheet, description, page, made))


def _document(sheet: Sheet, d: Description, page: Page, sections: Sequence[tuple[str, str, list[str]]]) -> Iterator[str]:
    title = f"{d.name}: {d.title}"
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield "<head>"
    yield '<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    # Nothing is loaded from elsewhere.
    yield (
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'; img-src data:\">"
    )
    # Without an icon, browsers ask for one.
    yield '<link rel="icon" href="data:,">'
    yield f"<title>{escape(title, quote=False)}</title>"
    yield f"<style>\n{STYLE}\n</style>"
    yield "</head>"
    yield "<body>"
    yield "<!-- SPDX-License-Identifier: Apache-2.0 -->"
    yield f'<nav>{"".join(f"""<a href="#{name}">{escape(each)}</a>""" for name, each, _ in sections)}</nav>'
    yield "<main>"
    yield from _head(sheet, d, page)
    for name, each, lines in sections:
        yield f'<section id="{name}">'
        yield f"<h2>{escape(each)}</h2>"
        yield from lines
        yield "</section>"
    yield "</main>"
    yield f"<script>\n{SCRIPT}\n</script>"
    yield "</body>"
    yield "</html>"


def _head(sheet: Sheet, d: Description, page: Page) -> Iterator[str]:
    """What the mode is, its security, and where it comes from."""
    yield f"<h1>{escape(d.title)} <small class=\"quiet\">{escape(d.name)}</small></h1>"
    yield f'<p class="lead">{inline(sheet.summary)}</p>'
    known = f"{d.security[:1].upper()}{d.security[1:]}."
    if d.broken:
        yield f'<div class="warn"><p><strong>This mode is broken.</strong> {inline(known)}</p></div>'
    yield '<div class="card" id="security">'
    yield "<p><strong>Security.</strong></p><ul>"
    yield from (f"<li>{inline(one)}</li>" for one in page.gives or (NEUTRAL,))
    if not d.broken:
        yield f"<li>{inline(known)}</li>"
    for one in (*sheet.timing, *sheet.storage):
        yield f"<li>{inline(one.removeprefix('- '))}</li>"
    yield f"<li>{inline(UNPROTECTED)}</li>"
    yield "</ul></div>"
    yield (
        f'<p class="quiet">Source of the mode: {escape(d.source, quote=False)}.<br>Made by modeloom {escape(d.version)} with '
        f"<code>{escape(d.command, quote=False)}</code>. SHA-256 of the definition: <code>{d.definition_sha256}</code>.</p>"
    )


def _figures(sheet: Sheet, d: Description) -> Iterator[str]:
    yield from figure_tiles(d)
    yield from throughput_table(d)
    yield from markdown(sheet.figures)


def _charts(page: Page) -> Iterator[str]:
    for number, shown in enumerate(page.charts):
        yield from chart(shown, number)
    if page.definition:
        yield '<h3 id="definition">Definition</h3>'
        yield "<p>Each cell of a chart is an operation, and a link to the line that it comes from.</p>"
        yield from definition(page.definition)


def _interfaces(core: Core[D], sheet: Sheet, d: D) -> Iterator[str]:
    comments = {CLOCK: "clock and reset", **{interface.name: interface.comment for interface in core.interfaces}}
    rows = [[f"`{port.name}`", port.direction, port.width, comments[port.stream].split(":")[0]] for port in d.ports]
    yield f"<p>A reset or <code>zeroize</code> erases the core in {d.erase_cycles} cycles, in which <code>zeroizing</code> is high.</p>"
    yield "<details open><summary>Ports</summary>"
    yield from markdown(list(table(["port", "direction", "bits", "group"], rows)))
    yield "</details>"
    yield from markdown(sheet.payloads)


def _front(front: Sequence[str]) -> Iterator[str]:
    # The section of the page has the title.
    lines = list(front)
    yield from markdown(lines[1:] if lines and lines[0].startswith("## ") else lines)


def _verification(sheet: Sheet, d: Description) -> Iterator[str]:
    yield from markdown(list(verification(sheet, d))[2:])
    yield "<p>Commands, with this folder as <code>DIR</code>:</p>"
    commands = [
        ("modeloom verify DIR", "files, proof, lint, timing channels, and the Verilog in simulation; its last line says what was skipped"),
        (f"sha256sum --check {d.files.manifest}", "the files as they were written (in DIR)"),
        ("modeloom synth DIR --target ecp5", "area by block"),
        ("modeloom datasheet DIR", "this page with the timing of a simulation, and stored areas"),
    ]  # fmt: skip
    yield from markdown(list(table(["command", "what it does"], [[f"`{command}`", what] for command, what in commands])))


def _files(d: Description) -> Iterator[str]:
    titles = {**FILES, "datasheet": "the datasheet, Markdown", "html": "this page"}
    rows = [[f"[{file}]({file})", titles[kind]] for kind, file in d.files.by_kind.items()]
    yield from markdown(list(table(["file", "what it is"], rows)))
