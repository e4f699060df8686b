# SPDX-License-Identifier: Apache-2.0
"""Rotating cells: no two values meet, with gaps between sectors too, and few cells are lost."""

from __future__ import annotations

import random
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modeloom.allocate.build import rotate


def clashes(spans: list[tuple[int, int]], cells: list[int], count: int, ii: int, gaps: list[int]) -> bool:
    """Runs sectors with the given extra turns between them and looks for two values in one cell at a time."""
    entry, busy = 0, {}
    for sector, gap in enumerate(gaps):
        entry += ii * (1 + gap) if sector else 0
        for value, ((write, last), cell) in enumerate(zip(spans, cells)):
            for cycle in range(entry + write, entry + last):
                key = ((cell + sector) % count, cycle)
                if busy.setdefault(key, (sector, value)) != (sector, value):
                    return True
    return False


@settings(max_examples=150, deadline=None)
@given(
    st.integers(1, 12),
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 50)), min_size=1, max_size=12),
    st.integers(0, 1 << 30),
)
def test_values_never_meet(ii: int, drafts: list[tuple[int, int]], seed: int) -> None:
    spans = [(write, write + length) for write, length in drafts]
    cells, count = rotate(spans, ii)
    rng = random.Random(seed)
    for gaps in ([0] * 30, [rng.choice((0, 0, 1, 3)) for _ in range(30)]):
        assert not clashes(spans, cells, count, ii, gaps)


def test_equal_lifetimes_lose_one_cell_at_most() -> None:
    spans = [(i, i + 64) for i in range(32)]
    assert rotate(spans, 32)[1] <= 65
    assert rotate([], 32) == ([], 1)


@pytest.mark.parametrize("seed", range(5))
def test_few_cells_are_lost(seed: int) -> None:
    rng = random.Random(seed)
    spans = [(w := rng.randrange(100), w + rng.randrange(1, 60)) for _ in range(60)]
    busy = [0] * 33
    for write, last in spans:
        for cycle in range(write, last):
            busy[cycle % 33] += 1
    assert rotate(spans, 33)[1] <= 1.25 * max(busy)


def test_tours_are_nearly_the_best() -> None:
    """Of all orders in which seven values can follow one another in the cells, few save a cell more."""
    excess = []
    for seed in range(40):
        rng = random.Random(seed)
        spans = [(w := rng.randrange(20), w + rng.randrange(1, 25)) for _ in range(7)]
        turns = [[max(0, -(-(end - start) // 5)) for start, _ in spans] for _, end in spans]
        best = min(sum(turns[a][b] for a, b in zip((0, *tour), (*tour, 0))) for tour in permutations(range(1, 7)))
        excess.append(rotate(spans, 5)[1] - max(1, best))
    assert min(excess) == 0 and sum(excess) <= 3, excess
