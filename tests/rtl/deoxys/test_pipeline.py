# SPDX-License-Identifier: Apache-2.0
"""The pipeline of Deoxys-BC: random blocks, tweaks, slots and directions in every cycle, and published vectors through it."""

from random import Random

import pytest
from amaranth.back import rtlil
from tests.built import slowly

from modeloom import vectors
from modeloom.rtl.deoxys.rounds import DeoxysBCPipeline
from modeloom.sim import Simulation
from modeloom_golden import DeoxysBC256, deoxys_i
from modeloom_golden.deoxys_bc import key_parts

pytestmark = pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")


def number(block):
    return int.from_bytes(block, "little")


class Bench:
    """A simulated pipeline."""

    def __init__(self, *parameters):
        self.core = DeoxysBCPipeline(*parameters)
        self.simulation = Simulation.of(rtlil.convert(self.core, name="deoxys"), "deoxys", optimize=0)
        self.simulation.reset()

    def set(self, **values):
        for name, value in values.items():
            self.simulation.set(name, value)

    def load(self, slot, key):
        for place, part in enumerate(key_parts(key)):
            self.set(key_we=1, key_slot=slot, key_round=place, key_data=number(part))
            self.simulation.step()
        self.set(key_we=0, key_data=0)

    def run(self, operations):
        """Results of (slot, decrypt, block, tweak), one in each cycle."""
        results = []
        for cycle in range(len(operations) + self.core.latency):
            if cycle < len(operations):
                slot, decrypt, block, tweak = operations[cycle]
                self.set(i=number(block), tweak=number(tweak), slot=slot)
                if self.core.direction == "both":
                    self.set(decrypt=decrypt)
            if cycle >= self.core.latency:
                results.append(self.simulation.get("o").to_bytes(16, "little"))
            self.simulation.step()
        return results


CASES = [(stages, slots, direction) for direction in ("encrypt", "decrypt", "both") for stages in (1, 2, 3, 4) for slots in (1, 3)]
QUICK = (1, 3, "encrypt")


@pytest.mark.parametrize(("stages", "slots", "direction"), [QUICK, *slowly(*(case for case in CASES if case != QUICK))])
def test_every_cycle_another_operation(stages, slots, direction):
    bench, random = Bench(stages, slots, direction), Random(stages)
    assert (bench.core.latency, bench.core.interval) == (14 * stages + 1, 1)
    keys = [random.randbytes(16) for _ in range(slots)]
    for slot, key in enumerate(keys):
        bench.load(slot, key)
    operations = []
    for _ in range(40):
        decrypt = {"encrypt": False, "decrypt": True, "both": random.random() < 0.5}[direction]
        operations.append((random.randrange(slots), decrypt, random.randbytes(16), random.randbytes(16)))
    ciphers = [DeoxysBC256(key) for key in keys]
    expected = [
        (ciphers[slot].decrypt_block if decrypt else ciphers[slot].encrypt_block)(block, tweak)
        for slot, decrypt, block, tweak in operations
    ]
    assert bench.run(operations) == expected
    if slots > 1 and direction != "decrypt":
        for test in vectors.load("deoxys_i")["tests"]:
            # A whole first block of text is a call of the cipher.
            if len(test["pt"]) >= 32:
                key, nonce, text, sealed = (bytes.fromhex(test[name]) for name in ("key", "nonce", "pt", "ct"))
                bench.load(1, key)
                assert bench.run([(1, False, text[:16], deoxys_i.text_tweak(0, nonce, 0))]) == [sealed[:16]]
    if direction == "both":
        for slot, key in enumerate(keys):
            bench.load(slot, key)
        there = [(slot, not decrypt, result, tweak) for (slot, decrypt, _, tweak), result in zip(operations, expected, strict=True)]
        assert bench.run(there) == [block for _, _, block, _ in operations]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((5,), ValueError, "registers_per_round must be from 1 to 4, not 5"),
        ((True,), TypeError, "registers_per_round must be an integer, not True"),
        ((1, 0), ValueError, "slots must be at least 1, not 0"),
        ((1, 1, "up"), ValueError, "direction must be one of encrypt, decrypt, both, not 'up'"),
    ],
)
def test_parameters_are_checked(arguments, error, message):
    with pytest.raises(error, match=message):
        DeoxysBCPipeline(*arguments)
