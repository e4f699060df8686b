# SPDX-License-Identifier: Apache-2.0
"""The tables of ``modeloom.interfaces`` as hardware: layouts of payloads, and the flat names of ports.

::

    Interface "s_axis_key"  ──▶  stream.Signature({data, keep, last, slot, erase})  ◀── flat_ports ──▶  s_axis_key_tdata ...
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from amaranth.lib.data import StructLayout

from modeloom.interfaces import Interface, Side, Width
from modeloom.interfaces.shared import DATA_IN, KEYS
from modeloom.interfaces.table import CoreShape

__all__ = ["FlatPort", "beat_layout", "fields_layout", "flat_ports", "key_beat", "payload_layout"]


def fields_layout(interface: Interface) -> StructLayout:
    """The fields of a stream's ``tdata``, bit 0 first."""
    return StructLayout({field.name: field.bits for field in interface.packing.fields})


def payload_layout(interface: Interface, core: CoreShape) -> StructLayout:
    """The payload of a stream of bytes in a core: tdata, tkeep, tlast and so on by their names in the hardware."""
    return StructLayout({port.member: port.width.bits(core) for port in interface.payload})


@dataclass(frozen=True)
class _Keys:
    """All that the interface of keys depends on."""

    key_slots: int
    beat_bytes: int = 0


def key_beat(key_slots: int) -> StructLayout:
    """One beat of a key packet: tdata, tkeep, tlast, tdest, tuser."""
    return payload_layout(KEYS, _Keys(key_slots))


def beat_layout(core: CoreShape) -> StructLayout:
    """One beat of data: tdata, tkeep, tlast."""
    return payload_layout(DATA_IN, core)


@dataclass(frozen=True)
class FlatPort:
    """One port of the emitted top.

    ``name`` is its AXI name, ``path`` its place in the hardware, for instance in :class:`~modeloom.rtl.bus.sector.core.CoreBus` (stream
    payloads by the bits of their field), ``output`` its direction seen from the core, ``width`` its width.
    """

    name: str
    path: str
    output: bool
    width: Width


def flat_ports(interface: Interface) -> Iterator[FlatPort]:
    """The ports of an interface by their flat names."""
    for port in interface.ports:
        parts = [interface.member] if interface.member else []
        if interface.stream and port in interface.payload:
            parts.append("payload")
        path = ".".join([*parts, port.member] if port.member else parts)
        yield FlatPort(interface.port_name(port), path, interface.driven_by(port) is Side.CORE, port.width)
