# SPDX-License-Identifier: Apache-2.0
"""``modeloom list``: the modes and circuits."""

from __future__ import annotations

import json

import click
from rich.console import Console
from rich.table import Table

from modeloom.modes import all_modes
from modeloom.vectors import count

__all__ = ["list_modes", "catalogue"]


def catalogue() -> list[dict[str, object]]:
    """Every mode: name, kind, title, source, directions, field order, partial blocks, tweak sizes, published vectors, security."""
    return [
        {
            "name": mode.name,
            "kind": "mode",
            "title": mode.title,
            "source": mode.source,
            "directions": ["encrypt", "decrypt"],
            "field": mode.field.name,
            "partial_blocks": mode.partial,
            "tweak_bytes": list(mode.tweak_sizes),
            "key": list(mode.key_parts),
            "vectors": count(mode.name),
            "security": mode.security,
        }
        for mode in all_modes().values()
    ]


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_modes(as_json: bool) -> None:
    """The modes: name, source, directions, field order, published vectors."""
    rows = catalogue()
    if as_json:
        click.echo(json.dumps({"schema": "modeloom-list-1", "entries": rows}, indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for title in ("name", "directions", "field", "vectors", "source"):
        table.add_column(title)
    for row in rows:
        table.add_row(str(row["name"]), "both", str(row["field"]), str(row["vectors"]), str(row["source"]))
    Console().print(table)
