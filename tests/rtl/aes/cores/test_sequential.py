# SPDX-License-Identifier: Apache-2.0
"""Sequential and serial cores: results, slots, declared latency and interval, the held output, and what a reset leaves."""

import random

import pytest
from tests.built import slowly
from tests.rtl.aes.bench import AESBench, decrypt, encrypt
from tests.rtl.aes.kept import held, simulation

from modeloom.ciphers import AES, CoreRequest
from modeloom.rtl.aes.sequential import AESSequential, AESSerial
from modeloom.spec.mode import DIRECTIONS

# Refused components are never elaborated.
pytestmark = pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")

CONFIGURATIONS = [(192, 4, 1), (256, 1, 1), (128, 1, 2), (192, 3, 3), (128, 2, 4)]
CONFIGURATIONS += slowly((128, 1, 1), (128, 3, 1), (256, 4, 2), (256, 1, 4))


@pytest.mark.parametrize(("key_bits", "slots", "registers"), CONFIGURATIONS)
def test_blocks_slots_and_timing(key_bits, slots, registers):
    unit = AESSequential(key_bits, slots, registers, direction="decrypt")
    assert unit.latency - 1 == unit.interval == unit.rounds * registers
    check_blocks(unit, key_bits, slots, decrypt)


SERIAL = [(128, 1, 32, "encrypt"), (192, 3, 32, "decrypt"), (128, 2, 8, "encrypt"), (192, 1, 8, "decrypt")]
SERIAL += slowly((256, 2, 32, "encrypt"), (128, 1, 32, "decrypt"), (256, 1, 8, "encrypt"), (128, 3, 8, "decrypt"))


@pytest.mark.parametrize(("key_bits", "slots", "bits", "direction"), SERIAL)
def test_serial(key_bits, slots, bits, direction):
    unit = AESSerial(key_bits, slots, bits=bits, direction=direction)
    check_blocks(unit, key_bits, slots, {"encrypt": encrypt, "decrypt": decrypt}[direction])


@pytest.mark.parametrize("bits", (32, 8))
def test_the_timing_of_serial_cores_is_that_of_the_description(bits):
    for key_bits in AES.key_bits:
        for batch in (False, True):
            for direction in DIRECTIONS:
                request = CoreRequest(direction=direction, form=f"serial{bits}", key_bits=key_bits, stages=1, batch=batch)
                unit, timing = AES.hardware(request), AES.timing(request)
                assert (unit.latency, unit.interval) == (timing.latency, timing.interval) and timing.blocks == 1
                assert request.started == hasattr(unit, "start") != hasattr(unit, "batch")


@pytest.mark.parametrize("bits", (32, 8))
def test_nothing_of_a_block_is_in_a_serial_core_after_a_reset(bits):
    """The registers at once, and the memory of the state 40 cycles later.  What counts on, and parts of round keys, are left out."""
    unit, rng = simulation(AESSerial(bits=bits, direction="both")), random.Random(3)
    for number in range(11):
        for name, value in (("key_we", 1), ("key_round", number), ("key_data", rng.getrandbits(128)), ("key_data_dec", 5 + number)):
            unit.set(name, value)
        unit.step()
    unit.set("key_we", 0)
    # Its words are not those of a block, so ``held`` leaves it out.
    memories = [name for name, port in unit.objects.items() if port.kind == "memory" and (port.width, port.depth) == (8, 32)]
    assert len(memories) == (bits == 8)

    def left(block, cycles):
        for values, steps in (({"i": block, "start": 1}, 1), ({"i": 0, "start": 0}, 50 if bits == 32 else 190), ({"rst": 1}, 1)):
            for name, value in values.items():
                unit.set(name, value)
            unit.step(steps)
        unit.set("rst", 0)
        unit.step(cycles)
        registers = {name: value for name, value in held(unit).items() if isinstance(value, int) and not name.endswith(GOES_ON)}
        return registers, [unit.get(name, place) for name in memories for place in range(32)]

    for cycles in (0, 40):
        one, other = left(0, cycles), left(rng.getrandbits(128), cycles)
        assert one[0] == other[0]
        assert (one[1] == other[1]) == (cycles == 40 or not memories)
        assert cycles < 40 or not any(one[1]), "round keys are in the memory of the state"


GOES_ON = ("place_reg", "row_reg", "round_reg", "key_part_reg", "write_at_reg", "taken_reg")


def check_blocks(unit, key_bits, slots, cipher):
    name = "decrypter" if unit.direction == "decrypt" else "encrypter"
    rng = random.Random(5)
    keys = [rng.randbytes(key_bits // 8) for _ in range(slots)]

    def job():
        return rng.randrange(slots), rng.randbytes(16)

    def result(slot, block):
        return cipher(keys[slot], block)

    async def run(hand, cycles, starts):
        # Between starts, the inputs carry rubbish.
        outputs = []
        for cycle in range(cycles):
            slot, block = starts.get(cycle, (cycle % slots, bytes([cycle % 256] * 16)))
            hand.set(slot=slot, i=block, start=cycle in starts)
            outputs.append(hand.block(name))
            await hand.tick()
        hand.set(start=0)
        return outputs

    async def output_changes_once_and_is_held(hand):
        only = job()
        before = hand.block(name)
        outputs = await run(hand, 3 * unit.latency, {0: only})
        assert outputs == [before] * unit.latency + [result(*only)] * 2 * unit.latency

    async def back_to_back(hand):
        jobs = [job() for _ in range(12)]
        outputs = await run(hand, unit.interval * 12 + unit.latency, {n * unit.interval: job for n, job in enumerate(jobs)})
        for n, (slot, block) in enumerate(jobs, start=1):
            done = (n - 1) * unit.interval + unit.latency
            seen = outputs[done : done + unit.interval]
            assert seen == [result(slot, block)] * len(seen) and seen

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

    AESBench(key_bits, slots, **{name: unit}).run(scenario)


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


def test_parameters_of_serial_cores_are_checked():
    with pytest.raises(ValueError, match="bits must be 32 or 8, not 16"):
        AESSerial(bits=16)


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
