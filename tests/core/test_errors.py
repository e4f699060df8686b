# SPDX-License-Identifier: Apache-2.0
"""What a host may do wrong on the buses: one status each, no data, and the next sector right."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.built import SMALL, simulated, slowly

import modeloom_golden as golden
from modeloom.interfaces.sector import StatusCode, unpack_status
from modeloom.product.simulated import CoreFault, Sector, SimulatedCore
from modeloom.sim import AT_REST
from modeloom.spec import InputError

KEY = bytes(range(16))
TWEAK = bytes(16)


CORES: dict[str, dict[str, Any]] = {"three sizes": SMALL, "512 bytes": {"sector": 512}}


@pytest.fixture(params=["three sizes", *slowly("512 bytes")])
def core(request: pytest.FixtureRequest) -> SimulatedCore:
    return simulated("hctr2", **CORES[request.param])


@pytest.fixture
def size(core: SimulatedCore) -> int:
    """Bytes of a sector, if the command does not name another size."""
    return core.description.sizes[0].sector_bytes


def statuses(core: SimulatedCore, count: int) -> list[tuple[int, StatusCode]]:
    result = core.runner.run({"m_axis_status": count}, max_cycles=20_000)
    assert result.done, "a status is missing"
    core.runner.run(max_cycles=500)
    values = core.runner.take("m_axis_status").values("m_axis_status_tdata")
    return [unpack_status(value.to_bytes(4, "little")) for value in values]


def test_wrong_lengths_between_good_sectors(core: SimulatedCore, size: int) -> None:
    """Packets of wrong lengths get an error and no data, and the sectors between them are correct."""
    rng = random.Random(3)
    core.load_key(KEY)
    reference = golden.mode("hctr2", KEY)
    expected, codes = [], []
    for tag, length in enumerate((size, size - 16, size, size + 16, 16, size, size - 1, 4 * size, size)):
        data = rng.randbytes(length)
        core.send_command(TWEAK, tag=tag)
        core.send_packet(data)
        good = length == size
        if good:
            expected.append(reference.encrypt(TWEAK, data))
        codes.append((tag, good))
    got = statuses(core, len(codes))
    assert [(tag, code == StatusCode.OK) for tag, code in got] == codes
    assert b"".join(expected) == core.runner.take("m_axis").columns["m_axis_tdata"]


def test_without_a_key(core: SimulatedCore, size: int) -> None:
    core.send_command(TWEAK, tag=5)
    core.send_packet(bytes(size))
    assert statuses(core, 1) == [(5, StatusCode.NO_KEY)]
    assert core.runner.waiting("m_axis") == 0
    core.load_key(KEY)
    assert core.encrypt(TWEAK, bytes(size)) == golden.mode("hctr2", KEY).encrypt(TWEAK, bytes(size))


def test_unknown_slot_and_size(core: SimulatedCore, size: int) -> None:
    core.load_key(KEY)
    core.send_command(TWEAK, tag=1, slot=9)
    core.send_packet(bytes(size))
    core.send_command(TWEAK, tag=2, size=3)
    core.send_packet(bytes(size))
    assert statuses(core, 2) == [(1, StatusCode.NO_KEY), (2, StatusCode.UNKNOWN_SIZE)]
    assert core.runner.waiting("m_axis") == 0


def test_a_slot_that_is_not_there(core: SimulatedCore) -> None:
    slots = core.description.key_slots
    with pytest.raises(InputError, match=f"this core has no key slot {slots}: it has {slots}, counted from 0"):
        core.load_key(KEY, slots)


def test_a_core_that_does_not_answer(core: SimulatedCore, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("modeloom.product.simulated.PATIENCE", 0)
    core.load_key(KEY)
    core.runner.set_gaps({"m_axis_status": AT_REST})
    with pytest.raises(CoreFault, match=r"the core gave fewer than 1 statuses in \d+ cycles"):
        core.run([Sector(TWEAK, bytes(size))])


def test_commands_wait_for_data_and_data_for_commands(core: SimulatedCore, size: int) -> None:
    core.load_key(KEY)
    data = bytes(n % 251 for n in range(size))
    expected = golden.mode("hctr2", KEY).encrypt(TWEAK, data)
    core.send_command(TWEAK, tag=1)
    core.runner.run(max_cycles=1000)
    assert core.runner.waiting("m_axis_status") == 0
    core.send_packet(data)
    assert statuses(core, 1) == [(1, StatusCode.OK)]
    assert core.runner.take("m_axis").columns["m_axis_tdata"] == expected
    core.send_packet(data)
    core.runner.run(max_cycles=1000)
    assert core.runner.waiting("m_axis_status") == core.runner.waiting("m_axis") == 0
    core.send_command(TWEAK, tag=2)
    assert statuses(core, 1) == [(2, StatusCode.OK)]
    assert core.runner.take("m_axis").columns["m_axis_tdata"] == expected


@pytest.mark.parametrize("cycles", [5, 20, 33, 40, 90, 150, 165])
def test_reset_in_mid_sector(core: SimulatedCore, size: int, cycles: int) -> None:
    core.load_key(KEY)
    for tag in range(4):
        core.send_command(TWEAK, tag=tag)
        core.send_packet(bytes([tag]) * size)
    core.runner.run(max_cycles=cycles)
    core.runner.reset(3)
    core.runner.run(max_cycles=300)
    assert core.runner.waiting("m_axis") == 0, "data of a sector before the reset"
    assert core.simulation.get("key_loaded") == 0
    core.load_key(KEY[::-1])
    reference = golden.mode("hctr2", KEY[::-1])
    data = random.Random(cycles).randbytes(size)
    assert core.encrypt(TWEAK, data) == reference.encrypt(TWEAK, data)
    assert core.decrypt(TWEAK, data) == reference.decrypt(TWEAK, data)


def test_erased_and_replaced_keys(core: SimulatedCore, size: int) -> None:
    core.load_key(KEY)
    data = bytes(size)
    core.encrypt(TWEAK, data)
    core.erase_key()
    core.send_command(TWEAK, tag=7)
    core.send_packet(data)
    assert statuses(core, 1) == [(7, StatusCode.NO_KEY)]
    core.send_key(KEY[:15])
    core.runner.run(max_cycles=500)
    assert core.simulation.get("key_loaded") == 0 and core.simulation.get("key_error") == 1
    core.load_key(KEY)
    assert core.encrypt(TWEAK, data) == golden.mode("hctr2", KEY).encrypt(TWEAK, data)


def test_no_data_while_valid_is_low(core: SimulatedCore, size: int) -> None:
    core.load_key(KEY)
    core.send_command(TWEAK)
    core.send_packet(bytes(n % 251 for n in range(size)))
    seen = 0
    for _ in range(300):
        core.runner.run(max_cycles=1)
        if not core.simulation.get("m_axis_tvalid"):
            assert core.simulation.get("m_axis_tdata") == 0
            seen += 1
    assert seen > 100


def test_a_gap_in_tkeep(core: SimulatedCore, size: int) -> None:
    core.load_key(KEY)
    beats = size // 16
    cases = [(beat, keep) for beat in (0, beats - 2, beats - 1) for keep in (0xFFFD, 0xFFFE, 0x7FFD, 0x5555, 0, 1 << 15)]
    for tag, (beat, keep) in enumerate(cases):
        keeps = [0xFFFF] * beats
        keeps[beat] = keep
        core.send_command(TWEAK, tag=tag)
        core.runner.feed("s_axis", {"s_axis_tdata": bytes(size), "s_axis_tkeep": keeps, "s_axis_tlast": [0] * (beats - 1) + [1]})
    assert statuses(core, len(cases)) == [(tag, StatusCode.BAD_KEEP) for tag in range(len(cases))]
    assert core.runner.waiting("m_axis") == 0
    assert core.encrypt(TWEAK, bytes(size)) == golden.mode("hctr2", KEY).encrypt(TWEAK, bytes(size))
