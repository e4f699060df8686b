# SPDX-License-Identifier: Apache-2.0
"""Cores that hold text until its tag was right: nothing of a message with a wrong tag or a fault leaves, and it blocks no other."""

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from tests.built import slowly
from tests.cores.lwc.patched import patched
from tests.cores.stream.host import Host
from tests.cores.stream.traffic import Expected, Traffic, tokens

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.layers import Stack
from modeloom.modes.gcm import GCM
from modeloom.rtl.stream import bus, hold, intake
from modeloom.rtl.stream import parameters as depths
from modeloom.spec import InputError

HOLD, BEATS = 100, 7
SLOTS = 2
SMALL = StreamOptions(key_bits=128, cipher_stages=1, mul_stages=2, key_slots=SLOTS, hold=HOLD)


@pytest.fixture(scope="module")
def compiled():
    return compile_stream(GCM(), SMALL, prove=False)


@pytest.fixture(scope="module")
def keys():
    rng = Random(17)
    return [rng.randbytes(16) for _ in range(SLOTS)]


def loaded(compiled, keys, parameters=None, gaps=None):
    """A host whose core has its keys."""
    host = Host(compiled, parameters, gaps=gaps)
    for slot, key in enumerate(keys):
        host.key(key, slot)
    return host


@pytest.fixture
def host(compiled, keys):
    return loaded(compiled, keys)


@pytest.fixture
def traffic(keys):
    return Traffic(GCM(), keys, Random(5))


def held(made, hold=HOLD):
    """What a core that holds so many bytes tells of messages."""
    return [
        (sent, Expected("TOO_LONG_TO_HOLD", b"", b"") if sent.decrypt and len(sent.text) > hold else expected) for sent, expected in made
    ]


