# SPDX-License-Identifier: Apache-2.0
"""Levelled operators compute what they computed before: checked by Yosys on all inputs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tools.planted_faults.widths import level_widths

from modeloom_verilog.rtlil import parse, render

_PROVE = """
import sys
from pyosys import libyosys as ys
design = ys.Design()
for command in ("read_rtlil " + sys.argv[1], "read_rtlil " + sys.argv[2], "miter -equiv -flatten gold gate miter",
                "sat -verify -prove trigger 0 miter"):
    ys.run_pass("tee -q " + command, design)
"""


def operator(module: str, kind: str, a: int, b: int, y: int) -> str:
    widths = "".join(f"    parameter \\{side}_{what} {value}\n" for side, what, value in
                     (("A", "SIGNED", 0), ("B", "SIGNED", 0), ("A", "WIDTH", a), ("B", "WIDTH", b), ("Y", "WIDTH", y)))  # fmt: skip
    return (
        f"module \\{module}\n  wire width {a} input 1 \\a\n  wire width {b} input 2 \\b\n  wire width {y} output 3 \\y\n"
        f"  cell {kind} $1\n{widths}    connect \\A \\a\n    connect \\B \\b\n    connect \\Y \\y\n  end\nend\n"
    )


@pytest.mark.parametrize(
    ("kind", "a", "b", "y", "changed"),
    [
        ("$eq", 4, 1, 1, True), ("$ge", 3, 5, 1, True), ("$add", 2, 3, 5, True), ("$sub", 5, 2, 3, True), ("$shr", 4, 2, 1, True),
        ("$shl", 3, 2, 6, True), ("$xor", 4, 2, 4, True), ("$xor", 4, 4, 4, False),
    ],
)  # fmt: skip
def test_same_values(tmp_path: Path, kind: str, a: int, b: int, y: int, changed: bool) -> None:
    modules = parse(operator("gate", kind, a, b, y))
    level_widths(modules)
    levelled = render(modules)
    widths = {line[-2]: line[-1] for line in modules[0].of_kind("cell")[0].lines if line[0] == "parameter"}
    assert (widths != {"\\A_SIGNED": "0", "\\B_SIGNED": "0", "\\A_WIDTH": str(a), "\\B_WIDTH": str(b), "\\Y_WIDTH": str(y)}) == changed
    gold, gate = tmp_path / "gold.il", tmp_path / "gate.il"
    gold.write_text(operator("gold", kind, a, b, y))
    gate.write_text(levelled)
    done = subprocess.run([sys.executable, "-c", _PROVE, gold, gate], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-500:]


@pytest.mark.parametrize("sides", ["A", "B", "AB"])
def test_signed_operators_stay_as_they_are(sides: str) -> None:
    """Zeros above would change their values."""
    text = operator("m", "$lt", 4, 2, 1)
    for side in sides:
        text = text.replace(f"{side}_SIGNED 0", f"{side}_SIGNED 1")
    modules = parse(text)
    level_widths(modules)
    assert render(modules) == render(parse(text))


def test_constants_grow() -> None:
    text = operator("m", "$eq", 4, 1, 1).replace("connect \\B \\b", "connect \\B 1'1")
    modules = parse(text)
    level_widths(modules)
    assert "connect \\B 4'0001" in render(modules)
