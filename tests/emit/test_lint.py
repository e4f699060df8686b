# SPDX-License-Identifier: Apache-2.0
"""Verilator finds nothing in emitted cores, and finds what is planted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.emit.emitted import PARTIAL, PLAIN, SLOTS, SMALLEST, folder, made

from modeloom.emit import CheckFailed, ToolMissing, core_name, lint


@pytest.mark.parametrize("choice", [PARTIAL, PLAIN, SLOTS, SMALLEST])
def test_clean(choice: tuple) -> None:
    lint(folder(choice))


def test_an_unused_signal_is_found(tmp_path: Path) -> None:
    shutil.copytree(folder(SMALLEST), tmp_path / "core")
    verilog = tmp_path / "core" / f"{core_name(made(SMALLEST))}.v"
    verilog.write_text(verilog.read_text().replace("\n);\n\n  reg", "\n);\n\n  wire planted = 1'h0;\n  reg", 1))
    with pytest.raises(CheckFailed, match="planted"):
        lint(tmp_path / "core")


def test_missing_verilator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("modeloom.emit.simulators.util.find_spec", lambda name: None)
    with pytest.raises(ToolMissing, match="apt-get install verilator"):
        lint(folder(SMALLEST))
