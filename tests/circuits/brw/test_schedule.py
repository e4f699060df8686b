# SPDX-License-Identifier: Apache-2.0
"""Algorithm Schedule against what brw2013 prints: its sequences, example 1, theorem 1, the recursion; and the printed errors."""

import pytest

import modeloom_golden as golden
from modeloom_circuits import printed
from modeloom_circuits.brw.products import (
    collapsed_forest,
    recursive_schedule,
    run_schedule,
    schedule,
    schedule_table,
    schedule_text,
    total_clocks,
)

SEQUENCES = {(row["values"]["m"], row["values"]["NS"]): row["values"]["sequence"] for row in printed("brw2013", "sequences")}


@pytest.mark.parametrize(("m", "stages"), SEQUENCES)
def test_sequences_as_printed(m, stages):
    assert [label for label in schedule(m, stages) if label is not None] == SEQUENCES[m, stages]


def test_text():
    assert schedule_text(schedule(16, 2)) == "2 6 4 10 8 12 14 – 16"
    assert schedule_text(schedule(30, 2)) == "2 6 4 10 8 12 14 18 16 20 22 26 24 28 30"
    assert schedule(1, 3) == () and schedule_text(schedule(1, 3)) == ""


def test_table_1():
    """Blocks, what is issued, total clocks; worked out by hand.  The entries of the table are lost in the text of the paper."""
    assert schedule_table((2, 4, 6, 8, 9), 2) == [
        (2, "2", 1), (4, "2 – 4", 3), (6, "2 6 4", 3), (8, "2 6 4 – 8", 5), (9, "2 6 4 – 8", 5),
    ]  # fmt: skip
    assert schedule_table((6, 8, 10), 3) == [(6, "2 6 – 4", 4), (8, "2 6 – 4 – – 8", 7), (10, "2 6 10 4 – – 8", 7)]
    assert schedule_table(range(30, 32), 3) == [(m, schedule_text(SEQUENCES[31, 3]), 15) for m in (30, 31)]


def test_example_1():
    """Fig. 5, column by column."""
    assert [(turn.clock, turn.output, turn.l1, turn.l2) for turn in run_schedule(16, 2)] == [
        (1, 2, (6, 10, 14), ((4, 1),)),
        (2, 6, (10, 14), ((4, 1),)),
        (3, 4, (10, 14), ((8, 3),)),
        (4, 10, (14,), ((8, 3), (12, 4))),
        (5, 8, (14,), ((12, 4),)),
        (6, 12, (14,), ()),
        (7, 14, (), ((16, 7),)),
        (8, None, (), ((16, 7),)),
        (9, 16, (), ()),
    ]


def as_printed(m, stages, *, line_10=False, line_12=False, line_19=False, limit=200):
    """Fig. 4 with some of its lines as they are printed: what is issued in each clock, at most ``limit`` turns of the loop."""
    forest = collapsed_forest(m)
    left = {label: len(below) for label, below in forest.children.items()}
    l1, l2, clock, issued = list(forest.independent), [], 1, {}
    for _ in range(limit):
        if not (l1 and l2 if line_10 else l1 or l2):
            break
        distance = clock - l2[0][1] if l2 else 0
        dependent = bool(l2) and (distance > stages if line_12 else distance >= stages)
        label = l2.pop(0)[0] if dependent else l1.pop(0) if l1 else None
        if label is not None:
            issued.setdefault(clock, []).append(label)
            above = forest.parents[label]
            if above is not None:
                left[above] -= 1
                if not left[above]:
                    l2.append((above, clock))
        if not (line_19 and dependent):
            clock += 1
    return issued


def test_errata_of_fig_4():
    right = {clock: [label] for clock, label in enumerate(schedule(16, 2), 1) if label is not None}
    assert as_printed(16, 2) == right and right[9] == [16] and len(right) == 8
    assert as_printed(16, 2, line_10=True) == {}, "L_2 is empty at the beginning: nothing would be issued"
    assert as_printed(16, 2, line_12=True)[3] == [10], "node 4 would miss clock 3, in which example 1 issues it"
    assert as_printed(16, 2, line_19=True)[3] == [4, 10], "two nodes would be issued in one clock"


def test_products_are_finished_when_they_are_read():
    for stages in (1, 2, 3, 4, 7):
        for m in (*range(1, 70), 255, 256, 300):
            issued = {label: clock for clock, label in enumerate(schedule(m, stages)) if label is not None}
            assert sorted(issued) == list(range(2, m + 1, 2))
            for label, parent in collapsed_forest(m).parents.items():
                assert parent is None or issued[label] + stages <= issued[parent]


def test_the_references_agree():
    for stages in (1, 2, 3, 5):
        for m in (*range(1, 40), 129):
            assert list(schedule(m, stages)) == golden.schedule(m, stages)


def test_theorem_1():
    """The clocks of the algorithm are those of the formula: p + 1 if 4 divides p, else p, for two stages."""
    for m in (*range(6, 200), *range(390, 402), 600):
        p = m // 2
        assert total_clocks(m, 2) == len(schedule(m, 2)) == p + (p % 4 == 0)
    for m in (*range(12, 200), *range(390, 402), 600):
        p = m // 2
        assert total_clocks(m, 3) == len(schedule(m, 3)) == p + (2, 1, 1, 0)[p % 4]
    assert len(schedule(30, 3)) == len(schedule(31, 3)) == 15
    assert all(total_clocks(m, 1) == len(schedule(m, 1)) == m // 2 for m in range(1, 100))


def test_where_the_formula_begins():
    assert [len(schedule(2 * p, 2)) - p for p in range(1, 4)] == [0, 1, 0]
    assert [len(schedule(2 * p, 3)) - p for p in range(1, 7)] == [0, 2, 1, 3, 2, 1]
    for m, stages in ((4, 2), (10, 3), (30, 4)):
        with pytest.raises(ValueError, match="formula"):
            total_clocks(m, stages)


@pytest.mark.parametrize("stages", (2, 3))
def test_recursion(stages):
    for p in (*range({2: 4, 3: 6}[stages], 90), 150, 151, 152, 153):
        assert list(recursive_schedule(p, stages)) == [label for label in schedule(2 * p, stages) if label is not None]


def test_recursion_does_not_begin_earlier():
    """For NS = 3 the step from 5 products to 6 is another one, as the paper says."""
    assert schedule(10, 3)[:5] == (2, 6, 10, 4, None) and [x for x in schedule(12, 3) if x] != [*(x for x in schedule(10, 3) if x), 12]
    for p, stages in ((3, 2), (5, 3), (8, 4)):
        with pytest.raises(ValueError, match="recursive_schedule"):
            recursive_schedule(p, stages)


@pytest.mark.parametrize("stages", (0, True, 2.0))
def test_refused(stages):
    with pytest.raises((TypeError, ValueError), match="stages must be"):
        schedule(31, stages)
