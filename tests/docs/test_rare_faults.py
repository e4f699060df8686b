# SPDX-License-Identifier: Apache-2.0
"""The stored campaign of rare faults: every fault that changes what comes out was found, and its figures are those of its rows."""

from __future__ import annotations

import json

import pytest
from tests.scripts import ROOT, script

PATH = ROOT / "baselines" / "rare_faults.json"


@pytest.fixture(scope="module")
def stored() -> dict:
    return json.loads(PATH.read_text(encoding="utf-8"))


def test_every_fault_that_counts_was_found(stored: dict) -> None:
    tool = script("tools/plant_rare_faults.py")
    figures = tool.summary(stored["faults"])
    assert figures == {name: stored[name] for name in figures}
    assert figures["found"] >= 300 and not figures["escaped"]
    assert figures["cores"].keys() == tool.CORES.keys() and min(figures["cores"].values()) >= 40
    assert set(figures["kinds"]) == set(tool.RARE_KINDS) and min(figures["kinds"].values()) >= 40
    planted = {row["core"]: row for row in stored["faults"] if "verilog_sha256" in row}
    for core in figures["cores"]:
        assert planted[core]["faults"] == sum(row["core"] == core and "kind" in row for row in stored["faults"])


def test_an_escaped_fault_would_show(stored: dict) -> None:
    tool = script("tools/plant_rare_faults.py")
    rows = [dict(row) for row in stored["faults"]]
    one = next(row for row in rows if row.get("caught"))
    one |= {"caught": "", "changes": "lengths, cycle 5"}
    assert tool.summary(rows)["escaped"] == [f"{one['core']} {one['number']}"]
