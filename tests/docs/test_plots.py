# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/circuits.md and docs/scaling.md show today's figures."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from tests.scripts import script


@pytest.fixture(scope="module")
def tool():
    return script("tools/plots.py")


def test_nothing_differs(tool, capsys):
    """The pictures are those that the tool draws today."""
    assert tool.main(["--check"]) == 0, capsys.readouterr().out


def test_the_check_finds_a_change(tool, monkeypatch, capsys):
    points, x, y = tool.PLOTS["multiplier_gates"]
    changed = {name: [(a + 1, b, c) for a, b, c in line] for name, line in points().items()}
    monkeypatch.setitem(tool.PLOTS, "multiplier_gates", (lambda: changed, x, y))
    assert tool.main(["--check"]) == 1
    assert capsys.readouterr().out.startswith("docs/img/multiplier_gates.svg: differs")


def test_pictures_are_drawn_anew_when_the_code_that_draws_them_changes(tool, monkeypatch, capsys):
    monkeypatch.setattr(tool, "MARKERS", "Do")
    assert tool.main(["--check"]) == 1
    assert capsys.readouterr().out.count("differs") == len(tool.PLOTS)


TEXT = re.compile(
    r'<text style="font-size: (\d+)px;[^>]*?(?:text-anchor: (\w+))[^>]*? x="([\d.]+)" y="([\d.]+)"[^>]*rotate\(-0 [^>]*>([^<]*)</text>'
)


def boxes(picture):
    """The box of each text that is not turned, with its size and the text; a letter of DejaVu Sans is some 0.64 of its size wide."""
    found = []
    for size, anchor, x, y, text in TEXT.findall(picture):
        size, x, y = int(size), float(x), float(y)
        width = 0.62 * size * len(text)
        left = x - {"start": 0, "middle": width / 2, "end": width}[anchor]
        found.append((size, text, (left, y - 0.7 * size, left + width, y)))
    return found


@pytest.mark.parametrize("name", ["aead", "multiplier_gates", "multiplier_luts", "sbox_area", "scaling", "traffic"])
def test_no_two_texts_overlap(tool, name):
    picture = (tool.IMAGES / f"{name}.svg").read_text(encoding="utf-8")
    found = boxes(picture)
    shown = [text for size, text, _ in found if size == 8]
    assert sorted(shown) == sorted(label for *_, label in tool.labels(tool.PLOTS[name][0]()))
    for (_, one, a), (_, other, b) in combinations(found, 2):
        assert not tool.overlap(a, b), (one, other)


def test_overlapping_boxes_are_seen(tool):
    assert tool.overlap((0, 0, 2, 2), (1, 1, 3, 3)) and tool.overlap((0, 0, 3, 3), (1, 1, 2, 2))
    assert not tool.overlap((0, 0, 1, 1), (1, 0, 2, 1)) and not tool.overlap((0, 0, 1, 1), (0, 2, 1, 3))


def test_a_label_takes_the_first_free_place(tool):
    area = (0.0, 0.0, 100.0, 100.0)
    first = tool.free_place((50.0, 50.0), (10.0, 8.0), [], area, 1.0)
    second = tool.free_place((50.0, 50.0), (10.0, 8.0), [first], area, 1.0)
    assert first == (57.0, 57.0, 67.0, 65.0) and second is not None and not tool.overlap(first, second)
    assert tool.free_place((50.0, 50.0), (10.0, 8.0), [area], area, 1.0) is None
    corner = tool.free_place((99.0, 99.0), (10.0, 8.0), [], area, 1.0)
    assert corner is not None and corner[2] <= 100 and corner[3] <= 100


@pytest.mark.parametrize(("name", "axis"), [
    ("multiplier_luts", "x"), ("multiplier_luts", "y"), ("multiplier_gates", "x"), ("multiplier_gates", "y"), ("scaling", "x"),
])  # fmt: skip
def test_counts_have_whole_ticks(tool, name, axis):
    picture = (tool.IMAGES / f"{name}.svg").read_text(encoding="utf-8")
    ticks = re.findall(rf'<g id="{axis}tick_\d+">.*?<text[^>]*>([^<]*)</text>', picture, re.DOTALL)
    assert len(ticks) >= 3 and all(re.fullmatch(r"[\d\N{NO-BREAK SPACE}]+", tick) for tick in ticks), ticks


def test_drawing_gives_the_boxes_that_are_in_the_picture(tool, tmp_path):
    series = {"one": [(1, 10, "a"), (1, 11, "b")], "two": [(1, 10, "c")]}
    found = tool.draw(series, "x", "y", tmp_path / "picture.svg")
    assert len(found) == 2 + 3 and not any(tool.overlap(a, b) for a, b in combinations(found[2:], 2))
    assert tool.shown(tmp_path / "picture.svg")["points"] == {name: [list(point) for point in line] for name, line in series.items()}


def test_every_picture_is_shown(tool):
    names = ("aead", "circuits", "papers", "scaling", "streams")
    pages = [(tool.ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in names]
    assert all(any(f"img/{name}.svg" in page for page in pages) for name in tool.PLOTS)


def test_other_arguments_are_refused(tool, capsys):
    assert tool.main(["--chek"]) == 2
    assert capsys.readouterr().err.startswith("usage: ")
