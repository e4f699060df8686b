# SPDX-License-Identifier: Apache-2.0
"""What a core for messages promises its host.  The description of a core is such a contract; ``core.json`` has its members."""

from __future__ import annotations

from modeloom.spec.stream import TEXT_FIRST

__all__ = ["DIRECTIONS", "MOST_STATED", "MessageContract"]

DIRECTIONS = ("encrypt", "decrypt")

MOST_STATED = (1 << 64) - 1
"""Most bytes of a part that a command can state."""


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
        found = [way for way, direction in enumerate(DIRECTIONS) if direction in self.directions]
        return tuple([*found, *([2] if self.two_passes and 0 in found else [])])

    @property
    def two_passes(self) -> bool:
        """Whether a host sends a message to seal twice."""
        return self.tag_first and self.message_buffer is None

    @property
    def named_slots(self) -> int:
        """Key slots that a host can name; 1 if keys come with the messages."""
        return 1 if self.inline else self.key_slots

    @property
    def nonces(self) -> tuple[int, ...]:
        """All lengths of nonces in bytes, the default first."""
        return tuple(length for lengths in self.nonce_bytes for length in lengths)

    @property
    def states_text(self) -> bool:
        """Whether a command has the bytes of text of its message."""
        return bool(self.lengths_first) or self.text_first

    def text_with(self, nonce_bytes: int) -> int:
        """Most bytes of text of a message with a nonce of this number of bytes."""
        return dict(self.most_text_with_nonce or ()).get(nonce_bytes, self.most_text)

    # -- packets ---------------------------------------------------------------------------------------------------------

    @property
    def beat_bytes(self) -> int:
        """The number of bytes of a beat of the data buses."""
        return self.blocks_per_cycle * self.block_bytes

    @property
    def wire(self) -> bool:
        """Whether packets are as they are on the wire."""
        return self.packet == "wire"

    @property
    def text_first(self) -> bool:
        """Whether packets have their text before their associated data."""
        return self.order == TEXT_FIRST

    def layout(self, way: int) -> tuple[tuple[str, ...], ...]:
        """The parts of a packet in order: "associated", "text" and "tag".  Those in a group touch each other, and each group begins with a
        beat of its own."""
        if self.wire:
            return (("associated", "text", *(("tag",) if way else ())),)
        return (("text",), ("associated",)) if self.text_first else (("associated",), ("text",))

    def beats(self, associated: int, text: int, tag: int = 0) -> int:
        """The number of beats of the packet of a message, which is at least one.  ``tag`` is the number of bytes of a tag in it."""
        if self.wire:
            return max(1, -(-(associated + text + tag) // self.beat_bytes))
        return max(1, -(-associated // self.beat_bytes) - (-text // self.beat_bytes))

    # -- what comes of a message -----------------------------------------------------------------------------------------

    @property
    def compares(self) -> bool:
        """Whether the core compares tags."""
        return self.tag_first or "decrypt" in self.directions

    def step_of(self, way: int) -> str:
        """The step that a block of text takes: "encrypt", "decrypt", or "absorb" in the first pass."""
        return (("absorb", "decrypt", "encrypt") if self.two_passes else DIRECTIONS)[way]

    def text_of(self, way: int, nbytes: int) -> int:
        """The bytes of text that come out of a message with so many bytes of text."""
        return 0 if self.two_passes and not way else nbytes

    def held(self, way: int) -> bool:
        """Whether what comes of a message leaves only after its tag was right."""
        return self.hold is not None and way > 0

    def held_bytes(self, way: int, associated: int, text: int) -> int:
        """The bytes of a message with so many bytes of associated data and of text that ``hold`` counts: none of a message to seal whose
        text leaves at once, and those of its header, too, where header and text are one packet."""
        if not self.held(way):
            return 0
        return associated + text if self.wire else text

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
