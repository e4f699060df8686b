# SPDX-License-Identifier: Apache-2.0
"""Tables 2 to 8 of luts2017: the printed figures agree with each other, ours are stored and belong to rows, and one is measured again."""

import json

import pytest
from tests.scripts import script

from modeloom_circuits import printed as circuits_printed
from modeloom_papers import page, rounds, tables
from modeloom_papers.rounds import GIGABIT, MORE, SUBJECTS, subjects
from modeloom_papers.stored import measured, printed, value

TABLES = {table["table"]: table for table in printed("luts2017")}

BITS_BY_CYCLES = {"2": 128 / 10, "3": 128 / 10, "5": 128 / 15, "6": 128 / 15, "7": 128 / 15, "8": 64 / 32}
"""Bits of a block by its cycles."""

OTHER_CYCLES = {"[17]": 128 / 20, **{f"Virtex {n}, [15], unrolled, key schedule offline": 128 for n in (5, 6)}}


@pytest.fixture(scope="module")
def bench():
    return script("bench/papers_luts2017.py")


def test_all_rows_are_there():
    assert {name: len(table["rows"]) for name, table in TABLES.items()} == {
        "section 2.3": 0, "2": 7, "3": 3, "4": 4, "5": 4, "6": 2, "7": 2, "8": 2,
    }  # fmt: skip
    for table in TABLES.values():
        assert len({row["row"] for row in table["rows"]}) == len(table["rows"])
        for row in table["rows"]:
            assert row["values"].keys() <= table["units"].keys()
            assert bool(row.get("notes")) >= bool(row.get("corrected"))
            assert all(row["values"][name] != right for name, right in row.get("corrected", {}).items())


@pytest.mark.parametrize("number", BITS_BY_CYCLES)
def test_throughput_and_efficiency_follow_from_the_clock(number):
    """As corrected.  As printed, three rows would be wrong."""
    for row in TABLES[number]["rows"]:
        rate = OTHER_CYCLES.get(row["row"], BITS_BY_CYCLES[number]) * row["values"]["frequency"]
        shown = value(row, "throughput") * (1000 if number in GIGABIT else 1)
        assert rate == pytest.approx(shown, rel=0.007 if number in GIGABIT else 0.001), row
        size = row["values"].get("slices", row["values"].get("kilogates"))
        assert rate / size == pytest.approx(value(row, "efficiency"), rel=0.013), row


def test_misprints():
    wrong = {row["row"]: set(row["corrected"]) for table in TABLES.values() for row in table["rows"] if "corrected" in row}
    assert wrong == {
        "Virtex 6, ours, 4 streams, key schedule none": {"throughput", "efficiency"},
        "Virtex 5, [14], 4 streams, key schedule offline": {"efficiency"},
        "[17]": {"throughput"},
    }


def test_circuits_have_the_same_figures():
    for number in ("2", "3"):
        assert {row["row"]: row["values"] for row in circuits_printed("luts2017", number)} == {
            row["row"]: row["values"] for row in TABLES[number]["rows"]
        }


def test_every_command_belongs_to_a_row():
    for number, by_row in SUBJECTS.items():
        assert by_row.keys() <= {row["row"] for row in TABLES[number]["rows"]}
    assert MORE.keys() <= TABLES.keys() and len(set(subjects())) == len(subjects())


def test_what_is_stored_is_asked_for_and_complete():
    assert list(measured("rounds")) == subjects()
    for row in measured("rounds").values():
        assert row["cycles"] > 0 and (row.get("gates") or row["pairs"] >= max(row["luts"], row["registers"])), row
        assert ("blocks" in row) == row["name"].startswith("build "), row


def test_blocks_of_cores_add_up():
    """Those of flattened cores up to what is shared across borders, and to what a core with one direction does not need behind them.

    These are the same registers in each order of the parts of a message.
    """
    for row in (row for row in measured("rounds").values() if "blocks" in row):
        size = "gates" if "gates" in row else "luts"
        one_way = "--direction" in row["name"]
        luts, registers = (1.18, 1 + 545 / row["registers"]) if one_way else (1.1, 1.05)
        for name, most in ((size, 1.0 if size == "gates" else luts), ("registers", 1.0 if size == "gates" else registers)):
            assert row[name] - 3 <= sum(block[name] for block in row["blocks"].values()) <= most * row[name] + 3, (row["name"], name)


