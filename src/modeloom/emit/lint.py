# SPDX-License-Identifier: Apache-2.0
"""Lint of an emitted core with Verilator, and the waivers that go with it."""

from __future__ import annotations

from pathlib import Path

from modeloom.emit.tools import CheckFailed, require, run
from modeloom.product.folder import read_description

__all__ = ["lint", "waivers"]


def waivers(name: str) -> str:
    """Text of the waiver file: each rule with its reason."""
    return f"""\
// SPDX-License-Identifier: Apache-2.0
// Waivers for: verilator --lint-only -Wall {name}.v {name}_waivers.vlt
`verilator_config

// Sums are written with their carry, and words of 32 bits are kept whole where some of their bits have been cut off; what is
// not read goes in synthesis. A signal of which no bit is read is not waived.
lint_off -rule UNUSEDSIGNAL -file "*{name}.v" -match "Bits of signal are not used: *"

// The core is one file for the ease of its users; Verilator wants a file for each module.
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
