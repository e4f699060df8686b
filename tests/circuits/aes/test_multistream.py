# SPDX-License-Identifier: Apache-2.0
"""Several streams in one round: batches with gaps, requests that come too early, and the cycles of results."""

import random

import pytest
from amaranth.back import rtlil
from tests.built import slowly
from tests.rtl.aes.bench import encrypt, from_bytes, to_bytes

from modeloom.sim import Simulation
from modeloom_circuits.aes.rounds import AESMultiStream
from modeloom_golden.aes_steps import round_keys

pytestmark = pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")


@pytest.mark.parametrize("streams", [4, *slowly(1, 2)])
def test_batches_with_gaps(streams):
    unit = AESMultiStream(128, streams)
    simulation = Simulation.of(rtlil.convert(unit, name="aes"), "aes", optimize=0)
    simulation.reset()
    rng = random.Random(streams)
    key = rng.randbytes(16)
    keys = [from_bytes(each) for each in round_keys(key)]
    simulation.set("key_first", keys[0])
    expected, seen, starts = {}, {}, []
    entering = streams
    now, next_start = 0, 3
    asked = 0
    while len(starts) < 8 or now < starts[-1] + unit.latency + streams:
        ready = simulation.get("ready")
        # A batch at work takes no other; the first cycle in which it may is its interval after its start.
        early = bool(starts) and now < starts[-1] + unit.interval
        assert not (early and ready)
        start = early and rng.random() < 0.2 or (now >= next_start and len(starts) < 8)
        simulation.set("start", start)
        if start and ready:
            starts.append(now)
            next_start = now + unit.interval + rng.choice([0, 0, 1, streams - 1, streams, streams + 1, 9])
            entering = 0
        block = rng.randbytes(16)
        simulation.set("i", from_bytes(block))
        simulation.set("key", keys[asked])
        if entering < streams:
            expected[now + unit.latency] = encrypt(key, block)
            entering += 1
        if simulation.get("valid"):
            seen[now] = to_bytes(simulation.get("o"))
        asked = simulation.get("key_index")
        simulation.step()
        now += 1
    assert seen == expected
    assert min(b - a for a, b in zip(starts, starts[1:], strict=False)) == unit.interval


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"key_bits": 100}, ValueError, "key_bits must be 128, 192 or 256, not 100"),
        ({"streams": 3}, ValueError, "streams must be one of 1, 2, 4, not 3"),
        ({"streams": True}, ValueError, "streams must be one of 1, 2, 4, not True"),
        ({"direction": "up"}, ValueError, "direction must be one of encrypt, decrypt, both, not 'up'"),
    ],
)
def test_parameters_are_checked(arguments, error, message):
    with pytest.raises(error, match=message):
        AESMultiStream(**arguments)
