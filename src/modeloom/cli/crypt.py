# SPDX-License-Identifier: Apache-2.0
"""``modeloom crypt``: runs a file through the simulation of a core, sector by sector."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from modeloom.cli.options import read_key, tweaks
from modeloom.simulated import Sector, SimulatedCore
from modeloom.spec import InputError

__all__ = ["crypt", "transform_file", "crypt_options"]

CHUNK = 256
"""Sectors that go through at a time."""


def transform_file(
    source: Path, target: Path, sector: int, run: Callable[[int, list[bytes]], list[bytes]], title: str
) -> int:
    """Runs a file's sectors through ``run(first number, sectors)`` with a progress bar; the target appears only when it is whole.

    Returns the number of sectors.  Raises ``InputError`` for a file that is not whole sectors, or that cannot be read or written.
    """
    if not source.is_file():
        raise InputError(f"no file {source}; give the path of the input")
    size = source.stat().st_size
    if not size or size % sector:
        raise InputError(f"{source} has {size} bytes, which is not whole sectors of {sector}; pad it or choose another --sector")
    if target.exists() and target.samefile(source):
        raise InputError(f"{target} is the input; give another output")
    if not target.parent.is_dir():
        raise InputError(f"no folder {target.parent} for the output; make it first")
    handle, partial = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".partial")
    try:
        with os.fdopen(handle, "wb") as out, source.open("rb") as data, _progress() as progress:
            task = progress.add_task(title, total=size)
            number = 0
            while chunk := data.read(sector * CHUNK):
                sectors = [chunk[at : at + sector] for at in range(0, len(chunk), sector)]
                out.write(b"".join(run(number, sectors)))
                number += len(sectors)
                progress.update(task, advance=len(chunk))
        os.replace(partial, target)
    except BaseException:
        os.unlink(partial)
        raise
    return number


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def crypt_options(command: Callable) -> Callable:
    """Key, tweak and direction of ``crypt`` and ``model``."""
    for option in (
        click.option("--decrypt", is_flag=True, help="Decrypt (encrypt)."),
        click.option("--tweak-step", type=int, default=1, help="What the tweak grows by each sector (1)."),
        click.option("--tweak-base", type=int, default=0, help="Tweak of the first sector (0), as dm-crypt's plain64."),
        click.option("--key-file", required=True, help="The mode's key: raw bytes or hex digits."),
    ):
        command = option(command)
    return command


@click.command()
@click.argument("directory")
@crypt_options
@click.argument("source")
@click.argument("target")
def crypt(
    directory: str, key_file: str, tweak_base: int, tweak_step: int, decrypt: bool, source: str, target: str
) -> None:
    """Runs the file SOURCE through the core in DIRECTORY, in simulation, and writes TARGET."""
    key = read_key(key_file)
    core = SimulatedCore(directory)
    core.load_key(key)
    tweak = tweaks(tweak_base, tweak_step, core.tweak_bytes)
    begin = core.cycles

    def run(first: int, sectors: list[bytes]) -> list[bytes]:
        return core.run([Sector(tweak(first + i), data, decrypt) for i, data in enumerate(sectors)])

    count = transform_file(Path(source), Path(target), core.sector_bytes, run, core.description["mode"])
    cycles = core.cycles - begin
    click.echo(f"{count} sectors of {core.sector_bytes} bytes in {cycles} cycles ({cycles / count:.2f} a sector)", err=True)
