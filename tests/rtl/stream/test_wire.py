# SPDX-License-Identifier: Apache-2.0
"""Packets on the wire around a stand-in for a core: all alignments, faults, pauses, the pace, held packets, and planted mistakes."""

import inspect
from random import Random

import pytest
from tests.built import slow, slowly
from tests.rtl.stream.wire_bench import Message, WireBench, message, parameters, wanted

from modeloom.rtl.stream import wire
from modeloom.rtl.stream.wire import WIRE_PACKETS, OnWire


@pytest.fixture(scope="module")
def bench():
    return WireBench(parameters())


def check(bench, messages, **pace):
    """Runs messages, and compares each packet with what it must be."""
    got = bench.run(messages, **pace)
    right = [packet for packet in (wanted(sent, bench.size, bench.p.hold) for sent in messages) if packet is not None]
    for number, (packet, one) in enumerate(zip(got, right, strict=True)):
        assert packet[:2] == one, number
    return [cycle for *_, cycle in got]


def one(rng, size, header, text, decrypt, tag_bytes=16, wrong=False):
    return message(size, rng.randbytes(header), rng.randbytes(text), decrypt, tag_bytes, wrong)


def faulty(rng, sent, size):
    """The packet with a fault, somewhere."""
    beats, kind = list(sent.beats), rng.randrange(4)
    at = rng.randrange(len(beats))
    if kind == 0:
        beats = beats[: at + 1]
    elif kind == 1:
        beats[at] = (beats[at][0], beats[at][1] >> rng.randrange(1, size))
    elif kind == 2:
        beats[at] = (beats[at][0], beats[at][1] ^ 1 << rng.randrange(size))
    else:
        beats.append((bytes(size), 0))
    return type(sent)(sent.header, beats, sent.decrypt, sent.tag_bytes)


def mixed(rng, size, count, most, faults=0.2):
    """Messages of all kinds."""
    made = []
    for _ in range(count):
        lengths = [rng.choice((0, 1, size - 1, size, size + 1, rng.randrange(most), rng.randrange(most))) for _ in range(2)]
        sent = one(rng, size, *lengths, rng.random() < 0.5, rng.choice((16, 15, 14, 13, 12, 8, 4)), rng.random() < 0.2)
        made.append(faulty(rng, sent, size) if rng.random() < faults else sent)
    return made


def test_alignments(bench):
    """Each remainder of the header, with each of the text."""
    rng = Random(1)
    made = [one(rng, 16, ad, (5 * ad + 3 * n) % 35, n % 2 == 0, (16, 12, 4, 15)[n % 4]) for ad in range(36) for n in range(3)]
    check(bench, made)


def test_faults_between_good_ones(bench):
    check(bench, mixed(Random(2), 16, 150, 60))


@pytest.mark.parametrize(("offer", "ready"), [(0.4, 1.0), (1.0, 0.3), *slowly((0.7, 0.7), (0.2, 0.9))])
def test_pauses(bench, offer, ready):
    check(bench, mixed(Random(3), 16, 60, 60), offer=offer, ready=ready)


