# SPDX-License-Identifier: Apache-2.0
"""The variants of gcm2008, chapter 4: three multipliers with a product in one cycle or two, three kinds of S-boxes, an outer pipeline."""

from itertools import product
from random import Random

import pytest
from tests.built import slow
from tests.cores.stream.host import Host
from tests.cores.stream.traffic import Traffic, check, tokens

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.modes.gcm import GCM
from modeloom.spec import InputError

SLOTS = 2

OUTER = {"cipher_stages": 1, "key_slots": SLOTS}
"""An outer pipeline: a register for each round."""

VARIANTS = list(product(("mastrovito", "karatsuba", "fan-hasan"), (0, 1), ("lut", "bram", "composite")))

SMALLEST = ("fan-hasan", 0, "composite")


def of(arch, stages, sbox, **more):
    options = StreamOptions(mul_arch=arch, mul_stages=stages, cipher_sbox=sbox, **{**OUTER, **more})
    return compile_stream(GCM(), options, prove=False)


def works(compiled, sizes):
    """Random messages, and then a new key at every message, which costs no cycle."""
    rng, host = Random(3), Host(compiled)
    keys = [rng.randbytes(sizes[slot % len(sizes)]) for slot in range(SLOTS)]
    for slot, key in enumerate(keys):
        host.key(key, slot)
    traffic = Traffic(GCM(), keys, rng)
    check(host, traffic.some(20))
    made = [traffic.one(None, 8, 80, slot=number % SLOTS) for number in range(8)]
    statuses = check(host, made)
    assert statuses[-1].status_cycle - statuses[0].status_cycle == tokens(made[1:])


@slow
def test_a_product_in_one_cycle():
    works(of(*SMALLEST, key_bits=128), (16,))


@slow
@pytest.mark.parametrize(("arch", "stages", "sbox"), VARIANTS)
def test_every_variant_for_keys_of_all_sizes(arch, stages, sbox):
    works(of(arch, stages, sbox), (32, 16))


@pytest.mark.parametrize("stages", [0, 1])
def test_cycles_of_a_product(stages):
    """From the registers of its operands to that of the product; the hash has a chain for each cycle until it may be read."""
    compiled = of("mastrovito", stages, "lut")
    assert compiled.plan.placed.latencies["mul"] == 2 + stages
    assert compiled.explain()["chains"] == 4 + stages


def test_the_pipeline_with_a_product_in_one_cycle_is_proved():
    compiled = compile_stream(GCM(), StreamOptions(mul_stages=0, key_bits=128, **OUTER))
    assert compiled.proof is not None


@pytest.mark.parametrize("stages", [-1, 9])
def test_wrong_numbers_of_registers(stages):
    with pytest.raises(InputError, match="--mul-stages must be from 0 to 8"):
        compile_stream(GCM(), StreamOptions(mul_stages=stages), prove=False)
