# SPDX-License-Identifier: Apache-2.0
"""Tables of points: for a terminal, as CSV with every column, and for LaTeX."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from functools import cache

from modeloom.modes import all_modes, all_streams
from modeloom.sweep.run import COLUMNS, Row

__all__ = [
    "SHORT", "all_luts", "area_of", "cell", "csv_table", "is_broken", "latex_rows", "latex_table", "memory_luts", "options_text",
    "pareto_front", "short_table", "throughputs",
]  # fmt: skip


# The Pareto front of a sweep: on each target, the points that no other one beats in both area and throughput.

def area_of(row: Row) -> float | None:
    """The area of a point: LUTs of logic, memories and shift registers together, or NAND2 gates where there are no LUTs."""
    if row["target"] is None:
        return None
    if row["luts"] is None:
        nand2: float | None = row["nand2"]
        return nand2
    return all_luts(row)


def memory_luts(row: Row) -> int | None:
    """LUTs as memories and as shift registers.  None if they are not known, and without a target that has LUTs."""
    known = [row[name] for name in ("lutram_luts", "srl_luts") if row[name] is not None]
    return sum(known) if known and row["luts"] is not None else None


def all_luts(row: Row) -> int | None:
    """LUTs of logic, and as memories and shift registers.  None without a target that has LUTs."""
    return None if row["luts"] is None else row["luts"] + (memory_luts(row) or 0)


def is_broken(row: Row) -> bool:
    """Whether the mode of a point is one of modeloom's, and broken."""
    return row["kind"] != "circuit" and row["name"] in _broken()


@cache
def _broken() -> frozenset[str]:
    return frozenset(name for name, mode in (*all_modes().items(), *all_streams().items()) if mode.broken)


def throughputs(rows: Sequence[Row]) -> dict[str, float]:
    """The throughput of each point by its key: bytes a cycle, or bytes a microsecond on a target whose clocks are all known."""
    found: dict[str, float] = {}
    for target in {row["target"] for row in rows}:
        here = [row for row in rows if row["target"] == target and row["bytes_per_cycle"] is not None]
        clocked = all(row["mhz"] is not None for row in here)
        found |= {row["key"]: row["bytes_per_cycle"] * (row["mhz"] if clocked else 1) for row in here}
    return found


def pareto_front(rows: Sequence[Row]) -> set[str]:
    """The keys of the points on the front of their target.  Of points that are alike, all are on it.

    Points without an area or a throughput, points that have not passed, and those of modes that are known to be broken are on no front.
    Areas of whole cores and of blocks are not compared.
    """
    rate = throughputs(rows)
    front = set()
    groups: dict[tuple[str | None, str | None], list[tuple[float, float, str]]] = {}
    for row in rows:
        area = area_of(row)
        if row["status"] == "ok" and area is not None and row["key"] in rate and not is_broken(row):
            groups.setdefault((row["target"], row["area"]), []).append((area, rate[row["key"]], row["key"]))
    for group in groups.values():
        for area, fast, key in group:
            if not any(a <= area and f >= fast and (a, f) != (area, fast) for a, f, _ in group):
                front.add(key)
    return front


# -- tables ------------------------------------------------------------------------------------------------------------------------

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