@pytest.mark.parametrize("decrypt", [False, True])
@pytest.mark.parametrize(("header", "text"), [(0, 64), (13, 64), (0, 0), (15, 16), (1, 1)])
def test_a_part_a_cycle(bench, header, text, decrypt):
    """Messages follow each other at the pace of their tokens: the beats of the header, those of the text, and the tag."""
    rng = Random(4)
    cycles = check(bench, [one(rng, 16, header, text, decrypt) for _ in range(30)])
    tokens = -(-header // 16) - (-text // 16) + 1
    assert {b - a for a, b in zip(cycles[12:], cycles[13:])} <= set(range(1, tokens + 1))


HOLD = 70


@pytest.fixture(scope="module")
def holding():
    return WireBench(parameters(hold=HOLD))


def test_held_packets(holding):
    """Of a message to open that has failed, or is too long, no packet leaves; the limit is exact."""
    rng = Random(5)
    exact = [one(rng, 16, header, HOLD - header + more, True) for header in (0, 3, 16, 70) for more in (0, 1) if HOLD - header + more >= 0]
    sent = [*exact, *mixed(rng, 16, 100, 60, faults=0.0)]
    assert [wanted(each, 16, HOLD) is None for each in exact] == [False, True] * 4
    check(holding, sent)
    check(holding, mixed(rng, 16, 50, 60, faults=0.0), ready=0.3)


@slow
@pytest.mark.parametrize(("lanes", "held"), [(2, None), (4, None), (4, 200)])
def test_lanes(lanes, held):
    bench, rng = WireBench(parameters(lanes, held)), Random(6)
    size = 16 * lanes
    check(bench, [one(rng, size, header, (7 * header + n) % (2 * size), n % 2 == 0) for header in range(2 * size + 2) for n in range(3)])
    check(bench, mixed(rng, size, 300, 3 * size, faults=0.2 if held is None else 0.0), offer=0.8, ready=0.8)


MISTAKES = {
    "a header that ends with a beat": ("Mux(shape.offset == 0, 2, 1)", "1"),
    "a tag across two beats": ("(kept_reg.data & ~kept_bytes)", "0"),
    "the rest of a packet with a fault": (
        "discard_reg.eq((discard_reg | (move & (ends | cut))) & ~beat.last)", "discard_reg.eq(0)",
    ),
    "text behind a header is lost": ("drain_reg.eq(~drain_reg", "drain_reg.eq(0"),
    "a header with bytes of text": ("data & first_bytes(nbytes, size)", "data"),
    "bytes that touch": ("waiting | (turned & ~behind)", "waiting | turned"),
    "a beat too early": ("total > size", "total >= size"),
    "text of the next message": ("(self.ended.valid & ~self.ended.payload)", "0"),
    "no mark": ("done & final.failed", "0"),
    "a failed packet that is held leaves": ("drop.eq(store & beat.held & beat.last & beat.failed)", "drop.eq(0)"),
    "a held packet is seen before its end": ("hidden.eq(beat.held & ~beat.last)", "hidden.eq(0)"),
    "a byte too many is held": ("(left > most)", "0"),
}  # fmt: skip
"""What is replaced in the source of a part."""


def planted(monkeypatch, text, other):
    """Puts parts with a mistake in the place of the right ones."""
    source = inspect.getsource(wire)
    assert text in source, "the mistake has no place any more"
    names = dict(vars(wire))
    exec(compile(source.replace(text, other), wire.__file__, "exec"), names)
    for name in wire.__all__:
        monkeypatch.setattr(wire, name, names[name])


DEFAULT = ("a tag across two beats",)
"""Mistakes that are planted by default."""


@pytest.mark.parametrize("name", [*DEFAULT, *slowly(*(name for name in MISTAKES if name not in DEFAULT))])
def test_mistakes_are_seen(monkeypatch, name):
    text, other = MISTAKES[name]
    planted(monkeypatch, text, other)
    held = HOLD if "held" in name else None
    bench, rng = WireBench(parameters(hold=held)), Random(7)
    exact = [one(rng, 16, 3, HOLD - 3 + more, True) for more in (0, 1)]
    whole = [one(rng, 16, header, 5, way) for header in (32, 48) for way in (False, True)]
    short = Message(0, [(bytes(16), 1)], True)
    sent = [*exact, *whole, short, *mixed(rng, 16, 120, 60, faults=0.0 if held else 0.2)]
    with pytest.raises((AssertionError, ValueError)):
        check(bench, sent)


def test_what_the_form_of_packets_says_of_a_core():
    """Tags come behind their texts, a packet that is held is held behind the core alone, and packets may come before their commands."""
    for p in (parameters(), parameters(hold=HOLD)):
        assert p.late_tag and p.core.form == OnWire() and p.core.hold is None
        assert p.most_packets == p.most_commands + WIRE_PACKETS
    assert parameters(hold=HOLD).hold == HOLD
