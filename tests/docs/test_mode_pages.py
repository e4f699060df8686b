# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/modes are what tools/mode_pages.py writes of the definitions of today."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest
from tests.built import slowly
from tests.scripts import script

from modeloom.modes import VARIANTS, XTS, all_modes, all_streams

FAST = ("hctr2", "hch", "hctr", "hmch-brw", "xts", *all_streams())
"""Modes whose schedule is found in less than a second."""


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return script("tools/mode_pages.py")


def modes() -> list[str]:
    """Every mode that has a page."""
    return [*all_modes(), *(mode.name for mode in VARIANTS), *all_streams()]


def test_every_page_is_that_of_its_definition(tool: ModuleType) -> None:
    files = tool.texts()
    assert tool.stale(files) == []
    assert {path.name for path in tool.FOLDER.iterdir()} == {path.name for path in files} == {f"{name}.md" for name in [*modes(), "index"]}
    # The site takes the names in its menu from the first line of a page.
    assert all(text.startswith("# ") for text in files.values())


def test_every_picture_has_a_mode_and_is_small(tool: ModuleType) -> None:
    assert set(tool.IMAGES.iterdir()) == tool.pictures().keys() == {tool.IMAGES / f"{name}.svg" for name in modes()}
    assert all(path.stat().st_size < 60_000 for path in tool.IMAGES.iterdir())


@pytest.mark.parametrize("name", [*FAST, *slowly(*(name for name in modes() if name not in FAST))])
def test_a_picture_is_that_of_its_mode(tool: ModuleType, name: str) -> None:
    path = tool.IMAGES / f"{name}.svg"
    assert tool.stale({path: tool.pictures()[path]()}) == []


def test_a_stale_picture_is_found(tool: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "SECTOR", 48)
    path = tool.IMAGES / "xts.svg"
    assert tool.stale({path: tool.pictures()[path]()}) == [path]


def test_a_stale_page_is_found(tool: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another title in the class shows on the page of the mode, and on the index."""
    monkeypatch.setattr(XTS, "title", "another XTS")
    assert [path.name for path in tool.stale(tool.texts())] == ["index.md", "xts.md"]


def test_another_stored_figure_is_found(tool: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    figures = tool.mode_figures

    def changed(path: Path) -> object:
        content = json.loads(path.read_text(encoding="utf-8"))
        if path.name == "own_bounds.json":
            next(row for row in content if row["mode"] == "eme2")["latency"] += 1
        if path.name == "areas.json":
            next(row for row in content if row["mode"] == "tet")["luts"] += 1
        return content

    monkeypatch.setattr(figures, "read", changed)
    assert sorted(path.name for path in tool.stale(tool.texts())) == ["eme2.md", "tet.md"]


def test_each_measured_core_has_one_row_of_areas(tool: ModuleType) -> None:
    """Two benches may have measured the same core.  Rows are in the order of targets and LUTs."""
    for name in modes():
        rows = [[cell.strip() for cell in line.split("|")] for line in tool.mode_figures.area(name).splitlines()[2:]]
        places = [(row[2], int(row[4])) for row in rows]
        assert places == sorted(places) and len({tuple(row) for row in rows}) == len(rows), name


def test_each_mode_has_a_stored_area(tool: ModuleType) -> None:
    assert all(tool.mode_figures.area(name) for name in modes())


def test_a_mode_without_a_stored_area_has_no_figure(tool: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool.mode_figures, "area", lambda name: "")
    for name, stream in (("hctr2", False), ("gcm", True)):
        assert "No area of this mode is stored" in tool.figures(name, stream)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a, eprint 2021/1441", "a, [eprint 2021/1441](https://eprint.iacr.org/2021/1441)"),
        ("NIST SP 800-38D, 2007", "[NIST SP 800-38D](https://doi.org/10.6028/NIST.SP.800-38D), 2007"),
        ("RFC 8452; IEEE 1619", "[RFC 8452](https://www.rfc-editor.org/rfc/rfc8452); IEEE 1619"),
    ],
)
def test_papers_and_standards_are_links(tool: ModuleType, text: str, expected: str) -> None:
    assert tool.linked(text) == expected
