# SPDX-License-Identifier: Apache-2.0
"""First part of the proof: the lowered graph, with its set-up, computes the traced definition.

Both are evaluated on normal forms, the definition with ``poly`` and ``power`` as they are defined, and each result
block of each direction is compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from modeloom.ir.graph import Form, Node, Op, OpGraph, Trace, reached
from modeloom.ir.trace import DIRECTIONS
from modeloom.prove.execute import ProofError
from modeloom.prove.polynomials import Algebra, Polynomial

__all__ = ["Definition", "Undecided", "prove_inverse", "prove_rewrite"]


# -- rewrite ---------------------------------------------------------------------------------------------------------------------------


def prove_rewrite(source: Trace, graph: OpGraph, setup: OpGraph) -> int:
    """Compares definition and graph; gives the number of monomials met.

    Parameters
    ----------
    source : Trace
        The definition as traced, not expanded.
    graph, setup : OpGraph
        The lowered graph of the directions, and of the set-up.

    Raises
    ------
    ProofError
        A result block or a key word differs.
    """
    algebra = Algebra(source.field)
    definition = Definition(source, algebra)
    words = {name: algebra.atom("raw", name) for name in source.raw_names}
    given = dict(words)
    _GraphValues(setup, "setup", algebra, words).run()
    _named_words(source, definition, words, given)
    _set_up_keys(source, definition, words, setup)
    for direction in graph.directions:
        wanted = definition.direction(direction)
        values = _GraphValues(graph, direction, algebra, words)
        values.run()
        for index, value in enumerate(wanted):
            got = values.outputs.get(index)
            if got is None:
                raise ProofError(f"{source.mode}: {direction} gives no block {index}")
            if got != value:
                raise ProofError(
                    f"{source.mode}: block {index} of {direction} in the graph is not what the definition says; "
                    f"they differ by {algebra.text(got ^ value)}"
                )
    return algebra.monomials


def _named_words(source: Trace, definition: Definition, words: dict[str, Polynomial], given: dict[str, Polynomial]) -> None:
    """Words with a name of set-up's hold what set-up says, and words NAME^e are powers of NAME."""
    for i, name in sorted(source.key_names.items()):
        if name in words and name not in given and words[name] != definition.value(i):
            raise ProofError(f"{source.mode}: key word {name} is not what set-up gives")
    for name, value in words.items():
        base, hat, exponent = name.rpartition("^")
        if hat and exponent.isdigit() and base in words and value != definition.algebra.power(words[base], int(exponent)):
            raise ProofError(f"{source.mode}: key word {name} is not the power {exponent} of {base}")


def _set_up_keys(source: Trace, definition: Definition, words: dict[str, Polynomial], setup: OpGraph) -> None:
    """Words that hold cipher keys, and words that must not be 0, are what the definition says."""
    wanted = [tuple(definition.value(i) for i in blocks) for blocks in source.derived]
    made = [tuple(words[name] for name in names) for names in setup.derived]
    if wanted != made:
        raise ProofError(f"{source.mode}: a cipher key that set-up makes is not what the definition says")
    if [definition.value(i) for i in source.nonzero] != [words[name] for name in setup.nonzero]:
        raise ProofError(f"{source.mode}: a key word that must not be 0 is not what the definition inverts")


