# SPDX-License-Identifier: Apache-2.0
"""How the sources are built: no figure of ``tools/house.py`` gets worse, and each of them counts what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import house

MOST = {"lines": 99_641}
"""Figures that are above their limits today.  They only fall; one that is not here keeps its limit."""

EXAMPLE = {
    "modeloom/a.py": """
from modeloom import b

def f(p, m):
    if p.hold and p.other:
        return [x for x in p.all if x.channels > 1]
    with m.If(p.lwc & p.valid):
        pass
    return p.hold if p.ready else None  # type: ignore[return-value]
""",
    "modeloom/b.py": """
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from modeloom.d import D

def g(x: Any) -> Any:
    from modeloom import a
    from modeloom import c
    return a, c
""",
    "modeloom/c.py": "",
    "modeloom/d.py": "def long():\n" + "    pass\n" * 70
    + "def told():\n    \"\"\"Says what.\"\"\"\n" + "    pass\n" * 70 + "def branches(x):\n"
    + "".join(f"    if x == {n}:\n        return {n}\n" for n in range(30)),
    "modeloom_papers/f.py": "x = 1\n",
    "modeloom/layers/lwc/e.py": "def h(p):\n    assert p.lwc\n",
}


@pytest.mark.parametrize("one", house.MEASURES, ids=lambda one: one.name)
def test_no_figure_gets_worse(one) -> None:
    places = one.places()
    most = MOST.get(one.name, one.limit)
    assert one.limit <= most, f"{one.name} has reached its limit, which needs no entry here"
    assert len(places) <= most, f"{one.about}: {len(places)}, and at most {most}; tools/house.py --list {one.name!r} prints them"


def test_each_figure_counts_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in EXAMPLE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(house, "SOURCES", tmp_path)
    house.sources.cache_clear()
    try:
        found = {one.name: one.places() for one in house.MEASURES}
    finally:
        house.sources.cache_clear()
    assert found["feature tests"] == ["modeloom/a.py:5 hold", "modeloom/a.py:7 lwc", "modeloom/a.py:6 channels"]
    assert len(found["files"]) == 6
    assert len(found["lines"]) == sum(text.count("\n") for name, text in EXAMPLE.items() if name.startswith("modeloom/"))
    assert found["complex functions"] == ["modeloom/d.py:144 branches: 31"]
    assert [place.partition(" ")[2] for place in found["long functions"]] == ["long: 71 lines", "branches: 61 lines"]
    assert found["open types"] == ["modeloom/b.py:7", "modeloom/b.py:7"] and found["ignored types"] == ["modeloom/a.py:9"]
    assert found["circles"] == ["modeloom/b.py:8 modeloom.a"]
