# SPDX-License-Identifier: Apache-2.0
"""Cells and tables in Markdown, for the pages of the papers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from modeloom.papers.printed import Row

__all__ = ["Column", "aligned", "ours", "printed", "shown"]

Column = tuple[str, Callable[[Row], str]]
"""The head of a column, and the function that makes the cell of a row."""

DIGITS = {"throughput": 3, "speedup": 2}
"""Number of decimals of a figure."""


def shown(value: float | str | None, name: str = "", digits: int | None = None) -> str:
    """A figure, with as many decimals as figures of this name have, or with so many."""
    decimals = DIGITS.get(name.split("_")[-1]) if digits is None else digits
    return "-" if value is None else str(value) if decimals is None else f"{value:.{decimals}f}"


def printed(name: str, digits: int | None = None) -> Callable[[Row], str]:
    """The printed figure, with the correct one in brackets."""

    def cell(row: Row) -> str:
        right = row["corrected"].get(name)
        return shown(row["printed"].get(name), name, digits) + ("" if right is None else f" ({shown(right, name, digits)})")

    return cell


def ours(name: str, digits: int | None = None) -> Callable[[Row], str]:
    """Our figure."""
    return lambda row: shown(row["ours"].get(name), name, digits)


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> str:
    """A Markdown table that is readable as text.  Columns from number ``left`` on hold figures."""
    widths = [max(3, *map(len, column)) for column in zip(head, *rows)]

    def line(cells: Sequence[str]) -> str:
        padded = (cell.ljust(width) if i < left else cell.rjust(width) for i, (cell, width) in enumerate(zip(cells, widths)))
        return f"| {' | '.join(padded)} |\n"

    rule = ["-" * width if i < left else "-" * (width - 1) + ":" for i, width in enumerate(widths)]
    return "".join(map(line, [head, rule, *rows]))
