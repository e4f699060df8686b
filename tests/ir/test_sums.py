# SPDX-License-Identifier: Apache-2.0
"""Plans of long sums: each value added once, no sum too wide, as short as the values allow."""

from __future__ import annotations

import random

import pytest

from modeloom.ir.lower import Value, balance, balance_in_lanes


def carried_out(values, target, width, adder, plan=None):  # type: ignore[no-untyped-def]
    """The sets of values and the times that a plan leaves; checks each addition."""
    sums = {i: ({i}, v.time) for i, v in enumerate(values)}
    full: set[int] = set()
    adders = 0
    for into, parts in balance(values, target, width, adder) if plan is None else plan:
        ready = max(sums[i][1] for i in parts)
        added = set().union(*(sums[i][0] for i in parts))
        if into is None:
            assert 2 <= len(parts) <= width
            sums[len(values) + adders] = added, ready + adder
            full.add(len(values) + adders)
            adders += 1
        else:
            assert into not in parts and 1 <= len(parts) < width and values[into].takes and into not in full
            full.add(into)
            sums[into] = added | sums[into][0], max(sums[into][1], ready + 1)
        for i in parts:
            del sums[i]
    assert set().union(*(s for s, _ in sums.values())) == set(range(len(values)))
    assert sum(len(s) for s, _ in sums.values()) == len(values)
    return sums, adders


@pytest.mark.parametrize("width", [2, 3, 4, 6])
@pytest.mark.parametrize("target", [1, 2, 4])
def test_every_value_is_added_once(width: int, target: int) -> None:
    rng = random.Random(width + 10 * target)
    for n in range(1, 60):
        values = [Value(rng.randrange(12), rng.random() < 0.7) for _ in range(n)]
        sums, _ = carried_out(values, target, width, 1)
        assert len(sums) == min(n, target)


def test_products_need_no_adder() -> None:
    for n in range(2, 90):
        assert carried_out([Value(5 + i // 3, True) for i in range(n)], 1, 4, 1)[1] == 0


@pytest.mark.parametrize(("products", "units", "levels"), [(80, 16, 4), (80, 1, 1), (10, 2, 2), (4, 4, 1), (13, 13, 3), (31, 8, 3)])
def test_the_sum_comes_soon_after_the_last_product(products: int, units: int, levels: int) -> None:
    values = [Value(5 + i // units, True) for i in range(products)]
    ((_, time),) = carried_out(values, 1, 4, 1)[0].values()
    assert time <= values[-1].time + levels


def test_without_results_adders_help() -> None:
    sums, adders = carried_out([Value(0, False)] * 16, 1, 4, 2)
    assert adders == 5 and [time for _, time in sums.values()] == [4]


@pytest.mark.parametrize("target", [1, 2, 4])
@pytest.mark.parametrize("lanes", [2, 3, 8])
def test_every_value_of_lanes_is_added_once(lanes: int, target: int) -> None:
    rng = random.Random(lanes + 10 * target)
    for n in range(1, 60):
        values = [Value(rng.randrange(12), rng.random() < 0.7) for _ in range(n)]
        of = [rng.choice((None, *range(lanes))) for _ in range(n)]
        sums, _ = carried_out(values, target, 4, 1, balance_in_lanes(values, of, target, 4, 1))
        assert len(sums) == min(n, target)


@pytest.mark.parametrize(("lanes", "each", "rows"), [(2, 1, 20), (8, 1, 16), (8, 2, 10)])
def test_most_sums_are_those_of_a_lane(lanes: int, each: int, rows: int) -> None:
    """So many products of each lane in a cycle: the sum comes as soon as without lanes, and all but a few additions stay in a lane."""
    values = [Value(5 + row, True) for row in range(rows) for _ in range(lanes * each)]
    of = [n // each % lanes for n in range(len(values))]
    plan = balance_in_lanes(values, of, 1, 4, 1)
    ((_, time),) = carried_out(values, 1, 4, 1, plan)[0].values()
    ((_, before),) = carried_out(values, 1, 4, 1)[0].values()
    assert time <= before + 2
    across = [one for one in plan if one.into is None or any(of[one.into] != of[i] for i in one.parts)]
    assert len(across) <= lanes * (each + 1) and len(plan) - len(across) >= lanes * each * (rows - 2)
