# SPDX-License-Identifier: Apache-2.0
"""What the papers print: fields, and that the figures of a row agree with each other."""

import json
from importlib.resources import files

import pytest

PRINTED = files("modeloom.circuits") / "printed"


def rows(paper, table=None):
    data = json.loads((PRINTED / f"{paper}.json").read_text(encoding="utf-8"))
    assert data["source"] == paper
    return [row for row in data["rows"] if table in (None, row["table"])]


@pytest.mark.parametrize(
    ("paper", "tables"), [("luts2017", {"Fig. 1", "Table 1", "Table 2", "Table 3"}), ("tes2010", {"Table 4", "Table 5"})]
)
def test_every_value_has_a_unit(paper, tables):
    assert tables <= {row["table"] for row in rows(paper)}
    for row in rows(paper):
        assert row["values"].keys() == row["units"].keys()
        assert row.get("corrected", {}).keys() <= row["values"].keys()
    assert len({(row["table"], row["row"]) for row in rows(paper)}) == len(rows(paper))


def test_erratum_of_the_throughput_of_round_cores():
    """Ten rounds of 128 bits: 128 f / 10, whatever the number of streams.  As printed, 752 MHz would give both 9.5 and 9.6 Gbit/s."""
    own = [row for table in ("Table 2", "Table 3") for row in rows("luts2017", table) if "ours" in row["row"]]
    assert len(own) == 6
    wrong = []
    for row in own:
        throughput = 128 * row["values"]["frequency"] / 10 / 1000
        right = row.get("corrected", row["values"])["throughput"]
        assert throughput == pytest.approx(right, abs=0.051), row
        wrong += [row["row"]] if abs(throughput - row["values"]["throughput"]) > 0.051 else []
    assert wrong == ["Virtex 6, ours, 4 streams, key schedule none"]


def test_throughput_of_tes2010_is_a_block_for_each_run():
    for row in rows("tes2010", "Table 5"):
        values = row["values"]
        assert 128 * values["frequency"] / values["cycles"] / 1000 == pytest.approx(values["throughput"], rel=0.01)
