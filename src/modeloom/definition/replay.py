# SPDX-License-Identifier: Apache-2.0
"""Computes a traced definition node by node on numbers.

This is what the core will do.  It is compared with what the definition does when it runs.  Both are the same unless a definition looks at
the type, the text or the identity of its blocks.  The core would then compute one mode, and the software model, which tests the core,
another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from modeloom.definition.software import Model, to_blocks
from modeloom.ir.graph import Trace
from modeloom.spec import DefinitionError, Numbers
from modeloom.spec.amounts import Amount
from modeloom.spec.blame import place_of
from modeloom.spec.keyed import Definition
from modeloom.spec.stream_numbers import Piece, StreamNumbers
from modeloom.streams.known import Known
from modeloom.streams.trace import StepTrace, StreamTrace

__all__ = ["differs", "replay", "replay_step"]


def differs(mode: Definition, what: str, step: str) -> DefinitionError:
    """The error for a definition that gives something else on numbers than its trace does.  *what* is a part of what the step gives."""
    return DefinitionError(
        f"{mode.name}: {what} of {step}() differs when the definition runs on numbers; a definition may use blocks only with XOR and the "
        f"words of o, and must not look at their type, text or identity ({place_of(getattr(mode, step))})"
    )


def replay(source: Trace, model: Model, direction: str, tweak: bytes, data: bytes) -> list[int]:
    """The blocks that one direction of a trace gives for a sector, with the key of a model.  Raises ``InputError`` if the key is
    refused."""
    o = model.operations()
    run = _Run(source, o, model.key_blocks, to_blocks(tweak, source.block_bytes), to_blocks(data, source.block_bytes))
    for made in source.derived:
        o.cipher_key(*(run.value(i) for i in made))
    return [run.value(i) for i in source.outputs[direction]]


class _Run:
    def __init__(self, source: Trace, o: Numbers, parts: dict[str, int], tweak: Sequence[int], blocks: Sequence[int]):
        self.source, self.o = source, o
        self.leaves: dict[str, Mapping[str, int] | Mapping[int, int] | Sequence[int]] = {"block": blocks, "tweak": tweak, "raw": parts}
        self.values: dict[int, int] = {}

    def value(self, root: int) -> int:
        """Value of a node, after those that it needs."""
        stack = [root]
        while stack:
            i = stack[-1]
            missing = [j for j in self.source.nodes[i].inputs if j not in self.values]
            if i not in self.values and not missing:
                self.values[i] = self._compute(i)
            if missing:
                stack += missing
            else:
                stack.pop()
        return self.values[root]

    def _compute(self, i: int) -> int:
        node, o = self.source.nodes[i], self.o
        kind, args = node.kind, node.args
        if kind in self.leaves:
            return self.leaves[kind][args[0]]
        if kind == "const":
            return args[0]
        values = [self.values[j] for j in node.inputs]
        if kind == "xor":
            return values[0] ^ values[1]
        if kind == "scale":
            return o.double(values[0], args[1])
        if kind == "keep":
            return o.head(values[0], args[1]) if args[1] > 0 else o.tail(values[0], -args[1])
        if operation := node.operation:
            return operation.on_numbers(o, values, node.number)
        if kind == "inverse":
            return o.inverse(values[0], self.source.nonzero[args[0]])
        if kind == "power":
            return o.power(values[0], args[1])
        if kind == "poly":
            h, last, *blocks = values
            return o.poly(h, blocks, last)
        raise ValueError(f"no meaning is known for a node {kind!r}")


def replay_step(
    source: StreamTrace, step: StepTrace, o: StreamNumbers, parts: Mapping[str, int], state: Mapping[str, int], pieces: Sequence[Piece],
    lengths: Mapping[str, int], tag: int = 0,
) -> tuple[dict[str, int], tuple[int, ...]]:  # fmt: skip
    """The state after a traced step of a message, and the blocks that it gives.

    Parameters
    ----------
    o : StreamNumbers
        The operations, with the cipher keys of a message.
    parts : mapping
        The parts of its key that are blocks, by name.
    pieces : sequence of Piece
        The nonce, the block or the pair that the step takes; none for ``tag``.
    lengths : mapping
        The lengths of the message, by the names that ``known.lengths_in_start`` gives them.
    """
    run = _StepRun(source, o, dict(parts), state, pieces, lengths, tag)
    given = tuple(run.value(node) for node in (step.output, step.second) if node is not None)
    return {name: run.value(node) for name, node in step.updates.items()}, given


class _StepRun(_Run):
    """The nodes of a step of a message."""

    def __init__(
        self, source: StreamTrace, o: StreamNumbers, parts: dict[str, int], state: Mapping[str, int], pieces: Sequence[Piece],
        lengths: Mapping[str, int], tag: int,
    ):  # fmt: skip
        super().__init__(source, o, parts, (), ())
        # A block alone has the number 0, and those of a pair have 1 and 2.
        taken = {0: pieces[0], 1: pieces[0], 2: pieces[-1]} if pieces else {}
        self.leaves |= {"state": state, "associated": taken, "text": taken, "tag": {0: tag}}
        self.last, self.lengths = pieces[-1] if pieces else Piece(b""), lengths

    def _compute(self, i: int) -> int:
        node, o = self.source.nodes[i], self.o
        assert isinstance(o, StreamNumbers)
        kind, args = node.kind, node.args
        if kind == "nonce":
            return o.front01(int(self.last), self.last.nbytes) if args[0] else int(self.last)
        if kind == "mark":
            return o.pad10(0, self.last)
        if kind == "lengths":
            order, *parts = args
            first, second = (self.lengths[part] if isinstance(part, str) else part for part in parts)
            return o.bit_lengths(first, second, order)
        if kind == "number":
            of, first, nbytes = args
            return o.number(of.value(self.lengths) if isinstance(of, Known) else self.lengths[of], first, nbytes)
        if kind == "cut":
            return o.cut(self.values[args[0]], self.last)
        if kind == "whole":
            return o.if_whole(self.values[args[0]], self.last)
        if kind == "shift":
            return o.shift(self.values[args[0]], self._amount(args[1]))
        if kind == "scale":
            return o.double(self.values[args[0]], self._amount(args[1]))
        return super()._compute(i)

    def _amount(self, amount: int | Amount[int]) -> int:
        if not isinstance(amount, Amount):
            return int(amount)
        o = self.o
        assert isinstance(o, StreamNumbers)
        return (o.ntz(o.index(self.last)) if amount.what is None else o.last_bits(self.values[amount.what], amount.bits)) + amount.plus
