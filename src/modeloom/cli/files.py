# SPDX-License-Identifier: Apache-2.0
"""Output files that appear only when they are complete, and text in columns."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from modeloom.spec import InputError

if TYPE_CHECKING:
    from rich.progress import Progress

    from modeloom.spec.mode import Definition

__all__ = [
    "broken_text", "check_output", "check_outputs", "columns", "mode_files", "transfer_progress", "warn", "warn_broken", "whole_file",
]  # fmt: skip


def check_output(target: Path, *inputs: Path) -> None:
    """Raises ``InputError`` unless a file can be written: its folder exists, and the path is neither a folder nor an input."""
    if target.is_dir():
        raise InputError(f"{target} is a folder; give the path of a file")
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {target.parent} for the output; create it first")
    if any(target.exists() and target.samefile(source) for source in inputs):
        raise InputError(f"{target} is the input; give another output")


def mode_files(names: Iterable[str]) -> list[Path]:
    """The files of modes that are named as ``FILE.py:CLASS``, which no output may overwrite."""
    return [path for name in names if ":" in name and (path := Path(name.rpartition(":")[0])).is_file()]


def check_outputs(outputs: Mapping[str, str | None], *inputs: Path, results: Path | None = None) -> None:
    """Raises ``InputError`` unless each output of a command can be written, to a file of its own.

    Parameters
    ----------
    outputs : mapping
        Paths by the names of their options.  None is an output that the user does not want.
    inputs : Path
        Files that the command reads.
    results : Path, optional
        The file of results, which need not exist yet.
    """
    taken: dict[Path, str] = {}
    for option, output in outputs.items():
        if output is None:
            continue
        check_output(Path(output), *inputs)
        path = Path(output).resolve()
        if results is not None and path == results.resolve():
            raise InputError(f"{output} is the file of results; give another file for {option}")
        if path in taken:
            raise InputError(f"{taken[path]} and {option} name the same file {output}; give another output")
        taken[path] = option


@contextmanager
def whole_file(target: Path) -> Iterator[BinaryIO]:
    """A file to write.  It gets the name of the target at the end of the block.  If the block raises, nothing is left."""
    check_output(target)
    handle, partial = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".partial")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        # Files of mkstemp are private.  The target gets the permissions of a normal new file.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(partial, 0o666 & ~mask)
        os.replace(partial, target)
    except BaseException:
        os.unlink(partial)
        raise


def warn(warnings: Iterable[str]) -> None:
    """Prints each warning as a line on standard error.  The exit status does not change."""
    for text in warnings:
        click.echo("modeloom: warning: " + " ".join(text.split()), err=True)


def warn_broken(name: str, mode: Definition) -> None:
    """Warns of a mode that is broken."""
    if mode.broken:
        warn([broken_text(name, mode.security)])


def broken_text(name: str, security: str) -> str:
    """The warning of a mode that is broken."""
    return f"{name} is broken: {security}"


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows as lines with aligned columns, which are the same on a terminal and in a pipe."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "".join(f"{line}\n" for line in lines)


def transfer_progress() -> Progress:
    """The progress bar of a file that goes through a core or a model, on standard error where that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
