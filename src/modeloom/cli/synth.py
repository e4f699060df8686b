# SPDX-License-Identifier: Apache-2.0
"""``modeloom synth``: area, depth and clock of a built core."""

from __future__ import annotations

import json

import click
from rich.console import Console
from rich.table import Table

from modeloom.measure import measure_core

__all__ = ["synth"]


@click.command()
@click.argument("directory")
@click.option("--target", required=True, help="ecp5, xc7, xc6v, xc5v or gates.")
@click.option("--pnr", is_flag=True, help="Place and route too (ecp5; minutes).")
@click.option("--freq", type=float, help="Clock target of place and route in MHz.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def synth(directory: str, target: str, pnr: bool, freq: float | None, as_json: bool) -> None:
    """Synthesises the core in DIRECTORY and prints its figures."""
    with Console(stderr=True).status(f"{directory}: {target}"):
        result = measure_core(directory, target, pnr=pnr, freq=freq)
    if as_json:
        click.echo(json.dumps(result, indent=2))
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    for key, value in result.items():
        if not isinstance(value, (dict, list)) and value is not None:
            table.add_row(key, str(value))
    for block, figures in (result.get("blocks") or {}).items():
        table.add_row(f"  {block}", json.dumps(figures))
    Console().print(table)
