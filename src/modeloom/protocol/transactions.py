# SPDX-License-Identifier: Apache-2.0
"""What goes over the buses of a core: a message as a command and a packet in beats; and a key, or an erasure, as a key packet.

::

    associated data, text, tag ──layout of the contract──▶ parts ──▶ beats: data and tkeep of each
    fields                     ────────────────────────────────────▶ bytes of the command
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from modeloom.interfaces.messages import pack_message_command
from modeloom.interfaces.shared import KEY_BEAT_BYTES

if TYPE_CHECKING:
    from modeloom.protocol.contract import MessageContract

__all__ = ["Beat", "Command", "KeyPacket", "MessagePacket", "beats_of", "message_packet", "packet_parts", "whole_keeps", "whole_packet"]

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

    def stated(self, c: MessageContract) -> dict[str, int]:
        """The bytes of the parts that the command of a core states."""
        return {part: {"associated": self.associated, "text": self.text}[part] for part in (c.form.first, *c.stated_behind)}

    def pack(self, c: MessageContract) -> bytes:
        """The bytes of the command for a core.  Raises ``ValueError`` for what does not fit its field."""
        return pack_message_command(
            c.command_fields, nonce=self.nonce, associated=self.associated, text=self.text, tag=self.tag, nonce_bytes=self.nonce_bytes,
            tag_bytes=self.tag_bytes, id=self.id, slot=self.slot, channel=self.channel, decrypt=self.decrypt, new_key=self.new_key,
        )  # fmt: skip


def packet_parts(c: MessageContract, way: int, associated: bytes, text: bytes, tag: bytes = b"") -> list[bytes]:
    """The bytes of a packet, of which each part begins with a beat of its own.  ``tag`` is read if the form has it."""
    named = {"associated": associated, "text": text, "tag": tag}
    return [b"".join(named[name] for name in group) for group in c.form.layout(way)]


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


@dataclass(frozen=True)
class KeyPacket:
    """A packet on the key port: it loads a key into a slot, or erases one.

    A core whose keys come with messages has no slots to name; there an erasure drops the key before it.

    Attributes
    ----------
    data : bytes
        Padded to whole beats.
    keeps : tuple of int
        The ``tkeep`` of each beat.
    slot : int
    erase : bool
    """

    data: bytes
    keeps: tuple[int, ...]
    slot: int = 0
    erase: bool = False

    @classmethod
    def of(cls, data: bytes, slot: int = 0, erase: bool = False, keeps: Sequence[int] | None = None) -> KeyPacket:
        """The packet of so many bytes.  Its ``tkeep`` says that all of them are there, if no other one is given."""
        found = tuple(whole_keeps([len(data)], KEY_BEAT_BYTES) if keeps is None else keeps)
        return cls(data.ljust(len(found) * KEY_BEAT_BYTES, b"\0"), found, slot, erase)

    def columns(self, slots: bool) -> dict[str, Sequence[int] | bytes]:
        """The ports of the key bus, with ``tdest`` if there are slots to name."""
        count = len(self.keeps)
        return {
            "s_axis_key_tdata": self.data, "s_axis_key_tkeep": self.keeps, "s_axis_key_tlast": [*[0] * (count - 1), 1],
            "s_axis_key_tuser": [int(self.erase)] * count, **({"s_axis_key_tdest": [self.slot] * count} if slots else {}),
        }  # fmt: skip

    def refused(self, sizes: Sequence[int], slots: int) -> bool:
        """Whether a core whose keys have so many bytes, and that has so many slots, refuses the packet whatever its bytes.

        Its slot does not exist, its length is that of no key, or its ``tkeep`` has a gap.  Its slot is then empty.
        """
        if self.slot >= slots:
            return True
        nbytes = sum(keep.bit_count() for keep in self.keeps)
        return not self.erase and (nbytes not in sizes or [*self.keeps] != whole_keeps([nbytes], KEY_BEAT_BYTES))
