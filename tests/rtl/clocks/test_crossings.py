# SPDX-License-Identifier: Apache-2.0
"""Crossings in simulation: clocks of many ratios, pauses, erasures and resets at any time."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from tests.rtl.clocks.bench import CLOCKS, SECOND, Bench

from modeloom.sim import AT_REST

INWARD, OUTWARD = ("s_axis", "s_axis_key"), ("m_axis", "m_axis_status")


@pytest.mark.parametrize("name", CLOCKS)
def test_all_beats_come_once_and_in_order(name):
    for seed, gap in enumerate((0.0, 0.3, 0.7)):
        rng = random.Random(seed)
        gaps = {stream: rng.choice((0.0, gap)) for one in (*INWARD, *OUTWARD) for stream in (one, f"core_{one}")}
        bench = Bench(name, shift=seed, seed=seed, gaps=gaps)
        count = 300
        numbers = list(range(1, count + 1))
        for stream in INWARD:
            bench.send(stream, numbers)
        for stream in OUTWARD:
            bench.send(f"core_{stream}", numbers)
        wanted = dict.fromkeys([*(f"core_{one}" for one in INWARD), *OUTWARD], count)
        assert bench.runner.run(wanted, max_cycles=100_000).done, (name, {one: bench.runner.waiting(one) for one in wanted})
        assert not bench.runner.violations()
        bench.runner.run(max_cycles=100)
        for stream in wanted:
            assert bench.came(stream) == numbers, (name, stream)


@pytest.mark.parametrize("name", CLOCKS)
def test_the_slower_clock_has_a_beat_in_every_cycle(name):
    """From the 40th beat on, when all queues are in a steady state."""
    bench, count = Bench(name), 240
    for stream in ("s_axis", "core_m_axis"):
        bench.send(stream, list(range(1, count + 1)))
    assert bench.runner.run({"core_s_axis": count, "m_axis": count}, max_cycles=100_000).done
    core, data, _, _ = CLOCKS[name]
    for stream in ("core_s_axis", "m_axis"):
        cycles = bench.runner.take(stream).cycles
        ticks = (cycles[-1] - cycles[39]) * core
        assert ticks <= (count - 39) * max(core, data) + 2 * (core + data), (name, stream, ticks)


@pytest.mark.parametrize("name", CLOCKS)
@pytest.mark.parametrize("how", ["zeroize", "reset"])
def test_an_erasure_in_the_middle(name, how):
    """What is on its way is erased, and nothing else: beats are missing in one place each time, and none comes twice or out of order."""
    rng = random.Random(f"{name} {how}")
    gaps = {stream: 0.3 for one in (*INWARD, *OUTWARD) for stream in (one, f"core_{one}")}
    bench = Bench(name, seed=5, gaps=gaps)
    numbers = list(range(1, 241))
    sent = {"s_axis": "core_s_axis", "s_axis_key": "core_s_axis_key", "core_m_axis": "m_axis", "core_m_axis_status": "m_axis_status"}
    for stream in sent:
        bench.send(stream, numbers)
    came: dict[str, list[int]] = {stream: [] for stream in sent.values()}
    for _ in range(4):
        bench.runner.run(max_cycles=rng.randrange(20, 90))
        if how == "zeroize":
            bench.zeroize()
        else:
            bench.sim.set("aresetn", 0)
            bench.runner.run(max_cycles=rng.randrange(1, 5))
            bench.sim.set("aresetn", 1)
        bench.runner.run(max_cycles=rng.randrange(0, 60))
        for stream in came:
            came[stream] += bench.came(stream)
    bench.runner.run({}, drain=True, max_cycles=100_000)
    bench.runner.run(max_cycles=3000)
    for source, stream in sent.items():
        came[stream] += bench.came(stream)
        found = came[stream]
        assert found == sorted(set(found)) and set(found) <= set(numbers), (source, found)
        places = [after - before - 1 for before, after in zip([0, *found], [*found, 241])]
        lost = [count for count in places if count]
        # Two erasures are in one place if no beat comes between them.
        assert len(lost) <= 4 and sum(lost) <= 4 * 18, (source, lost)
        assert name == "slow data" or max(lost, default=0) <= 18, (source, lost)
        assert found[-1] == 240, source


@pytest.mark.parametrize("name", CLOCKS)
def test_nothing_is_left(name):
    """Queues that are full of numbers, and the registers behind them."""
    bench = Bench(name)
    for stream in ("s_axis", "s_axis_key", "core_m_axis", "core_m_axis_status"):
        bench.runner.set_gaps({f"core_{stream}" if stream.startswith("s_") else stream[5:]: AT_REST})
        bench.send(stream, [0xFFFFFFFF] * 60)
    bench.runner.run(max_cycles=600)
    assert 0xFFFFFFFF in words(bench)
    bench.runner.forget()
    bench.zeroize()
    cycles = bench.wait()
    core, data, host, _ = CLOCKS[name]
    assert cycles * core <= 32 * core + 26 * 2 * max(data, host), (name, cycles)
    assert words(bench) == {0}


@pytest.mark.parametrize("name", ["2:3", "7:3"])
def test_what_was_read_is_overwritten_without_an_erasure(name):
    bench = Bench(name)
    for stream in ("s_axis", "s_axis_key", "core_m_axis", "core_m_axis_status"):
        bench.send(stream, list(range(1, 101)))
    bench.runner.run({}, drain=True, max_cycles=10_000)
    bench.runner.run(max_cycles=200)
    assert words(bench) == {0}


def words(bench: Bench) -> set[int]:
    """The data in all queues and in the registers behind them: 32 bits of each word."""
    found = set()
    for name, item in bench.sim.objects.items():
        if item.kind == "memory":
            found |= {bench.sim.get(name, word) & 0xFFFFFFFF for word in range(item.depth)}
        elif "payload" in name and item.kind == "state":
            found.add(bench.sim.get(name) & 0xFFFFFFFF)
    return found


@pytest.mark.parametrize("name", CLOCKS)
def test_a_status_comes_after_its_data(name):
    """Packets of four beats, whose last one the core gives just before the status.  The host takes data slowly, and statuses at once."""
    bench = Bench(name, seed=3, gaps={"m_axis": 0.6})
    packets = 12
    for number in range(packets):
        bench.send("core_m_axis", list(range(4 * number, 4 * number + 4)))
        while bench.runner.waiting("core_m_axis"):
            bench.runner.run(max_cycles=1)
        bench.send("core_m_axis_status", [number])
    assert bench.runner.run({"m_axis": 4 * packets, "m_axis_status": packets}, max_cycles=20_000).done
    ends, statuses = bench.runner.take("m_axis").cycles[3::4], bench.runner.take("m_axis_status").cycles
    assert all(end <= status for end, status in zip(ends, statuses, strict=True)), (name, list(ends), list(statuses))


@pytest.mark.parametrize("name", CLOCKS)
def test_flags_of_keys(name):
    """``key_busy`` is high from the first beat on, until the core has told of the packet."""
    bench = Bench(name)
    for loaded in (1, 3, 2, 0):
        bench.send("s_axis_key", [loaded, 4 * loaded + 3])
        bench.runner.run({}, drain=True, max_cycles=2_000)
        assert bench.sim.get("key_busy")
        assert bench.runner.run({"core_s_axis_key": 2}, max_cycles=2_000).done
        bench.sim.set("core_key_busy", 1)
        bench.runner.run(max_cycles=100)
        assert bench.sim.get("key_busy")
        bench.runner.take("core_s_axis_key")
        # The core tells all in one cycle.
        for port, value in (("core_key_loaded", loaded), ("core_key_error", loaded & 1), ("core_key_busy", 0)):
            bench.sim.set(port, value)
        for _ in range(200):
            if not bench.sim.get("key_busy"):
                break
            bench.runner.run(max_cycles=1)
        assert (bench.sim.get("key_busy"), bench.sim.get("key_loaded"), bench.sim.get("key_error")) == (0, loaded, loaded & 1)


RESETS = {"low": (False, False), "high": (True, False), "async-low": (False, True), "async-high": (True, True)}


@pytest.mark.parametrize("name", RESETS)
def test_resets(name):
    """Each kind begins and ends an erasure, and the core gets a reset that is active low."""
    high, asynchronous = RESETS[name]
    bench = Bench("7:3", replace(SECOND, high=high, asynchronous=asynchronous))
    pin, active = bench.parameters.reset, int(high)
    assert pin == ("areset" if high else "aresetn") and bench.sim.get("core_aresetn")
    bench.sim.set(pin, active)
    if not asynchronous:
        assert not bench.sim.get("core_aresetn")
        bench.runner.run(max_cycles=1)
        bench.sim.set(pin, 1 - active)
        assert bench.sim.get("core_aresetn") and bench.sim.get("zeroizing")
        assert bench.wait() > 16
        return
    # A pulse between two edges of the clock.
    assert bench.sim.get("core_aresetn")
    bench.sim.set(pin, 1 - active)
    seen = []
    for _ in range(8):
        bench.runner.run(max_cycles=1)
        seen.append(bench.sim.get("core_aresetn"))
    assert seen == [1, 0, 0, 1, 1, 1, 1, 1], seen
    assert bench.sim.get("zeroizing") and bench.wait() > 8


@pytest.mark.parametrize("name", ["the same", "7:3", "17:1", "1:17", "jitter"])
def test_beats_can_be_counted_at_the_edges_of_their_clock(name):
    """A record of values in the cycles of the core has a beat of another clock several times, or not at all."""
    counts, ports = [], ["m_axis_tvalid", "m_axis_tready"]
    for edges in (True, False):
        bench = Bench(name, seed=2, gaps={"m_axis": 0.3, "core_m_axis": 0.3})
        bench.sim.watch(ports, edges=edges)
        bench.send("core_m_axis", list(range(60)))
        assert bench.runner.run({"m_axis": 60}, max_cycles=20_000).done
        record, marks = bench.sim.watched(), 4 if edges else 0
        bit = 1 << [*bench.sim.clocks].index("clk_data")
        steps = [record[at : at + marks + 2] for at in range(0, len(record), marks + 2)]
        counts.append(sum(one[-2] & one[-1] for one in steps if not edges or int.from_bytes(one[:4], "little") & bit))
    assert counts[0] == 60 and (counts[1] == 60) == (name == "the same")
