# SPDX-License-Identifier: Apache-2.0
"""Pipelines: against another implementation, with interleaved slots, and their declared timing."""

import random

import pytest
from amaranth.back import rtlil
from amaranth.sim import Simulator
from tests.built import slow, slowly
from tests.rtl.aes.bench import AESBench, decrypt, encrypt, encrypt_with, expand_key, from_bytes, to_bytes

from modeloom.rtl.aes.key_schedule import KeySchedule
from modeloom.rtl.aes.pipeline import AESPipeline
from modeloom.rtl.cipher_bench import CipherBench
from modeloom.sim import Simulation
from modeloom.spec.mode import DIRECTIONS

# Some components are made only to be asked for their figures, or to be refused.
pytestmark = pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")

# key_bits, registers_per_round, slots, whitening_register, sbox
CONFIGURATIONS = [
    (128, 1, 1, False, "lut"),
    (128, 2, 1, True, "bram"),
]
CONFIGURATIONS += slowly(
    ((128, 4, 1, False, "lut"),),
    ((128, 2, 4, True, "lut"),),
    ((128, 4, 1, True, "lut"),),
    ((192, 3, 1, True, "lut"),),
    ((256, 1, 1, False, "lut"),),
    ((128, 1, 1, True, "lut"),),
    ((128, 1, 4, False, "lut"),),
    ((128, 1, 4, True, "bram"),),
    ((192, 3, 1, True, "bram"),),
    ((256, 4, 1, True, "bram"),),
)
FIPS_197_C = {
    128: "69c4e0d86a7b0430d8cdb78070b4c55a",
    192: "dda97ca4864cdfe06eaf70a0ec0d7191",
    256: "8ea2b7ca516745bfeafc49904b496089",
}


