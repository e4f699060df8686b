# SPDX-License-Identifier: Apache-2.0
"""Whether written Verilog is the circuit that RTLIL describes: Yosys proves it, for all inputs and states."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_PROVE = """
import sys
from pyosys import libyosys as ys
gold, gate, top = sys.argv[1:]
design = ys.Design()
for command in ("read_rtlil " + gold, "prep -flatten -top " + top, "rename " + top + " gold", "design -stash gold",
                "read_verilog " + gate, "prep -flatten -top " + top, "rename " + top + " gate", "design -stash gate",
                "design -copy-from gold gold", "design -copy-from gate gate", "memory_map gold gate", "opt_clean",
                "equiv_make gold gate both", "hierarchy -top both", "equiv_simple -undef", "equiv_induct",
                "equiv_status -assert"):
    ys.run_pass("tee -q " + command, design)
"""


def difference(rtlil: str, verilog: str, top: str, folder: Path) -> str:
    """Nothing if the module *top* is proved to be the same in both; else what Yosys says."""
    (folder / "gold.il").write_text(rtlil)
    (folder / "gate.v").write_text(verilog)
    # Yosys leaves the process at an error, and what Python has not written by then is lost.
    command = [sys.executable, "-u", "-P", "-c", _PROVE, str(folder / "gold.il"), str(folder / "gate.v"), top]
    run = subprocess.run(command, capture_output=True, text=True)
    return f"exit status {run.returncode}: {(run.stdout + run.stderr)[-2000:]}" if run.returncode else ""
