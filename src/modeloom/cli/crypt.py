# SPDX-License-Identifier: Apache-2.0
"""``modeloom crypt``: runs a file through the simulation of a core, sector by sector."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import click

from modeloom.cli.files import check_output, transfer_progress, whole_file
from modeloom.cli.keys import read_key
from modeloom.cli.options import optimize_option, tweaks
from modeloom.spec import InputError

__all__ = ["check_source", "crypt", "crypt_options", "done", "transform_file"]

CHUNK = 256
"""Number of sectors that are processed at a time."""


class _Named(Protocol):
    """Something with the names of its mode and cipher."""

    @property
    def mode(self) -> str: ...

    @property
    def cipher(self) -> str: ...


def done(schema: str, what: _Named, direction: str, size: int, count: int) -> dict[str, object]:
    """The output of ``--json`` after a file was processed by a core or a model."""
    return {
        "schema": schema, "mode": what.mode, "cipher": what.cipher, "direction": direction, "sector_bytes": size, "sectors": count,
    }  # fmt: skip


def check_source(source: Path, sector: int) -> int:
    """The number of sectors in a file.  Raises ``InputError`` if it is missing or does not have whole sectors."""
    if not source.is_file():
        raise InputError(f"there is no file {source}; give the path of the input")
    size = source.stat().st_size
    if not size:
        raise InputError(f"{source} is empty; give a file of whole sectors of {sector} bytes")
    if size % sector:
        raise InputError(
            f"{source} has {size} bytes, which is not a whole number of sectors of {sector} bytes; pad it or "
            "choose another sector size"
        )
    return size // sector


def transform_file(
    source: Path, target: Path, sector: int, run: Callable[[int, list[bytes]], list[bytes]], title: str
) -> int:
    """Runs the sectors of a file through ``run(first number, sectors)`` with a progress bar.  The target file appears when it is complete.

    Returns the number of sectors.  Raises ``InputError`` if the file does not have whole sectors, or cannot be read or written.
    """
    check_source(source, sector)
    check_output(target, source)
    size = source.stat().st_size
    number = 0
    with whole_file(target) as out, source.open("rb") as data, transfer_progress() as progress:
        task = progress.add_task(title, total=size)
        while chunk := data.read(sector * CHUNK):
            if len(chunk) % sector:
                raise InputError(f"{source} changed while it was read; try again")
            sectors = [chunk[at : at + sector] for at in range(0, len(chunk), sector)]
            out.write(b"".join(run(number, sectors)))
            number += len(sectors)
            progress.update(task, advance=len(chunk))
    return number


def crypt_options(command: Callable) -> Callable:
    """Key, tweak and direction of ``crypt`` and ``model``, and ``--json``."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        click.option("--decrypt", is_flag=True, help="Decrypt instead of encrypting."),
        click.option("--tweak-step", type=int, default=1, help="Increment of the tweak from sector to sector, at least 1 (default: 1)."),
        click.option("--tweak-base", type=int, default=0, help="Tweak of the first sector, as in dm-crypt's plain64 (default: 0)."),
        click.option("--key-format", default="auto", help="Format of the key file: raw, hex, or auto, which detects it (default: auto)."),
        click.option("--key-file", required=True, help="File with the key of the mode: raw bytes or hex digits."),
    ):
        command = option(command)
    return command


@click.command()
@click.argument("directory")
@optimize_option
@click.option("--sector", type=int, help="Sector size in bytes (default: the first size of the core).")
@crypt_options
@click.argument("source")
@click.argument("target")
def crypt(
    directory: str, optimize: int, sector: int | None, key_file: str, key_format: str, tweak_base: int, tweak_step: int, decrypt: bool,
    as_json: bool, source: str, target: str,
) -> None:  # fmt: skip
    """Run the file SOURCE through a simulation of the core in DIRECTORY and write TARGET."""
    from modeloom.product.folder import read_sectors
    from modeloom.product.simulated import Sector, SimulatedCore

    # Wrong input is refused before the simulation is built.
    description = read_sectors(directory)
    sizes = [size.sector_bytes for size in description.sizes]
    size = sizes[0] if sector is None else sector
    if size not in sizes:
        raise InputError(f"--sector {size}: this core takes sectors of {' or '.join(map(str, sizes))} bytes")
    if (direction := "decrypt" if decrypt else "encrypt") not in description.directions:
        raise InputError(f"this core was not built to {direction}; build it with --direction both")
    sectors = check_source(Path(source), size)
    parts = " || ".join(description.key_parts)
    key = read_key(key_file, [description.key_bytes], f"a key of this core, {description.mode} ({parts}),", key_format)
    tweak = tweaks(tweak_base, tweak_step, description.tweak_bytes, sectors)
    check_output(Path(target), Path(source))
    core = SimulatedCore(directory, optimize=optimize)
    core.load_key(key)
    begin = core.cycles

    def run(first: int, sectors: list[bytes]) -> list[bytes]:
        return core.run([Sector(tweak(first + i), data, decrypt) for i, data in enumerate(sectors)])

    count = transform_file(Path(source), Path(target), size, run, core.description.mode)
    cycles = core.cycles - begin
    if as_json:
        click.echo(json.dumps(done("modeloom-crypt-1", description, direction, size, count) | {"cycles": cycles}, indent=2))
        return
    click.echo(f"{count} sectors of {size} bytes in {cycles} cycles ({cycles / count:.2f} per sector)", err=True)
