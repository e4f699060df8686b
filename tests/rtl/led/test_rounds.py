# SPDX-License-Identifier: Apache-2.0
"""The round core of LED: published examples, random batches with gaps, requests that come too early, keys that change."""

import random

import pytest
from amaranth.back import rtlil

from modeloom import vectors
from modeloom.rtl.led import LEDRounds
from modeloom.sim import Simulation
from modeloom_golden.led import LED

pytestmark = pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")

CASES = [(64, 1, 6), (64, 2, 4), (64, 3, 6), (128, 1, 4), (128, 3, 6)]
"""Size of a key, streams, inputs of a LUT."""


def number(block):
    return int.from_bytes(block, "little")


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"LED-{case[0]}, {case[1]} streams, LUT{case[2]}")
def core(request):
    """Core and simulation."""
    unit = LEDRounds(*request.param)
    return unit, Simulation.of(rtlil.convert(unit, name="led"), "led", optimize=0)


def batch(core, key, blocks):
    """The results of a batch by itself, and the cycles from its start in which they came."""
    unit, simulation = core
    simulation.reset()
    simulation.set("key", number(key))
    simulation.set("start", 1)
    results, cycles = [], []
    for cycle in range(unit.latency + unit.streams + 3):
        simulation.set("i", number(blocks[cycle]) if cycle < len(blocks) else 0)
        if simulation.get("valid"):
            results.append(simulation.get("o").to_bytes(8, "little"))
            cycles.append(cycle)
        simulation.step()
        simulation.set("start", 0)
    return results, cycles


def test_published_examples(core):
    unit, _ = core
    for test in vectors.load(f"led{unit.key_bits}")["tests"]:
        key, pt, ct = (bytes.fromhex(test[member]) for member in ("key", "pt", "ct"))
        results, cycles = batch(core, key, [pt] * unit.streams)
        assert results == [ct] * unit.streams
        assert cycles == [unit.latency + n for n in range(unit.streams)]


def test_cycles_of_a_batch(core):
    """luts2017, section 2.3: r N cycles for N blocks."""
    unit, _ = core
    assert unit.rounds == {64: 32, 128: 48}[unit.key_bits]
    assert (unit.interval, unit.latency) == (unit.rounds * unit.streams, unit.rounds * unit.streams + 1)


def test_batches_with_gaps_and_other_keys(core):
    unit, simulation = core
    simulation.reset()
    rng = random.Random(unit.interval)
    key = rng.randbytes(unit.key_bits // 8)
    expected, seen, starts = {}, {}, []
    entering, now, next_start = unit.streams, 0, 3
    while len(starts) < 12 or now < starts[-1] + unit.latency + unit.streams:
        ready = simulation.get("ready")
        # A batch at work takes no other.  The first cycle in which it may is its interval after its start.
        early = bool(starts) and now < starts[-1] + unit.interval
        assert not (early and ready)
        start = early and rng.random() < 0.2 or (now >= next_start and len(starts) < 12)
        if start and ready:
            if starts and now >= starts[-1] + unit.interval + unit.streams:
                # The last sums of the batch before have been made.
                key = rng.randbytes(unit.key_bits // 8)
            starts.append(now)
            next_start = now + unit.interval + rng.choice([0, 0, 1, unit.streams, unit.streams + 1, 9])
            entering = 0
        simulation.set("start", start)
        simulation.set("key", number(key))
        block = rng.randbytes(8)
        simulation.set("i", number(block))
        if entering < unit.streams:
            expected[now + unit.latency] = LED(key).encrypt_block(block)
            entering += 1
        if simulation.get("valid"):
            seen[now] = simulation.get("o").to_bytes(8, "little")
        simulation.step()
        now += 1
    assert seen == expected and len(seen) == 12 * unit.streams
    assert min(b - a for a, b in zip(starts, starts[1:], strict=False)) == unit.interval


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"key_bits": 80}, "key_bits must be 64 or 128, not 80"),
        ({"key_bits": True}, "key_bits must be 64 or 128, not True"),
        ({"streams": 4}, "streams must be one of 1, 2, 3, not 4"),
        ({"streams": True}, "streams must be one of 1, 2, 3, not True"),
        ({"lut_inputs": 5}, "lut_inputs must be 4 or 6, not 5"),
    ],
)
def test_parameters_are_checked(arguments, message):
    with pytest.raises(ValueError, match=message):
        LEDRounds(**arguments)
