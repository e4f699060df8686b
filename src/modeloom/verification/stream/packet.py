# SPDX-License-Identifier: Apache-2.0
"""Packets of messages, correct or with a fault, and their required results (``docs/interfaces.md``).

::

    beat        0          1          2         20 bytes of associated data, 19 of text, blocks of 16 bytes
    tkeep     0xFFFF     0x000F     0xFFFF  0x0007
    faults    ends too soon ─▶ TOO_SHORT     a gap, no byte, a partial beat in the middle ─▶ BAD_KEEP
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from modeloom.interfaces.messages import MessageCode

__all__ = ["FAULTS", "Judgement", "MessagePacket", "faulty", "judge", "judge_behind", "leading", "on_the_wire", "whole"]


@dataclass(frozen=True)
class MessagePacket:
    """The beats of a packet: data padded to whole beats, and the ``tkeep`` of each beat."""

    data: bytes
    keeps: tuple[int, ...]

    def beats(self, size: int) -> list[tuple[bytes, int]]:
        """Data and ``tkeep`` of each beat."""
        return [(self.data[at * size : (at + 1) * size], keep) for at, keep in enumerate(self.keeps)]


@dataclass(frozen=True)
class Judgement:
    """The required result of a packet.

    Attributes
    ----------
    code : MessageCode
        OK, or the code of the fault.
    text : bytes
        The text up to the fault.
    associated : bytes or None
        The associated data, if they come behind the text and all of the text is right.
    """

    code: MessageCode
    text: bytes
    associated: bytes | None = None


def whole(ad: bytes, text: bytes, size: int) -> MessagePacket:
    """The packet of a message.  Without any data it is one beat without bytes."""
    data, keeps = b"", []
    for part in (ad, text):
        beats = -(-len(part) // size)
        data += part.ljust(beats * size, b"\0")
        keeps += [(1 << min(size, len(part) - at)) - 1 for at in range(0, len(part), size)]
    return MessagePacket(data or bytes(size), tuple(keeps) or (0,))


def on_the_wire(data: bytes, size: int) -> MessagePacket:
    """The packet of header, text and tag that touch each other."""
    return whole(b"", data, size)


def judge(packet: MessagePacket, associated: int, size: int, stated: int | None = None) -> Judgement:
    """The required result of a packet, for a command with this number of bytes of associated data and blocks of ``size`` bytes.

    ``stated`` is the number of bytes of text, if the command has it.
    """
    full, last = (1 << size) - 1, len(packet.keeps) - 1
    text, begun = b"", False
    for number, keep in enumerate(packet.keeps):
        ends = number == last
        if associated:
            wanted = (1 << min(size, associated)) - 1
            if keep != wanted or (ends and associated > size):
                partial = ends and not keep & ~wanted and not keep & (keep + 1) and (keep or not number)
                return Judgement(MessageCode.TOO_SHORT if partial else MessageCode.BAD_KEEP, b"")
            associated -= min(size, associated)
            if ends and stated:
                return Judgement(MessageCode.TOO_SHORT, b"")
        elif not keep and ends and not begun:
            break
        elif not keep or keep & (keep + 1) or (keep != full and not ends):
            return Judgement(MessageCode.BAD_KEEP, text)
        elif stated is not None and (code := _wrong_text(keep.bit_count(), ends, stated - len(text))):
            return Judgement(code, text)
        else:
            text += packet.data[number * size : number * size + keep.bit_count()]
            begun = True
    return Judgement(MessageCode.TOO_SHORT if stated and not begun else MessageCode.OK, text)


def leading(packet: MessagePacket, nbytes: int, size: int) -> bytes:
    """The first bytes of a packet, which are in beats of their own: its associated data, as a command states them."""
    beats = packet.beats(size)[: -(-nbytes // size)]
    return b"".join(data for data, _ in beats)[:nbytes]


def judge_behind(packet: MessagePacket, stated: int, size: int) -> Judgement:
    """The required result of a packet with ``stated`` bytes of text, and then associated data up to its end."""
    full, last = (1 << size) - 1, len(packet.keeps) - 1
    text, rest, begun, left = b"", b"", False, stated
    for number, keep in enumerate(packet.keeps):
        ends, beat = number == last, packet.data[number * size : number * size + keep.bit_count()]
        if left:
            wanted = (1 << min(size, left)) - 1
            if keep != wanted or (ends and left > size):
                partial = ends and not keep & ~wanted and not keep & (keep + 1) and (keep or not number)
                return Judgement(MessageCode.TOO_SHORT if partial else MessageCode.BAD_KEEP, text)
            text, left = text + beat, left - min(size, left)
        elif not keep and ends and not begun:
            break
        elif not keep or keep & (keep + 1) or (keep != full and not ends):
            return Judgement(MessageCode.BAD_KEEP, text, rest)
        else:
            rest, begun = rest + beat, True
    return Judgement(MessageCode.OK, text, rest)


def _wrong_text(nbytes: int, ends: bool, left: int) -> MessageCode | None:
    """What is wrong with a beat of text, of which ``left`` bytes are to come, if it is too long or too short."""
    if nbytes > left:
        return MessageCode.TOO_LONG
    return MessageCode.TOO_SHORT if ends and nbytes < left else None


FAULTS = ("ends", "gap", "empty", "partial", "longer", "turned", "null")
"""The possible faults of a packet."""


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
