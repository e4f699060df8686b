# SPDX-License-Identifier: Apache-2.0
"""Pipelines with their key schedule: random keys, key sizes and gaps; what a key change costs; collisions; erasing."""

import random
from functools import cache

import pytest
from tests.built import slowly
from tests.rtl.aes.bench import encrypt, expand_key, from_bytes, to_bytes
from tests.rtl.aes.kept import leaves_nothing, simulation

from modeloom.rtl.aes.iterative_schedule import ALL, SIZE_CODES
from modeloom_circuits.aes.agile_pipeline import AESAgilePipeline, AESUnrolledPipeline

FIRST = (ALL, 1, "delay")
MORE = [
    (ALL, 1, "stall"), (128, 1, "delay"), (192, 3, "delay"), (256, 4, "delay"), (ALL, 2, "stall"), (ALL, 4, "delay"), (ALL, 3, "stall"),
]  # fmt: skip
AGILE = [FIRST, *slowly(*((each,) for each in MORE))]

FIPS_197_C = {
    128: "69c4e0d86a7b0430d8cdb78070b4c55a",
    192: "dda97ca4864cdfe06eaf70a0ec0d7191",
    256: "8ea2b7ca516745bfeafc49904b496089",
}


@cache
def unit_of(*configuration):
    return simulation(AESAgilePipeline(*configuration))


class Run:
    """A pipeline, cycle by cycle: what it takes, and what comes out of it, with the cycles."""

    def __init__(self, configuration):
        self.component = AESAgilePipeline(*configuration)
        self.unit = unit_of(*configuration)
        self.unit.reset()
        self.key = None
        self.cycle = 0
        self.expected, self.seen = [], []
        self.keys, self.blocks = [], []

    def tick(self, key=None, block=None, erase=False):
        """A cycle in which these are offered; whether key and block were taken."""
        unit = self.unit
        unit.set("key_valid", key is not None)
        if key is not None:
            unit.set("key", from_bytes(key))
            if "key_size" in unit.ports:
                unit.set("key_size", SIZE_CODES[len(key) * 8])
        unit.set("i_valid", block is not None)
        unit.set("i", from_bytes(block or b""))
        unit.set("erase", erase)
        if unit.get("o_valid"):
            self.seen.append((self.cycle, to_bytes(unit.get("o"))))
        else:
            assert unit.get("o") == 0
        taken = [bool(value is not None and unit.get(ready)) for value, ready in ((key, "key_ready"), (block, "i_ready"))]
        if taken[1]:
            # A block of the same cycle still has the old key.
            self.expected.append((self.cycle + self.component.latencies[len(self.key) * 8], encrypt(self.key, block)))
            self.blocks.append(self.cycle)
        if taken[0]:
            self.key = key
            self.keys.append(self.cycle)
        unit.step()
        self.cycle += 1
        return taken

    def drain(self):
        for _ in range(self.component.latency):
            self.tick()
        assert self.seen == self.expected


