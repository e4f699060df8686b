# SPDX-License-Identifier: Apache-2.0
"""A packet of a sector on the data bus, correct or with a fault, and its required status (``docs/interfaces.md``).

::

    beat        0          1          2         a sector of 40 bytes on one lane
    tkeep     0xFFFF     0xFFFF     0x00FF
    faults    not all ones ─▶ BAD_KEEP   gap, or no byte ─▶ BAD_KEEP   fewer, more bytes ─▶ TOO_SHORT, TOO_LONG
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from modeloom.interfaces.sector import StatusCode

__all__ = ["Packet", "FAULTS", "faulty", "whole"]


@dataclass(frozen=True)
class Packet:
    """The beats of a packet: data padded to whole beats, and the ``tkeep`` of each beat."""

    data: bytes
    keeps: tuple[int, ...]

    def code(self, beat_bytes: int, sector_bytes: int) -> StatusCode:
        """The status for this packet, if the sector has this size."""
        *inner, last = self.keeps
        if any(keep != (1 << beat_bytes) - 1 for keep in inner) or not last or last & (last + 1):
            return StatusCode.BAD_KEEP
        length = len(inner) * beat_bytes + last.bit_length()
        if length == sector_bytes:
            return StatusCode.OK
        return StatusCode.TOO_SHORT if length < sector_bytes else StatusCode.TOO_LONG


def whole(data: bytes, beat_bytes: int) -> Packet:
    """The packet of ``nbytes`` bytes, at least one."""
    count = -(-len(data) // beat_bytes)
    full = (1 << beat_bytes) - 1
    last = (1 << len(data) - (count - 1) * beat_bytes) - 1
    return Packet(data.ljust(count * beat_bytes, b"\0"), (full,) * (count - 1) + (last,))


FAULTS = (
    "byte short", "beat short", "one byte", "byte long", "beat long", "far too long", "gap", "hole", "tail", "empty", "no byte",
    "hole and far too long",
)  # fmt: skip
"""The possible faults of a packet."""


def faulty(data: bytes, beat_bytes: int, fault: str, rng: random.Random) -> Packet:
    """The packet of a sector with a fault.  If the fault is impossible on this bus, the nearest possible one is used."""
    more = rng.randbytes(4 * len(data) + 2 * beat_bytes)
    lengths = {
        "byte short": len(data) - 1, "beat short": len(data) - beat_bytes, "one byte": 1,
        "byte long": len(data) + 1, "beat long": len(data) + beat_bytes, "far too long": 3 * len(data) + 1,
    }  # fmt: skip
    if fault in lengths:
        return whole((data + more)[: max(1, lengths[fault])], beat_bytes)
    packet = whole((data + more)[: lengths["far too long"]] if fault == "hole and far too long" else data, beat_bytes)
    keeps = list(packet.keeps)
    last = len(keeps) - 1
    beat = rng.randrange(last) if last else 0
    if fault == "gap":  # in the last beat
        keeps[last] = keeps[last] & ~(1 << rng.randrange(max(1, keeps[last].bit_length() - 1)))
    elif fault in ("hole", "hole and far too long"):  # before it
        keeps[beat] ^= 1 << rng.randrange(beat_bytes)
    elif fault == "tail":
        keeps[beat] >>= rng.randrange(1, beat_bytes)
    elif fault == "empty":
        keeps[beat] = 0
    elif fault == "no byte":
        keeps[last] = 0
    else:
        raise ValueError(f"no fault {fault!r}")
    return Packet(packet.data, tuple(keeps))
