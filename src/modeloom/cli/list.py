# SPDX-License-Identifier: Apache-2.0
"""``modeloom list``: the modes and the circuits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modeloom.cli.files import check_output, columns, mode_files, warn, warn_broken, whole_file
from modeloom.cli.options import cipher_option, core_options, optimize_option
from modeloom.cli.streams import at_width, explain_stream, refused
from modeloom.modes import ON_CIPHER, VARIANTS, all_modes, all_streams
from modeloom.options.row import Value
from modeloom.options.spelled import sector_options, text
from modeloom.spec import InputError, Mode
from modeloom.vectors import count

if TYPE_CHECKING:
    from modeloom.conformance import Report

__all__ = ["catalogue", "circuits", "explain", "list_modes", "sectors", "streams", "vectors", "verify"]


# -- check -----------------------------------------------------------------------------------------------------------------------------

# Commands that check: ``modeloom verify`` and ``modeloom vectors``.

# ``modeloom verify``: proves, lints and tests an emitted core again.

@click.command()
@click.argument("directory")
@click.option("--sectors", type=click.IntRange(min=1), help="Number of random sectors (default: as many as the S-boxes need).")
@click.option("--seed", type=int, default=1, help="Seed for random keys, data, pauses and back-pressure (default: 1).")
@click.option("--no-hashes", is_flag=True, help="Do not compare hashes, to test files that were changed intentionally.")
@click.option("--no-cycles", is_flag=True, help="Allow changed Verilog to produce its outputs in other cycles.")
@click.option("--json", "as_report", is_flag=True, help="Print a report in JSON instead of lines.")
@optimize_option
def verify(
    directory: str, sectors: int | None, seed: int, no_hashes: bool, no_cycles: bool, as_report: bool, optimize: int
) -> None:  # fmt: skip
    """Check the core in DIRECTORY: its files, the proof, lint, timing channels, and the simulated Verilog.

    The simulation covers published vectors, edge cases, many keys, all slots, sizes, directions and statuses, keys that change under
    traffic, and erasure. The last lines say what was skipped, and what no published vector confirms.
    """
    from modeloom.product.folder import read_description
    from modeloom.verification import Step, as_json, verify_core, versions

    steps: list[Step] = []
    failure = ""
    try:
        for step in verify_core(
            directory, sectors=sectors, seed=seed, optimize=optimize, hashes=not no_hashes, cycles=not no_cycles
        ):  # fmt: skip
            steps.append(step)
            if not as_report:
                click.echo(step)
    except Exception as error:  # from a check; the command line turns it into one line and an exit status
        failure = str(error)
        raise
    finally:
        if as_report and (steps or failure):
            report = as_json(read_description(directory), seed, versions(), steps, failure)
            click.echo(json.dumps(report, indent=2, ensure_ascii=False))


# -- vectors -----------------------------------------------------------------------------------------------------------------------

# ``modeloom vectors``: test vectors of ACVP, CAVP and Wycheproof through a model or a core.

SHOWN = 10
"""Failures that are printed for a file."""


@click.command()
@click.argument("target", metavar="DIR|MODE")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--expected", help="The expected results of an ACVP vector set, if they are in a separate file.")
@click.option("--response", "response_file", help="Write the response to an ACVP vector set to this file.")
@cipher_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@optimize_option
def vectors(
    target: str, files: tuple[str, ...], expected: str | None, response_file: str | None, cipher: str | None, as_json: bool, optimize: int
) -> None:
    """Run test vectors through a simulation of the core in DIR, or through the software model of MODE.

    FILE is JSON of ACVP or Wycheproof, or a response file of CAVP. Prints how many tests passed, failed, and cannot be run, with the
    reason. A test without expected results counts as answered. The exit status is 1 if a test failed, or if no test could be run.
    """
    from modeloom.conformance import read_file, run_file, subject_of
    from modeloom.conformance.acvp import response
    from modeloom.emit.simulators import CheckFailed

    if len(files) > 1 and (expected or response_file):
        raise InputError("--expected and --response are for one vector set; give one FILE")
    read = [read_file(path, expected) for path in files]
    if response_file is not None:
        if read[0].prompt is None:
            raise InputError(f"{files[0]} is a file of {read[0].format}; --response answers a vector set of ACVP")
        check_output(Path(response_file), *map(Path, files), *([Path(expected)] if expected else []))
    subject = subject_of(target, cipher, optimize)
    reports = [run_file(file, subject) for file in read]
    missing = 0
    if response_file is not None:
        value, missing = response(read[0], reports[0].answers)
        with whole_file(Path(response_file)) as out:
            out.write((json.dumps(value, indent=2) + "\n").encode())
    if as_json:
        made = {"schema": "modeloom-vectors-1", "subject": subject.kind, "mode": subject.mode, "cipher": subject.cipher}
        click.echo(json.dumps({**made, "files": [_figures(report) for report in reports]}, indent=2))
    else:
        click.echo(columns([("file", "format", "passed", "failed", "answered", "not applicable"), *map(_row, reports)]), nl=False)
        for report in reports:
            for line in _details(report):
                click.echo(line)
    if missing:
        click.echo(f"modeloom: {missing} tests have no answer in {response_file}", err=True)
    failed = sum(len(report.failed) for report in reports)
    if failed:
        raise CheckFailed(f"{failed} {'test' if failed == 1 else 'tests'} failed")
    if not any(report.passed or report.answered for report in reports):
        raise CheckFailed("no test could be run")


def _row(report: Report) -> tuple[str, ...]:
    counts = (report.passed, len(report.failed), report.answered, sum(report.not_applicable.values()))
    return (report.file.name, f"{report.file.format} {report.file.algorithm}", *map(str, counts))


def _details(report: Report) -> list[str]:
    lines = [f"{report.file.name}: {count} not applicable: {reason}" for reason, count in report.not_applicable.items()]
    lines += [f"{report.file.name}: {name} failed: {text}" for name, text in list(report.failed.items())[:SHOWN]]
    if (more := len(report.failed) - SHOWN) > 0:
        lines.append(f"{report.file.name}: {more} more failed")
    return lines


def _figures(report: Report) -> dict[str, object]:
    return {
        "file": report.file.name, "format": report.file.format, "algorithm": report.file.algorithm, "tests": len(report.file.cases),
        "passed": report.passed, "answered": report.answered, "failed": dict(report.failed), "not_applicable": dict(report.not_applicable),
    }  # fmt: skip


# -- explain ---------------------------------------------------------------------------------------------------------------------------

# ``modeloom explain``: the figures of a mode's schedule, its text and its chart.


@click.command()
@click.argument("mode")
@core_options()
@click.option(
    "--dump", "dumps", help="Print results of compiler passes as text: trace, expand, lower, squares, pair, chains (or graph), schedule, "
    "allocate (or program), prove; for a stream mode trace, steps, order, retime, lazy, left, recurrences, words, place, tokens, "
    "reservations, prove. Separate several by commas.",
)  # fmt: skip
@click.option("--data-width", type=int, help="Bits of the data streams, 32 to 1024, to also show the cycles with them.")
@click.option("--svg", help="Write a picture of the schedule (SVG) to this file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def explain(mode: str, dumps: str | None, data_width: int | None, svg: str | None, as_json: bool, **values: Value) -> None:
    """Show the figures of MODE: cycles per sector, latency, storage, and their bounds.

    For a stream mode, show its pipeline: tokens of a message, latency, and the stages of units and state.
    """
    from modeloom.cli.streams import compile_progress
    from modeloom.compiler.compile import compile_mode
    from modeloom.compiler.dump import dump, dump_names
    from modeloom.cores.of import refusal
    from modeloom.modes import find_any
    from modeloom.spec.stream import StreamMode

    definition = find_any(mode, cipher=text(values, "cipher"))
    if data_width is not None:
        from modeloom.cores.front import front_of

        front_of(None, data_width, options=values)
    warn_broken(mode, definition)
    if svg is not None:
        check_output(Path(svg), *mode_files([mode]))
    if isinstance(definition, StreamMode):
        explain_stream(definition, values, dumps, svg, as_json, data_width)
        return
    options = sector_options(values)
    wanted = dump_names(dumps or "")
    with compile_progress(mode) as progress:
        compiled = compile_mode(definition, options, progress=progress)
    texts = {name: dump(compiled, name) for name in wanted}
    if svg is not None:
        from modeloom.report.chart import chart

        with whole_file(Path(svg)) as file:
            file.write(chart(compiled).encode())
    figures = {**compiled.explain(), "refused": refusal(compiled)}
    if data_width is not None:
        from modeloom.cores.sector import SectorCore

        figures["data_width"] = at_width(SectorCore(compiled).describe("core", "modeloom"), data_width)
    warn(figures["warnings"])
    if as_json:
        click.echo(json.dumps({**figures, "dumps": texts} if texts else figures, indent=2))
    elif texts:
        click.echo("".join(texts.values()), nl=False)
    else:
        for one in compiled.sizes:
            lines = [
                (key, _text(value) + refused(figures) * (key == "proved")) for key, value in one.explain().items()
                if key not in ("more_sizes", "warnings")
            ]  # fmt: skip
            click.echo(columns(lines), nl=one is not compiled.sizes[-1])
        if data_width is not None:
            click.echo("\n".join(figures["data_width"]["words"]))


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{name} {_unit(entry)}" for name, entry in value.items() if entry is not None)
    return str(value)


def _unit(entry: object) -> str:
    """A count, or a unit with its count, its latency, and its interval if it is not a pipeline."""
    if not isinstance(entry, dict):
        return str(entry)
    every = f" every {entry['interval']}" if entry["interval"] > 1 else ""
    return f"{entry['count']} × {entry['latency']} cycles{every}"


# -- list ------------------------------------------------------------------------------------------------------------------------------


def _modes() -> list[type[Mode]]:
    return sorted([*all_modes().values(), *VARIANTS], key=lambda mode: mode.name)


def catalogue() -> list[dict[str, object]]:
    """Every mode: name, kind, title, source, directions, cipher, its meaning with other ciphers, field order, partial blocks, limits, tweak
    sizes, key, vectors, security, and whether it is broken."""
    return [
        {
            "name": mode.name, "kind": "mode", "title": mode.title, "source": mode.source, "directions": list(mode.directions()),
            "cipher": mode.cipher if isinstance(mode.cipher, str) else mode.cipher.name,
            "on_cipher": {cipher: other for (name, cipher), other in ON_CIPHER.items() if name == mode.name},
            "field": mode.field.name, "partial_blocks": mode.partial, "least_bytes": mode.min_bytes or mode.block_bytes,
            "most_bytes": mode.max_blocks * mode.block_bytes or None, "tweak_bytes": list(mode.tweak_sizes),
            "key": list(mode.key_parts), "vectors": count(mode.name), "security": mode.security, "broken": mode.broken,
        }  # fmt: skip
        for mode in _modes()
    ]


def streams() -> list[dict[str, object]]:
    """Every stream mode: name, kind, title, source, cipher, field order, lengths of nonces and tags in bytes, key, vectors, security, and
    whether it is broken."""
    return [
        {
            "name": mode.name, "kind": "stream", "title": mode.title, "source": mode.source, "directions": ["encrypt", "decrypt"],
            "cipher": mode.cipher if isinstance(mode.cipher, str) else mode.cipher.name, "field": mode.field.name,
            "nonce_bytes": sorted(length for lengths in mode.nonce_bytes for length in lengths), "tag_bytes": list(mode.tag_bytes),
            "most_text_bytes": mode.most_text, "key": list(mode.key_parts), "vectors": count(mode.name), "security": mode.security,
            "broken": mode.broken,
        }  # fmt: skip
        for mode in all_streams().values()
    ]


def sectors(row: dict[str, object]) -> str:
    """The sector sizes in bytes that a mode of the catalogue accepts, in words."""
    form = f"{'any' if row['partial_blocks'] else 'whole blocks'} from {row['least_bytes']}"
    return form if row["most_bytes"] is None else f"{form} to {row['most_bytes']}"


def circuits() -> list[dict[str, object]]:
    """Every circuit of ``modeloom circuit``: name, kind, title, source, and options with their values."""
    from modeloom_circuits import all_circuits

    return [
        {
            "name": circuit.name,
            "kind": "circuit",
            "title": circuit.title,
            "source": circuit.source,
            "directions": [],
            "field": None,
            "vectors": 0,
            "options": {
                option.name: list(option.choices) or {"from": option.low, "to": option.high} for option in circuit.options
            },
        }
        for circuit in all_circuits().values()
    ]


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_modes(as_json: bool) -> None:
    """List the modes, the stream modes and the circuits, with their sources.

    Modes have their directions, sector sizes, field order and number of published vectors. Circuits have their options.
    """
    from modeloom_circuits import all_circuits

    rows, aeads = catalogue(), streams()
    if as_json:
        click.echo(json.dumps({"schema": "modeloom-list-1", "entries": rows + aeads + circuits()}, indent=2, ensure_ascii=False))
        return
    table: list[tuple[str, ...]] = [("name", "directions", "sector, bytes", "field", "vectors", "source")]
    for mode, row in zip(_modes(), rows, strict=True):
        note = "BROKEN: " if mode.broken else ""
        table.append((mode.name, ", ".join(mode.directions()), sectors(row), mode.field.name, str(row["vectors"]), note + mode.source))
    click.echo(columns(table))
    for mode in _modes():
        if mode.broken:
            click.echo(f"warning: {mode.name} is broken: {mode.security}\n")
    table = [("stream mode", "nonce, bytes", "tag, bytes", "field", "vectors", "source")]
    for stream, row in zip(all_streams().values(), aeads, strict=True):
        lengths = sorted(length for lengths in stream.nonce_bytes for length in lengths)
        nonces = f"{lengths[0]} to {lengths[-1]}" if len(lengths) > 1 else str(lengths[0])
        tags = ", ".join(map(str, stream.tag_bytes))
        table.append((stream.name, nonces, tags, stream.field.name, str(row["vectors"]), stream.source))
    click.echo(columns(table))
    table = [("circuit", "options", "source")]
    for circuit in all_circuits().values():
        table.append((circuit.name, " ".join("--" + option.name.replace("_", "-") for option in circuit.options), circuit.source))
    click.echo(columns(table), nl=False)
