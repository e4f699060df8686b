# SPDX-License-Identifier: Apache-2.0
"""Hash-consed symbols: equal expressions are the same number.

A value is the number of an atom::

    ("block", sector, i) | ("tweak", sector, j) | ("key", name) | ("const", v) | ("form", terms)
    ("op", core, number, operand forms, keep, post form)    operands that may change places in a fixed order

A form is a XOR-set of terms (atom, k, keep), kept as a sorted tuple.
"""

from __future__ import annotations

from collections.abc import Mapping

from modeloom.ir.ops import OpGraph
from modeloom.prove.machine import MachineError
from modeloom.spec.errors import FailedCheck
from modeloom.spec.kinds import Kind

__all__ = ["Form", "GraphSymbols", "ProofError", "Symbols"]


# The error that a failed proof raises.

class ProofError(FailedCheck):
    """The program, or a rewritten graph, does not compute the definition.  The message is one line that says
    where.
    """


# -- symbols -----------------------------------------------------------------------------------------------------------------------

Form = tuple[tuple[int, int, int], ...]


class Symbols:
    """Table of atoms; the ``Values`` of a symbolic machine."""

    def __init__(self) -> None:
        self._numbers: dict[tuple, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def atom(self, *name: object) -> int:
        """The atom of this name."""
        return self._numbers.setdefault(name, len(self._numbers))

    def form(self, terms: list[tuple[int, int, int]]) -> Form:
        """XOR of terms: equal ones cancel."""
        if len(terms) == 1:
            return (terms[0],)
        left: set[tuple[int, int, int]] = set()
        for term in terms:
            left ^= {term}
        return tuple(sorted(left))

    def term(self, form: Form, k: int, keep: int) -> tuple[int, int, int]:
        """A form as a term: its only one, or an atom for its sum."""
        if len(form) == 1 and not keep:
            atom, old, kept = form[0]
            return atom, old + k, kept
        return self.store(form), k, keep

    def step(self, form: Form, stride: int) -> Form:
        """form * x^stride."""
        return tuple((atom, k + stride, keep) for atom, k, keep in form)

    def operate(self, core: Kind, operands: list[Form], number: int) -> tuple:
        """An operation on some forms, with its number."""
        if core.operation.commutes:
            operands = sorted(operands)
        return (core, number, *operands)

    def result(self, raw: tuple, keep: int, post: Form) -> int:
        """The atom of an operation."""
        return self.atom("op", raw, keep, post)

    def store(self, form: Form) -> int:
        """The atom of a form."""
        if len(form) == 1 and not form[0][1] and not form[0][2]:
            return form[0][0]
        return self.atom("form", form)

    def const(self, number: int) -> int:
        """The atom of a constant."""
        return self.atom("const", number)

    def undefined(self, what: str) -> int:
        """Raises ``MachineError``: nothing may be read that was not written."""
        raise MachineError(f"{what} holds nothing when it is read")


class GraphSymbols:
    """What a lowered graph says that leaves: forms of the same symbols.

    Parameters
    ----------
    graph : OpGraph
    symbols : Symbols
    words : mapping
        Atoms of the key words by name.
    """

    def __init__(self, graph: OpGraph, symbols: Symbols, words: Mapping[str, int]):
        self.graph, self.symbols, self.words = graph, symbols, words
        self.ops = {d: list(graph.ops(d)) for d in graph.directions}

    def outputs(self, direction: str, sector: int) -> dict[object, Form]:
        """Forms of the blocks of one sector by number, or of the key words of a set-up by name."""
        symbols = self.symbols
        words: dict[str, int] = dict(self.words)
        values: dict[int, int] = {}
        leaving: dict[object, Form] = {}
        chains = [chain.base.get(direction) for chain in self.graph.chains]

        def atom(source: tuple) -> int:
            kind = source[0]
            if kind == "op":
                return values[source[1]]
            if kind == "key":
                if source[1] not in words:
                    raise ProofError(f"{self.graph.name}: {direction} reads key word {source[1]}, which is not written")
                return words[source[1]]
            if kind == "const":
                return symbols.const(source[1])
            return symbols.atom(kind, sector, source[1])

        def form(terms: tuple) -> Form:
            result = []
            for source, k, keep in terms:
                if source[0] == "chain":
                    base = chains[source[1]]
                    start: Form = ((atom(base.source), base.k, base.keep),)
                    result.append(symbols.term(symbols.step(start, self.graph.chains[source[1]].stride * source[2]), k, keep))
                else:
                    result.append((atom(source), k, keep))
            return symbols.form(result)

        for i, op in self.ops[direction]:
            if op.leaves:
                leaving[op.index] = value = form(op.pre[0])
                if isinstance(op.index, str):
                    words[op.index] = symbols.store(value)
            else:
                raw = symbols.operate(op.kind, [form(operand) for operand in op.pre], op.number)
                values[i] = symbols.result(raw, op.keep, form(op.post))
        return leaving
