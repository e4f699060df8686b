# SPDX-License-Identifier: Apache-2.0
"""A maker of another kind of core goes all the way: what ``emit``, simulation, taint, synthesis and the files' checks need is in the
contract, and what only cores for sectors have is refused in one line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.external import needs
from tests.product.pad import PadCore, PadDescription

from modeloom import emit as emission
from modeloom.cli.figures import area_table
from modeloom.emit import CheckFailed, core_name, lint, run_bench
from modeloom.emit.files import contents
from modeloom.emit.simulators import Icarus, Simulator, Verilator
from modeloom.equivalence import prove_engine
from modeloom.measure.area import measure_core
from modeloom.product.folder import read_description
from modeloom.product.simulated import SimulatedCore, simulation_library
from modeloom.sim import Simulation, StreamRunner
from modeloom.spec import InputError
from modeloom.taint import TimingChannel, check_core, combinational_paths, flat_netlist
from modeloom.verification import verify_core
from modeloom.verification.steps import check_emission, check_hashes

COMMAND = "made by the tests"


def built(core: PadCore, folder: Path) -> Path:
    emission.emit(core, folder, command=COMMAND)
    return folder


@pytest.fixture(scope="module")
def pad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(PadCore(), tmp_path_factory.mktemp("made") / "pad")


def test_the_folder(pad: Path) -> None:
    assert core_name(PadCore()) == "pad_16_bytes"
    own = (".v", "_waivers.vlt", "_tb.sv", "_sv.sv", ".core", ".xml", "_ip.tcl", "_vivado.tcl", ".cdx.json")
    names = {*(f"pad_16_bytes{ending}" for ending in own), "modeloom_interfaces.sv", "core.json", "SHA256SUMS"}
    names |= {"datasheet.md", "datasheet.html"}
    assert {path.name for path in pad.iterdir()} == names, "no listing: it runs no program"
    verilog = (pad / "pad_16_bytes.v").read_text()
    assert "A key added to every beat" in verilog and "WARNING, this mode is BROKEN" in verilog and "module pad_16_bytes (" in verilog
    assert "_rules" not in verilog, "its maker gives no assertions"
    sheet = (pad / "datasheet.md").read_text()
    assert "A beat every 2 cycles." in sheet and "| `s_axis_key_tdata` | input | 128 | keys |" in sheet and "tweak" not in sheet
    assert "description: \"Pad\"" in (pad / "pad_16_bytes.core").read_text()


def test_there_is_no_test_in_cocotb(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--cocotb cannot drive this kind of core; leave it out"):
        emission.emit(PadCore(), tmp_path / "pad", command=COMMAND, cocotb=True)
    assert not (tmp_path / "pad").exists()


def test_the_description(pad: Path) -> None:
    description = read_description(pad)
    assert isinstance(description, PadDescription) and description.interval == 2 and description.listing is None
    assert list(description.as_json())[-4:] == ["interval", "memories", "ports", "sha256"]
    assert {(secret.name, secret.port, secret.width) for secret in description.secrets} == {
        ("data", "s_axis_tdata", 128), ("key", "s_axis_key_tdata", 128),
    }  # fmt: skip
    assert PadDescription.json_schema()["properties"]["schema"]["const"] == description.schema
    (pad.parent / "broken").mkdir()
    text = json.dumps({**description.as_json(), "interval": "two"})
    (pad.parent / "broken" / "core.json").write_text(text)
    with pytest.raises(InputError, match="interval is not a whole number from 0 on"):
        read_description(pad.parent / "broken")


def test_its_files_are_compared(pad: Path, tmp_path: Path) -> None:
    description = read_description(pad)
    check_hashes(pad, description)
    check_emission(pad, contents(PadCore(), description.name, description.command)[1])
    copy = Path(shutil.copytree(pad, tmp_path / "copy"))
    (copy / description.files.bench).write_text("")
    with pytest.raises(CheckFailed, match="pad_16_bytes_tb.sv"):
        check_hashes(copy, description)


@pytest.mark.parametrize("kind", [Verilator, pytest.param(Icarus, marks=needs("iverilog"))])
def test_its_bench(pad: Path, tmp_path: Path, kind: type[Simulator]) -> None:
    """In both simulators, which find the same faults."""
    assert run_bench(pad, kind()) == {"beats": 4, "interval": 2}
    copy = Path(shutil.copytree(pad, tmp_path / "copy"))
    verilog = copy / read_description(pad).verilog
    wrong = verilog.read_text().replace(" ^ ", " | ")
    assert wrong != verilog.read_text()
    verilog.write_text(wrong)
    with pytest.raises(CheckFailed, match="FAIL: 3 beats are wrong"):
        run_bench(copy, kind())


def test_lint(pad: Path) -> None:
    lint(pad)


def test_it_runs(pad: Path) -> None:
    """The simulation runs a core of another maker."""
    simulation = Simulation(simulation_library(pad, 0), clock="aclk", reset="aresetn")
    runner = StreamRunner(simulation, seed=3, gaps={"m_axis": 0.5})
    runner.reset(4)
    key, data = bytes(range(16)), bytes(range(100, 196))
    runner.feed("s_axis_key", {
        "s_axis_key_tdata": key, "s_axis_key_tkeep": [0xFFFF], "s_axis_key_tlast": [1], "s_axis_key_tdest": [0], "s_axis_key_tuser": [0],
    })  # fmt: skip
    runner.run({}, drain=True, max_cycles=100)
    assert simulation.get("key_loaded") == 1
    runner.feed("s_axis", {"s_axis_tdata": data, "s_axis_tkeep": [0xFFFF] * 6, "s_axis_tlast": [0] * 5 + [1]})
    assert not runner.run({"m_axis": 6}, max_cycles=1000).timed_out
    assert runner.take("m_axis").columns["m_axis_tdata"] == bytes(a ^ b for a, b in zip(data, key * 6))
    assert not runner.violations()


def test_timing_channels(pad: Path, tmp_path: Path) -> None:
    """The check for timing channels accepts a core of another maker, and finds a leak in it."""
    report = check_core(pad)
    assert set(report.secret) == {"data", "key"} and report.points > 5 and not report.exempt
    description = read_description(pad)
    assert combinational_paths(flat_netlist(pad / description.verilog, description.top)) == {}
    with pytest.raises(TimingChannel, match="depends on the key"):
        check_core(built(PadCore(leak=True), tmp_path / "leak"))


def test_area(pad: Path) -> None:
    """The area report has the blocks and the rate of a core of another maker."""
    figures = measure_core(pad, "xc7")
    assert figures["core"] == {"mode": "pad", "beat_bytes": 16, "key_slots": 1, "command": COMMAND}
    assert {"adder", "pad"} <= set(figures["blocks"]) and figures["blocks"]["adder"]["luts"] >= 128
    assert figures["throughput"] == [{"beat_bytes": 16, "interval": 2, "bits_per_cycle": 64.0, "gbit_per_second": None}]
    text = area_table(figures)
    assert "pad, beats of 16 bytes, 1 key slot;" in text and "16 bytes every 2 cycles, 64 bits per cycle" in text


@pytest.mark.parametrize(
    "use",
    [
        lambda folder: SimulatedCore(folder),
        lambda folder: list(verify_core(folder)),
        lambda folder: prove_engine(folder, None),  # type: ignore[arg-type]
    ],
    ids=["sectors in simulation", "verify", "proof of the engine"],
)
def test_what_only_sectors_have_is_refused(use: Callable[[Path], object], pad: Path) -> None:
    message = r"contains a core of a different type \(modeloom-tests-pad-1\); this needs a core for sectors( or for messages)?$"
    with pytest.raises(InputError, match=message):
        use(pad)
