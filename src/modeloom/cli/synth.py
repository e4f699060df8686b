# SPDX-License-Identifier: Apache-2.0
"""``modeloom synth``: area, depth and clock of a built core."""

from __future__ import annotations

import json

import click

__all__ = ["synth"]


@click.command()
@click.argument("directory")
@click.option("--target", required=True, help="Target: ecp5, xcup, xc7, xc6v, xc5v, xc4v, xc3se, gates or liberty:FILE.")
@click.option("--pnr", is_flag=True, help="Also place and route (ecp5 only; takes minutes).")
@click.option("--freq", type=float, help="Target clock for place and route, in MHz.")
@click.option("--placer", help="heap (default) or static. static gives shorter wires, but has no timing weight.")
@click.option("--router", help="router1 (default) or router2. router2 is faster, but reaches a lower clock.")
@click.option("--timing-weight", type=click.IntRange(min=1), help="Timing weight in the placer (default: 1000). Less gives shorter wires.")
@click.option(
    "--no-wide-multiplexers", "narrow", is_flag=True,
    help="Do not use wide multiplexers (xc4v and xc3se). With them, Yosys does not terminate for composite S-boxes.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def synth(
    directory: str, target: str, pnr: bool, freq: float | None, placer: str | None, router: str | None, timing_weight: int | None,
    narrow: bool, as_json: bool,
) -> None:  # fmt: skip
    """Synthesise the core in DIRECTORY and print its figures.

    The result is also stored in DIRECTORY as synth_TARGET.json. "modeloom datasheet" shows it.
    """
    from rich.console import Console

    from modeloom.cli.area import area_table
    from modeloom.cli.files import warn
    from modeloom.measure.core import measure_core
    from modeloom.measure.datasheet import store_result

    with Console(stderr=True).status(f"{directory}: {target}"):
        result = measure_core(
            directory, target, pnr=pnr, freq=freq, placer=placer, router=router, timing_weight=timing_weight, narrow=narrow
        )
    try:
        store_result(directory, target, result)
    except OSError as error:
        warn([f"the result is not stored in {directory}: {error.strerror or error}"])
    if as_json:
        click.echo(json.dumps(result, indent=2))
        return
    click.echo(area_table(result), nl=False)
