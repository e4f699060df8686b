# SPDX-License-Identifier: Apache-2.0
"""The key schedule: FIPS 197 appendix A, random keys, both forms, declared cycles, erasing."""

import random

import pytest
from amaranth.sim import Simulator
from tests.rtl.aes.bench import INV_MIX, expand_key, from_bytes, multiply_columns, to_bytes
from tests.rtl.aes.keys.fips_197 import FIPS_197_A

from modeloom.rtl.aes.key_schedule import KeySchedule

# Schedules are made here only to be asked for their cycle counts.
pytestmark = pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")

# FIPS 197, A.1 to A.3: the key, the first word that is not of the key, and the last round key.


def simulate(key_bits, cycles, inputs):
    """*inputs*: cycle to port values, all others 0. Returns writes as (cycle, round, data, data_dec), and by cycle
    busy, done, and what the data outputs show."""
    dut = KeySchedule(key_bits)
    writes, busy, done, residue = [], [], [], []

    async def bench(context):
        for cycle in range(cycles):
            values = inputs.get(cycle, {})
            for name in ("start", "erase", "key"):
                context.set(getattr(dut, name), values.get(name, 0))
            if context.get(dut.we):
                data, data_dec = to_bytes(context.get(dut.data)), to_bytes(context.get(dut.data_dec))
                writes.append((cycle, context.get(dut.round), data, data_dec))
            busy.append(context.get(dut.busy))
            done.append(context.get(dut.done))
            residue.append(context.get(dut.data) | context.get(dut.data_dec))
            await context.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return writes, busy, done, residue


def expected_writes(key, start):
    keys = expand_key(key)
    last = len(keys) - 1
    return [
        (start + 4 * r + 2, r, k, k if r in (0, last) else multiply_columns(INV_MIX, k)) for r, k in enumerate(keys)
    ]


@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_published_keys(key_bits):
    key, word, last = (bytes.fromhex(text) for text in FIPS_197_A[key_bits])
    writes = simulate(key_bits, 70, {0: {"start": 1, "key": from_bytes(key)}})[0]
    stream = b"".join(data for _, _, data, _ in writes)
    assert stream[: len(key)] == key
    assert stream[len(key) : len(key) + 4] == word
    assert stream[-16:] == last
    assert writes == expected_writes(key, 0)


@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_random_keys_at_the_declared_cycles(key_bits):
    rng = random.Random(9)
    dut = KeySchedule(key_bits)
    keys = [rng.randbytes(key_bits // 8) for _ in range(4)]
    # The second request comes as early as it may, the others later; requests while busy change nothing.
    starts = [3]
    for gap in (1, 2, 9):
        starts.append(starts[-1] + dut.latency + gap)
    inputs = {start + 5: {"start": 1, "erase": start == 3, "key": 12345} for start in starts}
    inputs |= {start: {"start": 1, "key": from_bytes(key)} for start, key in zip(starts, keys, strict=True)}
    writes, busy, done, residue = simulate(key_bits, starts[-1] + dut.latency + 10, inputs)
    assert writes == [write for start, key in zip(starts, keys, strict=True) for write in expected_writes(key, start)]
    ends = [start + dut.latency for start in starts]
    assert [n for n, flag in enumerate(done) if flag] == ends
    at_work = {n for start, end in zip(starts, ends, strict=True) for n in range(start + 1, end + 1)}
    assert {n for n, flag in enumerate(busy) if flag} == at_work
    assert not any(residue[n] for n in range(len(residue)) if n not in at_work)


@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_erase_writes_zeros_everywhere(key_bits):
    dut = KeySchedule(key_bits)
    key = bytes(range(1, key_bits // 8 + 1))
    erase = dut.latency + 1
    inputs = {0: {"start": 1, "key": from_bytes(key)}, erase: {"erase": 1, "start": 1, "key": 99}}
    again = erase + dut.erase_latency + 1
    inputs[again] = inputs[0]
    writes, _, done, _ = simulate(key_bits, again + dut.latency + 3, inputs)
    zeros = [(erase + 1 + r, r, bytes(16), bytes(16)) for r in range(dut.rounds + 1)]
    assert writes == expected_writes(key, 0) + zeros + expected_writes(key, again)
    assert [n for n, flag in enumerate(done) if flag] == [dut.latency, erase + dut.erase_latency, again + dut.latency]


def test_declared_cycles():
    assert [KeySchedule(bits).latency for bits in (128, 192, 256)] == [42, 50, 58]
    assert [KeySchedule(bits).erase_latency for bits in (128, 192, 256)] == [11, 13, 15]


@pytest.mark.parametrize(("key_bits", "error"), [(64, ValueError), ("128", TypeError), (False, TypeError)])
def test_parameters_are_checked(key_bits, error):
    with pytest.raises(error, match="key_bits must be"):
        KeySchedule(key_bits)