@pytest.mark.parametrize("configuration", AGILE, ids=lambda c: "-".join(map(str, c)))
def test_random_keys_sizes_and_gaps(configuration):
    run = Run(configuration)
    rng = random.Random(1)
    for _ in range(12):
        often_key, often_block = rng.choice((0.02, 0.2, 1)), rng.choice((0.3, 0.9, 1))
        for _ in range(60):
            key = rng.randbytes(rng.choice(run.component.sizes) // 8) if rng.random() < often_key else None
            run.tick(key, rng.randbytes(16) if rng.random() < often_block else None)
    run.drain()
    assert len(run.keys) > 10 and len(run.blocks) > 300
    for bits in run.component.sizes:
        key, block = bytes(range(bits // 8)), bytes.fromhex("00112233445566778899aabbccddeeff")
        while not run.tick(key)[0]:
            pass
        while not run.tick(None, block)[1]:
            pass
        run.drain()
        assert run.seen[-1][1].hex() == FIPS_197_C[bits]


@pytest.mark.parametrize("configuration", AGILE, ids=lambda c: "-".join(map(str, c)))
def test_what_a_key_change_costs(configuration):
    run = Run(configuration)
    component, rng = run.component, random.Random(2)
    # Keys and blocks are offered in every cycle.  In six keys there is each pair of sizes.
    sizes = [256, 192, 128, 256, 128, 192, 192, 256, 256, 128, 128] if configuration[0] == ALL else [configuration[0]] * 4
    for bits in sizes:
        key = rng.randbytes(bits // 8)
        while not run.tick(key, rng.randbytes(16))[0]:
            pass
    run.drain()
    # A key is taken as early as declared, and the blocks go on in the next cycle, or after the stall.
    assert [b - a for a, b in zip(run.keys, run.keys[1:], strict=False)] == [component.key_interval[bits] for bits in sizes[:-1]]
    lost = []
    for old, new, at in zip(sizes, sizes[1:], run.keys[1:], strict=False):
        after = min(cycle for cycle in run.blocks if cycle > at) if at < run.blocks[-1] else at + 1 + component.stall[old, new]
        assert at in run.blocks
        lost.append(after - at - 1)
    assert lost == [component.stall[pair] for pair in zip(sizes, sizes[1:], strict=False)]
    if component.collision == "delay":
        assert not any(lost)
        # Not a cycle without a result, from the first to the last.
        cycles = [cycle for cycle, _ in run.seen]
        assert cycles == list(range(cycles[0], cycles[0] + len(cycles)))
    else:
        stages = component.registers_per_round
        assert {component.stall[256, 128], component.stall[256, 192], component.stall[192, 128]} == {4 * stages, 2 * stages}


@pytest.mark.parametrize("configuration", AGILE, ids=lambda c: "-".join(map(str, c)))
def test_erasing_forgets_keys_and_blocks(configuration):
    run = Run(configuration)
    component, unit = run.component, run.unit
    bits = component.sizes[-1]

    def words():
        return {unit.get(name) for name, port in unit.objects.items() if port.kind == "state" and port.width == 128}

    def use(n):
        run.cycle, run.seen, run.expected = 0, [], []
        rng = random.Random(n)
        key = rng.randbytes(bits // 8)
        run.tick(key)
        for _ in range(3 * component.latency):
            run.tick(None, rng.randbytes(16))
        run.round_keys = {from_bytes(data) for data in expand_key(key)}
        assert run.round_keys <= words()

    def erase():
        run.tick(bytes([7] * (bits // 8)), bytes([8] * 16), erase=True)
        assert not run.round_keys & words()
        assert unit.get("key_ready") and not unit.get("i_ready")
        left = len(run.seen)
        for _ in range(component.flush_latency - 1):
            assert run.tick(None, bytes(16)) == [False, False]
        assert len(run.seen) == left < len(run.expected)

    assert leaves_nothing(unit, use, erase, component.flush_latency)
    run.seen, run.expected = [], []
    key, block = bytes(range(bits // 8)), bytes(16)
    run.tick(key)
    run.tick(None, block)
    run.drain()


@pytest.mark.parametrize(
    "configuration",
    [(128, 1), *slowly(*((each,) for each in ((ALL, 1), (ALL, 3), (192, 2), (256, 4))))],
    ids=lambda c: "-".join(map(str, c)),
)
def test_a_key_for_each_block(configuration):
    component = AESUnrolledPipeline(*configuration)
    unit = simulation(component)
    rng = random.Random(3)

    def cycle(expected, valid):
        key, block = rng.randbytes(rng.choice(component.sizes) // 8), rng.randbytes(16)
        unit.set("key", from_bytes(key))
        if "key_size" in unit.ports:
            unit.set("key_size", SIZE_CODES[len(key) * 8])
        unit.set("i", from_bytes(block))
        unit.set("i_valid", valid)
        expected.append(encrypt(key, block) if valid else None)
        shown = to_bytes(unit.get("o")) if unit.get("o_valid") else None
        assert shown is not None or unit.get("o") == 0
        unit.step()
        return shown

    expected, seen = [], []
    for n in range(60 + component.latency):
        seen.append(cycle(expected, n < 60 and rng.random() < 0.8))
    assert seen[component.latency :] == expected[:60]
    assert seen[: component.latency] == [None] * component.latency

    def use(n):
        rng.seed(n)
        for _ in range(component.latency // 2):
            cycle([], True)

    def erase():
        for n in range(component.flush_latency):
            for name in {"key", "key_size", "i", "i_valid"} & set(unit.ports):
                unit.set(name, 0)
            unit.set("erase", n == 0)
            unit.step()
            assert not unit.get("o_valid")

    assert leaves_nothing(unit, use, erase, component.flush_latency)


@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
def test_declared_cycles():
    delay, stall = AESAgilePipeline(ALL), AESAgilePipeline(ALL, 1, "stall")
    assert (delay.latency, delay.latencies, set(delay.stall.values())) == (15, {128: 15, 192: 15, 256: 15}, {0})
    assert stall.latencies == {128: 11, 192: 13, 256: 15}
    assert stall.stall == {
        (128, 128): 0, (128, 192): 0, (128, 256): 0, (192, 128): 2, (192, 192): 0, (192, 256): 0, (256, 128): 4, (256, 192): 2,
        (256, 256): 0,
    }  # fmt: skip
    assert delay.key_interval == {128: 10, 192: 12, 256: 14}
    assert AESUnrolledPipeline(128).latency == 12


@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("some",), TypeError, "key_bits must be an integer"),
        ((128, 0), ValueError, "registers_per_round must be from 1 to 4, not 0"),
        ((128, 1, "drop"), ValueError, "collision must be one of delay, stall, not 'drop'"),
    ],
)
def test_parameters_are_checked(arguments, error, message):
    with pytest.raises(error, match=message):
        AESAgilePipeline(*arguments)
