# SPDX-License-Identifier: Apache-2.0
"""Checks each key slot and each channel beside its neighbours, whose numbers differ in one bit.

::

    slot  0   1   2   4  ...  16384  32768   65535        a key of its own in each
          │   └───┴───┴── neighbours of slot 0 ┘
          └─ message: its key is that of slot 0, and of no neighbour

A slot whose number is taken for that of a neighbour has the key of this neighbour.
"""

from __future__ import annotations

from typing import Any

from modeloom.spec.errors import many
from modeloom.verification.stream.host import MessageHost, StreamSubject, host_of

__all__ = ["check_neighbours", "numbers_apart"]

ALL = 16
"""Numbers of slots and channels up to which all of them are used."""


def numbers_apart(count: int) -> list[int]:
    """Numbers below *count*, so that each bit of a number is the only difference between two of them.

    If they are few, all of them are taken.  Otherwise they are 0, the powers of two, the last number, and the last number with each bit
    inverted.
    """
    if count <= ALL:
        return list(range(count))
    bits = (count - 1).bit_length()
    near = {0, count - 1, *(base ^ 1 << bit for base in (0, count - 1) for bit in range(bits))}
    return sorted(number for number in near if number < count)


def check_neighbours(subject: StreamSubject) -> tuple[str, dict[str, Any]]:
    """Loads another key into each slot, uses each of them, and then erases and reloads each while messages of its neighbours are under
    way.  With channels, messages of neighbours are under way at a time."""
    rng, d = subject.rng("neighbours"), subject.description
    host = host_of(subject, rng)
    slots, channels = numbers_apart(d.named_slots), numbers_apart(d.channels)
    for slot in slots:
        host.load(subject.good_key(rng), slot)
    host.settle()
    _use(host, slots, channels)
    for slot in slots:
        near = [other for other in slots if (other ^ slot).bit_count() == 1]
        _send(host, near, channels[:1])
        host.erase(slot)
        _use(host, [slot, *near], channels[:1])
        _send(host, near, channels[:1])
        host.load(subject.good_key(rng), slot)
        _use(host, [slot, *near], channels[:1])
    _use(host, slots, channels)
    told = f"{many(len(slots), 'slot')} and {many(len(channels), 'channel')} are told from those whose numbers differ in one bit"
    return told, {"messages": host.messages, "slots": len(slots), "channels": len(channels)}


def _use(host: MessageHost, slots: list[int], channels: list[int]) -> None:
    """A message of each slot in each direction, to its end."""
    _send(host, slots, channels)
    host.settle()


def _send(host: MessageHost, slots: list[int], channels: list[int]) -> None:
    """A message of each slot in each direction.  With several channels those of neighbours are under way at a time."""
    d, rng = host.description, host.rng
    for decrypt in host.subject.ways if slots else ():
        for at in range(max(len(slots), len(channels))):
            host.job(
                slot=slots[at % len(slots)], channel=channels[at % len(channels)], decrypt=decrypt, ad=rng.randrange(3),
                text=rng.randrange(d.beat_bytes + 2),
            )  # fmt: skip
        host.flush("beats")
