# SPDX-License-Identifier: Apache-2.0
"""The last passes on the graph: squares for each hash, then the pairs of both directions and the chains of masks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import product

from modeloom.ir.graph import Chain, Form, Op, OpGraph, Pair, Term
from modeloom.spec.kinds import OPERANDS, UnitKind

__all__ = ["Row", "Times", "alone", "find_chains", "match", "pair_directions", "renew_squares"]


# Gives each hash of a sector its own squares of key values.
#
# A square that both hashes of a mode read would have to be stored while the sector is in the cipher between them.  To compute it again
# takes one cycle of a squaring unit, which has many to spare:
#
#     h ─▶ h^2 ─▶ h^4 ─▶ …    for products before any cipher call
#     h ─▶ h^2 ─▶ h^4 ─▶ …    for products after the cipher

def renew_squares(ops: list[Op]) -> list[Op]:
    """The operations of one direction, with a chain of squares for each number of cipher calls on the way to its readers."""
    result: list[Op] = []
    phase: list[int] = []
    place: dict[int, int] = {}
    copies: dict[tuple[int, int], int] = {}

    def moved(form: Form, at: int) -> Form:
        return tuple(t._replace(source=("op", of(t.source[1], at))) if t.source[0] == "op" else t for t in form)

    def of(i: int, at: int) -> int:
        if not ops[i].kind.operation.of_keys:
            return place[i]
        if (i, at) not in copies:
            op = ops[i]
            result.append(replace(op, pre=[moved(form, at) for form in op.pre], post=moved(op.post, at)))
            copies[i, at] = len(result) - 1
        return copies[i, at]

    for i, op in enumerate(ops):
        reads = [term.source[1] for _, term in op.terms() if term.source[0] == "op"]
        phase.append(max((phase[j] + ops[j].kind.operation.keyed for j in reads), default=0))
        if not op.kind.operation.of_keys:
            result.append(replace(op, pre=[moved(form, phase[i]) for form in op.pre], post=moved(op.post, phase[i])))
            place[i] = len(result) - 1
    return result


# -- pair --------------------------------------------------------------------------------------------------------------------------

# Pairs the operations of both directions and finds the chains of masks.
#
# Sectors of both directions share one schedule, and follow each other in any order.  If an operation of encryption and one of
# decryption take one slot of the same unit, they therefore do so in the same cycle of their sectors.  They are a pair.
# ``schedule.pairing`` chooses the pairs.  This module makes them, in the order of the definition or in that of given times.

Row = dict[str, int]
"""The operations that issue together: for each direction that takes part, the number of its own."""

Group = tuple[UnitKind, int | None]
"""The kind of unit that performs an operation, and the instance that it is bound to."""

Times = Mapping[str, tuple[Sequence[int], Sequence[int | None]]]
"""For each direction, the times of its operations and the instances that they are bound to."""

Run = tuple[int, int, tuple[tuple[int, Term], ...]]
"""Multiples x^k of a value in one direction: the first k, the step to the next one, and the operations that read them."""

WIRED = 3
"""Largest number of multiples x^k of one value that an operand network takes by wire.  More of them run as a chain."""


def _kind(op: Op) -> UnitKind:
    return op.kind.widest


def _reads(op: Op) -> set[int]:
    return {term.source[1] for _, term in op.terms() if term.source[0] == "op"}


class _Ready:
    """The operations of one direction that wait for nothing, for each kind and instance in the order of their times."""

    def __init__(self, ops: Sequence[Op], times: Sequence[int], instances: Sequence[int | None]):
        self.key = [(time, i) for i, time in enumerate(times)]
        self.group = [(_kind(op), instance) for op, instance in zip(ops, instances, strict=True)]
        self.left = Counter(kind for kind, _ in self.group)
        self.waiting = [_reads(op) for op in ops]
        self.readers: dict[int, list[int]] = {}
        self.heaps: dict[Group, list[tuple[int, int]]] = {}
        for i, reads in enumerate(self.waiting):
            for j in reads:
                self.readers.setdefault(j, []).append(i)
            if not reads:
                self._push(i)

    def _push(self, i: int) -> None:
        heappush(self.heaps.setdefault(self.group[i], []), self.key[i])

    def first(self) -> dict[Group, tuple[int, int]]:
        """Time and number of the first operation of each kind and instance."""
        return {group: heap[0] for group, heap in self.heaps.items() if heap}

    def take(self, i: int) -> None:
        """Does the first operation of its kind and instance."""
        heappop(self.heaps[self.group[i]])
        self.left[self.group[i][0]] -= 1
        for j in self.readers.get(i, ()):
            self.waiting[j].discard(i)
            if not self.waiting[j]:
                self._push(j)


def match(sequences: Mapping[str, Sequence[Op]], times: Times | None = None) -> list[Row]:
    """Rows of operation numbers of each direction, in an order that both directions allow.

    If an operation of one kind is ready in both directions, the two that come first in their directions form a row.  Among several such
    kinds, the one whose row comes first is taken.  If there is none, one direction goes on alone, with the kind of which it has more
    left to do than the other.

    Parameters
    ----------
    times : dict or None
        For each direction, the times of its operations and the instances that they are bound to (None: to none); operations that
        are bound to different ones are no row.  None: the order of the definition, in which directions that do the same kinds of work
        in the same order are paired as they stand.
    """
    if times is None:
        kinds = [[_kind(op) for op in ops] for ops in sequences.values()]
        if all(k == kinds[0] for k in kinds):
            return [dict.fromkeys(sequences, i) for i in range(len(kinds[0]))]
    ready = {d: _Ready(ops, *(times[d] if times else (range(len(ops)), [None] * len(ops)))) for d, ops in sequences.items()}
    # By places in the definition the sum says which row comes first; by times the later operation does, as it keeps the row waiting.
    measure = max if times else sum
    rows: list[Row] = []
    while any(side.left.total() for side in ready.values()):
        row = _together({d: side.first() for d, side in ready.items()}, measure) or _single(ready)
        for d, i in row.items():
            ready[d].take(i)
        rows.append(row)
    return rows


def _together(first: Mapping[str, Mapping[Group, tuple[int, int]]], measure: Callable[[Iterable[int]], int]) -> Row:
    """The row that comes first of those that all directions have ready; empty if there is none."""
    together = []
    for groups in product(*first.values()):
        bound = {instance for _, instance in groups if instance is not None}
        if len({kind for kind, _ in groups}) == 1 and len(bound) <= 1:
            found = [first[d][group] for d, group in zip(first, groups)]
            times = [time for time, _ in found]
            together.append((measure(times), sum(times), groups[0][0], [i for _, i in found]))
    return dict(zip(first, min(together)[-1])) if together else {}


def _single(ready: Mapping[str, _Ready]) -> Row:
    """The operation of one direction, of the kind of which it has more left to do than the others."""
    alone = [
        (side.left[kind] - min(other.left[kind] for other in ready.values()), -time, -i, kind, d)
        for d, side in ready.items()
        for (kind, _), (time, i) in side.first().items()
    ]
    _, _, i, _, d = max(alone)
    return {d: -i}


def pair_directions(name: str, sequences: Mapping[str, Sequence[Op]], rows: Sequence[Row] | None = None) -> OpGraph:
    """Makes one graph from the operations of each direction, which stay unchanged.

    ``rows`` are the pairs in their order (None: those of the definition's own order, ``match``).
    """
    graph = OpGraph(name, tuple(sequences))
    place: dict[str, dict[int, int]] = {d: {} for d in sequences}
    rows = match(sequences) if rows is None else rows
    for new, row in enumerate(rows):
        for d, old in row.items():
            place[d][old] = new

    def moved(form: Form, d: str) -> Form:
        return tuple(t._replace(source=("op", place[d][t.source[1]])) if t.source[0] == "op" else t for t in form)

    for new, row in enumerate(rows):
        ops = {}
        for d, old in row.items():
            op = sequences[d][old]
            ops[d] = replace(op, pre=[moved(form, d) for form in op.pre], post=moved(op.post, d))
        graph.pairs.append(Pair(new, ops))
    return graph


def find_chains(graph: OpGraph, instance: Callable[[Pair], int], registers: int = 1) -> OpGraph:
    """Replaces sequences of multiples x^k of one value, which one operand of one unit reads in the order of blocks, by chains.

    Parameters
    ----------
    instance : callable
        The unit instance that an operation with a block is bound to.  Each instance has chains of its own.
    registers : int
        Number of chains that share a sequence.  Each is used in the order of blocks, but the sequence as a whole is not, which leaves the
        operations more freedom.
    """
    pairs = [Pair(pair.id, {d: replace(op, pre=list(op.pre)) for d, op in pair.ops.items()}) for pair in graph.pairs]
    graph = replace(graph, pairs=pairs, chains=list(graph.chains), key_names=list(graph.key_names))
    found: dict[tuple, dict[str, Run]] = {}
    before = {d: _ancestors(graph, d) for d in graph.directions}
    lent, reading = _lend_blocks(graph), set()
    for d in graph.directions:
        counter: dict[tuple, int] = {}
        for (source, *role), uses in _multiples(graph, d, instance).items():
            run = _of_register(source, uses, before[d])
            stride = run[1][1].k - run[0][1].k if run else 0
            for first in range(min(registers, len(run))):
                part = run[first::registers]
                number = counter.get(tuple(role), 0)
                counter[tuple(role)] = number + 1
                found.setdefault((tuple(role), number), {})[d] = (part[0][1].k, stride * registers, tuple(part))
    for (role, _), sides in sorted(found.items(), key=lambda item: str(item[0])):
        sides, groups_of = _in_common(sides)
        for members in groups_of:
            _, stride, taken = sides[members[0]]
            base = {d: sides[d][2][0][1] for d in members}
            chain = Chain(len(graph.chains), stride, len(taken), base)
            graph.chains.append(chain)
            for d in members:
                for step, (i, term) in enumerate(sides[d][2]):
                    _replace(graph.pairs[i].ops[d], role[1], term, Term(("chain", chain.id, step)))
                    reading.add(i)
    for i, op in lent:
        if i not in reading:
            op.block = None
    return graph


def _multiples(graph: OpGraph, direction: str, instance: Callable[[Pair], int]) -> dict[tuple, list[tuple[int, Term]]]:
    """The uses of each value by operations with a block, apart by the operand of a unit instance that reads them."""
    groups: dict[tuple, list[tuple[int, Term]]] = {}
    for i, op in graph.ops(direction):
        for operand, term in () if op.leaves or op.block is None else op.terms():
            if term.source[0] in ("op", "tweak", "key") and not term.keep:
                pair = graph.pairs[i]
                groups.setdefault((term.source, pair.kind, operand, instance(pair)), []).append((i, term))
    return groups


def _of_register(source: tuple, uses: list[tuple[int, Term]], calls: dict[int, set[int]]) -> list[tuple[int, Term]]:
    """The uses of a value that registers give; none if too few of them do, so that all stay wires."""
    if len({term.k for _, term in uses}) <= WIRED:
        return []
    run = _run(uses, calls)
    if source[0] == "key":
        # A sector may begin with the first one: its register would load a cycle before.  And it may come at any time: that of
        # the second layer of EME is the last one.
        run = run[1:]
    wires = {term.k for _, term in uses} - {term.k for _, term in run}
    return run if len(wires) <= WIRED and len(run) > WIRED else []


def _in_common(sides: dict[str, Run]) -> tuple[dict[str, Run], list[list[str]]]:
    """The runs of the directions as registers give them, and the directions that share a register."""
    shared = [row for row in zip(*(uses for _, _, uses in sides.values())) if len({i for i, _ in row}) == 1]
    if len({stride for _, stride, _ in sides.values()}) == 1 and all(len(s[2]) - len(shared) <= WIRED for s in sides.values()):
        # The few uses that only one direction has stay wires, and the directions share the register.
        sides = {d: (start, stride, uses[: len(shared)]) for d, (start, stride, uses) in sides.items()}
    shapes = {(stride, tuple(i for i, _ in uses)) for _, stride, uses in sides.values()}
    return sides, [list(sides)] if len(shapes) == 1 else [[d] for d in sides]


def _ancestors(graph: OpGraph, direction: str) -> dict[int, set[int]]:
    """For each operation that reads cipher results, the cipher calls before it, the ones before these left out."""
    calls: dict[int, set[int]] = {}
    ops = dict(graph.ops(direction))
    for i, op in ops.items():
        calls[i] = set[int]().union(*({j} if ops[j].kind.operation.keyed else calls[j] for j in _reads(op)))
    return calls


def _run(uses: list[tuple[int, Term]], calls: dict[int, set[int]]) -> list[tuple[int, Term]]:
    """The longest run of multiples, the few lowest perhaps left out, that one register can give: equal steps, in the order of the
    operations.

    A use that waits for the result of another (ciphertext stealing in XTS) comes a cipher's latency later, and is not part of it; one
    that takes in a sum of others (the first block of EME) has a later place.
    """
    members = {i for i, _ in uses}
    free = sorted((use for use in uses if not calls[use[0]] & members), key=lambda use: use[1].k)
    longest: list[tuple[int, Term]] = []
    for first in range(min(WIRED, len(free)) + 1):
        run = free[first : first + 1]
        for use in free[first + 1 :]:
            step = use[1].k - run[-1][1].k
            if use[0] <= run[-1][0] or not step or (len(run) > 1 and step != run[1][1].k - run[0][1].k):
                break
            run.append(use)
        longest = max(longest, run, key=len)
    return longest


def _lend_blocks(graph: OpGraph) -> list[tuple[int, Op]]:
    """Gives cipher calls whose results leave as blocks, and that belong to none, the numbers of these: in the second layer of EME masks
    run, too.  Says which."""
    lent = []
    for d in graph.directions:
        for _, out in graph.ops(d):
            if out.leaves and isinstance(out.index, int) and len(out.pre[0]) == 1 and out.pre[0][0].source[0] == "op":
                i = out.pre[0][0].source[1]
                op = graph.pairs[i].ops[d]
                if op.kind.operation.keyed and op.block is None:
                    op.block = out.index
                    lent.append((i, op))
    return lent


def _replace(op: Op, operand: str, old: Term, new: Term) -> None:
    """Replaces a term by another one in one operand ("a", "b" or "post")."""

    def swap(form: Form) -> Form:
        return tuple(new if t == old else t for t in form)

    if operand == "post":
        op.post = swap(op.post)
    else:
        op.pre[OPERANDS.index(operand)] = swap(op.pre[OPERANDS.index(operand)])


def alone(graph: OpGraph, direction: str, instance: Callable[[Op], int | None]) -> OpGraph:
    """The operations of one direction as a separate graph, with the chains that it uses.

    What any schedule of the whole graph gives a direction is a schedule of this one.  Blocks that ``instance`` binds to different
    instances in the two directions of a pair bind neither here, as the pair runs on one of them.
    """
    members = dict(graph.ops(direction))
    place = {i: new for new, i in enumerate(members)}

    def moved(form: Form) -> Form:
        return tuple(t._replace(source=("op", place[t.source[1]])) if t.source[0] == "op" else t for t in form)

    result = OpGraph(graph.name, (direction,), key_names=list(graph.key_names))
    for i, op in members.items():
        bound = {instance(other) for other in graph.pairs[i].ops.values()} - {None}
        block = None if len(bound) > 1 and not op.leaves else op.block
        alone = replace(op, pre=[moved(form) for form in op.pre], post=moved(op.post), block=block)
        result.pairs.append(Pair(place[i], {direction: alone}))
    # Their numbers are kept, because they determine which of several units reads a chain.
    for chain in graph.chains:
        base = chain.base.get(direction)
        if base is not None:
            result.chains.append(replace(chain, base={direction: moved((base,))[0]}))
    return result
