# SPDX-License-Identifier: Apache-2.0
"""Packets as they are on the wire, on numbers: what a core makes of the beats of one.

::

    beats      │ h h h h │ h t t t │ T T │      4 bytes per beat
    header 5, tag 2     ──▶   h h h h h   t t t   T T

A packet counts as if it ended before the first beat with a wrong ``tkeep``.  What is shorter than its tag has neither header nor text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from modeloom.interfaces.messages import MessageCode

__all__ = ["WireOutcome", "WireParts", "judge_packet", "refused_packet", "split_packet"]


@dataclass(frozen=True)
class WireParts:
    """The parts of a packet.

    Attributes
    ----------
    header, text, tag : bytes
        Of a packet with a fault what is in front of it.
    code : MessageCode
        OK, or that of the fault: ``TOO_SHORT`` or ``BAD_KEEP``.
    """

    header: bytes
    text: bytes
    tag: bytes
    code: MessageCode


def split_packet(beats: Sequence[tuple[bytes, int]], size: int, header: int, tag_bytes: int = 0) -> WireParts:
    """Takes a packet apart.

    Parameters
    ----------
    beats : sequence of (bytes, int)
        Data and ``tkeep`` of each beat; the last one has ``tlast``.
    size : int
        Bytes of a beat.
    header : int
        Bytes of the header, which the command states.
    tag_bytes : int
        Bytes of the tag at the end of a message to open; 0 for one to seal.
    """
    full, came, code = (1 << size) - 1, b"", MessageCode.OK
    for number, (data, keep) in enumerate(beats):
        last = number == len(beats) - 1
        if keep & (keep + 1) or (keep != full and not last) or (not keep and number):
            code = MessageCode.BAD_KEEP
            break
        came += data[: keep.bit_count()]
    rest, tag = came[: max(0, len(came) - tag_bytes)], came[max(0, len(came) - tag_bytes) :]
    if len(tag) < tag_bytes or len(rest) < header:
        code = max(code, MessageCode.TOO_SHORT)
    return WireParts(rest[:header], rest[header:], tag, code)


@dataclass(frozen=True)
class WireOutcome:
    """What a core gives for a packet.

    Attributes
    ----------
    code : MessageCode
        That of the status.
    packet : bytes or None
        The packet out, whose last beat says whether ``code`` is OK; None if nothing leaves.
    tag : bytes
        That of the status.
    """

    code: MessageCode
    packet: bytes | None
    tag: bytes = b""


def judge_packet(
    parts: WireParts,
    header: int,
    tag_bytes: int,
    decrypt: bool,
    hold: int | None,
    run: Callable[[bytes, bytes], tuple[bytes, bytes]],
) -> WireOutcome:
    """What becomes of a packet whose command is right.

    Parameters
    ----------
    parts : WireParts
    header, tag_bytes, decrypt
        Of the command.
    hold : int or None
        Bytes of header and text of a message to open that the core holds.
    run : callable
        The other text, and the whole tag, of a text and its associated data.
    """
    code = parts.code
    if decrypt and hold is not None and len(parts.header) + len(parts.text) > hold:
        code = max(code, MessageCode.TOO_LONG_TO_HOLD)
    text, tag = run(parts.text, parts.header)
    if decrypt and code == MessageCode.OK and tag[:tag_bytes] != parts.tag:
        code = MessageCode.WRONG_TAG
    if code != MessageCode.OK and decrypt and hold is not None:
        return WireOutcome(code, None)
    # A text whose header is too short is not worked on.
    whole = parts.header + (text if len(parts.header) == header else b"")
    sealed = b"" if decrypt or code != MessageCode.OK else tag[:tag_bytes]
    return WireOutcome(code, whole + sealed, sealed)


def refused_packet(parts: WireParts, code: MessageCode, decrypt: bool, hold: int | None) -> WireOutcome:
    """What becomes of a packet whose command is refused with a code: its header leaves, if nothing has to be held."""
    return WireOutcome(code, None if decrypt and hold is not None else parts.header)
