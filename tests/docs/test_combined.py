# SPDX-License-Identifier: Apache-2.0
"""The stored figures of cores with one pipeline for both directions: all cores in both forms, and what the text says of them."""

import json

import pytest
from tests.scripts import script


@pytest.fixture(scope="module")
def bench():
    return script("bench/combined.py")


def test_every_core_is_there_in_both_forms(bench):
    rows = json.loads(bench.STORED.read_text(encoding="utf-8"))
    assert [(row["mode"], row["cipher"], row["form"]) for row in rows] == [
        (*names, form) for names in bench.CORES.values() for form in bench.FORMS
    ]
    for row in rows:
        assert row["command"] == bench.command(row["mode"], row["cipher"], row["form"])
    for two, one in zip(rows[::2], rows[1::2], strict=True):
        assert one["luts"] < two["luts"] and one["blocks"][one["cipher"]] < two["blocks"][one["cipher"]]
        # The rest of the core is the same, but for what leads to the pipelines.
        for block in ("multipliers", "storage", "bus"):
            assert abs(one["blocks"][block] - two["blocks"][block]) <= 4, block


def test_results_take_the_place_of_older_ones(bench, monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "STORED", tmp_path / "combined.json")
    for luts, form in ((8, "combined"), (33, "pipelined"), (32, "pipelined")):
        bench.store({"mode": "xts", "cipher": "aes", "form": form, "luts": luts})
    assert [(row["form"], row["luts"]) for row in json.loads(bench.STORED.read_text())] == [("pipelined", 32), ("combined", 8)]
