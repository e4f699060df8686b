# SPDX-License-Identifier: Apache-2.0
"""Lints an emitted core with Verilator, and writes the waivers for it."""

from __future__ import annotations

from pathlib import Path

from modeloom.emit.tools import CheckFailed, require, run
from modeloom.product.folder import read_description

__all__ = ["lint", "waivers"]


def waivers(name: str) -> str:
    """The text of the waiver file.  Each rule has its reason."""
    return f"""\
// SPDX-License-Identifier: Apache-2.0
// Waivers for: verilator --lint-only -Wall {name}.v {name}_waivers.vlt
`verilator_config

// Some sums have a carry that nothing reads, and some words have bits that nothing reads. Synthesis removes them. The waiver
// does not cover signals of which no bit is read.
lint_off -rule UNUSEDSIGNAL -file "*{name}.v" -match "Bits of signal are not used: *"

// The core is one file because this is easier to use. Verilator expects a file for each module.
lint_off -rule DECLFILENAME -file "*{name}.v" -match "*does not match MODULE name: '{name}_core*'"
"""


def lint(directory: str | Path) -> None:
    """Lints a built core with all warnings on.

    Raises
    ------
    CheckFailed
        With Verilator's first message.
    ToolMissing
        If Verilator is not installed.
    """
    description = read_description(directory)
    files = description.files
    tool = require("verilator")
    command = [tool, "--lint-only", "-Wall", "--top-module", description.top, files.verilog, files.waivers]
    status, output = run(command, Path(directory))
    messages = [line for line in output.splitlines() if line.startswith("%")]
    if status or messages:
        raise CheckFailed(f"verilator: {messages[0] if messages else output.strip()[-300:]}")
