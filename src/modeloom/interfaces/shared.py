# SPDX-License-Identifier: Apache-2.0
"""Interfaces that every kind of core has: its erasure, data in and out, keys and what is known of them.

::

    beat of data on two lanes    0              15 16             31       tkeep has a bit for each byte
                                 ├── block 2b ─────┼── block 2b + 1 ─┤

    key                          the bytes of the mode's key in order, 16 a beat
"""

from __future__ import annotations

from modeloom.interfaces.table import Interface, Port, Role, Side, Unit, Width

__all__ = ["CONTROL", "DATA_IN", "DATA_OUT", "KEYS", "KEY_BEAT_BYTES", "KEY_FLAGS"]

KEY_BEAT_BYTES = 16
"""Bytes of a beat of a key packet."""

_KEEP = "a bit for each byte; all ones but in the last beat of a packet"
_LAST = "the last beat of a packet"

CONTROL = Interface(
    "",
    "zeroizer",
    "erases all keys and data and aborts what is under way, as a reset does; zeroizing while that lasts",
    Side.HOST,
    (
        Port("zeroize", Width(), "erases the core", "request"),
        Port("zeroizing", Width(), "an erasure lasts", "hold", Side.CORE),
    ),
    stream=False,
)
"""The erasure of everything."""

DATA_IN = Interface(
    "s_axis",
    "s",
    "sectors in: one packet for each command, byte 0 in tdata[7:0]",
    Side.HOST,
    (
        Port("tdata", Width(8, Unit.BEAT_BYTE), "blocks", "data", role=Role.DATA),
        Port("tkeep", Width(1, Unit.BEAT_BYTE), _KEEP, "keep"),
        Port("tlast", Width(), _LAST, "last"),
    ),
)
"""Data to be processed."""

DATA_OUT = Interface(
    "m_axis",
    "m",
    "sectors out: one packet for each command with status 0",
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
    f"keys: one packet a key, {KEY_BEAT_BYTES} bytes a beat; tdest is the slot, tuser erases it",
    Side.HOST,
    (
        Port("tdata", Width(8 * KEY_BEAT_BYTES), "bytes of the key", "data", role=Role.KEY),
        Port("tkeep", Width(KEY_BEAT_BYTES), _KEEP, "keep"),
        Port("tlast", Width(), _LAST, "last"),
        Port("tdest", Width(8), "the slot, in the first beat of a packet", "slot"),
        Port("tuser", Width(), "1 to erase the slot, in the first beat of a packet", "erase"),
    ),
)
"""Keys into slots."""

KEY_FLAGS = Interface(
    "key",
    "",
    "key slots: loaded (a bit each), a packet is being worked on, the last packet was refused",
    Side.CORE,
    (
        Port("loaded", Width(1, Unit.KEY_SLOT), "slots that hold a key and are ready", "key_loaded", role=Role.VERDICT),
        Port("busy", Width(), "a key packet is being worked on", "key_busy"),
        Port("error", Width(), "the last key packet was refused", "key_error", role=Role.VERDICT),
    ),
    stream=False,
)
"""What is known of the keys."""
