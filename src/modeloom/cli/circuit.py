# SPDX-License-Identifier: Apache-2.0
"""``modeloom circuit``: gates, area and Verilog of one arithmetic or cipher circuit."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from modeloom.cli.files import check_output, columns, whole_file
from modeloom.spec import InputError

if TYPE_CHECKING:
    from modeloom.circuits import Option

__all__ = ["circuit"]


class CircuitCommand(click.Command):
    """A command with the options of all circuits, which are loaded on demand."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters of the command itself, then an option for each name that a circuit uses."""
        return [*super().get_params(ctx), *_circuit_options()]


def _circuit_options() -> list[click.Parameter]:
    from modeloom.circuits import all_circuits

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
@click.option("--target", help="Target to map for: ecp5, xcup, xc7, xc6v, xc5v, xc4v, xc3se, gates or liberty:FILE.")
@click.option("--mapper", default="abc9", help="abc9, or compact, which minimises area before depth (targets with LUTs).")
@click.option("--pnr", is_flag=True, help="Also place and route (ecp5 only).")
@click.option("--freq", type=float, help="Target clock for place and route, in MHz.")
@click.option("--placer", help="heap (default) or static. static gives shorter wires, but has no timing weight.")
@click.option("--router", help="router1 (default) or router2. router2 is faster, but reaches a lower clock.")
@click.option("--timing-weight", type=click.IntRange(min=1), help="Timing weight in the placer (default: 1000). Less gives shorter wires.")
@click.option("-o", "--output", help="Write the circuit as Verilog to this file. The module has the name of the file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def circuit(
    name: str, target: str | None, mapper: str, pnr: bool, freq: float | None, placer: str | None, router: str | None,
    timing_weight: int | None, output: str | None, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Show the gates of the circuit NAME, and its area on a target. "modeloom list" lists the names."""
    from rich.console import Console

    from modeloom.measure.circuit import circuit_verilog, measure_circuit

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
