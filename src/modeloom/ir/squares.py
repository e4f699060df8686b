# SPDX-License-Identifier: Apache-2.0
"""Gives each hash of a sector its own squares of key values.

A square that the first hash of a mode and the second both read would be held all the way through the cipher between them; making it
again takes a cycle of a squaring unit, which has many to spare::

    h ─▶ h^2 ─▶ h^4 ─▶ …    for products before any cipher call
    h ─▶ h^2 ─▶ h^4 ─▶ …    for products behind the cipher
"""

from __future__ import annotations

from modeloom.ir.ops import Form, Op, cipher_core

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
        if ops[i].kind != "sqr":
            return place[i]
        if (i, at) not in copies:
            op = ops[i]
            result.append(Op("sqr", [moved(form, at) for form in op.pre], moved(op.post, at), op.keep, line=op.line, block=op.block))
            copies[i, at] = len(result) - 1
        return copies[i, at]

    for i, op in enumerate(ops):
        reads = [term.source[1] for _, term in op.terms() if term.source[0] == "op"]
        phase.append(max((phase[j] + bool(cipher_core(ops[j].kind)) for j in reads), default=0))
        if op.kind != "sqr":
            op.pre, op.post = [moved(form, phase[i]) for form in op.pre], moved(op.post, phase[i])
            result.append(op)
            place[i] = len(result) - 1
    return result
