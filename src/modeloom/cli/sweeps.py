# SPDX-License-Identifier: Apache-2.0
"""Commands on many cores: ``modeloom sweep``, ``compare``, ``choose`` and ``explore``."""

from __future__ import annotations

import json
import shlex
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from fractions import Fraction
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click

from modeloom.cli.files import broken_text, check_output, check_outputs, columns, mode_files, warn, warn_broken, whole_file
from modeloom.cli.options import point_options, point_values

if TYPE_CHECKING:
    from modeloom.sweep.choose import Choice
    from modeloom.sweep.run import Row
    from modeloom.sweep.tables import Line

__all__ = ["CHOICE_SCHEMA", "COMPARE_SCHEMA", "SWEEP_SCHEMA", "choose", "compare", "explore", "sweep", "sweep_progress", "write_text"]

SWEEP_SCHEMA = "modeloom-sweep-report-1"

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
    from modeloom.spec.errors import many
    from modeloom.sweep.executors import cluster, local
    from modeloom.sweep.grid import read_sweep
    from modeloom.sweep.run import Store, run_points
    from modeloom.sweep.tables import csv_table, latex_table, pareto_front, short_table

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
        click.echo(json.dumps({"schema": SWEEP_SCHEMA, "results": str(store.path), **counts, "points": made}, indent=2, ensure_ascii=False))
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
    from modeloom.spec.errors import many
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
    others = {name: value for name, value in row.items() if name not in ("result", "configuration")}
    return {**others, "options": json.loads(row["options"]), "tools": json.loads(row["tools"])}


# -- compare -----------------------------------------------------------------------------------------------------------------------

COMPARE_SCHEMA = "modeloom-compare-1"

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
    from modeloom.measure.area import check_target
    from modeloom.modes import find_any
    from modeloom.report.explorer import comparison
    from modeloom.spec import InputError
    from modeloom.sweep.executors import local
    from modeloom.sweep.run import Store
    from modeloom.sweep.tables import compared, latex_rows, points_of

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
        click.echo(json.dumps({"schema": COMPARE_SCHEMA, "target": target, "lines": made}, indent=2, ensure_ascii=False))
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


# -- choose ------------------------------------------------------------------------------------------------------------------------

# ``modeloom choose``: the smallest core that reaches a rate, and why.

# ``modeloom compare``: modes side by side, in one table.

# ``modeloom sweep``: many configurations, in parallel or on a cluster, with the results in one file.

CHOICE_SCHEMA = "modeloom-choose-1"

SEARCHED = ("cipher_cores", "lanes", "mul", "blocks_per_cycle", "no_overlap", "overlap")


