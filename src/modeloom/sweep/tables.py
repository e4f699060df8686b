# SPDX-License-Identifier: Apache-2.0
"""Tables of points: for a terminal, as CSV with every column, and for LaTeX."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path

from modeloom.measure.aead import ARCHITECTURES, options_of
from modeloom.measure.aead import stored as stored_aead
from modeloom.modes import all_modes, all_streams, find_any
from modeloom.options.sectors import Options
from modeloom.spec import InputError, UnknownName
from modeloom.spec.stream import StreamMode
from modeloom.sweep.configuration import Configuration, check_options, mode_options, option_name, option_names
from modeloom.sweep.point import Result
from modeloom.sweep.run import COLUMNS, Executor, Progress, Row, Store, key_bits, run_points

__all__ = [
    "AREA", "FIGURES", "Line", "SHORT", "all_luts", "area_of", "cell", "compared", "csv_table", "is_broken", "latex_rows",
    "latex_table", "memory_luts", "message_cycles", "options_text", "pareto_front", "points_of", "short_table", "throughputs",
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


# -- modes side by side ------------------------------------------------------------------------------------------------------------------

# Modes side by side: sector modes and stream modes in one table, for sectors or messages of one length.

FIGURES = ("cycles", "bytes_per_cycle", "latency", "storage_blocks", "cipher_cores", "multipliers")
"""What a line has of a compiled point."""

AREA = ("luts", "lutram_luts", "srl_luts", "ffs", "bram", "mhz")
"""What a line has of a synthesised point, beside ``all_luts``: the sum of the first three."""

Line = Row
"""A row of the comparison."""

PIPELINES = "cipher-cores"
"""The option of modes on sectors that stands for ``blocks-per-cycle`` of stream modes: both are the number of pipelines."""


def points_of(modes: Sequence[str], options: Mapping[str, Sequence[int | str]], folder: Path) -> list[Configuration]:
    """The points of a comparison, without targets: for each mode, the product of the values of the options that it has.

    The bytes of a sector are those of a message in stream modes, and the number of cipher cores of a mode on sectors is that of blocks a
    cycle.

    Raises
    ------
    InputError
        A mode is unknown, or an option is one of none of the modes.
    """
    found: list[Configuration] = []
    used: set[str] = set()
    for name in modes:
        mode = find_any(name, folder)
        kind = "stream" if isinstance(mode, StreamMode) else "sector"
        axes: dict[str, Sequence[int | str]] = {}
        for option, values in options.items():
            spelled = _spelled(kind, name, option, options)
            if spelled is not None:
                used.add(option)
            if spelled:
                axes[spelled] = values
        for option, value in mode.keying().options.items():
            axes.setdefault(option, [value])
        for chosen in product(*axes.values()):
            picked = {option: value for option, value in zip(axes, chosen, strict=True) if value is not False}
            check_options(kind, name, picked)
            found.append(Configuration(kind, name, picked))
    if left := [option for option in options if option not in used]:
        raise InputError(f"--{left[0]} is an option of none of {', '.join(modes)}; leave it out")
    return found


def _spelled(kind: str, name: str, option: str, options: Mapping[str, object]) -> str | None:
    """The option of a mode that a given one is: empty if it is no option of the core, and None if the mode does not have it."""
    if kind == "stream":
        if option == "sector":
            return ""
        if option in option_names("sector") and option_names("sector")[option] == PIPELINES:
            return "" if "blocks-per-cycle" in options else "blocks-per-cycle"
    try:
        return option_name(kind, name, option)
    except UnknownName:
        raise
    except InputError:
        return None


def compared(
    points: Sequence[Configuration], sizes: Sequence[int], store: Store, folder: Path, executor: Executor, *, target: str | None = None,
    synth: bool = False, progress: Progress = lambda done, total, row: None,
) -> list[Line]:  # fmt: skip
    """A line for each point, and for each message length of a stream mode.

    Parameters
    ----------
    sizes : sequence of int
        Lengths of messages in bytes.
    store : Store
        Where compiled points are kept, and areas are found.
    target : str, optional
        The target of areas.  They come from the store, or from the measurements of the project; None where neither has them.
    synth : bool
        Whether points without a stored area are synthesised, as a whole.
    """
    if synth:
        asked = [Configuration(point.kind, point.name, point.options, target, "core") for point in points]
        rows = run_points(asked, store, folder, executor, progress=progress).rows
    else:
        rows = run_points(points, store, folder, executor, progress=progress).rows
    areas = _areas(store, target, folder) if target is not None else {}
    return [line for point, row in zip(points, rows, strict=True) for line in _lines(point, row, sizes, areas, target, folder)]


def _lines(
    point: Configuration, row: Row, sizes: Sequence[int], areas: Mapping[tuple[str, str], tuple[Row, str]], target: str | None, folder: Path
) -> Iterator[Line]:
    area, of = areas.get((_design(point, folder), row["definition"]), (None, None)) if row["status"] == "ok" else (None, None)
    if area is None and target is not None:
        area, of = _measured(point, target)
    for size in [row["sector_bytes"] or point.options.get("sector", Options.sector)] if point.kind == "sector" else sizes:
        cycles = row["cycles_per_sector"]
        if point.kind == "stream" and row["status"] == "ok":
            cycles = message_cycles(json.loads(row["result"]), int(size))
        yield {
            "mode": point.name, "kind": point.kind, "options": dict(sorted(point.options.items())), "text": options_text(row),
            "bytes": size, "key_bits": key_bits(row), "status": row["status"], "error": row["error"], "cycles": cycles,
            "bytes_per_cycle": None if not cycles else round(size / cycles, 4),
            **{name: row[name] for name in FIGURES if name not in ("cycles", "bytes_per_cycle")},
            "target": None if area is None else target, **{name: None if area is None else area[name] for name in AREA},
            "all_luts": None if area is None else area_of({**area, "target": target}), "area_of": of, "command": point.command,
        }  # fmt: skip


def message_cycles(result: Result, nbytes: int) -> int:
    """Cycles from message to message of a stream mode, for text of a length without associated data, as ``core.json`` states them.

    A core that seals takes the message twice if the mode has two passes.
    """
    explain, core = result["explain"], result["core"]
    passes = 1 if core["direction"] == "decrypt" else explain.get("passes", 1)
    beats = -(-nbytes // (explain["block_bytes"] * explain["blocks_per_cycle"]))
    cycles: dict[str, int] = core["cycles"]
    unused: dict[str, int] = core.get("unused", {})
    each = cycles["start"] + beats * cycles["text"] + cycles["tag"] + unused.get("message", 0)
    return passes * each + (passes - 1) * unused.get("second", 0)


def _design(point: Configuration, folder: Path) -> str:
    """What is built, as text.  It is equal for equal cores: options that are left out have their defaults."""
    try:
        return repr((point.kind, point.name, mode_options(find_any(point.name, folder), point.options)))
    except InputError:
        # The file of a mode of one's own is not there any more.
        return point.design


def _areas(store: Store, target: str | None, folder: Path) -> dict[tuple[str, str], tuple[Row, str]]:
    """The synthesised points of a store, by what is built and its definition.  A whole core comes before one that is mapped by blocks."""
    found: dict[tuple[str, str], tuple[Row, str]] = {}
    for row in sorted(store.latest(), key=lambda row: row["area"] == "core"):
        if row["target"] == target and row["status"] == "ok":
            built = json.loads(row["configuration"])
            if built["kind"] == "circuit":
                continue
            design = _design(Configuration(built["kind"], built["name"], built["options"]), folder)
            how = "whole core" if row["area"] == "core" else "sum of blocks"
            found[design, row["definition"]] = (row, f"{store.path.name}, {how}")
    return found


def _measured(point: Configuration, target: str) -> tuple[Row, str] | tuple[None, None]:
    """The area that ``bench/aead.py`` has measured of a core with these options."""
    if point.kind != "stream" or ":" in point.name:
        return None, None
    for row in stored_aead():
        if row["mode"] == point.name and target in row.get("areas", {}):
            assert row["architecture"] in ARCHITECTURES
            options = {name.replace("_", "-"): value for name, value in options_of(point.name, row["architecture"]).items()}
            plain = {name: value for name, value in point.options.items() if (name, value) != ("blocks-per-cycle", 1)}
            if options == {name: int(value) if re.fullmatch(r"\d+", str(value)) else value for name, value in plain.items()}:
                area = row["areas"][target]
                return {**dict.fromkeys(AREA), **{name: area[name] for name in ("luts", "lutram_luts", "srl_luts", "ffs")},
                        "bram": area["bram_cells"]}, "docs/aead.md, whole core"  # fmt: skip
    return None, None
