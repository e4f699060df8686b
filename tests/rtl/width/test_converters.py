# SPDX-License-Identifier: Apache-2.0
"""Converters against a plain model: lengths, pauses, malformed packets, channels, throughput, erasure."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from itertools import product

import pytest
from amaranth.back import rtlil
from tests.built import slow
from tests.rtl.width.bench import Bench
from tests.rtl.width.model import Beat, beats_of, core_to_host, host_to_core

from modeloom.interfaces.shared import BAD_KEEP
from modeloom.product.description import Result, Secret
from modeloom.rtl import width
from modeloom.rtl.width import WidthConverters, WidthParameters
from modeloom.taint import check_netlist
from modeloom.taint.graph import netlist_of_rtlil
from modeloom_verilog.modules import component_rtlil

SOLID = [WidthParameters(16, 4), WidthParameters(4, 8)]
PARTS = [WidthParameters(16, 4, parts=True, cut=True), WidthParameters(4, 16, parts=True, cut=True)]
CHANNELS = [WidthParameters(8, 2, 3, parts=True, cut=True), WidthParameters(2, 8, 3, parts=True, cut=True)]
WIDE = [
    WidthParameters(16, 128), WidthParameters(128, 4), WidthParameters(256, 128, cut=True),
    WidthParameters(8, 128, 256, parts=True, cut=True), WidthParameters(64, 4, 256, parts=True, cut=True),
    WidthParameters(32, 64, parts=True, cut=True),
]  # fmt: skip
SMALL = [*SOLID, *PARTS, *CHANNELS]
ALL = [*SMALL, *(pytest.param(one, marks=slow) for one in WIDE)]
GAPS = [
    {}, {"s_axis": 0.5}, {"core_s_axis": 0.5, "m_axis": 0.7}, {"s_axis": 0.3, "core_s_axis": 0.3, "core_m_axis": 0.4, "m_axis": 0.4},
    {"s_axis_cmd": 0.9, "core_s_axis_cmd": 0.5},
]  # fmt: skip


def name(parameters: WidthParameters) -> str:
    """The name of a case."""
    form = "parts" if parameters.parts else "solid"
    return f"{8 * parameters.host_bytes} to {8 * parameters.core_bytes}, {form}, {parameters.channels} channels"


def seen(beats: Sequence[Beat]) -> list[Beat]:
    """Beats without the bytes of those that are malformed, which nobody reads."""
    return [Beat(b"", beat.keep, beat.last, beat.channel, beat.cut) if beat.keep == BAD_KEEP else beat for beat in beats]


def packets(parameters: WidthParameters, rng: random.Random) -> tuple[list[Beat], dict[int, list[int]]]:
    """Packets of all lengths around the beats of both sides, those of channels in turns; and their bytes of associated data."""
    p = parameters
    size = max(p.core_bytes, p.host_bytes)
    near = sorted({*range(min(2 * size + 2, 20)), *(k * n + d for k in (p.core_bytes, p.host_bytes) for n in (1, 2) for d in (-1, 0, 1))})
    if p.parts:
        pairs = [*product(near, near)]
        lengths = rng.sample(pairs, min(len(pairs), 200))
    else:
        lengths = [(0, text) for text in near]
    rng.shuffle(lengths)
    channels = [*range(min(p.channels, 5)), min(p.channels + 5, 255)][: 1 if p.channels == 1 else None]
    waiting: dict[int, list[Beat]] = {channel: [] for channel in channels}
    associated: dict[int, list[int]] = {channel: [] for channel in channels}
    for header, text in lengths:
        channel = rng.choice(channels)
        associated[channel].append(header)
        waiting[channel] += beats_of([rng.randbytes(header), rng.randbytes(text)], p.host_bytes, channel)
    return mixed(waiting, rng), associated


def mixed(waiting: Mapping[int, list[Beat]], rng: random.Random) -> list[Beat]:
    """The beats of all channels in turns."""
    beats: list[Beat] = []
    while left := [channel for channel, queue in waiting.items() if queue]:
        beats.append(waiting[rng.choice(left)].pop(0))
    return beats


def commands_in_turn(bench: Bench, beats: Sequence[Beat], associated: Mapping[int, Sequence[int]]) -> None:
    """Queues packets, with the commands in the order in which the packets begin."""
    if bench.parameters.parts:
        lengths, begun = {channel: list(all_) for channel, all_ in associated.items()}, set()
        for beat in beats:
            if beat.channel not in begun:
                bench.commands([lengths[beat.channel].pop(0)], beat.channel)
                begun.add(beat.channel)
            if beat.last:
                begun.discard(beat.channel)
    bench.feed("s_axis", beats)


def results(parameters: WidthParameters, rng: random.Random) -> list[Beat]:
    """Packets that a core gives: some of them end with a beat without bytes that says so."""
    p, waiting = parameters, {channel: list[Beat]() for channel in range(min(parameters.channels, 5))}
    for text in [*range(3 * p.core_bytes + 2)][:: 1 + p.core_bytes // 32]:
        channel, cut = rng.choice([*waiting]), p.cut and rng.random() < 0.3
        beats = beats_of([rng.randbytes(text)], p.core_bytes, channel)
        if cut:
            full = [Beat(beat.data, beat.keep, False, channel) for beat in beats if beat.keep + 1 == 1 << p.core_bytes]
            beats = [*full, Beat(bytes(p.core_bytes), 0, True, channel, True)]
        waiting[channel] += beats
    return mixed(waiting, rng)


@pytest.mark.parametrize("gaps", range(len(GAPS)))
@pytest.mark.parametrize("parameters", ALL, ids=name)
def test_packets_are_cut_up_again(parameters, gaps):
    rng = random.Random(f"{parameters} {gaps}")
    pauses = {stream: gap for stream, gap in GAPS[gaps].items() if parameters.parts or "cmd" not in stream}
    bench = Bench(parameters, seed=gaps, gaps=pauses)
    beats, associated = packets(parameters, rng)
    commands_in_turn(bench, beats, associated)
    bench.run()
    # Beats of channels that there are not are dropped.
    own = [beat for beat in beats if beat.channel < parameters.channels]
    wanted = host_to_core(own, parameters.core_bytes, associated)
    assert not any(beat.keep == BAD_KEEP for beat in wanted)
    assert bench.take("core_s_axis") == wanted
    back = results(parameters, rng)
    bench.feed("core_m_axis", back)
    bench.run()
    assert bench.take("m_axis") == core_to_host(back, parameters.host_bytes)
    assert not bench.runner.violations()


@pytest.mark.parametrize("parameters", CHANNELS, ids=name)
def test_channels_that_are_not_there_hold_nothing_up(parameters):
    """Neither their commands wait for packets, as many as there may be, nor their beats for commands."""
    rng, bench, p = random.Random(1), Bench(parameters), parameters
    bench.commands([7] * 40, p.channels)
    bench.feed("s_axis", beats_of([rng.randbytes(99)], p.host_bytes, 255))
    packet = beats_of([rng.randbytes(5), rng.randbytes(9)], p.host_bytes, 1)
    bench.commands([5], 1)
    bench.feed("s_axis", packet)
    bench.run()
    assert bench.take("core_s_axis") == host_to_core(packet, p.core_bytes, {1: [5]})
    assert len(bench.runner.accepted("s_axis_cmd")) == 41 and not bench.runner.violations()


@pytest.mark.parametrize("parameters", [*SOLID, *PARTS], ids=name)
def test_malformed_packets_stay_malformed(parameters):
    """Beats with any keep, ends that come early and late: the core gets what the model says, packet by packet."""
    rng, p = random.Random(7), parameters
    bench = Bench(p, seed=3, gaps={"s_axis": 0.2, "core_s_axis": 0.2})
    beats, associated = [], []
    for _ in range(1500):
        associated.append(rng.randrange(3 * p.core_bytes) if p.parts else 0)
        parts = [rng.randbytes(associated[-1]), rng.randbytes(rng.randrange(3 * p.core_bytes))]
        packet = beats_of(parts, p.host_bytes)
        for _ in range(rng.randrange(3)):
            at = rng.randrange(len(packet))
            keep = rng.choice([0, rng.randrange(1 << p.host_bytes), (1 << rng.randrange(p.host_bytes + 1)) - 1, (1 << p.host_bytes) - 1])
            packet[at] = Beat(packet[at].data, keep, packet[at].last)
        if rng.random() < 0.3:
            packet = packet[: rng.randrange(1, len(packet) + 1)]
        packet[-1] = Beat(packet[-1].data, packet[-1].keep, True)
        beats += packet
    bench.send(beats, {0: associated})
    bench.run()
    got, wanted = seen(bench.take("core_s_axis")), seen(host_to_core(beats, p.core_bytes, {0: associated} if p.parts else None))
    # Bytes outside keep are not read.
    assert [(beat.keep, beat.last) for beat in got] == [(beat.keep, beat.last) for beat in wanted]
    assert sum(beat.last for beat in got) == 1500 and sum(beat.keep == BAD_KEEP for beat in got) > 300
    for one, other in zip(got, wanted, strict=True):
        assert one.data[: one.keep.bit_length()] == other.data[: one.keep.bit_length()]


@pytest.mark.parametrize("parameters", [WidthParameters(4, 2), WidthParameters(2, 4)], ids=name)
def test_every_short_packet(parameters):
    """All packets of up to three beats with every keep, well-formed or not."""
    p, beats = parameters, list[Beat]()
    keeps = range(1 << p.host_bytes)
    rng = random.Random(1)
    for length in (1, 2, 3):
        for kept in product(keeps, repeat=length):
            beats += [Beat(rng.randbytes(p.host_bytes), keep, at == length - 1) for at, keep in enumerate(kept)]
    bench = Bench(p, seed=1, gaps={"s_axis": 0.3, "core_s_axis": 0.3})
    bench.feed("s_axis", beats)
    bench.run()
    got, wanted = bench.take("core_s_axis"), host_to_core(beats, p.core_bytes)
    assert [(beat.keep, beat.last) for beat in got] == [(beat.keep, beat.last) for beat in wanted]


@pytest.mark.parametrize("parameters", ALL, ids=name)
def test_the_narrower_side_never_waits(parameters):
    """Without pauses, the narrower side has a beat in each cycle, from the first packet to the last."""
    p, rng = parameters, random.Random(5)
    bench = Bench(p)
    texts = [*range(1, 3 * max(p.core_bytes, p.host_bytes), 7)] * 4
    # Commands come first, as many as there is room for, and each packet has a beat at least.
    beats = [beat for text in texts for beat in beats_of([rng.randbytes(text)], p.host_bytes)]
    bench.send(beats, {0: [0] * len(texts)})
    bench.run()
    narrow = "core_s_axis" if p.host_bytes > p.core_bytes else "s_axis"
    bench.take("core_s_axis")
    cycles = bench.cycles if narrow == "core_s_axis" else [*bench.runner.accepted("s_axis")]
    assert cycles[-1] - cycles[0] == len(cycles) - 1
    back = [beat for text in texts for beat in beats_of([rng.randbytes(text)], p.core_bytes)]
    bench.feed("core_m_axis", back)
    bench.run()
    bench.take("m_axis")
    cycles = bench.cycles if p.host_bytes < p.core_bytes else [*bench.runner.accepted("core_m_axis")]
    assert cycles[-1] - cycles[0] == len(cycles) - 1


@pytest.mark.parametrize("parameters", SMALL, ids=name)
def test_the_core_sees_a_packet_taken_when_the_host_takes_it(parameters):
    """So a status of the core, which comes after its data, does so for the host, too."""
    rng = random.Random(2)
    bench = Bench(parameters, seed=4, gaps={"m_axis": 0.6, "core_m_axis": 0.2})
    back = results(parameters, rng)
    bench.feed("core_m_axis", back)
    bench.run()
    came = bench.take("m_axis")
    taken = [cycle for beat, cycle in zip(back, bench.runner.accepted("core_m_axis"), strict=True) if beat.last]
    assert taken == [cycle for beat, cycle in zip(came, bench.cycles, strict=True) if beat.last]


@pytest.mark.parametrize("parameters", SMALL, ids=name)
def test_an_erasure_leaves_nothing(parameters):
    """In mid-packet: no bit of a beat is left, beats of the host wait meanwhile, and then the converters work as from the start."""
    p, rng = parameters, random.Random(3)
    for cycles in (30, 41, 52, 63):
        bench = Bench(p, gaps={"core_s_axis": 0.9, "m_axis": 0.9})
        beats, associated = packets(p, rng)
        commands_in_turn(bench, beats, associated)
        bench.feed("core_m_axis", results(p, rng))
        bench.runner.run(max_cycles=cycles)
        assert any(left(bench))
        sim = bench.sim
        # An empty slice follows its input.
        for port, kind in sim.objects.items():
            if kind.kind == "input" and port.startswith(("s_axis_t", "core_m_axis_t")):
                sim.set(port, 0)
        sim.set("s_axis_tvalid", 1)
        sim.set("zeroize", 1)
        sim.step()
        sim.set("zeroize", 0)
        busy = 0
        while sim.get("zeroizing"):
            assert not (sim.get("s_axis_tready") or sim.get("core_s_axis_tvalid") or sim.get("m_axis_tvalid"))
            busy += 1
            sim.step()
        assert 2 <= busy <= 3 + p.channels + 1
        sim.set("s_axis_tvalid", 0)
        assert sim.get("s_axis_tready") and not any(left(bench))


def left(bench: Bench) -> list[int]:
    """What stands in payload registers and in memories of beats."""
    found = []
    for one, port in bench.sim.objects.items():
        if port.kind == "memory" and "orders" not in one and port.width > 8:
            found += [bench.sim.get(one, word) for word in range(port.depth)]
        elif re.search(r"(beat|payload\d|kept|written)_reg$", one):
            found.append(bench.sim.get(one))
    return found


@pytest.mark.parametrize("parameters", SMALL, ids=name)
def test_no_control_signal_depends_on_data(parameters):
    netlist = netlist_of_rtlil(rtlil.convert(WidthConverters(parameters), name="width"), "width")
    host, core = 8 * parameters.host_bytes, 8 * parameters.core_bytes
    secrets = [Secret("data", "s_axis_tdata", 0, host), Secret("data", "core_m_axis_tdata", 0, core)]
    out = [Result("core_s_axis_tdata", core), Result("m_axis_tdata", host)]
    assert check_netlist(netlist, secrets, out, (), ()).control > 20


FAULTS = {
    "a hole is not seen": (width, "holes", lambda keep: keep[0] & 0),
    "a malformed beat is passed on as whole": (width, "BAD_KEEP", 3),
    "a malformed wide beat is passed on as whole": (width, "BAD_KEEP", 3),
}
"""What is changed, and to what."""


@slow
@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(monkeypatch, fault):
    where, what, other = FAULTS[fault]
    monkeypatch.setattr(where, what, other)
    import tests.rtl.width.bench as bench

    bench.library.cache_clear()
    try:
        found = 0
        for parameters in (*SOLID, *PARTS):
            try:
                test_malformed_packets_stay_malformed(parameters)
            except AssertionError:
                found += 1
        assert found
    finally:
        bench.library.cache_clear()


@pytest.mark.parametrize("wrong", [(16, 16), (3, 4), (4, 1), (4, 24)])
def test_sizes_that_do_not_fit(wrong):
    with pytest.raises(ValueError, match="host_bytes|core_bytes"):
        WidthParameters(*wrong)


def test_names_of_registers_tell_what_they_are():
    text = component_rtlil(WidthConverters(PARTS[0]), "width")
    assert not re.search(r"wire width \d+ \\signal", text)
