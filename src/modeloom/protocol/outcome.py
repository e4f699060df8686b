# SPDX-License-Identifier: Apache-2.0
"""What comes of a message: the code of its status, and what leaves of it.

::

    command ─────────▶ refusal ──┐ the highest code
    tkeep of its beats ─▶ fault ─┴▶ Judgement: code, and bytes of header, text and tag that leave ──┬─▶ tag right
                                                                                                    └─▶ otherwise: WRONG_TAG
    data ──── definition, or reference ───────────────────────────────────────────────────────────────▶ Outcome

This is the table of ``docs/interfaces.md`` ("Cores for messages").  No code but ``WRONG_TAG`` depends on data, so a judgement holds for
numbers and for symbols.  Where a core may tell one of several faults, there are several judgements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from modeloom.interfaces.messages import MessageCode
from modeloom.protocol.contract import MOST_STATED, MessageContract
from modeloom.protocol.transactions import Beat, Command, MessagePacket, beats_of, whole_keeps

__all__ = ["Judgement", "Outcome", "completed", "judge", "judge_whole", "outcomes", "possible_codes", "refusal", "releases"]

Run = Callable[[bytes, bytes], tuple[bytes, bytes]]
"""The other text and the whole tag, of a text and its associated data: a way, a nonce and a key of the definition or of a reference."""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What comes of a message, in numbers of bytes.

    Attributes
    ----------
    code : MessageCode
    associated, text, tag : int
        Bytes of the packet that count: up to its fault, if it has one.  ``tag`` is that at the end of a packet on the wire.
    works : int
        Bytes of text that the mode works on.  Behind a fault in a mode that knows the length before, it is that which the command states.
    leaves : bool
        Whether a packet leaves.
    header, out, sealed : int
        Bytes of header, of text and of tag in it.
    marked : bool
        Whether its last beat has ``tuser``: it was cut off, or on the wire, the message failed.
    told : int
        Bytes of the tag in the status.
    otherwise : Judgement or None
        What comes of it if the tag is wrong; None if no tag is compared.
    """

    code: MessageCode
    associated: int = 0
    text: int = 0
    tag: int = 0
    works: int = 0
    leaves: bool = False
    header: int = 0
    out: int = 0
    sealed: int = 0
    marked: bool = False
    told: int = 0
    otherwise: Judgement | None = None

    def settled(self, right: bool) -> Judgement:
        """What comes of it with a right tag, or with a wrong one."""
        return self if right or self.otherwise is None else self.otherwise

    def beats(self, c: MessageContract) -> int:
        """The number of beats of the packet that leaves.  One that is cut off ends with a beat without bytes."""
        if not self.leaves:
            return 0
        beats = -(-(self.header + self.out + self.sealed) // c.beat_bytes)
        return max(1, beats) if c.wire else beats + self.marked


@dataclass(frozen=True)
class Outcome:
    """What a core gives for a message.

    Attributes
    ----------
    code : MessageCode
    tag : bytes
        That of the status, without the zeros behind it.
    packet : bytes or None
        The bytes of the packet out; None if none leaves.
    marked : bool
        As of ``Judgement``.
    """

    code: MessageCode
    tag: bytes = b""
    packet: bytes | None = None
    marked: bool = False

    def beats(self, c: MessageContract) -> tuple[Beat, ...]:
        """The beats of the packet out."""
        if self.packet is None:
            return ()
        beats, empty = beats_of(self.packet, c.beat_bytes), (bytes(c.beat_bytes), 0)
        if c.wire:
            return beats or (empty,)
        return (*beats, empty) if self.marked else beats


def possible_codes(c: MessageContract, longest: int = 0) -> set[MessageCode]:
    """The codes that a core can give, if a command states any lengths, and no more than *longest* bytes come of a part that goes on to the
    end of its packet."""
    first, behind = (c.most_text, c.most_associated) if c.text_first else (c.most_associated, c.most_text)
    impossible = {
        MessageCode.WRONG_TAG: not (c.compares and any(c.ways)),
        MessageCode.TOO_LONG_TO_HOLD: c.hold is None and c.message_buffer is None,
        MessageCode.TOO_LONG: not c.lengths_first and first >= MOST_STATED and behind >= longest,
        MessageCode.NO_DIRECTION: len(c.directions) > 1 and not c.two_passes,
        MessageCode.NO_CHANNEL: c.channels > 255,
    }
    return {code for code in MessageCode if not impossible.get(code, False)}


def refusal(c: MessageContract, command: Command, keyed: bool = True) -> MessageCode:
    """The code with which a command is refused, whatever its packet; OK if it is not.

    Parameters
    ----------
    keyed : bool
        Whether there is a key: in its slot, or with it or a message before it.
    """
    text = command.text if c.states_text else 0
    wrong = {
        MessageCode.BAD_NONCE_LENGTH: command.nonce_bytes not in c.nonces,
        MessageCode.BAD_TAG_LENGTH: command.tag_bytes not in c.tag_bytes,
        MessageCode.NO_CHANNEL: command.channel >= c.channels,
        MessageCode.NO_DIRECTION: command.decrypt not in c.ways,
        MessageCode.NO_KEY: not keyed or (not c.inline and command.slot >= c.named_slots),
        MessageCode.TOO_LONG: text > c.text_with(command.nonce_bytes) or (not c.text_first and command.associated > c.most_associated),
        MessageCode.TOO_LONG_TO_HOLD: c.hold is not None and c.held(command.decrypt) and text > c.hold,
    }
    return max((code for code, is_wrong in wrong.items() if is_wrong), default=MessageCode.OK)


def judge(c: MessageContract, command: Command, keeps: Sequence[int], keyed: bool = True) -> list[Judgement]:
    """What may come of a message; the first one is what comes of it if the core tells faults in their order.

    Parameters
    ----------
    keeps : sequence of int
        The ``tkeep`` of the beats that the core gets; the last one has ``tlast``.
    keyed : bool
        As of ``refusal``.
    """
    refused = refusal(c, command, keyed)
    if c.wire:
        return _on_the_wire(c, command, keeps, refused)
    if refused != MessageCode.OK:
        return [Judgement(code=refused)]
    if c.too_long(command.decrypt, len(keeps)):
        # A message is stored before it is looked at.
        return [Judgement(code=MessageCode.TOO_LONG_TO_HOLD)]
    return _aligned(c, command, keeps)


def judge_whole(c: MessageContract, way: int, associated: int, text: int, tag_bytes: int, keyed: bool = True) -> Judgement:
    """What comes of a message without fault, with the usual length of nonces."""
    command = Command(
        nonce=b"", nonce_bytes=c.nonces[0], tag_bytes=tag_bytes, associated=associated, text=text, decrypt=way
    )  # fmt: skip
    lengths = {"associated": associated, "text": text, "tag": tag_bytes}
    keeps = whole_keeps([sum(lengths[name] for name in group) for group in c.layout(way)], c.beat_bytes)
    return judge(c, command, keeps, keyed)[0]


def outcomes(c: MessageContract, command: Command, packet: MessagePacket, run: Run | None) -> list[Outcome]:
    """What a core may give for a message, as of ``judge``.  ``run`` is None if there is no key."""
    return [completed(c, command, packet, one, run) for one in judge(c, command, packet.keeps, run is not None)]


def completed(c: MessageContract, command: Command, packet: MessagePacket, found: Judgement, run: Run | None) -> Outcome:
    """What a core gives for a message of which this is found, with its bytes."""
    joined, at = packet.joined(c.beat_bytes), 0
    came: dict[str, bytes] = {}
    for name in (name for group in c.layout(command.decrypt) for name in group):
        nbytes = {"associated": found.associated, "text": found.text, "tag": found.tag}[name]
        came[name], at = joined[at : at + nbytes], at + nbytes
    text, tag = b"", b""
    if run is not None and (found.out or found.told or found.otherwise is not None):
        text, tag = run(came["text"].ljust(found.works, b"\0"), came["associated"])
    given = came.get("tag") if c.wire else command.tag[: command.tag_bytes]
    found = found.settled(tag[: command.tag_bytes] == given)
    leaves = came["associated"][: found.header] + text[: found.out] + tag[: found.sealed]
    return Outcome(found.code, tag[: found.told], leaves if found.leaves else None, found.marked)


def releases(code: MessageCode, held: bool) -> bool:
    """Whether the text of a packet without fault has left if its status has this code.  ``held`` is that of the contract."""
    return code == MessageCode.OK or (code == MessageCode.WRONG_TAG and not held)


# -- packets in which each part begins with a beat of its own ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Scanned:
    """The first fault of a packet, and the bytes before it: of the part whose bytes the command has, and of the part behind."""

    code: MessageCode
    first: int
    behind: int
    left: int


def _aligned(c: MessageContract, command: Command, keeps: Sequence[int]) -> list[Judgement]:
    way, scanned = command.decrypt, _scanned(c, command, keeps)
    text, associated = (scanned.first, scanned.behind) if c.text_first else (scanned.behind, scanned.first)
    # Nothing leaves of a message that is held, of one that the core stores, and of a first pass, before all of it was right.
    silent = c.held(way) or not c.text_of(way, 1) or (c.message_buffer is not None and not way)
    faulty = scanned.code != MessageCode.OK
    counts = Judgement(code=scanned.code, associated=associated, text=text, works=text)
    if c.hold is not None and c.held(way) and text > c.hold:
        # A fault behind the bytes that the core can hold may be told of or not.
        return [replace(counts, code=code) for code in dict.fromkeys((MessageCode.TOO_LONG_TO_HOLD, *[scanned.code] * faulty))]
    if not faulty:
        out = c.text_of(way, text)
        right = replace(counts, leaves=out > 0, out=out, told=0 if way else command.tag_bytes)
        if not way:
            return [right]
        return [replace(right, otherwise=replace(right, code=MessageCode.WRONG_TAG, leaves=out > 0 and not c.held(way)))]
    if silent or not text:
        return [counts]
    if c.text_first and not scanned.left:
        # The text has left before the fault.
        return [replace(counts, leaves=True, out=text)]
    out = text - text % c.text_bytes
    # What leaves is not the last of the text.
    works = max(text, command.text if c.lengths_first and command.text else out + c.text_bytes)
    return [replace(counts, works=works, leaves=True, out=out, marked=True) if out else counts]


def _scanned(c: MessageContract, command: Command, keeps: Sequence[int]) -> _Scanned:
    """Looks for the first fault in the ``tkeep`` of a packet."""
    size, last = c.beat_bytes, len(keeps) - 1
    first, stated, most = command.associated, command.text if c.lengths_first else None, c.text_with(command.nonce_bytes)
    if c.text_first:
        first, stated, most = command.text, None, c.most_associated
    left, behind, begun = first, 0, False
    for number, keep in enumerate(keeps):
        nbytes, hole, ends = keep.bit_count(), bool(keep & keep + 1), number == last
        if left:
            wanted = min(size, left)
            code = MessageCode.BAD_KEEP if hole else _first_part(nbytes, wanted, ends, left > size, number)
            if code == MessageCode.OK:
                left -= wanted
                code = MessageCode.TOO_SHORT if ends and stated else code
        else:
            limit, least = (most, 0) if stated is None else (stated, stated)
            code = _part_behind(nbytes, hole or (nbytes < size and not ends), ends and not begun, behind + nbytes, limit, least * ends)
            if code == MessageCode.OK:
                behind, begun = behind + nbytes, True
        if code != MessageCode.OK:
            return _Scanned(code, first - left, behind, left)
    return _Scanned(MessageCode.OK, first - left, behind, left)


def _first_part(nbytes: int, wanted: int, ends: bool, more: bool, number: int) -> MessageCode:
    """The code of a beat without gaps of the part whose bytes the command has, of which *more* comes behind this beat."""
    if nbytes > wanted or (nbytes < wanted and not ends):
        return MessageCode.BAD_KEEP
    if nbytes == wanted and not (ends and more):
        return MessageCode.OK
    return MessageCode.TOO_SHORT if nbytes or not number else MessageCode.BAD_KEEP


def _part_behind(nbytes: int, wrong: bool, alone: bool, total: int, most: int, least: int) -> MessageCode:
    """The code of a beat of the part behind, with which *total* bytes of it have come; *alone* says that it is all of this part."""
    if not nbytes:
        # A beat without bytes stands for a part without bytes.
        empty = MessageCode.TOO_SHORT if least else MessageCode.OK
        return empty if alone else MessageCode.BAD_KEEP
    if wrong:
        return MessageCode.BAD_KEEP
    if total > most:
        return MessageCode.TOO_LONG
    return MessageCode.TOO_SHORT if total < least else MessageCode.OK


# -- packets as they are on the wire ----------------------------------------------------------------------------------------------------


def _on_the_wire(c: MessageContract, command: Command, keeps: Sequence[int], refused: MessageCode) -> list[Judgement]:
    size, last, came, code = c.beat_bytes, len(keeps) - 1, 0, MessageCode.OK
    opens, held = command.decrypt > 0, c.held(command.decrypt)
    for number, keep in enumerate(keeps):
        nbytes = keep.bit_count()
        if keep & keep + 1 or (nbytes < size and number != last) or (not nbytes and number):
            # The packet counts as if it ended before this beat.
            code = MessageCode.BAD_KEEP
            break
        came += nbytes
    # A tag that no block has room for is not taken off.
    tag_bytes = command.tag_bytes if opens and command.tag_bytes <= c.block_bytes else 0
    rest = max(0, came - tag_bytes)
    header, tag = min(rest, command.associated), came - rest
    if refused != MessageCode.OK:
        return [Judgement(code=refused, associated=header, leaves=not held, header=header, marked=not held)]
    # A text whose header is too short is not worked on.
    text = rest - header
    if tag < tag_bytes or header < command.associated:
        code = max(code, MessageCode.TOO_SHORT)
    too_long = c.hold is not None and held and header + text > c.hold
    if too_long:
        code = max(code, MessageCode.TOO_LONG_TO_HOLD)
    right = Judgement(code=code, associated=header, text=text, tag=tag, works=text, leaves=True, header=header, out=text)
    failed = replace(right, leaves=not held, marked=not held)
    if code != MessageCode.OK:
        # A fault behind the bytes that the core can hold may be told of or not.
        others = [replace(failed, code=MessageCode.TOO_LONG_TO_HOLD)] if too_long and code != MessageCode.TOO_LONG_TO_HOLD else []
        return [failed, *others]
    if not opens:
        return [replace(right, sealed=command.tag_bytes, told=command.tag_bytes)]
    return [replace(right, otherwise=replace(failed, code=MessageCode.WRONG_TAG))]
