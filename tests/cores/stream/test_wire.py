# SPDX-License-Identifier: Apache-2.0
"""Cores whose packets are as they are on the wire: any alignment, faults, the pace, pauses, and packets that are held."""

from dataclasses import replace
from random import Random

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from tests.built import slow, slowly
from tests.cores.stream.wire import WireHost, WireTraffic

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.interfaces.messages import MessageCode
from modeloom.layers import Stack
from modeloom.modes.gcm import GCM
from modeloom.spec import InputError

SMALL = {"key_bits": 128, "cipher_stages": 1, "mul_stages": 2, "key_slots": 2, "packet": "wire"}
KEYS = [Random(17).randbytes(16), Random(18).randbytes(16)]
TAGS = GCM().tag_bytes


def loaded(gaps=None, **options):
    """A host whose core has its keys, and traffic for it."""
    compiled = compile_stream(GCM(), StreamOptions(**{**SMALL, **options}), prove=False)
    host = WireHost(compiled, gaps=gaps)
    for slot, key in enumerate(KEYS):
        host.key(key, slot)
    size = 16 * compiled.options.blocks_per_cycle
    return host, WireTraffic(GCM(), KEYS, Random(5), size, compiled.options.hold, most=5 * size)


@pytest.fixture(scope="module")
def core():
    return loaded()


