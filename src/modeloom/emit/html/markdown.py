# SPDX-License-Identifier: Apache-2.0
"""The Markdown that datasheets are written in, as HTML: paragraphs, headings, lists, quotes, tables, and code, bold text and links in them.

::

    | port | bits |        <table>
    - an item              <ul>
    > a warning            <blockquote>
    ### a title            <h4>, a level deeper, as sections of the page stand above
    text `code` **bold**   <p>
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

__all__ = ["inline", "markdown"]

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
