# SPDX-License-Identifier: Apache-2.0
"""Orders of the fewest clocks, where Schedule reaches them and where it does not."""

from itertools import permutations

import pytest

from modeloom_circuits.brw.products import collapsed_forest, extra_storage, least_clocks, schedule, schedule_text, shortest_schedule


def clocks_of(labels, children, stages):
    """Clocks that a sequence takes if each product is issued as soon as it can be, behind the one before."""
    issued, clock = {}, 0
    for label in labels:
        clock = max([clock + 1, *(issued[child] + stages for child in children[label] if child in issued)])
        issued[label] = clock
    return clock


@pytest.mark.parametrize("stages", (1, 2, 3))
def test_no_sequence_is_shorter(stages):
    """All sequences of up to seven products in which children come first."""
    for m in (2, 4, 6, 8, 10, 12, 14):
        children = collapsed_forest(m).children
        labels = list(children)
        best = min(
            clocks_of(order, children, stages)
            for order in permutations(labels)
            if all(order.index(child) < place for place, label in enumerate(order) for child in children[label])
        )
        assert best == least_clocks(m, stages)


def test_orders_are_orders():
    for stages in (1, 2, 3, 4, 6):
        for m in (*range(1, 42), 56, 100):
            order = shortest_schedule(m, stages)
            issued = {label: clock for clock, label in enumerate(order) if label is not None}
            assert sorted(issued) == list(range(2, m + 1, 2))
            for label, parent in collapsed_forest(m).parents.items():
                assert parent is None or issued[label] + stages <= issued[parent]
            assert len(order) == least_clocks(m, stages) <= len(schedule(m, stages))


def test_schedule_is_shortest_without_idle_clocks():
    """No clock is idle unless 4 divides p with two stages, for p = 3 mod 4 with three: brw2013, theorem 1; 31 blocks are among them."""
    for p in range(7, 120):
        assert least_clocks(2 * p, 1) == len(schedule(2 * p, 1)) == p
        if p % 4:
            assert least_clocks(2 * p, 2) == len(schedule(2 * p, 2)) == p
        if p % 4 == 3:
            assert least_clocks(2 * p, 3) == len(schedule(2 * p, 3)) == p


def test_schedule_is_not_always_shortest():
    """Whole trees cannot do with less; 24 blocks can, so the delays of Schedule are not minimal for every number of blocks."""
    for m in (16, 32, 64):
        assert [least_clocks(m, stages) - len(schedule(m, stages)) for stages in (2, 3)] == [0, 0]
    assert [least_clocks(24, stages) - len(schedule(24, stages)) for stages in (2, 3)] == [-1, -1]
    assert [least_clocks(56, stages) - len(schedule(56, stages)) for stages in (2, 3)] == [-1, -2]
    assert schedule_text(shortest_schedule(24, 2)) == "2 6 4 10 8 12 14 18 22 20 16 24"


def test_the_order_stays_near_schedule():
    """Nothing changes where Schedule is shortest; elsewhere it stores little more."""
    for m in range(1, 65):
        order = shortest_schedule(m, 3)
        if least_clocks(m, 3) == len(schedule(m, 3)):
            assert order == schedule(m, 3)
        assert extra_storage(m, 3, order) <= extra_storage(m, 3) + 1


@pytest.mark.parametrize(("m", "stages"), ((0, 3), (31, 0), (True, 3), (31, 2.0)))
def test_refused(m, stages):
    for function in (least_clocks, shortest_schedule):
        with pytest.raises((TypeError, ValueError), match="must be"):
            function(m, stages)
