# SPDX-License-Identifier: Apache-2.0
"""The product: a folder with a core's Verilog, bench, listing, package and datasheet, and the checks on it."""

from modeloom.emit.bench import run_bench
from modeloom.emit.files import check_directory, core_verilog, emit
from modeloom.emit.inner import core_rtlil, inner_verilog
from modeloom.emit.lint import lint
from modeloom.emit.lock import building
from modeloom.emit.title import check_name, core_name
from modeloom.emit.tools import CheckFailed, ToolMissing

__all__ = [
    "CheckFailed",
    "ToolMissing",
    "building",
    "check_directory",
    "check_name",
    "core_name",
    "core_rtlil",
    "core_verilog",
    "emit",
    "inner_verilog",
    "lint",
    "run_bench",
]
