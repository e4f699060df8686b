# SPDX-License-Identifier: Apache-2.0
"""Pipelines: against another implementation, with interleaved slots, and their declared timing."""

import random

import pytest
from modeloom.rtl.aes.pipeline import AESDecryptPipeline, AESEncryptPipeline

from tests.rtl.aes.bench import AESBenchSimulation, decrypt, encrypt, from_bytes, to_bytes

# key_bits, registers_per_round, slots, whitening_register
CONFIGURATIONS = [
    (128, 1, 1, True),
    (192, 1, 1, True),
    (256, 1, 1, True),
    (128, 2, 4, True),
    (192, 2, 4, True),
    (256, 2, 4, True),
    (128, 1, 3, False),
    (128, 2, 1, False),
    (128, 3, 4, True),
    (128, 4, 1, True),
    (256, 4, 2, False),
]
FIPS_197_C = {
    128: "69c4e0d86a7b0430d8cdb78070b4c55a",
    192: "dda97ca4864cdfe06eaf70a0ec0d7191",
    256: "8ea2b7ca516745bfeafc49904b496089",
}


def pump(bench, blocks, slots):
    """One block a cycle; what comes out, from the cycle of the first block on, as long as the slower one needs."""
    simulation = bench.simulation
    outputs = []
    for n in range(len(blocks) + bench.design.encrypter.latency):
        if n < len(blocks):
            simulation.set("i", from_bytes(blocks[n]))
            simulation.set("slot", slots[n])
        else:
            simulation.set("i", 0)
        outputs.append((to_bytes(simulation.get("encrypted")), to_bytes(simulation.get("decrypted"))))
        simulation.step()
    return outputs


@pytest.fixture(scope="module", params=CONFIGURATIONS, ids=lambda c: "-".join(map(str, c)))
def bench(request):
    return AESBenchSimulation(*request.param)


def test_published_vectors_at_the_declared_cycle(bench):
    bits = bench.design.encrypter.key_bits
    plain, cipher = bytes.fromhex("00112233445566778899aabbccddeeff"), bytes.fromhex(FIPS_197_C[bits])
    bench.load(bench.slots - 1, bytes(range(bits // 8)))
    # The first block enters in the cycle after the last round key was written.
    outputs = pump(bench, [plain, cipher, bytes(16)], [bench.slots - 1] * 3)
    latency = bench.design.encrypter.latency
    assert bench.design.decrypter.latency == latency
    assert [n for n, (encrypted, _) in enumerate(outputs) if encrypted == cipher] == [latency]
    assert [n for n, (_, decrypted) in enumerate(outputs) if decrypted == plain] == [latency + 1]


def test_random_blocks_every_cycle_with_interleaved_slots(bench):
    rng = random.Random(2)
    keys = [rng.randbytes(bench.key_bytes) for _ in range(bench.slots)]
    for slot, key in enumerate(keys):
        bench.load(slot, key)
    blocks = [rng.randbytes(16) for _ in range(100)]
    slots = [rng.randrange(bench.slots) for _ in blocks]
    outputs = pump(bench, blocks, slots)[bench.design.encrypter.latency :]
    assert bench.design.encrypter.interval == bench.design.decrypter.interval == 1
    assert outputs == [(encrypt(keys[s], b), decrypt(keys[s], b)) for b, s in zip(blocks, slots, strict=True)]


def test_loading_a_slot_leaves_the_others_alone(bench):
    if bench.slots == 1:
        pytest.skip("one slot only")
    rng = random.Random(3)
    keys = [rng.randbytes(bench.key_bytes) for _ in range(bench.slots)]
    for slot, key in enumerate(keys):
        bench.load(slot, key)
    new = rng.randbytes(bench.key_bytes)
    blocks = [rng.randbytes(16) for _ in range(80)]
    bench.request_key(0, new)
    outputs = pump(bench, blocks, [1] * len(blocks))[bench.design.encrypter.latency :]
    assert [e for e, _ in outputs] == [encrypt(keys[1], block) for block in blocks]
    assert not bench.simulation.get("key_busy")
    assert pump(bench, blocks[:1], [0])[-1] == (encrypt(new, blocks[0]), decrypt(new, blocks[0]))


def test_erased_slot_has_zero_round_keys(bench):
    rng = random.Random(4)
    keys = [rng.randbytes(bench.key_bytes) for _ in range(bench.slots)]
    for slot, key in enumerate(keys):
        bench.load(slot, key)
    bench.load(0, None)
    # With zero round keys the cipher does not depend on which key was there, and decryption inverts encryption.
    block = rng.randbytes(16)
    encrypted = pump(bench, [block], [0])[-1][0]
    assert encrypted != encrypt(keys[0], block)
    assert pump(bench, [encrypted], [0])[-1][1] == block
    bench.load(0, rng.randbytes(bench.key_bytes))
    bench.load(0, None)
    assert pump(bench, [block], [0])[-1][0] == encrypted
    if bench.slots > 1:
        assert pump(bench, [block], [1])[-1][0] == encrypt(keys[1], block)


@pytest.mark.parametrize("unit", [AESEncryptPipeline, AESDecryptPipeline])
@pytest.mark.parametrize(
    ("key_bits", "registers", "whitening", "latency"),
    [(128, 1, True, 11), (128, 1, False, 10), (128, 2, True, 21), (192, 2, False, 24), (256, 3, True, 43)],
)
def test_latency_formula(unit, key_bits, registers, whitening, latency):
    assert unit(key_bits, registers, whitening_register=whitening).latency == latency


@pytest.mark.parametrize("unit", [AESEncryptPipeline, AESDecryptPipeline])
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
    ],
)
def test_parameters_are_checked(unit, arguments, error, message):
    with pytest.raises(error, match=message):
        unit(**arguments)
