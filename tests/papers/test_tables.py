# SPDX-License-Identifier: Apache-2.0
"""Data and page: every printed row has its place, and ours stands beside it if it was measured."""

import pytest

from modeloom.spec import UnknownName
from modeloom_papers import ours, page, rounds, rounds_page, speedup, tables, thesis, thesis_page
from modeloom_papers.ours import Core, areas, cores, overlapped, plain, schedules, target_of
from modeloom_papers.page import COLUMNS, SENTENCES
from modeloom_papers.stored import KINDS, PAPERS, measured, printed
from modeloom_papers.tables import names


def rows(paper, number):
    return {row["row"]: row for table in printed(paper) if table["table"] == number for row in table["rows"]}


@pytest.fixture
def figures(monkeypatch):
    """Made-up figures in the place of the measured ones."""
    made = {kind: {} for kind in KINDS}
    monkeypatch.setattr(ours, "measured", lambda kind: made[kind])
    for module in (thesis, rounds, speedup):
        monkeypatch.setattr(module, "measured", lambda kind: {})
    return made


def test_every_table_has_columns_and_a_sentence():
    assert names() == [
        *(f"tes2010-{number}" for number in (1, 2, 3, 6, 7, 8, 9, 10)), "brw2013-3",
        *(f"gcm2008-{number}" for number in ("4.1", "4.2", "section-4.4", "4.3", "4.11")),
        *(f"luts2017-{number}" for number in ("section-2.3", *range(2, 9))),
    ]  # fmt: skip
    columns, sentences = ([getattr(each, part) for each in (thesis_page, rounds_page)] for part in ("COLUMNS", "SENTENCES"))
    assert COLUMNS.keys() | columns[0].keys() | columns[1].keys() == set(names())
    assert SENTENCES.keys() | sentences[0].keys() | sentences[1].keys() == set(names())


def test_rows_of_the_data():
    data = {table["name"]: table for table in tables()}
    assert list(data) == names()
    for paper in PAPERS:
        for table in printed(paper):
            entry = data[f"{paper}-{table['table']}"]
            assert entry["units"] == table["units"] and entry["title"] == table["title"]
            for row, shown in zip(table["rows"], entry["rows"]):
                assert list(shown) == [
                    "row", "mode", "core", "device", "printed", "corrected", "notes", "commands", "target", "ours",
                ]  # fmt: skip
                assert (shown["row"], shown["printed"]) == (row["row"], row["values"])
    assert [row["row"] for row in data["tes2010-10"]["rows"] if not row["printed"]] == [row["row"] for row in ours.software()]


def test_chosen_tables():
    assert [table["name"] for table in tables(["brw2013-3", "tes2010-2"])] == ["tes2010-2", "brw2013-3"]
    assert page(["tes2010-2"]).startswith("## tes2010, Table 2: ")
    with pytest.raises(UnknownName, match="unknown table 'tes2010-4'"):
        tables(["tes2010-4"])


def test_the_core_of_a_row():
    heh, spartan = rows("tes2010", "6")["HEH"], rows("tes2010", "9")["HCTR, sequential, Spartan 3E"]
    assert plain("tes2010", heh).arguments == "heh-poly --preset tes2010-full --exact"
    assert overlapped("tes2010", spartan).arguments == "hctr --preset tes2010-sequential --overlap"
    assert target_of(spartan) == "xc3se"
    assert {core.preset for core in cores() if core.mode == "hmch-brw"} == {f"brw2013-hmch-brw-{n}" for n in (1, 2, 3)}
    assert Core("eme", "default", True, (("cipher_cores", 2),)).arguments == "eme --cipher-cores 2"
    options = Core("heh-brw", "brw2013-2core", False).options()
    assert (options.exact, options.overlap, options.aes) == (True, False, 2)


def test_each_core_is_measured_once():
    """19 cores of tes2010 and 8 of brw2013, plain and overlapped; 7 on default units; Virtex-II Pro shares the target of Virtex-4."""
    assert (len(cores()), len(schedules()), len(areas())) == (54, 61, 96)
    assert len(set(areas())) == 96 and set(cores()) <= set(schedules())


def test_what_is_not_measured_is_none(figures):
    for table in tables():
        for row in table["rows"]:
            # Where nothing is measured, operations are counted, and designs with a fixed latency reckoned.
            if table["name"] != "tes2010-1" and row["printed"] and row["row"] not in thesis.FIXED and table["name"] != "gcm2008-4.3":
                assert set(row["ours"].values()) <= {None}
    line = next(line for line in page(["tes2010-6"]).splitlines() if line.startswith("| HEH"))
    assert [cell.strip() for cell in line.strip("|").split("|")][6:] == ["-"] * 10


def test_throughput_is_that_of_the_printed_clock(figures):
    row = rows("tes2010", "8")["HEH"]
    figures["cores"][plain("tes2010", row).arguments] = {"cycles_per_sector": 74, "interval": 75}
    figures["areas"][f"{plain('tes2010', row).arguments} --target xc4v"] = {
        "luts": 30000, "lut_memory": 200, "registers": 9000, "block_rams": 80,
    }  # fmt: skip
    found = ours.hardware("tes2010", row)
    assert found["plain_throughput"] == round(4096 * 93.70 / 74 / 1000, 3) and found["plain_interval"] == 75
    assert found["overlapped_cycles"] is None and found["overlapped_throughput"] is None
    line = next(line for line in page(["tes2010-8"]).splitlines() if line.startswith("| HEH"))
    assert [cell.strip() for cell in line.strip("|").split("|")][6:11] == ["30200", "9000", "80", "74", "5.186"]


def test_software_is_reckoned_by_calls(figures):
    """66 calls of 2 ns are 132 ns: 264 cycles at 2 GHz, 31.03 Gbit/s."""
    about = {"processor": "one", "mhz": 2000, "library": "some"}
    figures["software"]["aes-128-ecb"] = {"ns": 2.0, **about}
    eme = next(row for row in ours.software() if row["row"].startswith("EME"))
    assert (eme["ns"], eme["cycles"], eme["throughput"], eme["speedup"]) == (132.0, 264.0, 31.03, None)
    row = rows("tes2010", "8")["EME"]
    figures["cores"][overlapped("tes2010", row).arguments] = {"cycles_per_sector": 65}
    eme = next(row for row in ours.software() if row["row"].startswith("EME"))
    assert eme["speedup"] == round(round(4096 * 149.09 / 65 / 1000, 3) / 31.03, 2)


def test_misprints_are_shown_beside_what_is_right():
    text = page(["tes2010-9"])
    assert "3.452 (3.493)" in text and "- TET, encrypt-only, Virtex 5: 111 cycles at 125.3 MHz are 0.886 µs.\n" in text
    assert "42 (43)" in page(["tes2010-2"])


def test_kinds_of_figures():
    with pytest.raises(ValueError, match="no kind of figures is called 'area'"):
        measured("area")
