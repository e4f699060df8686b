# SPDX-License-Identifier: Apache-2.0
"""What a core for messages promises its host.  The description of a core is such a contract; ``core.json`` has its members.

What differs between kinds of cores is chosen here, once: ``form``, ``passes``, ``key_source`` and ``channel_fields``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import TypeVar

from modeloom.interfaces.messages import PACKETS
from modeloom.protocol.forms import AssociatedFirst, TextFirst, WireForm
from modeloom.spec.stream import TEXT_FIRST

__all__ = ["DIRECTIONS", "MOST_STATED", "ChannelFields", "KeySlots", "KeysWithMessages", "MessageContract", "Passes", "TwoPasses"]

DIRECTIONS = ("encrypt", "decrypt")

MOST_STATED = (1 << 64) - 1
"""Most bytes of a part that a command can state."""

FORMS = {(PACKETS[0], None): AssociatedFirst(), (PACKETS[0], TEXT_FIRST): TextFirst(), (PACKETS[1], None): WireForm()}
"""The forms of packets, by the members ``packet`` and ``order`` of a description."""

T = TypeVar("T")


class Passes:
    """A host sends a message to seal once.

    ``steps`` are those that a block of text takes, by the value of the field ``decrypt`` of its command, and ``sealing`` the values of this
    field in the passes of a message to seal.
    """

    steps: tuple[str, ...] = DIRECTIONS
    sealing: tuple[int, ...] = (0,)

    def ways(self, directions: Collection[str]) -> tuple[int, ...]:
        """The values of this field that a core with these directions takes."""
        return tuple(way for way in range(len(self.steps)) if DIRECTIONS[way % 2] in directions)

    def sent(self, plain: bytes, text: bytes, tag: bytes) -> dict[int, tuple[bytes, bytes]]:
        """For each pass of a message to seal, its data and what comes of it."""
        return {0: (plain, text + tag)}


class TwoPasses(Passes):
    """A host sends a message to seal for its tag, and then with its tag for its text."""

    steps, sealing = ("absorb", "decrypt", "encrypt"), (0, 2)

    def sent(self, plain: bytes, text: bytes, tag: bytes) -> dict[int, tuple[bytes, bytes]]:
        return {0: (plain, tag), 2: (plain + tag, text)}


@dataclass(frozen=True)
class KeySlots:
    """Keys are loaded into slots, which commands name.

    ``wrong`` are slots that a command can name, and that the core does not have.
    """

    slots: int

    @property
    def wrong(self) -> tuple[int, ...]:
        return self.slots, (1 << 16) - 1

    def lacks(self, slot: int) -> bool:
        """Whether there is no slot that a command names so."""
        return slot >= self.slots

    def refused(self, slot: int, key: bytes | None) -> str:
        """Why no message has this slot and this key of its own; empty if one may."""
        if slot not in range(self.slots):
            return f"this core has no key slot {slot}: it has {self.slots}, counted from 0"
        return "" if key is None else (
            "the keys of this core are loaded into slots; build it with --keys inline for messages that bring their keys"
        )  # fmt: skip

    def loaded(self, keys: Sequence[T]) -> Sequence[T]:
        """Those of the keys that a host loads before messages need them."""
        return keys

    def brings(self, slot: int, key: T) -> tuple[int, T | None]:
        """The slot that a message names, and the key that comes with it."""
        return slot, None


class KeysWithMessages(KeySlots):
    """Keys come with the messages, and there is no slot to name."""

    wrong = ()

    def lacks(self, slot: int) -> bool:
        return False

    def refused(self, slot: int, key: bytes | None) -> str:
        return f"this core has no key slots to name, and so no slot {slot}: give the message its key" if slot else ""

    def loaded(self, keys: Sequence[T]) -> Sequence[T]:
        return ()

    def brings(self, slot: int, key: T) -> tuple[int, T | None]:
        return 0, key


@dataclass(frozen=True)
class ChannelFields:
    """The number of a channel in commands, statuses and beats, as far as there are several."""

    count: int

    def of(self, channel: int) -> int:
        """The channel that the core knows for this number in a command."""
        return channel if self.count > 1 else 0

    def fields(self, rng: Random) -> dict[str, int]:
        """The field of a command with a random channel."""
        return {"channel": rng.randrange(self.count)} if self.count > 1 else {}

    def named(self, channel: T) -> dict[str, T]:
        """The field of a command."""
        return {"channel": channel} if self.count > 1 else {}

    def columns(self, bus: str, channels: T) -> dict[str, T]:
        """The port of beats with these channels."""
        return {f"{bus}_tid": channels} if self.count > 1 else {}


class MessageContract:
    """What follows from the members of the description of a core for messages, for what is sent to it and what it answers.

    Its attributes are those of :class:`~modeloom.product.messages.MessageFacts` with the same names.
    """

    block_bytes: int
    blocks_per_cycle: int
    directions: tuple[str, ...]
    nonce_bytes: tuple[tuple[int, ...], ...]
    tag_bytes: tuple[int, ...]
    most_associated: int
    most_text: int
    lengths_first: bool | None
    order: str | None
    most_text_with_nonce: tuple[tuple[int, int], ...] | None
    key_slots: int
    channels: int
    hold: int | None
    message_buffer: int | None
    packet: str
    text_blocks: int | None

    @property
    def inline(self) -> bool:
        """Whether keys come with the messages."""
        raise NotImplementedError

    @property
    def tag_first(self) -> bool:
        """Whether text is encrypted under its tag, so that the core works on a message to seal twice."""
        raise NotImplementedError

    # -- what a command may say ------------------------------------------------------------------------------------------

    @property
    def ways(self) -> tuple[int, ...]:
        """The values of the field ``decrypt`` of a command: 0 seals, 1 opens.  With two passes, 0 is the first pass of a message to
        seal, and 2 the second one."""
        return self.passes.ways(self.directions)

    @property
    def wrong_ways(self) -> tuple[int, ...]:
        """The values that this field can have, and that the core does not take."""
        return tuple(way for way in range(2 * len(self.passes.sealing)) if way not in self.ways)

    @cached_property
    def passes(self) -> Passes:
        """How often a host sends a message to seal."""
        return TwoPasses() if self.tag_first and self.message_buffer is None else Passes()

    @property
    def two_passes(self) -> bool:
        """Whether a host sends a message to seal twice."""
        return len(self.passes.sealing) > 1

    @cached_property
    def key_source(self) -> KeySlots:
        """Where keys come from."""
        return KeysWithMessages(1) if self.inline else KeySlots(self.key_slots)

    @property
    def named_slots(self) -> int:
        """Key slots that a host can name; 1 if keys come with the messages."""
        return self.key_source.slots

    @cached_property
    def channel_fields(self) -> ChannelFields:
        """What has the number of a channel."""
        return ChannelFields(self.channels)

    @property
    def nonces(self) -> tuple[int, ...]:
        """All lengths of nonces in bytes, the default first."""
        return tuple(length for lengths in self.nonce_bytes for length in lengths)

    @property
    def stated_behind(self) -> tuple[str, ...]:
        """The second part of a packet if a command has its bytes, too."""
        return (self.form.behind,) * bool(self.lengths_first)

    @property
    def states_text(self) -> bool:
        """Whether a command has the bytes of text of its message."""
        return "text" in (self.form.first, *self.stated_behind)

    def text_with(self, nonce_bytes: int) -> int:
        """Most bytes of text of a message with a nonce of this number of bytes."""
        return dict(self.most_text_with_nonce or ()).get(nonce_bytes, self.most_text)

    def most_of(self, part: str, nonce_bytes: int) -> int:
        """Most bytes of "associated" or "text" of a message with a nonce of this number of bytes."""
        return {"associated": self.most_associated, "text": self.text_with(nonce_bytes)}[part]

    # -- packets ---------------------------------------------------------------------------------------------------------

    @property
    def beat_bytes(self) -> int:
        """The number of bytes of a beat of the data buses."""
        return self.blocks_per_cycle * self.block_bytes

    @cached_property
    def form(self) -> AssociatedFirst:
        """The form of packets.  Raises ``KeyError`` if there is none with this order."""
        return FORMS[self.packet, self.order]

    @property
    def wire(self) -> bool:
        """Whether packets are as they are on the wire."""
        return self.packet == "wire"

    @property
    def text_first(self) -> bool:
        """Whether packets have their text before their associated data."""
        return self.order == TEXT_FIRST

    def beats(self, associated: int, text: int, tag: int = 0) -> int:
        """The number of beats of the packet of a message, which is at least one.  ``tag`` is the number of bytes of a tag in it."""
        return self.form.beats(self.beat_bytes, associated, text, tag)

    # -- what comes of a message -----------------------------------------------------------------------------------------

    @property
    def compares(self) -> bool:
        """Whether the core compares tags."""
        return self.tag_first or "decrypt" in self.directions

    def step_of(self, way: int) -> str:
        """The step that a block of text takes: "encrypt", "decrypt", or "absorb" in the first pass."""
        return self.passes.steps[way]

    def text_of(self, way: int, nbytes: int) -> int:
        """The bytes of text that come out of a message with so many bytes of text."""
        return 0 if self.step_of(way) == "absorb" else nbytes

    def held(self, way: int) -> bool:
        """Whether what comes of a message leaves only after its tag was right."""
        return self.hold is not None and way > 0

    def held_bytes(self, way: int, associated: int, text: int) -> int:
        """The bytes of a message with so many bytes of associated data and of text that ``hold`` counts: none of a message to seal whose
        text leaves at once, and those of its header, too, where header and text are one packet."""
        return self.form.header(associated) + text if self.held(way) else 0

    @property
    def held_limits(self) -> tuple[int, ...]:
        """The limit of these bytes; none in a core that holds nothing."""
        return () if self.hold is None else (self.hold,)

    @property
    def stores(self) -> bool:
        """Whether the core holds or stores messages, and may find them too long."""
        return self.hold is not None or self.message_buffer is not None

    def overflows(self, way: int, associated: int, text: int) -> bool:
        """Whether a message with so many bytes of associated data and of text is longer than the core can hold."""
        return any(self.held_bytes(way, associated, text) > most for most in self.held_limits)

    @property
    def buffered_beats(self) -> int | None:
        """Beats of the longest message to seal that the core can store; None if it stores none."""
        return None if self.message_buffer is None else -(-self.message_buffer // self.beat_bytes)

    @property
    def buffered_bytes(self) -> int | None:
        """Bytes of these beats."""
        return None if self.buffered_beats is None else self.buffered_beats * self.beat_bytes

    def too_long(self, way: int, beats: int) -> bool:
        """Whether a message with a packet of so many beats is longer than the core can store."""
        return not way and self.buffered_beats is not None and beats > self.buffered_beats

    @property
    def text_bytes(self) -> int:
        """Bytes of text that are computed together.  A packet that is cut off has all of them or none."""
        return self.block_bytes * (self.text_blocks or self.blocks_per_cycle)
