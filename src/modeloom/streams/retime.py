# SPDX-License-Identifier: Apache-2.0
"""Moves the cipher of a chain from the end of a step to the beginning of the next one.

A chain such as a CBC-MAC is y ← E(y ⊕ w).  The state then holds what is to be enciphered, x with y = E(x)::

    before     start: y = E(b)      block: y ← E(y ⊕ w)        tag: ... y ...
    after      start: x = b         block: x ← E(x) ⊕ w        tag: ... E(x) ...

So w may be ready as late as E(x), a cipher's latency after the block has come.  In CCM, w is the plaintext, which a message to open has
no sooner.  Both directions then take one latency for a block, and ``start`` needs no token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from modeloom.streams.lazy import own_operation, renumbered, with_first, without_operation
from modeloom.streams.recurrences import Recurrence
from modeloom.streams.steps import Form, Source, Step, Term, UnitOperation

__all__ = ["retime"]


def retime(steps: Sequence[Step], kinds: dict[str, Recurrence]) -> list[Step]:
    """The steps, with the ciphers of their chains moved where that is possible."""
    result = list(steps)
    for name, recurrence in kinds.items():
        if recurrence.kind == "cipher":
            result = _retimed(result, name)
    return result


def _retimed(steps: list[Step], name: str) -> list[Step]:
    made = [own_operation(step, name) for step in steps if step.name == "start"]
    links = [last_of for step in steps if name in step.updates and (last_of := _link(step, name)) is not None]
    blocks = [step for step in steps if step.name != "start" and name in step.updates]
    first = made[0]
    if first is None or len(links) != len(blocks):
        return steps
    if any(one is None or not one.operation.keyed or (one.operation, one.number) != (first.operation, first.number) for one in made):
        return steps
    if any((step.operations[at].operation, step.operations[at].number) != (first.operation, first.number)
           for step, at in zip(blocks, links, strict=True)):  # fmt: skip
        return steps
    return [_step(step, name, first) for step in steps]


def _link(step: Step, name: str) -> int | None:
    """The operation of a block that is E(y ⊕ w), if nothing else reads its result or y."""
    form, source = step.updates[name], Source("state", name)
    if step.name == "start" or len(form) != 1 or form[0].maps or form[0].source.kind != "op":
        return None
    number = form[0].source.what
    assert isinstance(number, int)
    reads = [term for each in step.forms() for term in each if term.source in (source, form[0].source)]
    return number if sorted(map(len, (term.maps for term in reads))) == [0, 0] else None


def _step(step: Step, name: str, enciphers: UnitOperation) -> Step:
    source = Source("state", name)
    if step.name == "start":
        return without_operation(step, name)
    if name in step.updates:
        number = _link(step, name)
        assert number is not None
        old = step.operations[number]
        operations = list(step.operations)
        operations[number] = replace(old, operands=((Term(source),),))
        # The rest of the operand is added behind the cipher, which is the last operation.
        rest: Form = tuple(term for term in old.operands[0] if term.source != source)
        updates = {**step.updates, name: (Term(Source("op", number)), *rest)}
        order = [*(n for n in range(len(operations)) if n != number), number]
        return renumbered(replace(step, operations=operations, updates=updates), order)
    if not any(term.source == source for form in step.forms() for term in form):
        return step
    return with_first(step, source, replace(enciphers, operands=((Term(source),),)))
