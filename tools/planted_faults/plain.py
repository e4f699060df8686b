# SPDX-License-Identifier: Apache-2.0
"""Emitted Verilog with one operator a line, as Yosys writes it: a fault is then another text for one line.

::

    always @(posedge clk)                      assign _1_ = a & b;
      if (rst) y <= 0;               ──▶       assign _0_ = rst ? 1'h0 : _1_;
      else y <= a & b;                         always @(posedge clk) y <= _0_;

Top and assertions stay as they are.  Names of registers, memories and instances are those of the emitted text.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from modeloom.emit.prune import prune
from modeloom.emit.rtlil import parse, render

from .widths import level_widths

__all__ = ["one_operator_a_line"]

# The Yosys library keeps its design in globals, so each run has a process of its own.
_SCRIPT = """
import sys
from pyosys import libyosys as ys
design = ys.Design()
for command in sys.argv[1:]:
    ys.run_pass("tee -q " + command, design)
"""

_EXPAND = ("proc -noopt", "pmuxtree", "opt_clean -purge")

_KEPT_ATTRIBUTE = re.compile(r"(rom|ram)_style = |(keep|mapped_apart|no_rw_check) = ")


def one_operator_a_line(verilog: str) -> str:
    """The Verilog of a core, written anew; raises ``RuntimeError`` if Yosys refuses it."""
    first = verilog.index("\nendmodule") + len("\nendmodule\n")
    last = verilog.index("`ifdef", first) if "`ifdef" in verilog[first:] else len(verilog)
    head, inner, tail = verilog[:first], verilog[first:last], verilog[last:]
    # The comment that stands before the assertions goes with them.
    comment = re.search(r"(?:^//[^\n]*\n)+\Z", inner, re.M)
    if comment:
        inner, tail = inner[: comment.start()], comment[0] + tail
    top = re.search(r"^module (\w+)", inner, re.M)
    assert top is not None
    text = _yosys(inner, "v", top[1], _EXPAND, "write_rtlil")
    modules = prune(parse(text), "\\" + top[1])
    level_widths(modules)
    written = _yosys(render(modules), "il", top[1], ("check -assert",), "write_verilog")
    return head + "\n" + _cleaned(written) + "\n" + tail


def _yosys(text: str, kind: str, top: str, commands: tuple[str, ...], writer: str) -> str:
    with tempfile.TemporaryDirectory(prefix="modeloom-") as work:
        source, result = Path(work) / f"design.{kind}", Path(work) / "design.out"
        source.write_text(text)
        reader = "read_verilog" if kind == "v" else "read_rtlil"
        script = (f"{reader} {source}", f"hierarchy -check -top {top}", *commands, f"{writer} {result}")
        run = subprocess.run([sys.executable, "-P", "-c", _SCRIPT, *script], capture_output=True, text=True, check=False)
        if run.returncode or not result.exists():
            raise RuntimeError("Yosys cannot write the core: " + (run.stdout + run.stderr).strip()[-500:])
        return result.read_text()


def _cleaned(verilog: str) -> str:
    """Without Yosys' own header and without attributes but those that choose memories or hold a cut into LUTs."""
    verilog = re.sub(r"^/\*.*?\*/\n", "", verilog, flags=re.S).lstrip("\n")
    # Places of operators stand within the lines.
    verilog = re.sub(r"\(\* src = \"[^\"]*\" \*\) (?=\S)", "", verilog)
    lines = []
    for line in verilog.split("\n"):
        bare = line.strip()
        if bare.startswith("(*") and bare.endswith("*)") and not _KEPT_ATTRIBUTE.match(bare[2:].strip()):
            continue
        lines.append(line)
    return "\n".join(lines)
