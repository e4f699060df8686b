# SPDX-License-Identifier: Apache-2.0
"""The tables of keys that come with messages in docs/streams.md: every row is stored, and a row is measured again."""

from __future__ import annotations

import json

import pytest
from tests.built import slow
from tests.scripts import ROOT, script
from tests.streamed import folder

from modeloom.product.simulated_messages import SimulatedStreamCore

ROWS = json.loads((ROOT / "baselines" / "inline_keys.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def bench():
    return script("bench/inline_keys.py")


def test_every_row_is_there(bench):
    assert [bench.place_of(row) for row in ROWS] == bench.places()
    assert [row["packets"] for row in ROWS] == [bench.packets_of(row["mix"]) for row in ROWS]


def test_a_new_key_costs_at_most_three_cycles():
    assert all(row["cycles_lost_per_key"] <= 3 for row in ROWS if row["core"] == "iterative")


@slow
def test_a_row_measured_again(bench):
    made = folder(**bench.CORES["iterative"][1])
    (stored,) = (row for row in ROWS if bench.place_of(row) == ("64", "iterative"))
    assert bench.measured(SimulatedStreamCore(made, optimize=0), made, "iterative", "64") == stored
