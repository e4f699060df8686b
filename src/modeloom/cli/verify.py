# SPDX-License-Identifier: Apache-2.0
"""``modeloom verify``: proves, lints and tests an emitted core again."""

from __future__ import annotations

import json

import click

from modeloom.cli.options import optimize_option

__all__ = ["verify"]


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
