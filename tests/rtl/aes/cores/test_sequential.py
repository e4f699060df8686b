# SPDX-License-Identifier: Apache-2.0
"""The sequential decrypter: results, slots, declared latency and interval, the held output."""

import random

import pytest
from tests.built import slowly
from tests.rtl.aes.bench import AESBench, decrypt

from modeloom.rtl.aes.sequential import AESSequential

# Refused components are never elaborated.
pytestmark = pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")

CONFIGURATIONS = [(192, 4, 1), (256, 1, 1), (128, 1, 2), (192, 3, 3), (128, 2, 4)]
CONFIGURATIONS += slowly((128, 1, 1), (128, 3, 1), (256, 4, 2), (256, 1, 4))


@pytest.mark.parametrize(("key_bits", "slots", "registers"), CONFIGURATIONS)
def test_blocks_slots_and_timing(key_bits, slots, registers):
    unit = AESSequential(key_bits, slots, registers, direction="decrypt")
    assert unit.latency - 1 == unit.interval == unit.rounds * registers
    rng = random.Random(5)
    keys = [rng.randbytes(key_bits // 8) for _ in range(slots)]

    def job():
        return rng.randrange(slots), rng.randbytes(16)

    def result(slot, block):
        return decrypt(keys[slot], block)

    async def run(hand, cycles, starts):
        # Between starts, the inputs carry rubbish.
        outputs = []
        for cycle in range(cycles):
            slot, block = starts.get(cycle, (cycle % slots, bytes([cycle % 256] * 16)))
            hand.set(slot=slot, i=block, start=cycle in starts)
            outputs.append(hand.block("decrypter"))
            await hand.tick()
        hand.set(start=0)
        return outputs

    async def output_changes_once_and_is_held(hand):
        only = job()
        before = hand.block("decrypter")
        outputs = await run(hand, 3 * unit.latency, {0: only})
        assert outputs == [before] * unit.latency + [result(*only)] * 2 * unit.latency

    async def back_to_back(hand):
        jobs = [job() for _ in range(12)]
        outputs = await run(hand, unit.interval * 13 + 1, {n * unit.interval: job for n, job in enumerate(jobs)})
        for n, (slot, block) in enumerate(jobs, start=1):
            assert outputs[n * unit.interval + 1 : (n + 1) * unit.interval + 1] == [result(slot, block)] * unit.interval

    async def with_gaps(hand):
        starts, cycle = {}, 0
        for _ in range(8):
            starts[cycle] = job()
            cycle += unit.interval + rng.randrange(5)
        outputs = await run(hand, cycle + unit.latency, starts)
        for start, (slot, block) in starts.items():
            assert outputs[start + unit.latency] == result(slot, block)

    async def start_while_busy_is_ignored(hand):
        starts = {n: job() for n in range(unit.interval)}
        outputs = await run(hand, 2 * unit.latency + 1, starts)
        assert set(outputs[unit.latency :]) == {result(*starts[0])}

    async def scenario(hand):
        for slot, key in enumerate(keys):
            await hand.load(slot, key)
        await output_changes_once_and_is_held(hand)
        await back_to_back(hand)
        await with_gaps(hand)
        await start_while_busy_is_ignored(hand)

    AESBench(key_bits, slots, decrypter=unit).run(scenario)


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
        AESSequential(direction="decrypt", **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"direction": "up"}, "direction must be one of encrypt, decrypt, both, not 'up'"),
        ({"sbox": "ram"}, "sbox must be one of lut, bram, .*, not 'ram'"),
        ({"sbox": "table", "registers_per_round": 3}, "registers_per_round of sbox 'table' must be from 1 to 2, not 3"),
        ({"mixcolumns": "lut4"}, "mixcolumns must be one of plain, lut6, not 'lut4'"),
    ],
)
def test_parameters_of_any_direction_are_checked(arguments, message):
    with pytest.raises(ValueError, match=message):
        AESSequential(**arguments)
