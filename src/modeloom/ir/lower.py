# SPDX-License-Identifier: Apache-2.0
"""Lowers an expanded trace to unit operations on linear forms, one direction at a time.

XOR and multiplication by x^k are wires.  A sum gets a name if it is an output or is read more than once.  The name is that of the
latest unit result in it, which adds the other terms before it is written, or otherwise that of an "acc" operation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from modeloom.ir.graph import Form, Line, Node, Op, Term, Trace
from modeloom.spec import DefinitionError
from modeloom.spec.kinds import ACC, OUT, Kind

__all__ = [
    "Addition", "Lowered", "Value", "balance", "balance_in_lanes", "key_words", "lower", "lower_direction", "lower_setup", "operation_kind",
]  # fmt: skip


# Plans long sums as balanced trees of additions at the outputs of units.
#
# A unit result that nothing else reads can take in other values just before it is written.  It then adds without an adder.  With sums of
# ``width`` values, the earliest values go into a result that comes after them:
#
#     time   5   5   6   6   7   7   8   8       eight products, two a cycle, width 4
#            └───┴─┬─┘   │   │   │   │   │
#                  7' ───┘...

class Value(NamedTuple):
    """A summand: the cycle in which it can be used, and whether others can be added to it before it is written."""

    time: int
    takes: bool


class Addition(NamedTuple):
    """Adds ``parts`` to the value ``into``, which then holds the sum.  With None, an adder makes a new value from the parts."""

    into: int | None
    parts: tuple[int, ...]


def balance_in_lanes(values: Sequence[Value], lanes: Sequence[int | None], target: int, width: int, adder: int) -> list[Addition]:
    """As ``balance``, but the values of a lane are first added one to the next.

    A unit of the lane then adds its own result of the cycle before, and its network needs no other source for most of the sum.  Each chain
    ends in a result that can take in the ends of others, too::

        lane 0    5 ──▶ 6 ──▶ 7 ──▶ 8 ──┐
        lane 1    5 ──▶ 6 ──▶ 7 ──▶ 8' ◀┘

    Parameters
    ----------
    lanes : sequence of (int or None)
        For each value, the lane to which it belongs, if it does.
    """
    plan: list[Addition] = []
    times, left = [v.time for v in values], set(range(len(values)))
    # What goes into the last result of a chain, together with the ends of other chains.
    pending: dict[int, int] = {}
    for lane in sorted({lane for lane in lanes if lane is not None}):
        ends: list[int] = []
        for i in sorted((i for i in left if lanes[i] == lane), key=lambda i: (times[i], i)):
            # A sum that is there a cycle before goes into the next result.
            before = next((j for j in ends if times[j] < times[i]), None)
            if before is not None and values[i].takes and len(left) > target:
                if before in pending:
                    plan.append(Addition(before, (pending.pop(before),)))
                pending[i] = before
                ends.remove(before)
                left.discard(before)
            ends.append(i)
    order = sorted(left)
    room = width - 1 if pending and width > 2 else width
    ready = [Value(times[i], values[i].takes and (width > 2 or i not in pending)) for i in order]

    def number(i: int) -> int:
        """The number of a value that is left, or of one of an adder, which come behind all others."""
        return order[i] if i < len(order) else len(values) + i - len(order)

    for into, parts in balance(ready, target, room, adder):
        added = tuple(map(number, parts))
        plan += [Addition(i, (pending.pop(i),)) for i in added if i in pending]
        taker = None if into is None else number(into)
        plan.append(Addition(taker, (*added, pending.pop(taker)) if taker in pending else added))
    plan += [Addition(i, (before,)) for i, before in pending.items()]
    return plan


def balance(values: Sequence[Value], target: int, width: int, adder: int) -> list[Addition]:
    """Additions that leave ``target`` values, early ones first.

    Parameters
    ----------
    values : sequence of Value
        Their numbers are their positions.  The values of adders have the following numbers.
    width : int
        Values of one sum, at least 2.
    adder : int
        Latency of an adder in cycles.
    """
    times = [v.time for v in values]
    live = sorted(range(len(values)), key=lambda i: (times[i], values[i].takes, i))
    takers = {i for i in live if values[i].takes}
    plan: list[Addition] = []
    # The last sum needs a value to which it is added, so the latest value is reserved for it.
    root = max(takers, key=lambda i: (times[i], i)) if target == 1 and takers else None
    while len(live) > target:
        surplus = len(live) - target
        # The first sum is the one that may stay below the width.
        count = (surplus - 1) % (width - 1) + 1
        if surplus == count and root is not None:
            into: int | None = root
            parts = [i for i in live if i != root]
        else:
            others = [i for i in live if i != root]
            into, parts = _choose(others, takers - {root}, times, count)
        plan.append(Addition(into, tuple(parts)))
        gone = set(parts)
        ready = max(times[i] for i in parts)
        if into is None:
            into = len(times)
            times.append(ready + adder)
        else:
            times[into] = max(times[into], ready + 1)
            takers.discard(into)
        live = sorted({*live, into} - gone, key=lambda i: (times[i], i in takers, i))
    return plan


def _choose(live: list[int], takers: set[int], times: list[int], count: int) -> tuple[int | None, list[int]]:
    """The ``count`` earliest values, and the value to which they are added: a later result if there is one."""
    parts = live[:count]
    free = [i for i in live[count:] if i in takers]
    if free:
        later = [i for i in free if times[i] > times[parts[-1]]]
        return (later[0] if later else free[-1]), parts
    own = [i for i in parts if i in takers]
    if own:
        return own[-1], [i for i in live[: count + 1] if i != own[-1]]
    return None, live[: count + 1]


# -- key words ---------------------------------------------------------------------------------------------------------------------

# Selects the key values that are words of the key memory, and names them.
#
#     raw words of the host ── set-up ──▶ products and cipher calls on key values ──▶ words, in the order of their nodes

class _Namer:
    """Names of key values: those from the set-up, powers of these, and numbers for the rest."""

    def __init__(self, trace: Trace):
        self.trace = trace
        self.names: dict[int, str] = {}
        self.used: set[str] = set()
        self.exponents: dict[int, tuple[int, int]] = {}

    def name(self, i: int) -> str:
        if i not in self.names:
            node = self.trace.nodes[i]
            given = node.args[0] if node.kind == "raw" else self.trace.key_names.get(i)
            if given is None:
                base, e = self._power(i)
                inverse = e == (1 << self.trace.field.width) - 2
                given = f"{self.name(base)}^{-1 if inverse else e}" if e > 1 else f"k{i}"
            if given in self.used:
                given = f"{given}_{i}"
            self.used.add(given)
            self.names[i] = given
        return self.names[i]

    def _power(self, i: int) -> tuple[int, int]:
        if i not in self.exponents:
            node = self.trace.nodes[i]
            self.exponents[i] = (i, 1)
            if node.factors and i not in self.trace.nonzero:
                (a, e), (b, f) = map(self._power, node.factors)
                if a == b:
                    self.exponents[i] = (a, e + f)
        return self.exponents[i]


def key_words(trace: Trace) -> tuple[list[int], dict[int, str]]:
    """Key-memory words: the nodes that set-up computes (in order), and the name of each node that has one.

    Every product or cipher call on key values only gets a word, and so does every sum of them that a direction reads.  A square gets none,
    because its readers square the value below it.  Multiples x^k get none, because they are wires or steps of a chain.
    """
    namer = _Namer(trace)
    nodes = trace.nodes
    read = [i for outputs in trace.outputs.values() for i in outputs]
    read += [i for node in nodes if not node.key_only for i in node.inputs]
    wanted: set[int] = {*trace.nonzero, *(i for blocks in trace.derived for i in blocks)}
    for i in read:
        while nodes[i].kind == "scale" or nodes[i].of_keys:
            i = nodes[i].args[0]
        if nodes[i].key_only and nodes[i].kind != "const":
            wanted.add(i)
    computed: set[int] = set()
    stack = sorted(wanted)
    while stack:
        i = stack.pop()
        if i in computed or nodes[i].kind in ("const", "raw"):
            continue
        computed.add(i)
        stack.extend(nodes[i].inputs)
    order = [i for i in sorted(computed) if (nodes[i].worded and i not in trace.scratch) or i in wanted]
    names = {node.id: namer.name(node.id) for node in nodes if node.kind == "raw"}
    names.update({i: namer.name(i) for i in order})
    return order, names


# -- lower -------------------------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Lowered:
    """Unit operations of a mode.

    Attributes
    ----------
    directions : dict
        For each direction its operations, in an order in which each comes after what it reads.
    setup : list of Op
    key_names, nonzero, derived
        As those of ``OpGraph``.
    """

    directions: dict[str, list[Op]]
    setup: list[Op]
    key_names: tuple[str, ...]
    nonzero: tuple[str, ...]
    derived: tuple[tuple[str, ...], ...]


def _sorted_form(terms: dict[Term, int] | Iterable[Term]) -> Form:
    return tuple(sorted(terms, key=lambda t: (t.source[0], str(t.source[1]).zfill(12), t.source[2:], t.k, t.keep)))


def operation_kind(trace: Trace, node: Node) -> Kind:
    """The kind of the operation of a node that has one: of a cipher call, for the length of its key."""
    operation = node.operation
    if operation is None:
        raise DefinitionError(f"{trace.mode}: {node.kind} has no unit; use the operations of docs/new-mode.md")
    return Kind(operation, trace.cipher_bits[node.number] if operation.keyed else 0)


class _Lowering:
    """Operations of one direction (or of set-up) from the nodes that its outputs need."""

    def __init__(
        self, trace: Trace, key_names: dict[int, str], terms: int, latency: Callable[[Kind], int], count: Callable[[Kind], int] | None,
        lanes: int = 1,
    ):  # fmt: skip
        self.trace = trace
        self.nodes = trace.nodes
        self.mode = trace.mode
        self.field = trace.field
        self.key_names = key_names
        self.terms = terms
        self.latency = latency
        self.count = count
        self.lanes = lanes
        self.issued: Counter[tuple[str, int]] = Counter()
        self.ops: list[Op] = []
        self.ready: list[int] = []
        self.lane_of: list[int | None] = []
        self.op_of: dict[int, int] = {}
        self.node_of: dict[int, int] = {}
        self.readers: dict[int, int] = {}

    # -- which sums have names ------------------------------------------------------------------------------------------

    def count_readers(self, outputs: Iterable[int], cut: Callable[[Node], bool]) -> None:
        """Readers of every node that the outputs depend on, looking through wires (scale, keep)."""
        direct: dict[int, list[int]] = {}
        outputs = list(outputs)
        order: list[int] = []
        seen: set[int] = set()
        stack = [(i, False) for i in outputs]
        while stack:
            i, done = stack.pop()
            if done:
                order.append(i)
            elif i not in seen:
                seen.add(i)
                stack.append((i, True))
                if not cut(self.nodes[i]):
                    stack.extend((j, False) for j in reversed(self.nodes[i].inputs))
        for i in order:
            if not cut(self.nodes[i]):
                for j in self.nodes[i].inputs:
                    direct.setdefault(j, []).append(i)
        for i in reversed(order):
            wires = ("scale", "keep")
            self.readers[i] = outputs.count(i) + sum(self.readers[j] if self.nodes[j].kind in wires else 1 for j in direct.get(i, []))

    # -- forms ----------------------------------------------------------------------------------------------------------

    def form(self, i: int, top: bool = False) -> dict[Term, int]:
        """Terms of a node; ``top``: flatten the node itself even if it has a name."""
        node = self.nodes[i]
        if node.key_only and node.kind != "const":
            if i in self.key_names:
                return {Term(("key", self.key_names[i])): 1}
        if node.kind == "const":
            return {Term(("const", node.args[0])): 1} if node.args[0] else {}
        if node.kind in ("block", "tweak"):
            return {Term((node.kind, node.args[0])): 1}
        if node.kind in ("scale", "keep"):
            return self._wires(node)
        if node.kind == "xor" and (top or self.readers.get(i, 0) < 2):
            total: dict[Term, int] = {}
            for j in node.args:
                for term in self.form(j):
                    self._put(total, term)
            return total
        return {Term(("op", self.operation(i))): 1}

    @staticmethod
    def _put(total: dict[Term, int], term: Term) -> None:
        """Adds a term to a sum.  Equal terms cancel.  Constants, which are never scaled or truncated, are combined."""
        if term.source[0] == "const":
            value = term.source[1]
            for other in [t for t in total if t.source[0] == "const"]:
                del total[other]
                value ^= other.source[1]
            if value:
                total[Term(("const", value))] = 1
        elif term in total:
            del total[term]
        else:
            total[term] = 1

    def _wires(self, node: Node) -> dict[Term, int]:
        result: dict[Term, int] = {}
        amount = node.args[1]
        for term in self.form(node.args[0]):
            if term.source[0] == "const":
                moved = Term(("const", self._constant(node.kind, term.source[1], amount)))
            elif node.kind == "scale":
                moved = term._replace(k=term.k + amount)
            elif term.k or term.keep * amount < 0:
                # A keep after a multiplication, or of the middle of a block, is not a term, so the value gets a name first.
                scaled = self._acc(_sorted_form([term]), node.line)
                moved = Term(("op", scaled), 0, amount)
            else:
                moved = term._replace(keep=min(term.keep, amount) if term.keep else amount)
            self._put(result, moved)
        return result

    def _constant(self, kind: str, value: int, amount: int) -> int:
        """A constant, scaled or truncated."""
        if kind == "scale":
            return self.field.scale(value, amount)
        head = (1 << 8 * abs(amount)) - 1
        return value & (head if amount > 0 else ~head)

    # -- operations -----------------------------------------------------------------------------------------------------

    def add(self, op: Op) -> int:
        times = [self._available(term) for name, term in op.terms() if name != "post"]
        ready = self._issue(op.kind, max(times, default=0)) + self.latency(op.kind)
        self.ready.append(max([ready, *(self._available(term) for term in op.post)]))
        lanes = {lane for _, term in op.terms() for lane in (self._lane(term),) if lane is not None}
        own = op.block % self.lanes if op.block is not None and self.lanes > 1 else None
        self.lane_of.append(own if own is not None else lanes.pop() if len(lanes) == 1 else None)
        self.ops.append(op)
        return len(self.ops) - 1

    def _issue(self, kind: Kind, cycle: int) -> int:
        """An estimate of the first cycle from ``cycle`` on in which a unit of a kind is free."""
        if self.count is None:
            return cycle
        units, unit = self.count(kind), kind.widest
        while self.issued[unit, cycle] >= units:
            cycle += 1
        self.issued[unit, cycle] += 1
        return cycle

    def _lane(self, term: Term) -> int | None:
        """The lane of a block, or of an operation on blocks of one lane; None if there is one lane only."""
        kind, value, *_ = term.source
        if kind == "op":
            return self.lane_of[value]
        return value % self.lanes if kind == "block" and self.lanes > 1 else None

    def _available(self, term: Term) -> int:
        return self.ready[term.source[1]] if term.source[0] == "op" else 0

    def _acc(self, form: Form, line: Line) -> int:
        return self.add(Op(ACC, [form], line=line))

    def operation(self, i: int) -> int:
        """The operation whose result is a node: a unit operation, or a named sum."""
        if i in self.op_of:
            return self.op_of[i]
        node = self.nodes[i]
        if node.kind == "xor":
            result = self.named(self.form(i, top=True), node.line)
        else:
            kind = operation_kind(self.trace, node)
            forms = [self.fit(self.form(j), self.terms, node.line) for j in node.inputs]
            if kind.operation.commutes:
                # The operand with only key values, or otherwise with fewer results, is on the right.
                forms.sort(key=lambda f: (all(self._of_key(t) for t in f), -sum(t.source[0] == "op" and not self._of_key(t) for t in f)))
            result = self.add(Op(kind, forms, number=node.number, line=node.line, block=self._block(forms)))
            self.node_of[result] = i
        self.op_of[i] = result
        return result

    def _of_key(self, term: Term) -> bool:
        """Whether a term is a key word or a square of one."""
        return term.source[0] == "key" or (term.source[0] == "op" and self.ops[term.source[1]].kind.operation.of_keys)

    def operations_in_order(self) -> None:
        """Makes the operations of long sums of products in the order of their nodes.  Starting from the outputs, the recursion would be as
        deep as the length of a Horner chain."""
        for i in sorted(self.readers):
            node = self.nodes[i]
            if node.of_keys or (node.worded and not node.key_only):
                self.operation(i)

    @staticmethod
    def _block(forms: list[Form]) -> int | None:
        blocks = [term.source[1] for form in forms for term in form if term.source[0] == "block"]
        return min(blocks) if blocks else None

    def _takes(self, term: Term) -> bool:
        """Whether a term is a unit result that nothing else reads.  Other terms can be added to it before it is written."""
        if term.source[0] != "op" or term.k:
            return False
        i = term.source[1]
        return not self.ops[i].post and not self.ops[i].keep and self.readers.get(self.node_of.get(i, -1), 0) == 1

    def _raw(self, form: Iterable[Term]) -> list[Term]:
        """The terms to which others can be added, early ones first."""
        return sorted((t for t in form if self._takes(t)), key=lambda t: (self.ready[t.source[1]], t.source[1]))

    def fit(self, terms: dict[Term, int], limit: int, line: Line) -> Form:
        """A form of at most ``limit`` terms.  Terms are added to results before these are written, and then by "acc" operations."""
        form = list(_sorted_form(terms))
        if len(form) <= limit:
            return tuple(form)
        values = [Value(self._available(t), self._takes(t) and not t.keep) for t in form]
        left = set(range(len(form)))
        for into, parts in balance_in_lanes(values, [self._lane(t) for t in form], limit, self.terms, self.latency(ACC)):
            added = [form[i] for i in parts]
            if into is None:
                left.add(len(form))
                form.append(Term(("op", self._acc(_sorted_form(added), line))))
            else:
                self._attach(form[into], added)
            left.difference_update(parts)
        return _sorted_form(form[i] for i in left)

    def _attach(self, target: Term, terms: list[Term]) -> None:
        op = target.source[1]
        if target.keep:
            self.ops[op].keep = target.keep
        self.ops[op].post = _sorted_form([*self.ops[op].post, *terms])
        self.ready[op] = max([self.ready[op], *(self._available(t) + 1 for t in terms)])
        if self.ops[op].block is None:
            self.ops[op].block = self._block([tuple(terms)])
            if self.ops[op].block is not None and self.lanes > 1:
                self.lane_of[op] = self.ops[op].block % self.lanes

    def named(self, terms: dict[Term, int], line: Line) -> int:
        """An operation whose result is a sum of terms."""
        form = self.fit(terms, self.terms if len(terms) <= self.terms else 1, line)
        if len(form) == 1 and form[0].source[0] == "op" and not form[0].k and not form[0].keep:
            return form[0].source[1]
        raw = self._raw(form)
        if raw:
            target = raw[-1]
            self._attach(target, [t for t in form if t is not target])
            return target.source[1]
        return self._acc(form, line)

    def _above(self, roots: Iterable[int], done: set[int]) -> set[int]:
        """Some operations and all operations that they read, except for those that are done."""
        found: set[int] = set()
        stack = list(roots)
        while stack:
            i = stack.pop()
            if i not in found and i not in done:
                found.add(i)
                stack.extend(t.source[1] for _, t in self.ops[i].terms() if t.source[0] == "op")
        return found

    def _in_order(self, group: set[int]) -> list[int]:
        """The operations of a group, each as early as its operands allow.  Sums that are attached later refer to later operations."""
        reads = {i: {t.source[1] for _, t in self.ops[i].terms() if t.source[0] == "op"} & group for i in group}
        readers: dict[int, list[int]] = {}
        for i, before in reads.items():
            for j in before:
                readers.setdefault(j, []).append(i)
        free = [i for i, before in reads.items() if not before]
        heapify(free)
        order: list[int] = []
        while free:
            i = heappop(free)
            order.append(i)
            for j in readers.get(i, ()):
                reads[j].discard(i)
                if not reads[j]:
                    heappush(free, j)
        return order

    def ordered(self) -> list[Op]:
        """The operations in an order in which each comes after what it reads, without those whose results cancel everywhere.

        The operations that an operation waits for are in the order in which they were made.  Blocks therefore keep their order, which
        sequences of masks need.
        """
        needed = self._above((i for i, op in enumerate(self.ops) if op.leaves), set())
        order: list[int] = []
        done: set[int] = set()
        for root in sorted(needed):
            if root not in done:
                group = self._in_order(self._above((root,), done))
                order += group
                done.update(group)
        place = {old: new for new, old in enumerate(order)}

        def moved(form: Form) -> Form:
            return _sorted_form(t._replace(source=("op", place[t.source[1]])) if t.source[0] == "op" else t for t in form)

        result = []
        for i in order:
            op = self.ops[i]
            op.pre, op.post = [moved(f) for f in op.pre], moved(op.post)
            result.append(op)
        return result


def lower(
    trace: Trace, directions: Sequence[str], terms: int, latency: Callable[[Kind], int], count: Callable[[Kind], int] | None = None,
    lanes: int = 1,
) -> Lowered:  # fmt: skip
    """All operations of an expanded trace.  ``terms``, ``latency``, ``count`` and ``lanes`` are as in ``lower_direction``."""
    order, names = key_words(trace)
    return Lowered(
        {d: lower_direction(trace, d, names, terms, latency, count, lanes) for d in directions},
        lower_setup(trace, order, names, terms, latency),
        (*trace.raw_names, *(names[i] for i in order)),
        tuple(names[i] for i in trace.nonzero),
        tuple(tuple(names[i] for i in blocks) for blocks in trace.derived),
    )


def lower_direction(
    trace: Trace,
    direction: str,
    key_names: dict[int, str],
    terms: int,
    latency: Callable[[Kind], int],
    count: Callable[[Kind], int] | None = None,
    lanes: int = 1,
) -> list[Op]:
    """The operations of one direction.  Each result block leaves through an "out" operation.

    Parameters
    ----------
    terms : int
        Largest number of terms that the operand network of a unit adds.
    latency : callable
        Latency of a kind of operation in cycles, to estimate which of two results is later.
    count : callable or None
        Number of units for a kind of operation, for the same estimate; None for as many as operations.
    lanes : int
        Lanes whose results are added apart from those of others; 1 for sums of all results in the order in which they come.
    """
    low = _Lowering(trace, key_names, terms, latency, count, lanes)
    outputs = trace.outputs[direction]
    low.count_readers(outputs, lambda node: node.key_only and not node.of_keys)
    low.operations_in_order()
    for index, i in enumerate(outputs):
        form = low.form(i)
        if len(form) > 1:  # an unnamed sum as the only reader: it gets a name here
            op = low.named(form, low.nodes[i].line)
            low.op_of[i] = op
            form = {Term(("op", op)): 1}
        low.ops.append(Op(OUT, [_sorted_form(form)], index=index, line=low.nodes[i].line, block=index))
        low.ready.append(0)
        low.lane_of.append(None)
    return low.ordered()


def lower_setup(trace: Trace, order: list[int], key_names: dict[int, str], terms: int, latency: Callable[[Kind], int]) -> list[Op]:
    """Operations of set-up: each computed word is written by an "out" operation and read back from the key memory."""
    low = _Lowering(trace, {}, terms, latency, None)
    low.count_readers(order, lambda node: node.kind in ("raw", "const"))
    scratch = sorted(trace.scratch & set(low.readers))
    for i in order:
        node = low.nodes[i]
        low.key_names = {j: name for j, name in key_names.items() if j != i}
        for j in scratch:
            if j < i:  # in the order of their nodes: recursion would go as deep as an inversion is long
                low.operation(j)
        scratch = [j for j in scratch if j > i]
        if node.worded:
            form = {Term(("op", low.operation(i))): 1}
        else:
            form = low.form(i, top=True)
            form = {t: 1 for t in low.fit(form, terms, node.line)}
        low.ops.append(Op(OUT, [_sorted_form(form)], index=key_names[i], line=node.line))
        low.ready.append(0)
        low.lane_of.append(None)
    return low.ordered()
