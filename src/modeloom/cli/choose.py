# SPDX-License-Identifier: Apache-2.0
"""``modeloom choose``: the smallest core that reaches a rate, and why."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modeloom.cli.files import warn_broken
from modeloom.cli.points import point_options, point_values

if TYPE_CHECKING:
    from modeloom.sweep.choose import Choice

__all__ = ["SCHEMA", "choose"]

SCHEMA = "modeloom-choose-1"

SEARCHED = ("cipher_cores", "lanes", "mul", "blocks_per_cycle", "no_overlap", "overlap")


@click.command()
@click.argument("mode")
@click.option("--rate", required=True, help="Bits per second that the core must sustain, such as 100G.")
@click.option("--clock", required=True, help="Clock frequency in Hz, such as 250M.")
@click.option("--sector", metavar="BYTES", help="Bytes of a sector (default: 512), or of a message in a stream mode (default: long text).")
@point_options(several=False, without=(*SEARCHED, "sector"))
@click.option("--target", help="Target: selects multipliers for its LUTs. It must reach the clock.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def choose(mode: str, rate: str, clock: str, target: str | None, as_json: bool, **values: str | bool | None) -> None:
    """Find the smallest core of MODE that sustains a rate at a clock frequency.

    The search tries ciphers that compute one round at a time, and then varies pipelines, lanes and multipliers, or the blocks per cycle of
    a stream mode. It shows every configuration that it tries, the chosen one last. With --cipher-arch, it keeps this architecture.
    """
    from rich.console import Console

    from modeloom.measure.core import check_target
    from modeloom.modes import find_any
    from modeloom.spec import InputError
    from modeloom.spec.stream import StreamMode
    from modeloom.sweep.choose import choose as search
    from modeloom.sweep.choose import quantity

    bits, cycles = quantity(rate, "--rate", "bits per second"), quantity(clock, "--clock", "hertz", "250M")
    definition = find_any(mode)
    warn_broken(mode, definition)
    options = {name: parts[0] for name, parts in point_values(values).items() if len(parts) == 1}
    if several := [name for name, parts in point_values(values).items() if len(parts) > 1]:
        raise InputError(f"--{several[0]} has several values, but modeloom choose takes one")
    message: int | None = None
    if isinstance(definition, StreamMode) and (size := options.pop("sector", None)) is not None:
        if not isinstance(size, int) or size < 1:
            raise InputError(f"--sector must be a number of bytes, not {size}")
        message = size
    reasons = []
    if target is not None and check_target(target).lut_inputs == 6 and "mul-arch" not in options and "preset" not in options:
        options["mul-arch"] = "lut6"
        reasons.append(f"--mul-arch lut6: the LUTs of {target} have six inputs, and this multiplier is made for them")
    with Console(stderr=True).status(mode) as status:
        found = search(mode, bits, cycles, options, Path(), message=message, tell=lambda text: status.update(f"{mode}: {text}"))
    chosen = found.configuration
    command = f"{chosen.emit_command} -o DIR"
    reached = found.figures["bytes_per_cycle"] if message is None else found.steps[-1].bytes_per_cycle
    if as_json:
        result = {
            "schema": SCHEMA, "mode": mode, "rate": float(bits), "clock": float(cycles), "target": target,
            "bytes_per_cycle_needed": round(found.needed, 4), "bytes_per_cycle": reached, "options": dict(sorted(chosen.options.items())),
            "reached": reached * 8 * float(cycles), "command": command,
            "synth": None if target is None else shlex.join(["modeloom", "synth", "DIR", "--target", target]),
            "steps": [asdict(step) for step in found.steps], "reasons": reasons,
            "figures": {name: value for name, value in found.figures.items() if value is not None},
        }  # fmt: skip
        click.echo(json.dumps(result, indent=2))
        return
    for line in _lines(found, bits, cycles, reached, reasons):
        click.echo(line)
    click.echo(f"$ {command}")
    if target is not None:
        click.echo(f"$ {shlex.join(['modeloom', 'synth', 'DIR', '--target', target])}")


def _lines(found: Choice, bits: Fraction, cycles: Fraction, reached: float, reasons: list[str]) -> Iterator[str]:
    """What the search tried, and what it chose."""
    from modeloom.spec.wording import many
    from modeloom.sweep.choose import scaled

    rate_of = float(cycles) * 8
    yield f"{scaled(bits, 'bit/s')} at {scaled(cycles, 'Hz')} is {found.needed:g} bytes per cycle."
    for step in found.steps:
        told = ", ".join(f"{name} {value}" for name, value in step.options.items())
        figure = f"{step.bytes_per_cycle:g} bytes per cycle, {scaled(step.bytes_per_cycle * rate_of, 'bit/s')}"
        yield f"{'enough  ' if step.enough else 'too slow'}  {told}: {'' if step.compiled else 'at most '}{figure} ({step.why})"
    yield from reasons
    figures = found.figures
    storage = "" if figures["storage_blocks"] is None else f", storage {figures['storage_blocks']} blocks"
    yield (
        f"Chosen: {reached:g} bytes per cycle, {scaled(reached * rate_of, 'bit/s')}; latency {figures['latency']} cycles, "
        f"{many(figures['cipher_cores'], 'cipher')}, {many(figures['multipliers'], 'multiplier')}{storage}; proved"
    )
