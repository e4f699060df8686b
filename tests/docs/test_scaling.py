# SPDX-License-Identifier: Apache-2.0
"""The stored figures of docs/scaling.md agree with each other and with those of docs/model.md, and the page reckons with them rightly."""

from __future__ import annotations

import json
from math import ceil

import pytest
from tests.scripts import script


@pytest.fixture(scope="module")
def bench():
    return script("bench/scaling.py")


@pytest.fixture(scope="module")
def tables():
    return script("tools/readme.py").scaling_tables


def test_bench_and_tables_are_about_the_same(bench, tables):
    assert (bench.MODES, bench.PIPELINES, bench.SECTOR) == (tables.MODES, tables.PIPELINES, tables.SECTOR)


def test_schedules_are_proved_and_the_bench_counts_them(bench):
    stored = bench.known()
    schedules = {row["name"]: row for row in stored["schedules"]}
    for row in schedules.values():
        assert row["proved"] and row["latency"] >= row["latency_bound"], row
        assert row["ii"] == row["ii_bound"] == row["cycles_per_sector"], row
    for row in stored.get("cores", []):
        schedule = schedules[row["name"]]
        assert [row[name] for name in ("interval", "latency", "latency_pins")] == [
            schedule[name] for name in ("ii", "latency", "latency_pins")
        ]


def test_the_other_bench_says_the_same(bench):
    """S-boxes change no cycle: bench/pipelines.py has them in LUTs."""
    other = {
        (row["mode"], row["aes"]): row
        for row in json.loads((bench.ROOT / "baselines" / "pipelines.json").read_text(encoding="utf-8"))
        if 16 * row["blocks"] == bench.SECTOR
    }
    both = [(row, other[row["mode"], row["aes"]]) for row in bench.known()["schedules"] if (row["mode"], row["aes"]) in other]
    assert both
    for ours, theirs in both:
        assert (ours["ii"], ours["latency"], ours["multipliers"]) == (theirs["ii"], theirs["latency"], theirs["mul"])


def test_areas_are_sums(bench):
    for row in bench.known()["areas"]:
        assert row["luts"] == sum(row["blocks"].values()), row["name"]
        assert row["bram_cells"] == sum(row["bram"].values()), row["name"]
        # Eight block memories for each round of each direction; HCTR2 decrypts with a sequential core.
        assert row["target"] != "ecp5" or row["bram_cells"] >= 80 * row["aes"] * (1 if row["mode"] == "hctr2" else 2), row["name"]


def test_rows_take_the_place_of_older_ones(bench, monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "STORED", tmp_path / "scaling.json")
    rows = [bench.name_of("xts", 2), bench.name_of("hctr2", 1), bench.name_of("xts", 2)]
    for number, name in enumerate(rows):
        bench.store("schedules", {"name": name, "ii": number})
    bench.store("areas", {"name": bench.name_of("xts", 1, "ecp5"), "luts": 1})
    assert bench.known() == {
        "schedules": [{"name": rows[1], "ii": 1}, {"name": rows[0], "ii": 2}],
        "areas": [{"name": bench.name_of("xts", 1, "ecp5"), "luts": 1}],
    }


def test_what_is_missing_is_measured_next(bench, monkeypatch, capsys):
    monkeypatch.setattr(bench, "known", lambda: {"schedules": [{"name": bench.name_of("xts", 1)}]})
    bench.main(["--list", "--missing", "--only", "schedules,areas", "--mode", "xts,eme2", "--aes", "1,2"])
    listed = capsys.readouterr().out.splitlines()
    assert listed == [
        *(f"{kind} {bench.name_of('eme2', 1, target)}" for kind, target in (("schedules", None), ("areas", "ecp5"))),
        f"areas {bench.name_of('xts', 1, 'ecp5')}",
        *(f"{kind} {bench.name_of(mode, 2, target)}"
          for mode in ("eme2", "xts") for kind, target in (("schedules", None), ("areas", "ecp5"))),
    ]  # fmt: skip
    with pytest.raises(SystemExit):
        bench.main(["--mode", "gcm"])
    assert "there is no gcm here, only hctr2" in capsys.readouterr().err


def test_the_clock_is_that_of_the_mode_or_the_slowest(tables, monkeypatch):
    cores = {
        name: {"clock_mhz": mhz, "core": {"mode": mode, "sector_bytes": size}}
        for name, mode, size, mhz in (("a", "hctr2", 512, 90.0), ("b", "hctr2", 4096, 80.0), ("c", "xts", 512, 100.0))
    }
    monkeypatch.setattr(tables, "routed", lambda: cores)
    assert tables.clock("hctr2") == tables.Clock(80.0, "b", True)
    assert tables.clock("xts") == tables.Clock(100.0, "c", True)
    assert tables.clock("eme2") == tables.Clock(80.0, "b", False)


AREA = {
    "luts": 10_000, "lutram_luts": 400, "lutram_cells": 100, "registers": 9_000, "bram_cells": 100,
    "blocks": {"aes": 7_000, "multipliers": 0, "storage": 1_000, "engine": 2_000},
}  # fmt: skip


@pytest.fixture
def figures(tables, monkeypatch):
    """One core of XTS that gives 12.8 Gbit/s at 100 MHz, on a device that holds two by its block memories."""
    of_xts = {"schedules": {"ii": 257, "multipliers": 0}, "cores": {"interval": 256}, "ecp5": AREA}
    monkeypatch.setattr(tables, "stored", lambda: {kind: {("xts", 1): row} for kind, row in of_xts.items()})
    monkeypatch.setattr(tables, "clock", lambda mode: tables.Clock(100.0, "core", True))
    monkeypatch.setattr(tables, "available", lambda: {"COMB": 83_640, "FF": 83_640, "DP16KD": 208})
    return tables


def test_what_rates_take(figures):
    """What the bench counted goes before the schedule."""
    assert figures.gbits("xts", 1) == pytest.approx(12.8) and figures.gbits("xts", 2) is None
    (row,) = [line for line in figures.rates().splitlines() if line.startswith("| `xts` | 1 ")]
    assert row == "| `xts` | 1 | 100.0 | 12.8 | 8 | 16 | 32 | 781 | 1562 | 3125 |"
    assert figures.used(AREA) == {"COMB": 10_600, "FF": 9_000, "DP16KD": 100} and figures.fitting(AREA) == 2
    assert [line for line in figures.totals().splitlines() if line.startswith("| `xts` | 100 ")] == [
        f"| `xts` | 100 | 8 × 1 | 8 | 0 | 80000 | 3200 | 72000 | 800 | {ceil(8 / 2)} |"
    ]
    assert figures.totals().splitlines()[2] == "| `hctr2` | 100 | - | - | - | - | - | - | - | - |"


def test_a_core_that_no_device_holds(figures, monkeypatch):
    monkeypatch.setitem(AREA, "bram_cells", 320)
    assert figures.fitting(AREA) == 0
    assert "| none holds a core |" in figures.totals()
    assert "| 154 % of block memories |" in figures.areas()
