# SPDX-License-Identifier: Apache-2.0
"""The stored area of the hash circuits: every row is there, with the cycles that the circuits have now."""

import importlib.util
import json
from pathlib import Path

import pytest

from modeloom.circuits import find_circuit


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("brw_area", Path(__file__).parents[2] / "bench" / "brw_area.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_row_is_stored(bench):
    rows = json.loads(bench.STORED.read_text(encoding="utf-8"))
    assert [(row["circuit"], row["options"], row["mapper"]) for row in rows] == list(bench.ROWS)
    for row in rows:
        built = find_circuit(row["circuit"]).build(**row["options"])
        assert (row["cycles"], row["interval"]) == (built.figures["cycles"], built.component.interval), row
        assert row["target"] == "xc5v" and row["luts"] > 0 and row["ffs"] > 0


def test_rows_take_the_place_of_older_ones(bench, monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "STORED", tmp_path / "area.json")
    for number, luts in ((3, 1), (0, 2), (3, 4)):
        name, options, mapper = bench.ROWS[number]
        bench.store({"circuit": name, "options": options, "mapper": mapper, "luts": luts})
    assert [row["luts"] for row in json.loads(bench.STORED.read_text(encoding="utf-8"))] == [2, 4]
