# SPDX-License-Identifier: Apache-2.0
"""Binds values to the cells of a memory whose addresses rotate from sector to sector.

Value v of sector s lies in cell (a_v + s) mod R.  Seen from one cell, values follow each other around a circle of R * II cycles: after
v of sector s comes u of sector s + d, d >= 0, written no earlier than v was read last.  As sectors along the circle only grow, a sector
that enters late moves everything after it, and nothing collides.  The order around the circle is a tour; R is its length / II.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["rotate"]


def _step(write: int, end: int, ii: int) -> int:
    """The number of sectors d >= 0 after which a value written at ``write`` can follow a value that ends at ``end``."""
    return max(0, -((write - end) // ii))


def rotate(spans: Sequence[tuple[int, int]], ii: int) -> tuple[list[int], int]:
    """Cells of values given as (write, last read) cycles of their sector.

    Returns
    -------
    cells : list of int
        a_v for each value.
    count : int
        R, at least 1.
    """
    if not spans:
        return [], 1
    n = len(spans)
    bound = max(1, _bound(spans, ii))
    starts = sorted(range(n), key=lambda i: (spans[i][0] - spans[i][1], spans[i]))[: min(n, 40)]
    best: list[int] = []
    least: int | None = None
    for first in starts:
        tour = _tour(first, spans, ii)
        length = _cells(tour, spans, ii)
        if least is None or length < least:
            least, best = length, tour
        if least <= bound:
            break
    assert least is not None
    count, tour = _improve(best, least, bound, spans, ii)
    cells = [0] * n
    sector = 0
    for here, after in zip(tour, tour[1:] + tour[:1]):
        cells[here] = -sector % count
        sector += _step(spans[after][0], spans[here][1], ii)
    return cells, count


def _bound(spans: Sequence[tuple[int, int]], ii: int) -> int:
    busy = [0] * ii
    for write, last in spans:
        turns, rest = divmod(last - write, ii)
        for slot in range(ii):
            busy[slot] += turns
        for cycle in range(write, write + rest):
            busy[cycle % ii] += 1
    return max(busy)


def _tour(first: int, spans: Sequence[tuple[int, int]], ii: int) -> list[int]:
    """Nearest neighbour: each value is followed by the one that leaves the cell empty for the shortest time."""
    left = set(range(len(spans))) - {first}
    tour = [first]
    while left:
        end = spans[tour[-1]][1]
        nearest = min(left, key=lambda i: (spans[i][0] - end + ii * _step(spans[i][0], end, ii), spans[i][0] - spans[i][1], i))
        tour.append(nearest)
        left.remove(nearest)
    return tour


def _cells(tour: list[int], spans: Sequence[tuple[int, int]], ii: int) -> int:
    steps = sum(_step(spans[b][0], spans[a][1], ii) for a, b in zip(tour, tour[1:] + tour[:1]))
    return max(1, steps)


def _improve(tour: list[int], count: int, bound: int, spans: Sequence[tuple[int, int]], ii: int) -> tuple[int, list[int]]:
    """Moves single values to better positions as long as this saves a cell."""

    def edge(a: int, b: int) -> int:
        return _step(spans[b][0], spans[a][1], ii)

    improved = len(tour) > 3
    while improved and count > bound:
        improved = False
        for i in range(len(tour)):
            value = tour[i]
            rest = tour[:i] + tour[i + 1 :]
            saved = edge(rest[i - 1], value) + edge(value, rest[i % len(rest)]) - edge(rest[i - 1], rest[i % len(rest)])
            if saved <= 0:
                continue
            for j in range(len(rest)):
                before, after = rest[j - 1], rest[j]
                cost = edge(before, value) + edge(value, after) - edge(before, after)
                if cost < saved:
                    tour = rest[:j] + [value] + rest[j:]
                    count -= saved - cost
                    improved = True
                    break
            if improved:
                break
    return max(1, count), tour