class Definition:
    """Values of the nodes of a trace.

    Parameters
    ----------
    blocks : sequence of Polynomial or None
        What goes in; None: an indeterminate for each block.
    """

    def __init__(self, trace: Trace, algebra: Algebra, blocks: Sequence[Polynomial] | None = None):
        self.trace = trace
        self.algebra = algebra
        self.blocks = blocks
        self.values: dict[int, Polynomial] = {}
        self.added: dict[int, tuple[int, ...]] = {}

    def direction(self, direction: str) -> list[Polynomial]:
        """Result blocks of a direction."""
        outputs = self.trace.outputs[direction]
        self.added = _added(self.trace.nodes, outputs)
        return [self.value(i) for i in outputs]

    def value(self, root: int) -> Polynomial:
        """Value of a node, after those that it needs."""
        stack = [root]
        while stack:
            i = stack[-1]
            if i in self.values:
                stack.pop()
                continue
            node = self.trace.nodes[i]
            needs = [j for j in (*node.inputs, *self.added.get(i, ())) if j not in self.values]
            if needs:
                stack.extend(needs)
            else:
                value = self._evaluate(node)
                # A sum that is inverted is an indeterminate from here on: its power with a 128-bit exponent would have no end of
                # terms.
                self.values[i] = self.algebra.unit(value) if i in self.trace.nonzero else value
                stack.pop()
        return self.values[root]

    def _evaluate(self, node: Node) -> Polynomial:
        algebra, args = self.algebra, node.args
        if node.kind == "block" and self.blocks is not None:
            return self.blocks[args[0]]
        if node.kind in ("block", "tweak", "raw"):
            return algebra.atom(node.kind, args[0])
        if node.kind == "const":
            return algebra.const(args[0])
        values = [self.values[j] for j in node.inputs]
        if node.kind == "xor":
            return values[0] ^ values[1]
        if node.kind == "scale":
            return algebra.scale(values[0], args[1])
        if node.kind == "keep":
            return algebra.head(values[0], args[1])
        if node.operation:
            rest = self.added.get(node.id)
            return algebra.operate(node.operation, values, node.number, algebra.add(self.values[j] for j in rest) if rest else None)
        if node.kind == "inverse":
            return algebra.inverse(values[0])
        if node.kind == "power":
            return algebra.power(values[0], args[1])
        if node.kind == "poly":
            h, power, *blocks = values
            total = algebra.zero
            for x in reversed(blocks):
                total = total ^ algebra.mul(x, power)
                power = algebra.mul(power, h)
            return total
        raise ProofError(f"{self.trace.mode}: no meaning is known for an operation {node.kind!r} of the definition")


def _added(nodes: list[Node], outputs: list[int]) -> dict[int, tuple[int, ...]]:
    """For cipher calls that are read by one named sum alone: the other summands.

    The sum is a result block or is read several times.  In HEH the second hash reads it.  As its summands other
    than the call cannot depend on the call, the sum may be the indeterminate in place of the call's result.
    """
    needed = reached(nodes, outputs)
    readers = Counter(j for i in needed for j in nodes[i].inputs)
    readers.update(outputs)
    result: dict[int, tuple[int, ...]] = {}
    for i in sorted(needed):
        if nodes[i].kind != "xor" or (readers[i] < 2 and i not in outputs):
            continue
        leaves: list[int] = []
        stack = list(nodes[i].args)
        while stack:
            j = stack.pop()
            if nodes[j].kind == "xor" and readers[j] == 1:
                stack.extend(nodes[j].args)
            else:
                leaves.append(j)
        calls = sorted(j for j in leaves if nodes[j].keyed and readers[j] == 1)
        if calls:
            result[calls[0]] = tuple(sorted(j for j in leaves if j != calls[0]))
    return result


