# SPDX-License-Identifier: Apache-2.0
"""The actions of a hash circuit in each slot, as a table for the circuit and its control.  brw2013, section 3 and Fig. 7.

Slot 0 is the cycle in which a message starts (clock 1 in the paper).  There is one multiplier with ``stages`` cycles, and accumulators::

                h, an accumulator ──┐                             ┌── accumulator 0: sums for the node that reads it
                    last product ───┼─⊕─ first ──┐                ├── …
                          port a ───┘            ├─ multiplier ─ C┼── accumulator n: the result
              a power of h, port b ───⊕─ second ─┘                └── (back to first)

A new message may start ``interval`` slots after the previous one, or at any later time.  A message uses each resource for a range of slots.
Two messages cannot collide if each range has at most ``interval`` slots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

from modeloom_circuits.brw.products import block_count, collapsed_forest, locations, schedule, shortest_schedule

__all__ = ["ORDERS", "Plan", "Step", "Write", "plan_brw"]

ORDERS: dict[str, Callable[[int, int], tuple[int | None, ...]]] = {"schedule": schedule, "shortest": shortest_schedule}
"""Orders of the products of a BRW polynomial: the algorithm of the paper, and an order with the fewest clocks."""


@dataclass(frozen=True)
class Write:
    """The new value of an accumulator at the end of a slot: the sum of the given parts.

    Attributes
    ----------
    keep, product, block : bool
        Its own content, the product that is finished in this slot, the block at port a.
    """

    keep: bool = False
    product: bool = False
    block: bool = False


@dataclass(frozen=True)
class Step:
    """One slot.

    Attributes
    ----------
    pair : int or None
        Number of the blocks at the ports, from 0; None if none are taken.
    issue : bool
        Whether a product is issued.  If not, the factors do not matter.
    key, product, block : bool
        The terms of the first factor: h, the product that is finished in this slot, the block at port a.
    accumulator : int or None
        Another term of the first factor.
    power : int or None
        Exponent of the power of h in the second factor.
    second : bool
        Whether the second factor has the block at port b.
    writes : dict
        Accumulators that change at the end of the slot.
    """

    pair: int | None = None
    issue: bool = False
    key: bool = False
    product: bool = False
    block: bool = False
    accumulator: int | None = None
    power: int | None = None
    second: bool = False
    writes: dict[int, Write] = field(default_factory=dict)

    def add(self, number: int, **parts: bool) -> Step:
        """The step with further parts in the new value of an accumulator."""
        return replace(self, writes={**self.writes, number: replace(self.writes.get(number, Write()), **parts)})


@dataclass(frozen=True)
class Plan:
    """The slots of a message.

    Attributes
    ----------
    blocks, stages : int
        Number of blocks of a message, and latency of the multiplier in cycles, NS.
    steps : tuple of Step
        Slots 0, 1, …  In slot ``len(steps)``, the result is in the last accumulator.
    accumulators : int
        Their number, the result's included.
    ports : int
        Blocks that are taken in a slot: 1 (port a) or 2.
    """

    blocks: int
    stages: int
    steps: tuple[Step, ...]
    accumulators: int
    ports: int

    @property
    def latency(self) -> int:
        """Cycles from the first blocks to the result in its register, which is the count of brw2013."""
        return len(self.steps)

    @property
    def multiplications(self) -> int:
        """Number of products of a message."""
        return sum(step.issue for step in self.steps)

    @cached_property
    def powers(self) -> tuple[int, ...]:
        """Exponents of the powers of h that are read, in ascending order; (1,) if none is."""
        return tuple(sorted({1} | {step.power for step in self.steps if step.power is not None}))

    @cached_property
    def interval(self) -> int:
        """Cycles from the start of a message to the earliest next start."""
        slots = list(enumerate(self.steps))
        stretches = [
            1 + max((slot for slot, step in slots if step.pair is not None), default=0),
            1 + max((slot for slot, step in slots if step.issue), default=0),
        ]
        for number in range(self.accumulators):
            written = [slot for slot, step in slots if number in step.writes]
            read = [slot for slot, step in slots if step.accumulator == number or (number in step.writes and step.writes[number].keep)]
            if number == self.accumulators - 1:
                read.append(self.latency)
            # A register that is written at the end of one slot and read in another may be written again at the end of the latter.
            stretches.append(max(read) - min(written))
        return max(stretches)


def _accumulate(steps: list[Step], number: int, writes: Iterable[tuple[int, str]]) -> None:
    """Adds parts to an accumulator in the given slots.  The first part replaces the old value."""
    writes = sorted(writes)
    for slot, part in writes:
        steps[slot] = steps[slot].add(number, **{part: True}, keep=slot != writes[0][0])


def plan_brw(blocks: int, stages: int, *, times_h: bool = False, order: str = "schedule") -> Plan:
    """H_h(X_1, …, X_m), or h times it.

    Pair k is (X_(2k+1), X_(2k+2)) at the ports (a, b).  With an odd number of blocks, the last block comes alone, at port a.  A product is
    issued in the slot in which its pair is taken.  The single block is taken in the slot after the last pair.

    Parameters
    ----------
    blocks : int
        m, at least 1.
    stages : int
        NS, at least 1.
    times_h : bool
        Whether the result is multiplied by h, which takes one more product.
    order : str
        ``schedule``: the order of ``Schedule(m, NS)``; ``shortest``: that of ``shortest_schedule``, which may store more.

    Raises
    ------
    TypeError, ValueError
        A number is not an int or is too small; there is no such order.
    """
    try:
        make = ORDERS[order]
    except KeyError:
        raise ValueError(f"plan_brw: order must be one of {', '.join(ORDERS)}, not {order!r}") from None
    m = block_count(blocks)
    issues = make(m, stages)
    forest = collapsed_forest(m)
    issued = {label: slot for slot, label in enumerate(issues) if label is not None}
    count = max(issued.values(), default=-1) + 1
    summed = max((slot + stages for slot in issued.values()), default=0)  # the slot in which the last product is finished
    latency = summed + 1 + (stages if times_h else 0)
    steps = [Step() for _ in range(latency)]
    stored = locations(m, stages, issues)
    result = max((location.number for location in stored), default=-1) + 1
    read = {location.reader: location.number for location in stored}
    parts: list[tuple[int, str]] = []

    for label, slot in issued.items():
        step = Step(label // 2 - 1, True, power=label & -label, second=True)
        if label == m and m % 4 == 2:  # X_m h + X_(m-1)
            step = replace(step, key=True, power=None)
            parts.append((slot, "block"))
        else:
            direct = slot - stages in map(issued.__getitem__, forest.children[label])
            step = replace(step, key=label % 4 == 2, block=True, product=direct, accumulator=read.get(label))
        steps[slot] = step
    for location in stored:
        _accumulate(steps, location.number, [(issued[label] + stages, "product") for label in location.products])

    parts += [(issued[root] + stages, "product") for root in forest.roots if not times_h or issued[root] + stages < summed]
    if m % 2:
        steps[count] = replace(steps[count], pair=m // 2)
        if not times_h or count < summed:
            parts.append((count, "block"))
    if times_h:
        steps[summed] = replace(
            steps[summed],
            issue=True,
            product=bool(issued),
            block=bool(m % 2) and count == summed,
            accumulator=result if parts else None,
            power=1,
        )
    _accumulate(steps, result, parts)
    if times_h:
        _accumulate(steps, result, [(latency - 1, "product")])
    return Plan(m, stages, tuple(steps), result + 1, 1 if m == 1 else 2)
