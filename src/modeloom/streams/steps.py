# SPDX-License-Identifier: Apache-2.0
"""The steps of a message as unit operations on linear forms.

A form is the XOR of terms. A term is a source after some linear maps, such as a product with x^k or the truncation to the bytes of
a piece of text. Everything else is an operation of a unit::

    forms ──▶ operation ──▶ forms ──▶ state, text, tag

A value that depends only on the key is a key word. The set-up computes it once for each key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast

from modeloom.ir.graph import Line, Node
from modeloom.spec import DefinitionError
from modeloom.spec.counters import Amount
from modeloom.spec.kinds import MUL, Operation
from modeloom.spec.stream import BETWEEN
from modeloom.streams.trace import StreamTrace

__all__ = [
    "Form", "Recurrence", "Source", "Step", "Term", "UnitOperation", "chain_operations", "chains_of", "depends_on", "forms_of",
    "horner_operation", "key_word", "recurrences", "steps_of",
]  # fmt: skip

WIRES = ("scale", "keep", "cut", "shift", "whole")
"""Linear maps that take no cycle."""

INPUTS = ("associated", "text", "nonce", "tag")

PADDED = (("text", None), ("text", 2))
"""Sources that are padded with zeros behind the bytes of the last block."""

OF_NONCE = ("nonce", "number", "const")
"""Sources of blocks that are known when a message begins."""


class Source(NamedTuple):
    """The source of a term.

    ``kind`` is "associated", "text" or "nonce" (the block of the token; a nonce with "01" is at the end of the block, behind a bit 1; the
    text of a pair has 1 or 2), "tag" (the tag of the message, which is known when it begins),
    "state" (``what`` is its name), "left" (what the step makes of this part of the state), "key" (a key word by its node), "const" (its
    value), "lengths" (order, and two lengths), "number" (a length or a ``Known``, its first byte and its bytes), "mark" (a bit 1 behind the
    bytes of a partial block), or "op" (the number of an operation of the step).
    """

    kind: str
    what: object = None

    @property
    def number(self) -> int:
        """``what`` of a key word, a constant or an operation."""
        return cast(int, self.what)


class Term(NamedTuple):
    """A source after some linear maps in order: ("scale", k), ("keep", bytes), ("cut",), ("shift", bits), ("whole",).

    The number of "scale" and "shift" may be an ``Amount``, which is known when a message comes.
    """

    source: Source
    maps: tuple[tuple[object, ...], ...] = ()

    def amounts(self) -> Iterator[Amount]:
        """The numbers of its maps that are known when a message comes."""
        return (number for _, *numbers in self.maps for number in numbers if isinstance(number, Amount))


Form = tuple[Term, ...]


@dataclass(frozen=True)
class UnitOperation:
    """An operation of a unit.

    Attributes
    ----------
    operation : Operation
        The kind of the operation.
    operands : tuple of Form
        The form of each operand.
    number : int
        The number of the cipher key, or the number to add to a counter.
    line : Line
        The line of the definition that it comes from.
    """

    operation: Operation
    operands: tuple[Form, ...]
    number: int
    line: Line


@dataclass
class Step:
    """A step of a message.

    Attributes
    ----------
    name, nonce_class : str, int
        The name of the step, and for ``start`` its class of nonces.
    operations : list of UnitOperation
        The operations.  Each comes after those that it reads.
    updates : dict
        The new value of each name of the state that the step changes.
    output, second : Form or None
        The text or the tag that is its output, and the second block of text of a pair.
    """

    name: str
    nonce_class: int
    operations: list[UnitOperation] = field(default_factory=list)
    updates: dict[str, Form] = field(default_factory=dict)
    output: Form | None = None
    second: Form | None = None

    def amounts(self) -> list[Amount[Form]]:
        """The numbers known when a message comes that the step uses."""
        return list(dict.fromkeys(number for form in self.forms() for term in form for number in term.amounts()))

    @property
    def title(self) -> str:
        """Its name, with the class of nonces if it is not the first class."""
        return f"{self.name} {self.nonce_class}" if self.nonce_class else self.name

    def forms(self) -> Iterator[Form]:
        """All forms of the step."""
        for operation in self.operations:
            yield from operation.operands
        yield from self.updates.values()
        yield from self.outputs()

    def outputs(self) -> Iterator[Form]:
        """Its blocks of text, or its tag."""
        yield from (form for form in (self.output, self.second) if form is not None)

    def mapped(self, change: Callable[[Form], Form]) -> Step:
        """The step with another form in place of each of its forms."""
        return replace(
            self, operations=[replace(one, operands=tuple(map(change, one.operands))) for one in self.operations],
            updates={name: change(form) for name, form in self.updates.items()},
            output=None if self.output is None else change(self.output), second=None if self.second is None else change(self.second),
        )  # fmt: skip

    def sources(self) -> Iterator[Source]:
        """What it reads, with the numbers that it moves and scales by."""
        yield from (term.source for form in self.forms() for term in form)
        yield from (term.source for amount in self.amounts() for term in amount.what or ())

    def uses(self) -> dict[str, int]:
        """The number of operations of each kind."""
        return Counter(operation.operation.name for operation in self.operations)


def key_word(trace: StreamTrace, node: int) -> str:
    """The name of a key word, from the definition or from its node."""
    return trace.key_names.get(node, f"k{node}")


def steps_of(trace: StreamTrace) -> list[Step]:
    """The steps of a traced definition."""
    return [_Builder(trace, step.name, step.nonce_class).build(step.updates, step.output, step.second) for step in trace.steps]


def forms_of(trace: StreamTrace, name: str, nodes: Sequence[int]) -> tuple[list[UnitOperation], list[Form]]:
    """The operations on which some nodes of a trace depend, and the forms of the nodes.  ``name`` is what errors call them."""
    builder = _Builder(trace, name, 0)
    forms = [builder.form(node) for node in nodes]
    return builder.step.operations, forms


class _Builder:
    def __init__(self, trace: StreamTrace, name: str, nonce_class: int):
        self.trace, self.step = trace, Step(name, nonce_class)
        self._forms: dict[int, Form] = {}

    def build(self, updates: dict[str, int], output: int | None, second: int | None) -> Step:
        for name, node in updates.items():
            form = self.form(node)
            if self.step.name == "start" or form != (Term(Source("state", name)),):
                self.step.updates[name] = form
        if output is not None:
            self.step.output = self.form(output)
        if second is not None:
            self.step.second = self.form(second)
        return self.step

    def form(self, number: int) -> Form:
        """The form of a node.  Its operations are created meanwhile."""
        # Definitions have only a few lines, so the recursion is not deep.
        if number not in self._forms:
            self._forms[number] = self._of(self.trace.nodes[number])
        return self._forms[number]

    def _of(self, node: Node) -> Form:
        if node.kind == "const":
            return (Term(Source("const", node.args[0])),) if node.args[0] else ()
        if node.key_only and node.kind not in ("xor", *WIRES):
            return (Term(Source("key", node.id)),)
        if node.kind in INPUTS:
            what = "01" if node.kind == "nonce" and node.args[0] else node.args[0] or None
            return (Term(Source(node.kind, what)),)
        if node.kind == "state":
            return (Term(Source("state", node.args[0])),)
        if node.kind == "mark":
            return (Term(Source("mark")),)
        if node.kind in ("lengths", "number"):
            return (Term(Source(node.kind, node.args)),)
        if node.kind == "xor":
            return _sum(self.form(node.args[0]), self.form(node.args[1]))
        if node.kind in WIRES:
            return self._mapped(node)
        if operation := node.operation:
            operands = tuple(self.form(i) for i in node.inputs)
            self.step.operations.append(UnitOperation(operation, operands, node.number, node.line))
            return (Term(Source("op", len(self.step.operations) - 1)),)
        raise DefinitionError(f"{self.trace.mode}: {self.step.name}() uses o.{node.kind}(), which steps of a message do not have")

    def _mapped(self, node: Node) -> Form:
        made = (node.kind, *(self._amount(arg) if isinstance(arg, Amount) else arg for arg in node.args[1:]))
        terms = []
        for term in self.form(node.args[0]):
            if made == ("cut",) and (term.source in PADDED or made in term.maps):
                # A piece is already padded with zeros.
                terms.append(term)
            else:
                terms.append(Term(term.source, (*term.maps, made)))
        return tuple(terms)

    def _amount(self, amount: Amount[int]) -> Amount[Form]:
        """The number with the form of its block in place of its node."""
        if amount.kind != "bits":
            return Amount(amount.kind, None, amount.bits, amount.plus)
        assert amount.what is not None
        form = self.form(amount.what)
        if any(term.source.kind not in OF_NONCE for term in form):
            raise DefinitionError(
                f"{self.trace.mode}: {self.step.name}() takes bits of a block that is not made of the nonce; o.last_bits() reads what is "
                "known when a message comes"
            )
        return Amount(amount.kind, form, amount.bits, amount.plus)


def _sum(a: Form, b: Form) -> Form:
    """The XOR of two forms.  Equal terms cancel."""
    return tuple(term for term in (*a, *b) if (term in a) != (term in b))


# -- recurrences -------------------------------------------------------------------------------------------------------------------

# The recurrence of each part of the state from block to block, which decides how it is pipelined.
#
# ======== ======================== ==========================================================================
# kind     v' is                    in hardware
# ======== ======================== ==========================================================================
# held     v                        a register that ``start`` writes
# wires    L(v) ⊕ w                 a register with XORs before it: a new value in each cycle
# counter  v + n                    a register with an adder before it
# horner   (v ⊕ w) · K              k chains with powers of the key word K, as many as the multiplier has cycles
# cipher   E(v ⊕ w)                 one block per latency of the cipher; other channels fill the cycles
# late     E(v) ⊕ w                 the same, where w may be as late as E(v) (``streams.rewrite``)
# ======== ======================== ==========================================================================
#
# w is anything that does not depend on v.

@dataclass(frozen=True)
class Recurrence:
    """The recurrence of a part of the state.

    Attributes
    ----------
    name : str
    kind : str
        "held", "wires", "counter", "horner", "cipher" or "late".
    key : int or None
        For "horner", the node of the key word.
    """

    name: str
    kind: str
    key: int | None = None

    @property
    def chained(self) -> bool:
        """Whether each block waits for the cipher of the one before it."""
        return self.kind in ("cipher", "late")

    @property
    def mixes(self) -> bool:
        """Whether a block may change all of its bits: it is a chain, or the hash."""
        return self.kind in ("cipher", "late", "horner")


def depends_on(step: Step, form: Form, name: str) -> bool:
    """Whether a form of a step depends on a part of the state, directly or through operations."""
    for term in form:
        if term.source == Source("state", name):
            return True
        if term.source.kind == "op" and any(depends_on(step, operand, name) for operand in _operation(step, term).operands):
            return True
    return False


def recurrences(mode: str, steps: Sequence[Step], state: Iterable[str]) -> dict[str, Recurrence]:
    """The recurrence of each part of the state.

    Raises
    ------
    DefinitionError
        A part has a recurrence that no pipeline supports, or different recurrences in different steps.
    """
    found: dict[str, Recurrence] = {}
    for name in state:
        kinds = {_kind(mode, step, name) for step in steps if step.name not in ("start", BETWEEN, "tag")}
        changing = {kind for kind in kinds if kind.kind != "held"}
        if len(changing) > 1:
            what = " and ".join(sorted({f"{one.kind}" for one in changing}))
            raise DefinitionError(f"{mode}: the state {name} goes on in different ways in different steps: {what}")
        found[name] = changing.pop() if changing else Recurrence(name, "held")
    return found


def horner_operation(step: Step, recurrence: Recurrence) -> int | None:
    """The number of the operation of a step that is the product of a Horner recurrence, or None if there is none."""
    for number, operation in enumerate(step.operations):
        if operation.operation is MUL.operation and _key_operand(operation) == recurrence.key and _added(operation, recurrence.name):
            return number
    return None


def chains_of(kinds: Mapping[str, Recurrence]) -> list[Recurrence]:
    """The recurrences with which each block waits for the cipher of the one before it."""
    return [kind for kind in kinds.values() if kind.kind in ("cipher", "late")]


def chain_operations(step: Step, recurrence: Recurrence) -> list[int]:
    """The ciphers of a step that read a chain."""
    source = Source("state", recurrence.name)
    return [
        number for number, operation in enumerate(step.operations)
        if operation.operation.keyed and any(term.source == source for term in operation.operands[0])
    ]  # fmt: skip


def _operation(step: Step, term: Term) -> UnitOperation:
    number = term.source.what
    assert isinstance(number, int)
    return step.operations[number]


def _key_operand(operation: UnitOperation) -> int | None:
    """The key word that is an entire operand."""
    for operand in operation.operands:
        if len(operand) == 1 and operand[0].source.kind == "key" and not operand[0].maps:
            node = operand[0].source.what
            assert isinstance(node, int)
            return node
    return None


def _added(operation: UnitOperation, name: str) -> bool:
    """Whether an operand contains a part of the state as an unmodified term."""
    return any(Term(Source("state", name)) in operand for operand in operation.operands)


def _of_operation(step: Step, operation: UnitOperation, name: str) -> Recurrence | None:
    """How a part of the state changes that is the result of one operation on its old value; None if no pipeline keeps up with it."""
    rest = [term for operand in operation.operands for term in operand if term != Term(Source("state", name))]
    if not _added(operation, name) or depends_on(step, tuple(rest), name):
        return None
    if operation.operation.counter and not rest:
        return Recurrence(name, "counter")
    if operation.operation is MUL.operation and (key := _key_operand(operation)) is not None:
        return Recurrence(name, "horner", key)
    return Recurrence(name, "cipher") if operation.operation.keyed else None


def _kind(mode: str, step: Step, name: str) -> Recurrence:
    if name not in step.updates:
        return Recurrence(name, "held")
    form = step.updates[name]
    others = [term for term in form if term.source != Source("state", name)]
    through = [term for term in others if term.source.kind == "op" and depends_on(step, (term,), name)]
    if not through:
        return Recurrence(name, "wires")
    if len(form) == 1 and not form[0].maps and (known := _of_operation(step, _operation(step, form[0]), name)) is not None:
        return known
    if len(through) == 1 and not through[0].maps and len(others) == len(form):
        operation = _operation(step, through[0])
        if operation.operation.keyed and operation.operands == ((Term(Source("state", name)),),):
            return Recurrence(name, "late")
    raise DefinitionError(
        f"{mode}: {step.name}(): the state {name} goes through operations in a way that no pipeline keeps up with; it may be a sum, a "
        "counter, (state ^ block) * key value, E(state ^ block), or E(state) ^ block"
    )
