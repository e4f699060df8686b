# SPDX-License-Identifier: Apache-2.0
"""The packings, and the table of flat ports against the component."""

from __future__ import annotations

import pytest
from amaranth.hdl import Value
from tests.rtl.bus.mock_engine import MockSchedule
from tests.rtl.bus.parameters import bus_sizes

from modeloom.interfaces.sector import StatusCode, pack_command, unpack_status
from modeloom.rtl.bus.sector import FLAT_PORTS, CoreBus
from modeloom.rtl.bus.sector.parameters import COMMAND, STATUS


def test_command_bytes_are_the_layout() -> None:
    packed = pack_command(tweak=bytes(range(1, 33)), tag=0xABCD, slot=0x12, size=0x34, decrypt=True)
    assert packed == bytes(range(1, 33)) + bytes.fromhex("cdab1234") + b"\x01\0\0\0"
    fields = COMMAND.from_bits(int.from_bytes(packed, "little"))
    assert (fields.tag, fields.slot, fields.size, fields.decrypt, fields.reserved) == (0xABCD, 0x12, 0x34, 1, 0)
    assert fields.tweak == int.from_bytes(bytes(range(1, 33)), "little")
    assert len(packed) * 8 == COMMAND.size


def test_status_bytes_are_the_layout() -> None:
    bits = STATUS.const({"tag": 0x1234, "code": StatusCode.NO_KEY}).as_bits()
    assert bits.to_bytes(4, "little") == bytes.fromhex("34120400")
    assert unpack_status(bytes.fromhex("34120400")) == (0x1234, StatusCode.NO_KEY)


@pytest.mark.parametrize("fields", [{"tweak": bytes(33)}, {"tag": 65536}, {"slot": 256}, {"size": -1}])
def test_command_out_of_range(fields: dict) -> None:
    with pytest.raises(ValueError):
        pack_command(**fields)


def _look_up(root: object, path: str) -> Value:
    for name in path.split("."):
        root = getattr(root, name)
    return Value.cast(root)


@pytest.mark.parametrize("sizes", [{}, {"lanes": 4, "key_slots": 5}, {"block_bits": 256, "lanes": 2}])
def test_flat_ports_exist_and_have_their_widths(sizes: dict) -> None:
    p = bus_sizes(blocks=8, ring_sectors=2, **sizes)
    bus = CoreBus(p, MockSchedule(128))
    covered: dict[str, int] = {}
    for port in FLAT_PORTS:
        assert len(_look_up(bus, port.path)) == port.width.bits(p), port.name
        stream = port.path.split(".")[0]
        covered[stream] = covered.get(stream, 0) + port.width.bits(p)
        source = port.name.startswith("m_") != port.name.endswith("tready")
        assert port.output == (source or port.name.startswith("key_"))
    for name in ("cmd", "s", "m", "status", "key"):
        assert covered[name] == len(Value.cast(getattr(bus, name).payload)) + 2
    assert len({port.name for port in FLAT_PORTS}) == len(FLAT_PORTS)
    assert isinstance(bus.key_schedule, MockSchedule)
