# SPDX-License-Identifier: Apache-2.0
"""Packets of the beats that a simulated core gave, and beats of the bytes of a long packet.

::

    aligned   text                       ──▶ beats ──▶ packets, each with its mark, by channels
    wire      header ‖ text ‖ tag
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from modeloom.sim import Beats

__all__ = ["GivenPacket", "PacketReader", "whole_beats"]


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


def whole_beats(parts: Iterable[bytes], size: int, most: int) -> Iterator[tuple[bytes, bool]]:
    """The bytes of a packet in portions of whole beats, about *most* bytes each, and whether each is the last one, which may end within a
    beat; at least one."""
    begun = bytearray()
    portion = max(size, most - most % size)
    for part in parts:
        begun += part
        while len(begun) > portion:
            yield bytes(begun[:portion]), False
            del begun[:portion]
    yield bytes(begun), True
