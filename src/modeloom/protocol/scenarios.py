# SPDX-License-Identifier: Apache-2.0
"""What a host can do wrong, place by place: packets with faults, each with the code that it must get, and right messages between them.

::

    associated first   a packet that ends too soon, gaps in associated data, gaps in text, last beats without bytes
    text first         the same, where text that is whole has left before a fault in the associated data
    on the wire        header, text and tag in every beat
    lengths first      more or less text than the command states
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from modeloom.interfaces.messages import MessageCode
from modeloom.protocol.transactions import Beat, MessagePacket

if TYPE_CHECKING:
    from modeloom.protocol.contract import MessageContract

__all__ = [
    "FAULTS", "Edit", "Wrong", "appends", "associated_first", "ends", "ends_with", "faulty", "inverts", "on_the_wire", "text_first",
    "wrong_packets",
]  # fmt: skip


# -- faults ----------------------------------------------------------------------------------------------------------------------------

# Each way in which the packet of a message can be wrong.
#
#     beat        0          1          2         20 bytes of associated data, 19 of text, blocks of 16 bytes
#     tkeep     0xFFFF     0x000F     0xFFFF  0x0007
#     faults    ends too soon ─▶ TOO_SHORT     a gap, no byte, a partial beat in the middle ─▶ BAD_KEEP
#
# Edits make a fault at a place.  ``faulty`` makes one at random.  What comes of a fault is in ``outcome``.

Edit = Callable[[Sequence[Beat]], list[Beat]]
"""Makes other beats of those of a packet."""


def ends(count: int) -> Edit:
    """Ends a packet behind so many beats."""
    return lambda beats: list(beats[:count])


def ends_with(place: int, keep: int, data_of: int | None = None) -> Edit:
    """Ends a packet with a beat at a place that has this ``tkeep``, and the data of the beat that is there, or of another one."""
    return lambda beats: [*beats[:place], (beats[place if data_of is None else data_of][0], keep)]


def appends(keep: int) -> Edit:
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


# -- scenarios -------------------------------------------------------------------------------------------------------------------------

SHORT, KEEP, LONG = MessageCode.TOO_SHORT, MessageCode.BAD_KEEP, MessageCode.TOO_LONG


class Wrong(NamedTuple):
    """A message with so many bytes, whose packet is edited.

    Attributes
    ----------
    associated, text : int
    code : MessageCode
        That of its status.
    edit : Edit or None
        None for a right message.
    way : int or None
        The direction or pass; None if any will do.
    """

    associated: int
    text: int
    code: MessageCode = MessageCode.OK
    edit: Edit | None = None
    way: int | None = None


def wrong_packets(c: MessageContract, ways: Sequence[int]) -> Iterator[Wrong]:
    """Packets with faults at every place that differs, with right ones between them.  On the wire, each comes in all *ways*."""
    yield from c.form.wrong_packets(c.beat_bytes, ways)
    if c.stated_behind:
        yield from _stated(c.beat_bytes)


def _good(size: int) -> Wrong:
    return Wrong(size // 2, size + 2)


def on_the_wire(size: int, ways: Sequence[int]) -> Iterator[Wrong]:
    """Packets in which header, text and tag touch each other, in all *ways*."""
    full = (1 << size) - 1
    for way in ways:
        for ad, text in ((2 * size, size), (size + 1, 2)):
            yield Wrong(ad, text, SHORT, ends(1), way)
            yield Wrong(ad, text, SHORT, ends_with(0, 1), way)
        if way:
            yield Wrong(0, size, SHORT, ends_with(0, 1), way)
            yield Wrong(0, 0, SHORT, ends_with(0, 0), way)
            yield Wrong(size, 0, SHORT, ends(1), way)
        yield _good(size)
        for place in (0, 1, 2):
            for bits in (1 << size - 1, 2, full):
                yield Wrong(size + 3, 3 * size, KEEP, inverts(place, bits), way)
            yield Wrong(3, 3 * size, KEEP, ends_with(place + 1, 0, data_of=0), way)
            yield _good(size)


def associated_first(size: int) -> Iterator[Wrong]:
    """Packets with associated data, and then text."""
    full = (1 << size) - 1
    yield Wrong(2 * size, size, SHORT, ends(1))
    yield Wrong(size, 0, SHORT, ends_with(0, 1))
    yield _good(size)
    yield Wrong(2 * size, size, KEEP, inverts(0, 1 << size - 1))
    for bits in (full >> size // 2, full ^ full >> size // 2):
        yield Wrong(size // 2, size, KEEP, inverts(0, bits))
    yield _good(size)
    # In the first beat of text there is no packet out, and later the packet out is cut off.
    for bits in (2, 1, 1 << size - 1, full):
        yield Wrong(0, 2 * size, KEEP, inverts(0, bits))
        yield Wrong(1, 3 * size, KEEP, inverts(2, bits))
    yield Wrong(0, 3 * size, KEEP, ends_with(2, 0))
    yield Wrong(0, 3 * size, KEEP, ends_with(2, 5))
    yield _good(size)
    # A last beat without bytes, within the associated data and behind whole text.
    yield Wrong(3 * size, 0, KEEP, ends_with(2, 0, data_of=0))
    yield Wrong(size, 2 * size, KEEP, appends(0))
    yield _good(size)


def text_first(size: int) -> Iterator[Wrong]:
    """Packets with text, and then associated data."""
    full = (1 << size) - 1
    yield Wrong(size, 2 * size, SHORT, ends(1))
    yield Wrong(0, size, SHORT, ends_with(0, 1))
    yield Wrong(size, 3 * size, SHORT, ends(2))
    yield Wrong(0, 1, SHORT, ends_with(0, 0))
    yield _good(size)
    yield Wrong(size, 2 * size, KEEP, inverts(0, 1 << size - 1))
    for bits in (full >> size // 2, full ^ full >> size // 2):
        yield Wrong(size, size // 2, KEEP, inverts(0, bits))
    yield _good(size)
    for bits in (2, 1, 1 << size - 1, full):
        yield Wrong(0, 2 * size, KEEP, inverts(0, bits))
        yield Wrong(1, 3 * size, KEEP, inverts(2, bits))
    yield Wrong(0, 3 * size, KEEP, ends_with(2, 5))
    yield _good(size)
    # These faults are in the associated data: the text has left as a whole.
    for bits in (2, 1, full):
        yield Wrong(2 * size, 2 * size + 1, KEEP, inverts(3, bits))
        yield Wrong(2 * size, 0, KEEP, inverts(1, bits))
    yield Wrong(3 * size, size, KEEP, ends_with(3, 5))
    yield _good(size)
    # A last beat without bytes, within the text and behind whole associated data.
    yield Wrong(0, 3 * size, KEEP, ends_with(2, 0, data_of=0))
    yield Wrong(2 * size, size, KEEP, appends(0))
    yield _good(size)


def _stated(size: int) -> Iterator[Wrong]:
    full = (1 << size) - 1
    for ad in (0, size + 1):
        first = -(-ad // size)
        yield Wrong(ad, 2 * size, SHORT, ends(first + 1))
        yield Wrong(ad, 3 * size + 2, SHORT, ends(first + 2))
        yield Wrong(ad, size + 2, SHORT, inverts(first + 1, 2))
        yield Wrong(ad, size + 2, LONG, inverts(first + 1, 4))
        yield Wrong(ad, 2 * size, LONG, appends(1))
        yield Wrong(ad, 2 * size, KEEP, appends(0))
        yield Wrong(ad, 0, LONG, ends_with(first, full, data_of=0))
        yield _good(size)
    yield Wrong(size, 1, SHORT, ends(1))
    yield Wrong(size, 1, SHORT, ends_with(1, 0, data_of=0))
    yield Wrong(0, 1, SHORT, ends_with(0, 0))
