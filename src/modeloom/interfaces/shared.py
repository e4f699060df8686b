# SPDX-License-Identifier: Apache-2.0
"""Interfaces that every kind of core has: erasure, data in and out, keys, and the state of the keys.

::

    beat of data on two lanes    0              15 16             31       tkeep has a bit for each byte
                                 ├── block 2b ─────┼── block 2b + 1 ─┤

    key                          the bytes of the key of the mode in order, 16 in each beat
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from modeloom.interfaces.table import LISTED_SLOTS, Interface, Port, Role, Side, Unit, Width

__all__ = [
    "BAD_KEEP", "CONTROL", "DATA_IN", "DATA_OUT", "KEYS", "KEYS_IN_ORDER", "KEY_BEAT_BYTES", "KEY_FLAGS", "ORDERED_KEY_FLAGS",
    "PassedOn", "key_flags",
]  # fmt: skip


# -- passed on -------------------------------------------------------------------------------------------------------------------------

# What converters pass on of a packet, on plain bytes: the beats that the core gets.
#
#     host, 4 bytes      0 1 2 3 │ 4 5 6 7 │ 8 9 . . last            core, 8 bytes   0 1 2 3 4 5 6 7 │ 8 9 . . . . . . last
#     a hole             0 . 2 3 │ 4 5 6 7 │ 8 9 . . last                            keep 2          │ 4 5 6 7 8 9 . . last

BAD_KEEP = 0b10
"""``tkeep`` of the beat that the core gets for one that no packet has there."""


class PassedOn:
    """A packet on its way through converters.

    Parameters
    ----------
    core_bytes : int
        Bytes of a beat of the core.
    associated : int or None
        Bytes of associated data that begin with a beat of their own, as the text does; None if all of the packet belongs together.
    """

    def __init__(self, core_bytes: int, associated: int | None = None):
        self.core_bytes, self.associated = core_bytes, associated or 0
        # A beat of the packet has come, and one of the text.
        self._inside = self._begun = False
        self._gathered = b""

    def beat(self, data: bytes, keep: int, last: bool) -> list[tuple[bytes, int, bool]]:
        """Takes a beat of the host.  Gives data, keep and last of the beats that the core gets then."""
        size, core = len(data), self.core_bytes
        count = None if keep & keep + 1 else keep.bit_count()
        ends = last or 0 < self.associated <= size
        if self.associated:
            wanted = min(self.associated, size)
            good = count is not None and (count == wanted or (last and count < wanted)) and (count > 0 or not self._inside)
            self.associated -= wanted
        else:
            good = count is not None and (count == size or last) and (count > 0 or not self._begun)
            self._begun = True
        self._inside = not last
        if count is None or not good:
            self._gathered = b""
            return [(bytes(core), BAD_KEEP, last)]
        if size > core:
            parts = [data[at : min(at + core, count)] for at in range(0, count, core)] or [b""]
            return [_whole(part, core, last and at == len(parts) - 1) for at, part in enumerate(parts)]
        self._gathered += data[:count]
        if not ends and len(self._gathered) < core:
            return []
        part, self._gathered = self._gathered, b""
        return [_whole(part, core, last)]

    def packet(self, beats: Iterable[tuple[bytes, int]]) -> tuple[bytes, tuple[int, ...]]:
        """Data and keeps of the packet that the core gets of this one."""
        given = [*beats]
        found = [out for at, (data, keep) in enumerate(given) for out in self.beat(data, keep, at == len(given) - 1)]
        return b"".join(data for data, _, _ in found), tuple(keep for _, keep, _ in found)


def _whole(part: bytes, size: int, last: bool) -> tuple[bytes, int, bool]:
    return part.ljust(size, b"\0"), (1 << len(part)) - 1, last


# -- shared ----------------------------------------------------------------------------------------------------------------------------

KEY_BEAT_BYTES = 16
"""Bytes in a beat of a key packet."""

_KEEP = "one bit for each byte; all ones except in the last beat of a packet"
_LAST = "the last beat of a packet"

CONTROL = Interface(
    "",
    "zeroizer",
    "erasure: zeroize erases all keys and data and aborts all work, like a reset; zeroizing is high until this is done",
    Side.HOST,
    (
        Port("zeroize", Width(), "erases the core", "request"),
        Port("zeroizing", Width(), "an erasure is in progress", "hold", Side.CORE),
    ),
    stream=False,
)
"""Erasure of everything."""

DATA_IN = Interface(
    "s_axis",
    "s",
    "sectors in: one packet for each command; byte 0 is tdata[7:0]",
    Side.HOST,
    (
        Port("tdata", Width(8, Unit.BEAT_BYTE), "blocks", "data", role=Role.DATA),
        Port("tkeep", Width(1, Unit.BEAT_BYTE), _KEEP, "keep"),
        Port("tlast", Width(), _LAST, "last"),
    ),
)
"""Data to process."""

DATA_OUT = Interface(
    "m_axis",
    "m",
    "sectors out: one packet for each command whose status is 0",
    Side.CORE,
    (
        Port("tdata", Width(8, Unit.BEAT_BYTE), "blocks; bytes outside tkeep are zero", "data", role=Role.RESULT),
        Port("tkeep", Width(1, Unit.BEAT_BYTE), _KEEP, "keep"),
        Port("tlast", Width(), _LAST, "last"),
    ),
)
"""Results."""

KEYS = Interface(
    "s_axis_key",
    "key",
    f"keys: one packet for each key, {KEY_BEAT_BYTES} bytes in each beat; tdest selects the slot, and tuser erases it",
    Side.HOST,
    (
        Port("tdata", Width(8 * KEY_BEAT_BYTES), "bytes of the key", "data", role=Role.KEY),
        Port("tkeep", Width(KEY_BEAT_BYTES), _KEEP, "keep"),
        Port("tlast", Width(), _LAST, "last"),
        Port("tdest", Width(1, Unit.SLOT_NUMBER), "the slot; read in the first beat of a packet", "slot"),
        Port("tuser", Width(), "1 erases the slot; read in the first beat of a packet", "erase"),
    ),
)
"""Keys that the host loads into slots."""

KEYS_IN_ORDER = replace(
    KEYS,
    about=f"keys in the order of the messages: one packet for each, {KEY_BEAT_BYTES} bytes in each beat; tuser drops the key before it",
    payload=tuple(
        replace(port, meaning="1 drops the key before this packet; read in the first beat of a packet") if port.member == "erase" else port
        for port in KEYS.payload if port.member != "slot"
    ),
)  # fmt: skip
"""Keys that come with messages, in a core that has no slots to name."""

KEY_FLAGS = Interface(
    "key",
    "key_state",
    "key slots: key_loaded has a bit for each slot that holds a key; key_busy and key_error report on the key packet",
    Side.CORE,
    (
        Port("loaded", Width(1, Unit.KEY_SLOT), "one bit for each slot; 1 if it holds a key and is ready", "loaded", role=Role.VERDICT),
        Port("busy", Width(), "the core is processing a key packet", "busy"),
        Port("error", Width(), "the core refused the last key packet", "error", role=Role.VERDICT),
    ),
    stream=False,
)
"""The state of the key slots."""


ORDERED_KEY_FLAGS = replace(
    KEY_FLAGS,
    about=(
        "keys: key_loaded is 1 if the last key packet is a key that is ready; key_busy is 1 while a packet is worked on or a used key is "
        "overwritten"
    ),
    payload=tuple(
        replace(
            port, width=Width(),
            meaning={
                "loaded": "1 if the last key packet is a key that is ready",
                "busy": "the core is preparing a key, or overwriting a used one",
            }.get(port.member, port.meaning),
        )
        for port in KEY_FLAGS.payload
    ),
)  # fmt: skip
"""The state of the keys that come with messages."""


def key_flags(slots: int) -> Interface:
    """``KEY_FLAGS`` of a core with so many key slots.  With more than ``LISTED_SLOTS``, no port has a bit for each slot."""
    if slots <= LISTED_SLOTS:
        return KEY_FLAGS
    loaded, *others = KEY_FLAGS.payload
    loaded = replace(loaded, width=Width(), meaning="1 if the slot of the last key packet holds a key and is ready")
    about = "key slots: key_loaded is 1 if the slot of the last key packet holds a key; key_busy and key_error report on the key packet"
    return replace(KEY_FLAGS, about=about, payload=(loaded, *others))
