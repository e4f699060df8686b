# SPDX-License-Identifier: Apache-2.0
"""What the project wants of the tables.

All schedules and the software are measured; cores at the pins and areas take hours, and the page shows "-" where they are not.
"""

import pytest
from tests.scripts import script

from modeloom_papers import tables
from modeloom_papers.ours import plain
from modeloom_papers.stored import measured, printed

PLAIN = {
    "HCH": (106, 75), "HCHfp": (95, 64), "HCTR": (88, 55), "XCB": (89, None), "EME": (98, None), "TET": (108, None), "HEH": (74, 43),
}  # fmt: skip
"""Most cycles, and most cycles to the first block where the paper's are to be met."""

BRW2013 = {
    "HMCH[BRW]-1": 66, "HMCH[BRW]-2": 66, "HMCH[BRW]-3": 80, "HEH[BRW]-1": 55, "HEH[BRW]-2": 55, "HEH[BRW]-3": 69, "HMCH[Poly]": 94,
    "HEH[Poly]": 83,
}  # fmt: skip


def plain_cycles(paper, table):
    """Cycles of the plain schedules of a table, and what is printed."""
    (found,) = (one for one in printed(paper) if one["table"] == table)
    return {row["row"]: (measured("schedules")[plain(paper, row).arguments]["cycles_per_sector"], row) for row in found["rows"]}


def ours(name):
    (table,) = tables([name])
    return {row["row"]: row["ours"] for row in table["rows"] if row["printed"]}


def at_32_blocks(formula):
    """The value of a printed formula such as 2(m + 1)."""
    return eval(formula.replace("2m", "2 * m").replace("2(", "2 * ("), {"m": 32})


@pytest.mark.parametrize("kind", ["schedules", "software"])
def test_everything_is_measured(kind):
    assert list(measured(kind)) == [name for name, *_ in script("bench/papers.py").rows(kind)]


def test_operations_are_never_above_the_printed_ones():
    (table,) = (table for table in printed("tes2010") if table["table"] == "1")
    for row in table["rows"]:
        found = ours("tes2010-1")[row["row"]]
        calls, products = (at_32_blocks(row["values"][name]) for name in ("calls", "multiplications"))
        assert found["calls"] + found["setup_calls"] <= calls, row["row"]
        assert found["multiplications"] <= products, row["row"]


def test_plain_schedules():
    for mode, (cycles, first) in PLAIN.items():
        row = ours("tes2010-2")[mode]
        assert row["plain_cycles"] <= cycles, mode
        assert first is None or row["plain_first_output"] <= first, mode


def test_sequential_cores():
    for name, (cycles, row) in plain_cycles("tes2010", "7").items():
        assert cycles <= row["values"]["cycles"], name


def test_plain_cores_of_brw2013():
    found = plain_cycles("brw2013", "3")
    for mode, cycles in BRW2013.items():
        assert found[mode][0] <= cycles, mode


def test_overlapped_cores_are_at_their_bound():
    for name, row in measured("schedules").items():
        assert not row["overlap"] or row["ii"] == row["ii_bound"], name
    for row in ours("tes2010-2").values():
        assert 32 <= row["matched_cycles"] == row["matched_bound"] <= 35


def test_the_bench_counts_what_the_schedules_say():
    for name, row in measured("cores").items():
        assert row["cycles_per_sector"] == measured("schedules")[name]["cycles_per_sector"], name
