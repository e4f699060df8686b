# SPDX-License-Identifier: Apache-2.0
"""The steps of points: the bench runs, place and route get their options, and a point whose tool is missing stops no other."""

from __future__ import annotations

import json

import pytest
from tests.built import slowly
from tests.sweeps import contents, nextpnr, run, stopping, write

from modeloom.sweep import configuration
from modeloom.synth import SynthesisError

SMALL = 'sector = 32\naes-arch = "sequential"\ndirection = "encrypt"\n'

ROUTED = """
[[grid]]
circuits = ["karatsuba"]
halt = 4
[[grid]]
circuits = ["sbox-composite"]
targets = ["ecp5"]
pnr = true
freq = 150
"""


def test_the_bench_runs(tmp_path):
    (row,) = run(write(tmp_path, f'[sweep]\nsimulate = true\n[[grid]]\nmodes = ["xts"]\n{SMALL}')).rows
    assert (row["status"], row["error"], row["simulated"], row["proved"], row["target"]) == ("ok", None, 1, 1, None)
    bench = json.loads(row["result"])["bench"]
    assert bench["cycles_per_sector"] == row["cycles_per_sector"] and bench["sectors"] > 0
    assert row["command"].startswith("modeloom build xts ") and "verilator" in json.loads(row["tools"])


@pytest.mark.parametrize(
    ("steps", "asked"),
    [("pnr = true\nfreq = 150\n", (True, 150.0)), *slowly(("pnr = true\n", (True, None)), ("", (False, None)))],
    ids=["freq", "pnr", "mapped"],
)
def test_cores_are_placed_and_routed(tmp_path, monkeypatch, steps, asked):
    """The function that synthesises a core says what it is asked for, in the place of its figures."""
    nextpnr(tmp_path, monkeypatch)
    does = """
import modeloom.sweep.point as point
def measured(directory, target, **asked):
    memories = {"lutram_luts": 0, "srl_luts": 0, "bram_cells": 0}
    return {"target": target, "asked": asked, "built": (directory / "core.json").is_file(), "memories": memories, "luts": 1, "ffs": 2,
            "cells": {}, "area": None, "clock_mhz": 123.4, "script": ""}
point.measure_core = measured
"""
    (row,) = run(write(tmp_path, f'[[grid]]\nmodes = ["mine.py:Mine"]\ntargets = ["ecp5"]\n{SMALL}{steps}', stopping(does))).rows
    assert row["status"] == "ok", row["error"]
    found = json.loads(row["result"])["synth"]
    assert (found["asked"], found["target"], found["built"]) == ({"pnr": asked[0], "freq": asked[1], "blocks": False}, "ecp5", True)
    assert (row["mhz"], row["luts"], row["area"]) == (123.4, 1, "core")
    assert ("nextpnr-ecp5" in json.loads(row["tools"])) == asked[0]


def missing(device):
    raise SynthesisError("nextpnr is missing: install it")


def test_circuits_are_placed_and_routed_when_the_tool_is_there(tmp_path, monkeypatch):
    """A missing tool stops no other point.  Its point says what is missing, and runs when it is there, in the place of its row."""
    file = write(tmp_path, ROUTED)
    with monkeypatch.context() as without:
        without.setattr(configuration, "find_nextpnr", missing)
        for known in (0, 1):
            report = run(file)
            assert [row["status"] for row in report.rows] == ["ok", "error"] and (report.known, report.ran) == (known, 2 - known)
            assert report.rows[1]["error"] == "nextpnr is missing: install it"
    log = nextpnr(tmp_path, monkeypatch)
    report = run(file)
    other, routed = report.rows
    assert (routed["status"], routed["error"]) == ("ok", None) and (report.known, report.ran) == (1, 1)
    assert len(contents(tmp_path / "a.sqlite")) == 2
    assert (other["mhz"], routed["mhz"]) == (None, 123.4) and log.read_text().count("\n") == 1 and "--freq 150 " in log.read_text()
    assert json.loads(routed["tools"])["nextpnr-ecp5"] == "99.9" and "nextpnr-ecp5" not in json.loads(other["tools"])
    assert routed["command"].endswith("--target ecp5 --pnr --freq 150")


def test_a_tool_that_all_points_need_is_told_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(configuration, "find_nextpnr", missing)
    with pytest.raises(SynthesisError, match="nextpnr is missing: install it"):
        run(write(tmp_path, ROUTED[ROUTED.rindex("[[grid]]") :]))
    assert contents(tmp_path / "a.sqlite") == []
