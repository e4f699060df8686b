# SPDX-License-Identifier: Apache-2.0
"""The stored figures of cores with several pipelines: what the bench counted is what the schedules say."""

import json

import pytest
from tests.scripts import script


@pytest.fixture(scope="module")
def bench():
    return script("bench/pipelines.py")


def test_every_core_is_at_its_bound(bench):
    stored = {(row["mode"], row["blocks"], row["aes"]): row for row in json.loads(bench.STORED.read_text(encoding="utf-8"))}
    assert stored.keys() == {(mode, blocks, aes) for mode in bench.MODES for blocks in (32, 256) for aes in (1, 2, 4, 8)}
    for row in stored.values():
        assert row["measured"] == row["ii"] == row["ii_bound"], row
        assert row["measured_latency"] == row["latency"], row


def test_results_take_the_place_of_older_ones(bench, monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "STORED", tmp_path / "pipelines.json")
    for ii, aes in ((8, 4), (33, 1), (32, 1)):
        bench.store({"mode": "hctr2", "blocks": 32, "aes": aes, "ii": ii})
    assert [(row["aes"], row["ii"]) for row in json.loads(bench.STORED.read_text())] == [(1, 32), (4, 8)]
