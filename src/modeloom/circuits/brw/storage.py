# SPDX-License-Identifier: Apache-2.0
"""Computes the number of products that must be stored until they are read.  brw2013, section 2.4 and Fig. 6.

A product that is finished in the clock in which its parent node is issued goes directly into the multiplier.  Any other product is
stored until the parent node is issued.  Products for the same node are added up in one location, an accumulator::

    Schedule(30, 2)    clock       3    4    5    6    7    8    9   10  ...
                       finished    2    6    4   10    8   12   14   18 issued      4   10    8   12   14   18   16   20 location
                       6┄┄┄6         8┄┄ 8+12 ┄16                6, 8, 12 and later 20 are stored, all in one location

Without the addition, 8 and 12 would take two locations.  The example of the paper has one.  Roots have a separate location, the
accumulator of the result, which is not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modeloom.circuits.brw.schedule import schedule
from modeloom.circuits.brw.trees import collapsed_forest

__all__ = ["Location", "extra_storage", "locations", "stored_products"]


@dataclass(frozen=True)
class Location:
    """The use of a location for one node.

    Attributes
    ----------
    number : int
        Of the location, from 0.
    reader : int
        Label of the node that reads the sum.
    products : tuple of int
        Labels of the stored products, in the order in which they are finished.
    first, last : int
        The clock at whose end the first product is written, and the clock in which the sum is read.  The location may be written
        again in the latter clock.
    """

    number: int
    reader: int
    products: tuple[int, ...]
    first: int
    last: int


Order = Sequence[int | None]
"""The labels issued in clocks 1, 2, …."""


def stored_products(m: int, stages: int, order: Order | None = None) -> tuple[int, ...]:
    """The labels of the products that are not read in the clock in which they are finished, in the order of issue, without roots.

    Parameters
    ----------
    m, stages : int
        Blocks; NS.
    order : sequence, optional
        The order in which the products are issued.  The default is ``schedule(m, stages)``.

    Raises
    ------
    TypeError, ValueError
        As ``schedule``.
    """
    parents = collapsed_forest(m).parents
    clocks = _clocks(m, stages, order)
    return tuple(
        label for label, clock in clocks.items() if (above := parents[label]) is not None and clocks[above] != clock + stages
    )


def _clocks(m: int, stages: int, order: Order | None) -> dict[int, int]:
    order = schedule(m, stages) if order is None else order
    return {label: clock for clock, label in enumerate(order, 1) if label is not None}


def locations(m: int, stages: int, order: Order | None = None) -> tuple[Location, ...]:
    """The locations of stored products.  A location is reused as soon as it is free, the lowest one first.

    Parameters
    ----------
    m, stages, order
        As for ``stored_products``.

    Raises
    ------
    TypeError, ValueError
        As ``schedule``.
    """
    parents = collapsed_forest(m).parents
    clocks = _clocks(m, stages, order)
    sums: dict[int, list[int]] = {}
    for label in stored_products(m, stages, order):
        reader = parents[label]
        assert reader is not None
        sums.setdefault(reader, []).append(label)
    free_from: list[int] = []
    found = []
    for reader, labels in sorted(sums.items(), key=lambda item: clocks[item[1][0]]):
        first, last = clocks[labels[0]] + stages, clocks[reader]
        number = next((n for n, clock in enumerate(free_from) if clock <= first), len(free_from))
        free_from[number : number + 1] = [last]
        found.append(Location(number, reader, tuple(labels), first, last))
    return tuple(found)


def extra_storage(m: int, stages: int, order: Order | None = None) -> int:
    """The number of locations without the accumulator of the result.

    For ``Schedule`` with NS = 1, 2 and 3 it is the largest k with 2 * 4^k <= m: 1 from 8 blocks on, 2 from 32, 3 from 128.

    Parameters
    ----------
    m, stages, order
        As for ``stored_products``.

    Raises
    ------
    TypeError, ValueError
        As ``schedule``.
    """
    return max((location.number + 1 for location in locations(m, stages, order)), default=0)
