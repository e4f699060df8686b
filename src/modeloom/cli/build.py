# SPDX-License-Identifier: Apache-2.0
"""``modeloom build``: compiles, proves and emits a core."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import click

from modeloom.cli.files import warn, warn_broken
from modeloom.cli.options import core_options
from modeloom.cli.streams import add_timing, build_stream, timing_option
from modeloom.options.row import Value
from modeloom.options.sectors import check_blocks
from modeloom.options.spelled import sector_options, text

__all__ = ["SCHEMA", "build", "command_line"]

SCHEMA = "modeloom-build-1"


@click.command()
@click.argument("mode")
@click.option("-o", "--output", "directory", required=True, help="Folder for the core.")
@click.option("--name", help="Name of the top module (default: from mode, sector size and options).")
@core_options()
@click.option("--front", help="registers: registers on AXI4-Lite or APB around the core (default: none).")
@click.option("--register-bus", help="Bus of the registers of --front: axi-lite (default) or apb.")
@click.option("--commands", help="With --front registers, the path of commands and statuses: streams (default) or registers.")
@click.option("--data-width", type=int, help="Bits of the data streams, 32 to 1024, by converters (default: the width of the core).")
@click.option(
    "--clock", "clocks", multiple=True, metavar="BUS=CLOCK", help="A separate clock for a bus: data, data-in, data-out, command, status, "
    "key, registers or all. Separate several by commas, or give the option several times (default: aclk for all).",
)  # fmt: skip
@click.option("--reset", help="Reset: low, high, async-low or async-high. low and high are synchronous (default: low).")
@click.option("--ram", help="ultra requests UltraRAM for large memories, for UltraScale+ and Versal (default: block memories).")
@click.option("--cocotb", is_flag=True, help="Also write a cocotb test with the bus models of cocotbext-axi.")
@timing_option
@click.option("--lwc-vectors", help="Stream modes: with --interface lwc, folder for test vectors: pdi.txt, sdi.txt, do.txt.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def build(
    arguments: list[str], mode: str, directory: str, name: str | None, front: str | None, register_bus: str | None,
    commands: str | None, data_width: int | None, ram: str | None, cocotb: bool, timing: bool, lwc_vectors: str | None,
    as_json: bool, clocks: tuple[str, ...], reset: str | None, **values: Value,
) -> None:  # fmt: skip
    """Compile MODE, prove the program and write a core: Verilog, testbench, listing and datasheet.

    A stream mode becomes a core for messages of any length, without a listing.
    """
    from modeloom.cli.streams import compile_progress
    from modeloom.compiler.compile import compile_mode
    from modeloom.cores.front import clock_options, front_of
    from modeloom.cores.sector import SectorCore
    from modeloom.emit import building, check_directory, check_name, emit
    from modeloom.modes import find_any
    from modeloom.spec import InputError
    from modeloom.spec.stream import StreamMode
    from modeloom_verilog.memories import RAMS

    definition = find_any(mode, cipher=text(values, "cipher"))
    end = front_of(front, data_width, clock_options(clocks, reset), options=values, bus=register_bus, commands=commands)
    if ram not in (None, *RAMS):
        raise InputError(f"--ram is {' or '.join(RAMS)}, not {ram}")
    if lwc_vectors is not None and values["interface"] != "lwc":
        raise InputError("--lwc-vectors is for --interface lwc; leave it out")
    if isinstance(definition, StreamMode):
        build_stream(definition, directory, name, values, command_line(arguments), SCHEMA, as_json, lwc_vectors, end, cocotb, ram, timing)
        return
    options = sector_options(values)
    for nbytes in options.sectors:
        definition.check_sector(nbytes)
    check_blocks(definition, options.sectors)
    check_directory(directory)
    if name is not None:
        check_name(name)
    warn_broken(mode, definition)
    with building(directory), compile_progress(mode) as progress:
        compiled = compile_mode(definition, options, progress=progress)
        warn(compiled.warnings)
        progress("emit", 1.0)
        command = command_line(arguments)
        description = emit(
            SectorCore(compiled), Path(directory), name=name, command=command, exclusive=False, front=end, cocotb=cocotb, ram=ram
        )  # fmt: skip
    timed = add_timing(directory, mode, timing)
    if as_json:
        # ``explain --json`` and ``core.json`` of the folder have the rest.
        figures = compiled.explain()
        result = {"schema": SCHEMA, "directory": directory, "name": description.name, "verilog": description.verilog, "timing": timed}
        click.echo(json.dumps({**result, **{key: value for key, value in figures.items() if key != "schema"}}, indent=2))
        return
    for one in compiled.sizes:
        figures = one.explain()
        bound = figures["ii_bound" if figures["overlap"] else "latency_bound"]
        click.echo(
            f"{directory}: {figures['cycles_per_sector']} cycles per sector of {figures['sector_bytes']} bytes "
            f"(bound {bound}), latency {figures['latency']}, proved"
            + ("; decryption was tested to invert encryption, not proved" if figures["inverse"] == "tested" else "")
        )


def command_line(arguments: list[str]) -> str:
    """The command line without what the emitted files do not depend on: folders, the form of the output, and ``--no-timing``."""
    rest: list[str] = []
    skip = False
    for argument in arguments:
        if skip:
            skip = False
        elif argument in ("-o", "--output", "--lwc-vectors"):
            skip = True
        elif argument not in ("--json", "--timing", "--no-timing") and not argument.startswith(("-o", "--output=", "--lwc-vectors=")):
            rest.append(argument)
    return shlex.join(["modeloom", *rest])
