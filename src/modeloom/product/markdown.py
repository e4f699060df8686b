# SPDX-License-Identifier: Apache-2.0
"""Tables of datasheets in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

__all__ = ["table"]


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """The lines of a table, followed by an empty line."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(str(cell) for cell in row) + " |"
    yield ""
