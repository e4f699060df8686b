# SPDX-License-Identifier: Apache-2.0
"""``modeloom sweep``: many configurations, in parallel or on a cluster, with the results in one file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click

from modeloom.cli.files import broken_text, check_outputs, warn, whole_file

if TYPE_CHECKING:
    from modeloom.sweep.store import Row

__all__ = ["SCHEMA", "sweep", "sweep_progress", "write_text"]

SCHEMA = "modeloom-sweep-report-1"

LONG = 40
"""Points of a sweep of which all are shown.  Of a larger one, those on the front are."""


@click.command()
@click.argument("file")
@click.option("--results", help="File of the results (default: the name in FILE, or FILE with the suffix .sqlite).")
@click.option("--jobs", type=click.IntRange(min=1), help="Points that run in parallel on this machine (default: its processor cores).")
@click.option("--scheduler", help="Address of a Dask scheduler, such as tcp://10.0.0.1:8786, whose workers run the points.")
@click.option("--csv", "csv_file", help="Write the points with all figures to this file (CSV).")
@click.option("--latex", "latex_file", help="Write the short table to this file (LaTeX).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def sweep(
    file: str, results: str | None, jobs: int | None, scheduler: str | None, csv_file: str | None, latex_file: str | None, as_json: bool
) -> None:
    """Compile, prove and measure every point of the grids in FILE, a TOML file.

    Results are stored in one file. Points that are already in it do not run again, so an interrupted sweep continues. A point that fails
    reports the reason and does not stop the others. The exit status is 1 if a point failed, crashed, timed out or ended in an error. A
    point whose options no core can have is only reported.
    """
    from modeloom.spec import InputError
    from modeloom.spec.wording import many
    from modeloom.sweep.executors import cluster, local
    from modeloom.sweep.front import pareto_front
    from modeloom.sweep.grid import read_sweep
    from modeloom.sweep.run import run_points
    from modeloom.sweep.store import Store
    from modeloom.sweep.tables import csv_table, latex_table, short_table

    if jobs is not None and scheduler is not None:
        raise InputError("--jobs is for this machine, but --scheduler uses other machines; leave out one of them")
    asked = read_sweep(file)
    warn(broken_text(name, security) for name, security in asked.broken.items())
    stored = asked.results if results is None else Path(results)
    check_outputs({"--csv": csv_file, "--latex": latex_file}, Path(file), results=stored)
    executor = local(jobs) if scheduler is None else cluster(scheduler)
    with Store(stored) as store, sweep_progress(Path(file).stem, lines=True) as progress:
        report = run_points(asked.points, store, asked.folder, executor, timeout=asked.timeout, progress=progress)
    rows = report.rows
    front = pareto_front(rows)
    write_text(csv_file, lambda: csv_table(rows, front))
    write_text(latex_file, lambda: latex_table([row for row in rows if row["status"] == "ok"], front))
    missed = [row for row in rows if row["status"] != "ok"]
    if as_json:
        counts = {"known": report.known, "ran": report.ran, "blocks_mapped": report.mapped, "blocks_reused": report.reused}
        made = [{**_plain(row), "front": row["key"] in front} for row in rows]
        click.echo(json.dumps({"schema": SCHEMA, "results": str(store.path), **counts, "points": made}, indent=2, ensure_ascii=False))
        _checked(rows)
        return
    shown = [row for row in rows if row["status"] == "ok" and (len(rows) <= LONG or row["key"] in front)]
    if text := short_table(shown, front):
        click.echo(text)
    for row in missed:
        click.echo(f"{row['status']}: {row['command']}: {row['error']}")
    blocks = f", {report.mapped} blocks mapped, {report.reused} taken from earlier points" if report.mapped or report.reused else ""
    click.echo(
        f"{many(len(rows), 'point')} in {store.path}: {report.known} reused, {report.ran} run, {len(missed)} without results{blocks}"
    )
    _checked(rows)


def _checked(rows: Sequence[Row]) -> None:
    """Raises ``CheckFailed`` if a check of a point failed, or if a point did not finish.  That no core has some options is a result."""
    from modeloom.emit import CheckFailed
    from modeloom.spec.wording import many
    from modeloom.sweep.point import FINAL

    told = []
    if failed := sum(row["status"] == "failed" for row in rows):
        told.append(f"{many(failed, 'point')} failed a check")
    if again := sum(row["status"] not in FINAL for row in rows):
        told.append(f"{many(again, 'point')} did not finish; the next run repeats {'it' if again == 1 else 'them'}")
    if told:
        raise CheckFailed("; ".join(told))


def write_text(target: str | None, text: Callable[[], str]) -> None:
    """Writes a text to a file if one is named."""
    if target is not None:
        with whole_file(Path(target)) as file:
            file.write(text().encode())


@contextmanager
def sweep_progress(title: str, *, lines: bool = False) -> Iterator[Callable[[int, int, Row | None], None]]:
    """Yields the ``progress`` function for ``sweep.run.run_points``: a bar with the time left, if standard error is a terminal.

    Otherwise, it prints a line for each point if ``lines`` is set, such as for a log.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if lines and not console.is_terminal:
        begun = monotonic()

        def line(done: int, total: int, row: Row | None) -> None:
            if row is not None:
                click.echo(_progress_line(done, total, row, monotonic() - begun), err=True)

        yield line
        return
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal, speed_estimate_period=3600) as bar:
        task = bar.add_task(title, total=None)

        def progress(done: int, total: int, row: Row | None) -> None:
            if row is not None and row["status"] not in ("ok", "refused") and console.is_terminal:
                bar.console.print(f"{row['status']}: {row['command']}: {row['error']}", markup=False, highlight=False, soft_wrap=True)
            bar.update(task, total=total, completed=done, description=title if row is None else f"{title}: {row['name']}")

        yield progress


def _progress_line(done: int, total: int, row: Row, seconds: float) -> str:
    """A point that has ended, and the time that the others need if each takes as long as those before."""
    from modeloom.sweep.tables import options_text

    about = ", ".join(part for part in (row["name"], options_text(row), row["target"]) if part not in (None, "-"))
    left = "" if done >= total else f"; {timedelta(seconds=round(seconds / done * (total - done)))} left"
    return f"{done}/{total} {about}: {row['status']}{': ' + row['error'] if row['error'] else ''}{left}"


def _plain(row: Row) -> dict[str, object]:
    """A row with its JSON columns as data, and without the whole results."""
    kept = {name: value for name, value in row.items() if name not in ("result", "configuration")}
    return {**kept, "options": json.loads(row["options"]), "tools": json.loads(row["tools"])}
