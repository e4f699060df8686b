# SPDX-License-Identifier: Apache-2.0
"""The bits that each part of the state of a pipeline may have set.  The others are always zero, and need no register.

A part begins with what a ``start`` makes of it, and tokens add blocks, numbers and constants to it::

    start: last = 0          partial block: last = 0x40          ──▶ a single bit
    start: sum = 0           block: sum ^ p                      ──▶ all bits
"""

from __future__ import annotations

from collections.abc import Mapping

from modeloom.rtl.counter import counter_bits
from modeloom.streams.plan import StreamPlan
from modeloom.streams.steps import Form, Step, Term

__all__ = ["live_bits"]

SUBSETS = ("cut", "whole", "keep")
"""Maps that leave bits out, and move none."""


def live_bits(plan: StreamPlan) -> dict[str, int]:
    """By part of the state, a number with a one for each bit that may be set.  Those of chains and of the hash may all be."""
    width = 8 * plan.mode.block_bytes
    every = (1 << width) - 1
    found = {name: every if kind.chained or kind.kind == "horner" else 0 for name, kind in plan.kinds.items()}
    while True:
        before = dict(found)
        for step in plan.steps:
            for name, form in step.updates.items():
                found[name] |= _of_form(form, step, before, width)
        if found == before:
            return found


def _of_form(form: Form, step: Step, known: Mapping[str, int], width: int) -> int:
    bits = 0
    for term in form:
        bits |= _of_term(term, step, known, width)
    return bits


def _of_term(term: Term, step: Step, known: Mapping[str, int], width: int) -> int:
    every = (1 << width) - 1
    kind, what = term.source
    bits = every
    if kind == "const":
        bits = int(what)  # type: ignore[call-overload]
    elif kind in ("state", "left"):
        bits = known[str(what)]
    elif kind == "mark":
        bits = sum(0x80 << at for at in range(0, width, 8))
    elif kind == "op":
        assert isinstance(what, int)
        made = step.operations[what]
        if made.operation.counter is not None:
            counted = counter_bits(made.operation.counter, width)
            bits = _of_form(made.operands[0], step, known, width) | ((1 << counted.stop) - (1 << counted.start))
    return bits if not bits or all(wire[0] in SUBSETS for wire in term.maps) else every
