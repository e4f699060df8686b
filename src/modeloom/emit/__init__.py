# SPDX-License-Identifier: Apache-2.0
"""The product: a folder with the Verilog, bench, listing, package and datasheet of a core, and checks of this folder."""

from modeloom.emit.files import check_directory, check_name, core_name, core_rtlil, core_verilog, emit
from modeloom.emit.lock import building
from modeloom.emit.simulators import CheckFailed, ToolMissing, lint, run_bench
from modeloom_verilog.modules import inner_verilog

__all__ = [
    "CheckFailed", "ToolMissing", "building", "check_directory", "check_name", "core_name", "core_rtlil", "core_verilog", "emit",
    "inner_verilog", "lint", "run_bench",
]  # fmt: skip
