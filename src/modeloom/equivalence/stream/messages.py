# SPDX-License-Identifier: Apache-2.0
"""Messages of symbols: what the host sends, and what the plan says that comes back.

::

    Plan of a message ──symbols──▶ command, beats
                      └─Machine──▶ blocks of text, tag ──▶ beats and status that must come

The tag of a message to open is the right one, or one that differs in a bit that is known to differ.  So the verdict is known, though tag,
text and key are symbols.

In a mode with two passes the plaintext is made of symbols, in each direction.  The ciphertext of a message to open is what a second pass
gives under the tag in its command, be it right or wrong, so that the core finds this plaintext and its tag again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from modeloom.equivalence import lanes
from modeloom.equivalence.stream.words import KeyWords, TokenWords
from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.table import RESERVED, Packing
from modeloom.product.messages import StreamDescription
from modeloom.protocol.outcome import Judgement, judge
from modeloom.protocol.transactions import Command, whole_keeps
from modeloom.streams.machine import Machine
from modeloom.streams.plan import StreamPlan
from modeloom.streams.prove import Message, tokens_of

__all__ = ["Expected", "Packets", "Planned", "Sent", "Symbols", "behind", "computed", "given_tag", "id_of", "opened"]


@dataclass(frozen=True)
class Planned:
    """A message of a run.

    Attributes
    ----------
    message : Message
        Slot, direction, and lengths.  Its gaps are not read.  If keys come with messages, its slot is the number of its key.
    tag_bytes : int
    channel : int
    wrong : int or None
        The bit in which the tag of a message to open is wrong; None if the tag is right.  Other bits of a wrong tag are anything.
    fault : str
        What is wrong with the command or the packet: "" for nothing, "nonce" or "tag" for a length that the mode has not, "short" for a
        packet that ends within the associated data, "hole" for a gap in ``tkeep`` of the last beat of text, or "key" for a key that
        comes with it, or has come with the message before it, and is too short.
    new_key : bool
        Whether a key comes with the message, in a core whose keys come with messages.
    """

    message: Message
    tag_bytes: int
    channel: int = 0
    wrong: int | None = None
    fault: str = ""
    new_key: bool = False

    def __str__(self) -> str:
        m = self.message
        way = f"{m.direction}, slot {m.slot}" + (f", channel {self.channel}" if self.channel else "")
        wrong = f", wrong in bit {self.wrong}" if self.wrong is not None else ""
        fault = f"; fault: {self.fault}" if self.fault else ""
        return f"({way}, nonce {m.nonce}, associated data {m.associated}, text {m.text}, tag {self.tag_bytes} bytes{wrong}{fault})"


@dataclass(frozen=True)
class Symbols:
    """The symbols of a message: nonce, and the bytes of associated data and text, each as one word.  In a mode with two passes, the text is
    the plaintext.

    If a step takes a number from the end of the nonce, this end is no symbol.  Messages after one another have all numbers in turn.
    """

    nonce: int
    associated: int
    text: int

    @classmethod
    def of(cls, name: str, message: Message, plan: StreamPlan, ordinal: int) -> Symbols:
        """New symbols for a message with this number."""
        nonce, end = lanes.atom(f"nonce {name}", 8 * message.nonce), min(message.nonce, plan.nonce_end)
        before = 8 * (message.nonce - end)
        # The numbers of successive messages differ in bits of all places.
        last = int.from_bytes((ordinal * 0x9E3B % (1 << 8 * end)).to_bytes(end, "big"), "little")
        return cls(
            nonce & lanes.mask(before) | lanes.constant(last, 8 * end) << before * lanes.LANES,
            lanes.atom(f"associated {name}", 8 * message.associated), lanes.atom(f"text {name}", 8 * message.text),
        )  # fmt: skip


@dataclass(frozen=True)
class Expected:
    """What the plan gives for a message: its text as one word, and the whole tag."""

    text: int
    tag: int


def computed(
    plan: StreamPlan, keys: Mapping[int, KeyWords], message: Message, symbols: Symbols, tag: int | None = None,
) -> Expected:  # fmt: skip
    """Runs the machine of the plan on a message.

    ``tag`` is the tag in its command, in a mode with two passes.
    """
    words = TokenWords(plan, keys)
    machine = Machine(plan.steps, plan.kinds, plan.placed, plan.chains, words)
    size, full = plan.mode.block_bytes, lanes.mask(words.width)
    bits = words.width * lanes.LANES
    prefix = plan.mode.prefix_of(message.associated)
    before = -(-(len(prefix) + message.associated) // size)
    associated = lanes.constant(int.from_bytes(prefix, "little"), 8 * len(prefix)) | symbols.associated << 8 * len(prefix) * lanes.LANES

    def block(place: int | None, nbytes: int) -> int:
        if place is None:
            return symbols.nonce
        if place < before:
            return associated >> place * bits & full
        return symbols.text >> (place - before) * bits & full

    given: list[int] = []
    for token in tokens_of(plan, message, 0, block, tag=tag):
        output = machine.run(token)
        given += [] if output is None else output if isinstance(output, tuple) else [output]
    *text, made = given
    return Expected(sum(word << n * bits for n, word in enumerate(text)), made)


def opened(
    plan: StreamPlan, keys: Mapping[int, KeyWords], message: Message, symbols: Symbols, tag: int
) -> tuple[Symbols, Expected]:  # fmt: skip
    """In a mode with two passes: what goes into the core for a message whose command has this tag, and what comes out."""
    made = symbols
    # What goes in to be opened is what comes out of sealing.
    for step in dict.fromkeys(("encrypt", message.direction)):
        sent, out = made, computed(plan, keys, replace(message, direction=step), made, tag)
        made = replace(sent, text=out.text & lanes.mask(8 * message.text))
    return sent, out


# -- packets -----------------------------------------------------------------------------------------------------------------------

# What the host sends for a message of symbols: the command, and the beats of the packet; and what must come back.
#
# Bits that have no meaning are symbols: bytes outside ``tkeep``, and what is behind the ends of nonce and tag.

HOLE = 2
"""A ``tkeep`` with a gap."""


@dataclass(frozen=True)
class Sent:
    """A message under way: what must come back.

    Attributes
    ----------
    number : int
    planned : Planned
    code : MessageCode
    packet : int
        The beats of the packet that comes, as one word.
    held : tuple of int
        The bytes of each beat; empty if none comes.
    marked : bool
        Whether its last beat is marked (``tuser``).
    tag : int
        The tag in the status.
    expected : Expected
        What a message without fault gives.
    """

    number: int
    planned: Planned
    code: MessageCode
    packet: int
    held: tuple[int, ...]
    marked: bool
    tag: int
    expected: Expected

    def __str__(self) -> str:
        return f"message {self.number} {self.planned}"


def id_of(number: int) -> int:
    """The id of a message, which differs from those before in many bits."""
    return number * 0x9E37 & 0xFFFF


class Packets:
    """Makes commands and packets.

    Parameters
    ----------
    description : StreamDescription
    """

    def __init__(self, description: StreamDescription):
        self.description, self.size = description, description.beat_bytes
        self.command_fields = self.packing("s_axis_cmd")

    def packing(self, stream: str) -> Packing:
        """The fields of the payload of a stream."""
        found = next(group.packing for group in self.description.interfaces if group.name == stream)
        assert found is not None
        return found

    def fields(self, number: int, planned: Planned) -> Command:
        """The numbers in the command of a message; its nonce and its tag are symbols."""
        d, message = self.description, planned.message
        return Command(
            nonce=b"", nonce_bytes=0 if planned.fault == "nonce" else message.nonce,
            tag_bytes=0 if planned.fault == "tag" else planned.tag_bytes, associated=message.associated, text=message.text,
            decrypt=d.way_of(message.direction), id=id_of(number),
            slot=message.slot % d.named_slots, channel=planned.channel, new_key=planned.new_key,
        )  # fmt: skip

    def command(self, number: int, planned: Planned, symbols: Symbols, given: int, name: str) -> dict[str, int]:
        """The command of a message.  ``given`` is the tag of a message to open, or of a second pass."""
        packing, fields, bits = self.command_fields, self.fields(number, planned), 8 * self.description.block_bytes
        tag = lanes.atom(f"any tag {name}", bits)
        if fields.decrypt and not any("tag" in group for group in self.description.form.layout(fields.decrypt)):
            tag = given | behind(f"tag {name}", bits, 8 * planned.tag_bytes)
        words = {"nonce": symbols.nonce | behind(f"nonce {name}", bits, 8 * planned.message.nonce), "tag": tag}
        for field in packing.fields:
            if field.name not in (*words, RESERVED):
                words[field.name] = lanes.constant(getattr(fields, field.name), field.bits)
        return {"tdata": sum(word << packing.offset(field) * lanes.LANES for field, word in words.items())}

    def _lengths(self, planned: Planned) -> list[list[tuple[str, int]]]:
        """The parts of the packet of a message with their bytes."""
        message, way = planned.message, self.fields(0, planned).decrypt
        lengths = {"associated": message.associated, "text": message.text, "tag": planned.tag_bytes}
        return [[(name, lengths[name]) for name in group] for group in self.description.form.layout(way)]

    def keeps(self, planned: Planned) -> list[int]:
        """The ``tkeep`` of the beats of the packet of a message."""
        size, groups = self.size, self._lengths(planned)
        keeps = whole_keeps([sum(nbytes for _, nbytes in group) for group in groups], size)
        if planned.fault == "short":
            keeps = keeps[: max(0, -(-groups[0][0][1] // size) - 1)]
        if planned.fault == "hole" and keeps != [0]:
            keeps[-1] = HOLE
        return keeps or [0]

    def beats(self, planned: Planned, symbols: Symbols, given: int, name: str) -> list[dict[str, int]]:
        """The beats of the packet of a message."""
        size, blocks = self.size, list[int]()
        words = {"associated": symbols.associated, "text": symbols.text, "tag": given}
        for number, group in enumerate(self._lengths(planned)):
            word = nbytes = 0
            for part, length in group:
                word, nbytes = word | (words[part] if length else 0) << 8 * nbytes * lanes.LANES, nbytes + length
            word |= behind(f"part {number} {name}", -(-nbytes // size) * 8 * size, 8 * nbytes)
            blocks += [word >> 8 * at * lanes.LANES & lanes.mask(8 * size) for at in range(0, nbytes, size)]
        keeps = self.keeps(planned)
        if keeps == [0]:
            blocks = [lanes.atom(f"nothing {name}", 8 * size)]
        beats = [{"tdata": word, "tkeep": lanes.constant(keep, size)} for word, keep in zip(blocks, keeps, strict=False)]
        for n, beat in enumerate(beats):
            # A core with one channel has no port for it.
            beat |= {"tlast": lanes.ONE if n == len(beats) - 1 else 0, "tid": lanes.constant(planned.channel, 8)}
        return beats

    def judged(self, planned: Planned) -> Judgement:
        """What comes of a message, in numbers of bytes."""
        found, *_ = judge(self.description, self.fields(0, planned), self.keeps(planned), planned.fault != "key")
        return found.settled(planned.wrong is None)

    def sent(self, number: int, planned: Planned, expected: Expected, symbols: Symbols) -> Sent:
        """What must come back for a message."""
        found, packet, held = self.judged(planned), 0, list[int]()
        parts = {"associated": (symbols.associated, found.header), "text": (expected.text, found.out), "tag": (expected.tag, found.sealed)}
        for group in self.description.form.out if found.leaves else ():
            nbytes, first = 0, self.size * len(held)
            for word, length in (parts[name] for name in group):
                packet, nbytes = packet | (word & lanes.mask(8 * length)) << 8 * (first + nbytes) * lanes.LANES, nbytes + length
            held += [min(self.size, nbytes - at) for at in range(0, nbytes, self.size)]
        held += [0] * (found.beats(self.description) - len(held))
        return Sent(number, planned, found.code, packet, tuple(held), found.marked, expected.tag & lanes.mask(8 * found.told), expected)


def given_tag(planned: Planned, expected: Expected, name: str) -> int:
    """The tag that the host gives for a message to open, or for a second pass."""
    known = lanes.mask(8 * planned.tag_bytes)
    given = expected.tag & known
    if planned.wrong is None:
        return given
    bit = lanes.ONE << planned.wrong * lanes.LANES
    # The other bits are new symbols, and this one is turned.
    return lanes.atom(f"wrong tag {name}", 8 * planned.tag_bytes) & known & ~bit | (given ^ bit) & bit


def behind(name: str, width: int, used: int) -> int:
    """Symbols behind the bits of a value that are used."""
    word = lanes.atom(f"behind {name}", width)
    return word ^ word & lanes.mask(used)
