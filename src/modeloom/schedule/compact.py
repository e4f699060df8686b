# SPDX-License-Identifier: Apache-2.0
"""Reduces the storage that a schedule needs without changing its latency.

Operations move within their slack, exchange slots with another of their unit, or change the instance.  A move is kept if it lowers
the sum of three weighted figures: the peaks of all banks, the slots in which a bank is at its peak (a peak falls when the last of
them does), and the lifetimes of all values::

    values of a bank   ▂▃▅█▅▃██▃▂   peak 8, three slots at the peak
                       └── II ──┘
"""

from __future__ import annotations

from collections.abc import Iterable

from modeloom.schedule.greedy import Placement, Reservations
from modeloom.schedule.grid import phases_of
from modeloom.schedule.problem import Problem, use_offset

__all__ = ["compact", "storage_figures"]

_BYPASS = 1
"""Number of cycles in which a result is still in the output register of its unit and needs no cell."""

_PEAK, _AT_PEAK = 1000, 4
"""Weights of a cell and of a slot at the peak.  A block that is held for one cycle has weight 1."""

_REACH = 48
"""Largest number of cycles by which an operation moves in one step."""


_Life = tuple[tuple[str, int], int, int]
"""The bank of a value, and the cycles in which its cell is taken, from the first up to the second."""


class _Storage:
    """Values of a sector and how many of them each bank holds in each slot."""

    def __init__(self, problem: Problem, ii: int, start: list[int], instance: list[int]):
        self.problem, self.ii = problem, ii
        self.start, self.instance = start, instance
        self.readers: list[list[tuple[int, int]]] = []
        self.source: list[int | None] = []
        self.bank: list[tuple[str, int]] = []
        self.touched: list[list[int]] = [[] for _ in problem.unit]
        self._collect()
        self.busy: dict[tuple[str, int], list[int]] = {}
        self.base: dict[tuple[str, int], int] = {}
        self.life = [self._span(value) for value in range(len(self.readers))]
        for life in self.life:
            self._count(*life, 1)
        self.weights = {bank: self.weight(bank) for bank in self.busy}

    def _collect(self) -> None:
        problem = self.problem
        numbers: dict[tuple, int] = {}

        def read(source: tuple, pair: int, offset: int) -> None:
            if source[0] not in ("op", "block", "tweak"):
                return
            value = numbers.setdefault(source, len(self.readers))
            if value == len(self.readers):
                self.readers.append([])
                self.source.append(source[1] if source[0] == "op" else None)
                self.bank.append((source[0], source[1] % problem.units.lanes if source[0] == "block" else 0))
                if source[0] == "op":
                    self.touched[source[1]].append(value)
            if (pair, offset) not in self.readers[value]:
                self.readers[value].append((pair, offset))
            if value not in self.touched[pair]:
                self.touched[pair].append(value)

        for pair in problem.graph.pairs:
            for op in pair.ops.values():
                for operand, term in op.terms():
                    read(term.source, pair.id, use_offset(problem.unit[pair.id], operand))
        for chain in problem.graph.chains:
            first, offset = problem.chain_uses[chain.id][0]
            for term in chain.base.values():
                read(term.source, first, offset - 1)

    def _span(self, value: int) -> _Life:
        source, start = self.source[value], self.start
        last = max([start[i] + offset for i, offset in self.readers[value]]) - 1
        if source is None:
            return self.bank[value], 0, max(0, last)
        unit = self.problem.unit[source]
        ready = start[source] + unit.latency
        return (unit.kind, self.instance[source]), ready, last if last >= ready + _BYPASS else ready

    def _count(self, bank: tuple[str, int], begin: int, end: int, step: int) -> None:
        if bank not in self.busy:
            self.busy[bank], self.base[bank] = [0] * self.ii, 0
        turns, rest = divmod(end - begin, self.ii)
        self.base[bank] += turns * step
        busy, first = self.busy[bank], begin % self.ii
        for slot in range(first, min(first + rest, self.ii)):
            busy[slot] += step
        for slot in range(first + rest - self.ii):
            busy[slot] += step

    def shifts(self, pairs: Iterable[int]) -> list[tuple[int, _Life, _Life]]:
        """Values that pairs compute or read, with their lives before and after these have moved."""
        result = []
        for value in {v for i in pairs for v in self.touched[i]}:
            life = self._span(value)
            if life != self.life[value]:
                result.append((value, self.life[value], life))
        return result

    def apply(self, shifts: list[tuple[int, _Life, _Life]]) -> int:
        """Counts values again, and returns the change of the cost."""
        cost = 0
        changed: set[tuple[str, int]] = set()
        for value, (bank, begin, end), (new, first, last) in shifts:
            self._count(bank, begin, end, -1)
            self._count(new, first, last, 1)
            self.life[value] = new, first, last
            cost += last - first - end + begin
            changed.update((bank, new))
        for bank in changed:
            weight = self.weight(bank)
            cost += weight - self.weights.get(bank, 0)
            self.weights[bank] = weight
        return cost

    def weight(self, bank: tuple[str, int]) -> int:
        """The weighted peak and the number of slots at the peak, for one bank."""
        peak = max(self.busy[bank])
        return _PEAK * (peak + self.base[bank]) + _AT_PEAK * self.busy[bank].count(peak)


