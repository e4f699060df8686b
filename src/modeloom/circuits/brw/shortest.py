# SPDX-License-Identifier: Apache-2.0
"""Orders of the products with the fewest clocks, for cases in which algorithm ``Schedule`` of brw2013 takes more.

A product at depth d, with d products on the path to its root, must be issued ``NS d`` clocks before the last clock.  So no order is
shorter than

    least_clocks = max over d of (products at depth d or more) + NS d

and the deepest ready product first reaches it (Bruno, Jones, So: Deterministic scheduling with pipelined processors, IEEE Trans.
Computers 29(4), 1980: trees, one pipelined processor).  ``Schedule`` leaves no clock idle unless 4 divides floor(m / 2) for NS = 2,
or if it is 3 mod 4 for NS = 3, as for 31 blocks.  For 24 blocks it takes a clock more than it must.  ``shortest_schedule`` makes
the choice of ``Schedule``, which stores little, as long as the fewest clocks remain possible::

    Schedule(24, 2)     2 6 4 10 8 12 14 18 16 20 22 –  24
    shortest            2 6 4 10 8 12 14 18 22 20 16 24              16 waits: it is a root, 20 and 22 lead to 24
"""

from __future__ import annotations

from modeloom.circuits.brw.trees import CollapsedForest, block_count, collapsed_forest

__all__ = ["least_clocks", "shortest_schedule"]


def _depths(forest: CollapsedForest) -> dict[int, int]:
    """The number of products on the path from each product to its root."""
    found: dict[int, int] = {}
    for label in reversed(forest.parents):  # parents have larger labels
        above = forest.parents[label]
        found[label] = 0 if above is None else found[above] + 1
    return found


def least_clocks(m: int, stages: int) -> int:
    """The earliest clock in which any order can issue the last product of m blocks; 0 for one block.

    Parameters
    ----------
    m, stages : int
        Blocks; latency of the multiplier, NS.

    Raises
    ------
    TypeError, ValueError
        A number is not an int or is too small.
    """
    block_count(stages, "stages")
    depths = sorted(_depths(collapsed_forest(m)).values(), reverse=True)
    return max((count + stages * depth for count, depth in enumerate(depths, 1)), default=0)


def shortest_schedule(m: int, stages: int) -> tuple[int | None, ...]:
    """An order with ``least_clocks`` clocks: the labels issued in clocks 1, 2, …, or None for an idle clock.

    Raises
    ------
    TypeError, ValueError
        As ``least_clocks``.
    """
    last = least_clocks(m, stages)
    forest = collapsed_forest(m)
    depths = _depths(forest)
    issued: dict[int, int] = {}
    order: list[int | None] = []
    waiting = set(forest.parents)
    while waiting:
        clock = len(order) + 1
        ready = {
            label: max((issued[child] for child in forest.children[label]), default=clock)
            for label in waiting
            if all(issued.get(child, clock) + stages <= clock for child in forest.children[label])
        }
        # The choice of Schedule: the dependent product that has been ready for the longest time, then the first independent one.
        for label in sorted(ready, key=lambda label: (ready[label], label)):
            if _in_time(forest, depths, {**issued, label: clock}, clock, last, stages):
                issued[label] = clock
                waiting.remove(label)
                order.append(label)
                break
        else:
            order.append(None)
    return tuple(order)


def _in_time(forest: CollapsedForest, depths: dict[int, int], issued: dict[int, int], clock: int, last: int, stages: int) -> bool:
    """Whether the remaining products, deepest first, end in clock ``last``."""
    issued = dict(issued)
    left = {label: sum(child not in issued for child in forest.children[label]) for label in forest.parents}
    # The first clock of each product that can be issued.
    released: dict[int, list[int]] = {}

    def release(label: int) -> None:
        first = max((issued[child] + stages for child in forest.children[label]), default=0)
        released.setdefault(max(first, clock + 1), []).append(label)

    for label in forest.parents:
        if label not in issued and not left[label]:
            release(label)
    ready: list[int] = []
    missing = len(forest.parents) - len(issued)
    while missing:
        clock += 1
        ready += released.pop(clock, [])
        if clock > last:
            return False
        if not ready:
            continue
        label = max(ready, key=lambda label: (depths[label], -label))
        if clock + stages * depths[label] > last:
            return False
        ready.remove(label)
        issued[label] = clock
        missing -= 1
        above = forest.parents[label]
        if above is not None:
            left[above] -= 1
            if not left[above]:
                release(above)
    return True
