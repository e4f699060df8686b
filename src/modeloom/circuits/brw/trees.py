# SPDX-License-Identifier: Apache-2.0
"""BRW polynomials as trees, and the forest of their multiplications.  brw2013, sections 2 and 2.1, Figs. 1 to 3.

::

    m = 2:  X_2 h + X_1      m = 3:  (X_2 + h^2)(X_1 + h) + X_3      m = 4:  (X_4 + h^4) T_3
                 +                         +
                * X_1                     * X_3                                 *
             X_2 h                      +   +                                 +   T_3
                                  X_2 h^2   X_1 h                        X_4 h^4

The label j of a multiplication is the index of the only block X_j in its left factor.  If the additions and the leaves are removed, the
collapsed forest F_m remains.  Its nodes are the labels.  The children of a node are the products that its right factor adds up::

    F_16     16 ── 14              F_6     4 ── 2       6        two trees: H_h(X_1 … X_6) is the sum of nodes 4 and 6 and of X_5
              ├─── 12 ── 10
              └──── 8 ── 6
                    └─── 4 ── 2
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

__all__ = ["CollapsedForest", "Node", "block_count", "brw_tree", "collapsed_forest"]


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
