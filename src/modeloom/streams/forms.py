# SPDX-License-Identifier: Apache-2.0
"""Messages and the definition of a mode on normal forms, for the proofs of its pipeline.

::

    definition ──steps as they were traced──▶ normal forms of text and tag
    pipeline   ──machine of tokens──────────▶ normal forms of text and tag        must be equal

A number that the nonce gives is a name.  What moves a block by it is a linear map with this name, of which nothing else is known, so that
equal forms are equal for every number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

from modeloom.prove.polynomials import Algebra, Polynomial
from modeloom.spec.counters import BYTE_ORDERS, Amount
from modeloom.spec.kinds import Operation
from modeloom.spec.numbers import trailing_zeros
from modeloom.spec.stream import LengthPrefix, StreamMode, prefix_of
from modeloom.streams.machine import BlockOrPair
from modeloom.streams.trace import Known, StreamTrace, lengths_in_start

__all__ = ["Definition", "Forms", "Message", "Traced", "Unit", "Unknown", "input_block", "nonce_block", "tag_block"]


class Traced(Protocol):
    """A mode with its traced steps, such as a ``StreamPlan``."""

    @property
    def mode(self) -> StreamMode: ...
    @property
    def trace(self) -> StreamTrace: ...


class Unit(NamedTuple):
    """What a step takes: the part of the message, "associated" or a step of text; the step; the number of its blocks; and the bytes of the
    last of them."""

    part: str
    step: str
    blocks: int
    nbytes: int


@dataclass(frozen=True)
class Message:
    """A message: key slot, class of nonces, direction, and bytes of nonce, associated data and text.

    With ``apart``, the tag has a token of its own even if a lane beside the last block is free, because the end of the message is known
    only after its last block has entered.
    """

    slot: int
    nonce_class: int
    direction: str
    nonce: int
    associated: int
    text: int
    gaps: tuple[int, ...] = ()
    tag: int = 0
    apart: bool = False

    def blocks(self, size: int, prefixes: Sequence[LengthPrefix] = ()) -> list[tuple[str, int]]:
        """Step and bytes of each block, with a prefix of associated data."""
        parts = [("associated", len(prefix_of(prefixes, self.associated)) + self.associated), (self.direction, self.text)]
        return [(step, min(size, nbytes - at)) for step, nbytes in parts for at in range(0, nbytes, size)]

    def associated_blocks(self, size: int, prefixes: Sequence[LengthPrefix] = ()) -> int:
        """The number of blocks of associated data."""
        return sum(step == "associated" for step, _ in self.blocks(size, prefixes))

    def units(self, mode: StreamMode, prefixes: Sequence[LengthPrefix] = ()) -> list[Unit]:
        """The blocks and pairs that its steps take."""
        blocks, made = self.blocks(mode.block_bytes, prefixes), []
        for part in ("associated", self.direction):
            sizes = [nbytes for step, nbytes in blocks if step == part]
            most = mode.blocks_of(part)
            for at in range(0, len(sizes), most):
                own = sizes[at : at + most]
                made.append(Unit(part, mode.step_of(part, sum(own), at + most >= len(sizes)), len(own), own[-1]))
        return made

    @property
    def lengths(self) -> dict[str, int]:
        """Its lengths by name."""
        return lengths_in_start(self.nonce, self.associated, self.text, self.tag)


@dataclass(frozen=True)
class Unknown:
    """A number that the last bits of a block are.  A map by such a number is linear, and nothing else is known of it."""

    block: Polynomial
    bits: int
    plus: int = 0

    def __add__(self, number: int) -> Unknown:
        return replace(self, plus=self.plus + number)


class Forms:
    """The operations of the machine on normal forms.  Each key slot has its own keys."""

    def __init__(self, plan: Traced):
        self.plan, self.algebra = plan, Algebra(plan.mode.field)
        self.zero = self.algebra.zero
        self._keys: dict[tuple[int, int], Polynomial] = {}

    def xor(self, a: Polynomial, b: Polynomial) -> Polynomial:
        return a ^ b

    def wire(self, wire: tuple[object, ...], a: Polynomial, nbytes: int) -> Polynomial:
        name, *numbers = wire
        if name == "shift" or any(isinstance(each, Unknown) for each in numbers):
            return self.algebra.linear(a, *wire)
        if name == "whole":
            return a if nbytes == self.plan.mode.block_bytes else self.zero
        if name == "cut":
            return self.algebra.head(a, nbytes)
        (number,) = numbers
        assert isinstance(number, int)
        return self.algebra.scale(a, number) if name == "scale" else self.algebra.head(a, number)

    def const(self, value: int) -> Polynomial:
        return self.algebra.const(value)

    def mark(self, nbytes: int) -> Polynomial:
        return self.const(0x80 << 8 * nbytes if nbytes < self.plan.mode.block_bytes else 0)

    def front01(self, nonce: Polynomial, nbytes: int) -> Polynomial:
        """A nonce at the end of a block.  Nothing is known of it."""
        return self.algebra.function("front01", nbytes, nonce)

    def last_bits(self, a: Polynomial, bits: int) -> Unknown:
        """A number that the nonce gives: a name for it."""
        return Unknown(a, bits)

    def lengths(self, order: str, first: int, second: int) -> Polynomial:
        half = self.plan.mode.block_bytes // 2
        data = b"".join((8 * n).to_bytes(half, BYTE_ORDERS[order]) for n in (first, second))
        return self.const(int.from_bytes(data, "little"))

    def number(self, value: int, first: int, nbytes: int) -> Polynomial:
        return self.const(int.from_bytes(value.to_bytes(nbytes, "big"), "little") << 8 * first)

    def operate(self, operation: Operation, operands: Sequence[Polynomial], number: int, slot: int) -> Polynomial:
        # Each slot has its own cipher keys.
        return self.algebra.operate(operation, operands, number + 16 * slot if operation.keyed else number)

    def key(self, slot: int, node: int, exponent: int) -> Polynomial:
        return self.algebra.power(self.value(slot, node), exponent)

    def value(self, slot: int, number: int) -> Polynomial:
        """A key value from the traced set-up."""
        if (slot, number) not in self._keys:
            self._keys[slot, number] = self._computed(slot, number)
        return self._keys[slot, number]

    def _computed(self, slot: int, number: int) -> Polynomial:
        node = self.plan.trace.nodes[number]
        if node.kind == "raw":
            return self.algebra.atom("raw", slot, node.args[0])
        if node.kind == "const":
            return self.const(node.args[0])
        inputs = [self.value(slot, i) for i in node.inputs]
        if node.kind == "xor":
            return inputs[0] ^ inputs[1]
        if node.operation:
            return self.operate(node.operation, inputs, node.number, slot)
        return self.wire((node.kind, *node.args[1:]), inputs[0], 0)


class Definition:
    """The definition of a mode on normal forms, step by step."""

    def __init__(self, plan: Traced, forms: Forms):
        self.plan, self.forms = plan, forms

    def run(self, number: int, message: Message) -> tuple[list[Polynomial], Polynomial]:
        """The blocks of text and the tag of a message.  Its inputs are named by its number."""
        size, prefixes = self.plan.mode.block_bytes, self.plan.mode.associated_prefix
        lengths = message.lengths
        before = message.associated_blocks(size, prefixes)
        state = self.step("start", message, nonce_block(self.forms, number, message.nonce), message.nonce, {}, lengths, number=number)[0]
        given: list[Polynomial] = []
        place = 0
        for _, step, count, nbytes in message.units(self.plan.mode, prefixes):
            sizes = [*[size] * (count - 1), nbytes]
            blocks = [
                input_block(self.forms, number, place + n, each, prefix_of(prefixes, message.associated)) for n, each in enumerate(sizes)
            ]
            block = tuple(blocks) if self.plan.mode.takes_pair(step) else blocks[0]
            state, output = self.step(step, message, block, nbytes, state, lengths, place + 1 - (place >= before) * before)
            given += [] if output is None else output if isinstance(output, tuple) else (output,)
            place += count
        _, tag = self.step("tag", message, self.forms.zero, 0, state, lengths)
        assert isinstance(tag, Polynomial)
        return given, tag

    def step(
        self, name: str, message: Message, block: BlockOrPair[Polynomial], nbytes: int, state: dict[str, Polynomial],
        lengths: Mapping[str, Any],
        index: int | Unknown = 1, number: int = 0,
    ) -> tuple[dict[str, Polynomial], BlockOrPair[Polynomial] | None]:
        """The state after a step, and what it gives: a block, both blocks of a pair, or None.

        Parameters
        ----------
        name : str
        block : Polynomial or (Polynomial, Polynomial)
            Its block or pair.
        nbytes : int
            The bytes of the last block of it.
        index : int or Unknown
            The number of the block, or an unknown number of zeros at its end.
        number : int
            The number of the message, which names its tag in a mode with two passes.
        """
        trace, forms = self.plan.trace, self.forms
        step = trace.step(name, message.nonce_class if name == "start" else 0)
        values: dict[int, Polynomial] = {}

        def known(arg: object) -> object:
            if not isinstance(arg, Amount):
                return arg
            zeros = index if isinstance(index, Unknown) else trailing_zeros(index)
            return (zeros if arg.what is None else forms.last_bits(value(arg.what), arg.bits)) + arg.plus

        tag = tag_block(forms, number)

        def value(number: int) -> Polynomial:
            if number not in values:
                node = trace.nodes[number]
                if node.key_only:
                    values[number] = forms.value(message.slot, number)
                elif node.kind == "tag":
                    values[number] = tag
                elif node.kind in ("nonce", "associated", "text"):
                    at = node.args[0]
                    one = block[at - 1] if isinstance(block, tuple) else block
                    values[number] = forms.front01(one, nbytes) if at and node.kind == "nonce" else one
                elif node.kind == "state":
                    values[number] = state[node.args[0]]
                elif node.kind == "mark":
                    values[number] = forms.mark(nbytes)
                elif node.kind == "number":
                    of, first, count = node.args
                    values[number] = forms.number(of.value(lengths) if isinstance(of, Known) else lengths[of], first, count)
                elif node.kind == "lengths":
                    order, *parts = node.args
                    values[number] = forms.lengths(order, *(lengths[n] if isinstance(n, str) else n for n in parts))
                else:
                    inputs = [value(i) for i in node.inputs]
                    if node.kind == "xor":
                        values[number] = inputs[0] ^ inputs[1]
                    elif node.operation:
                        values[number] = forms.operate(node.operation, inputs, node.number, message.slot)
                    else:
                        values[number] = forms.wire((node.kind, *map(known, node.args[1:])), inputs[0], nbytes)
            return values[number]

        new = {name: value(number) for name, number in step.updates.items()}
        outputs = tuple(value(each) for each in (step.output, step.second) if each is not None)
        return {**state, **new}, outputs if step.second is not None else outputs[0] if outputs else None


def input_block(forms: Forms, number: int, place: int, nbytes: int, prefix: bytes = b"") -> Polynomial:
    """A block of a message, padded with zeros.  The first bytes of associated data may be a prefix."""
    size = forms.plan.mode.block_bytes
    whole = forms.algebra.head(forms.algebra.atom("block", number, place), nbytes)
    own = prefix[place * size : (place + 1) * size]
    return whole ^ forms.algebra.head(whole, len(own)) ^ forms.const(int.from_bytes(own, "little")) if own else whole


def nonce_block(forms: Forms, number: int, nbytes: int) -> Polynomial:
    """The nonce of a message."""
    return forms.algebra.head(forms.algebra.atom("nonce", number), nbytes)


def tag_block(forms: Forms, number: int) -> Polynomial:
    """The tag of a message that is known when it begins.  Nothing is known of it, so that it may be right or wrong."""
    return forms.algebra.atom("tag", number)
