# SPDX-License-Identifier: Apache-2.0
"""Output files that appear only when they are whole, and text in columns."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from modeloom.spec import InputError

__all__ = ["check_output", "columns", "warn", "whole_file"]


def check_output(target: Path, *inputs: Path) -> None:
    """Raises ``InputError`` unless a file can be written there: its folder exists, and it is neither a folder nor an input."""
    if target.is_dir():
        raise InputError(f"{target} is a folder; give the path of a file")
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {target.parent} for the output; make it first")
    if any(target.exists() and target.samefile(source) for source in inputs):
        raise InputError(f"{target} is the input; give another output")


@contextmanager
def whole_file(target: Path) -> Iterator[BinaryIO]:
    """A file to write; it takes the target's name when the block ends, and leaves nothing behind if that raises."""
    check_output(target)
    handle, partial = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".partial")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        # Files of mkstemp are private; the target gets what any new file would get.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(partial, 0o666 & ~mask)
        os.replace(partial, target)
    except BaseException:
        os.unlink(partial)
        raise


def warn(warnings: Iterable[str]) -> None:
    """Prints warnings on standard error, a line each; the exit status does not change."""
    for text in warnings:
        click.echo("modeloom: warning: " + " ".join(text.split()), err=True)


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows as lines of aligned columns, the same on a terminal and in a pipe."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "".join(f"{line}\n" for line in lines)
