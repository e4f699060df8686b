# SPDX-License-Identifier: Apache-2.0
"""Rewrites the steps of a message, so that blocks follow each other sooner.

A chain such as a CBC-MAC is y ← E(y ⊕ w).  ``retime`` moves its cipher from the end of a step to the beginning of the next one.  The
state then holds what is to be enciphered, x with y = E(x)::

    before     start: y = E(b)      block: y ← E(y ⊕ w)        tag: ... y ...
    after      start: x = b         block: x ← E(x) ⊕ w        tag: ... E(x) ...

So w may be ready as late as E(x), a cipher's latency after the block has come.  In CCM, w is the plaintext, which a message to open has
no sooner.  Both directions then take one latency for a block, and ``start`` needs no token.

``move_to_tag`` moves values that ``start`` computes and only ``tag`` reads to ``tag``, and a message needs no token for its start.  The
mask E(K, J0) of GCM is such a value. The state holds its operand J0 instead.

``with_left`` lets forms read what the step makes of a part of the state, in place of the sum that it is.  The sum is then computed once,
where this part of the state lives::

    offset' = offset ⊕ k            offset' = offset ⊕ k
    enc(p ⊕ offset ⊕ k)      ──▶    enc(p ⊕ offset')
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from modeloom.streams.recurrences import Recurrence
from modeloom.streams.steps import Form, Source, Step, Term, UnitOperation

__all__ = ["move_to_tag", "retime", "with_left"]


# -- ciphers of chains --------------------------------------------------------------------------------------------------------------


def retime(steps: Sequence[Step], kinds: dict[str, Recurrence]) -> list[Step]:
    """The steps, with the ciphers of their chains moved where that is possible."""
    result = list(steps)
    for name, recurrence in kinds.items():
        if recurrence.kind == "cipher":
            result = _retimed(result, name)
    return result


def _retimed(steps: list[Step], name: str) -> list[Step]:
    made = [_own_operation(step, name) for step in steps if step.name == "start"]
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
    return [_late_cipher(step, name, first) for step in steps]


def _link(step: Step, name: str) -> int | None:
    """The operation of a block that is E(y ⊕ w), if nothing else reads its result or y."""
    form, source = step.updates[name], Source("state", name)
    if step.name == "start" or len(form) != 1 or form[0].maps or form[0].source.kind != "op":
        return None
    number = form[0].source.what
    assert isinstance(number, int)
    reads = [term for each in step.forms() for term in each if term.source in (source, form[0].source)]
    return number if sorted(map(len, (term.maps for term in reads))) == [0, 0] else None


def _late_cipher(step: Step, name: str, enciphers: UnitOperation) -> Step:
    source = Source("state", name)
    if step.name == "start":
        return _without_operation(step, name)
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
        return _renumbered(replace(step, operations=operations, updates=updates), order)
    if not any(term.source == source for form in step.forms() for term in form):
        return step
    return _with_first(step, source, replace(enciphers, operands=((Term(source),),)))


# -- values for the tag --------------------------------------------------------------------------------------------------------------


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
    made = [_own_operation(step, name) for step in starts]
    first = made[0]
    if first is None or any(one is None or (one.operation, one.number) != (first.operation, first.number) for one in made):
        return steps
    busy = any(other.operation.unit is first.operation.unit for other in tag.operations)
    if len(first.operands) > 1 or (busy and not chained):
        return steps
    moved = UnitOperation(first.operation, ((Term(source),),), first.number, first.line)
    changed = {id(step): _without_operation(step, name) for step in starts} | {id(tag): _with_first(tag, source, moved)}
    return [changed.get(id(step), step) for step in steps]


# -- sums that are new values --------------------------------------------------------------------------------------------------------


def with_left(steps: Sequence[Step]) -> list[Step]:
    """The steps, with sums that are new values of the state read as such."""
    return [step if step.name == "start" else _changed(step) for step in steps]


def _changed(step: Step) -> Step:
    # What waits for an operation is late, and what other new values are made of must be there before them.
    sums = {
        name: form for name, form in step.updates.items()
        if len(form) > 1 and Term(Source("state", name)) in form and not any(term.source.kind == "op" for term in form)
    }  # fmt: skip

    def read(form: Form, but: str = "") -> Form:
        for name, value in sums.items():
            if name != but and set(value) <= set(form):
                form = (Term(Source("left", name)), *(term for term in form if term not in value))
        return form

    return replace(step.mapped(read), updates={name: form if name in sums else read(form, name) for name, form in step.updates.items()})


# -- operations ---------------------------------------------------------------------------------------------------------------------


def _own_operation(step: Step, name: str) -> UnitOperation | None:
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


def _without_operation(step: Step, name: str) -> Step:
    """The step without the operation of its own that a part of the state has.  Its operand is then this part."""
    number = _own(step, name)
    assert number is not None
    updates = {**step.updates, name: step.operations[number].operands[0]}
    return _renumbered(replace(step, updates=updates), [n for n in range(len(step.operations)) if n != number])


def _renumbered(step: Step, order: Sequence[int]) -> Step:
    """The step with some of its operations, by their numbers, in this order."""
    place = {old: new for new, old in enumerate(order)}

    def form(old: Form) -> Form:
        return tuple(
            Term(Source("op", place[term.source.what]), term.maps)
            if term.source.kind == "op" and isinstance(term.source.what, int) else term
            for term in old
        )  # fmt: skip

    return replace(step, operations=[step.operations[n] for n in order]).mapped(form)


def _with_first(step: Step, source: Source, moved: UnitOperation) -> Step:
    """The step with an additional operation at its beginning, which replaces a part of the state."""

    def form(old: Form) -> Form:
        return tuple(
            Term(Source("op", 0), term.maps) if term.source == source
            else Term(Source("op", term.source.what + 1), term.maps) if isinstance(term.source.what, int) and term.source.kind == "op"
            else term
            for term in old
        )  # fmt: skip

    changed = step.mapped(form)
    return replace(changed, operations=[moved, *changed.operations])
