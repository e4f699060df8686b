# SPDX-License-Identifier: Apache-2.0
"""Plans long sums as balanced trees of additions at the outputs of units.

A unit result that nothing else reads can take in other values just before it is written.  It then adds without an adder.  With sums of
``width`` values, the earliest values go into a result that comes after them::

    time   5   5   6   6   7   7   8   8       eight products, two a cycle, width 4
           └───┴─┬─┘   │   │   │   │   │
                 7' ───┘...
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Value", "Addition", "balance"]


class Value(NamedTuple):
    """A summand: the cycle in which it can be used, and whether others can be added to it before it is written."""

    time: int
    takes: bool


class Addition(NamedTuple):
    """Adds ``parts`` to the value ``into``, which then holds the sum.  With None, an adder makes a new value from the parts."""

    into: int | None
    parts: tuple[int, ...]


def balance(values: Sequence[Value], target: int, width: int, adder: int) -> list[Addition]:
    """Additions that leave ``target`` values, early ones first.

    Parameters
    ----------
    values : sequence of Value
        Their numbers are their positions.  The values of adders have the following numbers.
    width : int
        Values of one sum, at least 2.
    adder : int
        Latency of an adder in cycles.
    """
    times = [v.time for v in values]
    live = sorted(range(len(values)), key=lambda i: (times[i], values[i].takes, i))
    takers = {i for i in live if values[i].takes}
    plan: list[Addition] = []
    # The last sum needs a value to which it is added, so the latest value is reserved for it.
    root = max(takers, key=lambda i: (times[i], i)) if target == 1 and takers else None
    while len(live) > target:
        surplus = len(live) - target
        # The first sum is the one that may stay below the width.
        count = (surplus - 1) % (width - 1) + 1
        if surplus == count and root is not None:
            into: int | None = root
            parts = [i for i in live if i != root]
        else:
            others = [i for i in live if i != root]
            into, parts = _choose(others, takers - {root}, times, count)
        plan.append(Addition(into, tuple(parts)))
        gone = set(parts)
        ready = max(times[i] for i in parts)
        if into is None:
            into = len(times)
            times.append(ready + adder)
        else:
            times[into] = max(times[into], ready + 1)
            takers.discard(into)
        live = sorted({*live, into} - gone, key=lambda i: (times[i], i in takers, i))
    return plan


def _choose(live: list[int], takers: set[int], times: list[int], count: int) -> tuple[int | None, list[int]]:
    """The ``count`` earliest values, and the value to which they are added: a later result if there is one."""
    parts = live[:count]
    free = [i for i in live[count:] if i in takers]
    if free:
        later = [i for i in free if times[i] > times[parts[-1]]]
        return (later[0] if later else free[-1]), parts
    own = [i for i in parts if i in takers]
    if own:
        return own[-1], [i for i in live[: count + 1] if i != own[-1]]
    return None, live[: count + 1]
