# SPDX-License-Identifier: Apache-2.0
"""``fusesoc run`` of each target of an emitted core: it passes, and its exit status says when the bench fails."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.built import slow
from tests.emit.emitted import SMALLEST, folder
from tests.emit.package import folders
from tests.emit.package.folders import CASES, RARE, USUAL, WITH_REGISTERS
from tests.emit.package.yosys_ports import ports_of
from tests.external import needs

from modeloom.emit.package import outside
from modeloom.product.folder import read_description

NAME = "xts_32_enc_seq_round1_search50"
"""The core that most tests run: ``emitted.SMALLEST``."""

FUSESOC = Path(sys.executable).with_name("fusesoc")

TOOLS = {"sim": "iverilog", "sim_verilator": "verilator", "lint": "verilator", "synth": "yosys"}
"""What each target needs."""

LINTS = {**dict.fromkeys(WITH_REGISTERS, "lint_registers"), "wide": "lint_width"}
"""The target that lints a core (``tests/emit/package/folders.py``) with its front end."""

QUICK = {"sim_verilator": ["--verilator_options=-O1 -CFLAGS -O0"]}
"""Compiles in half the time; the bench takes a part of a second in any case."""

VERDICTS = ["sim", "sim_verilator"]
"""The targets that run the bench."""

QUICKEST = [("sectors", "sim"), ("sectors", "lint")]
OTHERS = [(kind, target) for kind in (*USUAL, *RARE) for target in (*VERDICTS, "lint", LINTS.get(kind)) if target]
"""Cores and targets."""



def tool_of(target: str) -> str:
    """What a target needs."""
    return TOOLS["lint" if target.startswith("lint") else target]


def asking(cases: list[tuple[str, str]], *marks: pytest.MarkDecorator) -> list[Any]:
    """Cores and targets, each of which asks for its tool."""
    return [pytest.param(kind, target, marks=[needs(tool_of(target)), *marks]) for kind, target in cases]


def run(root: Path, work: Path, target: str, *more: str, name: str = NAME) -> subprocess.CompletedProcess[str]:
    """Runs a target."""
    command = [FUSESOC, "--cores-root", root, "run", "--build-root", work, "--target", target, name, *more]
    return subprocess.run(command, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


@pytest.mark.parametrize(("kind", "target"), [*asking(QUICKEST), *asking([one for one in OTHERS if one not in QUICKEST], slow)])
def test_targets(tmp_path: Path, kind: str, target: str) -> None:
    path = folders.folder(kind)
    name = read_description(path).name
    done = run(path, tmp_path, target, *QUICK.get(target, []), name=name)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (f"modeloom-bench: {name} ok" in done.stdout) == (target in VERDICTS)


@pytest.mark.parametrize("kind", CASES)
def test_these_are_all_targets(kind: str) -> None:
    description = read_description(folders.folder(kind))
    targets = yaml.safe_load((folders.folder(kind) / description.files.package).read_text())["targets"]
    assert targets.keys() - {"synth", "default"} == {target for one, target in OTHERS if one == kind}


def sources_of(work: Path, top: str) -> list[Path]:
    """The files that the script of the target ``synth`` reads; it maps this top to UltraScale+ and nothing of the bench."""
    texts = {path: path.read_text() for path in work.rglob("*.tcl")}
    script = "\n".join(texts.values())
    assert re.search(rf"set top {top}$", script, re.MULTILINE) and "-family xcup" in script and "synth_xilinx" in script
    assert "_tb" not in script
    return [(next(iter(texts)).parent / source).resolve() for source in re.findall(r"read_verilog (?:-\w+ )*\{(.*)\}", script)]


@pytest.mark.parametrize("kind", ["sectors", "apb", "wide"])
def test_synth_gives_yosys_the_core(tmp_path: Path, kind: str) -> None:
    """The target is set up, which needs no ``yosys``: its script reads the Verilog of the core, and maps its outermost module."""
    path = folders.folder(kind)
    seen = outside(read_description(path))
    command = [FUSESOC, "--cores-root", path, "run", "--setup", "--build-root", tmp_path, "--target", "synth", read_description(path).name]
    done = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    read = sources_of(tmp_path, seen.top)
    assert [file.name for file in read] == list(seen.verilog)
    assert all(file.read_bytes() == (path / file.name).read_bytes() for file in read)


PRIMITIVES = re.compile("LUT[1-6]|FD[RCSP]E|BUFG|[IO]BUF|CARRY[48]|MUXF[789]|RAM.*|SRL.*|DSP.*|INV|GND|VCC|URAM.*")
"""The cells of UltraScale+ to which Yosys maps a core."""


@slow
@needs("yosys")
@pytest.mark.parametrize("kind", ["sectors", "apb"])
def test_synth_runs_yosys_on_the_core(tmp_path: Path, kind: str) -> None:
    """Yosys ends with a netlist of the outermost module, which has its ports and nothing but cells of the device."""
    path = folders.folder(kind)
    seen = outside(read_description(path))
    done = run(path, tmp_path, "synth", name=read_description(path).name)
    assert done.returncode == 0, done.stdout[-2000:]
    assert [file.name for file in sources_of(tmp_path, seen.top)] == list(seen.verilog)
    (netlist,) = (file for file in tmp_path.rglob("*.json") if "modules" in json.loads(file.read_text()))
    # The netlist also has the cells of the library, as empty modules.
    modules = json.loads(netlist.read_text())["modules"]
    tops = {name for name, module in modules.items() if "top" in module.get("attributes", {})}
    assert tops == {seen.top}
    ports = {name: (port["direction"], len(port["bits"])) for name, port in modules[seen.top]["ports"].items()}
    assert ports == ports_of(path)
    own = {name for name in modules if name.startswith(seen.top) or name.startswith(read_description(path).name)}
    kinds = Counter(cell["type"] for name in own for cell in modules[name]["cells"].values() if cell["type"] not in own)
    assert all(PRIMITIVES.fullmatch(kind) for kind in kinds), kinds
    assert kinds["LUT6"] > 100 and kinds["FDRE"] > 100


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


@needs("iverilog")
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
@needs("verilator")
def test_a_broken_core_fails_in_verilator(tmp_path: Path) -> None:
    """The same core passes without the fault, so that both outcomes come from one compilation."""
    path = breakable(tmp_path)
    work = tmp_path / "work"
    work.mkdir()
    done = run(path, work, "sim_verilator", *QUICK["sim_verilator"])
    assert done.returncode == 0 and f"modeloom-bench: {NAME} ok" in done.stdout, done.stdout[-2000:]
    (program,) = work.rglob(f"V{NAME}_tb")
    done = subprocess.run([program, "+broken"], cwd=work, stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode != 0
    assert f"modeloom-bench: FAIL {NAME}: 20 errors" in done.stdout


@needs("iverilog")
def test_fusesoc_fails_with_the_bench(tmp_path: Path) -> None:
    """As users run it, with a fault that is always there."""
    path = breakable(tmp_path)
    verilog = path / f"{NAME}.v"
    verilog.write_text(verilog.read_text().replace('$test$plusargs("broken") != 0', "1'b1"))
    work = tmp_path / "work"
    work.mkdir()
    done = run(path, work, "sim")
    assert done.returncode != 0 and "modeloom-bench: FAIL" in done.stdout


@slow
@needs("iverilog")
def test_a_waveform_is_written_when_asked_for(tmp_path: Path) -> None:
    done = run(folder(SMALLEST), tmp_path, "sim", "--dump=wave.fst")
    assert done.returncode == 0
    (wave,) = tmp_path.rglob("wave.fst")
    assert wave.stat().st_size > 10_000
    without = tmp_path / "without"
    without.mkdir()
    assert run(folder(SMALLEST), without, "sim").returncode == 0
    assert not list(without.rglob("*.fst")) and not list(without.rglob("*.vcd"))


USER = """CAPI=2:
name: test:test:user:0
filesets:
  rtl:
    files: [user.v]
    file_type: verilogSource
    depend: ["modeloom:modes:{name}"]
