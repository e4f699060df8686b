# SPDX-License-Identifier: Apache-2.0
"""``modeloom compare``: modes side by side, in one table."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import click

from modeloom.cli.files import check_outputs, columns, mode_files, warn_broken
from modeloom.cli.points import point_options, point_values
from modeloom.cli.sweep import sweep_progress, write_text
from modeloom.sweep.compare import Line

__all__ = ["SCHEMA", "compare"]

SCHEMA = "modeloom-compare-1"

HEADS = {
    "key_bits": "key bits", "cycles": "cycles", "bytes_per_cycle": "bytes/cycle", "latency": "latency", "storage_blocks": "storage",
    "cipher_cores": "ciphers", "multipliers": "multipliers", "all_luts": "all LUTs", "ffs": "registers", "bram": "BRAM",
    "area_of": "area of",
}  # fmt: skip
AREA = ("all_luts", "ffs", "bram", "area_of")

DEFAULT = 512
"""Bytes of a message of a stream mode, as of a sector."""


@click.command()
@click.argument("modes", nargs=-1, required=True)
@point_options(several=True)
@click.option("--target", help="Also show areas on this target, if they are known. Other points have a dash.")
@click.option("--results", help="A file of modeloom sweep: areas are read from it, and compiled points are stored in it.")
@click.option("--synth", is_flag=True, help="Synthesise the points whose area is not in the file of results.")
@click.option("--jobs", type=click.IntRange(min=1), help="Points that run in parallel (default: the processor cores).")
@click.option("--svg", help="Write a picture of the comparison (SVG) to this file.")
@click.option("--csv", "csv_file", help="Write the table to this file (CSV).")
@click.option("--latex", "latex_file", help="Write the table to this file (LaTeX).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare(
    modes: tuple[str, ...], target: str | None, results: str | None, synth: bool, jobs: int | None, svg: str | None,
    csv_file: str | None, latex_file: str | None, as_json: bool, **values: str | bool | None,
) -> None:  # fmt: skip
    """Compile MODES with the given options, and compare their figures in a table.

    An option may have several values, separated by commas. --sector is the bytes of a sector, or of a message in a stream mode.
    --cipher-cores is the number of pipelines, or of blocks per cycle in a stream mode. Other options apply to the modes that have them.
    """
    from modeloom.measure.core import check_target
    from modeloom.modes import find_any
    from modeloom.report.comparison import comparison
    from modeloom.spec import InputError
    from modeloom.sweep.compare import compared, points_of
    from modeloom.sweep.executors import local
    from modeloom.sweep.store import Store
    from modeloom.sweep.tables import latex_rows

    if target is not None:
        check_target(target)
    if synth and target is None:
        raise InputError("--synth needs a --target")
    outputs = {"--svg": svg, "--csv": csv_file, "--latex": latex_file}
    check_outputs(outputs, *mode_files(modes), results=None if results is None else Path(results))
    options = point_values(values)
    asked = options.get("sector", [DEFAULT])
    sizes = [size for size in asked if isinstance(size, int) and size > 0]
    if len(sizes) < len(asked):
        raise InputError("--sector must be a number of bytes, or several separated by commas")
    points = points_of(list(dict.fromkeys(modes)), options, Path())
    for mode in dict.fromkeys(modes):
        warn_broken(mode, find_any(mode))
    with tempfile.TemporaryDirectory(prefix="modeloom-compare-") as work:
        with Store(Path(work) / "points.sqlite" if results is None else results) as store, sweep_progress("compare") as progress:
            lines = compared(points, sizes, store, Path(), local(jobs), target=target, synth=synth, progress=progress)
    if lines and all(line["status"] == "refused" for line in lines):
        raise InputError(f"no mode has such a core: {lines[0]['error']}")
    table = _table(lines, sizes, target)
    named = table if target is None else _with_target(table, lines)
    write_text(svg, lambda: comparison(lines))
    write_text(csv_file, lambda: _csv(named))
    write_text(latex_file, lambda: latex_rows(named))
    if as_json:
        made = [{name: value for name, value in line.items() if name != "text"} for line in lines]
        click.echo(json.dumps({"schema": SCHEMA, "target": target, "lines": made}, indent=2, ensure_ascii=False))
        return
    click.echo(columns(table), nl=False)
    missed = dict.fromkeys(f"{line['status']}: {line['command']}: {line['error']}" for line in lines if line["status"] != "ok")
    if missed:
        click.echo("\n" + "\n".join(missed))


def _table(lines: list[Line], sizes: list[int], target: str | None) -> list[list[str]]:
    """Head and lines.  Columns of areas are there with a target only."""
    from modeloom.sweep.tables import cell

    heads = {name: head for name, head in HEADS.items() if target is not None or name not in AREA}
    rows = [["mode", "options", "bytes", *heads.values()]]
    for line in lines:
        text = ", ".join(part for part in line["text"].split(", ") if len(sizes) > 1 or not part.startswith("sector ")) or "-"
        rows.append([line["mode"], text, cell(line["bytes"]), *(cell(line[name]) for name in heads)])
    return rows


def _with_target(table: list[list[str]], lines: list[Line]) -> list[list[str]]:
    """The table of a file, which tells the target of areas.  On a terminal, the command is above the table."""
    targets = ["target", *(line["target"] or "-" for line in lines)]
    at = table[0].index(HEADS["all_luts"])
    return [[*row[:at], target, *row[at:]] for row, target in zip(table, targets, strict=True)]


def _csv(table: list[list[str]]) -> str:
    import csv
    import io

    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(["" if value == "-" else value for value in row] for row in table)
    return text.getvalue()
