# SPDX-License-Identifier: Apache-2.0
"""Makes the results of messages of the statuses and packets that a simulated core gave.

::

    Given, one a message ──┐
    statuses             ──┼──▶ Outcome, one a message
    packets              ──┘

Raises ``CoreFault`` if they do not fit together.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from modeloom.interfaces.messages import MessageCode
from modeloom.product.driven import CoreFault
from modeloom.product.message import Message, Outcome
from modeloom.product.wire import GivenPacket
from modeloom.protocol.outcome import releases

__all__ = ["Given", "Status", "outcomes_of"]


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


def outcomes_of(
    given: Sequence[Given], statuses: Sequence[Status], packets: Sequence[GivenPacket], wire: bool, held: bool
) -> list[Outcome]:
    """The results of messages, each with the next status and the next packet of its channel.

    ``held`` says whether what comes of a message to open, or of a second pass, leaves only after its tag was right.
    """
    told, coming = defaultdict[int, deque[Status]](deque), defaultdict[int, deque[GivenPacket]](deque)
    for status in statuses:
        told[status.channel].append(status)
    for packet in packets:
        coming[packet.channel].append(packet)
    channels = [one.message.channel for one in given]
    for channel in dict.fromkeys(channels):
        if len(told[channel]) != channels.count(channel):
            raise CoreFault(f"the core gave {len(told[channel])} statuses for {channels.count(channel)} messages of channel {channel}")
    if coming.keys() - {*channels}:
        raise CoreFault("the core gave text of a channel that has no message")
    made = _of_packet if wire else _of_text
    results = [made(one, told[channel].popleft(), coming[channel], held) for one, channel in zip(given, channels, strict=True)]
    if any(coming.values()):
        raise CoreFault("the core gave more packets than messages")
    return results


def _of_text(one: Given, status: Status, coming: deque[GivenPacket], held: bool) -> Outcome:
    """The result of a message whose text comes without header and tag."""
    if not releases(status.code, held):
        return Outcome(status.code)
    text = b""
    if one.text:
        came = coming.popleft() if coming else None
        if came is not None and came.marked:
            raise CoreFault("the core cut off the text of a message")
        if came is None or len(came.data) != one.text:
            raise CoreFault("the text of the core does not have the lengths of the messages")
        text = came.data
    return Outcome(status.code, text, status.tag[: one.tag] if status.code == MessageCode.OK else b"")


def _of_packet(one: Given, status: Status, coming: deque[GivenPacket], held: bool) -> Outcome:
    """The result of a message whose packet comes as it is on the wire."""
    header, right = one.message.ad, status.code == MessageCode.OK
    if not right and one.message.decrypt and held:
        return Outcome(status.code)
    came = coming.popleft() if coming else None
    if came is None or came.marked == right:
        raise CoreFault("the packets that the core gave are not those of the messages")
    released = releases(status.code, False)
    length = len(header) + one.text + (one.tag if right else 0)
    if released and (came.data[: len(header)] != header or len(came.data) != length):
        raise CoreFault("the core changed a header, or gave a packet of another length")
    behind = came.data[len(header) :]
    text, tag = behind[: one.text], behind[one.text :]
    if right and tag != status.tag[: one.tag]:
        raise CoreFault("the tag in a packet is not that of the status")
    return Outcome(status.code, text if released else b"", tag if right else b"", came.data)
