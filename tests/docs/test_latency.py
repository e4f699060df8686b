# SPDX-License-Identifier: Apache-2.0
"""The stored latencies of 4096-byte sectors: every core is there, within the limit, and the bench says the same today."""

import importlib.util
import json
import os
from pathlib import Path

import pytest

LIMIT = 1.1
"""Latency over the pins by beats in + latency bound + beats out."""


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("latency_bench", Path(__file__).parents[2] / "bench" / "latency.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def stored(bench):
    return {(row["mode"], row["aes"]): row for row in json.loads(bench.STORED.read_text(encoding="utf-8"))}


def test_every_core_is_within_the_limit(bench, stored):
    assert stored.keys() == {(mode, aes) for mode in bench.MODES for aes in (1, 2, 4, 8)}
    for row in stored.values():
        assert row["proved"] and row["ii"] == row["ii_bound"], row
        assert row["paths_bound"] <= row["latency_bound"] <= row["latency"], row
        assert row["optimal"] == (row["latency"] == row["latency_bound"]), row
        assert row["latency_pins"] <= LIMIT * row["least_pins"], row
        assert row["storage_blocks"] <= 1.4 * row["storage_bound"], row


def test_one_core_measured_again(bench, stored):
    """The one whose search is over first."""
    assert bench.measure("heh-brw", 8) == stored["heh-brw", 8]


@pytest.mark.skipif(not os.environ.get("MODELOOM_SLOW"), reason="ten minutes of one core; MODELOOM_SLOW=1")
def test_all_cores_measured_again(bench, stored):
    assert {key: bench.measure(*key) for key in stored} == stored
