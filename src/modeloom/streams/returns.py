# SPDX-License-Identifier: Apache-2.0
"""Which operations of blocks wait for the cipher, so that a token returns to it (``streams.place``).

::

    pair       E(M1 ^ mask) ──▶ C1 ──▶ E(C1 ^ other mask)                 in a step
    state      sum ^ E(block) ──▶ sum ──▶ last block: E(sum ^ block)      from step to step
"""

from __future__ import annotations

from collections.abc import Sequence

from modeloom.streams.steps import Form, Step

__all__ = ["waiting"]


def waiting(blocks: Sequence[Step]) -> dict[str, set[int]]:
    """For each step of a block, the operations of the cipher whose operands come from the cipher, in this step or through the state."""
    parts: set[str] = set()
    found: dict[str, set[int]] = {step.title: set() for step in blocks}
    before = -1
    while before != len(parts):
        before = len(parts)
        for step in blocks:
            for number, one in enumerate(step.operations):
                if one.operation.keyed and any(_made(step, operand, parts) for operand in one.operands):
                    found[step.title].add(number)
            parts |= {name for name, form in step.updates.items() if _made(step, form, parts)}
    return found


def _made(step: Step, form: Form, parts: set[str]) -> bool:
    """Whether a form comes from the cipher.  ``parts`` are those of the state that do."""
    for term in form:
        kind, what = term.source
        if kind == "op":
            assert isinstance(what, int)
            one = step.operations[what]
            if one.operation.keyed or any(_made(step, operand, parts) for operand in one.operands):
                return True
        elif kind in ("state", "left") and what in parts:
            return True
    return False
