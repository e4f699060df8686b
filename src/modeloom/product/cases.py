# SPDX-License-Identifier: Apache-2.0
"""What a test in the user's own flow sends to a core, and what must come back: keys, commands, packets, results."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from modeloom.interfaces import Interface
from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.sector import StatusCode
from modeloom.interfaces.shared import BAD_KEEP, PassedOn
from modeloom.interfaces.table import Packing
from modeloom.protocol.contract import ChannelFields

__all__ = [
    "MET_BY_THE_TEST", "POINTS", "Case", "Cases", "converted", "fields_of", "length_point", "passed_on_as", "read_fields",
    "sent_as", "wanted_as",
]  # fmt: skip

Beats = Sequence[tuple[bytes, int]]
"""For each beat its bytes, and its ``tkeep``."""


@dataclass(frozen=True)
class Case:
    """One command with its packet.

    Attributes
    ----------
    command : bytes
        The bytes of the command.
    sent : sequence of (bytes, int)
        The beats of its packet.
    wanted : sequence of (bytes, int)
        The beats of the packet that comes back.  There is none if it is empty.
    code : int
        The code of its status.
    tag : bytes
        The tag in its status.  It is empty if the status has none.
    channel : int
        The channel of both packets, and of the status.
    key : bytes
        The packet of the key that comes with it.  It is empty if none comes.
    associated : int
        Bytes at the beginning of its packet behind which a new beat begins.  It is 0 if all of the packet belongs together.
    points : sequence of str
        The points of functional coverage that are met when its result is right (``points``).
    """

    command: bytes
    sent: Beats
    wanted: Beats
    code: int
    tag: bytes = b""
    channel: int = 0
    key: bytes = b""
    associated: int = 0
    points: Sequence[str] = ()


@dataclass(frozen=True)
class Cases:
    """Keys, and commands before and after they are loaded.

    Attributes
    ----------
    keys : sequence of (int, bytes)
        Slots and key packets.
    before, after : sequence of Case
    most_cycles : int
        No result takes longer.
    wrong_keep : int
        The code of a packet with a beat that no packet has there.
    points : mapping
        Names of points by groups: those that cases of this core have to meet.
    sizes : int
        The number of sizes of sectors.
    channels : ChannelFields
    both : bool
        Whether the core has more than one direction.
    most_bytes : int or None
        Bytes of the longest packet that is right.  None if the core sets no bound.
    absent : collection of str
        Points that the test finds by itself in other cores, and that this one does not have.
    """

    keys: Sequence[tuple[int, bytes]]
    before: Sequence[Case]
    after: Sequence[Case]
    most_cycles: int
    wrong_keep: int
    points: Mapping[str, Sequence[str]]
    sizes: int = 1
    channels: ChannelFields = ChannelFields(1)
    both: bool = True
    most_bytes: int | None = None
    absent: Collection[str] = ()

    def required(self, *, registers: bool, commands: bool, several_beats: bool) -> dict[str, list[str]]:
        """The points that the test has to meet, by groups.

        ``registers`` and ``commands`` say whether keys, and commands, go over registers, and ``several_beats`` whether a right packet may
        have several beats.  Nothing comes within a packet of one.
        """
        slots = len(self.keys)
        rows = (
            (self.both, "order.other direction"), (slots > 1, "order.other slot", "key.under load"), (self.sizes > 1, "order.other size"),
            (slots > 0, "key.loaded", "key.again", "key.erased", "key.refused"),
            (slots == 0, "key.with a message", "key.late", "stall.keys wait"),
            (several_beats, "erasure.reset within packets", "erasure.zeroize within packets", "stall.data in pauses"),
            (not commands, "stall.commands wait", "stall.status waits"), (registers, "registers"), (commands, "commands"),
        )  # fmt: skip
        left = {name for here, *names in rows if not here for name in names} | {*self.absent}
        met = {group: [name for name in POINTS[group] if f"{group}.{name}" not in left] for group in MET_BY_THE_TEST if group not in left}
        found = {**self.points, **met, **self.channels.named([*POINTS["channel"]])}
        return {group: [*found[group]] for group in POINTS if found.get(group)}


def fields_of(interface: Interface, names: dict[str, str]) -> dict[str, list[int]]:
    """The lowest bit and the width of fields, and those of the number of a command, which every kind of core has under its own name."""
    packing = interface.packing
    number = "tag" if _has_number(packing) else "id"
    return {told: [packing.offset(name), packing.field(name).bits] for told, name in {"number": number, **names}.items()}


def read_fields(commands: Interface) -> dict[str, str]:
    """The fields of a command that the test reads, beside its number."""
    names = {field.name for field in commands.packing.fields}
    return {name: name for name in ("slot", "decrypt", "size") if name in names}


def _has_number(packing: Packing) -> bool:
    """Whether the field ``tag`` is the number of a command, and not the tag of a message."""
    return "tag" in {field.name for field in packing.fields} and packing.field("tag").bits == 16


# -- case widths -------------------------------------------------------------------------------------------------------------------

# The packets of a test in beats of another width: those that converters make the packets of the core of.
#
#     core, 8 bytes   0 1 2 3 4 5 6 7 │ 8 9 . . . . . .     host, 4 bytes   0 1 2 3 │ 4 5 6 7 │ 8 9 . .
#     a hole          0 . 2 3 4 5 6 7 │ 8 9 . . . . . .                     0 . 2 3 │ 4 5 6 7 │ 8 9 . .
#
# A packet whose beats cannot be made of beats of the host is left out, if its result would be another one.

def converted(cases: Cases, core_bytes: int, host_bytes: int) -> Cases:
    """The cases of a core, in beats of the host around it."""

    def turned(rows: Sequence[Case]) -> list[Case]:
        found = []
        for case in rows:
            sent = sent_as(case, core_bytes, host_bytes)
            if passed_on_as(case, sent, core_bytes, cases.wrong_keep):
                found.append(replace(case, sent=sent, wanted=wanted_as(case.wanted, host_bytes)))
        return found

    return replace(cases, before=turned(cases.before), after=turned(cases.after))


def sent_as(case: Case, core_bytes: int, host_bytes: int) -> Beats:
    """The beats of the host for a packet, of which each has what stands at its place."""
    if host_bytes < core_bytes:
        return [*_split(case, core_bytes, host_bytes)]
    return [*_joined(case, core_bytes, host_bytes)]


def _split(case: Case, core_bytes: int, host_bytes: int) -> Iterator[tuple[bytes, int]]:
    full, left, end = (1 << host_bytes) - 1, case.associated, len(case.sent) - 1
    for number, (data, keep) in enumerate(case.sent):
        here = min(left, core_bytes) or core_bytes
        left -= min(left, core_bytes)
        # Behind the bytes of a right beat, none is sent.  Those of a wrong one are all sent, so that it is wrong.
        right = keep == (1 << here) - 1 or (number == end and not keep & keep + 1)
        count = max(1, -(-keep.bit_length() // host_bytes)) if right else -(-core_bytes // host_bytes)
        for at in range(0, count * host_bytes, host_bytes):
            yield data[at : at + host_bytes], keep >> at & full


def _joined(case: Case, core_bytes: int, host_bytes: int) -> Iterator[tuple[bytes, int]]:
    left, at, beats = case.associated, 0, case.sent
    while at < len(beats):
        count = host_bytes // core_bytes
        if left:
            count = min(count, -(-left // core_bytes))
            left -= min(left, host_bytes)
        # A beat without bytes at the end of a packet ends the wide beat before it, if it is not alone in one.
        group = beats[at : at + count]
        at += count
        data = b"".join(data for data, _ in group).ljust(host_bytes, b"\0")
        yield data, sum(keep << place * core_bytes for place, (_, keep) in enumerate(group))


def passed_on_as(case: Case, sent: Beats, core_bytes: int, wrong_keep: int) -> bool:
    """Whether the core gives the same result for what it gets of these beats."""
    meant, passed = [*_masked(case.sent)], _passed(case, sent, core_bytes)
    if passed == meant:
        return True
    if case.code != wrong_keep:
        # What a command alone decides, no packet changes.
        return not case.wanted and case.code > wrong_keep
    # The packet counts up to its first wrong beat.
    first = next((at for at, beat in enumerate(passed) if [beat] != meant[at : at + 1]), None)
    if first is None or passed[first][1] != BAD_KEEP:
        return False
    return not case.wanted or first == _first_wrong(case, core_bytes)


def _masked(beats: Beats) -> Iterator[tuple[bytes, int]]:
    for data, keep in beats:
        yield bytes(byte * (keep >> at & 1) for at, byte in enumerate(data)), keep


def _passed(case: Case, sent: Beats, core_bytes: int) -> list[tuple[bytes, int]]:
    """The beats that the core gets."""
    data, keeps = PassedOn(core_bytes, case.associated).packet(sent)
    return [(data[at * core_bytes : (at + 1) * core_bytes], keep) for at, keep in enumerate(keeps)]


def _first_wrong(case: Case, core_bytes: int) -> int:
    """The first wrong beat of the packet of the core."""
    return next(at for at, (_, keep) in enumerate(_passed(case, case.sent, core_bytes)) if keep == BAD_KEEP)


def wanted_as(beats: Beats, host_bytes: int) -> Beats:
    """The beats in which a packet out leaves the converters."""
    if not beats or len(beats[0][0]) == host_bytes:
        return beats
    found: list[bytes] = []
    gathered = b""
    for at, (data, keep) in enumerate(beats):
        part = data[: keep.bit_count()]
        if len(data) > host_bytes:
            found += [part[place : place + host_bytes] for place in range(0, len(part), host_bytes)] or [b""]
            continue
        gathered += part
        if len(gathered) == host_bytes or at == len(beats) - 1:
            found.append(gathered)
            gathered = b""
    return [(part.ljust(host_bytes, b"\0"), (1 << len(part)) - 1) for part in found]


# -- points ------------------------------------------------------------------------------------------------------------------------

# The points of functional coverage of the test that ``build --cocotb`` writes.
#
#     group.name      direction.encrypt   code.NO_KEY   order.key between   stall.data out waits
#
# ``POINTS`` has all of them, ``Cases.required`` those of one core.  Cases carry points that follow from what is sent, and the
# test finds the others.

CODES = dict.fromkeys([*StatusCode.__members__, *MessageCode.__members__], "a status with this code")

LENGTHS = {
    "empty": "no byte", "partial": "less than a beat", "whole": "one whole beat", "several": "several whole beats",
    "several and partial": "several beats, of which the last one is partial",
}  # fmt: skip

POINTS: Mapping[str, Mapping[str, str]] = {
    "direction": {
        "encrypt": "a sector or message is encrypted", "decrypt": "one is decrypted",
        "second pass": "a message is sent a second time to be sealed",
    },
    "slot": {
        "first": "a key in the first slot that has one", "other": "one in another slot", "missing": "a slot that the core does not have",
    },
    "size": {"first": "a sector of the first size", "other": "one of another size", "missing": "a size that the core does not have"},
    "associated": {name: f"{text} of associated data" for name, text in LENGTHS.items()},
    "text": {name: f"{text} of text" for name, text in LENGTHS.items()} | {
        "held": "as much text to open as the core holds", "too long to hold": "more than that",
    },
    "nonce": {
        "usual": "a nonce of the first length of the mode", "other": "one of another length",
        "wrong": "a length that the mode does not have",
    },
    "tag": {
        "usual": "a tag of the first length of the mode", "other": "one of another length",
        "wrong": "a length that the mode does not have",
    },
    "code": CODES,
    "packet": {
        "right": "`tlast` at the right place", "early": "`tlast` too early", "late": "`tlast` too late",
        "keep": "a wrong `tkeep`",
    },
    "answer": {
        "success": "a message behind the LWC interface succeeds", "wrong tag": "one with a wrong tag fails",
        "fault": "a fault on PDI is answered with a failure", "no key": "the words on SDI are not a key, and the message fails",
        "before a key": "a message fails before the first key",
    },
    "order": {
        "right after right": "two commands that succeed", "right after wrong": "one that succeeds after one that fails",
        "wrong after right": "one that fails after one that succeeds", "wrong after wrong": "two that fail",
        "other direction": "a command in another direction than the one before it", "other slot": "one with another slot",
        "other size": "one with another size",
    },
    "key": {
        "none": "a command before any key is loaded", "loaded": "keys are loaded", "under load": "a key is loaded while other slots work",
        "again": "a key is loaded into a slot that has one", "erased": "a key is erased; its slot is empty and the others work",
        "refused": "a packet is not a key; its slot is empty", "with a message": "a key comes with its message",
        "late": "messages wait for their keys",
    },
    "erasure": {
        "reset within packets": "a reset in the middle of packets", "zeroize within packets": "`zeroize` in the middle of packets",
        "zeroize behind packets": "`zeroize` while results wait", "no key": "a command after each of them finds no key",
        "new keys": "the core works with new keys after each of them",
    },
    "stall": {
        "commands wait": "a command waits for the core", "data in waits": "a beat waits for the core",
        "data in pauses": "the core waits for a beat within a packet", "data out waits": "a beat waits for the host",
        "data out pauses": "the host waits for a beat", "status waits": "a status waits for the host",
        "keys wait": "a key waits for the core",
    },
    "channel": {"first": "a message of channel 0", "other": "one of another channel", "interleaved": "a packet begins within another one"},
    "registers": {
        "identified": "the registers identify the core", "read refused": "a register that can only be written is read",
        "write refused": "one that can only be read is written", "part refused": "a write of less than a word",
        "interrupt": "the event of a key raises the interrupt, and is cleared", "counters": "the counters count commands and codes",
    },
    "commands": {
        "submitted": "a command is submitted", "busy": "it waits while another one is busy", "polled": "a status is polled",
        "none": "there is no status", "several": "several statuses wait in the queue",
    },
}  # fmt: skip
"""All points: groups, and the names in each with their meaning."""

MET_BY_THE_TEST = ("order", "key", "erasure", "stall", "registers", "commands")
"""Groups whose points no case carries."""


def length_point(group: str, nbytes: int, beat: int) -> str:
    """The point of so many bytes of a part of a message, in beats of so many bytes."""
    if not nbytes:
        return f"{group}.empty"
    if nbytes <= beat:
        return f"{group}.whole" if nbytes == beat else f"{group}.partial"
    return f"{group}.several and partial" if nbytes % beat else f"{group}.several"
