# SPDX-License-Identifier: Apache-2.0
"""Packets of messages, right and with faults, and what a core makes of single ones."""

from __future__ import annotations

import random

import pytest
from tests.protocol.contracts import Plain

from modeloom.protocol.contract import PACKETS
from modeloom.protocol.outcome import judge
from modeloom.protocol.scenarios import appends, ends, ends_with, faulty, inverts
from modeloom.protocol.transactions import Command, KeyPacket, MessagePacket, beats_of, message_packet, packet_parts, whole_packet


def command(**fields: int) -> Command:
    return Command(nonce=bytes(3), **{"nonce_bytes": 3, "tag_bytes": 4, **fields})


def test_packets() -> None:
    assert whole_packet([b"", b""], 4) == MessagePacket(bytes(4), (0,))
    assert whole_packet([b"abcde", b"xy"], 4) == MessagePacket(b"abcde\0\0\0xy\0\0", (15, 1, 3))
    assert whole_packet([b"abcde", b"xy"], 4).joined(4) == b"abcdexy"


@pytest.mark.parametrize("way", [0, 1])
@pytest.mark.parametrize("form", [*PACKETS, "text-first"])
def test_the_parts_of_a_packet(form: str, way: int) -> None:
    c = Plain(order="text-first") if form == "text-first" else Plain(packet=form)
    parts = {
        "aligned": [b"abcde", b"xy"], "wire": [b"abcdexy" + b"TTTT" * way], "text-first": [b"xy", b"abcde"],
    }[form]  # fmt: skip
    assert packet_parts(c, way, b"abcde", b"xy", b"TTTT" * way) == parts
    assert message_packet(c, way, b"abcde", b"xy", b"TTTT" * way) == whole_packet(parts, 4)
    assert len(message_packet(c, way, b"abcde", b"xy", b"TTTT" * way).keeps) == c.beats(5, 2, 4 * way)
    assert len(message_packet(c, way, b"abcde", b"xy", b"TTTT" * way, size=16).keeps) == len(parts)


@pytest.mark.parametrize(
    ("keeps", "associated", "code", "text"),
    [
        ((15, 1, 3), 5, "OK", 2), ((15, 1), 5, "OK", 0), ((15, 1, 0), 5, "OK", 0), ((0,), 0, "OK", 0),
        ((15,), 5, "TOO_SHORT", 0), ((7,), 5, "TOO_SHORT", 0), ((15, 3), 5, "BAD_KEEP", 0),
        ((0,), 5, "TOO_SHORT", 0), ((15, 0), 5, "BAD_KEEP", 0), ((15, 1, 15, 0), 5, "BAD_KEEP", 4),
        ((15, 2), 5, "BAD_KEEP", 0), ((7, 1), 5, "BAD_KEEP", 0),
        ((3, 15), 0, "BAD_KEEP", 0), ((0, 15), 0, "BAD_KEEP", 0), ((15, 5), 0, "BAD_KEEP", 4), ((15, 0), 0, "BAD_KEEP", 4),
        ((15, 15, 7), 0, "OK", 11),
    ],
)  # fmt: skip
def test_what_a_core_makes_of_a_packet(keeps: tuple[int, ...], associated: int, code: str, text: int) -> None:
    (found,) = judge(Plain(), command(associated=associated), keeps)
    assert (found.code.name, found.text) == (code, text)


@pytest.mark.parametrize(
    ("keeps", "stated", "code", "text"),
    [
        ((15, 3), 6, "OK", 6), ((15, 15), 8, "OK", 8), ((0,), 0, "OK", 0), ((15,), 6, "TOO_SHORT", 0), ((15, 1), 6, "TOO_SHORT", 4),
        ((0,), 1, "TOO_SHORT", 0), ((15, 7), 6, "TOO_LONG", 4), ((15, 15, 1), 8, "TOO_LONG", 8), ((1,), 0, "TOO_LONG", 0),
        ((15, 3, 1), 9, "BAD_KEEP", 4), ((15, 2), 6, "BAD_KEEP", 4), ((15, 15, 0), 8, "BAD_KEEP", 8), ((15, 0), 8, "BAD_KEEP", 4),
    ],
)  # fmt: skip
def test_what_a_core_makes_of_a_text(keeps: tuple[int, ...], stated: int, code: str, text: int) -> None:
    (found,) = judge(Plain(lengths_first=True), command(text=stated), keeps)
    assert (found.code.name, found.text) == (code, text)


def test_edits() -> None:
    beats = beats_of(b"abcdefghij", 4)
    assert ends(2)(beats) == [*beats[:2]]
    assert ends_with(1, 5)(beats) == [beats[0], (b"efgh", 5)] and ends_with(1, 0, data_of=0)(beats) == [beats[0], (b"abcd", 0)]
    assert appends(1)(beats) == [*beats, (b"abcd", 1)]
    assert inverts(2, 7)(beats) == [*beats[:2], (b"ij\0\0", 4)]


def test_faults_of_packets_are_known() -> None:
    with pytest.raises(ValueError, match="no fault 'x'"):
        faulty(MessagePacket(b"a", (1,)), 4, "x", random.Random(1))


def test_key_packets() -> None:
    key = KeyPacket.of(bytes(range(20)), 3)
    assert key == KeyPacket(bytes(range(20)) + bytes(12), (0xFFFF, 0xF), 3, False)
    assert key.columns(True) == {
        "s_axis_key_tdata": key.data, "s_axis_key_tkeep": key.keeps, "s_axis_key_tlast": [0, 1], "s_axis_key_tuser": [0, 0],
        "s_axis_key_tdest": [3, 3],
    }  # fmt: skip
    assert "s_axis_key_tdest" not in key.columns(False)
    erases = KeyPacket.of(b"", 1, erase=True)
    assert (erases.keeps, erases.data, erases.columns(True)["s_axis_key_tuser"]) == ((0,), bytes(16), [1])


@pytest.mark.parametrize(
    ("nbytes", "keeps", "slot", "erase", "refused"),
    [
        (16, None, 0, False, False), (24, None, 1, False, False), (16, None, 2, False, True), (15, None, 0, False, True),
        (17, None, 0, False, True), (32, None, 0, False, True), (16, (0xFFFE,), 0, False, True), (24, (0xFF, 0xFFFF), 0, False, True),
        (24, (0xFFFF, 0xFF00), 0, False, True), (32, (0xFFFF, 0xFF), 0, False, False), (1, None, 1, True, False), (16, None, 2, True, True),
    ],
)  # fmt: skip
def test_key_packets_that_are_refused(nbytes: int, keeps: tuple[int, ...] | None, slot: int, erase: bool, refused: bool) -> None:
    assert KeyPacket.of(bytes(nbytes), slot, erase, keeps).refused((16, 24), 2) == refused
