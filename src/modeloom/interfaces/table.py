# SPDX-License-Identifier: Apache-2.0
"""The types of the tables: an interface is a group of ports, and a payload of fixed size has fields at fixed bytes.

::

    Interface "s_axis_cmd"                       Packing, bit 0 first
      ports   tvalid  tready  tdata ──────────▶    tweak   tag   slot   size   decrypt  reserved
              1       1       320                  256     16    8      8      1        31
                                                   └ secret: Role.TWEAK

Fields are little-endian. A field of eight bits or more begins on a byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Protocol

__all__ = [
    "LISTED_SLOTS", "RESERVED", "CoreShape", "Field", "Interface", "Packing", "Place", "Port", "Role", "Side", "Unit", "Width",
    "by_member", "slot_number_bits",
]  # fmt: skip

RESERVED = "reserved"
"""Name of the field that cores ignore in a command and set to zero in a status."""


class Side(Enum):
    """Who drives a port."""

    HOST = "host"
    CORE = "core"

    @property
    def other(self) -> Side:
        """The opposite side."""
        return Side.CORE if self is Side.HOST else Side.HOST


class Role(StrEnum):
    """What a port or a field carries.  The check for timing channels reads this."""

    PUBLIC = "public"
    """Nothing secret.  No output of this role may depend on a secret."""
    DATA = "data"
    """Secret data of the host."""
    KEY = "key"
    """A secret key."""
    TWEAK = "tweak"
    """The tweak or the nonce.  It is public by definition, but is treated as a secret."""
    RESULT = "result"
    """An output that depends on secrets by its nature."""
    VERDICT = "verdict"
    """A public output that tells whether a mode refuses a key."""

    @property
    def secret(self) -> bool:
        """Whether the host sends a secret here."""
        return self in (Role.DATA, Role.KEY, Role.TWEAK)


class CoreShape(Protocol):
    """The figures on which the widths of the ports of a core depend."""

    @property
    def beat_bytes(self) -> int:
        """Bytes in a beat of data."""

    @property
    def key_slots(self) -> int:
        """Number of key slots."""


class Unit(Enum):
    """The unit of the width of a port."""

    BIT = "bit"
    BEAT_BYTE = "byte of a beat"
    KEY_SLOT = "key slot"
    SLOT_NUMBER = "number of a key slot"


LISTED_SLOTS = 64
"""Largest number of key slots for which a port has a bit for each slot."""


def slot_number_bits(slots: int) -> int:
    """The width of the number of a key slot on a bus."""
    return max(8, (slots - 1).bit_length())


@dataclass(frozen=True)
class Width:
    """The width of a port: ``count`` bits for each unit.

    A unit of ``KEY_SLOT`` is a bit for each key slot, or one bit with more than ``LISTED_SLOTS``.  One of ``SLOT_NUMBER`` has as
    many bits as the number of a slot, but at least 8.

    Attributes
    ----------
    count : int
    unit : Unit
    """

    count: int = 1
    unit: Unit = Unit.BIT

    def bits(self, core: CoreShape) -> int:
        """The width in a given core."""
        slots = core.key_slots
        units = {
            Unit.BIT: 1, Unit.BEAT_BYTE: core.beat_bytes, Unit.KEY_SLOT: slots if slots <= LISTED_SLOTS else 1,
            Unit.SLOT_NUMBER: slot_number_bits(slots),
        }  # fmt: skip
        return self.count * units[self.unit]

    @property
    def text(self) -> str:
        """The width as text, for blocks of 16 bytes."""
        if self.unit is Unit.BEAT_BYTE:
            return f"{16 * self.count} × lanes"
        return {Unit.BIT: str(self.count), Unit.KEY_SLOT: "key slots", Unit.SLOT_NUMBER: "8"}[self.unit]


@dataclass(frozen=True)
class Field:
    """A field of a payload.

    Attributes
    ----------
    name : str
    bits : int
    meaning : str
        Text for readers.  It follows the name.
    role : Role
    """

    name: str
    bits: int
    meaning: str
    role: Role = Role.PUBLIC


@dataclass(frozen=True)
class Place:
    """Some bytes of a payload: the bytes of one field, or one byte of single bits.

    Attributes
    ----------
    first, last : int
        Numbers of the bytes.
    fields : tuple of (int, Field)
        Each field with its lowest bit in the first byte.
    """

    first: int
    last: int
    fields: tuple[tuple[int, Field], ...]

    @property
    def single_bits(self) -> bool:
        """Whether this is one byte of fields with less than eight bits."""
        return self.fields[0][1].bits < 8

    def bytes(self, to: str) -> str:
        """The bytes as text: "3", or "0 to 2" with the given word between the numbers."""
        return str(self.first) if self.first == self.last else f"{self.first}{to}{self.last}"


@dataclass(frozen=True)
class Packing:
    """The fields of a payload, bit 0 first.  Together they fill whole bytes.

    Raises
    ------
    ValueError
        If a field of eight bits or more does not begin on a byte, or the fields do not fill whole bytes.
    """

    fields: tuple[Field, ...]

    def __post_init__(self) -> None:
        for field, offset in self._places():
            if offset % 8 and field.bits >= 8 and field.name != RESERVED:
                raise ValueError(f"field {field.name} begins at bit {offset}, not on a byte")
        if self.bits % 8:
            raise ValueError(f"the fields have {self.bits} bits, no whole bytes")

    def _places(self) -> Iterator[tuple[Field, int]]:
        offset = 0
        for field in self.fields:
            yield field, offset
            offset += field.bits

    @property
    def bits(self) -> int:
        """The width of the payload."""
        return sum(field.bits for field in self.fields)

    def field(self, name: str) -> Field:
        """The field of this name.  Raises ``KeyError`` if there is none."""
        return {field.name: field for field in self.fields}[name]

    def offset(self, name: str) -> int:
        """The number of the lowest bit of a field.  Raises ``KeyError`` if there is no such field."""
        return {field.name: offset for field, offset in self._places()}[name]

    def slice(self, name: str) -> slice:
        """The bits of a field."""
        return slice(self.offset(name), self.offset(name) + self.field(name).bits)

    def mask(self, name: str) -> int:
        """A payload with ones in a field and zeros elsewhere."""
        return ((1 << self.field(name).bits) - 1) << self.offset(name)

    def verilog(self, name: str) -> str:
        """The part-select of a field, such as "[15:0]"."""
        bits = self.slice(name)
        return f"[{bits.stop - 1}:{bits.start}]"

    def of_role(self, role: Role) -> list[range]:
        """The bits of a role, one range for each field."""
        return [range(at, at + field.bits) for field, at in self._places() if field.role is role]

    def pack(self, values: Mapping[str, int]) -> bytes:
        """The bytes of a payload.  Fields without a value are zero.

        Raises
        ------
        ValueError
            If a value does not fit into its field.
        KeyError
            If there is no field of this name.
        """
        word = 0
        for name, value in values.items():
            bits = self.field(name).bits
            if not 0 <= value < 1 << bits:
                raise ValueError(f"{name} is from 0 to {(1 << bits) - 1}, not {value}")
            word |= value << self.offset(name)
        return word.to_bytes(self.bits // 8, "little")

    def unpack(self, payload: bytes) -> dict[str, int]:
        """The values of the fields of a payload.  Raises ``ValueError`` if it has another length."""
        if len(payload) != self.bits // 8:
            raise ValueError(f"a payload has {self.bits // 8} bytes, not {len(payload)}")
        word = int.from_bytes(payload, "little")
        return {field.name: (word & self.mask(field.name)) >> offset for field, offset in self._places()}

    def places(self) -> Iterator[Place]:
        """The bytes from byte 0 on.  The single bits of a byte form one place, which leaves out the reserved bits beside them."""
        single: list[tuple[int, Field]] = []
        at = 0
        for field, offset in self._places():
            if field.bits < 8:
                if offset % 8 == 0 and single:
                    yield Place(at, at, tuple(single))
                    single = []
                at = offset // 8
                single.append((offset % 8, field))
                continue
            if single:
                yield Place(at, at, tuple(single))
                single = []
            yield Place(-(-offset // 8), (offset + field.bits) // 8 - 1, ((0, field),))
        if single:
            yield Place(at, at, tuple(single))

    @property
    def comment(self) -> str:
        """The bytes in one line, for a comment."""
        parts = []
        for place in self.places():
            name = place.fields[0][1].name
            if place.single_bits:
                name = f"flags ({', '.join(f'bit {bit}: {field.name}' for bit, field in place.fields)})"
            parts.append(f"{place.bytes('..')} {'zero' if name == RESERVED else name}")
        return f"bytes {', '.join(parts)}"


@dataclass(frozen=True)
class Port:
    """A port of an interface.

    Attributes
    ----------
    name : str
        Its name after the name of the interface.
    width : Width
    meaning : str
        Text for readers.
    member : str
        Its name in the hardware.  It is "" for a payload with fields.
    driver : Side or None
        Who drives it.  None means the side that drives the interface.
    role : Role
        The role of a port without fields.
    packing : Packing or None
        The fields of a payload.
    """

    name: str
    width: Width
    meaning: str
    member: str = ""
    driver: Side | None = None
    role: Role = Role.PUBLIC
    packing: Packing | None = None

    def of_role(self, role: Role, width: int) -> list[range]:
        """The bits of a role, if the port has this width in a core."""
        if self.packing is not None:
            return self.packing.of_role(role)
        return [range(width)] if self.role is role else []


@dataclass(frozen=True)
class Interface:
    """A group of ports.

    Attributes
    ----------
    name : str
        Prefix of the names of its ports, or "" for no prefix.
    member : str
        Its name in the hardware.
    about : str
        One line for readers.  ``comment`` adds the fields to it.
    driver : Side
        Who drives it.  The other side drives the ``tready`` of a stream.
    payload : tuple of Port
        The ports, without the ``tvalid`` and ``tready`` of a stream.
    stream : bool
        Whether it is an AXI4-Stream.
    """

    name: str
    member: str
    about: str
    driver: Side
    payload: tuple[Port, ...]
    stream: bool = True

    @property
    def ports(self) -> tuple[Port, ...]:
        """All ports in order."""
        if not self.stream:
            return self.payload
        valid = Port("tvalid", Width(), "the sender offers a beat", "valid")
        ready = Port("tready", Width(), "the receiver takes it", "ready", self.driver.other)
        return (valid, ready, *self.payload)

    def port_name(self, port: Port) -> str:
        """The Verilog name of one of its ports."""
        return f"{self.name}_{port.name}" if self.name else port.name

    def path_of(self, port: Port) -> str:
        """The member behind one of its ports, with dots.  The fields of a stream are those of its payload."""
        group = "payload" if self.stream and port in self.payload else ""
        return ".".join(filter(None, (self.member, group, port.member)))

    def port(self, name: str) -> Port:
        """The port with this name after the name of the interface.  Raises ``KeyError`` if there is none."""
        return {port.name: port for port in self.ports}[name]

    def driven_by(self, port: Port) -> Side:
        """Who drives one of its ports."""
        return port.driver or self.driver

    @property
    def payload_names(self) -> tuple[str, ...]:
        """The names of the ports of the payload, such as ("tdata", "tkeep", "tlast")."""
        return tuple(port.name for port in self.payload)

    @property
    def packing(self) -> Packing:
        """The fields of its ``tdata``.  Raises ``ValueError`` if it has none."""
        packing = self.port("tdata").packing
        if packing is None:
            raise ValueError(f"{self.name} carries bytes and has no fields")
        return packing

    @property
    def comment(self) -> str:
        """One line for a comment: what the interface is, and the bytes of its fields."""
        packings = [port.packing.comment for port in self.payload if port.packing]
        return self.about + "".join(f": {text}" for text in packings)


def by_member(interfaces: Iterable[Interface], member: str) -> Interface:
    """The interface with this member in the hardware.  Raises ``StopIteration`` if there is none."""
    return next(one for one in interfaces if one.member == member)
