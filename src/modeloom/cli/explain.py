# SPDX-License-Identifier: Apache-2.0
"""``modeloom explain``: the figures of a mode's schedule, its text and its chart."""

from __future__ import annotations

import json
from pathlib import Path

import click

from modeloom.cli.files import check_output, columns, mode_files, warn, warn_broken, whole_file
from modeloom.cli.options import core_options
from modeloom.cli.streams import at_width, explain_stream, refused
from modeloom.options.row import Value
from modeloom.options.spelled import sector_options, text

__all__ = ["explain"]


@click.command()
@click.argument("mode")
@core_options()
@click.option(
    "--dump", "dumps", help="Print results of compiler passes as text: trace, expand, lower, squares, pair, chains (or graph), schedule, "
    "allocate (or program), prove; for a stream mode trace, steps, order, retime, lazy, left, recurrences, words, place, tokens, "
    "reservations, prove. Separate several by commas.",
)  # fmt: skip
@click.option("--data-width", type=int, help="Bits of the data streams, 32 to 1024, to also show the cycles with them.")
@click.option("--svg", help="Write a picture of the schedule (SVG) to this file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def explain(mode: str, dumps: str | None, data_width: int | None, svg: str | None, as_json: bool, **values: Value) -> None:
    """Show the figures of MODE: cycles per sector, latency, storage, and their bounds.

    For a stream mode, show its pipeline: tokens of a message, latency, and the stages of units and state.
    """
    from modeloom.cli.streams import compile_progress
    from modeloom.compiler.compile import compile_mode
    from modeloom.compiler.dump import dump, dump_names
    from modeloom.cores.of import refusal
    from modeloom.modes import find_any
    from modeloom.spec.stream import StreamMode

    definition = find_any(mode, cipher=text(values, "cipher"))
    if data_width is not None:
        from modeloom.cores.front import front_of

        front_of(None, data_width, options=values)
    warn_broken(mode, definition)
    if svg is not None:
        check_output(Path(svg), *mode_files([mode]))
    if isinstance(definition, StreamMode):
        explain_stream(definition, values, dumps, svg, as_json, data_width)
        return
    options = sector_options(values)
    wanted = dump_names(dumps or "")
    with compile_progress(mode) as progress:
        compiled = compile_mode(definition, options, progress=progress)
    texts = {name: dump(compiled, name) for name in wanted}
    if svg is not None:
        from modeloom.report.chart import chart

        with whole_file(Path(svg)) as file:
            file.write(chart(compiled).encode())
    figures = {**compiled.explain(), "refused": refusal(compiled)}
    if data_width is not None:
        from modeloom.cores.sector import SectorCore

        figures["data_width"] = at_width(SectorCore(compiled).describe("core", "modeloom"), data_width)
    warn(figures["warnings"])
    if as_json:
        click.echo(json.dumps({**figures, "dumps": texts} if texts else figures, indent=2))
    elif texts:
        click.echo("".join(texts.values()), nl=False)
    else:
        for one in compiled.sizes:
            lines = [
                (key, _text(value) + refused(figures) * (key == "proved")) for key, value in one.explain().items()
                if key not in ("more_sizes", "warnings")
            ]  # fmt: skip
            click.echo(columns(lines), nl=one is not compiled.sizes[-1])
        if data_width is not None:
            click.echo("\n".join(figures["data_width"]["words"]))


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{name} {_unit(entry)}" for name, entry in value.items() if entry is not None)
    return str(value)


def _unit(entry: object) -> str:
    """A count, or a unit with its count, its latency, and its interval if it is not a pipeline."""
    if not isinstance(entry, dict):
        return str(entry)
    every = f" every {entry['interval']}" if entry["interval"] > 1 else ""
    return f"{entry['count']} × {entry['latency']} cycles{every}"
