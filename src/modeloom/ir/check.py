# SPDX-License-Identifier: Apache-2.0
"""The legality checker of lowered graphs, written independently of the passes that make them.

It checks whether a graph is well formed.  ``prove`` checks whether it computes its mode.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from modeloom.ir.graph import Chain, Form, Op, OpGraph, Pair, Term
from modeloom.spec.errors import FailedCheck
from modeloom.spec.kinds import OPERANDS, OPERATIONS, Kind, UnitKind

__all__ = ["CheckError", "check_graph"]

SETUP = "setup"


class CheckError(FailedCheck):
    """A graph, schedule or program is not legal.  The message is one line that says what is wrong and where."""


def check_graph(
    graph: OpGraph, *, terms: int, blocks: int, tweak_blocks: int, block_bytes: int, raw_names: Sequence[str] = (),
    cipher_bits: Sequence[int] = (0,),
) -> None:  # fmt: skip
    """Raises ``CheckError`` unless a graph is legal.

    Parameters
    ----------
    terms : int
        Largest number of terms in a form.
    blocks, tweak_blocks : int
        Number of blocks in a sector and in a tweak; both 0 for a set-up.
    block_bytes : int
        Bytes of a block.
    raw_names : sequence of str
        Key words that the host loads.
    cipher_bits : sequence of int
        For each cipher key, its length in bits if the mode fixes it, or 0.
    """
    _Checker(graph, terms, blocks, tweak_blocks, block_bytes, tuple(raw_names), tuple(cipher_bits)).run()


class _Checker:
    def __init__(
        self, graph: OpGraph, terms: int, blocks: int, tweak_blocks: int, block_bytes: int, raw_names: tuple[str, ...],
        cipher_bits: tuple[int, ...],
    ):  # fmt: skip
        self.cipher_bits = cipher_bits
        self.graph, self.terms, self.raw_names = graph, terms, raw_names
        self.limits = {"block": blocks, "tweak": tweak_blocks}
        self.blocks, self.block_bytes = blocks, block_bytes
        self.setup = graph.directions == (SETUP,)
        self.where = graph.name

    def fail(self, message: str) -> None:
        raise CheckError(f"{self.where}: {message}")

    def run(self) -> None:
        graph = self.graph
        if not graph.directions or len(set(graph.directions)) != len(graph.directions):
            self.fail("the directions are not one or more different ones")
        if len(set(graph.key_names)) != len(graph.key_names):
            self.fail("two key words have one name")
        if not set(self.raw_names) <= set(graph.key_names):
            self.fail("the host loads key words that do not exist")
        named = {*graph.nonzero, *(name for words in graph.derived for name in words)}
        if not named <= set(graph.key_names):
            self.fail("a key word that must not be 0, or holds a cipher key, does not exist")
        for place, pair in enumerate(graph.pairs):
            self.where = f"{graph.name}: operation {place}"
            self.pair(place, pair)
        for place, chain in enumerate(graph.chains):
            self.where = f"{graph.name}: chain {place}"
            self.chain(place, chain)
        for direction in graph.directions:
            self.where = f"{graph.name}: {direction}"
            self.direction(direction)

    # -- operations ---------------------------------------------------------------------------------------------------

    def pair(self, place: int, pair: Pair) -> None:
        if pair.id != place:
            self.fail(f"its number is {pair.id}")
        if not pair.ops:
            self.fail("it is empty")
        self.directions(pair.ops)
        for op in pair.ops.values():
            self.known(op)
        kinds = {op.kind.unit for op in pair.ops.values()}
        shared = {op.kind.shared for op in pair.ops.values()}
        if len(kinds) > 1 and (len(shared) > 1 or None in shared):
            self.fail(f"{' and '.join(sorted(kinds))} cannot be done by one unit")
        for op in pair.ops.values():
            self.op(op)

    def directions(self, names: Iterable[str]) -> None:
        """Checks that the graph has these directions."""
        for name in names:
            if name not in self.graph.directions:
                self.fail(f"the graph has no direction {name!r}")

    def known(self, op: Op) -> None:
        if not isinstance(op.kind, Kind) or OPERATIONS.get(op.kind.operation.name) is not op.kind.operation:
            self.fail(f"unknown kind {op.kind!r}")

    def op(self, op: Op) -> None:
        operation = op.kind.operation
        if len(op.pre) != operation.operands:
            self.fail(f"{op.kind} takes {operation.operands} operands, not {len(op.pre)}")
        self.number(op)
        if not operation.adds and (op.post or op.keep):
            self.fail(f"{op.kind} adds nothing to its result and cuts nothing from it")
        if not abs(op.keep) < self.block_bytes:
            self.fail(f"it keeps {op.keep} bytes of a block of {self.block_bytes}")
        if len(op.post) > self.terms:
            self.fail(f"{len(op.post)} terms are added to its result, more than {self.terms}")
        for form in op.pre:
            if len(form) > self.terms:
                self.fail(f"an operand has {len(form)} terms, more than {self.terms}")
        for form in (*op.pre, op.post):
            self.form(form)
        self.place(op)

    def number(self, op: Op) -> None:
        """The number of a cipher key, or what is added."""
        operation = op.kind.operation
        if op.number and not (operation.numbers or (operation.keyed and 0 < op.number < len(self.cipher_bits))):
            self.fail(f"{op.kind} has the number {op.number}")
        if operation.keyed and op.kind.key_bits != self.cipher_bits[op.number]:
            self.fail(f"{op.kind} is not for the length of cipher key {op.number}")
        if operation.counter and op.number not in operation.numbers:
            self.fail(f"it adds {op.number}, which is 0 or more than {operation.counter.bits} bits")
        if operation.numbers and op.number not in operation.numbers:
            self.fail(f"{op.kind} has the number {op.number}")

    def place(self, op: Op) -> None:
        """The block that an operation belongs to, and what leaves there."""
        if op.block is not None and not self.setup and not 0 <= op.block < self.blocks:
            self.fail(f"it belongs to block {op.block}, and a sector has {self.blocks}")
        if op.leaves:
            if self.setup != isinstance(op.index, str):
                self.fail(f"{op.index!r} is not what leaves here")
            if not self.setup and op.block != op.index:
                self.fail(f"block {op.index} is taken for block {op.block}")
        elif op.index is not None:
            self.fail(f"{op.kind} has an index")

    def form(self, form: Form) -> None:
        if len(set(form)) != len(form):
            self.fail("a form has two equal terms")
        if sum(term.source[0] == "const" for term in form) > 1:
            self.fail("a form has two constants")
        for term in form:
            if not abs(term.keep) < self.block_bytes:
                self.fail(f"a term keeps {term.keep} bytes of a block of {self.block_bytes}")
            if term.source[0] in self.limits:
                if not 0 <= term.source[1] < self.limits[term.source[0]]:
                    self.fail(f"there is no {term.source[0]} {term.source[1]}")
            elif term.source[0] == "const":
                if not 0 < term.source[1] < 1 << 8 * self.block_bytes:
                    self.fail("a constant is 0 or does not fit a block")
            elif term.source[0] == "key":
                if term.source[1] not in self.graph.key_names:
                    self.fail(f"there is no key word {term.source[1]!r}")
            elif term.source[0] not in ("op", "chain"):
                self.fail(f"unknown source {term.source[0]!r}")

    # -- chains -------------------------------------------------------------------------------------------------------

    def chain(self, place: int, chain: Chain) -> None:
        if chain.id != place:
            self.fail(f"its number is {chain.id}")
        if not chain.stride or chain.length < 1 or not chain.base:
            self.fail("it has no stride, no use or no base")
        for direction, base in chain.base.items():
            self.directions((direction,))
            if base.source[0] not in ("op", "tweak", "key") or base.keep:
                self.fail("its base is not a whole result, tweak block or key word")
            self.form((base,))
            if base.source[0] == "op":
                self.result(base, direction, len(self.graph.pairs))
            uses = self.uses(chain.id, direction)
            if [step for step, *_ in uses] != list(range(chain.length)):
                self.fail(f"{direction} does not use each of its {chain.length} steps once and in order")
            if len({operand for _, _, operand in uses}) > 1:
                self.fail(f"{direction} reads it at different operands")
            if base.source[0] == "op" and any(i <= base.source[1] for _, i, _ in uses):
                self.fail(f"{direction} uses it before its base is computed")

    def uses(self, chain: int, direction: str) -> list[tuple[int, int, tuple[UnitKind, str]]]:
        """Steps of a chain with the operations and operands that read them, in the order of operations."""
        found = []
        for i, op in self.graph.ops(direction):
            for operand, form in (*zip(OPERANDS, op.pre, strict=False), ("post", op.post)):
                found += [(t.source[2], i, (self.graph.pairs[i].kind, operand)) for t in form if t.source[:2] == ("chain", chain)]
        return found

    def result(self, term: Term, direction: str, before: int) -> None:
        i = term.source[1]
        if not 0 <= i < before:
            self.fail(f"{direction} reads operation {i}, which is not an earlier one")
        op = self.graph.pairs[i].ops.get(direction)
        if op is None or op.leaves:
            self.fail(f"{direction} reads operation {i}, which gives no result there")

    # -- whole directions ---------------------------------------------------------------------------------------------

    def direction(self, direction: str) -> None:
        graph = self.graph
        written: set[object] = set(self.raw_names) if self.setup else set(graph.key_names)
        computed = [name for name in graph.key_names if name not in self.raw_names]
        leaving: list[object] = []
        for i, op in graph.ops(direction):
            self.where = f"{graph.name}: operation {i}"
            for form in (*op.pre, op.post):
                for term in form:
                    if term.source[0] == "op":
                        self.result(term, direction, i)
                    elif term.source[0] == "key" and term.source[1] not in written:
                        self.fail(f"{direction} reads key word {term.source[1]!r} before it is written")
                    elif term.source[0] == "chain":
                        self.chain_term(term, direction)
            if op.leaves:
                leaving.append(op.index)
                written.add(op.index)
        self.where = f"{graph.name}: {direction}"
        wanted: list[object] = list(computed) if self.setup else list(range(self.blocks))
        if len(leaving) != len(set(leaving)) or set(leaving) != set(wanted):
            self.fail("not every block (of a set-up, key word) leaves once")

    def chain_term(self, term: Term, direction: str) -> None:
        _, chain, step = term.source
        if not 0 <= chain < len(self.graph.chains):
            self.fail(f"there is no chain {chain}")
        base = self.graph.chains[chain].base.get(direction)
        if base is None or not 0 <= step < self.graph.chains[chain].length:
            self.fail(f"chain {chain} has no step {step} in {direction}")
        if term.k or term.keep:
            self.fail("a step of a chain is multiplied or cut")
