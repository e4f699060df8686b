# SPDX-License-Identifier: Apache-2.0
"""Each way in which the packet of a message can be wrong.

::

    beat        0          1          2         20 bytes of associated data, 19 of text, blocks of 16 bytes
    tkeep     0xFFFF     0x000F     0xFFFF  0x0007
    faults    ends too soon ─▶ TOO_SHORT     a gap, no byte, a partial beat in the middle ─▶ BAD_KEEP

Edits make a fault at a place.  ``faulty`` makes one at random.  What comes of a fault is in ``outcome``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from modeloom.protocol.transactions import Beat, MessagePacket

__all__ = ["FAULTS", "Edit", "ends", "ends_with", "faulty", "goes_on", "inverts"]

Edit = Callable[[Sequence[Beat]], list[Beat]]
"""Makes other beats of those of a packet."""


def ends(count: int) -> Edit:
    """Ends a packet behind so many beats."""
    return lambda beats: list(beats[:count])


def ends_with(place: int, keep: int, data_of: int | None = None) -> Edit:
    """Ends a packet with a beat at a place that has this ``tkeep``, and the data of the beat that is there, or of another one."""
    return lambda beats: [*beats[:place], (beats[place if data_of is None else data_of][0], keep)]


def goes_on(keep: int) -> Edit:
    """Puts another last beat behind a packet."""
    return lambda beats: [*beats, (beats[0][0], keep)]


def inverts(place: int, bits: int) -> Edit:
    """Inverts bits of the ``tkeep`` of a beat."""
    return lambda beats: [(data, keep ^ bits if at == place else keep) for at, (data, keep) in enumerate(beats)]


FAULTS = ("ends", "gap", "empty", "partial", "longer", "turned", "null")
"""Faults at random places."""


def faulty(packet: MessagePacket, size: int, fault: str, rng: random.Random) -> MessagePacket:
    """A packet with a fault.  Some faults have no effect on some packets."""
    data, keeps = packet.data, list(packet.keeps)
    at = rng.randrange(len(keeps))
    if fault == "ends":
        keeps = keeps[: at + 1]
        data = data[: (at + 1) * size]
    elif fault == "gap":
        keeps[at] &= ~(1 << rng.randrange(size - 1))
    elif fault == "empty":
        keeps[at] = 0
    elif fault == "partial":
        keeps[at] >>= rng.randrange(1, size)
    elif fault == "longer":
        data += rng.randbytes(size)
        keeps.append(rng.choice(((1 << size) - 1, 1)))
    elif fault == "turned":
        keeps[at] ^= 1 << rng.randrange(size)
    elif fault == "null":
        data += bytes(size)
        keeps.append(0)
    else:
        raise ValueError(f"no fault {fault!r}")
    return MessagePacket(data, tuple(keeps))
