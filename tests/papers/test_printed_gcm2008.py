# SPDX-License-Identifier: Apache-2.0
"""Chapter 4 of gcm2008 as it is printed: the figures of a row agree with each other, and its mix of packets gives Table 4.3."""

from fractions import Fraction

import pytest

from modeloom_papers.stored import printed, value

TABLES = {table["table"]: table for table in printed("gcm2008")}
AREAS = TABLES["4.1"]["rows"] + TABLES["4.2"]["rows"]
MIX = [(row["values"]["bytes"], Fraction(row["values"]["share"], 100)) for row in TABLES["section 4.4"]["rows"]]

NAND2 = 6.724
"""µm² of a gate: area by gates of every row of Table 4.1."""


def named(rows):
    return [row["row"] for row in rows]


def efficiency(size, lost):
    """σ of equation (4.1)."""
    blocks = Fraction(8 * size, 128)
    return blocks / (blocks + lost)


def average(lost, small):
    """Mean of σ over the mix, *small* cycles being lost at packets of 14 blocks or less, and *lost* at the others."""
    return sum(share * efficiency(size, lost if size > 14 * 16 else small) for size, share in MIX)


def shown(row, part):
    """Whether a part of the maximum gives the average that is printed."""
    return round(float(part * Fraction(str(value(row, "maximum")))), 2) == row["values"]["average"]


def test_all_rows_are_there():
    assert {name: len(table["rows"]) for name, table in TABLES.items()} == {
        "4.1": 15,
        "4.2": 10,
        "section 4.4": 4,
        "4.3": 4,
        "4.11": 4,
    }
    for table in TABLES.values():
        assert len(set(named(table["rows"]))) == len(table["rows"])
        for row in table["rows"]:
            assert row["values"].keys() <= table["units"].keys()
            assert bool(row.get("notes")) >= bool(row.get("corrected"))
            assert all(row["values"][name] != right for name, right in row.get("corrected", {}).items())


def test_frequency_and_throughput_are_those_of_the_delay():
    """128 bits in each cycle: so the unit of Table 4.1 is Gbit/s, where GBps is printed."""
    for row in AREAS:
        values = row["values"]
        assert values["frequency"] == round(1000 / values["delay"]), row
        assert values["throughput"] == pytest.approx(128 / values["delay"], abs=0.0061), row


def test_efficiency_is_throughput_by_area():
    for row in AREAS:
        values = row["values"]
        size = values.get("gates", values.get("slices"))
        assert values["efficiency"] == pytest.approx(128e6 / values["delay"] / size, abs=0.011), row


def test_area_is_that_of_the_gates():
    own = [row["values"] for row in TABLES["4.1"]["rows"] if "area" in row["values"]]
    assert len(own) == 12
    for values in own:
        assert values["area"] / values["gates"] == pytest.approx(NAND2, abs=1e-4)


def test_claims_of_the_text():
    """Mastrovito takes 12 % more with S-boxes in LUTs, 18 % with composite ones, at least 20 K gates; 182 kbit/s a gate."""
    gates = {row["row"]: row["values"]["gates"] for row in TABLES["4.1"]["rows"]}
    for design, percent in ((1, 12), (2, 18)):
        more = []
        for goal in ("speed", "area"):
            other = gates[f"#{design}, Mastrovito, {goal}"]
            more += [100 * (other / gates[f"#{design}, {name}, {goal}"] - 1) for name in ("FH", "KA")]
            assert min(other - gates[f"#{design}, {name}, {goal}"] for name in ("FH", "KA")) > 20_000
        assert sum(more) / 4 == pytest.approx(percent, abs=0.7)
    reference = next(row["values"] for row in TABLES["4.1"]["rows"] if row["row"] == "#2, Mastrovito, speed, [29]")
    assert round(1e6 * reference["throughput"] / gates["#2, KA, speed"]) == 182


def test_mix():
    assert [(size, float(share)) for size, share in MIX] == [(1500, 0.6), (576, 0.2), (552, 0.15), (44, 0.05)]
    assert sum(share for _, share in MIX) == 1
    assert float(sum(share * size for size, share in MIX)) == 1100.2


def test_averages_of_the_references():
    """40 and 14 cycles at every packet. 42 is a misprint of 42.67: neither 42 nor the text's 42.7 gives 33.32."""
    rows = {row["row"]: row for row in TABLES["4.3"]["rows"]}
    assert shown(rows["54 Gbps [31]"], average(40, 40))
    assert shown(rows["42 Gbps [29]"], average(14, 14))
    for other in (42, 42.7):
        assert round(float(average(14, 14)) * other, 2) != 33.32
    reference = next(row["values"] for row in TABLES["4.1"]["rows"] if row["row"] == "#1, Mastrovito, speed, [29]")
    assert value(rows["42 Gbps [29]"], "maximum") == reference["throughput"]
    assert [row["row"] for row in rows.values() if "corrected" in row] == ["42 Gbps [29]"]


@pytest.mark.parametrize(("name", "least", "small"), [("36 Gbps, 4-14", 4, 13), ("36 Gbps, 1-14", 1, 11)])
def test_averages_of_the_thesis(name, least, small):
    """The averages tell how many cycles a packet of 44 bytes loses: 13 in one row, 11 in the other, and no other number."""
    (row,) = (row for row in TABLES["4.3"]["rows"] if row["row"] == name)
    assert row["values"]["least_latency"] == least
    assert [lost for lost in range(least, 57) if shown(row, average(least, lost))] == [small]
    assert least <= small <= row["values"]["most_latency"]


def test_percentages():
    for row in TABLES["4.3"]["rows"]:
        assert row["values"]["percentage"] == round(100 * row["values"]["average"] / value(row, "maximum"))


def test_curves_are_the_designs_of_the_table():
    """Fig. 4.11 takes the lower bound of the first design, and 42.7 Gbit/s for the second."""
    for curve, row in zip(TABLES["4.11"]["rows"], TABLES["4.3"]["rows"], strict=True):
        assert curve["core"] == row["core"]
        assert curve["values"]["least_latency"] == row["values"]["least_latency"]
        assert curve["values"]["maximum"] == pytest.approx(value(row, "maximum"), abs=0.031)


def test_one_cycle_lost_at_each_packet():
    """By the thesis's measure 97.07 %, above all of its own; as bytes over cycles 98.23 %, with one cycle more than blocks a packet."""
    assert float(average(1, 1)) == pytest.approx(0.9707, abs=5e-5)
    assert all(100 * average(1, 1) > row["values"]["percentage"] for row in TABLES["4.3"]["rows"])
    cycles = sum(share * (-(-size // 16) + 1) for size, share in MIX)
    assert float(sum(share * Fraction(size, 16) for size, share in MIX) / cycles) == pytest.approx(0.9823, abs=5e-5)
