# SPDX-License-Identifier: Apache-2.0
"""Emitted Verilog with one operator a line, as Yosys writes it: a fault is then another text for one line.

::

    always @(posedge clk)                      assign _1_ = a & b;
      if (rst) y <= 0;               ──▶       assign _0_ = rst ? 1'h0 : _1_;
      else y <= a & b;                         always @(posedge clk) y <= _0_;

Yosys writes a word of a memory bit by bit.  Where all bits have one enable, it is one line again: a simulation is several times as fast.

Top and assertions stay as they are.  Names of registers, memories and instances are those of the emitted text.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from modeloom_verilog.rtlil import parse, render
from modeloom_verilog.simplify import prune

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
    return head + "\n" + _whole_words(_cleaned(written)) + "\n" + tail


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


_BIT = re.compile(r"^    if \((\w+)\[(\d+)\]\)\n      (\w+)\[(\w+)\]\[(\d+):\5\] <= (\w+)\[\5\];\n", re.M)
_ALL = re.compile(r"^  assign (\w+) = \w+ \? (?:\(\* full_case = 32'd1 \*\) )?(\d+)'h([0-9a-f]+) : (?:\(\* .* \*\) )?\2'h0+;$", re.M)


def _whole_words(verilog: str) -> str:
    """Writes whole words at once if their bits have one enable."""
    modules = re.split(r"(?<=\nendmodule\n)", verilog)
    return "".join(map(_written_whole, modules))


def _written_whole(module: str) -> str:
    widths = {match[1]: int(match[2]) for match in _ALL.finditer(module) if int(match[3], 16) == (1 << int(match[2])) - 1}
    pieces: list[str] = []
    at = 0
    while first := _BIT.search(module, at):
        enable, bit, memory, address, _, data = first.groups()
        run = [first]
        while (following := _BIT.match(module, run[-1].end())) and following.groups() == (
            enable, str(len(run)), memory, address, str(len(run)), data,
        ):  # fmt: skip
            run.append(following)
        whole = bit == "0" and widths.get(enable) == len(run)
        text = f"    if ({enable}[0])\n      {memory}[{address}] <= {data};\n" if whole else module[first.start() : run[-1].end()]
        pieces += [module[at : first.start()], text]
        at = run[-1].end()
    return "".join([*pieces, module[at:]])
