# SPDX-License-Identifier: Apache-2.0
"""Shortens the lifetimes of values in a schedule without touching its latency.

Operations move within their slack, or exchange slots with another of their unit, while that shortens the sum of all lifetimes::

    ready ├── first read ──── last read ┤      a later producer or an earlier last reader frees a cell sooner
"""

from __future__ import annotations

from modeloom.schedule.greedy import Placement, Reservations
from modeloom.schedule.problem import Problem, use_offset

__all__ = ["compact", "held"]

_BYPASS = 1
"""Cycles after which a result is still at its unit's output register and takes no cell."""


class _Values:
    """Values of a sector: for each, the pair that computes it (None: an input) and its readings."""

    def __init__(self, problem: Problem):
        self.problem = problem
        self.readers: list[list[tuple[int, int]]] = []
        self.source: list[int | None] = []
        self.touched: list[set[int]] = [set() for _ in problem.unit]
        numbers: dict[tuple, int] = {}

        def read(source: tuple, pair: int, offset: int) -> None:
            if source[0] not in ("op", "block"):
                return
            if source not in numbers:
                numbers[source] = len(self.readers)
                self.readers.append([])
                self.source.append(source[1] if source[0] == "op" else None)
                if source[0] == "op":
                    self.touched[source[1]].add(numbers[source])
            value = numbers[source]
            if (pair, offset) not in self.readers[value]:
                self.readers[value].append((pair, offset))
            self.touched[pair].add(value)

        for pair in problem.graph.pairs:
            for op in pair.ops.values():
                for operand, term in op.terms():
                    read(term.source, pair.id, use_offset(problem.unit[pair.id], operand))
        for chain in problem.graph.chains:
            first, offset = problem.chain_uses[chain.id][0]
            for term in chain.base.values():
                read(term.source, first, offset - 1)

    def cost(self, value: int, start: list[int]) -> int:
        """Cycles for which a value takes a cell."""
        source = self.source[value]
        last = max(start[i] + offset for i, offset in self.readers[value])
        if source is None:
            return max(0, last)
        return max(0, last - start[source] - self.problem.unit[source].latency - _BYPASS)

    def total(self, start: list[int]) -> int:
        return sum(self.cost(value, start) for value in range(len(self.readers)))


def held(problem: Problem, start: list[int]) -> int:
    """Sum of the lifetimes of all values of a sector, in blocks times cycles."""
    return _Values(problem).total(start)


def compact(problem: Problem, ii: int, placement: Placement, latency: int, passes: int = 4) -> Placement:
    """The placement with shorter lifetimes; no operation ends after ``latency`` that did not before.

    Parameters
    ----------
    ii : int
        Initiation interval, 0 for a plain schedule.
    passes : int
        Most passes over all operations.
    """
    moves = _Moves(problem, ii, placement, latency)
    for _ in range(passes):
        changed = False
        for i in sorted(range(len(moves.start)), key=lambda i: (-moves.start[i], i)):
            changed |= moves.improve(i)
        if not changed:
            break
    return moves.start, moves.instance


class _Moves:
    def __init__(self, problem: Problem, ii: int, placement: Placement, latency: int):
        self.problem, self.ii, self.latency = problem, ii, latency
        self.start, self.instance = list(placement[0]), list(placement[1])
        self.values = _Values(problem)
        self.table = Reservations(problem, ii)
        self.owner: dict[tuple[str, int, int], int] = {}
        self.simple = [u.interval == 1 and not slow for u, slow in zip(problem.unit, problem.slow)]
        self.windows: dict[int, list[tuple[int, int, bool]]] = {}
        for members in problem.chain_uses.values() if ii else ():
            (a, offset_a), (b, offset_b) = members[0], members[-1]
            width = ii - 1 + offset_a - offset_b
            self.windows.setdefault(a, []).append((b, width, True))
            self.windows.setdefault(b, []).append((a, width, False))
        for i in range(len(self.start)):
            self._put(i)

    def _slot(self, i: int, start: int) -> int:
        return start % self.ii if self.ii else start

    def _put(self, i: int) -> None:
        self.table.take(i, self.start[i], self.instance[i])
        if self.simple[i]:
            self.owner[self.problem.unit[i].kind, self.instance[i], self._slot(i, self.start[i])] = i

    def _lift(self, i: int) -> None:
        self.table.release(i, self.start[i], self.instance[i])
        if self.simple[i]:
            del self.owner[self.problem.unit[i].kind, self.instance[i], self._slot(i, self.start[i])]

    def bounds(self, i: int) -> tuple[int, int]:
        """Earliest and latest start with all others where they are."""
        problem, start = self.problem, self.start
        low = max([problem.release[i], *(start[p] + delay for p, delay in problem.preds[i].items())])
        high = self.latency - problem.unit[i].latency
        high = min([high, *(start[s] - delay for s, delay in problem.succs[i].items())])
        for other, width, first in self.windows.get(i, ()):
            if first:
                low = max(low, start[other] - width)
            else:
                high = min(high, start[other] + width)
        return low, high

    def improve(self, i: int) -> bool:
        """The best single move or exchange of one operation; True if there is one."""
        low, high = self.bounds(i)
        here = self.start[i]
        touched = self.values.touched[i]
        cost = self._cost(touched)
        best: tuple[int, int, int, int, int] | None = None
        self._lift(i)
        kind, own = self.problem.unit[i].kind, self.instance[i]
        for start in range(low, high + 1):
            if start == here:
                continue
            for n in self.table.instances(i):
                if self.table.free(i, start, n):
                    self.start[i] = start
                    best = self._better(best, (self._cost(touched) - cost, abs(start - here), start, n, -1))
                    break
            else:
                j = self.owner.get((kind, own, self._slot(i, start)), -1)
                if j >= 0 and self.simple[i]:
                    best = self._better(best, self._exchange(i, j, start))
            self.start[i] = here
        if best is not None:
            _, _, start, n, j = best
            if j >= 0:
                self._lift(j)
                self.start[j] = n
                self._put(j)
            else:
                self.instance[i] = n
            self.start[i] = start
        self._put(i)
        return best is not None

    @staticmethod
    def _better(best: tuple | None, found: tuple | None) -> tuple | None:
        if found is None or found[0] >= 0 or best is not None and best <= found:
            return best
        return found

    def _exchange(self, i: int, j: int, start: int) -> tuple[int, int, int, int, int] | None:
        """Pair i goes to ``start`` and pair j of the same instance to the slot that i leaves."""
        here, there = self.start[i], self.start[j]
        touched = self.values.touched[i] | self.values.touched[j]
        cost = self._cost(touched)
        self.start[i] = start
        low, high = self.bounds(j)
        best = None
        first = low + (here - low) % self.ii if self.ii else here
        for moved in range(first, high + 1, self.ii or 1 << 30):
            if moved < low:
                break
            self.start[j] = moved
            low_i, high_i = self.bounds(i)
            if low_i <= start <= high_i:
                best = self._better(best, (self._cost(touched) - cost, abs(start - here), start, moved, j))
        self.start[i], self.start[j] = here, there
        return best

    def _cost(self, touched: set[int]) -> int:
        return sum(self.values.cost(value, self.start) for value in touched)
