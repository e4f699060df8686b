# SPDX-License-Identifier: Apache-2.0
"""``modeloom build`` simulates the core for the timing diagram of its datasheet, and the core is whole without it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.built import slow

from modeloom.emit.html import Measured, read_measured
from modeloom.product.folder import read_description
from modeloom.verification.steps import check_hashes, datasheet_steps

SMALL = {
    "xts": ["xts", "--sector", "16", "--cipher-arch", "sequential", "--key-bits", "128"],
    "gcm": ["gcm", "--key-bits", "128", "--cipher-arch", "multistream", "--streams", "1"],
}


@pytest.fixture(autouse=True)
def as_users_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MODELOOM_TIMING")


Build = Callable[..., tuple[Measured, bool, str]]


@pytest.fixture
def build(run) -> Build:
    """``build(folder, mode, *options)`` builds a core.

    It returns what the page holds of measurements, whether the report has ``timing``, and the warnings.
    """

    def built(folder: Path, mode: str, *more: str) -> tuple[Measured, bool, str]:
        result = run("build", *SMALL[mode], *more, "-o", str(folder), "--json")
        assert result.status == 0, result.err
        check_hashes(folder, read_description(folder))
        measured = read_measured((folder / "datasheet.html").read_text(encoding="utf-8"))
        return measured, json.loads(result.out)["timing"], result.err

    return built


@pytest.mark.parametrize("mode", ["xts", pytest.param("gcm", marks=slow)])
def test_a_page_has_the_timing_of_its_core(build: Build, mode: str, tmp_path: Path) -> None:
    measured, told, _ = build(tmp_path / "core", mode)
    assert measured.timing is not None and told and not measured.areas
    groups = {one[0] for one in measured.timing["signal"] if isinstance(one, list)}
    assert {"s_axis", "m_axis", "s_axis_cmd", "s_axis_key", "m_axis_status"} <= groups
    (step,) = datasheet_steps(tmp_path / "core", read_description(tmp_path / "core"), optimize=0)
    assert step.name == "datasheet"


def test_again_gives_the_same_bytes(build: Build, tmp_path: Path) -> None:
    """Also in a folder with the result of a synthesis."""
    build(tmp_path / "core", "xts")
    first = {path.name: path.read_bytes() for path in (tmp_path / "core").iterdir()}
    (tmp_path / "core" / "synth_xc7.json").write_text("{}")
    build(tmp_path / "core", "xts")
    build(tmp_path / "other", "xts")
    for folder in ("core", "other"):
        assert {name: (tmp_path / folder / name).read_bytes() for name in first} == first


def test_only_the_page_and_its_hashes_differ_without(build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path / "with", "xts")
    measured, told, _ = build(tmp_path / "without", "xts", "--no-timing")
    assert measured.timing is None and not told
    monkeypatch.setenv("MODELOOM_TIMING", "0")
    assert build(tmp_path / "variable", "xts")[0].timing is None
    description = read_description(tmp_path / "with")
    names = {path.name for path in (tmp_path / "with").iterdir()}
    changed = {name for name in names if (tmp_path / "with" / name).read_bytes() != (tmp_path / "without" / name).read_bytes()}
    assert changed == {"datasheet.html", "core.json", "SHA256SUMS", description.files.materials}


def test_without_a_compiler_the_core_is_whole(build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODELOOM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CXX", "no-such-compiler")
    measured, told, warnings = build(tmp_path / "core", "xts")
    assert measured.timing is None and not told
    (line,) = [line for line in warnings.splitlines() if "timing" in line]
    assert line.startswith("modeloom: warning: datasheet.html has no timing, because the simulation cannot be built: $CXX names")