def test_pairs_of_the_core_of_table_5():
    """As the page says: what the paper's design has, with its key schedule, takes no more pairs than that."""
    parts = measured("rounds")[SUBJECTS["5"]["Virtex 6, ours"][""]]["parts"]
    assert any("3800 LUT-FF pairs" in note for note in TABLES["5"]["notes"])
    assert sum(part["pairs"] for part in parts.values()) <= 3800


def test_luts_of_the_cores_of_table_6():
    """The pipeline with its cipher has fewer LUTs than the slices of the paper, which have four each; text first, with the key schedule."""
    slices = next(row["values"]["slices"] for row in TABLES["6"]["rows"] if row["row"] == "Ours")
    plain, first = (measured("rounds")[command]["parts"] for command in (SUBJECTS["6"]["Ours"][""], MORE["6"][0].command))
    assert slices == 566 and plain["pipeline with its cipher"]["luts"] < 4 * slices
    assert sum(part["luts"] for part in first.values()) < 4 * slices


def test_streams_cost_no_luts():
    """Tables 2 and 8: at most two percent."""
    luts = {name: row.get("luts") for name, row in measured("rounds").items()}
    one, *more = (luts[f"circuit aes-multistream --direction encrypt --streams {n} --target xc6v"] for n in (1, 2, 4))
    assert max(more) <= 1.02 * one
    for bits in (64, 128):
        three = luts[f"circuit led-multistream --streams 3 --key-bits {bits} --target xc3se"]
        assert three <= 1.02 * luts[f"circuit led --key-bits {bits} --target xc3se"]


def test_throughput_is_that_of_the_printed_clock():
    (table,) = tables(["luts2017-8"])
    row = next(row for row in table["rows"] if row["row"] == "Ours, 3 streams")
    assert row["ours"]["throughput"] == 514 and row["ours"]["efficiency"] == round(514 / row["ours"]["pairs"], 2)
    assert row["commands"] == {"ours": "circuit led-multistream --streams 3 --key-bits 64 --target xc3se"} and row["target"] == "xc3se"


def test_figures_of_a_row_with_two_commands_and_of_cells(monkeypatch):
    made = {"a": {"pairs": 1000, "cycles": 14}, "b": {"gates": 50_000, "cycles": 15}}
    monkeypatch.setattr(rounds, "measured", lambda kind: made)
    row = TABLES["4"]["rows"][0]
    found = rounds.ours("4", row, {"two": "a", "four": "c"})
    assert (found["two_pairs"], found["two_throughput"], found["four_pairs"]) == (1000, round(492 * 128 / 14), None)
    found = rounds.ours("7", TABLES["7"]["rows"][0], {"": "b"})
    assert (found["kilogates"], found["throughput"], found["efficiency"]) == (50.0, 7228, round(847 * 128 / 15 / 50, 2))


def test_page():
    assert page(["luts2017"]).startswith("## luts2017: many streams through one round\n")
    assert page(["luts2017-7"]).startswith("## luts2017, Table 7: ") and "1.03 (1030)" in page(["luts2017-6"])


def test_one_circuit_measured_again(bench):
    name = "circuit led-multistream --streams 3 --key-bits 64 --target xc3se"
    assert json.loads(json.dumps(bench.measure(name))) == measured("rounds")[name]


def test_cells_give_gates(bench):
    """As for Table 7."""
    row = bench.measure("circuit led --target liberty:bench/pitches.lib")
    assert row["gates"] > 1000 and row["cycles"] == 32 and "pairs" not in row


def test_wrong_commands(bench):
    for command in ("circuit led", "explain gcm --target xc7"):
        with pytest.raises(ValueError, match="not a circuit or core with a target"):
            bench.measure(command)
    with pytest.raises(SystemExit):
        bench.main(["--only", "nothing"])


def test_rows_are_stored_in_their_order(bench, monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "STORED", tmp_path / "rounds.json")
    first, second = subjects()[:2]
    for name in (second, first, "circuit no-longer --target xc7"):
        bench.store({"name": name})
    assert list(bench.known()) == [first, second]