@click.command()
@click.argument("mode")
@click.option("--rate", required=True, help="Bits per second that the core must sustain, such as 100G.")
@click.option("--clock", required=True, help="Clock frequency in Hz, such as 250M.")
@click.option("--sector", metavar="BYTES", help="Bytes of a sector (default: 512), or of a message in a stream mode (default: long text).")
@point_options(several=False, without=(*SEARCHED, "sector"))
@click.option("--target", help="Target: selects multipliers for its LUTs. It must reach the clock.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def choose(mode: str, rate: str, clock: str, target: str | None, as_json: bool, **values: str | bool | None) -> None:
    """Find the smallest core of MODE that sustains a rate at a clock frequency.

    The search tries ciphers that compute one round at a time, and then varies pipelines, lanes and multipliers, or the blocks per cycle of
    a stream mode. It shows every configuration that it tries, the chosen one last. With --cipher-arch, it keeps this architecture.
    """
    from rich.console import Console

    from modeloom.measure.area import check_target
    from modeloom.modes import find_any
    from modeloom.spec import InputError
    from modeloom.spec.stream import StreamMode
    from modeloom.sweep.choose import choose as search
    from modeloom.sweep.choose import quantity

    bits, cycles = quantity(rate, "--rate", "bits per second"), quantity(clock, "--clock", "hertz", "250M")
    definition = find_any(mode)
    warn_broken(mode, definition)
    options = {name: parts[0] for name, parts in point_values(values).items() if len(parts) == 1}
    if several := [name for name, parts in point_values(values).items() if len(parts) > 1]:
        raise InputError(f"--{several[0]} has several values, but modeloom choose takes one")
    message: int | None = None
    if isinstance(definition, StreamMode) and (size := options.pop("sector", None)) is not None:
        if not isinstance(size, int) or size < 1:
            raise InputError(f"--sector must be a number of bytes, not {size}")
        message = size
    reasons = []
    if target is not None and check_target(target).lut_inputs == 6 and "mul-arch" not in options and "preset" not in options:
        options["mul-arch"] = "lut6"
        reasons.append(f"--mul-arch lut6: the LUTs of {target} have six inputs, and this multiplier is made for them")
    with Console(stderr=True).status(mode) as status:
        found = search(mode, bits, cycles, options, Path(), message=message, tell=lambda text: status.update(f"{mode}: {text}"))
    chosen = found.configuration
    command = f"{chosen.emit_command} -o DIR"
    reached = found.figures["bytes_per_cycle"] if message is None else found.steps[-1].bytes_per_cycle
    if as_json:
        result = {
            "schema": CHOICE_SCHEMA, "mode": mode, "rate": float(bits), "clock": float(cycles), "target": target,
            "bytes_per_cycle_needed": round(found.needed, 4), "bytes_per_cycle": reached, "options": dict(sorted(chosen.options.items())),
            "reached": reached * 8 * float(cycles), "command": command,
            "synth": None if target is None else shlex.join(["modeloom", "synth", "DIR", "--target", target]),
            "steps": [asdict(step) for step in found.steps], "reasons": reasons,
            "figures": {name: value for name, value in found.figures.items() if value is not None},
        }  # fmt: skip
        click.echo(json.dumps(result, indent=2))
        return
    for line in _lines(found, bits, cycles, reached, reasons):
        click.echo(line)
    click.echo(f"$ {command}")
    if target is not None:
        click.echo(f"$ {shlex.join(['modeloom', 'synth', 'DIR', '--target', target])}")


def _lines(found: Choice, bits: Fraction, cycles: Fraction, reached: float, reasons: list[str]) -> Iterator[str]:
    """What the search tried, and what it chose."""
    from modeloom.spec.errors import many
    from modeloom.sweep.choose import scaled

    rate_of = float(cycles) * 8
    yield f"{scaled(bits, 'bit/s')} at {scaled(cycles, 'Hz')} is {found.needed:g} bytes per cycle."
    for step in found.steps:
        told = ", ".join(f"{name} {value}" for name, value in step.options.items())
        figure = f"{step.bytes_per_cycle:g} bytes per cycle, {scaled(step.bytes_per_cycle * rate_of, 'bit/s')}"
        yield f"{'enough  ' if step.enough else 'too slow'}  {told}: {'' if step.compiled else 'at most '}{figure} ({step.why})"
    yield from reasons
    figures = found.figures
    storage = "" if figures["storage_blocks"] is None else f", storage {figures['storage_blocks']} blocks"
    yield (
        f"Chosen: {reached:g} bytes per cycle, {scaled(reached * rate_of, 'bit/s')}; latency {figures['latency']} cycles, "
        f"{many(figures['cipher_cores'], 'cipher')}, {many(figures['multipliers'], 'multiplier')}{storage}; proved"
    )


# -- explore -----------------------------------------------------------------------------------------------------------------------

# ``modeloom explore``: the results of a sweep as one page of HTML.

@click.command()
@click.argument("results")
@click.option("-o", "--output", required=True, help="The page to write (HTML).")
@click.option("--title", help="Title of the page (default: the name of RESULTS).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def explore(results: str, output: str, title: str | None, as_json: bool) -> None:
    """Write the points of RESULTS, a file of modeloom sweep, as one HTML page that works offline.

    The page has a plot, filters, and a sortable table. A click on a point shows its figures and the command that builds it. The plot also
    shows designs of papers and open cores.
    """
    from modeloom.report.explorer import explorer_page
    from modeloom.spec import InputError
    from modeloom.spec.errors import many
    from modeloom.sweep.run import Store

    source, target = Path(results), Path(output)
    check_output(target, source)
    if source.is_file() and not source.stat().st_size:
        raise InputError(f"{results} is empty; modeloom sweep fills a file of results")
    with Store(source, make=False) as store:
        rows = store.latest()
    if not rows:
        raise InputError(f"{results} has no points; modeloom sweep adds them")
    page = explorer_page(rows, source.name if title is None else title)
    with whole_file(target) as file:
        file.write(page.encode())
    if as_json:
        click.echo(json.dumps({"schema": "modeloom-explore-1", "page": output, "points": len(rows)}, indent=2))
        return
    click.echo(f"{many(len(rows), 'point')} in {output}")
