# SPDX-License-Identifier: Apache-2.0
"""Packings of fields, their places and what is said of them."""

from __future__ import annotations

import random

import pytest

from modeloom.interfaces import Field, Interface, Packing, Port, Role, Side, Unit, Width

FLAGS = Packing(
    (Field("a", 16, "first", Role.DATA), Field("b", 1, "a bit"), Field("c", 3, "more", Role.KEY), Field("d", 4, "bits"),
     Field("e", 2, "two"), Field("reserved", 14, "zero"), Field("f", 8, "last"))
)  # fmt: skip


def test_places() -> None:
    places = [(place.bytes(" to "), [(bit, field.name) for bit, field in place.fields]) for place in FLAGS.places()]
    assert places == [
        ("0 to 1", [(0, "a")]), ("2", [(0, "b"), (1, "c"), (4, "d")]), ("3", [(0, "e")]), ("4", [(0, "reserved")]), ("5", [(0, "f")]),
    ]  # fmt: skip
    assert FLAGS.comment == "bytes 0..1 a, 2 flags (bit 0: b, bit 1: c, bit 4: d), 3 flags (bit 0: e), 4 zero, 5 f"


def test_packing_and_unpacking() -> None:
    rng = random.Random(1)
    for _ in range(20):
        values = {field.name: rng.getrandbits(field.bits) for field in FLAGS.fields}
        packed = FLAGS.pack(values)
        assert len(packed) == 6 and FLAGS.unpack(packed) == values
        word = int.from_bytes(packed, "little")
        for name, value in values.items():
            assert (word & FLAGS.mask(name)) >> FLAGS.offset(name) == value
            bits = FLAGS.slice(name)
            assert bits.stop - bits.start == FLAGS.field(name).bits
            assert FLAGS.verilog(name) == f"[{bits.stop - 1}:{bits.start}]"
    assert FLAGS.pack({"f": 255}) == bytes(5) + b"\xff"
    with pytest.raises(ValueError, match="c is from 0 to 7, not 8"):
        FLAGS.pack({"c": 8})
    with pytest.raises(KeyError):
        FLAGS.pack({"g": 0})
    with pytest.raises(ValueError, match="6 bytes, not 5"):
        FLAGS.unpack(bytes(5))


def test_roles() -> None:
    assert FLAGS.of_role(Role.DATA) == [range(16)] and FLAGS.of_role(Role.KEY) == [range(17, 20)]
    port = Port("tdata", Width(FLAGS.bits), "fields", packing=FLAGS)
    assert port.of_role(Role.KEY, FLAGS.bits) == [range(17, 20)]
    assert Port("tdata", Width(8), "bytes", role=Role.DATA).of_role(Role.DATA, 8) == [range(8)]
    assert Port("tdata", Width(8), "bytes", role=Role.DATA).of_role(Role.KEY, 8) == []


@pytest.mark.parametrize("fields", [(Field("a", 3, ""), Field("b", 8, "")), (Field("a", 9, ""), Field("b", 8, "")), (Field("a", 7, ""),)])
def test_fields_that_fit_no_bytes(fields: tuple[Field, ...]) -> None:
    with pytest.raises(ValueError, match="byte"):
        Packing(fields)


def test_ports_of_a_stream() -> None:
    stream = Interface("s_axis_x", "x", "words", Side.HOST, (Port("tdata", Width(FLAGS.bits), "fields", packing=FLAGS),))
    assert [stream.port_name(port) for port in stream.ports] == ["s_axis_x_tvalid", "s_axis_x_tready", "s_axis_x_tdata"]
    assert [stream.driven_by(port) for port in stream.ports] == [Side.HOST, Side.CORE, Side.HOST]
    assert stream.comment == f"words: {FLAGS.comment}"
    bare = Interface("s", "s", "bytes", Side.HOST, (Port("tdata", Width(8, Unit.BEAT_BYTE), "bytes"),))
    assert bare.comment == "bytes" and bare.port("tdata").width.text == "128 × lanes"
    with pytest.raises(ValueError, match="no fields"):
        _ = bare.packing
