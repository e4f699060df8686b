# SPDX-License-Identifier: Apache-2.0
"""Moves values that ``start`` computes and only ``tag`` reads to ``tag``.  A message then needs no token for its start.

The mask E(K, J0) of GCM is such a value. The state holds its operand J0 instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from modeloom.streams.recurrences import Recurrence
from modeloom.streams.steps import Form, Source, Step, Term, UnitOperation

__all__ = ["move_to_tag"]


def move_to_tag(steps: Sequence[Step], kinds: dict[str, Recurrence]) -> list[Step]:
    """The steps, with operations of one operand moved from ``start`` to ``tag`` if their units are free there."""
    result = list(steps)
    for name, recurrence in kinds.items():
        if recurrence.kind == "held":
            result = _moved(result, name)
    return result


def _moved(steps: list[Step], name: str) -> list[Step]:
    starts = [step for step in steps if step.name == "start"]
    tag = next(step for step in steps if step.name == "tag")
    source = Source("state", name)
    if any(term.source == source for step in steps if step is not tag for form in step.forms() for term in form):
        return steps
    made = [_last_operation(step, name) for step in starts]
    first = made[0]
    if first is None or any(one is None or (one.operation, one.number) != (first.operation, first.number) for one in made):
        return steps
    if len(first.operands) > 1 or any(other.operation.unit is first.operation.unit for other in tag.operations):
        return steps
    moved = UnitOperation(first.operation, ((Term(source),),), first.number, first.line)
    changed = {id(step): _without(step, name) for step in starts} | {id(tag): _with(tag, source, moved)}
    return [changed.get(id(step), step) for step in steps]


def _last_operation(step: Step, name: str) -> UnitOperation | None:
    """The operation whose result is a part of the state and is used nowhere else."""
    form = step.updates[name]
    if len(form) != 1 or form[0].maps or form[0].source.kind != "op":
        return None
    number = form[0].source.what
    assert isinstance(number, int)
    if sum(term.source == form[0].source for each in step.forms() for term in each) > 1 or number != len(step.operations) - 1:
        return None
    return step.operations[number]


def _without(step: Step, name: str) -> Step:
    last = step.operations[-1]
    return replace(step, operations=step.operations[:-1], updates={**step.updates, name: last.operands[0]})


def _with(tag: Step, source: Source, moved: UnitOperation) -> Step:
    """The step with an additional operation at its beginning, which replaces a part of the state."""

    def form(old: Form) -> Form:
        return tuple(
            Term(Source("op", 0), term.maps) if term.source == source
            else Term(Source("op", term.source.what + 1), term.maps) if isinstance(term.source.what, int) and term.source.kind == "op"
            else term
            for term in old
        )  # fmt: skip

    operations = [replace(operation, operands=tuple(form(operand) for operand in operation.operands)) for operation in tag.operations]
    return replace(tag, operations=[moved, *operations], output=None if tag.output is None else form(tag.output))
