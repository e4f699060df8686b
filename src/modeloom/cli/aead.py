# SPDX-License-Identifier: Apache-2.0
"""``modeloom aead``: what each authenticated encryption mode costs, with modes of a user among those of the project."""

from __future__ import annotations

import json
from typing import Any

import click

from modeloom.cli.files import columns

__all__ = ["aead"]

HEAD = (
    "mode", "cipher", "LUTs", "memories", "shift registers", "registers", "BRAM", "cycles/block", "tokens", "latency", "bytes/cycle",
    "per 1000 LUTs",
)  # fmt: skip


@click.command()
@click.option("--add", "added", multiple=True, metavar="FILE.py:CLASS", help="Measure this stream mode and add it to the table.")
@click.option("--target", type=click.Choice(["xc7", "ecp5"]), default="xc7", help="Target of the areas (default: xc7).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def aead(added: tuple[str, ...], target: str, as_json: bool) -> None:
    """Show the cost of each authenticated encryption mode with three types of cipher, as in docs/aead.md.

    The figures of the built-in modes are stored. With --add, the cores of a mode in a file are built, mapped by Yosys and simulated, which
    takes a few minutes for each core.
    """
    from modeloom.measure.aead import ARCHITECTURES, SCHEMA, measure_area, measure_rate, rows, stored, stream_mode

    for name in added:
        stream_mode(name)
    every = stored()
    for name in added:
        for architecture in ARCHITECTURES:
            row = measure_rate(name, architecture)
            if "refused" not in row:
                row["areas"][target] = measure_area(name, architecture, target)
            every.append(row)
    lines = rows(every, target)
    if as_json:
        click.echo(json.dumps({"schema": SCHEMA, "target": target, "rows": lines}, indent=2))
        return
    click.echo(columns([HEAD, *map(_line, lines)]), nl=False)


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    """A row as text; a core that the compiler refuses has a dash for each figure."""
    from modeloom.measure.aead import cipher_name

    names = ("luts", "lutram_luts", "srl_luts", "ffs", "bram_cells", "cycles_a_block", "tokens", "latency", "bytes_a_cycle")
    figures = [*(row[name] for name in names), row["bytes_a_cycle_per_1000_luts"]]
    return (row["mode"], cipher_name(row["architecture"]), *("-" if figure is None else str(figure) for figure in figures))
