# SPDX-License-Identifier: Apache-2.0
"""The registers of a core as one page of HTML, which needs no other file and runs no script.

::

    RegisterMap ──▶ a list of all registers, with links
                ──▶ for each register a picture of its bits, and a table of its fields
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from modeloom.front.map import WORD_BYTES, Register, RegisterField, RegisterMap

__all__ = ["register_page", "register_sections"]

WORD_BITS = 8 * WORD_BYTES

STYLE = """\
:root { color-scheme: light dark; --line: #bbb; --head: #eee; --none: #f4f4f4; --quiet: #666; }
@media (prefers-color-scheme: dark) { :root { --line: #555; --head: #2b2b2b; --none: #222; --quiet: #aaa; } }
body { font: 15px/1.45 sans-serif; max-width: 64em; margin: 2em auto; padding: 0 1em; overflow-wrap: anywhere; }
table { border-collapse: collapse; margin: 0.6em 0 1.2em; width: 100%; }
th, td { border: 1px solid var(--line); padding: 0.25em 0.5em; text-align: left; vertical-align: top; }
th { background: var(--head); overflow-wrap: normal; }
td.bits { text-align: center; padding: 0.25em 0; }
td.none { background: var(--none); }
table.word { table-layout: fixed; }
small { display: block; color: var(--quiet); }
code { font-family: monospace; }
h2 { margin-top: 1.6em; border-top: 1px solid var(--line); padding-top: 0.6em; }
@media (max-width: 40em) { body { font-size: 13px; padding: 0 0.4em; } th, td { padding: 0.2em 0.3em; } }"""
"""The style of the page, which is inside it.  Words break on a narrow screen, and colours follow the light or dark scheme of the reader."""


def register_page(map: RegisterMap, title: str) -> str:
    """Text of the page.

    Parameters
    ----------
    map : RegisterMap
    title : str
        Its title.
    """
    lines = [
        "<!DOCTYPE html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        # Nothing is loaded from elsewhere.
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{escape(title)}</title>", "<style>", STYLE, "</style>", "</head>", "<body>",
        "<!-- SPDX-License-Identifier: Apache-2.0 -->", f"<h1>{escape(title)}</h1>", f"<p>{escape(map.about)}</p>", *_list(map.registers),
    ]  # fmt: skip
    for register in map.registers:
        lines += _section(register)
    return "\n".join([*lines, "</body>", "</html>", ""])


def register_sections(registers: Sequence[Register]) -> Iterator[str]:
    """The list of some registers, and a section for each: lines that stand within another page."""
    yield '<div class="wide">'
    yield from _list(registers)
    yield "</div>"
    for register in registers:
        yield from ('<div class="wide">', *_section(register, "h3"), "</div>")


def _list(registers: Sequence[Register]) -> Iterator[str]:
    """All registers."""
    yield '<table class="list">'
    yield "<tr><th>address</th><th>register</th><th>access</th><th>what it is</th></tr>"
    for one in registers:
        link = f'<a href="#{escape(one.name)}"><code>{escape(one.name)}</code></a>'
        yield f"<tr><td><code>{_span(one)}</code></td><td>{link}</td><td>{one.access}</td><td>{escape(one.title)}</td></tr>"
    yield "</table>"


def _span(one: Register) -> str:
    """Its address, or the first and the last one."""
    first = f"0x{one.address:03x}"
    return first if one.words == 1 else f"{first} to 0x{one.address + WORD_BYTES * (one.words - 1):03x}"


def _section(one: Register, heading: str = "h2") -> Iterator[str]:
    """A register."""
    yield f'<{heading} id="{escape(one.name)}">{escape(one.title)}</{heading}>'
    yield f"<p><code>{escape(one.name)}</code>, <code>{_span(one)}</code>, {one.access}. {escape(one.about)}</p>"
    if not one.fields:
        return
    yield '<table class="word">'
    yield f"<tr>{''.join(_cells(one))}</tr>"
    yield "</table>"
    yield '<table class="fields">'
    yield "<tr><th>bits</th><th>field</th><th>access</th><th>after a reset</th><th>meaning</th></tr>"
    for field in sorted(one.fields, key=lambda field: -field.low):
        cells = (f"<code>{_bits(field)}</code>", f"<code>{escape(field.name)}</code>", _access(field), _reset(field), escape(field.about))
        yield f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
    yield "</table>"


def _cells(one: Register) -> Iterator[str]:
    """The bits of a register from the highest one on."""
    at = WORD_BITS
    for field in sorted(one.fields, key=lambda field: -field.low):
        above = at - field.low - field.width
        if above:
            yield f'<td class="bits none" colspan="{above}"></td>'
        yield f'<td class="bits" colspan="{field.width}"><small>{_bits(field)}</small>{escape(field.name)}</td>'
        at = field.low
    if at:
        yield f'<td class="bits none" colspan="{at}"></td>'


def _bits(field: RegisterField) -> str:
    return str(field.low) if field.width == 1 else f"{field.low + field.width - 1}:{field.low}"


def _access(field: RegisterField) -> str:
    read = "read takes it away" if field.taken else "read"
    words = [word for word, can in ((read, field.reads), ("write 1 to clear" if field.clears else "write", field.writes)) if can]
    return ", ".join(words)


def _reset(field: RegisterField) -> str:
    """Its value after a reset; nothing for a value that comes from inside."""
    return "" if field.from_inside and not field.clears or not field.reads else f"<code>0x{field.reset:x}</code>"
