# SPDX-License-Identifier: Apache-2.0
"""What a test in the user's own flow sends to a core, and what must come back: keys, commands, packets, results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from modeloom.interfaces import Interface
from modeloom.interfaces.table import Packing

__all__ = ["Case", "Cases", "fields_of", "read_fields"]

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
    sizes, channels : int
        The number of sizes of sectors, and of channels.
    both : bool
        Whether the core has more than one direction.
    most_bytes : int or None
        Bytes of the longest packet that is right.  None if the core sets no bound.
    """

    keys: Sequence[tuple[int, bytes]]
    before: Sequence[Case]
    after: Sequence[Case]
    most_cycles: int
    wrong_keep: int
    points: Mapping[str, Sequence[str]]
    sizes: int = 1
    channels: int = 1
    both: bool = True
    most_bytes: int | None = None


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
