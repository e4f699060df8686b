# SPDX-License-Identifier: Apache-2.0
"""What travels over the buses of a core: packings, status codes, and the flat names of the ports.

Byte 0 is always ``tdata[7:0]``.  Fields are little-endian and start on bytes.

Command (``s_axis_cmd_tdata``, 320 bits, in bytes)::

    0                              31 32   33 34   35   36    37       39
    ├──────────── tweak ─────────────┼───────┼────┼────┼─────┼──────────┤
                                        tag   slot size flags  reserved        flags bit 0: 1 = decrypt
    A core with a tweak of 16 bytes takes bytes 0..15.  Reserved bytes and bits are ignored; send zeros.

Data (``s_axis_tdata``, ``m_axis_tdata``; one sector is one packet; lanes = 2 here)::

    0              15 16             31
    ├── block 2b ─────┼── block 2b + 1 ─┤   beat b; tkeep has a bit for each byte, all ones but in the last beat

Status (``m_axis_status_tdata``, 32 bits, in bytes)::

    0      1  2     3
    ├── tag ──┼ code ┼ 0 ┤

Key (``s_axis_key_tdata``, 128 bits): the bytes of the mode's key in order, 16 a beat; ``tdest`` is the slot and
``tuser`` asks to erase it, both taken from the first beat of the packet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from struct import Struct

from amaranth.lib.data import StructLayout

from .parameters import BusParameters

__all__ = [
    "COMMAND",
    "KEY_BEAT",
    "STATUS",
    "FLAT_PORTS",
    "FlatPort",
    "StatusCode",
    "beat_layout",
    "pack_command",
    "unpack_status",
]


class StatusCode(IntEnum):
    """What became of a command.

    If several things are wrong, the highest code is given: what is wrong with the command comes before what is wrong with the packet.
    """

    OK = 0
    """The sector was processed; its data beats have all been taken."""
    TOO_SHORT = 1
    """The packet has fewer bytes than a sector."""
    TOO_LONG = 2
    """The packet has more bytes than a sector."""
    BAD_KEEP = 3
    """tkeep is not all ones before the last beat, or is not ones from bit 0 on, and at least one, in the last beat."""
    NO_KEY = 4
    """The key slot is empty, being loaded, or out of range."""
    NO_DIRECTION = 5
    """The core was not built for this direction."""
    UNKNOWN_SIZE = 6
    """The core has no sector size of this index."""


COMMAND = StructLayout({"tweak": 256, "tag": 16, "slot": 8, "size": 8, "decrypt": 1, "reserved": 31})
"""Payload of a command, bit 0 first."""

STATUS = StructLayout({"tag": 16, "code": 8, "reserved": 8})
"""Payload of a status, bit 0 first."""

KEY_BEAT = StructLayout({"data": 128, "keep": 16, "last": 1, "slot": 8, "erase": 1})
"""One beat of a key packet: tdata, tkeep, tlast, tdest, tuser."""

_COMMAND_BYTES = Struct("<32sHBBB3x")
_STATUS_BYTES = Struct("<HBx")


def beat_layout(parameters: BusParameters) -> StructLayout:
    """One beat of a sector: tdata, tkeep, tlast."""
    return StructLayout({"data": parameters.beat_bits, "keep": parameters.beat_bytes, "last": 1})


def pack_command(*, tweak: bytes = b"", tag: int = 0, slot: int = 0, size: int = 0, decrypt: bool = False) -> bytes:
    """The 40 bytes of a command; a tweak shorter than 32 bytes is padded with zeros behind it."""
    if len(tweak) > 32:
        raise ValueError(f"a tweak has at most 32 bytes, not {len(tweak)}")
    for name, value, bits in (("tag", tag, 16), ("slot", slot, 8), ("size", size, 8)):
        if not 0 <= value < 1 << bits:
            raise ValueError(f"{name} is from 0 to {(1 << bits) - 1}, not {value}")
    return _COMMAND_BYTES.pack(tweak, tag, slot, size, int(decrypt))


def unpack_status(status: bytes) -> tuple[int, StatusCode]:
    """Tag and code of the 4 bytes of a status."""
    tag, code = _STATUS_BYTES.unpack(status)
    return tag, StatusCode(code)


@dataclass(frozen=True)
class FlatPort:
    """One port of the emitted top.

    ``name`` is its AXI name, ``path`` its place in :class:`~modeloom.rtl.bus.core.CoreBus` (stream payloads by the bits
    of their field), ``output`` its direction seen from the core, ``width`` its width in bits.
    """

    name: str
    path: str
    output: bool
    width: Callable[[BusParameters], int]


def _always(bits: int) -> Callable[[BusParameters], int]:
    return lambda parameters: bits


FLAT_PORTS: tuple[FlatPort, ...] = (
    FlatPort("s_axis_cmd_tvalid", "cmd.valid", False, _always(1)),
    FlatPort("s_axis_cmd_tready", "cmd.ready", True, _always(1)),
    FlatPort("s_axis_cmd_tdata", "cmd.payload", False, _always(COMMAND.size)),
    FlatPort("s_axis_tvalid", "s.valid", False, _always(1)),
    FlatPort("s_axis_tready", "s.ready", True, _always(1)),
    FlatPort("s_axis_tdata", "s.payload.data", False, lambda parameters: parameters.beat_bits),
    FlatPort("s_axis_tkeep", "s.payload.keep", False, lambda parameters: parameters.beat_bytes),
    FlatPort("s_axis_tlast", "s.payload.last", False, _always(1)),
    FlatPort("m_axis_tvalid", "m.valid", True, _always(1)),
    FlatPort("m_axis_tready", "m.ready", False, _always(1)),
    FlatPort("m_axis_tdata", "m.payload.data", True, lambda parameters: parameters.beat_bits),
    FlatPort("m_axis_tkeep", "m.payload.keep", True, lambda parameters: parameters.beat_bytes),
    FlatPort("m_axis_tlast", "m.payload.last", True, _always(1)),
    FlatPort("m_axis_status_tvalid", "status.valid", True, _always(1)),
    FlatPort("m_axis_status_tready", "status.ready", False, _always(1)),
    FlatPort("m_axis_status_tdata", "status.payload", True, _always(STATUS.size)),
    FlatPort("s_axis_key_tvalid", "key.valid", False, _always(1)),
    FlatPort("s_axis_key_tready", "key.ready", True, _always(1)),
    FlatPort("s_axis_key_tdata", "key.payload.data", False, _always(128)),
    FlatPort("s_axis_key_tkeep", "key.payload.keep", False, _always(16)),
    FlatPort("s_axis_key_tlast", "key.payload.last", False, _always(1)),
    FlatPort("s_axis_key_tdest", "key.payload.slot", False, _always(8)),
    FlatPort("s_axis_key_tuser", "key.payload.erase", False, _always(1)),
    FlatPort("key_loaded", "key_loaded", True, lambda parameters: parameters.key_slots),
    FlatPort("key_busy", "key_busy", True, _always(1)),
    FlatPort("key_error", "key_error", True, _always(1)),
)
"""The bus ports of a core in the order of the emitted top, after ``aclk`` and ``aresetn``."""
