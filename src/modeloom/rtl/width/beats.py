# SPDX-License-Identifier: Apache-2.0
"""The beats of packets on both sides of a converter.

::

    beat                       data ‖ keep ‖ last ‖ channel ‖ cut
    beat that has been seen    beat ‖ ends ‖ bad

A beat ``ends`` if the bytes of the next one begin with a beat of the core: the end of the packet, and that of the associated data.  A beat
is ``bad`` if no packet has it there.  The core gets a beat in its place whose keep is ``BAD_KEEP``, which it refuses wherever it comes.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Mux, Value
from amaranth.lib.data import StructLayout

from modeloom.interfaces.messages import MOST_CHANNELS

__all__ = ["BAD_KEEP", "context_of", "is_own", "packet_beat", "seen_beat"]

BAD_KEEP = 0b10
"""The first byte is missing, and the second is there."""

SIDE = ("channel", "cut")
"""What a beat may have beside its bytes: the payload ``tid`` and ``tuser``."""


def packet_beat(nbytes: int, *, channels: int = 1, cut: bool = False) -> StructLayout:
    """A beat of so many bytes.  It has a channel if there are several, and ``cut`` if it says that a message failed."""
    return StructLayout({
        "data": 8 * nbytes, "keep": nbytes, "last": 1, **({"channel": 8} if channels > 1 else {}), **({"cut": 1} if cut else {}),
    })  # fmt: skip


def seen_beat(beat: StructLayout) -> StructLayout:
    """A beat, and what has been seen of it."""
    return StructLayout({**dict(beat.members), "ends": 1, "bad": 1})


def of_side(layout: StructLayout) -> tuple[str, ...]:
    """The fields that a beat has beside its bytes, except those that are set in its last part only."""
    return tuple(name for name in SIDE if name in layout.members)


def holes(keep: Value) -> Value:
    """Whether a byte is missing before one that is there."""
    return Cat(~keep[:-1] & keep[1:]).any() if len(keep) > 1 else Cat(0)


def context_of(channel: Value | None, channels: int) -> Value:
    """The number of a channel among the words that are kept for each; channels that the core does not have share one."""
    if channel is None:
        return Cat(0)
    most = contexts(channels)
    bits = context_bits(channels)
    return channel[:bits] if most == channels else Mux(channel < channels, channel, channels)[:bits]


def is_own(channel: Value, channels: int) -> Value:
    """Whether the core has a channel."""
    return Const(1, 1) if channels == MOST_CHANNELS else channel < channels


def contexts(channels: int) -> int:
    """Words of what is kept for each channel."""
    return min(channels + 1, MOST_CHANNELS) if channels > 1 else 1


def context_bits(channels: int) -> int:
    """Bits of the number of such a word."""
    return max(1, (contexts(channels) - 1).bit_length())