targets:
  mine:
    filesets: [rtl]
    flow: {flow}
    flow_options: {options}
    toplevel: user
"""


def depends(tmp_path: Path, step: str, flow: str, options: dict[str, Any]) -> Path:
    """Takes a core of a user, which depends on the core, as far as a step of FuseSoC.  Returns the folder in which it works."""
    root, work = tmp_path / "root", tmp_path / "work"
    shutil.copytree(folder(SMALLEST), root / "core")
    instance = f"  {NAME} one (.aclk(aclk), .aresetn(1'b1), .zeroize(1'b0));"
    (root / "user.v").write_text(f"module user (input wire aclk);\n{instance}\nendmodule\n")
    (root / "user.core").write_text(USER.format(name=NAME, flow=flow, options=json.dumps(options)))
    command = [FUSESOC, "--cores-root", root, "run", step, "--build-root", work, "--target", "mine", "test:test:user"]
    done = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    return work


@pytest.mark.parametrize(
    ("flow", "options"),
    [
        ("lint", {"tool": "verilator", "verilator_options": ["-Wall"]}), ("generic", {"tool": "yosys", "arch": "xilinx"}),
        ("sim", {"tool": "verilator", "mode": "binary"}), ("vivado", {"part": "xcku5p"}),
    ],
)  # fmt: skip
def test_a_core_that_depends_on_this_one_keeps_its_flow(tmp_path: Path, flow: str, options: dict[str, Any]) -> None:
    (passed,) = depends(tmp_path, "--setup", flow, options).rglob("*.eda.yml")
    assert yaml.safe_load(passed.read_text())["flow_options"] == options


@needs("iverilog")
def test_as_a_dependency_only_the_design_comes(tmp_path: Path) -> None:
    """Another core that depends on this one compiles its Verilog and not its bench."""
    work = depends(tmp_path, "--build", "sim", {"tool": "icarus"})
    assert list(work.rglob(f"{NAME}.v")) and not list(work.rglob(f"{NAME}_tb.sv"))