class _GraphValues:
    """Values of the operations of one direction of a lowered graph."""

    def __init__(self, graph: OpGraph, direction: str, algebra: Algebra, words: dict[str, Polynomial]):
        self.graph = graph
        self.direction = direction
        self.algebra = algebra
        self.words = words
        self.values: dict[int, Polynomial] = {}
        self.outputs: dict[int, Polynomial] = {}

    def run(self) -> None:
        """Evaluates all operations; key words that leave go into ``words``."""
        for i, op in self.graph.ops(self.direction):
            if op.leaves:
                value = self._form(op.pre[0])
                if isinstance(op.index, str):
                    # As for the definition.
                    self.words[op.index] = self.algebra.unit(value) if op.index in self.graph.nonzero else value
                else:
                    self.outputs[int(op.index or 0)] = value
            else:
                self.values[i] = self._result(op)

    def _result(self, op: Op) -> Polynomial:
        operands = [self._form(form) for form in op.pre]
        # Which core is for which key is for ``check`` to say.
        value = self.algebra.operate(op.kind.operation, operands, op.number)
        value = self.algebra.head(value, op.keep)
        return value ^ self._form(op.post) if op.post else value

    def _form(self, form: Form) -> Polynomial:
        return self.algebra.add(self._terms(form))

    def _terms(self, form: Form) -> Iterable[Polynomial]:
        for source, k, keep in form:
            if source[0] == "chain":
                chain = self.graph.chains[source[1]]
                base = chain.base[self.direction]
                value = self.algebra.head(self._source(base.source), base.keep)
                value = self.algebra.scale(value, base.k + chain.stride * source[2])
            else:
                value = self._source(source)
            yield self.algebra.scale(self.algebra.head(value, keep), k)

    def _source(self, source: tuple) -> Polynomial:
        kind, name = source[0], source[1]
        if kind == "op":
            table: dict = self.values
        elif kind == "key":
            table = self.words
        elif kind == "const":
            return self.algebra.const(name)
        else:
            return self.algebra.atom(kind, name)
        if name not in table:
            raise ProofError(f"{self.graph.name}: {self.direction} reads {kind} {name} before it is computed")
        return table[name]


# -- inverse ---------------------------------------------------------------------------------------------------------------------------

# Third part of the proof: the two directions of a definition are inverse to each other.
#
#     block 0, block 1, ...  ──encrypt──▶ forms ──decrypt──▶ block 0, block 1, ...     for every permutation in place of the cipher
#     block 0, block 1, ...  ──decrypt──▶ forms ──encrypt──▶ block 0, block 1, ...
#
# One direction is evaluated on indeterminates, the other on the resulting normal forms.  A partial last block is the head of an
# indeterminate.  In a result, only the bytes of the sector count.  Equal forms are a proof.  If forms differ, a test on numbers decides
# (``modeloom.definition.check``).

MOST_PRODUCTS = 1 << 22
"""Products of terms that the forms of one direction after the other may take.  The most that a built-in mode takes is half of it: TET
with sectors of 8192 bytes."""


@dataclass(frozen=True)
class Undecided:
    """The reason why the normal forms prove nothing: they differ, or they are too large.

    Attributes
    ----------
    first : str
        The direction that is evaluated first.
    block : int or None
        The first block that differs from the input block; None if forms became too large.
    difference : str
        The sum of both, as text, or what became too large.
    """

    first: str
    block: int | None
    difference: str


def prove_inverse(source: Trace, most_products: int = MOST_PRODUCTS) -> Undecided | None:
    """Compares both directions, one after the other, with the identity; None if they are equal.

    Parameters
    ----------
    source : Trace
        The trace of the definition in both directions.
    most_products : int
        Products of terms after which the forms count as too large.
    """
    for first, then in (DIRECTIONS, DIRECTIONS[::-1]):
        try:
            undecided = _compare(source, first, then, most_products)
        except ProofError as error:
            undecided = Undecided(first, None, str(error))
        if undecided:
            return undecided
    return None


def _compare(source: Trace, first: str, then: str, most_products: int) -> Undecided | None:
    algebra = Algebra(source.field, relations=True, most_products=most_products)
    # The values to invert are known before anything is computed with their inverses.
    known = Definition(source, algebra)
    for node in source.nonzero:
        known.value(node)
    blocks = [algebra.atom("block", i) for i in range(source.blocks)]
    tail = source.nbytes % source.block_bytes
    blocks[-1] = algebra.head(blocks[-1], tail)
    between = Definition(source, algebra, blocks).direction(first)
    between[-1] = algebra.head(between[-1], tail)
    results = Definition(source, algebra, between).direction(then)
    results[-1] = algebra.head(results[-1], tail)
    for i, (got, wanted) in enumerate(zip(results, blocks, strict=True)):
        if got != wanted:
            return Undecided(first, i, algebra.text(got ^ wanted))
    return None
