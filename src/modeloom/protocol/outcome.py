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
from dataclasses import dataclass

from modeloom.interfaces.messages import MessageCode
from modeloom.protocol.contract import MOST_STATED, Judgement, MessageContract
from modeloom.protocol.transactions import Beat, Command, MessagePacket, beats_of, whole_keeps

__all__ = ["Judgement", "Outcome", "completed", "judge", "judge_whole", "outcomes", "possible_codes", "refusal", "releases"]

Run = Callable[[bytes, bytes], tuple[bytes, bytes]]
"""The other text and the whole tag, of a text and its associated data: a way, a nonce and a key of the definition or of a reference."""


@dataclass(frozen=True)
class Outcome:
    """What a core gives for a message.

    Attributes
    ----------
    code : MessageCode
    tag : bytes
        That of the status, without the zeros behind it.
    groups : tuple of bytes
        The bytes of the packet out, if one leaves, each of which begins with a beat of its own.
    marked : bool
        As of ``Judgement``.
    """

    code: MessageCode
    tag: bytes = b""
    groups: tuple[bytes, ...] = ()
    marked: bool = False

    @property
    def leaving(self) -> tuple[bytes, ...]:
        """The bytes of the packet out, if one leaves."""
        return (b"".join(self.groups),) if self.groups else ()

    def beats(self, c: MessageContract) -> tuple[Beat, ...]:
        """The beats of the packet out."""
        if not self.groups:
            return ()
        beats = [beat for group in self.groups for beat in beats_of(group, c.beat_bytes)]
        return (*beats, *[(bytes(c.beat_bytes), 0)] * (c.form.leaving(len(beats), self.marked) - len(beats)))


def possible_codes(c: MessageContract, longest: int = 0) -> set[MessageCode]:
    """The codes that a core can give, if a command states any lengths, and no more than *longest* bytes come of a part that goes on to the
    end of its packet."""
    first, behind = c.form.ordered(c.most_associated, c.most_text)
    impossible = {
        MessageCode.WRONG_TAG: not (c.compares and any(c.ways)),
        MessageCode.TOO_LONG_TO_HOLD: not c.stores,
        MessageCode.TOO_LONG: not c.stated_behind and first >= MOST_STATED and behind >= longest,
        MessageCode.NO_DIRECTION: not c.wrong_ways,
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
    wrong = {
        MessageCode.BAD_NONCE_LENGTH: command.nonce_bytes not in c.nonces,
        MessageCode.BAD_TAG_LENGTH: command.tag_bytes not in c.tag_bytes,
        MessageCode.NO_CHANNEL: command.channel >= c.channels,
        MessageCode.NO_DIRECTION: command.decrypt not in c.ways,
        MessageCode.NO_KEY: not keyed or c.key_source.lacks(command.slot),
        MessageCode.TOO_LONG: any(nbytes > c.most_of(part, command.nonce_bytes) for part, nbytes in command.stated(c).items()),
        MessageCode.TOO_LONG_TO_HOLD: c.overflows(command.decrypt, 0, command.stated(c).get("text", 0)),
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
    return c.form.judge(c, command, keeps, refusal(c, command, keyed))


def judge_whole(c: MessageContract, way: int, associated: int, text: int, tag_bytes: int, keyed: bool = True) -> Judgement:
    """What comes of a message without fault, with the usual length of nonces."""
    command = Command(nonce=b"", nonce_bytes=c.nonces[0], tag_bytes=tag_bytes, associated=associated, text=text, decrypt=way)
    lengths = {"associated": associated, "text": text, "tag": tag_bytes}
    keeps = whole_keeps([sum(lengths[name] for name in group) for group in c.form.layout(way)], c.beat_bytes)
    return judge(c, command, keeps, keyed)[0]


def outcomes(c: MessageContract, command: Command, packet: MessagePacket, run: Run | None) -> list[Outcome]:
    """What a core may give for a message, as of ``judge``.  ``run`` is None if there is no key."""
    return [completed(c, command, packet, one, run) for one in judge(c, command, packet.keeps, run is not None)]


def completed(c: MessageContract, command: Command, packet: MessagePacket, found: Judgement, run: Run | None) -> Outcome:
    """What a core gives for a message of which this is found, with its bytes."""
    joined, at = packet.joined(c.beat_bytes), 0
    came: dict[str, bytes] = {}
    for name in (name for group in c.form.layout(command.decrypt) for name in group):
        nbytes = {"associated": found.associated, "text": found.text, "tag": found.tag}[name]
        came[name], at = joined[at : at + nbytes], at + nbytes
    text, tag = b"", b""
    if run is not None and (found.out or found.told or found.otherwise is not None):
        text, tag = run(came["text"].ljust(found.works, b"\0"), came["associated"])
    given = came.get("tag", command.tag[: command.tag_bytes])
    found = found.settled(tag[: command.tag_bytes] == given)
    made = {"associated": came["associated"][: found.header], "text": text[: found.out], "tag": tag[: found.sealed]}
    groups = tuple(b"".join(made[name] for name in group) for group in c.form.out) if found.leaves else ()
    return Outcome(found.code, tag[: found.told], groups, found.marked)


def releases(code: MessageCode, held: bool) -> bool:
    """Whether the text of a packet without fault has left if its status has this code.  ``held`` is that of the contract."""
    return code == MessageCode.OK or (code == MessageCode.WRONG_TAG and not held)
