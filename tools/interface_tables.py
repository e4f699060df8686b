# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/interfaces.md from ``modeloom.interfaces``, for ``readme.py``."""

from __future__ import annotations

from circuit_tables import table

from modeloom.interfaces import Interface, Packing, Side
from modeloom.interfaces.lwc import Opcode, Segment
from modeloom.interfaces.messages import MessageCode, message_core
from modeloom.interfaces.sector import COMMANDS, SECTOR_CORE, STATUSES, StatusCode

__all__ = ["TABLES"]


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def ports() -> str:
    """Ports of a core, with their widths for n lanes."""
    rows = []
    for group in SECTOR_CORE:
        for port in group.ports:
            direction = "output" if group.driven_by(port) is Side.CORE else "input"
            role = "by field" if port.packing else port.role
            rows.append((f"`{group.port_name(port)}`", direction, port.width.text, port.meaning, role))
    return table(("port", "direction", "bits", "meaning", "role"), rows, 5)


def _fields(packing: Packing) -> str:
    rows = []
    for place in packing.places():
        for bit, field in place.fields:
            bits = f"{bit}" if place.single_bits else ""
            rows.append((place.bytes(" to "), bits, f"`{field.name}`", field.meaning, field.role))
    return table(("bytes", "bit", "field", "meaning", "role"), rows, 5)


def fields(interface: Interface) -> str:
    """The fields of a stream's ``tdata``."""
    return _fields(interface.packing)


def codes(of: type[StatusCode] | type[MessageCode]) -> str:
    """Status codes with their meaning."""
    return table(("code", "name", "meaning"), [(int(code), f"`{code.name}`", _sentence(code.meaning)) for code in of], 3)


def message(name: str, inline: bool = False) -> str:
    """The fields of a stream of cores for messages, for blocks of 16 bytes."""
    return fields(next(group for group in message_core(inline=inline) if group.name == name))


def lwc_words() -> str:
    """Opcodes and types of segments."""
    where = {
        "LOAD_KEY": "instruction on SDI", "HASH": "instruction on PDI, which no core has", "KEY": "segment on SDI",
        **dict.fromkeys(("SUCCESS", "FAILURE"), "status on DO"),
        **dict.fromkeys(("PLAINTEXT", "CIPHERTEXT", "TAG"), "segment on PDI or DO"),
    }  # fmt: skip
    words = [*((one, "instruction on PDI") for one in Opcode), *((one, "segment on PDI") for one in Segment)]
    rows = [(f"`0x{int(one):X}`", one.name.replace("_", " ").lower(), where.get(one.name, usual)) for one, usual in words]
    return table(("bits 31 to 28", "name", "what it is"), rows, 3)


TABLES = {
    "ports": ports, "command": lambda: fields(COMMANDS), "status": lambda: fields(STATUSES), "codes": lambda: codes(StatusCode),
    "message_command": lambda: message("s_axis_cmd"), "message_status": lambda: message("m_axis_status"),
    "lwc_words": lwc_words,
    "turn_command": lambda: message("s_axis_cmd", inline=True), "message_codes": lambda: codes(MessageCode),
}  # fmt: skip
"""Names of generated parts, and what makes them."""
