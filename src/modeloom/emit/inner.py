# SPDX-License-Identifier: Apache-2.0
"""The modules below the top as Verilog: Amaranth's RTLIL written by Yosys, with names that begin with the core's."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from amaranth.back import rtlil

from modeloom.rtl.core import ModeCore

__all__ = ["core_rtlil", "inner_verilog"]

_SCRIPT = """
import sys
from pyosys import libyosys as ys
design = ys.Design()
for command in (
    "read_rtlil " + sys.argv[1], "hierarchy -check -top " + sys.argv[2], "proc_clean", "opt_clean", "rename -hide w:$*",
    "write_verilog -noattr " + sys.argv[3],
):
    ys.run_pass("tee -q " + command, design)
"""

_HIERARCHY = re.compile(r"\\([A-Za-z_][\w$]*(?:\.[\w$]+)+)")


def core_rtlil(compiled: object, top: str) -> str:
    """RTLIL of a core; modules are named TOP, TOP_engine, TOP_engine_cipher0, ..."""
    text = rtlil.convert(ModeCore(compiled), name=top, emit_src=False)
    # Hierarchical names stand only where modules are defined and instanced; a dot would need an escaped name in Verilog.
    lines = []
    for line in text.split("\n"):
        if "\\" + top + "." in line:
            line = _HIERARCHY.sub(lambda match: "\\" + match[1].replace(".", "_"), line)
        lines.append(line)
    return "\n".join(lines)


def inner_verilog(text: str, top: str) -> str:
    """Verilog of all modules of a design in RTLIL."""
    with tempfile.TemporaryDirectory(prefix="modeloom-") as work:
        source, result = Path(work) / "design.il", Path(work) / "design.v"
        source.write_text(text)
        run = subprocess.run(
            [sys.executable, "-P", "-c", _SCRIPT, str(source), top, str(result)], capture_output=True, text=True, check=False
        )
        if run.returncode or not result.exists():
            raise RuntimeError("Yosys failed to write Verilog: " + (run.stdout + run.stderr).strip()[-500:])
        verilog = result.read_text()
    # Yosys heads its output with its own version line; the file has its own header.
    return re.sub(r"^/\*.*?\*/\n", "", verilog, flags=re.S).lstrip("\n")
