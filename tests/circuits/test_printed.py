# SPDX-License-Identifier: Apache-2.0
"""What the papers print: fields, and that the figures of a row agree with each other."""

import pytest

from modeloom_circuits import printed


@pytest.mark.parametrize(
    ("paper", "tables"),
    [("brw2013", {"2"}), ("gcm2008", {"3.1", "3.2", "3.3", "3.4"}), ("luts2017", {"Fig. 1", "1", "2", "3"}), ("tes2010", {"4", "5"})],
)
def test_every_value_has_a_unit(paper, tables):
    assert tables <= {row["table"] for row in printed(paper)}
    for row in printed(paper):
        assert row["values"].keys() == row["units"].keys()
        assert row.get("corrected", {}).keys() <= row["values"].keys()
    assert len({(row["table"], row["row"]) for row in printed(paper)}) == len(printed(paper))


def test_erratum_of_the_throughput_of_round_cores():
    """Ten rounds of 128 bits: 128 f / 10, whatever the number of streams.  As printed, 752 MHz would give both 9.5 and 9.6 Gbit/s."""
    own = [row for table in ("2", "3") for row in printed("luts2017", table) if "ours" in row["row"]]
    assert len(own) == 6
    wrong = []
    for row in own:
        throughput = 128 * row["values"]["frequency"] / 10 / 1000
        right = row.get("corrected", row["values"])["throughput"]
        assert throughput == pytest.approx(right, abs=0.051), row
        wrong += [row["row"]] if abs(throughput - row["values"]["throughput"]) > 0.051 else []
    assert wrong == ["Virtex 6, ours, 4 streams, key schedule none"]


def test_throughput_of_tes2010_is_a_block_for_each_run():
    for row in printed("tes2010", "5"):
        values = row["values"]
        assert 128 * values["frequency"] / values["cycles"] / 1000 == pytest.approx(values["throughput"], rel=0.01)
