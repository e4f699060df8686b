# SPDX-License-Identifier: Apache-2.0
"""Lets the forms of a step read what the step makes of a part of the state, in place of the sum that it is.

::

    offset' = offset ⊕ k            offset' = offset ⊕ k
    enc(p ⊕ offset ⊕ k)      ──▶    enc(p ⊕ offset')

The sum is then computed once, where this part of the state lives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from modeloom.streams.steps import Form, Source, Step, Term

__all__ = ["with_left"]


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

    return replace(
        step,
        operations=[replace(one, operands=tuple(read(form) for form in one.operands)) for one in step.operations],
        updates={name: form if name in sums else read(form, name) for name, form in step.updates.items()},
        output=None if step.output is None else read(step.output),
        second=None if step.second is None else read(step.second),
    )
