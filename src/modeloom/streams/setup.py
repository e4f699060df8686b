# SPDX-License-Identifier: Apache-2.0
"""The computation for each key: operations on the same units, one token each, whose results are words of the key memory.

Each operation reads constants and existing words, and enters after the previous word has been written.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from modeloom.ir.graph import Node
from modeloom.spec import DefinitionError
from modeloom.spec.kinds import MUL, Operation
from modeloom.streams.steps import WIRES, Form, Source, Term
from modeloom.streams.trace import StreamTrace

__all__ = ["Preparation", "Word", "prepare"]

Word = tuple[int, int]
"""A key value by its node, and its power."""


@dataclass(frozen=True)
class Preparation:
    """An operation of the set-up.

    Attributes
    ----------
    operation : Operation
    operands : tuple of Form
        Sums of constants and of words: ``Source("word", (node, power))``.
    number : int
        The number of the node: that of the cipher key, or the number to add to a counter.
    word : (int, int)
        The word that is its result.
    """

    operation: Operation
    operands: tuple[Form, ...]
    number: int
    word: Word


def prepare(trace: StreamTrace, wanted: Iterable[Word]) -> tuple[list[Preparation], list[Word]]:
    """The operations that compute some words, and all words in the order of their addresses, beginning with those from the host.

    Raises
    ------
    DefinitionError
        The set-up needs an operation that the units of the pipeline do not have.
    """
    return _Preparer(trace).run(wanted)


class _Preparer:
    def __init__(self, trace: StreamTrace):
        self.trace = trace
        self.done: dict[Word, Preparation | None] = {}

    def run(self, wanted: Iterable[Word]) -> tuple[list[Preparation], list[Word]]:
        for node in self.trace.nodes:
            if node.kind == "raw":
                self.done[node.id, 1] = None
        for word in wanted:
            self._need(word)
        return [made for made in self.done.values() if made is not None], list(self.done)

    def _need(self, word: Word) -> None:
        node, exponent = word
        if word in self.done:
            return
        if exponent > 1:
            self._need((node, exponent - 1))
            self._need((node, 1))
            factors = tuple((Term(Source("word", (node, e))),) for e in (exponent - 1, 1))
            self.done[word] = Preparation(MUL.operation, factors, 0, word)
            return
        made = self._operation(self.trace.nodes[node])
        for form in made.operands:
            for term in form:
                kind, what = term.source
                if kind == "word":
                    assert isinstance(what, tuple)
                    self._need(what)
        self.done[word] = made

    def _operation(self, node: Node) -> Preparation:
        if node.operation is None:
            raise DefinitionError(f"{self.trace.mode}: setup() uses o.{node.kind}(), which stream modes do not have")
        operands = tuple(self._form(self.trace.nodes[i]) for i in node.inputs)
        return Preparation(node.operation, operands, node.number, (node.id, 1))

    def _form(self, node: Node) -> Form:
        if node.kind == "const":
            return (Term(Source("const", node.args[0])),) if node.args[0] else ()
        if node.kind == "xor":
            a, b = (self._form(self.trace.nodes[i]) for i in node.args)
            return tuple(term for term in (*a, *b) if (term in a) != (term in b))
        if node.kind in WIRES:
            wire = (node.kind, *node.args[1:])
            return tuple(Term(term.source, (*term.maps, wire)) for term in self._form(self.trace.nodes[node.args[0]]))
        return (Term(Source("word", (node.id, 1))),)
