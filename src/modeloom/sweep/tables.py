# SPDX-License-Identifier: Apache-2.0
"""Tables of points: for a terminal, as CSV with every column, and for LaTeX."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence

from modeloom.sweep.front import all_luts, memory_luts
from modeloom.sweep.store import COLUMNS, Row

__all__ = ["SHORT", "cell", "csv_table", "latex_rows", "latex_table", "options_text", "short_table"]

SHORT = {
    "cycles_per_sector": "cycles/sector", "bytes_per_cycle": "bytes/cycle", "latency": "latency", "storage_blocks": "storage",
    "multipliers": "multipliers", "luts": "logic LUTs", "memory_luts": "memory LUTs", "all_luts": "all LUTs", "ffs": "registers",
    "bram": "BRAM", "nand2": "NAND2", "mhz": "MHz",
}  # fmt: skip
"""Figures of the short table with their heads.  Columns in which no point has a figure are left out.

``memory_luts`` are those as memories and as shift registers, and ``all_luts`` are these and those of logic.
"""

NOT_IN_CSV = ("options", "configuration", "result")
"""Columns of JSON.  The options have columns of their own."""


def cell(value: object) -> str:
    """A figure as text, without zeros behind the point; a dash for none."""
    return "-" if value is None else f"{value:.10g}" if isinstance(value, float) else str(value)


def options_text(row: Row) -> str:
    """The options of a point, such as ``sector 512, aes 2``."""
    options = json.loads(row["options"])
    return ", ".join(name if value is True else f"{name} {value}" for name, value in options.items()) or "-"


def _figure(row: Row, name: str) -> float | str | None:
    """A figure of the short table."""
    computed = {"memory_luts": memory_luts, "all_luts": all_luts}.get(name)
    return row[name] if computed is None else computed(row)


def _short(rows: Sequence[Row], front: Iterable[str]) -> list[list[str]]:
    """Head and lines of the short table."""
    figures = [name for name in SHORT if any(_figure(row, name) is not None for row in rows)]
    targets = any(row["target"] for row in rows)
    marks = set(front)
    head = ["name", "options", *(["target"] if targets else []), *(SHORT[name] for name in figures), *(["front"] if marks else [])]
    lines = [
        [row["name"], options_text(row), *([row["target"] or "-"] if targets else []), *(cell(_figure(row, name)) for name in figures),
         *(["*" if row["key"] in marks else ""] if marks else [])]
        for row in rows
    ]  # fmt: skip
    return [head, *lines]


def short_table(rows: Sequence[Row], front: Iterable[str]) -> str:
    """The short table for a terminal; points on the front have a star."""
    from modeloom.cli.files import columns

    return columns(_short(rows, front)) if rows else ""


def csv_table(rows: Sequence[Row], front: Iterable[str]) -> str:
    """A line for each point with all its columns, a column for each option, and ``front``: 1 for a point on the front."""
    marks = set(front)
    names = sorted({name for row in rows for name in json.loads(row["options"])})
    plain = [name for name in COLUMNS if name not in NOT_IN_CSV]
    at = plain.index("name") + 1
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*plain[:at], *(f"option:{name}" for name in names), *plain[at:], "front"])
    for row in rows:
        options = json.loads(row["options"])
        given = ["" if name not in options else "true" if options[name] is True else options[name] for name in names]
        values = ["" if row[name] is None else row[name] for name in plain]
        writer.writerow([*values[:at], *given, *values[at:], int(row["key"] in marks)])
    return text.getvalue()


def latex_table(rows: Sequence[Row], front: Iterable[str]) -> str:
    """The short table as a LaTeX ``tabular``, which needs no package."""
    return latex_rows(_short(rows, front))


def latex_rows(lines: Sequence[Sequence[str]]) -> str:
    """A head and lines as a LaTeX ``tabular``.  Columns of figures are aligned to the right."""
    head, *body = lines
    right = [all(re.fullmatch(r"-|[\d.e+]+", line[number]) for line in body) for number in range(len(head))]
    made = [" & ".join(_escaped(text) for text in line) + r" \\" for line in (head, *body)]
    columns = "".join("r" if each else "l" for each in right)
    return "\n".join([rf"\begin{{tabular}}{{{columns}}}", r"\hline", made[0], r"\hline", *made[1:], r"\hline", r"\end{tabular}"]) + "\n"


_LATEX = {**{mark: f"\\{mark}" for mark in "&%$#_{}"}, "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def _escaped(text: str) -> str:
    return "--" if text == "-" else "".join(_LATEX.get(mark, mark) for mark in text)