def tokens(packets, size):
    """Cycles that messages need, as in aligned form."""
    total = 0
    for packet in packets:
        came = sum(keep.bit_count() for _, keep in packet.beats) - (packet.tag_bytes if packet.decrypt else 0)
        blocks = [-(-nbytes // 16) for nbytes in (packet.header, came - packet.header)]
        lanes = size // 16
        total += sum(-(-count // lanes) for count in blocks) + ((blocks[1] or blocks[0]) % lanes == 0)
    return total


def paced(host, packets, before=16):
    """Runs packets; the cycles of all but the first ones have to be their tokens."""
    statuses = host.check(packets)
    cycles = statuses[-1].status_cycle - statuses[before - 1].status_cycle
    assert cycles <= tokens(packets[before:], host.beat), cycles
    return cycles


def turned(place, bits):
    """Turns bits of the tkeep of a beat."""
    return lambda beats: [*beats[:place], (beats[place][0], beats[place][1] ^ bits), *beats[place + 1 :]]


def faults(traffic, size):
    """Packets with every fault, and the codes that they must have."""
    full = (1 << size) - 1
    for decrypt in (False, True):
        yield traffic.one(2 * size, size, decrypt=decrypt, edit=lambda beats: beats[:1]), "TOO_SHORT"
        yield traffic.one(size + 1, 2, decrypt=decrypt, edit=lambda beats: [(beats[0][0], 7)]), "TOO_SHORT"
        for place in (0, 1, 2):
            for bits in (1 << size - 1, 2, full):
                yield traffic.one(size + 3, 3 * size, decrypt=decrypt, edit=turned(place, bits)), "BAD_KEEP"
        yield traffic.one(3, 3 * size, decrypt=decrypt, edit=lambda beats: [*beats[:2], (bytes(size), 0)]), "BAD_KEEP"
    yield traffic.one(0, 0, decrypt=True, edit=lambda beats: [(beats[0][0], 0)]), "TOO_SHORT"
    yield traffic.one(0, size, decrypt=True, edit=lambda beats: [(beats[0][0], 0x7FFF)]), "TOO_SHORT"
    # A whole header, and less than a tag behind it.
    yield traffic.one(size, 0, decrypt=True, edit=lambda beats: [beats[0], (bytes(size), 7)]), "TOO_SHORT"


def test_against_the_cryptography_package(core):
    host, traffic = core
    rng, packets = Random(6), []
    for header, text in zip(rng.sample(range(41), 41), rng.sample(range(41), 41), strict=True):
        packet = traffic.one(header, text, decrypt=header % 2 == 0)
        sent = b"".join(data[: keep.bit_count()] for data, keep in packet.beats)
        ad, behind, gcm = sent[:header], sent[header:], AESGCM(KEYS[packet.slot])
        out = gcm.decrypt(packet.nonce, behind, ad) if packet.decrypt else gcm.encrypt(packet.nonce, behind, ad)
        packets.append(replace(packet, out=ad + out))
    host.check(packets)


def test_lengths_tags_and_wrong_tags(core):
    """Headers of 0 to 40 bytes, in any combination with lengths of text, tags, directions and slots."""
    host, traffic = core
    rng = traffic.rng
    host.check([traffic.one(n % 41, rng.randrange(41), tag_bytes=TAGS[n % len(TAGS)]) for n in range(82)])
    for tag_bytes in TAGS:
        wrong = [traffic.one(3, 17, decrypt=True, tag_bytes=tag_bytes, wrong=bit) for bit in (0, 8 * tag_bytes - 1)]
        assert all(packet.code == "WRONG_TAG" for packet in wrong)
        host.check([*wrong, traffic.one(3, 17, decrypt=True, tag_bytes=tag_bytes)])


@slow
@pytest.mark.parametrize("decrypt", [False, True])
def test_all_lengths(core, decrypt):
    host, traffic = core
    made = [traffic.one(ad, text, decrypt=decrypt, tag_bytes=traffic.rng.choice(TAGS)) for ad in range(41) for text in range(41)]
    # The first messages of each shape fill the queues: the distance from them to their statuses grows, and then stays.
    first = made[::7]
    paced(host, first + made, before=len(first))


def test_wrong_packets(core):
    """Each has its status and ends with a mark, and the message behind it is right."""
    host, traffic = core
    made = []
    for packet, code in faults(traffic, host.beat):
        assert packet.code == code
        made += [packet, traffic.one(5, 20)]
    host.check(made)


def test_refused_commands(core):
    """A packet whose command is refused gives its header with a mark."""
    host, traffic = core
    made = []
    for code, fields in (
        (MessageCode.NO_KEY, {"slot": 2}), (MessageCode.NO_KEY, {"slot": 999}), (MessageCode.NO_CHANNEL, {"channel": 1}),
        (MessageCode.BAD_TAG_LENGTH, {"tag_bytes": 200}), (MessageCode.BAD_NONCE_LENGTH, {"nonce_bytes": 0}),
    ):  # fmt: skip
        for ad, text in ((0, 0), (5, 40), (33, 0)):
            packet = replace(traffic.one(ad, text, decrypt=False), fields=fields)
            made += [traffic.judged(packet, code.name), traffic.one(5, 20)]
    host.check(made)


@pytest.mark.parametrize(("header", "text"), [(0, 64), (13, 64), (0, 0), *slowly((1, 1), (15, 16), (20, 1500), (40, 0))])
def test_pace(core, header, text):
    """Back to back a message takes its tokens and not a cycle more, whatever its direction and slot."""
    host, traffic = core
    for decrypt in (False, True, None):
        paced(host, [traffic.one(header, text, decrypt=decrypt) for _ in range(40)])


def test_the_first_beat(core):
    host, traffic = core
    for decrypt in (False, True):
        host.runner.run(max_cycles=200)
        host.runner.accepted("s_axis")
        host.check([traffic.one(0, 16, decrypt=decrypt)])
        took = host.text_cycles[0] - host.runner.accepted("s_axis")[0]
        # That of an opened message ends its packet, which takes a cycle more.
        assert took == Stack(compile_stream(GCM(), StreamOptions(**SMALL), prove=False)).top.latency + decrypt


@slow
@pytest.mark.parametrize(
    "gaps",
    [{"s_axis": 0.6}, {"m_axis": 0.6}, {"s_axis_cmd": 0.95}, {"m_axis_status": 0.97}, {"s_axis": 0.4, "m_axis": 0.4, "m_axis_status": 0.4}],
    ids=lambda gaps: "-".join(gaps),
)
def test_pauses(gaps):
    """The outputs are stable while they wait; the host of the tests looks for it in each cycle."""
    host, traffic = loaded(gaps)
    made = traffic.some(150)
    for packet, _ in faults(traffic, host.beat):
        made.insert(traffic.rng.randrange(len(made)), packet)
    host.check(made)


@slow
@pytest.mark.parametrize("lanes", [2, 4])
def test_lanes(lanes):
    host, traffic = loaded(blocks_per_cycle=lanes)
    size = host.beat
    host.check([traffic.one(ad, traffic.rng.randrange(3 * size), tag_bytes=TAGS[ad % len(TAGS)]) for ad in range(3 * size)])
    host.check(traffic.some(200))
    for header, text in ((0, 64), (0, 40), (13, 64), (1, 1), (12, 0), (0, 0), (20, 1500)):
        paced(host, [traffic.one(header, text) for _ in range(40)])
    host.check([packet for packet, _ in faults(traffic, size)])


@slow
@pytest.mark.parametrize("lanes", [1, 4])
def test_held(lanes):
    """No byte of a packet to open leaves before its tag was right, and none if it is wrong; the limit counts the header and is exact."""
    hold = 90 * lanes + 1
    host, traffic = loaded(blocks_per_cycle=lanes, hold=hold)
    exact = [traffic.one(ad, hold - ad + more, decrypt=True) for ad in (0, 7, 16 * lanes, hold - 1) for more in (0, 1)]
    assert [packet.code for packet in exact] == ["OK", "TOO_LONG_TO_HOLD"] * 4
    host.check(exact)
    host.check(traffic.some(300))
    host.check([packet for packet, _ in faults(traffic, host.beat) if len(packet.beats) * host.beat < hold])
    host.runner.set_gaps({"m_axis": 0.6})
    host.check(traffic.some(100))


@slow
@pytest.mark.parametrize("options", [{"key_slots": 100}, {"key_bits": None}, {"direction": "encrypt"}], ids=["slots", "sizes", "seals"])
def test_other_cores(options):
    host, traffic = loaded(**options)
    ways = [False] if options.get("direction") == "encrypt" else [False, True]
    host.check([traffic.one(n % 37, n % 53, decrypt=ways[n % len(ways)]) for n in range(150)])


def test_what_is_refused():
    for options in ({"packet": "wires"}, {"packet": "wire", "channels": 2}):
        with pytest.raises(InputError):
            compile_stream(GCM(), StreamOptions(**options), prove=False)
