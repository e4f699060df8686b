# SPDX-License-Identifier: Apache-2.0
"""Lines of definitions: the origin of an operation, for messages, listings and charts."""

from __future__ import annotations

import inspect
import linecache
import sys
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from modeloom.spec.errors import is_users

__all__ = ["NOWHERE", "Line", "definition_file", "running_line", "told"]


class Line(NamedTuple):
    """A line of a definition.

    ``file`` is the name of the file without its folder, or "" if it is the mode's own file; ``number`` counts from 1.
    """

    file: str
    number: int

    def __str__(self) -> str:
        return f"{self.file}:{self.number}" if self.file else str(self.number)

    def __bool__(self) -> bool:
        return self.number > 0


NOWHERE = Line("", 0)
"""The line of nodes that exist before a definition runs: input blocks, tweaks, key blocks."""

TRACING = ("modeloom.ir.", "modeloom.spec.", "modeloom.streams.")
"""Modules of this package whose frames lie between the compiler and a definition."""


def definition_file(mode: object) -> str:
    """Path of the file with a mode's class, or with its ``encrypt`` if the class was not imported the usual way."""
    try:
        return inspect.getsourcefile(type(mode)) or ""
    except (TypeError, OSError):
        return getattr(getattr(getattr(type(mode), "encrypt", None), "__code__", None), "co_filename", "")


def told(line: Line, own: str) -> str:
    """A line in words for messages: ``FILE, line N``, or the file alone; ``own`` is the path of the mode's own file."""
    file = line.file or Path(own).name
    return f"{file}, line {line.number}" if line else file


def running_line(own: str) -> tuple[Line, str]:
    """The current line of a running definition, and its text: that of the innermost frame in a mode or outside this package.

    ``own`` is the path of the mode's own file.  An operation that the tracer adds itself has no line.  The frames behind the compiler's are
    those of its caller, and say nothing of the definition.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if not is_users(module) and not module.startswith(TRACING):
            break
        if is_users(module):
            path, number = frame.f_code.co_filename, frame.f_lineno
            text = linecache.getline(path, number, frame.f_globals).rstrip()
            return Line("" if path == own else Path(path).name, number), text
        frame = frame.f_back
    return NOWHERE, ""
