# SPDX-License-Identifier: Apache-2.0
"""``fusesoc run`` of each target of an emitted core: it passes, and its exit status says when the bench fails."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.built import slow, slowly
from tests.emit.emitted import SMALLEST, folder, made

from modeloom.emit import core_name

NAME = core_name(made(SMALLEST))

FUSESOC = Path(sys.executable).with_name("fusesoc")

TOOLS = {"default": "iverilog", "sim": "iverilog", "sim_verilator": "verilator", "lint": "verilator"}
"""What each target needs."""

QUICK = ["--verilator_options=-O1 -CFLAGS -O0"]
"""Compiles in half the time; the bench takes a part of a second in any case."""

pytestmark = pytest.mark.skipif(not FUSESOC.is_file(), reason="fusesoc is not installed (pip install fusesoc)")


def run(root: Path, work: Path, target: str, *more: str) -> subprocess.CompletedProcess[str]:
    """Runs a target; skips the test if its tool is missing."""
    tool = TOOLS[target]
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    command = [FUSESOC, "--cores-root", root, "run", "--build-root", work, "--target", target, NAME, *more]
    return subprocess.run(command, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


@pytest.mark.parametrize("target", ["default", "lint", *slowly("sim")])
def test_targets(tmp_path: Path, target: str) -> None:
    done = run(folder(SMALLEST), tmp_path, target)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (f"modeloom-bench: {NAME} ok" in done.stdout) == (target != "lint")


def test_synth_gives_yosys_the_core(tmp_path: Path) -> None:
    """The script that is set up reads the Verilog, and maps the top.  With a ``yosys`` on the path, it runs."""
    command = [FUSESOC, "--cores-root", folder(SMALLEST), "run", "--build-root", tmp_path, "--target", "synth"]
    setup = [] if shutil.which("yosys") else ["--setup"]
    done = subprocess.run([*command, *setup, NAME], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    texts = {path: path.read_text() for path in tmp_path.rglob("*.tcl")}
    script = "\n".join(texts.values())
    work = next(iter(texts)).parent
    (source,) = re.findall(r"read_verilog \{(.*)\}", script)
    assert (work / source).resolve().read_bytes() == (folder(SMALLEST) / f"{NAME}.v").read_bytes()
    assert re.search(rf"set top {NAME}$", script, re.MULTILINE) and "-family xcup" in script and "synth_xilinx" in script
    assert f"{NAME}_tb" not in script and (setup or list(tmp_path.rglob("*.json")))


def breakable(tmp_path: Path) -> Path:
    """The core, with a bit of each result wrong if the simulation is run with +broken."""
    path = Path(shutil.copytree(folder(SMALLEST), tmp_path / "core"))
    verilog = path / f"{NAME}.v"
    text = verilog.read_text()
    assert text.count(".m_axis_tdata(m_axis_tdata)") == 2, "the core and its assertions"
    text = text.replace(".m_axis_tdata(m_axis_tdata)", ".m_axis_tdata(right_tdata)", 1)
    instance = f"  {NAME}_core core ("
    assert text.count(instance) == 1
    planted = """  wire [127:0] right_tdata;
  reg broken = 1'b0;
  initial broken = $test$plusargs("broken") != 0;
  assign m_axis_tdata = right_tdata ^ {127'b0, broken & m_axis_tvalid};

"""
    verilog.write_text(text.replace(instance, planted + instance))
    return path


def test_a_broken_core_fails_in_icarus(tmp_path: Path) -> None:
    path = breakable(tmp_path)
    work = tmp_path / "work"
    work.mkdir()
    run(path, work, "sim")
    (program,) = (file for file in work.rglob(f"*{NAME}*") if file.is_file() and file.read_bytes().startswith(b"#!"))
    for arguments, status in (([], 0), (["+broken"], 1)):
        done = subprocess.run(["vvp", "-n", program, *arguments], cwd=work, stdout=subprocess.PIPE, text=True, check=False)
        assert done.returncode == status
        assert (f"modeloom-bench: FAIL {NAME}: 20 errors" in done.stdout) == bool(status)


@slow
def test_a_broken_core_fails_in_verilator(tmp_path: Path) -> None:
    """The same core passes without the fault, so that both outcomes come from one compilation."""
    path = breakable(tmp_path)
    work = tmp_path / "work"
    work.mkdir()
    done = run(path, work, "sim_verilator", *QUICK)
    assert done.returncode == 0 and f"modeloom-bench: {NAME} ok" in done.stdout, done.stdout[-2000:]
    (program,) = work.rglob(f"V{NAME}_tb")
    done = subprocess.run([program, "+broken"], cwd=work, stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode != 0
    assert f"modeloom-bench: FAIL {NAME}: 20 errors" in done.stdout


def test_fusesoc_fails_with_the_bench(tmp_path: Path) -> None:
    """As users run it, with a fault that is always there."""
    path = breakable(tmp_path)
    verilog = path / f"{NAME}.v"
    verilog.write_text(verilog.read_text().replace('$test$plusargs("broken") != 0', "1'b1"))
    work = tmp_path / "work"
    work.mkdir()
    done = run(path, work, "default")
    assert done.returncode != 0 and "modeloom-bench: FAIL" in done.stdout


@slow
def test_a_waveform_is_written_when_asked_for(tmp_path: Path) -> None:
    done = run(folder(SMALLEST), tmp_path, "sim", "--dump=wave.fst")
    assert done.returncode == 0
    (wave,) = tmp_path.rglob("wave.fst")
    assert wave.stat().st_size > 10_000
    without = tmp_path / "without"
    without.mkdir()
    assert run(folder(SMALLEST), without, "sim").returncode == 0
    assert not list(without.rglob("*.fst")) and not list(without.rglob("*.vcd"))


def test_as_a_dependency_only_the_design_comes(tmp_path: Path) -> None:
    """Another core that depends on this one compiles its Verilog and not its bench."""
    root = tmp_path / "root"
    shutil.copytree(folder(SMALLEST), root / "core")
    instance = f"  {NAME} one (.aclk(aclk), .aresetn(1'b1), .zeroize(1'b0));"
    (root / "user.v").write_text(f"module user (input wire aclk);\n{instance}\nendmodule\n")
    (root / "user.core").write_text(f"""CAPI=2:
name: test:test:user:0
filesets:
  rtl:
    files: [user.v]
    file_type: verilogSource
    depend: ["modeloom:modes:{NAME}"]
targets:
  sim:
    filesets: [rtl]
    flow: sim
    flow_options: {{tool: icarus}}
    toplevel: user
""")
    if shutil.which("iverilog") is None:
        pytest.skip("iverilog is not installed")
    work = tmp_path / "work"
    command = [FUSESOC, "--cores-root", root, "run", "--build", "--build-root", work, "--target", "sim", "test:test:user"]
    done = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert list(work.rglob(f"{NAME}.v")) and not list(work.rglob(f"{NAME}_tb.sv"))
