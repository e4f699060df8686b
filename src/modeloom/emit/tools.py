# SPDX-License-Identifier: Apache-2.0
"""Runs the optional tools.  The message for a missing tool has its install command, and that for a failing tool its first error."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

__all__ = ["CheckFailed", "ToolMissing", "require", "run"]

_INSTALL = {
    "iverilog": "apt-get install iverilog",
    "vvp": "apt-get install iverilog",
    "verilator": "apt-get install verilator",
}

TIMEOUT = 3600
"""Seconds after which a tool is considered to hang."""


class ToolMissing(RuntimeError):
    """An optional tool is not installed.  The message has the install command."""


class CheckFailed(RuntimeError):
    """A check of an emitted core failed.  The message is one line."""


def require(tool: str) -> str:
    """Path of a tool.  Raises ``ToolMissing``."""
    found = shutil.which(tool)
    if found is None:
        raise ToolMissing(f"{tool} is not installed; install it with: {_INSTALL[tool]}")
    return found


def run(command: Sequence[str], directory: Path) -> tuple[int, str]:
    """Exit status, and standard output and error together.  Raises ``CheckFailed`` if the tool takes longer than an hour."""
    try:
        done = subprocess.run(
            command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", timeout=TIMEOUT, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise CheckFailed(f"{Path(command[0]).name} did not finish in {TIMEOUT} s") from None
    return done.returncode, done.stdout
