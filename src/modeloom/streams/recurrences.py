# SPDX-License-Identifier: Apache-2.0
"""The recurrence of each part of the state from block to block, which decides how it is pipelined.

======== ======================== ==========================================================================
kind     v' is                    in hardware
======== ======================== ==========================================================================
held     v                        a register that ``start`` writes
wires    L(v) ⊕ w                 a register with XORs before it: a new value in each cycle
counter  v + n                    a register with an adder before it
horner   (v ⊕ w) · K              k chains with powers of the key word K, as many as the multiplier has cycles
cipher   E(v ⊕ w)                 one block per latency of the cipher; other channels fill the cycles
late     E(v) ⊕ w                 the same, where w may be as late as E(v) (``streams.rewrite``)
======== ======================== ==========================================================================

w is anything that does not depend on v.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from modeloom.spec import DefinitionError
from modeloom.spec.kinds import MUL
from modeloom.spec.stream import BETWEEN
from modeloom.streams.steps import Form, Source, Step, Term, UnitOperation

__all__ = ["Recurrence", "chain_operations", "depends_on", "horner_operation", "recurrences"]


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


def chain_operations(step: Step, recurrence: Recurrence) -> list[int]:
    """The ciphers of a step that read a chain."""
    source = Source("state", recurrence.name)
    return [
        number for number, operation in enumerate(step.operations)
        if recurrence.chained and operation.operation.keyed and any(term.source == source for term in operation.operands[0])
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
