# SPDX-License-Identifier: Apache-2.0
"""A hook of MkDocs that marks the cells of tables by what is in them, for docs/css/tables.css.

A style sheet cannot tell a cell with a long command from one with a short name.  A command or a sentence needs a least width, so that the
other columns do not press it into a line for each word.  A name does not, and would only push the next columns out of view.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

__all__ = ["marked", "on_page_content"]

LONG = 28
"""Letters of a command or a name, above which it is long."""

FEW = 12
"""Letters of a cell that never breaks: ``31 to 0``, or ``a + 2t + 2``."""

SENTENCE = 40
"""Letters of text, without its code, above which it is a sentence."""

CELL = re.compile(r"<td([^>]*)>(.*?)</td>", re.DOTALL)

ONLY_CODE = re.compile(r"<code>[^<]*</code>")

OPTION = re.compile(r"(?<= )-[^\s<]+(?: [^-\s<][^\s<]*)?")
"""An option with its value."""

TEST = re.compile(r"(<code>[^<\s]+\.py)(::)")
"""The name of a test up to its function."""


def marked(html: str) -> str:
    """The HTML of a page with marks and with places to break.  Its text is the same."""

    def cell(match: re.Match[str]) -> str:
        attributes, inner = match.groups()
        text = _text(inner)
        if ONLY_CODE.fullmatch(inner) and " " in text and len(text) > LONG:
            inner = OPTION.sub(r"<span>\g<0></span>", inner)
            return f'<td class="command"{attributes}>{inner}</td>'
        if len(text) <= FEW or len(text) <= LONG and (ONLY_CODE.fullmatch(inner) or " " not in text):
            return f'<td class="name"{attributes}>{inner}</td>'
        if len(_text(ONLY_CODE.sub("", inner))) > SENTENCE:
            return f'<td class="sentence"{attributes}>{inner}</td>'
        return match[0]

    return TEST.sub(r"\1<wbr>\2", CELL.sub(cell, html))


def _text(html: str) -> str:
    return unescape(re.sub("<[^>]*>", "", html))


def on_page_content(html: str, **_: Any) -> str:
    """What MkDocs calls for every page."""
    return marked(html)
