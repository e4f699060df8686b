# SPDX-License-Identifier: Apache-2.0
"""Packets as they are on the wire, for the simulated core: beats of bytes, and packets of the beats that came.

::

    header ‖ text ‖ tag ──▶ beats ──▶ core ──▶ beats ──▶ packets, each with its mark
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from modeloom.sim import Beats

__all__ = ["GivenPacket", "WireReader", "whole_beats"]


@dataclass(frozen=True)
class GivenPacket:
    """A packet that a core gave: its bytes, whether its last beat says that the message failed, and the cycle of this beat."""

    data: bytes
    failed: bool
    cycle: int


class WireReader:
    """Makes packets of beats, which may come in several portions.

    Parameters
    ----------
    size : int
        Bytes of a beat.

    Raises
    ------
    ValueError
        From ``packets``, for a beat that no packet has.
    """

    def __init__(self, size: int):
        self.size = size
        self._begun = bytearray()
        self._beats = 0

    def packets(self, beats: Beats) -> Iterator[GivenPacket]:
        """The packets that these beats end."""
        data = beats.columns["m_axis_tdata"]
        columns = (beats.values(f"m_axis_{name}") for name in ("tkeep", "tlast", "tuser"))
        for at, (keep, last, failed, cycle) in enumerate(zip(*columns, beats.cycles, strict=True)):
            nbytes = keep.bit_count()
            beat = data[at * self.size : (at + 1) * self.size]
            empty = not nbytes and self._beats
            if (
                keep != (1 << nbytes) - 1
                or (nbytes < self.size and not last)
                or empty
                or any(beat[nbytes:])
                or (failed and not last)
            ):
                raise ValueError(f"a beat with tkeep {keep:#x}, tlast {last} and tuser {failed}")
            self._begun += beat[:nbytes]
            self._beats += 1
            if last:
                yield GivenPacket(bytes(self._begun), bool(failed), cycle)
                self.clear()

    def clear(self) -> None:
        """Forgets a packet that has begun."""
        self._begun, self._beats = bytearray(), 0

    @property
    def begun(self) -> bool:
        """Whether beats of a packet have come whose end has not."""
        return self._beats > 0


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
