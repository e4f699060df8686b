# SPDX-License-Identifier: Apache-2.0
"""The table of multistream ciphers in docs/streams.md: what is stored is what cores state, and the page shows it."""

from __future__ import annotations

import json

import pytest
from tests.scripts import ROOT, script

from modeloom.cores.stream import StreamCore

ROWS = json.loads((ROOT / "baselines" / "multistream.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def bench():
    return script("bench/multistream.py")


def test_every_row_is_there(bench):
    assert [row["core"] for row in ROWS] == list(bench.CORES)
    assert [row["command"] for row in ROWS] == [bench.command(name) for name in bench.CORES]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["core"])
def test_cycles_are_those_that_the_description_states(row, bench):
    d = StreamCore(bench.compiled(row["core"], prove=False)).describe("core", "modeloom")
    assert (row["cycles_a_block"], row["latency"]) == (d.cycles.text, d.latency)
    assert row["bytes_a_cycle"] == pytest.approx(row["bytes"] / row["cycles"], abs=0.001)
    # The tags of packets cost less than a tenth on this mix.
    assert 0.9 * d.beat_bytes < row["bytes_a_cycle"] * row["cycles_a_block"] <= d.beat_bytes


def test_four_streams_of_ocb3_cost_at_most_two_percent():
    pairs = {row["core"]: row["pairs"] for row in ROWS}
    assert pairs["ocb3 4"] <= 1.02 * pairs["ocb3 1"]


def test_pairs_have_all_luts_and_registers():
    for row in ROWS:
        luts = row["luts"] + row["lutram_luts"] + row["srl_luts"]
        assert max(luts, row["ffs"]) <= row["pairs"] <= luts + row["ffs"]
        assert row["pairs"] == luts + row["ffs"] - row["pairs_with_both"]


def test_the_page_shows_the_table():
    text = script("tools/readme.py").multistream()
    assert text in (ROOT / "docs" / "streams.md").read_text(encoding="utf-8")
