# SPDX-License-Identifier: Apache-2.0
"""The test plan: its page is what the tool writes, its tests are there, and its points are those of the emitted bench."""

from __future__ import annotations

import copy
import re
from importlib import resources
from types import ModuleType

import pytest
from tests.scripts import script

from modeloom.product.cases import MET_BY_THE_TEST, POINTS


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return script("tools/testplan.py")


def test_the_page_is_that_of_the_plan(tool, capsys):
    assert tool.main(["--check"]) == 0, capsys.readouterr().out


def test_the_bench_and_the_plan_have_the_same_points():
    """Each point that the bench counts is in the table, and each one that no case carries is counted by the bench."""
    templates = resources.files("modeloom.emit") / "templates"
    texts = "\n".join((templates / name).read_text(encoding="utf-8") for name in ("core_tests.py", "core_bench.py", "core_models.py"))
    counted = {(group, name) for group, name in re.findall(r'met\("(\w+)", "([^"]+)"\)', texts)}
    assert all(name in POINTS[group] for group, name in counted)
    # These names are put together in the bench, or stand in a list there.
    made = {(group, name) for group in ("stall", "order") for name in POINTS[group]} | {("key", "erased"), ("key", "refused")}
    left = {(group, name) for group in MET_BY_THE_TEST for name in POINTS[group]} - counted - made
    assert not left
    assert '("erased", "refused")' in texts and 'f"{new} after {old}"' in texts and 'f"{about} pauses"' in texts
    assert all(f'"{name}"' in texts for name in POINTS["order"] if name.startswith("other"))


def changed(tool, edit):
    """What is wrong with the plan after an edit."""
    areas = copy.deepcopy(tool.plan())
    edit(areas[0]["feature"][0])
    return [*tool.wrong(areas)]


FAULTS = {
    "a test that is not there": (lambda one: one["tests"].append("core/test_sizes.py::test_no"), "there is no test core/test_sizes.py"),
    "a file that is not there": (lambda one: one["tests"].append("core/test_none.py::test_no"), "there is no test core/test_none.py"),
    "no tests": (lambda one: one.update(tests=[]), "has no test"),
    "a point that is left out": (lambda one: one["points"].remove("direction.encrypt"), "direction.encrypt: no feature names this point"),
    "a point that the bench has not": (lambda one: one["points"].append("direction.up"), "direction.up: the bench has no such point"),
    "a point of two features": (lambda one: one["points"].append("code.OK"), "code.OK: 2 features name this point"),
}  # fmt: skip


@pytest.mark.parametrize("what", FAULTS)
def test_faults_of_a_plan_are_found(tool, what):
    edit, told = FAULTS[what]
    assert any(told in line for line in changed(tool, edit))


def test_a_page_that_differs_is_found(tool, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(tool, "PAGE", tmp_path / "testplan.md")
    (tmp_path / "testplan.md").write_text("# The test plan\n")
    assert tool.main(["--check"]) == 1
    assert capsys.readouterr().out == "docs/testplan.md: differs; run python tools/testplan.py\n"
    assert tool.main([]) == 0 and tool.main(["--check"]) == 0
