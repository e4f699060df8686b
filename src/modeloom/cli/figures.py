# SPDX-License-Identifier: Apache-2.0
"""Commands that measure: ``modeloom synth``, ``circuit``, ``aead``, ``traffic``, ``datasheet`` and ``papers``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from modeloom.cli.files import check_output, columns, warn, whole_file
from modeloom.cli.options import optimize_option
from modeloom.emit.html.measured import lut_figure
from modeloom.spec import InputError
from modeloom.spec.errors import many
from modeloom.synth.targets import DEVICES, TARGETS

if TYPE_CHECKING:
    from modeloom_circuits import Option

__all__ = ["aead", "area_table", "circuit", "datasheet", "papers", "synth", "traffic"]

# The figures of a synthesised core as a table for readers.

UNITS = {
    "luts": "logic LUTs", "memory_luts": "memory LUTs", "all_luts": "all LUTs", "area": "area", "ffs": "registers",
    "bram_cells": "block memories", "dsps": "DSP",
}  # fmt: skip
"""The columns, by the names of the figures in the JSON.  LUTs as memories are in one column with those as shift registers."""


def area_table(result: Mapping[str, Any]) -> str:
    """The output of ``modeloom synth`` for ``measure_core``: a row for each block and for the core, then depth, clock, throughput.

    The core is mapped as a whole.  It is usually smaller than the sum of its blocks, because of optimisation across their borders.
    """
    core = result["core"]
    slots = many(core["key_slots"], "key slot")
    head = f"{result['design']}: {core['mode']}, {_width(core, result['throughput'])}, {slots}; {result['device']}"
    kinds = ["area", "ffs"] if result["luts"] is None else ["luts", "memory_luts", "all_luts", "ffs", "bram_cells", "dsps"]
    rows = [["", *(UNITS[kind] for kind in kinds)]]
    for name, figures in (result.get("blocks") or {}).items():
        rows.append([name, *(_number(_value(figures, kind)) for kind in kinds)])
    if result.get("blocks"):
        rows.append(["sum of blocks", *(_number(_value(result["blocks_total"], kind)) for kind in kinds)])
    rows.append(["core", *(_number(_value(result, kind)) for kind in kinds)])
    if share := result["share"]:
        # A device has LUTs for logic and for memories together.
        parts = {"all_luts" if kind == "luts" else kind: part for kind, part in share.items()}
        rows.append([f"share of {share['device']}", *(f"{parts[kind]} %" if kind in parts else "" for kind in kinds)])
    return "\n".join([head, "", *_aligned(rows), "", *_pairs(_facts(result))]) + "\n"


def _width(figures: Mapping[str, Any], throughput: Sequence[Mapping[str, Any]]) -> str:
    """What a core takes: the bytes of a unit, such as "sectors of 512 bytes" from ``sector_bytes``, or blocks of text and their cycles."""
    if "blocks_per_cycle" in figures:
        cycles = max((each["interval"] for each in throughput), default=1)
        return many(figures["blocks_per_cycle"], "block") + (" per cycle" if cycles == 1 else f" every {cycles:g} cycles")
    what, size = _sized(figures)
    return f"{what}s of {size} bytes"


def _sized(figures: Mapping[str, Any]) -> tuple[str, int]:
    """The unit that a core processes, and its bytes: "sector" and the number from ``sector_bytes``."""
    name = next(name for name in figures if name.endswith("_bytes"))
    return name.removesuffix("_bytes"), figures[name]


def _value(figures: Mapping[str, Any], kind: str) -> Any:
    if kind == "dsps":
        return sum(count for cell, count in figures["cells"].items() if TARGETS["ecp5"].is_dsp(cell))
    return lut_figure(figures, kind)


def _facts(result: Mapping[str, Any]) -> list[tuple[str, str]]:
    unit = "LUTs" if result["luts"] is not None else "gates"
    between = result["levels_register"]
    depth = f"{result['levels']} {unit}" + ("" if between in (None, result["levels"]) else f", {between} between registers")
    facts = [("depth", depth), ("longest path", f"{result['longest_path']['from']} to {result['longest_path']['to']}")]
    if result.get("pairs") is not None:
        facts.append(("LUT-FF pairs", f"{_number(result['pairs'])}, {_number(result['pairs_with_both'])} of them with both"))
    if result.get("delay_ns") is not None:
        facts.append(("gates' delay", f"{result['delay_ns']} ns, without wires and registers"))
    if result.get("fast") is not None:
        facts.append(("mapped for delay", f"{result['fast']['delay_ns']} ns, area {_number(result['fast']['area'])}"))
    if result.get("area_nand2") is not None:
        facts.append(("NAND2 gates", _number(result["area_nand2"])))
    clock = result["clock_mhz"]
    if clock is not None:
        how = ", ".join(["nextpnr", *(str(result[name]) for name in ("placer", "router") if result.get(name))])
        facts.append(("clock", f"{clock} MHz, {result['clock_target_mhz']:g} asked for ({how})"))
    for each in result["throughput"]:
        bits, at = each["bits_per_cycle"], 100 if clock is None else clock
        sector = f"{_sized(each)[1]} bytes every {each['interval']} cycles, {bits:g} bits per cycle"
        facts.append(("throughput", f"{bits * at / 1000:.1f} Gbit/s at {at} MHz: {sector}"))
    facts.append(("tools", ", ".join(f"{name} {version}" for name, version in result["tools"].items())))
    return facts


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,}".replace(",", " ")


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Left-aligned names and right-aligned figures."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]) for row in rows)
    return [line.rstrip() for line in lines]


def _pairs(rows: Sequence[tuple[str, str]]) -> list[str]:
    width = max(len(name) for name, _ in rows)
    return [f"{name.ljust(width)}  {text}" for name, text in rows]


# -- synth -------------------------------------------------------------------------------------------------------------------------

# ``modeloom synth``: area, depth and clock of a built core.

WEIGHT = "Timing weight in the placer (default: 1000 for ecp5, 10 for others). Less gives shorter wires."

@click.command()
@click.argument("directory")
@click.option("--target", required=True, help=f"Target: {', '.join(TARGETS)} or liberty:FILE.")
@click.option("--pnr", is_flag=True, help=f"Also place and route ({', '.join(DEVICES)}; takes minutes).")
@click.option("--freq", type=float, help="Target clock for place and route, in MHz.")
@click.option("--placer", help="heap (default) or static. static gives shorter wires, but has no timing weight.")
@click.option("--router", help="router1 (default) or router2 (default for gatemate). router2 is faster, but reaches a lower clock.")
@click.option("--timing-weight", type=click.IntRange(min=1), help=WEIGHT)
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

    from modeloom.cli.files import warn
    from modeloom.measure.area import measure_core
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


# -- circuit -----------------------------------------------------------------------------------------------------------------------

# ``modeloom circuit``: gates, area and Verilog of one arithmetic or cipher circuit.

class CircuitCommand(click.Command):
    """A command with the options of all circuits, which are loaded on demand."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters of the command itself, then an option for each name that a circuit uses."""
        return [*super().get_params(ctx), *_circuit_options()]


