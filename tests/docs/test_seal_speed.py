# SPDX-License-Identifier: Apache-2.0
"""The speed of sealing in docs/streams.md: every core is stored, the goal is reached, and the bench measures what it says."""

from __future__ import annotations

import json

from tests.built import slow
from tests.scripts import ROOT, script
from tests.streamed import SMALL, folder

from modeloom.product.simulated_messages import SimulatedStreamCore

ROWS = json.loads((ROOT / "baselines" / "seal_speed.json").read_text(encoding="utf-8"))
GOAL = 1.0
"""MB/s on one processor core."""


def test_every_core_is_there_and_reaches_the_goal():
    bench = script("bench/seal_speed.py")
    assert [row["core"] for row in ROWS] == list(bench.CORES)
    assert all(row["megabytes_a_second"] >= GOAL for row in ROWS)
    assert all(abs(row["megabytes"] / row["seconds"] - row["megabytes_a_second"]) < 0.02 for row in ROWS)


@slow
def test_a_row():
    """A small core: its cycles are those of the tokens, and the sealed text is compared."""
    bench = script("bench/seal_speed.py")
    row = bench.measured(SimulatedStreamCore(folder(**SMALL), optimize=0), "aes-128", 0.004)
    assert 250 < row["cycles"] < 250 + 200 and row["megabytes_a_second"] > 0
