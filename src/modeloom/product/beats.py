# SPDX-License-Identifier: Apache-2.0
"""Packets as beats of a data bus, in the columns that a simulation takes and gives.

::

    bytes 0 1 2 3 4   in beats of 4 bytes   tdata   0 1 2 3 | 4 . . .
                                            tkeep   1 1 1 1 | 1 0 0 0
                                            tlast         0 | 1
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

__all__ = ["PacketBeats", "parts_of"]


@dataclass
class PacketBeats:
    """The columns of some beats.

    Attributes
    ----------
    size : int
        Bytes of a beat.
    data, keeps, lasts : bytearray
        ``tdata``, ``tkeep`` and ``tlast``, with a whole number of bytes for each beat.
    """

    size: int
    data: bytearray = field(default_factory=bytearray)
    keeps: bytearray = field(default_factory=bytearray)
    lasts: bytearray = field(default_factory=bytearray)

    def __len__(self) -> int:
        """The number of beats."""
        return len(self.lasts)

    @property
    def keep_bytes(self) -> int:
        """Bytes of ``tkeep`` of a beat."""
        return -(-self.size // 8)

    def add_part(self, part: bytes) -> None:
        """Appends bytes that begin with a beat of their own.  Only their last beat may be partial."""
        if not part:
            return
        beats = -(-len(part) // self.size)
        tail = len(part) - (beats - 1) * self.size
        self.data += part
        self.data += bytes(self.size - tail)
        self.keeps += ((1 << self.size) - 1).to_bytes(self.keep_bytes, "little") * (beats - 1)
        self.keeps += ((1 << tail) - 1).to_bytes(self.keep_bytes, "little")
        self.lasts += bytes(beats)

    def end(self) -> None:
        """Ends a packet with the last beat.  A packet without bytes gets one beat without bytes."""
        if not self.lasts:
            self.data, self.keeps, self.lasts = bytearray(self.size), bytearray(self.keep_bytes), bytearray(1)
        self.lasts[-1] = 1

    def add_beat(self, other: PacketBeats, at: int) -> None:
        """Appends one beat of others."""
        self.data += other.data[at * self.size : (at + 1) * self.size]
        self.keeps += other.keeps[at * self.keep_bytes : (at + 1) * self.keep_bytes]
        self.lasts += other.lasts[at : at + 1]

    def add_packet(self, packet: PacketBeats) -> None:
        """Appends all beats of a packet."""
        self.data += packet.data
        self.keeps += packet.keeps
        self.lasts += packet.lasts

    def columns(self) -> dict[str, bytes]:
        """The ports of the data bus into a core."""
        return {"s_axis_tdata": bytes(self.data), "s_axis_tkeep": bytes(self.keeps), "s_axis_tlast": bytes(self.lasts)}


def parts_of(associated: bytes, chunks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """What comes first, which may be empty, and the chunks behind it, each with whether it is the last part of the message."""
    part = associated
    for chunk in filter(None, chunks):
        yield part, False
        part = chunk
    yield part, True
