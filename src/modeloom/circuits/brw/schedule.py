# SPDX-License-Identifier: Apache-2.0
"""The order of the products of a BRW polynomial on a pipelined multiplier.  brw2013, sections 2.2 and 2.3, Figs. 4 and 5.

NS is the latency of the multiplier.  A product that is issued in clock c (clocks count from 1, as in the paper) can be an operand
from clock c + NS on.  One product is issued in each clock.  ``Schedule`` takes nodes without children from list L_1, in ascending
order.  It prefers the oldest node of queue L_2 as soon as the youngest child of this node is finished::

    Schedule(16, 2)    clock    1    2    3    4       5    6    7      8      9
                       issued   2    6    4    10      8    12   14     –      16
                       L_2      4(1) 4(1) 8(3) 8(3)    12(4)     16(7)  16(7)             x(ST): ST is the clock of the last child
                                               12(4)

The printed Fig. 4 is corrected in three places.  Line 12 takes a node if clock - ST >= NS (not >).  The loop of line 10 runs while
one of the lists has a node (not both).  Line 19 increments the clock in every turn.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from modeloom.circuits.brw.trees import block_count, collapsed_forest

__all__ = ["Turn", "recursive_schedule", "run_schedule", "schedule", "schedule_table", "schedule_text", "total_clocks"]


@dataclass(frozen=True)
class Turn:
    """One turn of algorithm ``Schedule``: a column of Fig. 5.

    Attributes
    ----------
    clock : int
        From 1.
    output : int or None
        Label of the issued node; None if there is none.
    l1 : tuple of int
        L_1 at the end of the turn.
    l2 : tuple of (int, int)
        L_2 at the end of the turn: label and ST.
    """

    clock: int
    output: int | None
    l1: tuple[int, ...]
    l2: tuple[tuple[int, int], ...]


def run_schedule(m: int, stages: int) -> tuple[Turn, ...]:
    """Algorithm ``Schedule(m, NS)`` turn by turn.

    Parameters
    ----------
    m : int
        Number of blocks, at least 1.
    stages : int
        NS, at least 1.

    Raises
    ------
    TypeError, ValueError
        A number is not an int or is too small.
    """
    return tuple(
        Turn(clock, label, tuple(l1), tuple(l2)) for clock, (label, l1, l2) in enumerate(_turns(m, stages), 1)
    )


def _turns(m: int, stages: int) -> Iterator[tuple[int | None, deque[int], deque[tuple[int, int]]]]:
    """The issued node of each turn, and both lists after it."""
    block_count(stages, "stages")
    forest = collapsed_forest(m)
    children_left = {label: len(below) for label, below in forest.children.items()}
    l1 = deque(forest.independent)
    l2: deque[tuple[int, int]] = deque()
    clock = 1
    while l1 or l2:
        label: int | None = None
        if l2 and clock - l2[0][1] >= stages:
            label = l2.popleft()[0]
        elif l1:
            label = l1.popleft()
        above = forest.parents[label] if label is not None else None
        if above is not None:
            children_left[above] -= 1
            if not children_left[above]:
                l2.append((above, clock))
        yield label, l1, l2
        clock += 1


def schedule(m: int, stages: int) -> tuple[int | None, ...]:
    """``Schedule(m, NS)``: the labels issued in clocks 1, 2, …, or None for an idle clock.  Empty for m = 1.

    Raises
    ------
    TypeError, ValueError
        As ``run_schedule``.
    """
    return tuple(label for label, _, _ in _turns(m, stages))


def schedule_text(labels: Sequence[int | None]) -> str:
    """A schedule in the notation of the paper: ``2 6 4 10 8 12 14 – 16``."""
    return " ".join("–" if label is None else str(label) for label in labels)


def schedule_table(blocks: Iterable[int], stages: int) -> list[tuple[int, str, int]]:
    """Rows of table 1: number of blocks, the issued label of each clock, and total clocks (the clock of the last product).

    Raises
    ------
    TypeError, ValueError
        As ``run_schedule``.
    """
    orders = [(m, schedule(m, stages)) for m in blocks]
    return [(m, schedule_text(order), len(order)) for m, order in orders]


def total_clocks(m: int, stages: int) -> int:
    """Formula for the clock in which ``Schedule(m, NS)`` issues the last product: Theorem 1 with p = floor(m / 2) products.

    ::

        p mod 4          0       1       2       3
        NS = 1           p       p       p       p
        NS = 2         p + 1     p       p       p        p >= 3
        NS = 3         p + 2   p + 1   p + 1     p        p >= 6

    The row for NS = 2 is the theorem.  The row for NS = 3 follows from the recursion of section 2.3: node 2p with p = 0 mod 4 reads
    the product that was issued just before it, so NS - 1 clocks are idle.  The independent nodes of p = 1 and p = 3 mod 4 fill them
    one by one.

    Raises
    ------
    TypeError, ValueError
        A number is not an int or is too small; NS is above 3 or p below the limit, where there is no formula.
    """
    products = block_count(m, "m") // 2
    table = {1: (0, 0, 0, 0), 2: (1, 0, 0, 0), 3: (2, 1, 1, 0)}
    least = {1: 0, 2: 3, 3: 6}
    if block_count(stages, "stages") not in table:
        raise ValueError(f"total_clocks: there is a formula for 1 to 3 stages, not for {stages}")
    if products < least[stages]:
        raise ValueError(f"total_clocks: the formula for {stages} stages begins at {least[stages]} products, not {products}")
    return products + table[stages][products % 4]


def recursive_schedule(p: int, stages: int) -> tuple[int, ...]:
    """The sequence of p products without idle clocks, derived from the sequence of p - 1 products: section 2.3.

    The new node 2p is the last, except that it comes before the last node for NS = 2, 3 and p = 1 mod 4, and before the last two
    nodes for NS = 3 and p = 3 mod 4.

    Parameters
    ----------
    p : int
        Number of products; m is 2p or 2p + 1.  At least 4 for NS = 2, 6 for NS = 3, where the recursion begins.
    stages : int
        NS, 2 or 3.

    Raises
    ------
    TypeError, ValueError
        A number is not an int or is out of range.
    """
    block_count(p, "p")
    if block_count(stages, "stages") not in (2, 3):
        raise ValueError(f"recursive_schedule: the recursion is for 2 and 3 stages, not for {stages}")
    first = {2: 4, 3: 6}[stages]
    if p < first:
        raise ValueError(f"recursive_schedule: the recursion for {stages} stages begins at {first} products, not {p}")
    found = [label for label in schedule(2 * first, stages) if label is not None]
    behind = {2: {1: 1}, 3: {1: 1, 3: 2}}[stages]
    for count in range(first + 1, p + 1):
        found.insert(len(found) - behind.get(count % 4, 0), 2 * count)
    return tuple(found)