@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=lambda c: "-".join(map(str, c)))
def test_blocks_and_keys(configuration):
    key_bits, registers, slots, whitening, sbox = configuration
    units = {
        "encrypter": AESPipeline(key_bits, registers, slots, whitening_register=whitening, sbox=sbox),
        "decrypter": AESPipeline(key_bits, registers, slots, direction="decrypt", whitening_register=whitening, sbox=sbox),
    }
    latency = units["encrypter"].latency
    assert units["decrypter"].latency == latency
    assert units["encrypter"].interval == units["decrypter"].interval == 1
    rng = random.Random(2)
    keys = [rng.randbytes(key_bits // 8) for _ in range(slots)]

    async def pump(hand, blocks, block_slots):
        outputs = (await hand.pump(blocks, block_slots, len(blocks) + latency))[latency:]
        return [(output["encrypter"], output["decrypter"]) for output in outputs]

    async def published_vectors_at_the_declared_cycle(hand):
        plain, cipher = bytes.fromhex("00112233445566778899aabbccddeeff"), bytes.fromhex(FIPS_197_C[key_bits])
        await hand.load(slots - 1, bytes(range(key_bits // 8)))
        # The first block enters in the cycle after the last round key was written.
        outputs = await hand.pump([plain, cipher], [slots - 1] * 2, latency + 2)
        assert [n for n, output in enumerate(outputs) if output["encrypter"] == cipher] == [latency]
        assert [n for n, output in enumerate(outputs) if output["decrypter"] == plain] == [latency + 1]

    async def interleaved_slots_every_cycle(hand):
        blocks = [rng.randbytes(16) for _ in range(12)]
        block_slots = [rng.randrange(slots) for _ in blocks]
        pairs = zip(blocks, block_slots, strict=True)
        assert await pump(hand, blocks, block_slots) == [(encrypt(keys[s], b), decrypt(keys[s], b)) for b, s in pairs]

    async def loading_leaves_other_slots_alone(hand):
        blocks = [rng.randbytes(16) for _ in range(8)]
        keys[0] = rng.randbytes(key_bits // 8)
        await hand.request_key(0, keys[0])
        # These are in the pipeline while round keys of slot 0 are written.
        expected = [(encrypt(keys[1], block), decrypt(keys[1], block)) for block in blocks]
        assert await pump(hand, blocks, [1] * 8) == expected
        while hand.get("key_busy"):
            await hand.tick()

    async def an_erased_slot_has_zero_round_keys(hand):
        await hand.load(0, None)
        block = rng.randbytes(16)
        zero = encrypt_with([bytes(16) for _ in range(units["encrypter"].rounds + 1)], block)
        outputs = await pump(hand, [block, zero, block], [0, 0, slots - 1])
        assert (outputs[0][0], outputs[1][1]) == (zero, block)
        if slots > 1:
            assert outputs[2] == (encrypt(keys[-1], block), decrypt(keys[-1], block))

    async def scenario(hand):
        await published_vectors_at_the_declared_cycle(hand)
        for slot, key in enumerate(keys):
            await hand.load(slot, key)
        await interleaved_slots_every_cycle(hand)
        if slots > 1:
            await loading_leaves_other_slots_alone(hand)
            await interleaved_slots_every_cycle(hand)
        await an_erased_slot_has_zero_round_keys(hand)

    AESBench(key_bits, slots, **units).run(scenario)


def test_same_in_compiled_simulation():
    # All other tests run in Amaranth's simulator; users run CXXRTL.
    dut = AESPipeline(128, 1, 2)
    simulation = Simulation.of(rtlil.convert(dut, name="aes"), "aes", optimize=0)
    simulation.reset()
    rng = random.Random(3)
    keys = [rng.randbytes(16) for _ in range(2)]
    simulation.set("key_we", 1)
    for slot, key in enumerate(keys):
        for number, data in enumerate(expand_key(key)):
            simulation.set("key_slot", slot)
            simulation.set("key_round", number)
            simulation.set("key_data", from_bytes(data))
            simulation.step()
    simulation.set("key_we", 0)
    jobs = [(rng.randrange(2), rng.randbytes(16)) for _ in range(64)]
    outputs = []
    for slot, block in jobs + [(0, bytes(16))] * dut.latency:
        simulation.set("slot", slot)
        simulation.set("i", from_bytes(block))
        outputs.append(to_bytes(simulation.get("o")))
        simulation.step()
    assert outputs[dut.latency :] == [encrypt(keys[slot], block) for slot, block in jobs]


def both_ways(dut, turned=0):
    """Blocks of the standard's example and others through a pipeline for both directions: results, and what they should be.

    Directions change with every block; *turned* is added to them.
    """
    rng = random.Random(9)
    keys = [bytes(range(dut.key_bits // 8)), rng.randbytes(dut.key_bits // 8)][: dut.slots]
    example = [(0, 0, bytes.fromhex("00112233445566778899aabbccddeeff")), (0, 1, bytes.fromhex(FIPS_197_C[dut.key_bits]))]
    jobs = example + [(rng.randrange(dut.slots), n % 2, rng.randbytes(16)) for n in range(8)]
    bench = CipherBench("both", dut, KeySchedule(dut.key_bits), dut.slots)
    results = []

    async def testbench(context):
        for slot, key in enumerate(keys):
            for name, value in {"key": from_bytes(key), "key_slot": slot, "key_start": 1}.items():
                context.set(getattr(bench, name), value)
            await context.tick()
            context.set(bench.key_start, 0)
            await context.tick().repeat(bench.schedule.latency + 2)
        for slot, decrypts, block in jobs + [(0, 0, bytes(16))] * dut.latency:
            for name, value in {"slot": slot, "decrypt": decrypts ^ turned, "i": from_bytes(block)}.items():
                context.set(getattr(bench, name), value)
            results.append(to_bytes(context.get(bench.o)))
            await context.tick()

    simulator = Simulator(bench)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()
    expected = [(decrypt if decrypts else encrypt)(keys[slot], block) for slot, decrypts, block in jobs]
    assert expected[:2] == [example[1][2], example[0][2]]
    return results[dut.latency :], expected


@pytest.mark.parametrize(("key_bits", "registers", "slots", "sbox"), [
    (128, 1, 2, "lut"), *slowly((256, 2, 1, "lut"), (192, 3, 2, "bram"), (128, 4, 1, "compact")),
])  # fmt: skip
def test_both_directions_in_one_pipeline(key_bits, registers, slots, sbox):
    found, expected = both_ways(AESPipeline(key_bits, registers, slots, direction="both", sbox=sbox))
    assert found == expected


@slow
def test_a_direction_that_is_turned_is_seen():
    found, expected = both_ways(AESPipeline(128, 1, 1, direction="both"), turned=1)
    assert not set(found) & set(expected)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(
    ("key_bits", "registers", "whitening", "latency"),
    [(128, 1, True, 11), (128, 1, False, 10), (128, 2, True, 21), (192, 2, False, 24), (256, 3, True, 43)],
)
def test_latency_formula(direction, key_bits, registers, whitening, latency):
    assert AESPipeline(key_bits, registers, direction=direction, whitening_register=whitening).latency == latency


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"key_bits": 64}, ValueError, "key_bits must be 128, 192 or 256, not 64"),
        ({"key_bits": "128"}, TypeError, "key_bits must be an integer"),
        ({"key_bits": True}, TypeError, "key_bits must be an integer"),
        ({"registers_per_round": 0}, ValueError, "registers_per_round must be from 1 to 4, not 0"),
        ({"registers_per_round": 5}, ValueError, "registers_per_round must be from 1 to 4, not 5"),
        ({"registers_per_round": 1.0}, TypeError, "registers_per_round must be an integer"),
        ({"slots": 0}, ValueError, "slots must be at least 1, not 0"),
        ({"slots": None}, TypeError, "slots must be an integer"),
        ({"whitening_register": 1}, TypeError, "whitening_register must be True or False"),
        ({"sbox": "ram"}, ValueError, "sbox must be one of lut, bram, .*, not 'ram'"),
        ({"mixcolumns": "lut4"}, ValueError, "mixcolumns must be one of plain, lut6, not 'lut4'"),
        ({"sbox": "bram", "whitening_register": False}, ValueError, "sbox 'bram' needs whitening_register"),
    ],
)
def test_parameters_are_checked(direction, arguments, error, message):
    with pytest.raises(error, match=message):
        AESPipeline(direction=direction, **arguments)
