# SPDX-License-Identifier: Apache-2.0
"""``modeloom datasheet``: the HTML datasheet of a built core with timing and area."""

from __future__ import annotations

import json

import click

from modeloom.cli.files import warn
from modeloom.spec.wording import many

__all__ = ["datasheet"]


@click.command()
@click.argument("directory")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def datasheet(directory: str, as_json: bool) -> None:
    """Add timing and areas to datasheet.html of the core in DIRECTORY.

    Simulates the core and draws its timing. Areas come from the results that "modeloom synth" stored in DIRECTORY. Updates the hashes of
    the page. No other file changes.
    """
    from rich.console import Console

    from modeloom.measure.datasheet import complete_datasheet

    with Console(stderr=True).status(f"{directory}: simulation"):
        page, areas, others = complete_datasheet(directory)
    warn(f"{name} is not a result for the Verilog in {directory}, and is left out; run modeloom synth again" for name in others)
    if as_json:
        click.echo(json.dumps({"schema": "modeloom-datasheet-1", "page": str(page), "areas": areas, "left_out": list(others)}, indent=2))
        return
    told = many(areas, "area") if areas else "no area (modeloom synth stores one)"
    click.echo(f"{page}: timing of a simulation, {told}")
