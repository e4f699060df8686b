# SPDX-License-Identifier: Apache-2.0
"""The points of functional coverage of the test that ``build --cocotb`` writes.

::

    group.name      direction.encrypt   code.NO_KEY   order.key between   stall.data out waits

``POINTS`` has all of them, ``points_of`` those of one core.  Cases carry points that follow from what is sent; the test finds the others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.sector import StatusCode

__all__ = ["MET_BY_THE_TEST", "POINTS", "length_point", "points_of"]

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


def points_of(
    carried: Mapping[str, Sequence[str]], *, inline: bool, slots: int, sizes: int, channels: int, both: bool, registers: bool,
    commands: bool, lwc: bool = False, several_beats: bool = True,
) -> dict[str, list[str]]:
    """The points of one core, by groups.

    Parameters
    ----------
    carried : mapping
        Those of its kind, which its cases carry.
    inline : bool
        Whether keys come with messages.
    slots : int
        Slots into which the test loads keys.
    sizes, channels : int
        Sizes of sectors, and channels.
    both : bool
        Whether there is more than one direction.
    registers, commands : bool
        Whether keys, and commands, go over registers.
    lwc : bool
        Whether the core is behind the LWC interface, which has neither commands nor statuses of their own, nor ends of packets into it.
    several_beats : bool
        Whether a right packet may have several beats.  Nothing comes within a packet of one.
    """
    keys: Collection[str] = {"none", "with a message", "late"} if inline else {"none", "loaded", "again", "erased", "refused"}
    if slots > 1:
        keys = {*keys, "under load"}
    left_out = {
        "order": {
            name for name, there in (("other direction", both), ("other slot", slots > 1), ("other size", sizes > 1)) if not there
        },
        "key": POINTS["key"].keys() - set(keys),
        "erasure": set() if several_beats else {"reset within packets", "zeroize within packets"},
        "stall": {
            *(("commands wait", "status waits") if commands or lwc else ()), *(("data in pauses",) if lwc or not several_beats else ()),
            *(() if inline else ("keys wait",)),
        },
        "registers": set() if registers else POINTS["registers"].keys(),
        "commands": set() if commands else POINTS["commands"].keys(),
    }
    met = {group: [name for name in POINTS[group] if name not in left_out.get(group, ())] for group in MET_BY_THE_TEST}
    found = {group: [*{**carried, **met}.get(group, ())] for group in POINTS}
    if channels > 1:
        found["channel"] = [*POINTS["channel"]]
    return {group: names for group, names in found.items() if names}
