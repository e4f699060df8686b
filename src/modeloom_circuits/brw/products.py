# SPDX-License-Identifier: Apache-2.0
"""The products of BRW polynomials: trees, orders of products, and what must be stored between them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

__all__ = [
    "CollapsedForest", "Location", "Node", "Turn", "block_count", "brw_tree", "collapsed_forest", "extra_storage", "least_clocks",
    "locations", "recursive_schedule", "run_schedule", "schedule", "schedule_table", "schedule_text", "shortest_schedule",
    "stored_products", "total_clocks",
]  # fmt: skip


# BRW polynomials as trees, and the forest of their multiplications.  brw2013, sections 2 and 2.1, Figs. 1 to 3.
#
#     m = 2:  X_2 h + X_1      m = 3:  (X_2 + h^2)(X_1 + h) + X_3      m = 4:  (X_4 + h^4) T_3
#                  +                         +
#                 * X_1                     * X_3                                 *
#              X_2 h                      +   +                                 +   T_3
#                                   X_2 h^2   X_1 h                        X_4 h^4
#
# The label j of a multiplication is the index of the only block X_j in its left factor.  If the additions and the leaves are removed, the
# collapsed forest F_m remains.  Its nodes are the labels.  The children of a node are the products that its right factor adds up:
#
#     F_16     16 ── 14              F_6     4 ── 2       6        two trees: H_h(X_1 … X_6) is the sum of nodes 4 and 6 and of X_5
#               ├─── 12 ── 10
#               └──── 8 ── 6
#                     └─── 4 ── 2

@dataclass(frozen=True)
class Node:
    """A node of a BRW tree.

    Attributes
    ----------
    kind : str
        ``*`` and ``+`` have two children.  ``X`` (a block) and ``h`` (a power of the key) are leaves.
    number : int
        For a leaf, the index of the block, from 1, or the exponent of h.
    left, right : Node or None
        Children.
    """

    kind: str
    number: int = 0
    left: Node | None = None
    right: Node | None = None

    def __str__(self) -> str:
        if self.kind == "X":
            return f"X{self.number}"
        if self.kind == "h":
            return "h" if self.number == 1 else f"h^{self.number}"
        return f"({self.left} {self.kind} {self.right})"

    def leaves(self, kind: str) -> Iterator[Node]:
        """The leaves of a kind, from left to right."""
        if self.left and self.right:
            yield from self.left.leaves(kind)
            yield from self.right.leaves(kind)
        elif self.kind == kind:
            yield self

    @property
    def label(self) -> int:
        """For a multiplication, the index of the only block in its left factor."""
        assert self.left is not None
        (block,) = self.left.leaves("X")
        return block.number


def block_count(blocks: int, name: str = "blocks") -> int:
    """Returns ``blocks`` if it can be a number of blocks: an int, at least 1.

    Raises
    ------
    TypeError, ValueError
        Otherwise.
    """
    if isinstance(blocks, bool) or not isinstance(blocks, int):
        raise TypeError(f"{name} must be an int, not {blocks!r}")
    if blocks < 1:
        raise ValueError(f"{name} must be at least 1, not {blocks}")
    return blocks


def brw_tree(m: int) -> Node:
    """T_m, the tree of H_h(X_1, …, X_m), by the rules of brw2013, section 2.1.

    Raises
    ------
    TypeError, ValueError
        ``m`` is not a number of blocks, at least 1.
    """
    return _tree(block_count(m, "m"), 0)


def _tree(m: int, before: int) -> Node:
    def block(j: int) -> Node:
        return Node("X", before + j)

    if m == 1:
        return block(1)
    if m == 2:
        return Node("+", left=Node("*", left=block(2), right=Node("h", 1)), right=block(1))
    if m == 3:
        first, second = (Node("+", left=block(j), right=Node("h", j)) for j in (1, 2))
        return Node("+", left=Node("*", left=second, right=first), right=block(3))
    t = 1 << m.bit_length() - 1
    if m == t:
        return Node("*", left=Node("+", left=Node("h", m), right=block(m)), right=_tree(m - 1, before))
    return Node("+", left=_tree(t, before), right=_tree(m - t, before + t))


@dataclass(frozen=True)
class CollapsedForest:
    """F_m: the multiplications of H_h(X_1, …, X_m), and the products that each of them reads.

    Attributes
    ----------
    m : int
        Number of blocks.
    parents : dict
        Each label, in ascending order, with the label of its parent; None for a root.
    """

    m: int
    parents: dict[int, int | None]

    @cached_property
    def children(self) -> dict[int, tuple[int, ...]]:
        """Each label with the labels of its children, in ascending order."""
        found: dict[int, list[int]] = {label: [] for label in self.parents}
        for label, parent in self.parents.items():
            if parent is not None:
                found[parent].append(label)
        return {label: tuple(below) for label, below in found.items()}

    @property
    def roots(self) -> tuple[int, ...]:
        """The roots, in ascending order.  The polynomial is the sum of their products, plus X_m for odd m, or X_(m-1) for m = 2 mod 4."""
        return tuple(label for label, parent in self.parents.items() if parent is None)

    @property
    def trees(self) -> tuple[tuple[int, ...], ...]:
        """The connected components, each as its labels in ascending order."""
        return tuple(tuple(sorted(self._below(root))) for root in self.roots)

    def _below(self, label: int) -> Iterator[int]:
        yield label
        for child in self.children[label]:
            yield from self._below(child)

    @cached_property
    def levels(self) -> dict[int, int]:
        """Each label with the length of the longest path down to a node without children; 0 for independent nodes (definition 1)."""
        found: dict[int, int] = {}
        for label in self.parents:  # children have smaller labels
            found[label] = max((found[child] + 1 for child in self.children[label]), default=0)
        return found

    @cached_property
    def independent(self) -> tuple[int, ...]:
        """Labels of level 0, in ascending order."""
        return tuple(label for label, level in self.levels.items() if level == 0)


def collapsed_forest(m: int) -> CollapsedForest:
    """F_m from T_m: additions and leaves are removed, and the parent of each multiplication is the nearest multiplication above it.

    Raises
    ------
    TypeError, ValueError
        ``m`` is not a number of blocks, at least 1.
    """
    return _forest(block_count(m, "m"))


@lru_cache(maxsize=1024)
def _forest(m: int) -> CollapsedForest:
    parents: dict[int, int | None] = {}
    waiting: list[tuple[Node, int | None]] = [(_tree(m, 0), None)]
    while waiting:
        node, above = waiting.pop()
        if node.kind == "*":
            parents[node.label] = above
            above = node.label
        waiting.extend((child, above) for child in (node.left, node.right) if child)
    return CollapsedForest(m, dict(sorted(parents.items())))


# -- schedule ----------------------------------------------------------------------------------------------------------------------

# The order of the products of a BRW polynomial on a pipelined multiplier.  brw2013, sections 2.2 and 2.3, Figs. 4 and 5.
#
# NS is the latency of the multiplier.  A product that is issued in clock c (clocks count from 1, as in the paper) can be an operand
# from clock c + NS on.  One product is issued in each clock.  ``Schedule`` takes nodes without children from list L_1, in ascending
# order.  It prefers the oldest node of queue L_2 as soon as the youngest child of this node is finished:
#
#     Schedule(16, 2)    clock    1    2    3    4       5    6    7      8      9
#                        issued   2    6    4    10      8    12   14     –      16
#                        L_2      4(1) 4(1) 8(3) 8(3)    12(4)     16(7)  16(7)             x(ST): ST is the clock of the last child
#                                                12(4)
#
# The printed Fig. 4 is corrected in three places.  Line 12 takes a node if clock - ST >= NS (not >).  The loop of line 10 runs while
# one of the lists has a node (not both).  Line 19 increments the clock in every turn.

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
    return tuple(Turn(clock, label, tuple(l1), tuple(l2)) for clock, (label, l1, l2) in enumerate(_turns(m, stages), 1))


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


# -- shortest ----------------------------------------------------------------------------------------------------------------------

# Orders of the products with the fewest clocks, for cases in which algorithm ``Schedule`` of brw2013 takes more.
#
# A product at depth d, with d products on the path to its root, must be issued ``NS d`` clocks before the last clock.  So no order is
# shorter than
#
#     least_clocks = max over d of (products at depth d or more) + NS d
#
# and the deepest ready product first reaches it (Bruno, Jones, So: Deterministic scheduling with pipelined processors, IEEE Trans.
# Computers 29(4), 1980: trees, one pipelined processor).  ``Schedule`` leaves no clock idle unless 4 divides floor(m / 2) for NS = 2,
# or if it is 3 mod 4 for NS = 3, as for 31 blocks.  For 24 blocks it takes a clock more than it must.  ``shortest_schedule`` makes
# the choice of ``Schedule``, which stores little, as long as the fewest clocks remain possible:
#
#     Schedule(24, 2)     2 6 4 10 8 12 14 18 16 20 22 –  24
#     shortest            2 6 4 10 8 12 14 18 22 20 16 24              16 waits: it is a root, 20 and 22 lead to 24

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


# -- storage -----------------------------------------------------------------------------------------------------------------------

# Computes the number of products that must be stored until they are read.  brw2013, section 2.4 and Fig. 6.
#
# A product that is finished in the clock in which its parent node is issued goes directly into the multiplier.  Any other product is
# stored until the parent node is issued.  Products for the same node are added up in one location, an accumulator:
#
#     Schedule(30, 2)    clock       3    4    5    6    7    8    9   10  ...
#                        finished    2    6    4   10    8   12   14   18 issued      4   10    8   12   14   18   16   20 location
#                        6┄┄┄6         8┄┄ 8+12 ┄16                6, 8, 12 and later 20 are stored, all in one location
#
# Without the addition, 8 and 12 would take two locations.  The example of the paper has one.  Roots have a separate location, the
# accumulator of the result, which is not counted.

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
    return tuple(label for label, clock in clocks.items() if (above := parents[label]) is not None and clocks[above] != clock + stages)


def _clocks(m: int, stages: int, issues: Order | None) -> dict[int, int]:
    issues = schedule(m, stages) if issues is None else issues
    return {label: clock for clock, label in enumerate(issues, 1) if label is not None}


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
