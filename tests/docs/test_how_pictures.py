# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/how-it-works.md are those that tools/how_pictures.py draws of the core of today."""

from __future__ import annotations

import re
from itertools import combinations
from types import ModuleType

import pytest
from tests.scripts import ROOT, script


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return script("tools/how_pictures.py")


def test_nothing_differs(tool: ModuleType) -> None:
    files = tool.pictures()
    assert tool.stale(files) == [] and all(len(text) < 60_000 for text in files.values())


def test_another_core_is_found(tool: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "SECTOR", 48)
    assert [path.name for path in tool.stale(tool.pictures())] == ["dataflow.svg", "engine.svg"]


def test_every_operation_has_a_box_and_no_line_passes_one(tool: ModuleType) -> None:
    """A line passes a row between boxes: else it would seem to begin or end there."""
    core = tool.compiled()
    boxes, texts = tool.operations(core), tool.dataflow(core)
    operations = [op for _, op in core.schedule.problem.graph.ops("encrypt")]
    assert texts.count("<rect") == 1 + len(boxes) and len(boxes) == len(operations) + 5  # four blocks and a tweak
    level = tool.levels(boxes)
    at = tool.placed(boxes, level)
    half = {place: 0 if place[0] == "line" else tool.WIDE // 2 for place in at}
    for (one, (x, y)), (other, (left, top)) in combinations(at.items(), 2):
        assert y != top or abs(x - left) > half[one] + half[other], (one, other)
    for place, (*_, read) in boxes.items():
        assert all(level[each] < level[place] for each in read)


def test_the_page_shows_every_picture(tool: ModuleType) -> None:
    text = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"!\[[^\]]*\]\(img/([^)]+)\)", text))
    assert {path.name for path in tool.pictures()} <= shown
