# SPDX-License-Identifier: Apache-2.0
"""Packets as beats; and what a simulated core gives is refused if it is not what the messages gave it."""

from dataclasses import replace

import pytest

from modeloom.interfaces.messages import MessageCode
from modeloom.product.beats import PacketBeats, parts_of
from modeloom.product.driven import CoreFault
from modeloom.product.message import Message, Outcome
from modeloom.product.message_results import Given, Status, packet_outcomes, text_outcomes
from modeloom.product.turns import take_turns
from modeloom.product.wire import GivenPacket

SIZE = 16
TAG = bytes(range(16))


def packet(*parts, size=SIZE):
    beats = PacketBeats(size)
    for part in parts:
        beats.add_part(part)
    beats.end()
    return beats


@pytest.mark.parametrize("size", [4, 16, 64])
def test_a_packet_has_whole_beats_and_one_end(size):
    for length in range(3 * size + 1):
        data = bytes(number % 255 + 1 for number in range(length))
        beats = packet(data, size=size)
        keeps = [int.from_bytes(beats.keeps[at : at + beats.keep_bytes], "little") for at in range(0, len(beats.keeps), beats.keep_bytes)]
        assert bytes(beats.data).rstrip(b"\0") == data and len(beats.data) == size * len(beats) == size * max(1, -(-length // size))
        assert [keep.bit_count() for keep in keeps] == [min(size, max(0, length - size * at)) for at in range(len(beats))]
        assert all(keep & keep + 1 == 0 for keep in keeps)
        assert beats.lasts == bytes(len(beats) - 1) + b"\1"


def test_parts_of_a_message():
    assert list(parts_of(b"", [])) == [(b"", True)]
    assert list(parts_of(b"a", [b"", b"b", b""])) == [(b"a", False), (b"b", True)]
    assert list(parts_of(b"", [b"b", b"c"])) == [(b"", False), (b"b", False), (b"c", True)]


def given(text, channel=0, decrypt=False, ad=b""):
    return Given(Message(bytes(12), text, ad, decrypt, channel=channel), len(text), 0 if decrypt else 16)


def came_of(texts, channels=None):
    packets = [packet(text) for text in texts]
    came, tids = PacketBeats(SIZE), bytearray()
    turns = take_turns(channels or [0] * len(texts), [len(one) for one in packets])
    for number, at in turns:
        came.add_beat(packets[number], at)
        tids.append(channels[number] if channels else 0)
    return came, bytes(tids) if channels else None


def test_results_of_interleaved_channels():
    texts, channels = [b"a" * 40, b"b" * 17, b"c" * 5], [0, 3, 0]
    statuses = [Status(b"3" * 16, MessageCode.OK, 3), Status(TAG, MessageCode.OK, 0), Status(b"2" * 16, MessageCode.OK, 0)]
    results = text_outcomes(list(map(given, texts, channels)), statuses, *came_of(texts, channels), False)
    assert results == [Outcome(MessageCode.OK, text, tag) for text, tag in zip(texts, (TAG, b"3" * 16, b"2" * 16), strict=True)]
    with pytest.raises(CoreFault, match="gave 1 statuses for 2 messages of channel 0"):
        text_outcomes(list(map(given, texts, channels)), [statuses[0]] * 2 + statuses[1:2], *came_of(texts, channels), False)
    with pytest.raises(CoreFault, match="a channel that has no message"):
        text_outcomes([given(texts[0])], statuses[1:2], *came_of(texts[:2], [0, 3]), False)


@pytest.mark.parametrize("held", [False, True])
def test_text_of_a_wrong_tag(held):
    wrong, right = Status(bytes(16), MessageCode.WRONG_TAG, 0), Status(bytes(16), MessageCode.OK, 0)
    pair = [given(b"a" * 20, decrypt=True), given(b"b" * 3, decrypt=True)]
    texts = [b"b" * 3] if held else [b"a" * 20, b"b" * 3]
    results = text_outcomes(pair, [wrong, right], *came_of(texts), held)
    assert [one.text for one in results] == [b"" if held else b"a" * 20, b"b" * 3]
    with pytest.raises(CoreFault, match="does not have the lengths"):
        text_outcomes(pair, [wrong, right], *came_of(texts), not held)


def packets_of(*packets):
    return [GivenPacket(data, failed, at) for at, (data, failed) in enumerate(packets)]


def test_packets_on_the_wire_that_are_not_those_of_the_messages():
    one, status = given(b"text", ad=b"head"), Status(TAG, MessageCode.OK, 0)
    right = b"headtext" + TAG
    assert packet_outcomes([one], [status], packets_of((right, False)), False) == [Outcome(MessageCode.OK, b"text", TAG, right)]
    for wrong, fault in (
        ((), "not those of the messages"), (((right, True),), "not those of the messages"),
        (((b"heat" + right[4:], False),), "changed a header"),
        (((right[:-1], False),), "another length"), (((right[:-1] + b"x", False),), "not that of the status"),
        (((right, False), (right, False)), "more packets"),
    ):  # fmt: skip
        with pytest.raises(CoreFault, match=fault):
            packet_outcomes([one], [status], packets_of(*wrong), False)
    refused = Status(bytes(16), MessageCode.WRONG_TAG, 0)
    opened = replace(one, message=replace(one.message, decrypt=True), tag=0)
    assert packet_outcomes([opened], [refused], [], True) == [Outcome(MessageCode.WRONG_TAG)]
