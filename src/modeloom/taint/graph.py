# SPDX-License-Identifier: Apache-2.0
"""The graph of a netlist, with a node for each bit and an edge from each bit to the bits that depend on it."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import numpy as np

from modeloom.taint.cells import dependences
from modeloom.taint.netlist import Bit, Netlist

__all__ = ["BitGraph", "Reached"]


class Reached:
    """The nodes that can be reached from some sources.

    Attributes
    ----------
    parent : numpy array
        For each node, its predecessor on a shortest path; the node itself for a source, and -1 if it is not reached.
    """

    def __init__(self, parent: np.ndarray):
        self.parent = parent

    def __contains__(self, bit: Bit) -> bool:
        return isinstance(bit, int) and self.parent[bit] >= 0

    def count(self) -> int:
        """Number of nodes."""
        return int((self.parent >= 0).sum())

    def path(self, bit: int) -> list[int]:
        """The nodes from a source to a reached bit."""
        result = [bit]
        while self.parent[result[-1]] != result[-1]:
            result.append(int(self.parent[result[-1]]))
        return result[::-1]


class BitGraph:
    """Dependences between the bits of a netlist.

    Parameters
    ----------
    netlist : Netlist

    Attributes
    ----------
    size : int
        Number of nodes.  Nodes from ``netlist.size`` on represent several bits, such as a column of a memory.

    Raises
    ------
    UnknownCell
        If the netlist has a cell whose dependences are not known.
    """

    def __init__(self, netlist: Netlist):
        self.netlist = netlist
        self.size = netlist.size
        self.virtual_names: dict[int, str] = {}
        self._comb = (array("i"), array("i"))
        self._clocked = (array("i"), array("i"))
        for cell in netlist.cells:
            dependences(cell, self)

    def comb(self, source: Bit, target: Bit) -> None:
        """An edge within a cycle, unless the source is a constant."""
        if isinstance(source, int):
            assert isinstance(target, int)
            self._comb[0].append(source)
            self._comb[1].append(target)

    def clocked(self, source: Bit, target: Bit) -> None:
        """An edge from an earlier cycle, unless the source is a constant."""
        if isinstance(source, int):
            assert isinstance(target, int)
            self._clocked[0].append(source)
            self._clocked[1].append(target)

    def virtual(self, name: str) -> int:
        """Adds a node."""
        self.virtual_names[self.size] = name
        self.size += 1
        return self.size - 1

    def name(self, node: int) -> str | None:
        """Name of a node that has one."""
        return self.netlist.names.get(node)

    def reached(
        self, sources: Iterable[Bit], *, clocked: bool = True, backwards: bool = False, stops: Iterable[int] = ()
    ) -> Reached:
        """The bits that depend on some bits, in the same cycle or, with ``clocked``, in any later one; or the bits on which they depend.

        ``stops`` are bits that do not count as reached, and at which all paths end.
        """
        edges = [self._comb, self._clocked] if clocked else [self._comb]
        starts = np.concatenate([np.frombuffer(a, np.int32) if a else np.empty(0, np.int32) for a, _ in edges])
        ends = np.concatenate([np.frombuffer(b, np.int32) if b else np.empty(0, np.int32) for _, b in edges])
        if backwards:
            starts, ends = ends, starts
        order = np.argsort(starts, kind="stable")
        ends = ends[order]
        first = np.zeros(self.size + 1, np.int64)
        np.cumsum(np.bincount(starts, minlength=self.size), out=first[1:])

        parent = np.full(self.size, -1, np.int32)
        frontier = np.array(sorted({bit for bit in sources if isinstance(bit, int)}), np.int64)
        parent[frontier] = frontier
        barred = np.array(sorted(set(stops)), np.int64)
        parent[barred] = barred
        while len(frontier):
            counts = first[frontier + 1] - first[frontier]
            total = int(counts.sum())
            if not total:
                break
            # All edges of the frontier in one array: the number of an edge is the first one of its node plus its position in the run.
            begin = np.repeat(first[frontier] - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
            targets = ends[begin + np.arange(total)]
            origins = np.repeat(frontier, counts)
            new = parent[targets] < 0
            targets, origins = targets[new], origins[new]
            # The first of several edges into a node counts, so paths do not depend on the order in which numpy writes.
            frontier, index = np.unique(targets, return_index=True)
            parent[frontier] = origins[index]
        parent[barred] = -1
        return Reached(parent)
