# SPDX-License-Identifier: Apache-2.0
"""Token pipelines on numbers: the algebra of the machine, and random messages."""

import random
from dataclasses import dataclass

from modeloom.definition.messages import StreamModel
from modeloom.spec.numbers import Piece
from modeloom.streams.prove import Message


class OnNumbers:
    """Numbers for the machine: a software model for each key slot."""

    zero = 0

    def __init__(self, plan, models):
        self.plan, self.models = plan, models
        self.o = models[0].operations()
        self._values = {}

    def xor(self, a, b):
        return a ^ b

    def const(self, value):
        return value

    def wire(self, wire, a, nbytes):
        match wire:
            case ("scale", k):
                return self.o.double(a, k)
            case ("shift", n):
                return self.o.shift(a, n)
            case ("cut",):
                return self.o.head(a, nbytes)
            case ("whole",):
                return a if nbytes == self.plan.mode.block_bytes else 0
            case ("keep", n):
                return self.o.head(a, n) if n > 0 else self.o.tail(a, -n)

    def mark(self, nbytes):
        return 0x80 << 8 * nbytes if nbytes < self.plan.mode.block_bytes else 0

    def front01(self, nonce, nbytes):
        return self.o.front01(nonce, nbytes)

    def last_bits(self, a, bits):
        return self.o.last_bits(a, bits)

    def lengths(self, order, first, second):
        return self.o.bit_lengths(first, second, order)

    def number(self, value, first, nbytes):
        return self.o.number(value, first, nbytes)

    def operate(self, operation, operands, number, slot):
        return operation.on_numbers(self.models[slot].operations(), operands, number)

    def key(self, slot, node, exponent):
        return self.o.power(self.value(slot, node), exponent)

    def value(self, slot, number):
        """A key value by its node."""
        if (slot, number) not in self._values:
            node = self.plan.trace.nodes[number]
            if node.kind == "raw":
                made = self.models[slot].key_blocks[node.args[0]]
            elif node.kind == "const":
                made = node.args[0]
            else:
                inputs = [self.value(slot, i) for i in node.inputs]
                if node.kind == "xor":
                    made = inputs[0] ^ inputs[1]
                elif node.operation:
                    made = self.operate(node.operation, inputs, node.number, slot)
                else:
                    made = self.wire((node.kind, *node.args[1:]), inputs[0], 0)
            self._values[slot, number] = made
        return self._values[slot, number]


def blocks_of(output):
    """The blocks that a token gives: a pair, one, or none."""
    return [] if output is None else list(output) if isinstance(output, tuple) else [output]


@dataclass
class Sent:
    """A message with its bytes, and what the model makes of it."""

    message: Message
    nonce: bytes
    ad: bytes
    text: bytes
    blocks: list[int]
    tag: int
    prefix: bytes = b""
    known: bytes = b""
    """The tag in its command, in a mode with two passes."""

    def block(self, size):
        """The blocks of its tokens, as ``tokens_of`` asks for them."""
        ad = self.prefix + self.ad
        pieces = [Piece(part[at : at + size]) for part in (ad, self.text) for at in range(0, len(part), size)]
        return lambda place, nbytes: Piece(self.nonce) if place is None else pieces[place]


def models_of(mode, count, seed=7):
    """Software models under random keys."""
    rng = random.Random(seed)
    bits = 256 if mode.block_bytes == 32 else 128
    return [StreamModel(mode, rng.randbytes(mode.key_bytes(bits // 8))) for _ in range(count)]


def messages(mode, models, count, seed=1, longest=9):
    """Random messages, with what the model makes of them."""
    rng, size, made = random.Random(seed), mode.block_bytes, []
    for _ in range(count):
        number = rng.randrange(len(mode.nonce_bytes))
        nonce = rng.randbytes(rng.choice(mode.nonce_bytes[number]))
        lengths = [rng.choice((0, 1, size, rng.randrange(longest * size))) for _ in range(2)]
        ad, text = map(rng.randbytes, lengths)
        slot, direction = rng.randrange(len(models)), rng.choice(mode.text_steps())
        gaps = tuple(rng.choice((0, 0, 0, 0, 1, 3)) for _ in range(2 * longest + 2)) if rng.random() < 0.5 else ()
        tag_bytes = rng.choice(mode.tag_bytes)
        known = rng.randbytes(size) if mode.two_passes else b""
        given, tag = models[slot].run(direction, nonce, text, ad, tag_bytes, known)
        blocks = [int.from_bytes(given[at : at + size], "little") for at in range(0, len(given), size)]
        message = Message(slot, number, direction, len(nonce), len(ad), len(text), gaps, tag_bytes)
        made.append(Sent(message, nonce, ad, text, blocks, int.from_bytes(tag, "little"), mode.prefix_of(len(ad)), known))
    return made
