# SPDX-License-Identifier: Apache-2.0
"""Interfaces of cores for sectors: commands with their tweaks, and one status for each.

::

    s_axis_cmd      tweak, tag, slot, size, direction
    s_axis      ──▶ sectors ──▶ m_axis
    m_axis_status   tag, code
"""

from __future__ import annotations

from enum import IntEnum

from modeloom.interfaces.shared import CONTROL, DATA_IN, DATA_OUT, KEY_FLAGS, KEYS, key_flags
from modeloom.interfaces.table import RESERVED, Field, Interface, Packing, Port, Role, Side, Width

__all__ = ["COMMANDS", "NAMED_SLOTS", "SECTOR_CORE", "STATUSES", "StatusCode", "pack_command", "sector_interfaces", "unpack_status"]

_COMMAND = Packing(
    (
        Field("tweak", 256, "the tweak of the sector, padded with zeros", Role.TWEAK),
        Field("tag", 16, "any number; the status returns it"),
        Field("slot", 8, "the key slot"),
        Field("size", 8, "the index of the sector size; 0 if the core has one size"),
        Field("decrypt", 1, "1 to decrypt, 0 to encrypt"),
        Field(RESERVED, 31, "send zeros"),
    )
)

_STATUS = Packing((Field("tag", 16, "the tag of the command"), Field("code", 8, "the status code"), Field(RESERVED, 8, "zero")))

COMMANDS = Interface("s_axis_cmd", "cmd", "commands", Side.HOST, (Port("tdata", Width(_COMMAND.bits), "a command", packing=_COMMAND),))
"""The commands.  There is one beat for each sector."""

STATUSES = Interface(
    "m_axis_status", "status", "statuses, one for each command in order", Side.CORE,
    (Port("tdata", Width(_STATUS.bits), "a status", packing=_STATUS),),
)  # fmt: skip
"""The statuses.  There is one beat for each command."""

SECTOR_CORE = (CONTROL, COMMANDS, DATA_IN, DATA_OUT, STATUSES, KEYS, KEY_FLAGS)
"""All interfaces of a core for sectors, in the order of the emitted top, after ``aclk`` and ``aresetn``."""

NAMED_SLOTS = 1 << next(field.bits for field in _COMMAND.fields if field.name == "slot")
"""Key slots that a command can name, which is the most that a core has."""


def sector_interfaces(key_slots: int) -> tuple[Interface, ...]:
    """``SECTOR_CORE`` for a core with so many key slots."""
    return (*(one for one in SECTOR_CORE if one is not KEY_FLAGS), key_flags(key_slots))


class StatusCode(IntEnum):
    """The result of a command.  ``meaning`` says it in words.

    If there are several errors, the status has the highest code.  Errors of the command therefore take precedence over errors of
    the packet.
    """

    meaning: str

    def __new__(cls, value: int, meaning: str = "") -> StatusCode:
        """A code with its meaning."""
        code = int.__new__(cls, value)
        code._value_ = value
        code.meaning = meaning
        return code

    OK = 0, "the sector was processed, and all its data beats have been taken"
    TOO_SHORT = 1, "the packet has fewer bytes than a sector"
    TOO_LONG = 2, "the packet has more bytes than a sector"
    BAD_KEEP = 3, "`tkeep` is not all ones before the last beat, or not ones from bit 0 on in the last beat"
    NO_KEY = 4, "the key slot is empty, is being loaded, or does not exist"
    NO_DIRECTION = 5, "the core was not built for this direction"
    UNKNOWN_SIZE = 6, "the core has no sector size with this index"


def pack_command(*, tweak: bytes = b"", tag: int = 0, slot: int = 0, size: int = 0, decrypt: bool = False) -> bytes:
    """The bytes of a command.  A shorter tweak is padded with zeros at its end.

    Raises
    ------
    ValueError
        If the tweak is too long, or a number is too large for its field.
    """
    most = _COMMAND.field("tweak").bits // 8
    if len(tweak) > most:
        raise ValueError(f"a tweak has at most {most} bytes, not {len(tweak)}")
    values = {"tweak": int.from_bytes(tweak, "little"), "tag": tag, "slot": slot, "size": size, "decrypt": int(decrypt)}
    return _COMMAND.pack(values)


def unpack_status(status: bytes) -> tuple[int, StatusCode]:
    """The tag and the code from the bytes of a status."""
    fields = _STATUS.unpack(status)
    return fields["tag"], StatusCode(fields["code"])
