# SPDX-License-Identifier: Apache-2.0
"""The table of traffic in docs/streams.md: what is stored is what cores need, and a small row is measured again."""

from __future__ import annotations

import json

import pytest
from tests.scripts import ROOT, script
from tests.streamed import SMALL, compiled, folder, simulated

from modeloom.cores.stream import StreamCore
from modeloom.measure.traffic import MIXES

ROWS = json.loads((ROOT / "baselines" / "traffic.json").read_text(encoding="utf-8"))

FOUND = {(row["blocks_per_cycle"], row["mix"], row["associated_bytes"]): row for row in ROWS}


@pytest.fixture(scope="module")
def bench():
    return script("bench/traffic.py")


def test_every_row_is_there(bench):
    assert [bench.place_of(row) for row in ROWS] == bench.places()


@pytest.mark.parametrize("blocks", [1, 2, 4])
def test_cycles_are_those_that_the_description_states(blocks, bench):
    """Of a core with the options of the tests: cycles do not depend on registers and key slots.

    A run may have one more: where it begins the queue has room, and where it ends it has none.
    """
    d = StreamCore(compiled(prove=False, **{**SMALL, "blocks_per_cycle": blocks})).describe("core", "modeloom")
    for (of, name, header), row in FOUND.items():
        if of == blocks:
            mix = MIXES[name]
            rounds, rest = divmod(row["packets"], mix.round)
            assert not rest and row["packets"] == bench.packets_of(name)
            cycles = sum(size.share * d.cycles_of(header, size.nbytes - header) for size in mix.sizes)
            nbytes = sum(size.share * size.nbytes for size in mix.sizes)
            assert row["bytes"] == rounds * nbytes and 0 <= row["cycles"] - rounds * cycles <= 1, row
            assert row["percent_of_peak"] == pytest.approx(100 * row["bytes"] / row["cycles"] / d.beat_bytes, abs=0.006)


def test_the_shares_that_are_wanted():
    assert FOUND[1, "gcm2008", 0]["percent_as_gcm2008"] >= 97.0 and FOUND[1, "gcm2008", 0]["percent_of_peak"] >= 98.0
    assert FOUND[4, "gcm2008", 0]["percent_of_peak"] >= 95.0


def test_a_row_measured_again(bench):
    again = bench.measured(simulated(**SMALL), folder(**SMALL), "64", 12)
    assert again == FOUND[1, "64", 12]


def test_the_table_shows_a_change(monkeypatch, capsys, tmp_path):
    """The check of the page fails if a stored figure is another one."""
    tool = script("tools/readme.py")
    assert tool.traffic() in (ROOT / "docs" / "streams.md").read_text(encoding="utf-8")
    (tmp_path / "baselines").mkdir()
    other = [{**row, "percent_of_peak": row["percent_of_peak"] - 1} for row in ROWS]
    (tmp_path / "baselines" / "traffic.json").write_text(json.dumps(other), encoding="utf-8")
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    assert tool.traffic() not in (ROOT / "docs" / "streams.md").read_text(encoding="utf-8")
