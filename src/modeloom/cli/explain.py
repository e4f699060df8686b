# SPDX-License-Identifier: Apache-2.0
"""``modeloom explain``: the figures of a mode's schedule."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from modeloom.cli.options import options_from, unit_options
from modeloom.compiler import compile_mode
from modeloom.dump import DUMPS, dump
from modeloom.modes import find
from modeloom.spec import UnknownName

__all__ = ["explain"]


@click.command()
@click.argument("mode")
@unit_options
@click.option("--dump", "dumps", help="Print graph, schedule or program as text (several, separated by commas).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def explain(mode: str, dumps: str | None, as_json: bool, **values: Any) -> None:
    """The schedule of MODE: cycles per sector, latency, storage, and their bounds."""
    options = options_from(values)
    wanted = [name.strip() for name in dumps.split(",")] if dumps else []
    for name in wanted:
        if name not in DUMPS:
            raise UnknownName("dump", name, DUMPS)
    compiled = compile_mode(find(mode), options)
    for name in wanted:
        click.echo(dump(compiled, name), nl=False)
    if as_json:
        click.echo(json.dumps(compiled.explain(), indent=2))
    elif not wanted:
        table = Table(box=None, pad_edge=False, show_header=False)
        for key, value in compiled.explain().items():
            table.add_row(key, json.dumps(value) if isinstance(value, (dict, list, bool)) else str(value))
        Console().print(table)
