# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/circuits.md and docs/scaling.md show today's figures."""

from __future__ import annotations

import pytest
from tests.scripts import script


@pytest.fixture(scope="module")
def tool():
    return script("tools/plots.py")


def test_nothing_differs(tool, capsys):
    assert tool.main(["--check"]) == 0, capsys.readouterr().out


def test_the_check_finds_a_change(tool, monkeypatch, capsys):
    points, x, y = tool.PLOTS["multiplier_gates"]
    changed = {name: [(a + 1, b, c) for a, b, c in line] for name, line in points().items()}
    monkeypatch.setitem(tool.PLOTS, "multiplier_gates", (lambda: changed, x, y))
    assert tool.main(["--check"]) == 1
    assert capsys.readouterr().out.startswith("docs/img/multiplier_gates.svg: differs")


def test_every_picture_is_shown(tool):
    pages = [(tool.ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("circuits.md", "scaling.md")]
    assert all(any(f"img/{name}.svg" in page for page in pages) for name in tool.PLOTS)


def test_other_arguments_are_refused(tool, capsys):
    assert tool.main(["--chek"]) == 2
    assert capsys.readouterr().err.startswith("usage: ")
