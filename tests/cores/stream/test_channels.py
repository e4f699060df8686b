# SPDX-License-Identifier: Apache-2.0
"""Messages of several channels, interleaved beat by beat, on simulated cores."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from tests.built import slow
from tests.cores.stream.channels import ChannelHost, alternating, check_channels, shuffled
from tests.cores.stream.traffic import Traffic, tokens
from tests.streams.modes import NoHash

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.layers import Stack
from modeloom.modes.gcm import GCM
from modeloom.rtl.stream import state

CHANNELS = 3
COMMAND_CYCLES = 2
SMALL = {"key_bits": 128, "key_slots": 2, "channels": CHANNELS, "mul_stages": 1, "cipher_stages": 1}


@pytest.fixture(scope="module")
def compiled():
    return compile_stream(GCM(), StreamOptions(**SMALL), prove=False)


def started(compiled, seed, gaps=None, parameters=None):
    """A host whose core has keys, and traffic under them."""
    rng = random.Random(seed)
    keys = [rng.randbytes(compiled.options.key_bits // 8) for _ in range(2)]
    host = ChannelHost(compiled, parameters, seed=seed, gaps=gaps)
    for slot, key in enumerate(keys):
        host.key(key, slot)
    return host, Traffic(compiled.mode, keys, rng), rng


def cycles_taken(host):
    """Cycles from the first beat in to the last one."""
    taken = host.runner.accepted("s_axis")
    return taken[-1] - taken[0] + 1


@pytest.mark.parametrize("order", ["alternating", "single beats", "runs"])
def test_a_change_of_channel_costs_nothing(compiled, order):
    host, traffic, rng = started(compiled, 1)
    made = {channel: [traffic.one(ad=20, text=rng.randrange(33, 120)) for _ in range(8)] for channel in range(CHANNELS)}
    host.runner.accepted("s_axis")
    check_channels(host, made, {"alternating": alternating, "single beats": shuffled(rng, 1), "runs": shuffled(rng, 9)}[order])
    # The first command is on its way a few cycles longer than the first beat, once.
    assert cycles_taken(host) <= sum(tokens(each) for each in made.values()) + COMMAND_CYCLES


def test_short_messages_of_one_channel_cost_nothing(compiled):
    # Their commands wait in a queue of the channel, which is deep enough for a message in each cycle.
    host, traffic, _ = started(compiled, 2)
    made = {1: [traffic.one(ad=0, text=length % 2 * 16) for length in range(40)]}
    host.runner.accepted("s_axis")
    check_channels(host, made)
    assert cycles_taken(host) <= tokens(made[1])


def test_latency(compiled):
    host, traffic, _ = started(compiled, 3)
    host.runner.accepted("s_axis")
    check_channels(host, {2: [traffic.one(ad=0, text=16)]})
    assert host.text_cycles[0] - host.runner.accepted("s_axis")[0] == Stack(compiled).top.latency


@pytest.mark.parametrize("most", [1, 40])
def test_random_interleavings(compiled, most):
    host, traffic, rng = started(compiled, most)
    check_channels(host, {channel: traffic.some(15) for channel in range(CHANNELS)}, shuffled(rng, most))


def test_gaps_and_back_pressure(compiled):
    host, traffic, rng = started(compiled, 5, {"s_axis": 0.3, "s_axis_cmd": 0.3, "m_axis": 0.4, "m_axis_status": 0.4})
    check_channels(host, {channel: traffic.some(15) for channel in range(CHANNELS)}, shuffled(rng))


def test_a_message_without_data_holds_up_its_own_channel_alone(compiled):
    host, traffic, rng = started(compiled, 6)
    stalled = [traffic.one(ad=3, text=100) for _ in range(4)]
    # Four commands of channel 0 and two beats of its first packet, and nothing more.
    host.sent = {0: []}
    commands = b"".join(host._command(0, sent) for sent, _ in stalled)
    host.runner.feed("s_axis_cmd", {"s_axis_cmd_tdata": commands})
    beats = [beat for sent, _ in stalled for beat in host.beats_of(sent)]

    def send(some):
        host.runner.feed("s_axis", {
            "s_axis_tdata": b"".join(data.ljust(16, b"\0") for data, _, _ in some), "s_axis_tkeep": [keep for _, keep, _ in some],
            "s_axis_tlast": [last for _, _, last in some], "s_axis_tid": [0] * len(some),
        })  # fmt: skip

    send(beats[:2])
    host.runner.run(max_cycles=200)
    first = host.sent[0]
    check_channels(host, {channel: traffic.some(12) for channel in (1, 2)}, shuffled(rng))
    host.sent[0] = first
    send(beats[2:])
    assert host.runner.run({"m_axis_status": 4}, max_cycles=2000).done
    assert [(got.code, got.tag) for got in host.statuses()[0]] == [
        (expected.code, expected.tag.ljust(16, b"\0")) for _, expected in stalled
    ]
    assert [text for text, _, _ in host.packets()[0]] == [expected.text for _, expected in stalled]


def test_faults_of_one_channel_do_not_touch_others(compiled):
    host, traffic, rng = started(compiled, 7)
    made = {channel: [traffic.one(ad=rng.randrange(40), text=rng.randrange(17, 90)) for _ in range(10)] for channel in range(CHANNELS)}
    faults = []
    for number, (sent, _) in enumerate(made[1]):
        beats = host.beats_of(sent)
        at = rng.randrange(len(beats))
        # A gap in tkeep, a beat without bytes, or the end of the packet before that of its associated data.
        turned = [(data, 5 if number % 3 else 0, last) if n == at else (data, keep, last) for n, (data, keep, last) in enumerate(beats)]
        faults.append(replace(sent, beats=turned) if number % 2 else replace(sent, fields={"slot": 7}))
    statuses, packets = host.run({0: [sent for sent, _ in made[0]], 1: faults, 2: [sent for sent, _ in made[2]]}, shuffled(rng))
    assert {got.code for got in statuses[1]} <= {"BAD_KEEP", "NO_KEY", "TOO_SHORT"} and len(statuses[1]) == 10
    assert all(cut for _, cut, _ in packets.get(1, []))
    for channel in (0, 2):
        assert [(got.code, got.tag) for got in statuses[channel]] == [
            (expected.code, expected.tag.ljust(16, b"\0")) for _, expected in made[channel]
        ]
        assert [(text, cut) for text, cut, _ in packets[channel]] == [(expected.text, 0) for _, expected in made[channel]]


def test_channels_that_the_core_does_not_have(compiled):
    host, traffic, rng = started(compiled, 8)
    statuses, packets = host.run({
        0: [traffic.one(ad=5, text=50, decrypt=False)[0] for _ in range(5)], CHANNELS: [traffic.one(ad=5, text=50)[0]] * 3,
    }, shuffled(rng))  # fmt: skip
    assert [got.code for got in statuses[CHANNELS]] == ["NO_CHANNEL"] * 3 and CHANNELS not in packets
    assert [got.code for got in statuses[0]] == ["OK"] * 5


def test_commands_of_channels_that_are_not_there(compiled):
    """More of them than any core takes of a channel, without a packet: they hold nothing up, and their beats need no command."""
    host, traffic, rng = started(compiled, 9)
    host.sent = {255: []}
    commands = [host._command(255, traffic.one(ad=5, text=50)[0]) for _ in range(40)]
    host.runner.feed("s_axis_cmd", {"s_axis_cmd_tdata": b"".join(commands)})
    assert host.runner.run({"m_axis_status": 40}, max_cycles=1000).done
    assert [(got.code, got.id) for got in host.statuses()[255]] == [("NO_CHANNEL", number) for number in host.sent[255]]
    # A packet without a command, and without an end.
    host.runner.feed("s_axis", {
        "s_axis_tdata": rng.randbytes(16 * 9), "s_axis_tkeep": [(1 << 16) - 1] * 9, "s_axis_tlast": [0] * 9, "s_axis_tid": [CHANNELS] * 9,
    })  # fmt: skip
    check_channels(host, {channel: traffic.some(8) for channel in range(CHANNELS)}, shuffled(rng))


def test_aborted_messages_of_all_channels(compiled):
    for seed, cut in enumerate((3, 25, 60)):
        host, traffic, rng = started(compiled, 10 + seed)
        host.send({channel: [sent for sent, _ in traffic.some(6)] for channel in range(CHANNELS)}, shuffled(rng))
        host.runner.run(max_cycles=cut)
        host.sim.set("zeroize", 1)
        host.runner.run(max_cycles=1)
        host.sim.set("zeroize", 0)
        host.runner.run(max_cycles=1)
        host.runner.forget()
        while host.sim.get("zeroizing"):
            host.runner.run(max_cycles=1)
        keys = [rng.randbytes(16) for _ in range(2)]
        for slot, key in enumerate(keys):
            host.key(key, slot)
        check_channels(host, {channel: Traffic(compiled.mode, keys, rng).some(6) for channel in range(CHANNELS)}, shuffled(rng))


def test_keys_change_while_channels_work(compiled):
    host, traffic, rng = started(compiled, 20)
    first = rng.randbytes(16)
    host.key(first, 0)
    traffic = Traffic(compiled.mode, [first], rng)
    for _ in range(3):
        # Slot 1 gets another key while channels work under slot 0; tokens that overwrite go between.
        key = rng.randbytes(16)
        host.key(key, 1, wait=False)
        made = {
            channel: [traffic.one(ad=rng.randrange(40), text=rng.randrange(90), slot=0) for _ in range(8)] for channel in range(CHANNELS)
        }
        check_channels(host, made, shuffled(rng))
        host.wait()
        traffic = Traffic(compiled.mode, [first, key], rng)
        check_channels(host, {channel: traffic.some(4) for channel in range(CHANNELS)}, shuffled(rng))


@pytest.mark.slow
def test_a_state_that_channels_share_is_seen(monkeypatch):
    # All channels have the same word of the counter: what comes is wrong.
    monkeypatch.setattr(state.StateValues, "context", lambda self, stage: self.lines["slot"].at(max(0, stage)) & 0)
    compiled = compile_stream(GCM(), StreamOptions(**SMALL), prove=False)
    host, traffic, _ = started(compiled, 30)
    with pytest.raises(AssertionError):
        check_channels(host, {channel: [traffic.one(ad=0, text=100) for _ in range(2)] for channel in range(CHANNELS)})


VARIANTS = {
    "two blocks": {"blocks_per_cycle": 2}, "four blocks": {"blocks_per_cycle": 4}, "two channels": {"channels": 2},
    "many channels": {"channels": 256}, "all keys": {"key_bits": None}, "usual circuits": {"mul_stages": 3, "cipher_stages": 2},
}  # fmt: skip


@slow
@pytest.mark.parametrize("name", VARIANTS)
def test_variants(name):
    compiled = compile_stream(GCM(), StreamOptions(**SMALL | VARIANTS[name]), prove=False)
    host, traffic, rng = started(compiled, 40)
    channels = sorted(rng.sample(range(compiled.options.channels), min(compiled.options.channels, 9)))
    for order in (alternating, shuffled(rng), shuffled(rng, 1)):
        check_channels(host, {channel: traffic.some(8, 200) for channel in channels}, order)
    lanes = compiled.options.blocks_per_cycle
    made = {channel: [traffic.one(ad=20, text=rng.randrange(33, 200)) for _ in range(8)] for channel in channels}
    host.runner.accepted("s_axis")
    check_channels(host, made)
    assert cycles_taken(host) <= sum(tokens(each, lanes=lanes) for each in made.values()) + COMMAND_CYCLES


@slow
def test_another_mode():
    compiled = compile_stream(NoHash(), StreamOptions(**SMALL), prove=False)
    host, traffic, rng = started(compiled, 50)
    check_channels(host, {channel: traffic.some(15) for channel in range(CHANNELS)}, shuffled(rng))


@slow
def test_long_messages(compiled):
    # The most text comes within reach by starting the counters high.
    most = compiled.mode.most_text // 16
    parameters = replace(Stack(compiled).parameters, text_from=most - 4)
    host, traffic, rng = started(compiled, 60, parameters=parameters)
    long, short = traffic.one(ad=3, text=16 * 6, decrypt=False)[0], traffic.one(ad=3, text=16 * 3, decrypt=False)[0]
    statuses, packets = host.run({0: [long, short], 1: [short, long], 2: [short]}, alternating)
    assert {channel: [got.code for got in each] for channel, each in statuses.items()} == {
        0: ["TOO_LONG", "OK"], 1: ["OK", "TOO_LONG"], 2: ["OK"],
    }  # fmt: skip
    assert [(len(text), cut) for text, cut, _ in packets[0]] == [(64, 1), (48, 0)]