def check(host, made, hold=HOLD):
    """Runs messages: statuses, and the packets of those that are sealed or whose tag is right, and not a byte more."""
    made = held(made, hold)
    first = host.ids
    statuses, packets = host.run([sent for sent, _ in made])
    for number, (got, (_, expected)) in enumerate(zip(statuses, made, strict=True)):
        assert (got.code, got.id, got.tag) == (expected.code, first + number & 0xFFFF, expected.tag.ljust(16, b"\0")), number
    released = [(got, expected.text) for got, (_, expected) in zip(statuses, made, strict=True) if expected.code == "OK" and expected.text]
    assert packets == [(text, 0) for _, text in released]
    # A status follows the text of its message.
    at = 0
    for got, text in released:
        at += -(-len(text) // host.beat)
        assert host.text_cycles[at - 1] < got.status_cycle
    return statuses


def faulty(traffic, number):
    """A message to be opened with a fault in its packet, at one of its beats, and what is told of it."""
    sent, _ = traffic.one(None, 5, 16 * (1 + number % BEATS), decrypt=True)
    beats = [(sent.ad, 0x1F, 0), *((sent.text[at : at + 16], 0xFFFF, 0) for at in range(0, len(sent.text), 16))]
    last = [(bytes(7), 0x7E, 1), (bytes(16), 0xFF7F, 1), (b"", 0, 1)][number % 3]
    return replace(sent, beats=[*beats, last]), Expected("BAD_KEEP", b"", b"")


def mixed(traffic, count, hold=HOLD):
    """Messages of all kinds, also too long and with faults."""
    made = []
    for number in range(count):
        kind = traffic.rng.random()
        if kind < 0.15:
            made.append(faulty(traffic, number))
        elif kind < 0.3:
            made.append(traffic.one(None, 3, hold + 1 + traffic.rng.randrange(80), decrypt=True, wrong=kind < 0.2))
        else:
            made += traffic.some(1, most=hold)
    return made


def test_a_wrong_tag_then_a_right_one(host, traffic):
    made = []
    for length in (1, 16, 17, 64, HOLD):
        made += [traffic.one(None, 5, length, decrypt=True, wrong=wrong) for wrong in (True, False, True, True, False)]
    check(host, made)


def test_messages_of_all_kinds(host, traffic):
    check(host, mixed(traffic, 150))


def test_gaps_anywhere_and_back_pressure(compiled, keys, traffic):
    gaps = {"s_axis": 0.3, "s_axis_cmd": 0.4, "m_axis": 0.6, "m_axis_status": 0.5}
    check(loaded(compiled, keys, gaps=gaps), mixed(traffic, 100))


def test_as_long_as_the_buffer_a_byte_longer_and_much_longer(host, traffic):
    """What is too long is refused whatever its tag, blocks nobody, and does not touch what is sealed."""
    made = []
    for length in (HOLD - 1, HOLD, HOLD + 1, 16 * BEATS, 16 * BEATS + 1, 3000):
        for wrong in (False, True):
            made += [traffic.one(None, 0, length, decrypt=True, wrong=wrong), traffic.one(None, 9, 40, decrypt=True)]
        made.append(traffic.one(None, 0, length, decrypt=False))
    check(host, made)


def test_sealed_messages_are_not_held(host, traffic, compiled):
    """A sealed message leaves before its last beat has come, but for the blocks that the hash waits for."""
    sent, _ = traffic.one(None, 0, 320, decrypt=False)
    host.feed([replace(sent, beats=[(data, keep, 0) for data, keep, _ in host.beats_of(sent)])])
    host.runner.run(max_cycles=200)
    assert len(host.runner.take("m_axis").cycles) == 20 - (Stack(compiled).parameters.window - 1)


def test_a_message_to_be_opened_is_not_visible_before_its_end(host, traffic):
    sent, _ = traffic.one(None, 0, HOLD - 4, decrypt=True)
    beats = [(data, keep, 0) for data, keep, _ in host.beats_of(sent)]
    host.feed([replace(sent, beats=beats)])
    host.runner.run(max_cycles=300)
    assert not host.runner.waiting("s_axis") and not host.runner.take("m_axis").cycles


def test_latency(host, traffic, compiled):
    sent, _ = traffic.one(None, 0, 16, decrypt=False)
    host.run([sent])
    assert host.text_cycles[0] - host.runner.accepted("s_axis")[-1] == Stack(compiled).top.latency


@pytest.mark.parametrize("lengths", [(16,), (64,), (HOLD,), (1, HOLD, 33, 0, HOLD)])
def test_no_cycle_is_lost(host, traffic, lengths):
    """A block a cycle and one for the tag, as in a core that does not hold text, in all directions and with all verdicts."""
    made = [
        traffic.one(None, ad, length, decrypt=way != "seal", wrong=way == "wrong")
        for length in lengths for ad in (0, 20) for way in ("open", "open", "seal", "wrong")
    ]  # fmt: skip
    rounds = -(-24 // len(made)) + 2
    statuses = check(host, made * rounds)
    ends = [status.status_cycle for status in statuses[len(made) - 1 :: len(made)]]
    assert [after - before for before, after in pairwise(ends)][1:] == [tokens(made)] * (rounds - 2)


def test_a_host_that_reads_no_text_loses_none(host, traffic):
    """The buffer is full, the core takes no more, and goes on when the host does."""
    made = held([traffic.one(None, 0, HOLD, wrong=number % 3 == 1) for number in range(60)])
    host.runner.set_gaps({"m_axis": 0.97})
    check(host, made)


@pytest.mark.parametrize("what", ["no end", "wrong tag"])
def test_an_aborted_message_leaves_nothing(host, traffic, keys, what):
    """A held message without its end, or one that was dropped, then ``zeroize``: no word of the buffer has anything of it."""
    name = next(name for name in host.sim.objects if ".hold." in name and host.sim.objects[name].kind == "memory")
    sent, _ = traffic.one(None, 0, HOLD, decrypt=True, wrong=True)
    beats = [(data, keep, int(last and what == "wrong tag")) for data, keep, last in host.beats_of(sent)]
    host.feed([replace(sent, beats=beats)])
    host.runner.run(max_cycles=200)
    assert any(host.sim.get(name, word) for word in range(BEATS))
    host.sim.set("zeroize", 1)
    host.runner.run(max_cycles=1)
    host.sim.set("zeroize", 0)
    host.runner.forget()
    host.wait()
    assert not any(host.sim.get(name, word) for word in range(BEATS))
    host.runner.run(max_cycles=100)
    assert not host.statuses() and not host.packets()
    for slot, key in enumerate(keys):
        host.key(key, slot)
    check(host, [traffic.one(None, 0, HOLD, decrypt=True, wrong=wrong) for wrong in (False, True, False)])


@pytest.mark.parametrize("hold", slowly(1, 16, 2048, 9000))
def test_buffers_of_other_sizes(keys, hold):
    """Less than a beat, a beat, and block memories, of a power of two of beats or not."""
    compiled = compile_stream(GCM(), replace(SMALL, hold=hold), prove=False)
    host, traffic = loaded(compiled, keys), Traffic(GCM(), keys, Random(hold))
    lengths = [length for length in (1, 15, 16, 17, hold - 1, hold, hold + 1, hold + 40) if length > 0]
    made = [traffic.one(None, 3, length, decrypt=True, wrong=wrong) for length in lengths for wrong in (True, False)]
    check(host, made, hold)
    made = [traffic.one(None, 0, hold, decrypt=way < 3, wrong=way == 1) for way in range(4)]
    ends = [status.status_cycle for status in check(host, made * 5, hold)[3::4]]
    assert [after - before for before, after in pairwise(ends)][1:] == [tokens(made)] * 3


@pytest.mark.slow
@pytest.mark.parametrize(("lanes", "hold"), [(2, 100), (2, 256), (4, 64), (4, 1500)])
def test_several_blocks_a_cycle(keys, lanes, hold):
    """The tag of a message shares its last beat, so that messages of a beat follow each other in each cycle."""
    compiled = compile_stream(GCM(), replace(SMALL, hold=hold, blocks_per_cycle=lanes), prove=False)
    host, traffic = loaded(compiled, keys), Traffic(GCM(), keys, Random(hold))
    made = traffic.some(100, most=hold)
    made += [traffic.one(None, 3, hold + more, decrypt=True, wrong=wrong) for more in (-1, 0, 1, 16, 99) for wrong in (True, False)]
    traffic.rng.shuffle(made)
    check(host, made, hold)
    for lengths in ((1, 17), (hold,), (hold, 5, 40)):
        made = [traffic.one(None, 0, length, decrypt=way < 3, wrong=way == 1) for length in lengths for way in range(4)]
        rounds = 60 // len(made) + 2
        ends = [status.status_cycle for status in check(host, made * rounds, hold)[len(made) - 1 :: len(made)]]
        assert [after - before for before, after in pairwise(ends)][1:] == [tokens(made, lanes=lanes)] * (rounds - 2)


def test_bytes_that_no_buffer_has(compiled):
    for nbytes in (0, 1 << 21):
        with pytest.raises(ValueError, match="hold is from 1"):
            replace(Stack(compiled).parameters, hold=nbytes)
    with pytest.raises(ValueError, match="hold is for cores that open"):
        replace(Stack(compiled).parameters, decrypt=False)
    with pytest.raises(InputError, match="--hold must be from 1 to 1048576 bytes, not 0"):
        replace(SMALL, hold=0)


MISTAKES = {
    # The module, the place in its source, what stands there, and the part of it that the core uses, with the module that makes the core.
    "every tag is right": (hold, "s.whole.right.eq(~s.code.any())", "s.whole.right.eq(1)", depths, "HeldDelivery"),
    "no message is held": (hold, "hold.i.payload.held.eq(beat.held)", "hold.i.payload.held.eq(0)", depths, "HeldDelivery"),
    "text that is too long is let in": (intake, "int(parts.most_held < parts.most)", "0", bus, "MessageIntake"),
    "a status does not wait for the text": (hold, "s.may.eq(~s.head.packet | Mux(", "s.may.eq(1 | Mux(", depths, "HeldDelivery"),
}


def test_mistakes_have_their_places():
    for module, before, after, _, _ in MISTAKES.values():
        patched(module, before, after)


@pytest.mark.slow
@pytest.mark.parametrize("what", MISTAKES)
def test_what_is_broken_on_purpose_is_seen(keys, traffic, monkeypatch, what):
    """The same messages through cores with one mistake each."""
    module, before, after, user, name = MISTAKES[what]
    monkeypatch.setattr(user, name, getattr(patched(module, before, after), name))
    # A whole number of beats: a message of so many with a fault behind them has one beat more.
    host = loaded(compile_stream(GCM(), replace(SMALL, hold=16 * BEATS), prove=False), keys)
    with pytest.raises(AssertionError):
        check(host, mixed(traffic, 150, 16 * BEATS), 16 * BEATS)
