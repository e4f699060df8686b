# SPDX-License-Identifier: Apache-2.0
"""The round core of Deoxys-BC for several key slots: batches of blocks of all slots, tweaks and directions, at the interval and later."""

from random import Random

import pytest
from amaranth.back import rtlil
from tests.built import slowly

from modeloom.ciphers import CoreRequest
from modeloom.ciphers.deoxys import DEOXYS_BC
from modeloom.rtl.deoxys import multistream as core_module
from modeloom.sim import Simulation
from modeloom.spec.cadence import BATCH_LEAD
from modeloom_golden import DeoxysBC256
from modeloom_golden.deoxys_bc import key_parts

pytestmark = pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")


def number(block):
    return int.from_bytes(block, "little")


def request(streams, slots, direction):
    return CoreRequest(direction=direction, form="multistream", key_bits=128, stages=streams, streams=streams, slots=slots)


def run(streams, slots, direction, batches=12):
    """Blocks of random slots and directions in batches: results of the core, and those of the reference."""
    asked, random = request(streams, slots, direction), Random(streams)
    core, timing = DEOXYS_BC.hardware(asked), DEOXYS_BC.timing(asked)
    assert (core.latency, core.interval, streams) == (timing.latency, timing.interval, timing.blocks)
    sim = Simulation.of(rtlil.convert(core, name="deoxys"), "deoxys", optimize=0)
    sim.reset()

    def put(**values):
        for name, value in values.items():
            if name != "decrypt" or direction == "both":
                sim.set(name, value)

    keys = [random.randbytes(16) for _ in range(slots)]
    for slot, key in enumerate(keys):
        for place, part in enumerate(key_parts(key)):
            put(key_we=1, key_slot=slot, key_round=place, key_data=number(part))
            sim.step()
    put(key_we=0)
    at, coming, expected = BATCH_LEAD, {}, {}
    begins = set()
    for batch in range(batches):
        begins.add(at - BATCH_LEAD)
        for n in range(streams):
            # The last block of some batches does not come.
            if n and random.random() < 0.2:
                continue
            slot, decrypt, block, tweak = random.randrange(slots), random.random() < 0.5, random.randbytes(16), random.randbytes(16)
            decrypt = {"encrypt": False, "decrypt": True, "both": decrypt}[direction]
            cipher = DeoxysBC256(keys[slot])
            expected[at + n + timing.latency] = (cipher.decrypt_block if decrypt else cipher.encrypt_block)(block, tweak)
            coming[at + n] = {"i": number(block), "tweak": number(tweak), "slot": slot, "decrypt": int(decrypt)}
        at += timing.interval + (random.randrange(1, 4) if batch % 3 == 2 else 0)
    found = {}
    for cycle in range(max(expected) + 1):
        garbage = {"i": random.getrandbits(128), "tweak": random.getrandbits(128), "slot": random.randrange(slots), "decrypt": 1}
        put(**coming.get(cycle, garbage), batch=int(cycle in begins))
        if cycle in expected:
            found[cycle] = sim.get("o").to_bytes(16, "little")
        sim.step()
    return found, expected


CASES = [(streams, slots, direction) for direction in ("encrypt", "decrypt", "both") for streams in (1, 2, 4) for slots in (1, 3)]
QUICK = [(4, 1, "both"), (4, 3, "encrypt")]


@pytest.mark.parametrize(("streams", "slots", "direction"), [*QUICK, *slowly(*(case for case in CASES if case not in QUICK))])
def test_batches(streams, slots, direction):
    found, expected = run(streams, slots, direction)
    assert found == expected


def test_a_tweak_that_steps_in_the_wrong_order_is_seen(monkeypatch):
    monkeypatch.setattr(core_module, "permute", lambda word, times=1, right=core_module.permute: right(word, abs(times)))
    found, expected = run(1, 1, "decrypt", batches=3)
    assert found != expected


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((3,), ValueError, "streams must be one of 1, 2, 4, not 3"),
        ((4, 0), ValueError, "slots must be at least 1, not 0"),
        ((4, 1, "up"), ValueError, "direction must be one of encrypt, decrypt, both, not 'up'"),
    ],
)
def test_parameters_are_checked(arguments, error, message):
    with pytest.raises(error, match=message):
        core_module.DeoxysBCStreams(*arguments)