def _circuit_options() -> list[click.Parameter]:
    from modeloom_circuits import all_circuits

    same: dict[str, list[tuple[str, Option]]] = {}
    for name, circuit in all_circuits().items():
        for option in circuit.options:
            same.setdefault(option.name, []).append((name, option))
    flags: list[click.Parameter] = []
    for name, users in same.items():
        first = users[0][1]
        values = list(dict.fromkeys(choice for _, option in users for choice in option.choices))
        flags.append(
            click.Option(
                [first.flag, name],
                metavar="|".join(map(str, values)) or "N",
                help=f"{first.about} ({', '.join(circuit for circuit, _ in users)}).",
            )
        )
    return flags


@click.command(cls=CircuitCommand)
@click.argument("name")
@click.option("--target", help=f"Target to map for: {', '.join(TARGETS)} or liberty:FILE.")
@click.option("--mapper", default="abc9", help="abc9, or compact, which minimises area before depth (most targets with LUTs).")
@click.option("--pnr", is_flag=True, help=f"Also place and route ({', '.join(DEVICES)}).")
@click.option("--freq", type=float, help="Target clock for place and route, in MHz.")
@click.option("--placer", help="heap (default) or static. static gives shorter wires, but has no timing weight.")
@click.option("--router", help="router1 (default) or router2 (default for gatemate). router2 is faster, but reaches a lower clock.")
@click.option("--timing-weight", type=click.IntRange(min=1), help=WEIGHT)
@click.option("-o", "--output", help="Write the circuit as Verilog to this file. The module has the name of the file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def circuit(
    name: str, target: str | None, mapper: str, pnr: bool, freq: float | None, placer: str | None, router: str | None,
    timing_weight: int | None, output: str | None, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Show the gates of the circuit NAME, and its area on a target. "modeloom list" lists the names."""
    from rich.console import Console

    from modeloom.measure.area import circuit_verilog, measure_circuit

    if output is not None:
        check_output(Path(output))
        if not re.fullmatch(r"[A-Za-z]\w*", Path(output).stem):
            raise InputError(f"{Path(output).stem} is not a name for a Verilog module; choose another file name")
    chosen = {option: value for option, value in options.items() if value is not None}
    with Console(stderr=True).status(name):
        result = measure_circuit(
            name, target=target, mapper=mapper, pnr=pnr, freq=freq, placer=placer, router=router, timing_weight=timing_weight,
            **chosen,
        )  # fmt: skip
        if output is not None:
            text = circuit_verilog(name, Path(output).stem, **chosen)
            with whole_file(Path(output)) as file:
                file.write(text.encode())
    if as_json:
        click.echo(json.dumps(result, indent=2))
        return
    rows = []
    for key, value in result.items():
        if isinstance(value, dict):
            value = ", ".join(f"{part} {figure}" for part, figure in value.items())
        if value not in (None, ""):
            rows.append((key, str(value)))
    click.echo(columns(rows), nl=False)


# -- aead --------------------------------------------------------------------------------------------------------------------------

# ``modeloom aead``: what each authenticated encryption mode costs, with modes of a user among those of the project.

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


# -- traffic -----------------------------------------------------------------------------------------------------------------------

# ``modeloom traffic``: packets of a mix through the simulation of a core, with the share of the peak that they reach.

@click.command()
@click.argument("directory")
@click.option("--mix", "mix_name", required=True, help="gcm2008, imix, 64, jumbo, or a file with a line for each size: bytes and share.")
@click.option("--packets", type=click.IntRange(min=1), default=1000, help="Number of packets (default: 1000).")
@click.option("--ad-bytes", type=click.IntRange(min=0), default=0, help="Bytes of each packet that are associated data (default: 0).")
@click.option("--slots", type=click.IntRange(min=1), help="Number of key slots that packets use in rotation (default: all).")
@click.option("--seed", type=int, default=1, help="Seed of keys, data, directions and order (default: 1).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@optimize_option
def traffic(
    directory: str, mix_name: str, packets: int, ad_bytes: int, slots: int | None, seed: int, as_json: bool, optimize: int
) -> None:
    """Send packets through a simulation of the core in DIRECTORY, with a new key slot for every packet.

    Every output is compared with the cryptography package or the software model. Prints bytes, cycles, and the fraction of the
    peak rate that the packets reach: as bytes over cycles, and as in gcm2008, section 4.4.
    """
    from modeloom.measure.traffic import find_mix, measure_traffic
    from modeloom.product.folder import read_messages
    from modeloom.product.simulated import message_core
    from modeloom.spec import InputError

    description = read_messages(directory)
    mix = find_mix(mix_name)
    if slots is not None and slots > description.key_slots:
        raise InputError(f"--slots {slots}: this core has {description.key_slots} key slots")
    core = message_core(directory, optimize=optimize)
    figures = measure_traffic(core, directory, mix, packets=packets, seed=seed, associated=ad_bytes, slots=slots)
    if as_json:
        click.echo(json.dumps(figures, indent=2))
        return
    click.echo(columns([(name, str(value)) for name, value in figures.items() if name != "schema"]), nl=False)


# ``modeloom datasheet``: the HTML datasheet of a built core with timing and area.

@click.command()
@click.argument("directory")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def datasheet(directory: str, as_json: bool) -> None:
    """Add timing and areas to datasheet.html of the core in DIRECTORY.

    Simulates the core and draws its timing. Areas come from the results that "modeloom synth" stored in DIRECTORY. Updates the hashes of
    the page. No other file changes.
    """
    from rich.console import Console

    from modeloom.measure.datasheet import complete_datasheet

    with Console(stderr=True).status(f"{directory}: simulation"):
        page, areas, others = complete_datasheet(directory)
    warn(f"{name} is not a result for the Verilog in {directory}, and is left out; run modeloom synth again" for name in others)
    if as_json:
        click.echo(json.dumps({"schema": "modeloom-datasheet-1", "page": str(page), "areas": areas, "left_out": list(others)}, indent=2))
        return
    told = many(areas, "area") if areas else "no area (modeloom synth stores one)"
    click.echo(f"{page}: timing of a simulation, {told}")


# ``modeloom papers``: every row of the tables of the papers, together with our results.

@click.command()
@click.argument("names", nargs=-1, metavar="[TABLE ...]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def papers(names: tuple[str, ...], as_json: bool) -> None:
    """Show the tables of the papers together with the results of modeloom, as in docs/papers.md.

    Give names of tables or papers, such as tes2010-2 or gcm2008, to see only these.
    """
    from modeloom_papers import SCHEMA, page, tables

    if as_json:
        click.echo(json.dumps({"schema": SCHEMA, "tables": tables(names)}, indent=2, ensure_ascii=False))
    else:
        click.echo(page(names), nl=False)
