# SPDX-License-Identifier: Apache-2.0
"""The sequential decrypter: results, slots, declared latency and interval, the held output."""

import random

import pytest
from modeloom.rtl.aes.sequential import AESDecryptSequential

from tests.rtl.aes.bench import AESBenchSimulation, decrypt, from_bytes, to_bytes

CONFIGURATIONS = [(128, 1, 1, True), (192, 2, 4, True), (256, 1, 1, True), (128, 1, 3, False)]


@pytest.fixture(scope="module", params=CONFIGURATIONS, ids=lambda c: f"{c[0]}-{c[2]}")
def bench(request):
    return AESBenchSimulation(*request.param)


def run(bench, cycles, starts):
    """*starts*: cycle to (slot, block). The output in each cycle. Between starts, inputs carry rubbish."""
    simulation, outputs = bench.simulation, []
    for cycle in range(cycles):
        slot, block = starts.get(cycle, (cycle % bench.slots, bytes([cycle % 256] * 16)))
        simulation.set("slot", slot)
        simulation.set("i", from_bytes(block))
        simulation.set("start", cycle in starts)
        outputs.append(to_bytes(simulation.get("sequential_o")))
        simulation.step()
    simulation.set("start", 0)
    return outputs


def load_random_keys(bench, rng):
    keys = [rng.randbytes(bench.key_bytes) for _ in range(bench.slots)]
    for slot, key in enumerate(keys):
        bench.load(slot, key)
    return keys


def test_timing(bench):
    unit = bench.design.sequential
    assert unit.latency == unit.interval == unit.rounds + 1
    rng = random.Random(5)
    keys = load_random_keys(bench, rng)
    before = to_bytes(bench.simulation.get("sequential_o"))
    block = rng.randbytes(16)
    outputs = run(bench, 3 * unit.latency, {0: (0, block)})
    assert outputs == [before] * unit.latency + [decrypt(keys[0], block)] * 2 * unit.latency


def test_back_to_back_with_interleaved_slots(bench):
    rng = random.Random(6)
    keys = load_random_keys(bench, rng)
    interval = bench.design.sequential.interval
    jobs = [(rng.randrange(bench.slots), rng.randbytes(16)) for _ in range(20)]
    outputs = run(bench, interval * 21, {n * interval: job for n, job in enumerate(jobs)})
    for n, (slot, block) in enumerate(jobs):
        expected = decrypt(keys[slot], block)
        assert outputs[(n + 1) * interval : (n + 2) * interval] == [expected] * interval


def test_starts_with_gaps(bench):
    rng = random.Random(7)
    keys = load_random_keys(bench, rng)
    unit, starts, cycle = bench.design.sequential, {}, 0
    for _ in range(10):
        starts[cycle] = (rng.randrange(bench.slots), rng.randbytes(16))
        cycle += unit.interval + rng.randrange(5)
    outputs = run(bench, cycle + unit.latency, starts)
    for start, (slot, block) in starts.items():
        assert outputs[start + unit.latency] == decrypt(keys[slot], block)


def test_start_while_busy_is_ignored(bench):
    rng = random.Random(8)
    keys = load_random_keys(bench, rng)
    unit = bench.design.sequential
    starts = {n: (n % bench.slots, rng.randbytes(16)) for n in range(unit.interval)}
    outputs = run(bench, 2 * unit.latency + 1, starts)
    assert set(outputs[unit.latency :]) == {decrypt(keys[0], starts[0][1])}


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"key_bits": 129}, ValueError, "key_bits must be 128, 192 or 256, not 129"),
        ({"key_bits": 128.0}, TypeError, "key_bits must be an integer"),
        ({"slots": -1}, ValueError, "slots must be at least 1, not -1"),
        ({"slots": "1"}, TypeError, "slots must be an integer"),
    ],
)
def test_parameters_are_checked(arguments, error, message):
    with pytest.raises(error, match=message):
        AESDecryptSequential(**arguments)
