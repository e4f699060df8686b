# SPDX-License-Identifier: Apache-2.0
"""Pairs the operations of both directions and finds the chains of masks.

Sectors of both directions share one schedule, so an operation of encryption and one of decryption that take the same unit issue in
the same cycle.  Modes are written so that both directions do the same work in the same order; then the pairs are the operations in
their order.  Otherwise operations are paired as both directions become ready for one of the same kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from modeloom.ir.ops import CIPHER_CORES, Chain, Form, Op, OpGraph, Pair, Term, cipher_core, unit_kind

__all__ = ["pair_directions", "find_chains"]

WIRED = 3
"""Multiples x^k of one value that an operand network takes by wire; more of them run as a chain."""


def _kind(op: Op) -> str:
    return "cipher" if op.kind in CIPHER_CORES else unit_kind(op.kind)


def _reads(op: Op) -> set[int]:
    return {term.source[1] for _, term in op.terms() if term.source[0] == "op"}


def _matching(sequences: dict[str, list[Op]]) -> list[dict[str, int]]:
    """Rows of op numbers for each direction, in an order that both allow."""
    kinds = [[_kind(op) for op in ops] for ops in sequences.values()]
    if all(k == kinds[0] for k in kinds):
        return [dict.fromkeys(sequences, i) for i in range(len(kinds[0]))]
    left = {d: list(range(len(ops))) for d, ops in sequences.items()}
    done: dict[str, set[int]] = {d: set() for d in sequences}
    rows: list[dict[str, int]] = []
    while any(left.values()):
        first: dict[str, dict[str, int]] = {}
        for d, ops in sequences.items():
            for i in left[d]:
                if _reads(ops[i]) <= done[d]:
                    first.setdefault(_kind(ops[i]), {}).setdefault(d, i)
        both = [(sum(row.values()), kind) for kind, row in sorted(first.items()) if len(row) == len(sequences)]
        if both:
            row = first[min(both)[1]]
        else:
            # Nothing is ready in both: one direction goes on alone with the kind of which it has more left to do.
            def surplus(kind: str, d: str) -> int:
                counts = {e: sum(_kind(sequences[e][i]) == kind for i in left[e]) for e in sequences}
                return counts[d] - min(counts.values())

            choice = max(((surplus(k, d), -i, k, d) for k, r in sorted(first.items()) for d, i in r.items()))
            row = {choice[3]: -choice[1]}
        for d, i in row.items():
            left[d].remove(i)
            done[d].add(i)
        rows.append(dict(row))
    return rows


def pair_directions(name: str, sequences: dict[str, list[Op]]) -> OpGraph:
    """One graph from the operations of each direction."""
    graph = OpGraph(name, tuple(sequences))
    place: dict[str, dict[int, int]] = {d: {} for d in sequences}
    rows = _matching(sequences)
    for new, row in enumerate(rows):
        for d, old in row.items():
            place[d][old] = new

    def moved(form: Form, d: str) -> Form:
        return tuple(t._replace(source=("op", place[d][t.source[1]])) if t.source[0] == "op" else t for t in form)

    for new, row in enumerate(rows):
        ops = {}
        for d, old in row.items():
            op = sequences[d][old]
            op.pre, op.post = [moved(form, d) for form in op.pre], moved(op.post, d)
            ops[d] = op
        graph.pairs.append(Pair(new, ops))
    return graph


def find_chains(graph: OpGraph, instance: Callable[[Pair], int], registers: int = 1) -> None:
    """Replaces runs of multiples x^k of one value, read by one operand of one unit in the order of blocks, by chains.

    Parameters
    ----------
    instance : callable
        The unit instance an operation with a block is bound to: each instance has chains of its own.
    registers : int
        Chains that share a run.  Each is used in the order of blocks, but not the run as a whole: operations are freer.
    """
    found: dict[tuple, dict[str, tuple[int, int, tuple[tuple[int, Term], ...]]]] = {}
    before = {d: _ancestors(graph, d) for d in graph.directions}
    lent, chained = _lend_blocks(graph), set()
    for d in graph.directions:
        groups: dict[tuple, list[tuple[int, Term]]] = {}
        for pair in graph.pairs:
            op = pair.ops.get(d)
            if op is None or op.kind == "out" or op.block is None:
                continue
            for operand, term in op.terms():
                if term.source[0] in ("op", "tweak", "key") and not term.keep:
                    groups.setdefault((term.source, pair.kind, operand, instance(pair)), []).append((pair.id, term))
        counter: dict[tuple, int] = {}
        for (source, kind, operand, inst), uses in groups.items():
            if len({term.k for _, term in uses}) <= WIRED:
                continue
            run = _run(uses, before[d])
            if source[0] == "key":
                # A sector may begin with the first one: its register would load a cycle before.  And it may come at any time: that of
                # the second layer of EME is the last one.
                run = run[1:]
            if len({term.k for _, term in uses} - {term.k for _, term in run}) > WIRED or len(run) <= WIRED:
                continue
            uses, stride = run, run[1][1].k - run[0][1].k
            role = (kind, operand, inst)
            for first in range(min(registers, len(uses))):
                part = uses[first::registers]
                number = counter.get(role, 0)
                counter[role] = number + 1
                found.setdefault((role, number), {})[d] = (part[0][1].k, stride * registers, tuple(part))
    for (role, _), sides in sorted(found.items(), key=lambda item: str(item[0])):
        shared = [row for row in zip(*(uses for _, _, uses in sides.values())) if len({i for i, _ in row}) == 1]
        if len({stride for _, stride, _ in sides.values()}) == 1 and all(len(s[2]) - len(shared) <= WIRED for s in sides.values()):
            # The few uses that only one direction has stay wires, and the directions share the register.
            sides = {d: (start, stride, uses[: len(shared)]) for d, (start, stride, uses) in sides.items()}
        shapes = {(stride, tuple(i for i, _ in uses)) for _, stride, uses in sides.values()}
        groups_of = [list(sides)] if len(shapes) == 1 else [[d] for d in sides]
        for members in groups_of:
            stride, uses = sides[members[0]][1:]
            base = {d: sides[d][2][0][1] for d in members}
            chain = Chain(len(graph.chains), stride, len(uses), base)
            graph.chains.append(chain)
            for d in members:
                for step, (i, term) in enumerate(sides[d][2]):
                    _replace(graph.pairs[i].ops[d], role[1], term, Term(("chain", chain.id, step)))
                    chained.add(i)
    for i, op in lent:
        if i not in chained:
            op.block = None


def _ancestors(graph: OpGraph, direction: str) -> dict[int, set[int]]:
    """For each operation that reads cipher results, the cipher calls before it, the ones before these left out."""
    calls: dict[int, set[int]] = {}
    for i, op in graph.ops(direction):
        above: set[int] = set()
        for j in _reads(op):
            above |= {j} if cipher_core(graph.pairs[j].ops[direction].kind) else calls[j]
        calls[i] = above
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
            if out.kind == "out" and isinstance(out.index, int) and len(out.pre[0]) == 1 and out.pre[0][0].source[0] == "op":
                i = out.pre[0][0].source[1]
                op = graph.pairs[i].ops[d]
                if cipher_core(op.kind) and op.block is None:
                    op.block = out.index
                    lent.append((i, op))
    return lent


def _replace(op: Op, operand: str, old: Term, new: Term) -> None:
    """Puts a term in the place of another in one operand ("a", "b" or "post")."""

    def swap(form: Form) -> Form:
        return tuple(new if t == old else t for t in form)

    if operand == "post":
        op.post = swap(op.post)
    else:
        op.pre["ab".index(operand)] = swap(op.pre["ab".index(operand)])


def check_order(pairs: Sequence[Pair]) -> None:
    """Raises ``ValueError`` if an operation reads a later one."""
    for pair in pairs:
        for op in pair.ops.values():
            if any(i >= pair.id for i in _reads(op)):
                raise ValueError(f"operation {pair.id} reads a later one")
