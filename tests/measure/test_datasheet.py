# SPDX-License-Identifier: Apache-2.0
"""``modeloom datasheet`` completes the page of a folder: timing and areas, hashes, and nothing else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.emit.emitted import SMALLEST, folder, made

from modeloom.cli import cli
from modeloom.emit.html import read_measured
from modeloom.emit.html.measured import Measured, check_page, complete, with_measured
from modeloom.emit.simulators import CheckFailed
from modeloom.measure.datasheet import complete_datasheet, result_name, store_result, stored_results
from modeloom.product.folder import read_description
from modeloom.spec import InputError
from modeloom.verification.steps import check_emission, check_hashes, datasheet_steps, today

RESULT = {
    "design": "core", "device": "xc7", "command": "modeloom synth DIR --target xc7", "tools": {"yosys": "0.70"}, "luts": 900, "ffs": 70,
    "memories": {"lutram_luts": 0, "bram_cells": 2}, "levels": 7, "clock_mhz": None, "blocks": {"cipher": {"luts": 900, "ffs": 70}},
    "blocks_total": {"luts": 900, "ffs": 70}, "core": {}, "cells": {"LUT6": 900},
}  # fmt: skip


@pytest.fixture(scope="module")
def completed(tmp_path_factory) -> Path:
    """A core with a complete page."""
    path = Path(shutil.copytree(folder(SMALLEST), tmp_path_factory.mktemp("sheet") / "core"))
    store_result(path, "xc7", RESULT)
    complete_datasheet(path)
    return path


@pytest.fixture(scope="module")
def texts(completed: Path) -> dict[str, str]:
    """The files of today with what was measured."""
    return today(made(SMALLEST), read_description(completed), completed)


@pytest.fixture
def copy(completed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(completed, tmp_path / "core"))


def test_the_page_is_complete(completed: Path) -> None:
    text = (completed / "datasheet.html").read_text()
    measured = read_measured(text)
    assert measured.timing is not None and [area["device"] for area in measured.areas] == ["xc7"]
    assert "Not simulated yet" not in text and "Not synthesised yet" not in text and 'class="treemap"' in text
    # Cells of the netlist are too many for a page.
    assert "LUT6" not in text


def test_hashes_and_other_files(completed: Path, texts: dict[str, str]) -> None:
    description, built = read_description(completed), folder(SMALLEST)
    check_hashes(completed, description)
    check_emission(completed, texts)
    changed = {path.name for path in built.iterdir() if path.read_bytes() != (completed / path.name).read_bytes()}
    assert changed == {"datasheet.html", "core.json", "SHA256SUMS", description.files.materials}
    assert {path.name for path in completed.iterdir()} == {path.name for path in built.iterdir()} | {"synth_xc7.json"}


def test_again_gives_the_same_bytes(copy: Path) -> None:
    before = {path.name: path.read_bytes() for path in copy.iterdir()}
    complete_datasheet(copy)
    assert {path.name: path.read_bytes() for path in copy.iterdir()} == before


def test_back_to_what_build_wrote(copy: Path) -> None:
    complete(copy, Measured())
    for path in folder(SMALLEST).iterdir():
        assert (copy / path.name).read_bytes() == path.read_bytes()


def test_another_timing_is_found(copy: Path) -> None:
    description = read_description(copy)
    (step,) = datasheet_steps(copy, description, optimize=0)
    assert step.name == "datasheet" and step.figures["areas"] == 1 and "modeloom synth" in step.skipped[0]
    found = read_measured((copy / "datasheet.html").read_text())
    wave = json.loads(json.dumps(found.timing))
    group = next(one for one in wave["signal"] if isinstance(one, list) and one[0] == "m_axis")
    group[1]["wave"] = group[1]["wave"].replace("1", "0", 1)
    complete(copy, Measured(wave, found.areas))
    # Its hashes fit, so that the files alone do not show it.
    description = read_description(copy)
    check_hashes(copy, description)
    with pytest.raises(CheckFailed, match="the timing in datasheet.html is not that of the core"):
        list(datasheet_steps(copy, description, optimize=0))
    assert list(datasheet_steps(copy, description, optimize=0, hashes=False)) == []


def test_another_picture_is_found(copy: Path, texts: dict[str, str]) -> None:
    """A picture that is not that of its WaveJSON is no page of today."""
    page = copy / "datasheet.html"
    page.write_text(page.read_text().replace('class="wave" d="M', 'class="wave" d="M1 ', 1))
    with pytest.raises(CheckFailed, match=r"datasheet\.html differs? from the current definition"):
        check_emission(copy, texts)
    with pytest.raises(CheckFailed, match=r"datasheet\.html"):
        check_hashes(copy, read_description(copy))
    with pytest.raises(InputError, match=r"datasheet\.html is not the file of the build"):
        complete_datasheet(copy)


def test_changed_verilog_is_refused(copy: Path) -> None:
    verilog = copy / read_description(copy).verilog
    verilog.write_text(verilog.read_text() + "\n")
    with pytest.raises(InputError, match=f"{verilog.name} is not the file of the build"):
        check_page(copy)


def test_results_of_other_verilog_are_left_out(copy: Path) -> None:
    other = json.loads((copy / "synth_xc7.json").read_text())
    (copy / "synth_ecp5.json").write_text(json.dumps({**other, "verilog_sha256": "0" * 64}))
    (copy / "synth_gates.json").write_text("nothing")
    found, others = stored_results(copy)
    assert [one["device"] for one in found] == ["xc7"] and others == ["synth_ecp5.json", "synth_gates.json"]
    assert result_name("liberty:/a/sky 130.lib") == "synth_liberty_a_sky_130_lib.json"


def test_a_page_without_timing_has_no_step() -> None:
    path = folder(SMALLEST)
    assert list(datasheet_steps(path, read_description(path))) == []


def test_no_place_in_a_page() -> None:
    with pytest.raises(ValueError, match="no place for timing"):
        with_measured("<p>", Measured())


def test_older_cores(copy: Path) -> None:
    core = json.loads((copy / "core.json").read_text())
    (copy / "core.json").write_text(json.dumps({**core, "files": {k: v for k, v in core["files"].items() if k != "html"}}))
    with pytest.raises(InputError, match="an older version built the core"):
        check_page(copy)


def test_the_command(copy: Path, capsys, monkeypatch) -> None:
    """It names the folder as the user does."""
    (copy / "synth_ecp5.json").write_text("{}")
    monkeypatch.chdir(copy.parent)
    with cli.make_context("modeloom", ["datasheet", copy.name], obj=[]) as context:
        cli.invoke(context)
    told = capsys.readouterr()
    assert told.out == f"{copy.name}/datasheet.html: timing of a simulation, 1 area\n"
    assert "synth_ecp5.json is not a result for the Verilog" in told.err
