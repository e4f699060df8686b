# SPDX-License-Identifier: Apache-2.0
"""The printed tables: every figure has a unit, the figures of a row agree with each other, and where they do not there is a correction."""

import pytest

from modeloom_papers.stored import PAPERS, printed, value

BITS = 4096
TIMES = {"tes2010": 1e-6, "brw2013": 1e-9}
"""Seconds of a unit of time."""

TABLES = {(paper, table["table"]): table for paper in PAPERS for table in printed(paper)}
ROWS = [(paper, row) for (paper, _), table in TABLES.items() for row in table["rows"]]
CORES = [(paper, row) for paper, row in ROWS if "time" in row["values"]]


def wrong(figure):
    """Rows whose figure is corrected."""
    return {(paper, row["table"], row["row"]) for paper, row in ROWS if figure in row.get("corrected", {})}


def place(paper, row):
    return paper, row["table"], row["row"]


def test_all_rows_are_there():
    count = {name: len(table["rows"]) for name, table in TABLES.items()}
    assert count == {
        ("tes2010", "1"): 7, ("tes2010", "2"): 7, ("tes2010", "3"): 7, ("tes2010", "6"): 7, ("tes2010", "7"): 7, ("tes2010", "8"): 5,
        ("tes2010", "9"): 28, ("tes2010", "10"): 7, ("brw2013", "3"): 8,
    }  # fmt: skip
    with pytest.raises(FileNotFoundError):
        printed("luts2018")


def test_every_value_has_a_unit_and_every_correction_a_note():
    for (paper, number), table in TABLES.items():
        for row in table["rows"]:
            assert row["values"].keys() <= table["units"].keys(), (paper, number, row["row"])
            assert row.get("corrected", {}).keys() <= row["values"].keys()
            assert all(row["values"][name] != right for name, right in row.get("corrected", {}).items())
            assert bool(row.get("notes")) >= bool(row.get("corrected"))
        assert len({row["row"] for row in table["rows"]}) == len(table["rows"])


def off(shown, right, step):
    """Whether a printed figure, rounded or cut at its last digit, is another one; some columns have two digits less."""
    return abs(shown - right) > max(1.5 * step, 0.004 * right)


def test_time_is_cycles_by_clock():
    """Table 9, TET: 8.885 µs.  Where the cycles are corrected, the printed time follows the printed cycles."""
    found = set()
    for paper, row in CORES:
        time = row["values"]["cycles"] / row["values"]["frequency"] / 1e6 / TIMES[paper]
        found |= {place(paper, row)} if off(row["values"]["time"], time, 0.001) else set()
        right = value(row, "cycles") / value(row, "frequency") / 1e6 / TIMES[paper]
        assert not off(value(row, "time"), right, 0.001), row
    assert found == wrong("time") - wrong("cycles") == {("tes2010", "9", "TET, encrypt-only, Virtex 5")}


def test_throughput_is_a_sector_in_its_cycles():
    """brw2013, HEH[BRW]-1: 15.170 Gbit/s for 15.107; tes2010, Table 9: HCH 3.452 for 3.493, and a sequential HCTR that was cut."""
    found = set()
    for paper, row in CORES:
        rate = BITS * row["values"]["frequency"] / row["values"]["cycles"] / 1000
        found |= {place(paper, row)} if off(row["values"]["throughput"], rate, 0.001) else set()
        right = BITS * value(row, "frequency") / value(row, "cycles") / 1000
        assert not off(value(row, "throughput"), right, 0.001), row
    assert found == wrong("throughput") - wrong("cycles") == {
        ("brw2013", "3", "HEH[BRW]-1"), ("tes2010", "9", "HCH, full, Virtex 5"), ("tes2010", "9", "HCTR, sequential, Virtex 5"),
    }  # fmt: skip


def test_cycles_are_the_same_on_all_devices():
    """Those of Table 2 and one for the reset; in Table 7 others.  Table 8 has 98 for HCHfp, Table 9 85 for HEH."""
    schedules = {row["mode"]: row["values"]["cycles"] + 1 for row in TABLES["tes2010", "2"]["rows"]}
    sequential = {row["mode"]: row["values"]["cycles"] for row in TABLES["tes2010", "7"]["rows"]}
    found = set()
    for paper, row in CORES:
        if paper == "tes2010":
            right = (sequential if row["core"] == "sequential" else schedules)[row["mode"]]
            assert value(row, "cycles") == right, row
            found |= {place(paper, row)} if row["values"]["cycles"] != right else set()
    assert found == wrong("cycles") == {("tes2010", "8", "HCHfp"), ("tes2010", "9", "HEH, full, Virtex 2 pro")}


def test_latency_is_the_first_block():
    """In cycles: that of Table 2 with the reset or without, some tables a cycle less; HEH's are those of the misprinted 42."""
    first = {row["mode"]: row["values"]["first_output"] for row in TABLES["tes2010", "2"]["rows"]}
    found = set()
    for paper, row in CORES:
        if "latency" in row["values"]:
            for figures in (row["values"], {name: value(row, name) for name in row["values"]}):
                cycles = figures["latency"] * row["values"]["frequency"]
                far = not first[row["mode"]] - 1.2 <= cycles <= first[row["mode"]] + 2
                assert not far or figures is row["values"], row
                found |= {place(paper, row)} if far else set()
    assert found == wrong("latency") == {
        ("tes2010", "6", "HCH"), ("tes2010", "9", "HCHfp, encrypt-only, Virtex 5"), ("tes2010", "9", "HCHfp, full, Virtex 2 pro"),
    }  # fmt: skip


def test_area_and_time_of_brw2013():
    for row in TABLES["brw2013", "3"]["rows"]:
        values = row["values"]
        assert values["area_time"] == pytest.approx(1e9 / (values["slices"] * values["time"]), rel=1e-4), row


def test_software():
    """Throughput and speedup of Table 10; EME takes 66 calls."""
    rows = TABLES["tes2010", "10"]["rows"]
    core = next(row["values"] for row in rows if row["row"] == "EME here")
    for row in rows:
        values = row["values"]
        assert BITS * values["frequency"] / values["cycles"] / 1000 == pytest.approx(values["throughput"], rel=2e-3)
        assert core["throughput"] / values["throughput"] == pytest.approx(values["speedup"], abs=0.011)
    assert rows[0]["values"]["cycles"] == pytest.approx(66 * 129.28)
