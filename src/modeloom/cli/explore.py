# SPDX-License-Identifier: Apache-2.0
"""``modeloom explore``: the results of a sweep as one page of HTML."""

from __future__ import annotations

import json
from pathlib import Path

import click

from modeloom.cli.files import check_output, whole_file

__all__ = ["explore"]


@click.command()
@click.argument("results")
@click.option("-o", "--output", required=True, help="The page to write (HTML).")
@click.option("--title", help="Title of the page (default: the name of RESULTS).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def explore(results: str, output: str, title: str | None, as_json: bool) -> None:
    """Write the points of RESULTS, a file of modeloom sweep, as one HTML page that works offline.

    The page has a plot, filters, and a sortable table. A click on a point shows its figures and the command that builds it. The plot also
    shows designs of papers and open cores.
    """
    from modeloom.report.explorer import explorer_page
    from modeloom.spec import InputError
    from modeloom.spec.wording import many
    from modeloom.sweep.store import Store

    source, target = Path(results), Path(output)
    check_output(target, source)
    if source.is_file() and not source.stat().st_size:
        raise InputError(f"{results} is empty; modeloom sweep fills a file of results")
    with Store(source, make=False) as store:
        rows = store.latest()
    if not rows:
        raise InputError(f"{results} has no points; modeloom sweep adds them")
    page = explorer_page(rows, source.name if title is None else title)
    with whole_file(target) as file:
        file.write(page.encode())
    if as_json:
        click.echo(json.dumps({"schema": "modeloom-explore-1", "page": output, "points": len(rows)}, indent=2))
        return
    click.echo(f"{many(len(rows), 'point')} in {output}")
