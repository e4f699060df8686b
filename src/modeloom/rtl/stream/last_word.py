# SPDX-License-Identifier: Apache-2.0
"""Operands of set-up that are the word before: they come with their token, and not from the key memory.

::

    token ──▶ unit ──▶ word ──▶ key memory
      ▲                  │
      └──────[reg]◀──────┘       the powers of H: H ──▶ H^2 ──▶ H^3 ...

A set-up computes one word after another.  So the key memory needs no port for these operands, and they share the way of blocks to their
unit.
"""

from __future__ import annotations

from collections.abc import Sequence

from modeloom.streams.place import unit_of
from modeloom.streams.plan import StreamPlan
from modeloom.streams.steps import Form, Source, Term

__all__ = ["by_port", "last_operand"]


def by_port(operands: Sequence[Form]) -> list[Form]:
    """The operands of an operation in the order of the ports of its unit.  If there are several, one that is only a key word is last."""
    return sorted(operands, key=lambda form: len(form) == 1 and form[0].source.kind in ("key", "word"))


def last_operand(plan: StreamPlan) -> tuple[str, int] | None:
    """The unit and the port at which every token of set-up but the first one reads the word before, and nothing else reads a word.

    None if there is no such port.
    """
    made = plan.preparations
    found: set[tuple[str, int] | None] = set()
    for before, each in zip(made, made[1:], strict=False):
        last = (Term(Source("word", before.word)),)
        at = [port for port, form in enumerate(by_port(each.operands)) if form == last]
        found.add((unit_of(each.operation), at[0]) if at and unit_of(each.operation) else None)
    if len(found) != 1 or (port := found.pop()) is None or port == ("mul", 1):
        return None
    others = [step.operations[n] for token in plan.tokens for step in (plan.step(token.title),) for n in token.operations]
    reads = [by_port(each.operands) for each in others if unit_of(each.operation) == port[0]]
    first = made[0]
    if unit_of(first.operation) == port[0]:
        reads.append(by_port(first.operands))
    words = any(term.source.kind in ("key", "word") for forms in reads if port[1] < len(forms) for term in forms[port[1]])
    return None if words or plan.keys_beside else port
