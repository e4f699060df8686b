# SPDX-License-Identifier: Apache-2.0
"""What must come back for a message: the packet of text, or the packet as it is on the wire, and the status.

::

    aligned     text                     none if there is no text, or if it may not leave
    wire        header, text, tag        the tag if it was sealed; the last beat says whether the message failed
"""

from __future__ import annotations

from dataclasses import dataclass

from modeloom.equivalence import lanes
from modeloom.equivalence.stream.messages import Expected, Planned, Symbols
from modeloom.interfaces.messages import MessageCode
from modeloom.product.messages import StreamDescription
from modeloom.spec.stream import ABSORB

__all__ = ["Sent", "judged", "outcome", "reached"]

CODES = {
    "nonce": MessageCode.BAD_NONCE_LENGTH, "tag": MessageCode.BAD_TAG_LENGTH, "short": MessageCode.TOO_SHORT, "hole": MessageCode.BAD_KEEP,
    "key": MessageCode.NO_KEY,
}  # fmt: skip
"""The codes of the faults."""

REFUSED = ("nonce", "tag", "key")
"""Faults for which a command is refused, and no text is computed."""


@dataclass(frozen=True)
class Sent:
    """A message under way: what must come back.

    Attributes
    ----------
    number : int
    planned : Planned
    code : MessageCode
    packet : int or None
        The packet that comes as one word; None if none comes.
    nbytes, beats : int
        Its bytes and beats.
    marked : bool
        Whether its last beat is marked (``tuser``): it was cut off, or on the wire, the message failed.
    tag : int
        The tag in the status.
    expected : Expected
        What a message without fault gives.
    """

    number: int
    planned: Planned
    code: MessageCode
    packet: int | None
    nbytes: int
    beats: int
    marked: bool
    tag: int
    expected: Expected

    def __str__(self) -> str:
        return f"message {self.number} {self.planned}"


def outcome(d: StreamDescription, number: int, planned: Planned, expected: Expected, symbols: Symbols) -> Sent:
    """What must come back for a message to a core with this description."""
    code = CODES.get(planned.fault, MessageCode.WRONG_TAG if planned.wrong is not None else MessageCode.OK)
    decrypt = judged(d, planned.message.direction)
    found = _wire(d, planned, expected, symbols, code) if d.wire else _aligned(d, planned, expected, code)
    code, packet, nbytes, beats, marked = found
    tag = 0 if decrypt or code != MessageCode.OK else expected.tag & lanes.mask(8 * planned.tag_bytes)
    return Sent(number, planned, code, packet, nbytes, beats, marked, tag, expected)


def judged(d: StreamDescription, direction: str) -> bool:
    """Whether the tag of messages in a direction, or in a pass, is compared."""
    return direction == "decrypt" or (d.two_passes and direction == "encrypt")


Outcome = tuple[MessageCode, int | None, int, int, bool]
"""Code, packet, its bytes, its beats, and whether it is marked."""


def _aligned(d: StreamDescription, planned: Planned, expected: Expected, code: MessageCode) -> Outcome:
    message, size = planned.message, d.beat_bytes
    if d.message_buffer is not None and message.direction == "encrypt":
        return _stored(d, planned, expected, code)
    nbytes, cut = 0 if message.direction == ABSORB else message.text, False
    if d.text_first and planned.fault == "short":
        # The last beat that comes is not whole text, and those before it leave.
        nbytes = max(0, -(-message.text // size) - 2) * size
        nbytes -= nbytes % d.text_bytes
        cut = nbytes > 0
    if planned.fault == "hole" and nbytes and not (d.text_first and message.associated):
        # The beats before the wrong one leave, if the mode takes pairs in whole pairs, and the packet is cut off.
        nbytes = (-(-message.text // size) - 1) * size
        nbytes -= nbytes % d.text_bytes
        cut = nbytes > 0
    held = d.hold is not None and judged(d, message.direction)
    if d.hold is not None and held and planned.fault not in REFUSED:
        # The length of the command counts, and the packet is not checked.  Without one, a beat behind the end of the packet or behind a
        # wrong beat does not count.
        if message.text > d.hold if d.states_text else nbytes > d.hold and planned.fault != "short":
            code = MessageCode.TOO_LONG_TO_HOLD
    if not nbytes or planned.fault in (*REFUSED, *["short"] * (not d.text_first)) or held and code != MessageCode.OK:
        return code, None, 0, 0, False
    return code, expected.text & lanes.mask(8 * nbytes), nbytes, -(-nbytes // size) + cut, cut


def _stored(d: StreamDescription, planned: Planned, expected: Expected, code: MessageCode) -> Outcome:
    """A message that the core stores, of which nothing leaves before it has been checked as a whole."""
    message, size = planned.message, d.beat_bytes
    assert d.buffered_beats is not None
    beats = -(-message.associated // size) - (-message.text // size)
    if planned.fault not in (*REFUSED, "short") and beats > d.buffered_beats:
        code = MessageCode.TOO_LONG_TO_HOLD
    if not message.text or code != MessageCode.OK:
        return code, None, 0, 0, False
    return code, expected.text & lanes.mask(8 * message.text), message.text, -(-message.text // size), False


def reached(d: StreamDescription, planned: Planned) -> tuple[int, int]:
    """Bytes of header and of text of a packet on the wire that come before its end, or before its fault."""
    message, size = planned.message, d.beat_bytes
    decrypt = message.direction == "decrypt"
    tag = planned.tag_bytes if decrypt and planned.fault != "tag" else 0
    came = message.associated + message.text + (planned.tag_bytes if decrypt else 0)
    if planned.fault == "hole":
        came = max(0, -(-came // size) - 1) * size
    if planned.fault == "short":
        came = max(0, -(-message.associated // size) - 1) * size
    rest = max(0, came - tag)
    header = min(message.associated, rest)
    return header, 0 if planned.fault in REFUSED else rest - header


def _wire(d: StreamDescription, planned: Planned, expected: Expected, symbols: Symbols, code: MessageCode) -> Outcome:
    size, decrypt = d.beat_bytes, planned.message.direction == "decrypt"
    header, text = reached(d, planned)
    if decrypt and d.hold is not None:
        if header + text > d.hold and planned.fault not in REFUSED:
            code = max(code, MessageCode.TOO_LONG_TO_HOLD)
        if code != MessageCode.OK:
            return code, None, 0, 0, False
    packet = symbols.associated & lanes.mask(8 * header) | (expected.text & lanes.mask(8 * text)) << 8 * header * lanes.LANES
    nbytes = header + text
    if not decrypt and code == MessageCode.OK:
        packet |= (expected.tag & lanes.mask(8 * planned.tag_bytes)) << 8 * nbytes * lanes.LANES
        nbytes += planned.tag_bytes
    return code, packet, nbytes, max(1, -(-nbytes // size)), code != MessageCode.OK
