# SPDX-License-Identifier: Apache-2.0
"""``modeloom papers``: every row of the tables of the papers, together with our results."""

from __future__ import annotations

import json

import click

__all__ = ["papers"]


@click.command()
@click.argument("names", nargs=-1, metavar="[TABLE ...]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def papers(names: tuple[str, ...], as_json: bool) -> None:
    """Show the tables of the papers together with the results of modeloom, as in docs/papers.md.

    Give names of tables or papers, such as tes2010-2 or gcm2008, to see only these.
    """
    from modeloom.papers import SCHEMA, page, tables

    if as_json:
        click.echo(json.dumps({"schema": SCHEMA, "tables": tables(names)}, indent=2, ensure_ascii=False))
    else:
        click.echo(page(names), nl=False)
