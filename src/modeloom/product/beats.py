# SPDX-License-Identifier: Apache-2.0
"""Packets as beats of a data bus, in the columns that a simulation takes and gives.

::

    bytes 0 1 2 3 4   in beats of 4 bytes   tdata   0 1 2 3 | 4 . . .
                                            tkeep   1 1 1 1 | 1 0 0 0
                                            tlast         0 | 1

    channels by turns     channel 0   A0 A1 A2 | C0 C1
                          channel 1   B0 B1                 ──▶  A0 B0 A1 B1 A2 C0 C1

    beats out             text, or header ‖ text ‖ tag      ──▶  packets of each channel, with their marks
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from modeloom.sim import Beats

__all__ = ["GivenPacket", "PacketBeats", "PacketReader", "take_turns"]


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


def take_turns(channels: Sequence[int], beats: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The order of the beats of packets with these channels and numbers of beats: pairs of a packet and its beat."""
    queues: dict[int, deque[int]] = {}
    for number, channel in enumerate(channels):
        queues.setdefault(channel, deque()).append(number)
    turns, at = deque(queues.values()), [0] * len(channels)
    while turns:
        queue = turns.popleft()
        number = queue[0]
        yield number, at[number]
        at[number] += 1
        if at[number] == beats[number]:
            queue.popleft()
        if queue:
            turns.append(queue)


@dataclass(frozen=True)
class GivenPacket:
    """A packet that a core gave: its bytes, whether its last beat is marked, the cycle of this beat, and its channel."""

    data: bytes
    marked: bool
    cycle: int
    channel: int = 0


class PacketReader:
    """Makes packets of beats, which may come in several portions.

    Parameters
    ----------
    size : int
        Bytes of a beat.
    wire : bool
        Whether packets are as they are on the wire.  Otherwise a mark says that a packet was cut off.
    joins : bool
        Whether the end of a packet that is cut off, a beat without bytes, may come together with what was before it.

    Raises
    ------
    ValueError
        From ``packets``, for a beat that no packet has.
    """

    def __init__(self, size: int, wire: bool, joins: bool = False):
        self.size, self.wire, self.joins = size, wire, joins
        self._begun: dict[int, bytearray] = {}

    def packets(self, beats: Beats) -> Iterator[GivenPacket]:
        """The packets that these beats end."""
        size, data = self.size, beats.columns["m_axis_tdata"]
        columns = (beats.values(f"m_axis_{name}") for name in ("tkeep", "tlast", "tuser"))
        channels = beats.values("m_axis_tid") if "m_axis_tid" in beats.columns else [0] * beats.count
        for at, (keep, last, marked, channel, cycle) in enumerate(zip(*columns, channels, beats.cycles, strict=True)):
            nbytes, beat = keep.bit_count(), data[at * size : (at + 1) * size]
            # On the wire a beat without bytes is a packet; otherwise it ends one that is cut off, and nothing else does.
            if self.wire:
                wrong = not nbytes and channel in self._begun
            else:
                wrong = not marked if not nbytes else bool(marked) and not self.joins
            if keep != (1 << nbytes) - 1 or (not last and (nbytes < size or marked)) or wrong or any(beat[nbytes:]):
                raise ValueError(f"a beat with tkeep {keep:#x}, tlast {last} and tuser {marked}")
            begun = self._begun.setdefault(channel, bytearray())
            begun += beat[:nbytes]
            if last:
                del self._begun[channel]
                yield GivenPacket(bytes(begun), bool(marked), cycle, channel)

    def clear(self) -> None:
        """Forgets packets that have begun."""
        self._begun.clear()

    @property
    def begun(self) -> bool:
        """Whether beats of a packet have come whose end has not."""
        return bool(self._begun)
