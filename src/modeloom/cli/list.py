# SPDX-License-Identifier: Apache-2.0
"""``modeloom list``: the modes."""

from __future__ import annotations

import json
from typing import Any

import click

from modeloom.cli.files import columns
from modeloom.modes import all_modes
from modeloom.vectors import count

__all__ = ["list_modes", "catalogue"]


def catalogue() -> list[dict[str, Any]]:
    """Every mode: name, kind, title, source, directions, cipher, field order, partial blocks, tweak sizes, published vectors, security."""
    return [
        {
            "name": mode.name,
            "kind": "mode",
            "title": mode.title,
            "source": mode.source,
            "directions": ["encrypt", "decrypt"],
            "cipher": mode.cipher if isinstance(mode.cipher, str) else mode.cipher.name,
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
        click.echo(json.dumps({"schema": "modeloom-list-1", "entries": rows}, indent=2, ensure_ascii=False))
        return
    table = [("name", "directions", "field", "vectors", "source")]
    for row in rows:
        table.append((row["name"], ", ".join(row["directions"]), row["field"], str(row["vectors"]), row["source"]))
    click.echo(columns(table), nl=False)
