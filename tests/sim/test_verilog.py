# SPDX-License-Identifier: Apache-2.0
"""Verilog read back into RTLIL."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeloom.sim import BuildError
from modeloom.sim.build import verilog_to_rtlil

BODY = "module inverter(input a, output o);\n  assign o = ~a;\nendmodule\n"


def rtlil(folder: Path, text: str) -> str:
    path = folder / "inverter.v"
    path.write_text(text)
    return verilog_to_rtlil(path, "inverter")


def test_the_head_does_not_matter_and_the_body_does(tmp_path, monkeypatch):
    monkeypatch.setenv("MODELOOM_CACHE", str(tmp_path / "cache"))
    first = rtlil(tmp_path, f"// made by one command\n//\n\n{BODY}")
    assert rtlil(tmp_path, f"// made by another\n//\n\n{BODY}") == first
    assert len(list((tmp_path / "cache").iterdir())) == 1
    assert rtlil(tmp_path, f"// made by one command\n//\n\n{BODY.replace('~', '')}") != first
    assert str(tmp_path) not in first


def test_an_error_names_the_line(tmp_path):
    with pytest.raises(BuildError, match=r"inverter.v:4: ERROR: syntax error"):
        rtlil(tmp_path, f"// a head\n// of two lines\n{BODY.replace('assign o', 'assign = o')}")
