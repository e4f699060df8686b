# SPDX-License-Identifier: Apache-2.0
"""Makes the results of messages of the statuses and beats that a simulated core gave.

::

    Given, one a message ──┐
    statuses             ──┼──▶ Outcome, one a message
    beats, or packets    ──┘

Raises ``CoreFault`` if they do not fit together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from modeloom.interfaces.messages import MessageCode
from modeloom.product.beats import PacketBeats
from modeloom.product.driven import CoreFault
from modeloom.product.message import Message, Outcome
from modeloom.product.turns import of_channel
from modeloom.product.wire import GivenPacket
from modeloom.protocol.outcome import releases

__all__ = ["Given", "Status", "packet_outcomes", "text_outcomes"]


@dataclass(frozen=True)
class Given:
    """A message, and the numbers of bytes of text and of a tag that it gives."""

    message: Message
    text: int
    tag: int


class Status(NamedTuple):
    """The tag, the code and the channel of a status."""

    tag: bytes
    code: MessageCode
    channel: int


def text_outcomes(
    given: Sequence[Given], statuses: Sequence[Status], came: PacketBeats, channels: bytes | None, held: bool
) -> list[Outcome]:
    """The results of messages whose text comes without header and tag.

    Parameters
    ----------
    came : PacketBeats
        The beats of text.
    channels : bytes or None
        The channel of each beat; None for a core with one channel.
    held : bool
        Whether text leaves only after its tag was right.
    """
    if channels is None:
        return _of_one_channel(given, statuses, came, held)
    results: dict[int, Outcome] = {}
    for channel in {one.message.channel for one in given}:
        mine = [status for status in statuses if status.channel == channel]
        numbers = [number for number, one in enumerate(given) if one.message.channel == channel]
        if len(mine) != len(numbers):
            raise CoreFault(f"the core gave {len(mine)} statuses for {len(numbers)} messages of channel {channel}")
        outcomes = _of_one_channel([given[number] for number in numbers], mine, of_channel(came, channels, channel), held)
        results |= zip(numbers, outcomes, strict=True)
    if {*channels} - {one.message.channel for one in given}:
        raise CoreFault("the core gave text of a channel that has no message")
    return [results[number] for number in range(len(given))]


def _of_one_channel(given: Sequence[Given], statuses: Sequence[Status], came: PacketBeats, held: bool) -> list[Outcome]:
    wanted, results = PacketBeats(came.size), []
    for status, one in zip(statuses, given, strict=True):
        if not releases(status.code, held):
            results.append(Outcome(status.code))
            continue
        begin = len(wanted) * wanted.size
        wanted.add_part(bytes(one.text))
        if one.text:
            wanted.end()
        tag = status.tag[: one.tag] if status.code == MessageCode.OK else b""
        results.append(Outcome(status.code, bytes(came.data[begin : begin + one.text]), tag))
    if came.keeps != wanted.keeps or came.lasts != wanted.lasts:
        raise CoreFault("the text of the core does not have the lengths of the messages")
    return results


def packet_outcomes(given: Sequence[Given], statuses: Sequence[Status], packets: Sequence[GivenPacket], held: bool) -> list[Outcome]:
    """The results of messages whose packets come as they are on the wire.  ``held`` is as in ``text_outcomes``."""
    coming, results = iter(packets), []
    for status, one in zip(statuses, given, strict=True):
        header, right = one.message.ad, status.code == MessageCode.OK
        if not right and one.message.decrypt and held:
            results.append(Outcome(status.code))
            continue
        came = next(coming, None)
        if came is None or came.failed == right:
            raise CoreFault("the packets that the core gave are not those of the messages")
        released = releases(status.code, False)
        length = len(header) + one.text + (one.tag if right else 0)
        if released and (came.data[: len(header)] != header or len(came.data) != length):
            raise CoreFault("the core changed a header, or gave a packet of another length")
        behind = came.data[len(header) :]
        text, tag = behind[: one.text], behind[one.text :]
        if right and tag != status.tag[: one.tag]:
            raise CoreFault("the tag in a packet is not that of the status")
        results.append(Outcome(status.code, text if released else b"", tag if right else b"", came.data))
    if next(coming, None) is not None:
        raise CoreFault("the core gave more packets than messages")
    return results