def compact(problem: Problem, ii: int, placement: Placement, latency: int, tries: int = 30000) -> Placement:
    """The placement with less storage.  No operation that ended by ``latency`` ends later.

    Parameters
    ----------
    ii : int
        Initiation interval, 0 for a plain schedule.
    tries : int
        Largest number of moves to try.
    """
    moves = _Moves(problem, ii, placement, latency)
    changed = True
    while changed and moves.tries < tries:
        changed = False
        for i in sorted(range(len(moves.start)), key=lambda i: (-moves.start[i], i)):
            if moves.tries < tries:
                changed |= moves.improve(i)
    return moves.start, moves.instance


def storage_figures(problem: Problem, ii: int, placement: Placement) -> tuple[int, int]:
    """The cells of all banks, and the largest number of values at one time (``ii`` 0: a plain schedule)."""
    start, instance = placement
    end = max((s + unit.latency for s, unit in zip(start, problem.unit)), default=0)
    storage = _Storage(problem, ii or end + 1, start, instance)
    whole = sum(storage.base.values())
    cells = whole + sum(max(busy) for busy in storage.busy.values())
    return cells, whole + max((sum(column) for column in zip(*storage.busy.values())), default=0)


class _Moves:
    def __init__(self, problem: Problem, ii: int, placement: Placement, latency: int):
        self.problem, self.ii, self.latency = problem, ii, latency
        self.tries = 0
        self.start, self.instance = list(placement[0]), list(placement[1])
        self.storage = _Storage(problem, ii or latency + 1, self.start, self.instance)
        self.table = Reservations(problem, ii)
        self.phases = phases_of(problem, self.start) or {}
        self.simple = [u.interval == 1 and not slow for u, slow in zip(problem.unit, problem.slow)]
        self.owner: dict[tuple[str, int, int], int] = {}
        self.windows: dict[int, list[tuple[int, int, bool]]] = {}
        for members in problem.chain_uses.values() if ii else ():
            (a, offset_a), (b, offset_b) = members[0], members[-1]
            width = ii - 1 + offset_a - offset_b
            self.windows.setdefault(a, []).append((b, width, True))
            self.windows.setdefault(b, []).append((a, width, False))
        for i in range(len(self.start)):
            self._put(i)

    def _key(self, i: int, start: int, instance: int) -> tuple[str, int, int]:
        return self.problem.unit[i].kind, instance, start % self.ii if self.ii else start

    def _put(self, i: int) -> None:
        self.table.take(i, self.start[i], self.instance[i])
        if self.simple[i]:
            self.owner[self._key(i, self.start[i], self.instance[i])] = i

    def _lift(self, i: int) -> None:
        self.table.release(i, self.start[i], self.instance[i])
        if self.simple[i]:
            del self.owner[self._key(i, self.start[i], self.instance[i])]

    def bounds(self, i: int) -> tuple[int, int]:
        """The earliest and the latest start if no other operation moves."""
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
        """Makes the best single move or exchange of one operation; True if one lowers the cost."""
        best, gain = None, 0
        for move in self._moves(i):
            self.tries += 1
            here = [(j, self.start[j], self.instance[j]) for j, _, _ in move]
            self._set(move)
            shifts = self.storage.shifts([j for j, _, _ in move])
            cost = self.storage.apply(shifts)
            self._set(here)
            self.storage.apply([(value, after, before) for value, before, after in shifts])
            if cost < gain:
                best, gain = move, cost
        if best is None:
            return False
        for j, _, _ in best:
            self._lift(j)
        self._set(best)
        self.storage.apply(self.storage.shifts([j for j, _, _ in best]))
        for j, _, _ in best:
            self._put(j)
        return True

    def _set(self, move: list[tuple[int, int, int]]) -> None:
        for i, start, instance in move:
            self.start[i], self.instance[i] = start, instance

    def _moves(self, i: int) -> list[list[tuple[int, int, int]]]:
        """Moves of one operation to a free slot, and exchanges with the operation in a taken one."""
        low, high = self.bounds(i)
        here, own = self.start[i], self.instance[i]
        self._lift(i)
        found: list[list[tuple[int, int, int]]] = []
        cadence, phase = self.problem.unit[i].cadence, self.phases.get(self.problem.unit[i].kind, 0)
        for start in range(max(low, here - _REACH), min(high, here + _REACH) + 1):
            if cadence is not None and not cadence.takes(start - phase):
                continue
            for n in self.table.instances(i):
                if (start, n) == (here, own):
                    continue
                if self.table.free(i, start, n):
                    found.append([(i, start, n)])
                elif self.simple[i]:
                    j = self.owner.get(self._key(i, start, n), -1)
                    if j >= 0 and own in self.table.instances(j):
                        found.extend([(i, start, n), (j, moved, own)] for moved in self._exchanges(i, j, start))
        self._put(i)
        return found

    def _exchanges(self, i: int, j: int, start: int) -> list[int]:
        """Starts at which pair j can take the slot that pair i leaves for ``start``."""
        here, there = self.start[i], self.start[j]
        self.start[i] = start
        low, high = self.bounds(j)
        found = []
        for moved in range(low + (here - low) % self.ii, high + 1, self.ii) if self.ii else (here,):
            self.start[j] = moved
            low_i, high_i = self.bounds(i)
            if low <= moved <= high and low_i <= start <= high_i:
                found.append(moved)
        self.start[i], self.start[j] = here, there
        return found
