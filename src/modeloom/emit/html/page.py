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

from collections.abc import Iterator, Sequence
from html import escape

from modeloom.emit.datasheet import FILES, verification
from modeloom.emit.html.definition import definition
from modeloom.emit.html.diagram import diagram
from modeloom.emit.html.figures import figure_tiles, throughput_table
from modeloom.emit.html.markdown import inline, markdown
from modeloom.emit.html.measured import Measured, area_lines, timing_lines
from modeloom.emit.html.schedule import chart
from modeloom.emit.html.style import SCRIPT, STYLE
from modeloom.front.map import Register
from modeloom.front.page import register_sections
from modeloom.product.core import Core, D, Sheet
from modeloom.product.description import Description
from modeloom.product.markdown import table
from modeloom.product.page import Page
from modeloom.product.ports import CLOCK

__all__ = ["html_datasheet"]

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
