# SPDX-License-Identifier: Apache-2.0
"""The stored latencies of all modes: within the limit of the directions' own bounds, or with a reason; and the same today."""

from __future__ import annotations

import pytest
from tests.built import slow
from tests.scripts import script

from modeloom.modes import BUILT_IN


@pytest.fixture(scope="module")
def bench():
    return script("bench/own_bounds.py")


@pytest.fixture(scope="module")
def stored(bench):
    return {(row["mode"], row["sector"], row["aes"]): row for row in bench.stored()}


def test_every_mode_is_near_its_bounds_or_says_why_not(bench, stored):
    sizes = {(mode.name, 512) for mode in BUILT_IN} | {(mode.name, 2048 if mode.name == "eme" else 4096) for mode in BUILT_IN}
    assert stored.keys() == {(mode, sector, aes) for mode, sector in sizes for aes in bench.PIPELINES}
    for key, row in stored.items():
        assert row["ii"] == row["ii_bound"], key
        assert max(row["latency_bounds"].values()) == row["latency_bound"] <= row["pairing_bound"] <= row["latency"], key
        assert row["optimal"] == (row["latency"] == row["latency_bound"]), key
        assert row["ratio"] == round(row["latency"] / row["latency_bound"], 3), key
        limit = 1.1 if row["sector"] <= 512 else 1.2
        assert (row["latency"] <= limit * row["latency_bound"]) == (row["latency_reason"] is None), key


def test_one_mode_measured_again(bench, stored):
    """One whose search is over first."""
    assert bench.measure("xts", 512, 8) == stored["xts", 512, 8]


def test_rows_are_stored_in_their_order(bench, monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "STORED", tmp_path / "own_bounds.json")
    rows = [{"mode": mode, "sector": sector, "aes": aes} for mode, sector, aes in (("xts", 512, 1), ("hctr2", 4096, 2), ("hctr2", 512, 8))]
    bench.store(rows[:2])
    bench.store([rows[2], {**rows[0], "latency": 7}])
    assert bench.stored() == [rows[2], {**rows[0], "latency": 7}, rows[1]]


@slow
def test_all_modes_measured_again_at_32_blocks(bench, stored):
    assert {key: bench.measure(*key) for key in stored if key[1] == 512} == {key: row for key, row in stored.items() if key[1] == 512}
