# SPDX-License-Identifier: Apache-2.0
"""Packets as beats; and what a simulated core gives is refused if it is not what the messages gave it."""

from array import array
from dataclasses import replace

import pytest

from modeloom.interfaces.messages import MessageCode
from modeloom.product.beats import GivenPacket, PacketBeats, PacketReader, take_turns
from modeloom.product.driven import CoreFault
from modeloom.product.message import Message, Outcome
from modeloom.product.simulated_messages import Given, Status, outcomes_of
from modeloom.protocol.contract import AssociatedFirst, WireForm, parts_of
from modeloom.sim import Beats

SIZE = 16
TAG = bytes(range(16))
ALIGNED, ON_WIRE = AssociatedFirst(), WireForm()


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


def packets_of(*packets, channels=None):
    return [
        GivenPacket(data, failed, at, channel)
        for at, ((data, failed), channel) in enumerate(zip(packets, channels or [0] * len(packets), strict=True))
    ]  # fmt: skip


def texts_of(texts, channels=None):
    return packets_of(*((text, False) for text in texts), channels=channels)


def beats_in_turns(packets, channels):
    """The columns that a core with several channels gives for packets, a beat of each channel in turn."""
    every, tids = PacketBeats(SIZE), bytearray()
    for number, at in take_turns(channels, [len(one) for one in packets]):
        every.add_beat(packets[number], at)
        tids.append(channels[number])
    columns = {f"m_axis_{name}": bytes(column) for name, column in (("tdata", every.data), ("tkeep", every.keeps), ("tlast", every.lasts))}
    return Beats(len(every), {**columns, "m_axis_tuser": bytes(len(every)), "m_axis_tid": bytes(tids)}, array("Q", range(len(every))))


def test_packets_of_interleaved_channels_are_put_together():
    texts, channels = [b"a" * 40, b"b" * 17, b"c" * 5], [0, 3, 0]
    came = list(PacketReader(SIZE, AssociatedFirst()).packets(beats_in_turns([packet(text) for text in texts], channels)))
    assert [(one.data, one.marked, one.channel) for one in came] == [(texts[1], False, 3), (texts[0], False, 0), (texts[2], False, 0)]


def one_beat(keep, last, marked, data=b"\0"):
    values = {"tdata": data.ljust(SIZE, b"\0"), "tkeep": keep.to_bytes(2, "little"), "tlast": bytes([last]), "tuser": bytes([marked])}
    return Beats(1, {f"m_axis_{name}": value for name, value in values.items()}, array("Q", [7]))


@pytest.mark.parametrize("wire", [False, True])
@pytest.mark.parametrize("joins", [False, True])
def test_beats_that_no_packet_has(wire, joins):
    form = WireForm() if wire else AssociatedFirst()
    for keep, last, marked, data in ((5, 1, 0, b""), (1, 0, 0, b""), (0xFFFF, 0, 1, b""), (0, 0, 0, b""), (1, 1, 0, b"ab")):
        with pytest.raises(ValueError, match=f"a beat with tkeep {keep:#x}, tlast {last} and tuser {marked}"):
            list(PacketReader(SIZE, form, joins).packets(one_beat(keep, last, marked, data)))
    # A beat without bytes is a packet on the wire, and elsewhere the end of one that is cut off.
    good = [(0xFFFF, 1, 0), (1, 1, 0), (0, 1, 1), *[(0, 1, 0)] * wire, *[(1, 1, 1)] * (wire or joins)]
    for keep, last, marked in ((0xFFFF, 1, 0), (1, 1, 0), (0, 1, 1), (0, 1, 0), (1, 1, 1)):
        reader = PacketReader(SIZE, form, joins)
        if (keep, last, marked) in good:
            (one,) = reader.packets(one_beat(keep, last, marked))
            assert (one.data, one.marked, one.cycle, reader.begun) == (bytes(keep.bit_count()), bool(marked), 7, False)
        else:
            with pytest.raises(ValueError, match="a beat with tkeep"):
                list(reader.packets(one_beat(keep, last, marked)))
    reader = PacketReader(SIZE, form, joins)
    assert not list(reader.packets(one_beat(0xFFFF, 0, 0))) and reader.begun
    if wire:
        with pytest.raises(ValueError, match="a beat with tkeep 0x0"):
            list(reader.packets(one_beat(0, 1, 0)))
    reader.clear()
    assert not reader.begun


def test_results_of_interleaved_channels():
    texts, channels = [b"a" * 40, b"b" * 17, b"c" * 5], [0, 3, 0]
    statuses = [Status(b"3" * 16, MessageCode.OK, 3), Status(TAG, MessageCode.OK, 0), Status(b"2" * 16, MessageCode.OK, 0)]
    results = outcomes_of(list(map(given, texts, channels)), statuses, texts_of(texts, channels), ALIGNED, False)
    assert results == [Outcome(MessageCode.OK, text, tag) for text, tag in zip(texts, (TAG, b"3" * 16, b"2" * 16), strict=True)]
    with pytest.raises(CoreFault, match="gave 1 statuses for 2 messages of channel 0"):
        outcomes_of(list(map(given, texts, channels)), [statuses[0]] * 2 + statuses[1:2], texts_of(texts, channels), ALIGNED, False)
    with pytest.raises(CoreFault, match="a channel that has no message"):
        outcomes_of([given(texts[0])], statuses[1:2], texts_of(texts[:2], [0, 3]), ALIGNED, False)


@pytest.mark.parametrize("held", [False, True])
def test_text_of_a_wrong_tag(held):
    wrong, right = Status(bytes(16), MessageCode.WRONG_TAG, 0), Status(bytes(16), MessageCode.OK, 0)
    pair = [given(b"a" * 20, decrypt=True), given(b"b" * 3, decrypt=True)]
    texts = [b"b" * 3] if held else [b"a" * 20, b"b" * 3]
    results = outcomes_of(pair, [wrong, right], texts_of(texts), ALIGNED, held)
    assert [one.text for one in results] == [b"" if held else b"a" * 20, b"b" * 3]
    with pytest.raises(CoreFault, match="does not have the length"):
        outcomes_of(pair, [wrong, right], texts_of(texts), ALIGNED, not held)
    with pytest.raises(CoreFault, match="more packets"):
        outcomes_of(pair, [wrong, right], texts_of([*texts, b"c"]), ALIGNED, held)
    with pytest.raises(CoreFault, match="cut off the text"):
        outcomes_of(pair, [wrong, right], packets_of(*((text, True) for text in texts)), ALIGNED, held)


def test_packets_on_the_wire_that_are_not_those_of_the_messages():
    one, status = given(b"text", ad=b"head"), Status(TAG, MessageCode.OK, 0)
    right = b"headtext" + TAG
    assert outcomes_of([one], [status], packets_of((right, False)), ON_WIRE, False) == [Outcome(MessageCode.OK, b"text", TAG, right)]
    for wrong, fault in (
        ((), "another packet"), (((right, True),), "cut off the packet"),
        (((b"heat" + right[4:], False),), "changed the associated data"),
        (((right[:-1], False),), "does not have the length"), (((right[:-1] + b"x", False),), "not that of the status"),
        (((right, False), (right, False)), "more packets"),
    ):  # fmt: skip
        with pytest.raises(CoreFault, match=fault):
            outcomes_of([one], [status], packets_of(*wrong), ON_WIRE, False)
    refused = Status(bytes(16), MessageCode.WRONG_TAG, 0)
    opened = replace(one, message=replace(one.message, decrypt=True), tag=0)
    assert outcomes_of([opened], [refused], [], ON_WIRE, True) == [Outcome(MessageCode.WRONG_TAG)]
