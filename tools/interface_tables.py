# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/interfaces.md from ``modeloom.interfaces``, for ``readme.py``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from circuit_tables import table

from modeloom.front.map import PARTS, Register, read_map
from modeloom.interfaces import Interface, Packing, Side
from modeloom.interfaces.front import WORD_BYTES
from modeloom.interfaces.lwc import Opcode, Segment
from modeloom.interfaces.messages import IN_ORDER, IN_SLOTS, KeyPins, MessageCode, message_core
from modeloom.interfaces.sector import COMMANDS, SECTOR_CORE, STATUSES, StatusCode

__all__ = ["TABLES"]

LWC_ROWS = Path(__file__).resolve().parents[1] / "baselines" / "lwc.json"
"""What ``bench/lwc.py`` stores."""


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


def message(name: str, keys: KeyPins = IN_SLOTS) -> str:
    """The fields of a stream of cores for messages, for blocks of 16 bytes."""
    return fields(next(group for group in message_core(keys=keys) if group.name == name))


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


def lwc_cost() -> str:
    """Cycles of messages behind the LWC interface, as ``bench/lwc.py`` has measured them."""
    rows = {(row["interface"], row["text"], row["keys"]): row for row in json.loads(LWC_ROWS.read_text(encoding="utf-8"))}
    heads = {
        ("axi", "one"): "AXI4-Stream", ("lwc 32", "one"): "LWC, 32 bits", ("lwc 32", "new"): "with a new key each",
        ("lwc 64", "one"): "LWC, 64 bits", ("lwc 128", "one"): "LWC, 128 bits",
    }  # fmt: skip
    columns = [column for column in heads if column in {(interface, keys) for interface, _, keys in rows}]
    lines = []
    for what in dict.fromkeys(text for _, text, _ in rows):
        bare = rows["axi", what, "one"]
        cells = [f"{bare['cycles']:.1f}"]
        for interface, keys in columns[1:]:
            row = rows[interface, what, keys]
            cells.append(f"{row['cycles']:.1f} ({100 * bare['cycles'] / row['cycles']:.0f} %)")
        lines.append((f"mix `{what}`" if not what.isdigit() else f"{what} bytes", *cells))
    return table(("text", *(heads[column] for column in columns)), lines, 1)


def command_registers() -> str:
    """What commands over registers add."""
    before = {one.name: one for one in read_map({}).registers}
    more = []
    for one in read_map({}, PARTS).registers:
        known = {field.name for field in before[one.name].fields} if one.name in before else set()
        fields = tuple(field for field in one.fields if field.name not in known)
        if fields or one.name not in before:
            more.append(replace(one, fields=fields))
    return _register_rows(more)


def registers() -> str:
    """The registers of a front end, with their fields."""
    return _register_rows(read_map({}).registers)


def _register_rows(registers: Sequence[Register]) -> str:
    """Registers with their fields."""
    rows: list[tuple[object, ...]] = []
    for one in registers:
        last = one.address + WORD_BYTES * (one.words - 1)
        where = f"`0x{one.address:03x}`" if one.words == 1 else f"`0x{one.address:03x}` to `0x{last:03x}`"
        rows.append((where, f"`{one.name}`", "", one.access, one.about))
        for field in one.fields:
            bits = str(field.low) if field.width == 1 else f"{field.low + field.width - 1} to {field.low}"
            rows.append(("", f"`{field.name}`", bits, "", field.about))
    return table(("address", "register", "bits", "access", "meaning"), rows, 5)


TABLES = {
    "ports": ports, "command": lambda: fields(COMMANDS), "status": lambda: fields(STATUSES), "codes": lambda: codes(StatusCode),
    "message_command": lambda: message("s_axis_cmd"), "message_status": lambda: message("m_axis_status"),
    "lwc_words": lwc_words, "lwc_cost": lwc_cost,
    "registers": registers, "command_registers": command_registers,
    "turn_command": lambda: message("s_axis_cmd", IN_ORDER), "message_codes": lambda: codes(MessageCode),
}  # fmt: skip
"""Names of generated parts, and what makes them."""
