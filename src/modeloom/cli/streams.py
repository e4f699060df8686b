# SPDX-License-Identifier: Apache-2.0
"""The parts of commands for stream modes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modeloom.cli.files import columns, warn, warn_broken, whole_file
from modeloom.options.row import Value
from modeloom.options.spelled import message_options
from modeloom.spec.errors import many
from modeloom.spec.stream import StreamMode

if TYPE_CHECKING:
    from modeloom.compiler.streams import CompiledStream
    from modeloom.product.core import FrontEnd
    from modeloom.product.description import Description

__all__ = ["add_timing", "at_width", "build_stream", "compile_progress", "explain_stream", "refused", "timing_option"]


# What ``modeloom explain`` says of data streams that are wider or narrower than those of the core.

def at_width(description: Description, bits: int) -> dict[str, object]:
    """The rates of a core with data streams of this width, and sentences that tell them.

    Raises ``InputError`` if the core has this width already.
    """
    from modeloom.cores.front.widths import WidthFrontEnd

    front = WidthFrontEnd(description, bits)
    words = []
    for bare, rate in zip(description.rates, front.rates, strict=True):
        cycles = many(rate.interval, "cycle")
        limit = "the core is the limit" if rate.interval == bare.interval else f"the streams are the limit: {bare.interval} without them"
        words.append(f"With {bits} bits of data a cycle, {cycles} for a {rate.what} of {rate.bytes} bytes ({limit}).")
    return {"bits": bits, "core_bits": 8 * front.core_bytes, "rates": [asdict(rate) for rate in front.rates], "words": words}


# -- timing ------------------------------------------------------------------------------------------------------------------------

# The timing diagram that ``modeloom build`` puts into the HTML datasheet.

timing_option = click.option(
    "--timing/--no-timing", default=True, envvar="MODELOOM_TIMING",
    help="Simulate the core for the timing diagram in datasheet.html (default: yes, also set by MODELOOM_TIMING).",
)  # fmt: skip


def add_timing(directory: str, mode: str, wanted: bool) -> bool:
    """Simulates the new core in ``directory`` and completes its page, if this is ``wanted``.  Returns whether the page has a timing.

    The core is whole without it: if the simulation cannot be built, as without a C++ compiler, this is a warning.
    """
    from rich.console import Console

    from modeloom.emit.html.measured import check_page, complete
    from modeloom.measure.datasheet import measured_of
    from modeloom.sim import BuildError

    if not wanted:
        return False
    try:
        with Console(stderr=True).status(f"{mode}: simulation for the datasheet"):
            # Stored areas stay out: the same command gives the same bytes in each folder.
            complete(directory, measured_of(Path(directory), check_page(directory)))
    except BuildError as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        warn([f"datasheet.html has no timing, because the simulation cannot be built: {reason}. modeloom datasheet adds the timing later."])
        return False
    return True


# The progress bar of a compilation, on standard error if this is a terminal.

@contextmanager
def compile_progress(title: str) -> Iterator[Callable[[str, float], None]]:
    """Yields the ``progress`` function for ``compile_mode``.  Its arguments are the step and the completed share of the work."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda step, done: bar.update(task, description=f"{title}: {step}", completed=done)


# -- streams -----------------------------------------------------------------------------------------------------------------------

