# SPDX-License-Identifier: Apache-2.0
"""Segments of symbols: the words that a host sends on PDI and SDI for a message, and those that DO must give.

::

    host      header │ data, symbols behind their end        core      header │ data, zeros behind their end
              numbers   symbols                                        numbers   sums of symbols

Byte 0 of a value is its lowest one, and byte 0 of a word is its upper one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from modeloom.equivalence import lanes
from modeloom.equivalence.stream.messages import Planned, Symbols
from modeloom.equivalence.stream.packets import behind
from modeloom.interfaces.lwc import HEADER_BITS, Header, Opcode, Segment, opcode_word
from modeloom.product.lwc import LwcDescription

__all__ = ["LwcWords", "Word"]

MANY = 0.5
"""Share of messages whose parts have several segments."""


@dataclass(frozen=True)
class Word:
    """A word that DO must give: its bits, whether ``do_last`` is high, and what it is."""

    data: int
    last: bool
    what: str


class LwcWords:
    """Makes words.

    Parameters
    ----------
    description : LwcDescription
    rng : random.Random
        For the lengths of segments.
    """

    def __init__(self, description: LwcDescription, rng: random.Random):
        self.description, self.rng, self.size = description, rng, description.word_bytes

    def top(self, value: int) -> int:
        """A word with these 32 bits at its upper end."""
        return lanes.constant(value << (8 * self.size - HEADER_BITS), 8 * self.size)

    def swapped(self, word: int) -> int:
        """A word with its bytes in the opposite order."""
        byte = lanes.mask(8)
        return sum((word >> 8 * at * lanes.LANES & byte) << 8 * (self.size - 1 - at) * lanes.LANES for at in range(self.size))

    def data(self, value: int, nbytes: int) -> list[int]:
        """The words of a value of so many bytes."""
        bits = 8 * self.size
        return [self.swapped(value >> 8 * at * lanes.LANES & lanes.mask(bits)) for at in range(0, nbytes, self.size)]

    def sent(self, header: Header, value: int, name: str) -> list[int]:
        """A segment from the host: what is behind the end of its data is symbols."""
        held = -(-header.length // self.size) * self.size
        word = value & lanes.mask(8 * header.length) | behind(f"{name} {header.type}", 8 * held, 8 * header.length)
        return [self.top(header.value), *self.data(word, header.length)]

    def cuts(self, nbytes: int, least: int) -> list[tuple[int, int]]:
        """Places and lengths of the segments of a part.  All but the last one have whole words, and at least so many bytes."""
        if self.rng.random() >= MANY:
            return [(0, nbytes)]
        made, at = [], 0
        while nbytes - at > least:
            length = least + self.size * self.rng.randrange(4)
            if length >= nbytes - at:
                break
            made.append((at, length))
            at += length
        return [*made, (at, nbytes - at)]

    def part(self, kind: Segment, value: int, cuts: list[tuple[int, int]], name: str, *, last: bool) -> Iterator[int]:
        """The words of associated data or text."""
        for number, (at, length) in enumerate(cuts):
            end = number == len(cuts) - 1
            # Cores do not read EOI.
            header = Header(kind, length, self.rng.random() < 0.5, end, last and end)
            yield from self.sent(header, value >> 8 * at * lanes.LANES, f"{name} {number}")

    def key(self, packet: int, nbytes: int, name: str) -> list[int]:
        """What loads a key on SDI."""
        header = Header(Segment.KEY, nbytes, True, True, True)
        return [self.top(opcode_word(Opcode.LOAD_KEY)), *self.sent(header, packet, f"key {name}")]

    def activation(self) -> int:
        """The instruction before the first message of a key."""
        return self.top(opcode_word(Opcode.ACTIVATE_KEY))

    def message(self, planned: Planned, symbols: Symbols, tag: int, texts: list[tuple[int, int]], name: str) -> Iterator[int]:
        """The words of a message on PDI.  ``texts`` are the segments of its text, and ``tag`` is its tag if it is to be opened."""
        m = planned.message
        opens = m.direction == "decrypt"
        yield self.top(opcode_word(Opcode.DECRYPT if opens else Opcode.ENCRYPT))
        if self.description.lengths_first:
            both = int.from_bytes(m.associated.to_bytes(4, "big") + m.text.to_bytes(4, "big"), "little")
            yield from self.sent(Header(Segment.LENGTH, 8), lanes.constant(both, 64), name)
        yield from self.sent(Header(Segment.NPUB, m.nonce), symbols.nonce, name)
        if m.associated or self.rng.random() < 0.5:
            yield from self.part(Segment.AD, symbols.associated, self.cuts(m.associated, self.size), name, last=False)
        kind = Segment.CIPHERTEXT if opens else Segment.PLAINTEXT
        yield from self.part(kind, symbols.text, texts, name, last=not opens)
        if opens:
            yield from self.sent(Header(Segment.TAG, planned.tag_bytes, False, True, True), tag, name)

    def answer(self, planned: Planned, text: int | None, tag: int, texts: list[tuple[int, int]], right: bool) -> Iterator[Word]:
        """The words of a message on DO.  ``text`` is None if none leaves."""
        m = planned.message
        opens = m.direction == "decrypt"
        if text is not None or not m.text:
            kind = Segment.PLAINTEXT if opens else Segment.CIPHERTEXT
            for number, (at, length) in enumerate(texts):
                end = number == len(texts) - 1
                yield Word(self.top(Header(kind, length, False, end, opens and end).value), False, f"header {number} of the text")
                value = (text or 0) >> 8 * at * lanes.LANES & lanes.mask(8 * length)
                for count, word in enumerate(self.data(value, length)):
                    yield Word(word, False, f"the word at byte {at + count * self.size} of the text")
        if right and not opens:
            header = Header(Segment.TAG, planned.tag_bytes, False, True, True)
            yield Word(self.top(header.value), False, "the header of the tag")
            for word in self.data(tag & lanes.mask(8 * planned.tag_bytes), planned.tag_bytes):
                yield Word(word, False, "the tag")
        yield Word(self.top(opcode_word(Opcode.SUCCESS if right else Opcode.FAILURE)), True, "the status")
