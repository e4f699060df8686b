# SPDX-License-Identifier: Apache-2.0
"""Storage of products: the examples of brw2013, section 2.4 and section 3, and a count from the values themselves."""

from itertools import combinations

import pytest

from modeloom_circuits.brw.products import collapsed_forest, extra_storage, locations, schedule, stored_products


def held_values(m, stages, *, added):
    """Most values, or sums for one node if ``added``, that wait at the end of a clock."""
    parents = collapsed_forest(m).parents
    issued = {label: clock for clock, label in enumerate(schedule(m, stages), 1) if label is not None}
    most = 0
    for clock in range(1, len(schedule(m, stages)) + 1):
        waiting = [
            parent for label, parent in parents.items() if parent and issued[label] + stages <= clock < issued[parent]
        ]  # fmt: skip
        most = max(most, len(set(waiting)) if added else len(waiting))
    return most


def test_example_of_30_blocks():
    """Two stages: 6, 8, 12 and 20 are stored, one location; 12 joins 8 there, so it is a sum, not a product, that is held."""
    assert stored_products(30, 2) == (6, 8, 12, 20)
    assert [(place.number, place.reader, place.products) for place in locations(30, 2)] == [
        (0, 8, (6,)), (0, 16, (8, 12)), (0, 24, (20,)),
    ]  # fmt: skip
    assert extra_storage(30, 2) == 1 == held_values(30, 2, added=True)
    assert held_values(30, 2, added=False) == 2, "the two principles as printed, without the addition"


def test_accumulators_of_fig_8():
    """31 blocks, three stages: ACC1 takes M_2, M_5, M_6 and M_9, ACC2 the products M_10, M_13, M_14 and M_15 of the roots."""
    order = schedule(31, 3)
    assert [order.index(label) + 1 for label in stored_products(31, 3)] == [2, 5, 6, 9]
    assert sorted(order.index(root) + 1 for root in collapsed_forest(31).roots) == [10, 13, 14, 15]
    assert {place.number for place in locations(31, 3)} == {0}


def test_storing_every_product_first_takes_more():
    """The order of equation (2) takes 15 clocks as well: seven of its eight leaves wait together."""
    order = [2, 6, 10, 14, 18, 22, 26, 30, 4, 12, 20, 28, 8, 24, 16]
    parents = collapsed_forest(30).parents
    issued = {label: clock for clock, label in enumerate(order, 1)}
    waiting = [
        {parent for label, parent in parents.items() if parent and issued[label] + 2 <= clock < issued[parent]} for clock in range(1, 16)
    ]
    assert max(map(len, waiting)) > extra_storage(30, 2)


@pytest.mark.parametrize("stages", (1, 2, 3, 4, 6))
def test_locations_are_as_few_as_possible(stages):
    for m in (*range(1, 70), 127, 128, 255):
        assert extra_storage(m, stages) == held_values(m, stages, added=True)


def test_locations_are_free_when_they_are_taken():
    for m in (63, 64, 200):
        for one, other in combinations(locations(m, 3), 2):
            assert one.number != other.number or one.last <= other.first or other.last <= one.first


@pytest.mark.parametrize("stages", (1, 2, 3))
def test_slow_growth(stages):
    """Fig. 6: one location from 8 blocks on, two from 32, three from 128, four from 512."""
    limits = (8, 32, 128, 512)
    for m in (*range(1, 40), 77, 100, 126, 127, 128, 129, 300, 510, 511, 512, 513):
        assert extra_storage(m, stages) == sum(limit <= m for limit in limits)