def explain_stream(
    mode: StreamMode, values: Mapping[str, Value], dumps: str | None, svg: str | None, as_json: bool, data_width: int | None = None
) -> None:
    """Prints the figures of the pipeline of a stream mode, also with data streams of a width, or the results of passes, and draws it if
    ``svg`` names a file."""
    from modeloom.compiler.dump import STREAM_DUMPS, dump_names
    from modeloom.compiler.streams import compile_stream
    from modeloom.cores.of import refusal

    wanted = dump_names(dumps or "", STREAM_DUMPS)
    options = message_options(mode, values)
    compiled = compile_stream(mode, options)
    texts = {name: STREAM_DUMPS[name](compiled) for name in wanted}
    if svg is not None:
        from modeloom.report.token_chart import token_chart

        with whole_file(Path(svg)) as file:
            file.write(token_chart(compiled).encode())
    figures = {**compiled.explain(), "refused": refusal(compiled)}
    if data_width is not None:
        from modeloom.cores.stream import StreamCore

        figures["data_width"] = at_width(StreamCore(compiled).describe("core", "modeloom"), data_width)
    warn(figures["warnings"])
    if as_json:
        click.echo(json.dumps({**figures, "dumps": texts} if texts else figures, indent=2))
        return
    if texts:
        click.echo("".join(texts.values()), nl=False)
        return
    shown = {key: value for key, value in figures.items() if key not in ("warnings", "refused", "data_width")}
    click.echo(columns([(key, _text(value) + refused(figures) * (key == "proved")) for key, value in shown.items()]), nl=False)
    for words in figures["data_width"]["words"] if data_width is not None else ():
        click.echo(words)


def build_stream(
    mode: StreamMode, directory: str, name: str | None, values: Mapping[str, Value], command: str, schema: str, as_json: bool,
    lwc_vectors: str | None = None, front: Callable[[Description], FrontEnd] | None = None,
    cocotb: bool = False, ram: str | None = None, timing: bool = True,
) -> None:  # fmt: skip
    """Compiles a stream mode, proves its pipeline, and writes a core with what ``front`` makes; and, if a folder is named for them, test
    vectors of LWC.  With ``timing``, the core is simulated for its datasheet."""
    from modeloom.compiler.streams import compile_stream
    from modeloom.cores.lwc.bench import write_vectors
    from modeloom.cores.of import core_of
    from modeloom.emit import building, check_directory, check_name, emit
    from modeloom.product.message import LwcDescription

    options = message_options(mode, values)
    check_directory(directory)
    if name is not None:
        check_name(name)
    warn_broken(mode.name, mode)
    with building(directory), compile_progress(mode.name) as progress:
        progress("prove", 0.0)
        compiled: CompiledStream = compile_stream(mode, options)
        warn(compiled.checked.warnings)
        progress("emit", 0.5)
        core = core_of(compiled)
        description = emit(core, Path(directory), name=name, command=command, exclusive=False, front=front, cocotb=cocotb, ram=ram)
        if lwc_vectors is not None and isinstance(description, LwcDescription):
            write_vectors(lwc_vectors, compiled, description)
    timed = add_timing(directory, mode.name, timing)
    figures = compiled.explain()
    if as_json:
        result = {
            "schema": schema, "directory": directory, "name": description.name, "verilog": description.verilog, "timing": timed,
            "releases_unverified": description.releases,
        }  # fmt: skip
        click.echo(json.dumps({**result, **{key: value for key, value in figures.items() if key != "schema"}}, indent=2))
        return
    cycles, texts = description.cycles, core.stack.texts(description)
    most = "at most " if core.top.varies else ""
    proved = "proved" if description.explain.proved else "not proved"
    if description.explain.inverse == "tested":
        proved += "; opening was tested to invert sealing, not proved"
    click.echo(
        f"{directory}: {texts.rate}{many(cycles.associated, 'cycle')} for a block of associated data, {cycles.text} "
        f"for one of text, {cycles.tag} for the tag, latency {most}{description.latency}, {proved}"
    )
    for line in texts.built:
        click.echo(line)
    if description.releases:
        warn([core.stack.unverified])


def refused(figures: Mapping[str, object]) -> str:
    """What ``explain`` says beside "proved" of a mode that has no core."""
    return "" if figures["refused"] is None else f", but build refuses it: {figures['refused']}"


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_text(entry)}" for name, entry in value.items())
    if isinstance(value, list):
        return "; ".join(_text(entry) if isinstance(entry, dict) else str(entry) for entry in value)
    return str(value)
