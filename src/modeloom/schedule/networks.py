# SPDX-License-Identifier: Apache-2.0
"""Places operations again so that operand networks have few sources, and banks few read ports, at the same interval and latency.

Each operand of a unit has a network, the sum of gated sources.  A result is a source of its own in the cycle in which it is ready, another
one in the cycle after that, and then the output of its bank::

    age       0          1            2 ...
    source    mul0.y     mul0.y-1     mul0[port]

An operand that reads the results of a unit always at the same age has one source for all of them.  Operations therefore move within their
slack, exchange slots, or change the instance, in a random order.  A move that lowers the cost is made.  One that raises it is made with a
probability that falls while the search goes on (simulated annealing; Kirkpatrick, Gelatt and Vecchi, Science 220, 1983).
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from modeloom.schedule.greedy import Placement
from modeloom.schedule.problem import Problem, use_offset
from modeloom.schedule.search import BYPASS, Moves
from modeloom.spec.kinds import UnitKind

__all__ = ["DEEP", "PORT", "SOURCE", "Key", "Networks", "fewer_sources", "in_lanes", "least_sources", "units_of_lanes"]

Key = tuple[object, ...]
"""A source of a network: kind and instance of the unit, operand, signal, and what a term makes of the signal."""

SOURCE, PORT, CROWDED, CELL = 1.0, 1.3, 0.1, 0.15
"""Weights of a source, a read port of ``DEEP`` cells, a slot in which a bank reads at all of its ports, and a cell: about their LUTs for
each bit, as a source takes half a LUT of six inputs, and a LUT memory of 32 cells two thirds of one."""

DEEP = 32
"""Cells of a LUT memory.  A port of a bank of more cells costs as much as several."""

FIRST, MANY = 0.7, 64
"""The share of the cost of a source that its first use has, and the number of uses behind which another one costs nothing.  Each use has
half of the cost of the one before, so that sources of few uses are emptied first."""

STEP = [SOURCE * FIRST] + [SOURCE * (1 - FIRST) * 0.5**n for n in range(1, MANY)]

KEPT = 1 << 20
"""Uses of a source that is there in any case."""

HOT, COLD, COOLED = 0.6, 0.02, 0.85
"""The rise of the cost that is taken with a probability of 1/e at the beginning and at the end, and the share of the tries behind which
none is."""


@dataclass(frozen=True)
class Read:
    """A term of an operation.  ``pair`` is the operation whose result it reads; None for a signal with the name ``signal``, which has the
    number ``word`` in its bank, if it comes out of one.  ``scaled`` has the power of x and the bytes of the term."""

    operand: str
    offset: int
    pair: int | None
    signal: object
    scaled: tuple[int, int]
    word: int | None = field(compare=False)


class Networks:
    """The sources of all networks of a placement, and the reads of each bank in each slot.

    Parameters
    ----------
    ii : int
        Initiation interval, 0 for a plain schedule.
    start, instance : list of int
        The placement, which others may change between ``remove`` and ``add``.
    kept : iterable of Key
        Sources that are there in any case.
    cells : mapping
        About how many cells banks have: a port of a large bank costs more.

    Attributes
    ----------
    cost : float
        The weighted sum of sources and read ports; that of ports as of the last ``settle``.
    """

    def __init__(
        self, problem: Problem, ii: int, start: list[int], instance: list[int], kept: Iterable[Key] = (),
        cells: Mapping[tuple[str, int], int] | None = None,
    ):  # fmt: skip
        self.problem, self.ii, self.start, self.instance = problem, ii, start, instance
        self.port: dict[object, float] = {bank: PORT * -(-count // DEEP) for bank, count in (cells or {}).items()}
        self.latency, self.kind = [unit.latency for unit in problem.unit], [unit.kind for unit in problem.unit]
        self.reads: list[list[Read]] = []
        self.columns: list[list[tuple[int, dict[str, list[Read]]]]] = []
        self.readers: list[set[int]] = [set() for _ in problem.unit]
        for pair in problem.graph.pairs:
            sides: dict[str, dict[str, list[Read]]] = {}
            for direction, operand, read in _reads(problem, pair.id):
                sides.setdefault(operand, {}).setdefault(direction, []).append(read)
                if read.pair is not None:
                    self.readers[read.pair].add(pair.id)
            every = [read for columns in sides.values() for terms in columns.values() for read in terms]
            self.reads.append(list(dict.fromkeys(every)))
            stored = {
                operand: {d: [read for read in terms if read.pair is not None or read.word is not None] for d, terms in columns.items()}
                for operand, columns in sides.items()
            }
            self.columns.append([(use_offset(problem.unit[pair.id], operand), columns) for operand, columns in stored.items()])
        self.count: dict[Key, int] = defaultdict(int, dict.fromkeys(kept, KEPT))
        self.ports: dict[Key, int] = defaultdict(int)
        self.slots: dict[object, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        self.port_cost: dict[object, float] = {}
        self.changed: set[object] = set()
        self.cost = 0.0
        for i in range(len(self.reads)):
            self.add(i)
        self.settle()

    def keys(self, i: int) -> list[Key]:
        """The sources that an operation uses."""
        start, kind, own, made = self.start[i], self.kind[i], self.instance[i], list[Key]()
        for read in self.reads[i]:
            signal, j = read.signal, read.pair
            if j is not None:
                age = start + read.offset - self.start[j] - self.latency[j]
                signal = self.kind[j], self.instance[j], age if age <= BYPASS else "bank"
            made.append((kind, own, read.operand, signal, read.scaled))
            if isinstance(signal, tuple) and signal[0] == "key":
                # A read port of the key memory, which costs as much as another source.
                made.append((kind, own, read.operand, signal, None))
        return made

    def bank_reads(self, i: int) -> Iterator[tuple[object, int, Key]]:
        """For each read port that an operation needs: the bank, the slot, and what is read in each direction."""
        for offset, sides in self.columns[i]:
            cycle = self.start[i] + offset
            banks: dict[object, dict[str, list[object]]] = {}
            for direction, terms in sides.items():
                for read in terms:
                    j = read.pair
                    if j is None:
                        banks.setdefault(read.signal, {}).setdefault(direction, []).append(read.word)
                    elif cycle - self.start[j] - self.latency[j] > BYPASS:
                        banks.setdefault((self.kind[j], self.instance[j]), {}).setdefault(direction, []).append(j)
            for bank, columns in banks.items():
                for n in range(max(map(len, columns.values()))):
                    group = tuple((d, values[n]) for d, values in columns.items() if n < len(values))
                    yield bank, cycle % self.ii if self.ii else cycle, (bank, cycle, group)

    def add(self, i: int) -> None:
        """Counts an operation."""
        count = self.count
        for key in self.keys(i):
            n = count[key]
            self.cost += STEP[n] if n < MANY else 0.0
            count[key] = n + 1
        for bank, slot, group in self.bank_reads(i):
            if not self.ports[group]:
                self.slots[bank][slot] += 1
                self.changed.add(bank)
            self.ports[group] += 1

    def remove(self, i: int) -> None:
        """Counts it no more."""
        count = self.count
        for key in self.keys(i):
            n = count[key] - 1
            count[key] = n
            self.cost -= STEP[n] if n < MANY else 0.0
        for bank, slot, group in self.bank_reads(i):
            self.ports[group] -= 1
            if not self.ports[group]:
                del self.ports[group]
                self.slots[bank][slot] -= 1
                self.changed.add(bank)

    def settle(self) -> None:
        """Counts the read ports of the banks that have changed."""
        for bank in self.changed:
            reads = self.slots[bank].values()
            most = max(reads, default=0)
            cost = self.port.get(bank, PORT) * most + (CROWDED * sum(n == most for n in reads) if most > 1 else 0.0)
            self.cost += cost - self.port_cost.get(bank, 0.0)
            self.port_cost[bank] = cost
        self.changed.clear()

    def touched(self, pairs: Iterable[int]) -> set[int]:
        """The operations whose sources change if these move."""
        found = set(pairs)
        return found.union(*(self.readers[i] for i in found))

    @property
    def used(self) -> list[Key]:
        """All sources, with one port for each bank."""
        return [key for key, n in self.count.items() if n and key[-1]]


def _reads(problem: Problem, pair: int) -> Iterator[tuple[str, str, Read]]:
    """The terms of an operation, with their direction and operand."""
    lanes = problem.units.lanes
    for direction, op in problem.graph.pairs[pair].ops.items():
        keys: Counter[str] = Counter()
        for operand, (source, k, keep) in op.terms():
            kind, *rest = source
            offset, made, word = use_offset(problem.unit[pair], operand), rest[0] if kind == "op" else None, None
            signal: object = kind
            if kind in ("block", "tweak"):
                word = int(rest[0])
                signal = (kind, word % lanes if kind == "block" else 0)
            elif kind == "key":
                # Key words are told apart by their port: the first one, the second one ... of an operand.
                signal = kind, keys[operand]
                keys[operand] += 1
            elif kind == "chain":
                signal = kind, rest[0]
            yield direction, operand, Read(operand, offset, made, signal, (k, keep), word)


def least_sources(problem: Problem, kept: Iterable[Key] = ()) -> int:
    """A number of sources that no placement undercuts.

    The networks of all units of a kind together have a source for each signal that an operand reads.  Results of units of a kind, and the
    lanes of the input, count as one signal.  A network has as many of it as one operation reads.
    """
    most: Counter[Key] = Counter(Counter((kind, operand, _plain(signal), scaled) for kind, _, operand, signal, scaled in kept).keys())
    for pair in problem.graph.pairs:
        here: dict[str, Counter[Key]] = defaultdict(Counter)
        for direction, operand, read in _reads(problem, pair.id):
            signal = problem.unit[read.pair].kind if read.pair is not None else _plain(read.signal)
            # Equal terms of a direction read different values, as a sum has none twice.
            here[direction][problem.unit[pair.id].kind, operand, signal, read.scaled] += 1
        for counts in here.values():
            most |= counts
    return sum(most.values())


def _plain(signal: object) -> object:
    """A signal without its instance, its lane, or its number."""
    return signal[0] if isinstance(signal, tuple) and signal[0] != "chain" else signal


def lanes_of(problem: Problem) -> list[int | None]:
    """The lane of each operation: that of its block, or the one to which all results belong that it reads before its unit."""
    found: list[int | None] = []
    for pair in problem.graph.pairs:
        lanes = {
            found[term.source[1]]
            for op in pair.ops.values() for form in op.pre for term in form if term.source[0] == "op" and term.source[1] < pair.id
        } - {None}  # fmt: skip
        found.append(pair.block % problem.units.lanes if pair.block is not None else lanes.pop() if len(lanes) == 1 else None)
    return found


def units_of_lanes(problem: Problem) -> list[range | None]:
    """The instances of each operation that belong to its lane; None if any may perform it."""
    found: list[range | None] = []
    lanes = problem.units.lanes
    for unit, lane, bound in zip(problem.unit, lanes_of(problem), problem.bound_to):
        if lane is None or bound is not None:
            found.append(None)
        else:
            first = lane * unit.count // lanes
            found.append(range(first, max(first + 1, (lane + 1) * unit.count // lanes)))
    return found


def in_lanes(problem: Problem, ii: int, placement: Placement) -> Placement:
    """The placement with instances exchanged, so that operations on blocks of a lane share units as far as each slot allows it."""
    start, instance, units = placement[0], list(placement[1]), units_of_lanes(problem)
    slots: dict[tuple[UnitKind, int], list[int]] = defaultdict(list)
    for i, unit in enumerate(problem.unit):
        if problem.bound_to[i] is None and unit.count > 1 and unit.interval == 1 and not problem.slow[i]:
            slots[unit.kind, start[i] % ii if ii else start[i]].append(i)
    bound = {(unit.kind, start[i] % ii if ii else start[i], instance[i]) for i, unit in enumerate(problem.unit)
             if problem.bound_to[i] is not None and unit.count > 1}  # fmt: skip
    for (kind, slot), members in slots.items():
        count = problem.unit[members[0]].count
        free, left = [n for n in range(count) if (kind, slot, n) not in bound], []
        for i in members:
            wanted = [n for n in free if n in (units[i] or ())]
            if wanted:
                instance[i] = wanted[0]
                free.remove(wanted[0])
            else:
                left.append(i)
        for i in left:
            instance[i] = free.pop(0)
    return list(start), instance


def fewer_sources(
    problem: Problem, ii: int, placement: Placement, latency: int, tries: int, kept: Iterable[Key] = (),
    progress: Callable[[float], None] = lambda share: None,
) -> Placement:  # fmt: skip
    """The placement with fewer sources and read ports.  No operation that ended by *latency* ends later.

    Parameters
    ----------
    ii : int
        Initiation interval, 0 for a plain schedule.
    tries : int
        Moves for each operation.  All randomness has a fixed seed.
    kept : iterable of Key
        Sources that are there in any case.
    progress : callable
        Called with the completed share, from 0 to 1.
    """
    kept = list(kept)
    moves = Moves(problem, ii, in_lanes(problem, ii, placement), latency)
    cells = {bank: max(busy) + moves.storage.base[bank] for bank, busy in moves.storage.busy.items()}
    wires, units = Networks(problem, ii, moves.start, moves.instance, kept, cells), units_of_lanes(problem)
    rng, total = random.Random(1), tries * len(moves.start)
    best = list(moves.start), list(moves.instance)
    gained = most = 0.0
    for turn in range(total):
        share = turn / total
        if not turn % 1024:
            progress(share)
        move = _move(moves, wires, units, int(rng.random() * len(moves.start)), rng)
        if move is None:
            continue
        heat = max(COLD, HOT * (1 - share / COOLED)) if share < COOLED else 0.0
        # The rise of the cost that is taken just now.
        most_taken = -heat * math.log(1 - rng.random()) if heat else 0.0
        gain = _try(moves, wires, move, most_taken)
        gained += gain
        if gained > most + 1e-9:
            most, best = gained, (list(moves.start), list(moves.instance))
    # Instances of lanes may be worse than those of the placement, and no move may have mended it.
    old, new = (Networks(problem, ii, list(one[0]), list(one[1]), kept, cells).cost for one in (placement, best))
    return placement if old <= new else best


def _try(moves: Moves, wires: Networks, move: list[tuple[int, int, int]], most: float) -> float:
    """Makes a move if the cost rises by *most* at most.  Returns by how much the cost fell; 0 if the move was not made."""
    pairs = [i for i, _, _ in move]
    ids = wires.touched(pairs)
    here = [(i, moves.start[i], moves.instance[i]) for i in pairs]
    before = wires.cost

    def to(places: list[tuple[int, int, int]]) -> None:
        for i in ids:
            wires.remove(i)
        moves.set(places)
        for i in ids:
            wires.add(i)
        wires.settle()

    to(move)
    shifts = moves.storage.shifts(pairs)
    rise = wires.cost - before + CELL * moves.storage.apply(shifts) / 1000
    if rise <= most:
        moves.set(here)
        for i in pairs:
            moves.lift(i)
        moves.set(move)
        for i in pairs:
            moves.put(i)
        return -rise
    to(here)
    wires.cost = before
    moves.storage.apply([(value, after, was) for value, was, after in shifts])
    return 0.0


def _move(
    moves: Moves, wires: Networks, units: Sequence[range | None], i: int, rng: random.Random
) -> list[tuple[int, int, int]] | None:  # fmt: skip
    """A random move of an operation, or an exchange with another one; None if this one cannot be made.

    An operation that is performed in its lane (*units*) stays there, and one that is not goes there.
    """
    low, high = moves.bounds(i)
    here, own, unit = moves.start[i], moves.instance[i], moves.problem.unit[i]
    instances: Sequence[int] = units[i] or moves.table.instances(i)
    stays = len(instances) == 1 or rng.random() < 0.5
    n = own if stays and own in instances else instances[int(rng.random() * len(instances))]
    start = here if high <= low or n != own and rng.random() < 0.5 else _start(moves, wires, i, low, high, rng)
    if not low <= start <= high or (start, n) == (here, own) or not unit.cadence.takes(start - moves.phases.get(unit.kind, 0)):
        return None
    moves.lift(i)
    try:
        if moves.table.free(i, start, n):
            return [(i, start, n)]
        j = moves.owner.get(moves.key(i, start, n), -1) if moves.simple[i] else -1
        if j < 0 or own not in moves.table.instances(j) or (lane := units[j]) and n in lane and own not in lane:
            return None
        found = moves.exchanges(i, j, start)
        return [(i, start, n), (j, found[int(rng.random() * len(found))], own)] if found else None
    finally:
        moves.put(i)


def _start(moves: Moves, wires: Networks, i: int, low: int, high: int, rng: random.Random) -> int:
    """A start within the bounds; every second one is such that a value that *i* reads, or its own, needs no storage."""
    pick, late = rng.random(), rng.random() < 0.3
    reads = [read for read in wires.reads[i] if read.pair is not None]
    if pick < 0.3 and reads:
        read = reads[int(rng.random() * len(reads))]
        return moves.start[read.pair or 0] + wires.latency[read.pair or 0] - read.offset + late
    if pick < 0.5 and wires.readers[i]:
        readers = sorted(wires.readers[i])
        j = readers[int(rng.random() * len(readers))]
        offset = next(read.offset for read in wires.reads[j] if read.pair == i)
        return moves.start[j] + offset - wires.latency[i] - late
    return low + int(rng.random() * (high - low + 1))
