# SPDX-License-Identifier: Apache-2.0
"""Moves values that ``start`` computes and only ``tag`` reads to ``tag``.  A message then needs no token for its start.

The mask E(K, J0) of GCM is such a value. The state holds its operand J0 instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from modeloom.streams.recurrences import Recurrence
from modeloom.streams.steps import Form, Source, Step, Term, UnitOperation

__all__ = ["move_to_tag", "own_operation", "renumbered", "with_first", "without_operation"]


def move_to_tag(steps: Sequence[Step], kinds: dict[str, Recurrence]) -> list[Step]:
    """The steps, with operations of one operand moved from ``start`` to ``tag`` if their units are free there.

    With a chain through the cipher they are moved in any case.  Its blocks would wait for a ``start`` that takes a token.
    """
    result = list(steps)
    chained = any(recurrence.chained for recurrence in kinds.values())
    for name, recurrence in kinds.items():
        if recurrence.kind == "held":
            result = _moved(result, name, chained)
    return result


def _moved(steps: list[Step], name: str, chained: bool) -> list[Step]:
    starts = [step for step in steps if step.name == "start"]
    tag = next(step for step in steps if step.name == "tag")
    source = Source("state", name)
    if any(term.source == source for step in steps if step is not tag for form in step.forms() for term in form):
        return steps
    made = [own_operation(step, name) for step in starts]
    first = made[0]
    if first is None or any(one is None or (one.operation, one.number) != (first.operation, first.number) for one in made):
        return steps
    busy = any(other.operation.unit is first.operation.unit for other in tag.operations)
    if len(first.operands) > 1 or (busy and not chained):
        return steps
    moved = UnitOperation(first.operation, ((Term(source),),), first.number, first.line)
    changed = {id(step): without_operation(step, name) for step in starts} | {id(tag): with_first(tag, source, moved)}
    return [changed.get(id(step), step) for step in steps]


def own_operation(step: Step, name: str) -> UnitOperation | None:
    """The operation whose result is a part of the state and is used nowhere else."""
    number = _own(step, name)
    return None if number is None else step.operations[number]


def _own(step: Step, name: str) -> int | None:
    form = step.updates[name]
    if len(form) != 1 or form[0].maps or form[0].source.kind != "op":
        return None
    number = form[0].source.what
    assert isinstance(number, int)
    return number if sum(term.source == form[0].source for each in step.forms() for term in each) == 1 else None


def without_operation(step: Step, name: str) -> Step:
    """The step without the operation of its own that a part of the state has.  Its operand is then this part."""
    number = _own(step, name)
    assert number is not None
    updates = {**step.updates, name: step.operations[number].operands[0]}
    return renumbered(replace(step, updates=updates), [n for n in range(len(step.operations)) if n != number])


def renumbered(step: Step, order: Sequence[int]) -> Step:
    """The step with some of its operations, by their numbers, in this order."""
    place = {old: new for new, old in enumerate(order)}

    def form(old: Form) -> Form:
        return tuple(
            Term(Source("op", place[term.source.what]), term.maps)
            if term.source.kind == "op" and isinstance(term.source.what, int) else term
            for term in old
        )  # fmt: skip

    kept = [step.operations[n] for n in order]
    return replace(
        step, operations=[replace(one, operands=tuple(map(form, one.operands))) for one in kept],
        updates={name: form(each) for name, each in step.updates.items()},
        output=None if step.output is None else form(step.output), second=None if step.second is None else form(step.second),
    )  # fmt: skip


def with_first(step: Step, source: Source, moved: UnitOperation) -> Step:
    """The step with an additional operation at its beginning, which replaces a part of the state."""

    def form(old: Form) -> Form:
        return tuple(
            Term(Source("op", 0), term.maps) if term.source == source
            else Term(Source("op", term.source.what + 1), term.maps) if isinstance(term.source.what, int) and term.source.kind == "op"
            else term
            for term in old
        )  # fmt: skip

    operations = [replace(operation, operands=tuple(form(operand) for operand in operation.operands)) for operation in step.operations]
    return replace(
        step, operations=[moved, *operations], updates={name: form(each) for name, each in step.updates.items()},
        output=None if step.output is None else form(step.output), second=None if step.second is None else form(step.second),
    )  # fmt: skip
