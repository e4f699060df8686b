# SPDX-License-Identifier: Apache-2.0
"""The test that ``build --cocotb`` writes passes on the core beside it, in Icarus Verilog, and fails on a core that is wrong."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests import built
from tests.built import slow
from tests.cores.front.cores import MESSAGES, SECTORS

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.cores.front import front_of
from modeloom.cores.sector import SectorCore
from modeloom.cores.stream import StreamCore
from modeloom.emit import emit
from modeloom.modes import find_any
from modeloom.spec import InputError
from modeloom.verification.files import check_emission, today

FORMS = {"sectors": ("xts", None), "messages": ("gcm", None), "sectors with registers": ("xts", "registers")}
"""Mode and front end of each core."""


def core_of(mode):
    """A small core."""
    if mode == "xts":
        return SectorCore(built.compiled("xts", prove=False, **SECTORS))
    return StreamCore(compile_stream(find_any(mode), StreamOptions(**MESSAGES), prove=False))


def written(folder: Path, form: str):
    """The core with its test."""
    mode, front = FORMS[form]
    return emit(core_of(mode), folder, command=f"modeloom build {mode} --cocotb", front=front_of(front), cocotb=True)


def ran(folder: Path, description, **environment) -> subprocess.CompletedProcess:
    """A run of the test as a user runs it, without modeloom."""
    command = [sys.executable, description.files.cocotb]
    told = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"SEED": "7"} | environment
    return subprocess.run(command, cwd=folder, env=told, capture_output=True, text=True, timeout=1500, check=False)


def available():
    """Skips a test that finds no simulator."""
    pytest.importorskip("cocotb_tools.runner", reason="cocotb is not installed (pip install cocotb cocotbext-axi)")
    pytest.importorskip("cocotbext.axi", reason="cocotbext-axi is not installed")
    if shutil.which("iverilog") is None:
        pytest.skip("iverilog is not installed")


@slow
@pytest.mark.parametrize("form", FORMS)
def test_the_core_passes(tmp_path, form):
    available()
    result = ran(tmp_path / "core", written(tmp_path / "core", form))
    assert result.returncode == 0 and result.stdout.rstrip().endswith("6 tests, 0 failed, SEED=7"), result.stdout[-2000:]


FAULTS = {
    "a byte of the data": ("m_axis_tdata", r"assign m_axis_tdata = ([^;]*);", r"assign m_axis_tdata = \1 ^ 8'h40;"),
    "a beat is withdrawn": ("m_axis_tvalid", r"assign m_axis_tvalid = ([^;]*);", r"assign m_axis_tvalid = \1 & ~s_axis_tvalid;"),
}
"""Edits of the top module."""


@slow
@pytest.mark.parametrize("what", FAULTS)
def test_a_wrong_core_fails(tmp_path, what):
    available()
    description = written(tmp_path / "core", "sectors")
    verilog = tmp_path / "core" / description.verilog
    port, pattern, replacement = FAULTS[what]
    text, count = verilog.read_text(), 0
    text, count = re.subn(pattern, replacement, text, count=1)
    if not count:
        # The port is joined with that of the core.
        inner = re.search(rf"\.{port}\((\w+)\)", text)[1]
        text = text.replace(f".{port}({inner})", f".{port}({inner}_right)", 1)
        width = "[127:0] " if port == "m_axis_tdata" else ""
        made = re.sub(r"\\1", f"{inner}_right", replacement)
        text = re.sub(r"(module \w+ \((?:.|\n)*?\);\n)", rf"\1  wire {width}{inner}_right;\n  {made}\n", text, count=1)
    verilog.write_text(text)
    result = ran(tmp_path / "core", description)
    assert result.returncode == 1 and "6 tests" in result.stdout and " 0 failed" not in result.stdout, result.stdout[-2000:]


def test_what_is_written(tmp_path):
    description = written(tmp_path / "core", "sectors with registers")
    told = json.loads((tmp_path / "core" / description.files.cases).read_text())
    assert told["top"] == description.front.top and told["sources"] == [description.verilog, description.files.front]
    assert told["registers"]["key_data"] == description.front.registers["key_data"]
    assert len(told["keys"]) == 2 and all(case["code"] for case in told["before"])
    codes = {case["code"] for case in told["after"]}
    assert {0, 1} < codes and len(codes) >= 4
    compile((tmp_path / "core" / description.files.cocotb).read_text(), "bench", "exec")
    check_emission(tmp_path / "core", today(core_of("xts"), description))


def test_other_widths_are_refused(tmp_path):
    with pytest.raises(InputError, match="leave out --data-width"):
        emit(core_of("xts"), tmp_path / "core", command="modeloom build xts", front=front_of(None, 64), cocotb=True)
    assert not (tmp_path / "core").exists()


@pytest.mark.parametrize("options", [{"keys": "inline"}, {"channels": 2}, {"interface": "lwc"}])
def test_cores_that_the_models_cannot_drive(tmp_path, options):
    from modeloom.cores.lwc import LwcCore

    made = LwcCore if "interface" in options else StreamCore
    small = {} if "keys" in options else {"cipher_arch": "multistream", "streams": 1}
    chosen = {"key_bits": 128, **small, **options}
    core = made(compile_stream(find_any("ccm" if "interface" in options else "gcm"), StreamOptions(**chosen), prove=False))
    with pytest.raises(InputError, match="--cocotb drives cores"):
        emit(core, tmp_path / "core", command="modeloom build gcm --cocotb", cocotb=True)
    assert not (tmp_path / "core").exists()
