# SPDX-License-Identifier: Apache-2.0
"""The expected outputs of a core as words of symbols, from the lowered graph.  They correspond to the ``Symbols`` of ``prove``.

A value is a word.  A form is a word.  For a chain, it is the list of terms whose sum it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from modeloom.equivalence import lanes
from modeloom.equivalence.cores import cipher_result, function_of
from modeloom.ir.ops import OpGraph
from modeloom.prove.symbols import GraphSymbols
from modeloom.spec import Field
from modeloom.spec.kinds import Kind

__all__ = ["Words", "outputs"]

Term = tuple[int, int, int]


class Words:
    """Values of a graph as words.

    Parameters
    ----------
    field : Field
    ciphers : sequence of mapping
        For each cipher key, the name of its round keys for each operation.
    atoms : mapping
        Blocks of data and of the tweak: ("block", sector, i), ("tweak", sector, j).
    """

    def __init__(self, field: Field, ciphers: Sequence[Mapping[str, int]], atoms: Mapping[tuple, int]):
        self.field, self.ciphers, self.atoms, self.width = field, ciphers, atoms, field.width

    def atom(self, *name: object) -> int:
        """A block of a sector or of its tweak."""
        return self.atoms[name]

    def const(self, number: int) -> int:
        """A constant."""
        return lanes.constant(number, self.width)

    def form(self, terms: Sequence[Term]) -> int:
        """XOR of terms."""
        total = 0
        for value, k, keep in terms:
            total ^= lanes.scaled(self.field, lanes.cut(value, self.width, keep), k)
        return total

    def step(self, form: tuple[Term, ...], stride: int) -> tuple[Term, ...]:
        """form * x^stride."""
        return tuple((value, k + stride, keep) for value, k, keep in form)

    def term(self, form: tuple[Term, ...], k: int, keep: int) -> Term:
        """A form as a term."""
        return self.form(form), k, keep

    def operate(self, core: Kind, operands: Sequence[int], number: int) -> int:
        """The result of an operation."""
        operation = core.operation
        if not operation.unit.component:
            return operands[0]
        if operation.keyed:
            return cipher_result(operation.name, self.ciphers[number][operation.name], operands, self.width)
        return function_of(operation, self.width)(*operands, *([lanes.constant(number, self.width)] if operation.numbers else []))

    def result(self, raw: int, keep: int, post: int) -> int:
        """``keep`` bytes of the result of a core, plus a form."""
        return lanes.cut(raw, self.width, keep) ^ post

    def store(self, form: int) -> int:
        """A form as a value."""
        return form


def outputs(graph: OpGraph, direction: str, sector: int, words: Words, keys: Mapping[str, int]) -> dict[Any, int]:
    """The blocks that leave the core by number, or the key words of the set-up by name."""
    symbols: Any = words
    found: dict[Any, Any] = GraphSymbols(graph, symbols, keys).outputs(direction, sector)
    return found
