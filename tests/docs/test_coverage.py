# SPDX-License-Identifier: Apache-2.0
"""The stored coverage of emitted Verilog: at least 90 %, a reason for the rest, and docs/development.md says what is stored."""

from __future__ import annotations

import json
from types import ModuleType

import pytest
from tests.scripts import ROOT, script


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    return script("bench/coverage.py")


@pytest.fixture(scope="module")
def stored(bench: ModuleType) -> list[dict]:
    return json.loads(bench.STORED.read_text(encoding="utf-8"))


def test_the_page_says_what_is_stored(bench: ModuleType, stored: list[dict]) -> None:
    page = (ROOT / "docs" / "development.md").read_text(encoding="utf-8")
    for mark, text in (("coverage", bench.summary(stored)), ("not covered", bench.left(stored))):
        assert page.partition(f"<!-- {mark} -->\n")[2].partition("\n<!-- end")[0] == text


def test_ninety_percent_of_three_cores(bench: ModuleType, stored: list[dict]) -> None:
    assert [row["core"] for row in stored] == list(bench.CORES) and len(stored) == 3
    for row in stored:
        mode, options = bench.CORES[row["core"]]
        assert (row["mode"], row["options"]) == (mode, json.loads(json.dumps(options)))
        bits, lines, states = row["toggles"], row["lines"], row["states"].values()
        assert bits["toggled"] >= 0.9 * bits["can_toggle"] and lines["run"] >= 0.9 * lines["lines"]
        assert sum(one["reached"] for one in states) >= 0.9 * sum(one["states"] for one in states)
        assert bits["can_toggle"] == bits["bits"] - bits["constant"] - bits["unreachable"]
        assert bits["can_toggle"] - bits["toggled"] == sum(bits["not_toggled"].values())
        assert lines["lines"] - lines["run"] == sum(lines["not_run"].values())
        assert all(one["states"] - one["reached"] == len(one["not_reached"]) for one in states)
        assert bench.unexplained(row) == 0


def test_a_gap_without_a_reason_shows(bench: ModuleType, stored: list[dict]) -> None:
    row = json.loads(json.dumps(stored[0]))
    row["toggles"]["not_toggled"]["no reason: core.engine.busy"] = 1
    assert bench.unexplained(row) == 1
    assert "| sizes | 1 bit | no reason: core.engine.busy |" in bench.left([row])
    row["toggles"]["toggled"] -= 1
    assert bench.summary([row]) != bench.summary(stored[:1])
