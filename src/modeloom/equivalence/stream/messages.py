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
from modeloom.streams.machine import Machine
from modeloom.streams.plan import StreamPlan
from modeloom.streams.prove import Message, prefix_of, tokens_of

__all__ = ["Expected", "Planned", "Symbols", "computed", "opened"]


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
    prefix = prefix_of(plan.prefixes, message.associated)
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
        if token.part < 0:
            machine.start(token)
            continue
        output = machine.run(token)
        given += [] if output is None else output if isinstance(output, tuple) else [output]
    *text, made = given
    return Expected(sum(word << n * bits for n, word in enumerate(text)), made)


def opened(
    plan: StreamPlan, keys: Mapping[int, KeyWords], message: Message, symbols: Symbols, tag: int
) -> tuple[Symbols, Expected]:  # fmt: skip
    """In a mode with two passes: what goes into the core for a message whose command has this tag, and what comes out."""
    second = computed(plan, keys, replace(message, direction="encrypt"), symbols, tag)
    if message.direction == "encrypt":
        return symbols, second
    sent = replace(symbols, text=second.text & lanes.mask(8 * message.text))
    return sent, computed(plan, keys, message, sent, tag)
