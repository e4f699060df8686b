# SPDX-License-Identifier: Apache-2.0
"""The round core of Deoxys-BC: batches with gaps, the cycles of its results, keys that change, erasure, and mistakes that are seen."""

from random import Random

import pytest
from amaranth.back import rtlil
from tests.built import slowly

from modeloom.rtl.deoxys import multistream, rounds
from modeloom.rtl.deoxys.multistream import DeoxysBCMultiStream
from modeloom.sim import Simulation
from modeloom_golden import DeoxysBC256

pytestmark = pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")

DATA = ("i", "key", "tweak", "tweak_again")


def number(block):
    return int.from_bytes(block, "little")


def simulated(core):
    simulation = Simulation.of(rtlil.convert(core, name="deoxys"), "deoxys", optimize=0)
    simulation.reset()
    return simulation


def load(core, simulation, key):
    simulation.set("load", 1)
    simulation.set("key", number(key))
    simulation.step()
    simulation.set("load", 0)
    simulation.set("key", 0)
    for _ in range(core.load_cycles - 1):
        simulation.step()


def batches(core, random, key, starts):
    """Values of ports by cycle and name, and the results by cycle; of batches that begin in the cycles *starts*."""
    ports, results = {}, {}
    for start in starts:
        decrypt = {"encrypt": False, "decrypt": True, "both": random.random() < 0.5}[core.direction]
        ports.setdefault(start, {})["start"] = 1
        if core.direction == "both":
            ports[start]["decrypt"] = int(decrypt)
        for stream in range(core.streams):
            at, block, tweak = start + stream, random.randbytes(16), random.randbytes(16)
            own = random.randbytes(16) if core.schedule == "srl" else key
            ports.setdefault(at, {})["i"] = number(block)
            ports.setdefault(at - core.key_ahead, {})["tweak"] = number(tweak)
            if core.schedule == "srl":
                ports[at - core.key_ahead] |= {"key": number(own), "key_start": 1}
            else:
                ports.setdefault(at + core.tweak_lag, {})["tweak_again"] = number(tweak)
            cipher = DeoxysBC256(own)
            result = (cipher.decrypt_block if decrypt else cipher.encrypt_block)(block, tweak)
            results[at - core.key_ahead + core.latency] = number(result)
    return ports, results


def run(core, simulation, random, ports, cycles):
    """Results in the cycles in which they are said to be valid.  Data ports that nothing is given have random values."""
    seen = {}
    names = {"start", *DATA, "decrypt", "key_start"} & set(core.signature.members)
    for cycle in range(cycles):
        given = ports.get(cycle, {})
        for name in names:
            simulation.set(name, given.get(name, random.getrandbits(128) if name in DATA else 0))
        if given.get("start"):
            assert simulation.get("ready")
        if simulation.get("valid"):
            seen[cycle] = simulation.get("o")
        simulation.step()
    return seen


ALL = [(direction, streams, "stored") for direction in ("encrypt", "decrypt", "both") for streams in (1, 2, 4)]
ALL += [("encrypt", streams, "srl") for streams in (1, 2, 4)]


@pytest.mark.parametrize(("direction", "streams", "schedule"), [*ALL[7:9], ALL[-1], *slowly(*ALL[:7], *ALL[9:-1])])
def test_batches_with_gaps(direction, streams, schedule):
    core = DeoxysBCMultiStream(streams, direction, schedule)
    assert core.interval == 14 * streams
    simulation, random = simulated(core), Random(streams)
    for _ in range(1 + (schedule == "stored")):
        key = random.randbytes(16)
        if schedule == "stored":
            load(core, simulation, key)
        starts = [2]
        # A batch follows at once, or when the phase has come back to the first stream.
        for gap in (0, 0, streams, streams + 1, 0, 7, 0):
            starts.append(starts[-1] + core.interval + gap)
        ports, results = batches(core, random, key, starts)
        assert run(core, simulation, random, ports, starts[-1] + core.latency + 3 * streams) == results


def test_ready():
    """High until a batch begins, and again after its interval."""
    core = DeoxysBCMultiStream(2, "encrypt", "srl")
    simulation = simulated(core)
    seen = []
    for cycle in range(70):
        simulation.set("start", cycle in (3, 10, 40))
        seen += [cycle] * simulation.get("ready")
        simulation.step()
    assert seen == [0, 1, 2, 3, 31, 33, 34, 35, 36, 37, 38, 39, 40, 68]


@pytest.mark.parametrize("streams", [4, *slowly(1, 2)])
def test_erased_keys(streams):
    """After an erasure, what leaves does not depend on the keys before."""
    outputs = []
    for seed in (1, 2):
        core = DeoxysBCMultiStream(streams, "encrypt", "srl")
        simulation, random = simulated(core), Random(seed)
        ports, _ = batches(core, random, b"", [core.key_ahead])
        run(core, simulation, random, ports, 3 * streams)
        simulation.set("key", random.getrandbits(128))
        simulation.set("key_start", 0)
        simulation.set("erase", 1)
        for _ in range(streams):
            simulation.step()
        for name in ("erase", "key", "tweak", "i"):
            simulation.set(name, 0)
        # The blocks under way leave, and the next batch is a block of zeros under the keys in the loop.
        for _ in range(core.latency + streams):
            simulation.step()
        simulation.set("start", 1)
        seen = []
        for _ in range(core.latency + streams):
            seen.append(simulation.get("o") * simulation.get("valid"))
            simulation.step()
            simulation.set("start", 0)
        outputs.append(seen)
    assert outputs[0] == outputs[1] and any(outputs[0])


@pytest.mark.parametrize(
    ("module", "name", "wrong"),
    [
        (multistream, "permute", lambda word, times=1: rounds.permute(word, times + 2)),
        (multistream, "FIRST_CONSTANT", 1),
        (multistream, "next_constant", lambda rcon: rcon),
        (rounds, "shift_rows", rounds.inv_shift_rows),
        (multistream, "ROUNDS", 13),
    ],
)
def test_a_mistake_is_seen(module, name, wrong, monkeypatch):
    monkeypatch.setattr(module, name, wrong)
    core = DeoxysBCMultiStream(1, "encrypt")
    simulation, random = simulated(core), Random(1)
    key = random.randbytes(16)
    load(core, simulation, key)
    ports, results = batches(core, random, key, [0, core.interval])
    assert run(core, simulation, random, ports, 2 * core.interval + 5) != results


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"streams": 3}, "streams must be one of 1, 2, 4, not 3"),
        ({"streams": True}, "streams must be one of 1, 2, 4, not True"),
        ({"direction": "up"}, "direction must be one of encrypt, decrypt, both, not 'up'"),
        ({"schedule": "none"}, "schedule must be one of stored, srl, not 'none'"),
        ({"schedule": "srl", "direction": "both"}, "schedule 'srl' makes subtweakeys in the order of encryption only"),
    ],
)
def test_parameters_are_checked(arguments, message):
    with pytest.raises(ValueError, match=message):
        DeoxysBCMultiStream(**arguments)
