# SPDX-License-Identifier: Apache-2.0
"""``modeloom synth``: area, depth and clock of a built core."""

from __future__ import annotations

import json

import click

__all__ = ["synth"]


@click.command()
@click.argument("directory")
@click.option("--target", required=True, help="ecp5, xc7, xc6v, xc5v, xc4v, xc3se, gates or liberty:FILE.")
@click.option("--pnr", is_flag=True, help="Place and route too (ecp5; minutes).")
@click.option("--freq", type=float, help="Clock target of place and route in MHz.")
@click.option("--placer", help="heap (the default), or static: shorter wires, and no weight for delays.")
@click.option("--router", help="router1 (the default) counts delays; router2 is faster, its clock lower.")
@click.option("--timing-weight", type=click.IntRange(min=1), help="Of delays in the placer: 1000, or less for shorter wires.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def synth(
    directory: str, target: str, pnr: bool, freq: float | None, placer: str | None, router: str | None, timing_weight: int | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Synthesises the core in DIRECTORY and prints its figures."""
    from rich.console import Console

    from modeloom.cli.area import area_table
    from modeloom.measure.core import measure_core

    with Console(stderr=True).status(f"{directory}: {target}"):
        result = measure_core(directory, target, pnr=pnr, freq=freq, placer=placer, router=router, timing_weight=timing_weight)
    if as_json:
        click.echo(json.dumps(result, indent=2))
        return
    click.echo(area_table(result), nl=False)
