# SPDX-License-Identifier: Apache-2.0
"""Makes hardware of the tables of ``modeloom.interfaces``: layouts of payloads, and the flat names of ports.

For instance::

    Interface "s_axis_key"  ──▶  stream.Signature({data, keep, last, slot, erase})  ◀── flat_ports ──▶  s_axis_key_tdata ...
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from amaranth.hdl import ShapeLike, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import Component, In, Member, Out

from modeloom.interfaces import Interface, Side, Width
from modeloom.interfaces.shared import DATA_IN, KEYS, KEYS_IN_ORDER
from modeloom.interfaces.table import CoreShape

__all__ = [
    "BusComponent", "ErasedComponent", "FlatPort", "beat_layout", "erased", "fields_layout", "flat_ports", "join", "key_beat",
    "ordered_key_beat", "payload_layout", "signals", "top_members",
]  # fmt: skip

# The base class of the parts of the buses.  Each part has a set of sizes, from which its ports follow.

Sizes = TypeVar("Sizes")


class BusComponent(wiring.Component, Generic[Sizes]):
    """A part of the buses of a core.

    Parameters
    ----------
    parameters : Sizes
        The sizes that it needs to know.
    """

    def __init__(self, parameters: Sizes):
        self.parameters = parameters
        super().__init__(self.ports(parameters))

    @staticmethod
    @abstractmethod
    def ports(parameters: Sizes) -> dict[str, Member]:
        """The members of the signature of a part with these sizes."""


class Erasable(Protocol):
    """Sizes of a part with memories."""

    @property
    def erase_bits(self) -> int:
        """The width of ``erase_address``."""


ErasedSizes = TypeVar("ErasedSizes", bound=Erasable)


class ErasedComponent(BusComponent[ErasedSizes]):
    """A part with memories.

    Members
    -------
    erase, erase_address : In
        While it is held in reset: zeros to this word of its memories, or what is on the input of a register.
    """

    def __init__(self, parameters: ErasedSizes):
        self.parameters = parameters
        Component.__init__(self, {**self.ports(parameters), "erase": In(1), "erase_address": In(parameters.erase_bits)})


def erased(whole: object, *parts: object) -> list[object]:
    """Passes the erasure of a part on to others in it."""
    return [join(whole, part, "erase", "erase_address") for part in parts]


def join(source: object, target: object, *names: str) -> list[object]:
    """Connects members that have the same names."""
    return [getattr(target, name).eq(getattr(source, name)) for name in names]


def signals(names: str, shape: ShapeLike = 1) -> Iterator[Signal]:
    """Signals of a shape with these names."""
    return (Signal(shape, name=name) for name in names.split())


# -- ports -------------------------------------------------------------------------------------------------------------------------

def fields_layout(interface: Interface) -> StructLayout:
    """The layout of the fields of ``tdata``, bit 0 first."""
    return StructLayout({field.name: field.bits for field in interface.packing.fields})


def payload_layout(interface: Interface, core: CoreShape) -> StructLayout:
    """The payload of a stream of bytes in a core.  tdata, tkeep, tlast and so on have the names that they have in the hardware."""
    return StructLayout({port.member: port.width.bits(core) for port in interface.payload})


@dataclass(frozen=True)
class _Keys:
    """The only size of a core that the interface of keys depends on."""

    key_slots: int
    beat_bytes: int = 0


def key_beat(key_slots: int) -> StructLayout:
    """The layout of a beat of a key packet: tdata, tkeep, tlast, tdest, tuser."""
    return payload_layout(KEYS, _Keys(key_slots))


def ordered_key_beat() -> StructLayout:
    """The layout of a beat of a key packet, in a core whose keys come in order: tdata, tkeep, tlast, tuser."""
    return payload_layout(KEYS_IN_ORDER, _Keys(1))


def beat_layout(core: CoreShape) -> StructLayout:
    """The layout of a beat of data: tdata, tkeep, tlast."""
    return payload_layout(DATA_IN, core)


@dataclass(frozen=True)
class FlatPort:
    """One port of the emitted top.

    Attributes
    ----------
    name : str
        Its AXI name.
    path
        Its place in the hardware, for instance in :class:`~modeloom.rtl.bus.sector.core.CoreBus`.  A field of the payload of a
        stream is a range of its bits.
    output : bool
        Whether it is an output of the core.
    width : int
        Its width in bits.
    """

    name: str
    path: str
    output: bool
    width: Width

    def inside(self, component: Component) -> Value:
        """The value at its place in a component."""
        for name in self.path.split("."):
            component = getattr(component, name)
        return Value.cast(component)


def top_members(ports: Iterable[FlatPort], core: CoreShape) -> dict[str, Member]:
    """The members of an emitted top: its clock, its reset, and these ports."""
    flat = {port.name: (Out if port.output else In)(port.width.bits(core)) for port in ports}
    return {"aclk": In(1), "aresetn": In(1), **flat}


def flat_ports(interface: Interface) -> Iterator[FlatPort]:
    """The ports of an interface with their flat names."""
    for port in interface.ports:
        parts = interface.member, "payload" * (interface.stream and port in interface.payload), port.member
        yield FlatPort(interface.port_name(port), ".".join(filter(None, parts)), interface.driven_by(port) is Side.CORE, port.width)
