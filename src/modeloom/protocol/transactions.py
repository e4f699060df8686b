# SPDX-License-Identifier: Apache-2.0
"""A message as it goes over the buses of a core: a command, and a packet in beats.

::

    associated data, text, tag ──layout of the contract──▶ parts ──▶ beats: data and tkeep of each
    fields                     ────────────────────────────────────▶ bytes of the command
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from modeloom.interfaces.messages import pack_message_command
from modeloom.protocol.contract import MessageContract

__all__ = ["Beat", "Command", "MessagePacket", "beats_of", "message_packet", "packet_parts", "whole_keeps", "whole_packet"]

Beat = tuple[bytes, int]
"""Data and ``tkeep`` of a beat."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """The fields of a command, those that a core does not have included.

    Attributes
    ----------
    nonce, tag : bytes
    nonce_bytes, tag_bytes : int
        The lengths that the command states.
    associated, text : int
        The bytes of associated data and of text that it states, as far as it has these fields.
    decrypt : int
        One of the ``ways`` of the core, or any other number that the field can have.
    id, slot, channel : int
    new_key : bool
        Whether a key comes with the message, in a core whose keys come with messages.
    """

    nonce: bytes
    nonce_bytes: int
    tag_bytes: int
    tag: bytes = b""
    associated: int = 0
    text: int = 0
    decrypt: int = 0
    id: int = 0
    slot: int = 0
    channel: int = 0
    new_key: bool = False

    def pack(self, c: MessageContract) -> bytes:
        """The bytes of the command for a core.  Raises ``ValueError`` for what does not fit its field."""
        return pack_message_command(
            nonce=self.nonce, associated=self.associated, tag=self.tag, tag_bytes=self.tag_bytes, id=self.id, slot=self.slot,
            channel=self.channel, decrypt=self.decrypt, nonce_bytes=self.nonce_bytes, block_bytes=c.block_bytes,
            new_key=self.new_key if c.inline else None, text=self.text if c.states_text else None, passes=1 + c.two_passes,
            text_first=c.text_first,
        )  # fmt: skip


def packet_parts(c: MessageContract, way: int, associated: bytes, text: bytes, tag: bytes = b"") -> list[bytes]:
    """The bytes of a packet, of which each part begins with a beat of its own.  ``tag`` is read on the wire alone."""
    named = {"associated": associated, "text": text, "tag": tag}
    return [b"".join(named[name] for name in group) for group in c.layout(way)]


def whole_keeps(lengths: Iterable[int], size: int) -> list[int]:
    """The ``tkeep`` of the beats of a packet without fault, whose parts have so many bytes."""
    return [(1 << min(size, nbytes - at)) - 1 for nbytes in lengths for at in range(0, nbytes, size)] or [0]


def beats_of(data: bytes, size: int) -> tuple[Beat, ...]:
    """The beats of bytes, of which the last one may be partial."""
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    return tuple((chunk.ljust(size, b"\0"), (1 << len(chunk)) - 1) for chunk in chunks)


@dataclass(frozen=True)
class MessagePacket:
    """The beats of a packet: data padded to whole beats, and the ``tkeep`` of each beat."""

    data: bytes
    keeps: tuple[int, ...]

    @classmethod
    def of(cls, beats: Sequence[Beat]) -> MessagePacket:
        """The packet of beats."""
        return cls(b"".join(data for data, _ in beats), tuple(keep for _, keep in beats))

    def beats(self, size: int) -> list[Beat]:
        """Data and ``tkeep`` of each beat."""
        return [(self.data[at * size : (at + 1) * size], keep) for at, keep in enumerate(self.keeps)]

    def joined(self, size: int) -> bytes:
        """The bytes that ``tkeep`` says are there, as far as no beat has a gap."""
        return b"".join(data[: keep.bit_count()] for data, keep in self.beats(size))


def whole_packet(parts: Iterable[bytes], size: int) -> MessagePacket:
    """A packet without fault.  Without any bytes it is one beat without bytes."""
    return MessagePacket.of([beat for part in parts for beat in beats_of(part, size)] or [(bytes(size), 0)])


def message_packet(c: MessageContract, way: int, associated: bytes, text: bytes, tag: bytes = b"", size: int = 0) -> MessagePacket:
    """The packet of a message, in beats of *size* bytes if they are not those of the core."""
    return whole_packet(packet_parts(c, way, associated, text, tag), size or c.beat_bytes)
