# SPDX-License-Identifier: Apache-2.0
"""Commands that check: ``modeloom verify`` and ``modeloom vectors``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modeloom.cli.files import check_output, columns, whole_file
from modeloom.cli.options import cipher_option, optimize_option
from modeloom.spec import InputError

if TYPE_CHECKING:
    from modeloom.conformance import Report

__all__ = ["vectors", "verify"]


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
    from modeloom.emit.tools import CheckFailed

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
