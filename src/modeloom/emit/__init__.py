# SPDX-License-Identifier: Apache-2.0
"""The product: a folder with the Verilog, bench, listing, package and datasheet of a core, and checks of this folder."""

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
