# SPDX-License-Identifier: Apache-2.0
"""The lines of a definition, each with an anchor for the links of charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from modeloom.product.page import SourceText

__all__ = ["definition"]


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
