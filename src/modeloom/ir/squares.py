# SPDX-License-Identifier: Apache-2.0
"""Gives each hash of a sector its own squares of key values.

A square that both hashes of a mode read would have to be stored while the sector is in the cipher between them.  To compute it again takes
one cycle of a squaring unit, which has many to spare::

    h ─▶ h^2 ─▶ h^4 ─▶ …    for products before any cipher call
    h ─▶ h^2 ─▶ h^4 ─▶ …    for products after the cipher
"""

from __future__ import annotations

from dataclasses import replace

from modeloom.ir.ops import Form, Op

__all__ = ["renew_squares"]


def renew_squares(ops: list[Op]) -> list[Op]:
    """The operations of one direction, with a chain of squares for each number of cipher calls on the way to its readers."""
    result: list[Op] = []
    phase: list[int] = []
    place: dict[int, int] = {}
    copies: dict[tuple[int, int], int] = {}

    def moved(form: Form, at: int) -> Form:
        return tuple(t._replace(source=("op", of(t.source[1], at))) if t.source[0] == "op" else t for t in form)

    def of(i: int, at: int) -> int:
        if not ops[i].kind.operation.of_keys:
            return place[i]
        if (i, at) not in copies:
            op = ops[i]
            result.append(replace(op, pre=[moved(form, at) for form in op.pre], post=moved(op.post, at)))
            copies[i, at] = len(result) - 1
        return copies[i, at]

    for i, op in enumerate(ops):
        reads = [term.source[1] for _, term in op.terms() if term.source[0] == "op"]
        phase.append(max((phase[j] + ops[j].kind.operation.keyed for j in reads), default=0))
        if not op.kind.operation.of_keys:
            result.append(replace(op, pre=[moved(form, phase[i]) for form in op.pre], post=moved(op.post, phase[i])))
            place[i] = len(result) - 1
    return result
