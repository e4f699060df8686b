# SPDX-License-Identifier: Apache-2.0
"""The tables of a core for sectors, against numbers that are written here by hand; and that nobody else has such numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import modeloom
from modeloom.interfaces import Role, Side
from modeloom.interfaces.sector import COMMANDS, SECTOR_CORE, STATUSES, StatusCode, pack_command, unpack_status
from modeloom.interfaces.shared import KEYS

ROOT = Path(modeloom.__file__).parents[2]


def test_a_command() -> None:
    """The bytes that hosts have sent ever since."""
    packed = pack_command(tweak=bytes(range(1, 33)), tag=0xABCD, slot=0x12, size=0x34, decrypt=True)
    assert packed == bytes(range(1, 33)) + bytes.fromhex("cdab1234") + b"\x01\0\0\0"
    assert pack_command(tweak=b"\x07") == b"\x07" + bytes(39)
    assert COMMANDS.comment == (
        "commands: bytes 0..31 tweak, 32..33 tag, 34 slot, 35 size, 36 flags (bit 0: decrypt), 37..39 zero"
    )


@pytest.mark.parametrize("fields", [{"tweak": bytes(33)}, {"tag": 65536}, {"slot": 256}, {"size": -1}])
def test_a_command_out_of_range(fields: dict) -> None:
    with pytest.raises(ValueError):
        pack_command(**fields)


def test_a_status() -> None:
    assert unpack_status(bytes.fromhex("34120400")) == (0x1234, StatusCode.NO_KEY)
    assert STATUSES.comment == "statuses, one for each command in order: bytes 0..1 tag, 2 code, 3 zero"
    assert [(code, code.name) for code in StatusCode] == [
        (0, "OK"), (1, "TOO_SHORT"), (2, "TOO_LONG"), (3, "BAD_KEEP"), (4, "NO_KEY"), (5, "NO_DIRECTION"), (6, "UNKNOWN_SIZE"),
    ]  # fmt: skip
    assert all(code.meaning for code in StatusCode) and StatusCode(4) is StatusCode.NO_KEY
    with pytest.raises(ValueError):
        unpack_status(bytes.fromhex("34120700"))


def test_secrets_of_the_pins() -> None:
    """What the host gives that is secret, what may depend on it, and what tells a verdict: no port is forgotten."""
    found = {
        (group.port_name(port), role, sum(map(len, port.of_role(role, 8))))
        for group in SECTOR_CORE for port in group.ports for role in Role
        if role is not Role.PUBLIC and port.of_role(role, 8)
    }  # fmt: skip
    assert found == {
        ("s_axis_cmd_tdata", Role.TWEAK, 256), ("s_axis_tdata", Role.DATA, 8), ("s_axis_key_tdata", Role.KEY, 8),
        ("m_axis_tdata", Role.RESULT, 8), ("key_loaded", Role.VERDICT, 8), ("key_error", Role.VERDICT, 8),
    }  # fmt: skip
    for group in SECTOR_CORE:
        for port in group.ports:
            roles = [port.role, *(field.role for field in (port.packing.fields if port.packing else ()))]
            assert all(role.secret is False or group.driven_by(port) is Side.HOST for role in roles)
            assert all(role not in (Role.RESULT, Role.VERDICT) or group.driven_by(port) is Side.CORE for role in roles)


PACKED_ELSEWHERE = {
    r"\bStruct\(|struct\.(un)?pack": "a packing",
    r"tdata\[(?!7:0\])\d+(:\d+)?\]": "bits of a payload",
    r"\b320'|, 320\)|\[319:0\]": "the width of a command",
    r"\[271:256\]|\b(256|272|280|288)\s*(\+|,)\s*(16|8|1)\b": "places of fields",
    r'\("tdata", "tkeep", "tlast"(, "tdest", "tuser")?\)': "the payload of a stream",
    r"\b(0 to 31|32 to 33|0\.\.31|32\.\.33)\b": "bytes of a command",
    r"(TWEAK|COMMAND)_BITS =": "the width of a field",
}
"""What would say again what the tables say."""

APART = {"interfaces", "vectors", "modeloom_circuits", "aes", "sm4", "gf128", "modeloom_golden", "modeloom_papers"}
"""Rooms with the tables, and rooms that know no command."""

COMMENTS = re.compile(r'"""(?:.|\n)*?"""|#.*|//.*')


@pytest.mark.parametrize("pattern", PACKED_ELSEWHERE)
def test_no_packing_stands_outside_the_tables(pattern: str) -> None:
    sources = [
        path for place in ("src", "tools", "bench") for path in sorted((ROOT / place).rglob("*"))
        if path.suffix in (".py", ".v", ".sv") and not APART & {*path.parts}
    ]  # fmt: skip
    assert len(sources) > 200
    for path in sources:
        text = COMMENTS.sub("", path.read_text(encoding="utf-8"))
        found = re.search(pattern, text)
        assert not found, f"{path.relative_to(ROOT)} has {PACKED_ELSEWHERE[pattern]}: {found[0]}"


def test_the_interfaces_of_the_top() -> None:
    names = [group.port_name(port) for group in SECTOR_CORE for port in group.ports]
    assert len(set(names)) == len(names) == 28
    assert names[:2] == ["zeroize", "zeroizing"] and names[-3:] == ["key_loaded", "key_busy", "key_error"]
    assert KEYS.payload_names == ("tdata", "tkeep", "tlast", "tdest", "tuser")
