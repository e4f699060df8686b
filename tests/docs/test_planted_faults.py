# SPDX-License-Identifier: Apache-2.0
"""The stored campaign of planted faults: every fault that changes an output was found, and its figures are those of its rows."""

from __future__ import annotations

import json

import pytest
from tests.scripts import ROOT, script

PATH = ROOT / "baselines" / "planted_faults.json"


@pytest.fixture(scope="module")
def stored() -> dict:
    return json.loads(PATH.read_text(encoding="utf-8"))


def test_every_fault_that_counts_was_found(stored: dict) -> None:
    tool = script("tools/plant_faults.py")
    figures = tool.summary(stored["faults"])
    assert figures == {name: stored[name] for name in figures}
    assert figures["caught"] == figures["change_an_output"] >= 300 and not figures["escaped"] and not figures["not_confirmed"]
    assert len(figures["cores"]) >= 3 and figures["cores"].keys() <= tool.CORES.keys()
    assert set(figures["kinds"]) == set(tool.KINDS) and min(figures["kinds"].values()) >= 20
    assert figures["confirmed"] >= 3
    planted = {row["core"]: row for row in stored["faults"] if "verilog_sha256" in row}
    for core in figures["cores"]:
        assert planted[core]["faults"] == sum(row["core"] == core and "kind" in row for row in stored["faults"])


def test_an_escaped_fault_would_show(stored: dict) -> None:
    tool = script("tools/plant_faults.py")
    rows = [dict(row) for row in stored["faults"]]
    one = next(row for row in rows if row.get("changes"))
    one["caught"] = ""
    assert tool.summary(rows)["escaped"] == [f"{one['core']} {one['number']}"]
