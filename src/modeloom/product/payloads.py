# SPDX-License-Identifier: Apache-2.0
"""Sections of datasheets on commands, statuses and keys, made from the tables of the interfaces."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from modeloom.interfaces import Interface
from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.sector import StatusCode
from modeloom.interfaces.table import RESERVED, Place
from modeloom.product.description import Description
from modeloom.product.markdown import table
from modeloom.spec.keyed import Definition

__all__ = ["code_table", "command_table", "key_table", "status_line"]


def _field(place: Place, own: Mapping[str, str]) -> str:
    """The meaning of bytes of a command.  ``own`` has the texts for fields that are special in this core."""
    if place.single_bits:
        return "; ".join(f"bit {bit}: {field.meaning}" for bit, field in place.fields)
    field = place.fields[0][1]
    return own.get(field.name, f"{field.name}, {field.meaning}")


def _short(place: Place, zeros: Collection[str]) -> str:
    name = place.fields[0][1].name
    return "zero" if name == RESERVED or name in zeros else name


def command_table(commands: Interface, own: Mapping[str, str]) -> Iterator[str]:
    """The bytes of a command.  ``own`` has the texts for fields that are special in this core."""
    yield f"Command, {commands.packing.bits // 8} bytes, `{commands.name}_tdata`:"
    yield ""
    yield from table(["bytes", "field"], [[place.bytes(" to "), _field(place, own)] for place in commands.packing.places()])


def status_line(statuses: Interface, zeros: Collection[str] = ()) -> Iterator[str]:
    """The bytes of a status.  ``zeros`` has the fields that are always zero in this core."""
    places = (
        f"byte{'s' * (place.last > place.first)} {place.bytes(' to ')} {_short(place, zeros)}" for place in statuses.packing.places()
    )
    yield f"Status, {statuses.packing.bits // 8} bytes, `{statuses.name}_tdata`: {', '.join(places)}."
    yield ""


def code_table(codes: Iterable[StatusCode | MessageCode]) -> Iterator[str]:
    """The codes of a status, members of an enumeration, with their meanings."""
    yield from table(["code", "name", "meaning"], [[int(code), code.name, code.meaning] for code in codes])


def key_table(d: Description, mode: type[Definition] | Definition) -> Iterator[str]:
    """The bytes of a key packet."""

    def what(name: str) -> str:
        cipher = f"{d.cipher.upper()} key"
        return cipher if name == "cipher" else f"{cipher} {name}" if name in mode.cipher_keys else name

    rows = [[f"{part.offset} to {part.offset + part.bytes - 1}", what(part.name)] for part in d.key_layout]
    yield from table(["bytes", "part"], rows)
