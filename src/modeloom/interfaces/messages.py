# SPDX-License-Identifier: Apache-2.0
"""Interfaces of cores for messages: commands with their nonces and tags, and one status for each.

::

    s_axis_cmd      nonce, tag, associated, id, slot, channel, lengths, direction
    s_axis      ──▶ associated data, then text ──▶ m_axis
    m_axis_status   tag, id, code

    text first:     s_axis      ──▶ text, then associated data      the command has the bytes of text, and not those of associated data

    packets as they are on the wire:
    s_axis      ──▶ header, text, tag if it is opened ──▶ m_axis    header, text, tag if it was sealed

The nonce and the tag have as many bytes as a block of the mode.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache

from modeloom.interfaces.shared import CONTROL, DATA_IN, DATA_OUT, KEYS, KEYS_IN_ORDER, ORDERED_KEY_FLAGS, key_flags
from modeloom.interfaces.table import RESERVED, Field, Interface, Packing, Port, Role, Side, Width

__all__ = [
    "ALIGNED", "IN_ORDER", "IN_SLOTS", "KEY_CYCLES", "MOST_CHANNELS", "ROUND_KEYS", "KeyPins", "MessageCode", "PacketPins",
    "message_command", "message_core", "pack_message_command", "status_channel", "unpack_message_status",
]  # fmt: skip


MOST_CHANNELS = 256
"""Channels, whose number is a byte of commands and statuses."""

KEY_CYCLES = 3
"""Cycles that a key that comes with a message costs the messages, at most, if its tokens of set-up enter in any cycle."""

EXPANDED = (
    "expanded keys: one packet for each key, all round keys of the cipher in order, each from a new beat on; tdest selects the slot, and "
    "tuser erases it"
)


STATUSES = "statuses, one for each command in order"


class MessageCode(IntEnum):
    """The result of a message.  ``meaning`` says it in words.

    If a command has several errors, the status has the highest code, and its packet is not checked.  The packet of a correct command is
    checked up to its first wrong beat.  If this beat has several errors, the status has the highest code.
    """

    meaning: str

    def __new__(cls, value: int, meaning: str = "") -> MessageCode:
        """A code with its meaning."""
        code = int.__new__(cls, value)
        code._value_ = value
        code.meaning = meaning
        return code

    OK = 0, "the message was sealed, or its tag is correct; all its text has been taken"
    WRONG_TAG = 1, "the tag of the message is wrong; text that the core has released must be discarded"
    TOO_SHORT = 2, "the packet ends before the end of the associated data; on the wire also before the end of the tag of a message to open"
    TOO_LONG_TO_HOLD = 3, "the text of a message is longer than the core can hold back, or store; none of it was released"
    TOO_LONG = 4, "the text or the associated data are longer than the mode allows; the text was cut off"
    BAD_KEEP = 5, "`tkeep` does not match the lengths, or has a gap"
    NO_KEY = 6, "the key slot is empty, is being loaded, or does not exist"
    NO_DIRECTION = 7, "the core was not built for this direction"
    NO_CHANNEL = 8, "the core has no channel with this number"
    BAD_TAG_LENGTH = 9, "the mode has no tags of this length"
    BAD_NONCE_LENGTH = 10, "the mode does not accept nonces of this length"


@dataclass(frozen=True)
class KeyPins:
    """How keys come: the bus of key packets, the state of so many slots, fields of a command in the middle and at the end, and its
    reserved bits."""

    bus: Interface
    flags: Callable[[int], Interface]
    slot: tuple[Field, ...] = ()
    turn: tuple[Field, ...] = ()
    reserved: int = 7


IN_SLOTS = KeyPins(KEYS, key_flags, slot=(Field("slot", 16, "the key slot"),))
"""Keys are loaded into slots."""

ROUND_KEYS = replace(IN_SLOTS, bus=replace(KEYS, about=EXPANDED))
"""Round keys are loaded into slots."""

IN_ORDER = KeyPins(
    KEYS_IN_ORDER, lambda slots: ORDERED_KEY_FLAGS,
    turn=(Field("new_key", 1, "1 if the next key packet has the key of this message and of those after it"),), reserved=22,
)  # fmt: skip
"""Keys come with the messages."""

_PASSES = {
    1: (
        Field("decrypt", 1, "1 to open a message, 0 to seal one"), "the tag of a message to open, padded with zeros", "",
        "of an opened message",
    ),
    2: (
        Field("decrypt", 2, "1 to open a message; 0 and 2 for the first and the second pass of a message to seal"),
        "the tag of a message to open, or to seal in a second pass", ", but for first passes, which have none",
        "of an opened message and of a second pass",
    ),
}  # fmt: skip
"""By the number of passes: the field of the direction, what the tag of a command is, which messages have no text out, and what is held."""

_STATED = {name: Field(name, 64, f"the number of bytes of {what}") for name, what in (("associated", "associated data"), ("text", "text"))}


@dataclass(frozen=True)
class PacketPins:
    """What a form of packets is at the pins: the part whose bytes commands state, what is said of packets in and out and of those that
    are held, the tag of a command if it is not read, and the mark of a last beat."""

    stated: str
    into: str
    out: str = "text out: one packet for each message that has text"
    ends: str = ""
    tag: str = ""
    mark: Port = Port("tuser", Width(), "1 in the last beat of a packet that was truncated", "cut")


ALIGNED = PacketPins("associated", "messages in: one packet for each command; associated data come first, and text starts in a new beat")
"""Associated data, and then text, each of which begins with a beat of its own."""


@cache
def message_command(
    block_bytes: int = 16, keys: KeyPins = IN_SLOTS, packets: PacketPins = ALIGNED, lengths: bool = False, passes: int = 1
) -> Packing:
    """The fields of a command.  The arguments are as of ``message_core``."""
    way, tag, _, _ = _PASSES[passes]
    return Packing(
        (
            Field("nonce", 8 * block_bytes, "the nonce, padded with zeros", Role.TWEAK),
            Field("tag", 8 * block_bytes, packets.tag or tag),
            *(field for name, field in _STATED.items() if name in (packets.stated, *("text",) * lengths)),
            Field("id", 16, "any number; the status returns it"),
            *keys.slot,
            Field("channel", 8, "the channel; 0 if the core has one channel"),
            Field("nonce_bytes", 8, "the number of bytes of the nonce"),
            Field("tag_bytes", 8, "the number of bytes of the tag"),
            way,
            *keys.turn,
            Field(RESERVED, keys.reserved + 1 - way.bits, "send zeros"),
        )
    )


CHANNEL = "the channel"


@cache
def _status(block_bytes: int) -> Packing:
    return Packing(
        (
            Field("tag", 8 * block_bytes, "the tag of a sealed message, padded with zeros; zero for other messages", Role.RESULT),
            Field("id", 16, "the id of the command"),
            Field("code", 8, "the status code", Role.VERDICT),
            Field("channel", 8, "the channel of the command; 0 if the core has one channel"),
        )
    )


@cache
def message_core(
    block_bytes: int = 16, hold: int | None = None, keys: KeyPins = IN_SLOTS, key_slots: int = 1, packets: PacketPins = ALIGNED,
    channels: int = 1, lengths: bool = False, passes: int = 1,
) -> tuple[Interface, ...]:
    """All interfaces of a core for messages, in the order of the emitted top, after ``aclk`` and ``aresetn``.

    ``hold`` is the largest number of bytes of text that the core holds back until it has checked the tag of a message to open, None if it
    releases the text before.  ``packets`` is what their form is at the pins.  Packets of several ``channels`` may interleave, and beats of
    data then have a ``tid``.  ``lengths`` says whether a command has the number of bytes of text, for a mode that knows all lengths before
    a message begins.  A message to seal goes through the core in 1 or 2 ``passes``.
    """
    command, status = message_command(block_bytes, keys, packets, lengths, passes), _status(block_bytes)
    commands = Interface("s_axis_cmd", "cmd", "commands", Side.HOST, (Port("tdata", Width(command.bits), "a command", packing=command),))
    _, _, no_text, whose = _PASSES[passes]
    several = ((Port("tid", Width(8), CHANNEL, "channel"),), "; packets of different channels may interleave", " of its channel")
    channel, interleaved, of_channel = ((), "", "") if channels == 1 else several
    statuses = Interface(
        "m_axis_status", "status", f"{STATUSES}{of_channel}", Side.CORE, (Port("tdata", Width(status.bits), "a status", packing=status),),
    )  # fmt: skip
    data_in = replace(DATA_IN, about=packets.into + interleaved, payload=(*DATA_IN.payload, *channel))
    held = "" if hold is None else f"; that {whose} leaves only after its tag was found correct{packets.ends}"
    data_out = replace(DATA_OUT, about=packets.out + no_text + held + interleaved, payload=(*DATA_OUT.payload, *channel, packets.mark))
    return (CONTROL, commands, data_in, data_out, statuses, keys.bus, keys.flags(key_slots))


def pack_message_command(
    fields: Packing | None = None, *, nonce: bytes, associated: int = 0, tag: bytes = b"", tag_bytes: int | None = None, id: int = 0,
    slot: int = 0, channel: int = 0, decrypt: int = 0, nonce_bytes: int | None = None, new_key: bool = False, text: int = 0,
) -> bytes:  # fmt: skip
    """The bytes of a command with these fields, by default those of ``message_command()``.  What has no field is not read.

    Nonce and tag are padded with zeros at their ends.  ``nonce_bytes`` and ``tag_bytes`` are the lengths that the command states.
    By default they are the lengths of ``nonce`` and ``tag``.  ``new_key`` says whether a key comes with this message.  In a core with two
    passes, ``decrypt`` is 2 for the second pass of a message to seal.

    Raises
    ------
    ValueError
        If the nonce or the tag is longer than a block, or a number is too large for its field.
    """
    fields = fields or message_command()
    block_bytes = fields.field("nonce").bits // 8
    for what, value in (("nonce", nonce), ("tag", tag)):
        if len(value) > block_bytes:
            raise ValueError(f"a {what} has at most {block_bytes} bytes, not {len(value)}")
    values = {
        "slot": slot, "new_key": int(new_key), "text": text, "associated": associated, "id": id, "channel": channel,
        "nonce": int.from_bytes(nonce, "little"), "tag": int.from_bytes(tag, "little"), "decrypt": int(decrypt),
        "nonce_bytes": len(nonce) if nonce_bytes is None else nonce_bytes, "tag_bytes": len(tag) if tag_bytes is None else tag_bytes,
    }  # fmt: skip
    return fields.pack({field.name: values[field.name] for field in fields.fields if field.name in values})


def status_channel(status: bytes, block_bytes: int = 16) -> int:
    """The channel from the bytes of a status of a core with several channels."""
    return _status(block_bytes).unpack(status)["channel"]


def unpack_message_status(status: bytes, block_bytes: int = 16) -> tuple[bytes, int, MessageCode]:
    """Tag, id and code from the bytes of a status.  The tag includes the zeros at its end."""
    fields = _status(block_bytes).unpack(status)
    return fields["tag"].to_bytes(block_bytes, "little"), fields["id"], MessageCode(fields["code"])
