# SPDX-License-Identifier: Apache-2.0
"""The module with interfaces: Verilator finds nothing in it, and the bench of the core passes through it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tests.built import slow
from tests.emit.package.flat import flat
from tests.emit.package.folders import CASES, folder
from tests.emit.package.linted import found_by_lint

from modeloom.emit.package import outside
from modeloom.emit.package.core_file import MAPPED
from modeloom.emit.simulators import Verilator
from modeloom.product.description import Description
from modeloom.product.folder import read_description


def sources(description: Description, folder: Path, work: Path, *changes: tuple[str, str]) -> list[str]:
    """The files of the wrapper, and one with the flat module."""
    seen = outside(description)
    (work / f"{seen.top}_flat.sv").write_text(flat(description, folder, *changes))
    files = [description.files.interfaces, *seen.verilog, description.files.wrapper, description.files.waivers]
    return [*(str(folder / file) for file in files), f"{seen.top}_flat.sv"]


def lint(kind: str, work: Path, *changes: tuple[str, str]) -> str:
    description = read_description(folder(kind))
    files = sources(description, folder(kind), work, *changes)
    return found_by_lint(f"{outside(description).top}_flat", files, work)


@pytest.mark.parametrize("kind", CASES)
def test_verilator_finds_nothing(kind, tmp_path):
    assert lint(kind, tmp_path) == ""


def test_a_wrong_width_is_found(tmp_path):
    assert "s_axis" in lint("sectors", tmp_path, (".DATA_BITS(128), .KEEP_BITS(16)) s_axis ", ".DATA_BITS(64), .KEEP_BITS(8)) s_axis "))


@pytest.mark.parametrize("kind", CASES)
def test_ends_of_interfaces(kind):
    """A receiver takes what the host sends, and a sender drives all signals of its interface."""
    description = read_description(folder(kind))
    seen = outside(description)
    text = (folder(kind) / description.files.wrapper).read_text()
    for bus in seen.buses:
        name = {"do": "do_bus"}.get(bus.name, bus.name)
        end = ("device" if bus.from_host else "host") if bus.kind in MAPPED else "receiver" if bus.from_host else "sender"
        assert re.search(rf"modeloom_(axi_stream|axi_lite|apb)\.{end} {name}\b", text)
        if end == "sender":
            for signal in ("tvalid", "tdata", "tkeep", "tlast", "tid", "tdest", "tuser"):
                assert re.search(rf"(\({name}\.{signal}\)|assign {name}\.{signal} = )", text), signal


def bench(work: Path, *changes: tuple[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs the bench of the core for sectors with the wrapper in the place of the core."""
    path = folder("sectors")
    description = read_description(path)
    files, name = sources(description, path, work, *changes), description.name
    text = (path / description.files.bench).read_text()
    assert text.count(f"  {name} dut (") == 1
    (work / "bench.sv").write_text(text.replace(f"  {name} dut (", f"  {name}_flat dut ("))
    command = Verilator().build(f"{name}_tb", [*map(Path, files), work / "bench.sv"], work)
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)


@slow
def test_the_bench_passes_through_the_interfaces(tmp_path):
    done = bench(tmp_path)
    assert done.returncode == 0 and f"modeloom-bench: {read_description(folder('sectors')).name} ok" in done.stdout


@slow
def test_a_wrong_width_ends_the_simulation(tmp_path):
    done = bench(tmp_path, (".DATA_BITS(128), .KEEP_BITS(16)) m_axis ", ".DATA_BITS(64), .KEEP_BITS(8)) m_axis "))
    assert done.returncode != 0 and "m_axis.tdata must have 128 bits" in done.stdout
