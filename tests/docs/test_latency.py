# SPDX-License-Identifier: Apache-2.0
"""The stored latencies of 4096-byte sectors: every core is there, within the limit, and the bench says the same today."""

import json

import pytest
from tests.built import slow
from tests.scripts import script

LIMIT = 1.1
"""Latency at the pins by beats in + latency bound + beats out."""


@pytest.fixture(scope="module")
def bench():
    return script("bench/latency.py")


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


@slow
def test_all_cores_measured_again(bench, stored):
    assert {key: bench.measure(*key) for key in stored} == stored
