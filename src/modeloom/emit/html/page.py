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
from modeloom.emit.html.pictures import chart, diagram
from modeloom.emit.html.style import SCRIPT, STYLE
from modeloom.front.map import Register
from modeloom.front.page import register_sections
from modeloom.product.core import Core, D, Sheet
from modeloom.product.description import Description
from modeloom.product.page import Page, SourceText, table
from modeloom.product.ports import CLOCK
from modeloom.spec.wording import many

__all__ = ["CLOCKS", "definition", "figure_tiles", "html_datasheet", "inline", "markdown", "throughput_table"]


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
    kept = _CODE.sub(keep, escape(text.replace("\0", ""), quote=False))
    # Links lead to other files of the folder, or to other sections.
    linked = _LINK.sub(lambda found: f'<a href="{found[2]}">{found[1]}</a>', kept)
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


# -- page --------------------------------------------------------------------------------------------------------------------------

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
    for one in (*sheet.timing, *sheet.kept):
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
