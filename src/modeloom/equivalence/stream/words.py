# SPDX-License-Identifier: Apache-2.0
"""The operations of the machine of tokens on words of symbols, and the key values that set-up makes.

::

    parts of the key packet ──plan.preparations──▶ words of the key memory ─┐
    round keys, named by what the cipher core holds ────────────────────────┴──▶ streams.machine.Machine ──▶ expected text and tag

A cipher is any function of a block and of its round keys.  A multiplier is any symmetric function of two blocks with ``f(a, 0) = 0`` and
``f(a, 1) = a``, where 1 is that of the field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from modeloom.equivalence import lanes
from modeloom.equivalence.cells import counted
from modeloom.equivalence.cores import cipher_result, function_of
from modeloom.spec import Field
from modeloom.spec.counters import BYTE_ORDERS
from modeloom.spec.kinds import MUL, Operation
from modeloom.streams.derive import Word
from modeloom.streams.plan import StreamPlan
from modeloom.streams.steps import Form

__all__ = ["KeyWords", "TokenWords", "key_words", "product_of"]


def product_of(field: Field) -> Callable[..., int]:
    """The result of a multiplier as a word of symbols.  The circuits are proved to multiply in the field, so 1 is neutral."""
    function, one = function_of(MUL.operation, field.width), lanes.constant(field.one, field.width)

    def result(a: int, b: int) -> int:
        if a == one or b == one:
            return b if a == one else a
        return function(a, b)

    return result


@dataclass(frozen=True)
class KeyWords:
    """The key of a slot: a name for its round keys for each operation of the cipher, and the words of the key memory by key value
    and power."""

    round_keys: Mapping[str, int]
    words: Mapping[Word, int]


class TokenWords:
    """The operations of ``streams.machine.Machine`` on words.

    Parameters
    ----------
    plan : StreamPlan
    keys : mapping
        The keys by slot.
    """

    zero = 0

    def __init__(self, plan: StreamPlan, keys: Mapping[int, KeyWords]):
        self.plan, self.keys, self.field = plan, keys, plan.mode.field
        self.width = self.field.width
        self.product = product_of(self.field)

    def xor(self, a: int, b: int) -> int:
        """The sum of two blocks."""
        return a ^ b

    def wire(self, wire: tuple[object, ...], a: int, nbytes: int) -> int:
        """A block after a linear map that takes no cycle."""
        maps: dict[object, Callable[..., int]] = {
            "shift": lambda bits: lanes.moved(a, self.width, bits), "scale": lambda times: lanes.scaled(self.field, a, times),
            "whole": lambda: a if 8 * nbytes == self.width else self.zero, "cut": lambda: a & lanes.mask(8 * nbytes),
            "keep": lambda bits: lanes.cut(a, self.width, bits),
        }  # fmt: skip
        return maps[wire[0]](*wire[1:])

    def const(self, value: int) -> int:
        """A constant."""
        return lanes.constant(value, self.width)

    def mark(self, nbytes: int) -> int:
        """A bit 1 behind the bytes of a partial block."""
        return self.const(0x80 << 8 * nbytes if 8 * nbytes < self.width else 0)

    def front01(self, nonce: int, nbytes: int) -> int:
        """A nonce at the end of a block, with a bit 1 in front of it."""
        rest = self.width // 8 - nbytes
        return (nonce << 8 * lanes.LANES | self.const(1)) << 8 * (rest - 1) * lanes.LANES if rest else nonce

    def last_bits(self, a: int, bits: int) -> int:
        """The number in the last bits of a block.  These bits of a nonce are no symbols."""
        # The string begins with the highest bit of each byte.
        octets = -(-bits // 8)
        last = a >> (self.width - 8 * octets) * lanes.LANES
        found = lanes.number(sum((last >> 8 * n * lanes.LANES & lanes.mask(8)) << 8 * (octets - 1 - n) * lanes.LANES for n in range(octets))
                             & lanes.mask(bits))
        if found is None:
            raise ValueError("the last bits of the nonce are symbols")
        return found

    def lengths(self, order: str, first: int, second: int) -> int:
        """Two lengths in bytes as numbers of bits, each in half a block."""
        half = self.width // 16
        data = b"".join((8 * n).to_bytes(half, BYTE_ORDERS[order]) for n in (first, second))
        return self.const(int.from_bytes(data, "little"))

    def number(self, value: int, first: int, nbytes: int) -> int:
        """A number as big-endian bytes of a block, from byte ``first`` on."""
        return self.const(int.from_bytes(value.to_bytes(nbytes, "big"), "little") << 8 * first)

    def key(self, slot: int, node: int, exponent: int) -> int:
        """A word of the key memory."""
        return self.keys[slot].words[node, exponent]

    def operate(self, operation: Operation, operands: Sequence[int], number: int, slot: int) -> int:
        """The result of an operation."""
        if operation.keyed:
            return cipher_result(operation.name, self.keys[slot].round_keys[operation.name], operands, self.width)
        if operation is MUL.operation:
            return self.product(*operands)
        if operation.counter:
            return counted(operands[0], operation.counter, number, self.width)
        return function_of(operation, self.width)(*operands, *([lanes.constant(number, self.width)] if operation.numbers else []))


def key_words(plan: StreamPlan, round_keys: Mapping[str, int], raw: Mapping[str, int]) -> KeyWords:
    """The words of the key memory that set-up computes.

    Parameters
    ----------
    round_keys : mapping
        A name for the round keys of the cipher key, for each operation of the cipher.
    raw : mapping
        The other parts of the key by name, as blocks.
    """
    words: dict[Word, int] = {(node.id, 1): raw[node.args[0]] for node in plan.trace.nodes if node.kind == "raw"}
    algebra = TokenWords(plan, {0: KeyWords(round_keys, words)})

    def value(form: Form) -> int:
        total = 0
        for kind, what, maps in ((*term.source, term.maps) for term in form):
            read = words[what] if kind == "word" else algebra.const(what)  # type: ignore[index,arg-type]
            for wire in maps:
                read = algebra.wire(wire, read, 0)
            total ^= read
        return total

    for made in plan.preparations:
        words[made.word] = algebra.operate(made.operation, [value(form) for form in made.operands], made.number, 0)
    return KeyWords(round_keys, words)
