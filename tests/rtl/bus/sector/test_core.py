# SPDX-License-Identifier: Apache-2.0
"""The whole bus side of a core around a mock engine: faults, gaps, back-pressure, keys, reset, throughput."""

from __future__ import annotations

import random

import pytest
from amaranth.lib import wiring
from tests.built import slowly
from tests.rtl.bus.bench import Host, Traffic, simulate
from tests.rtl.bus.mock_engine import MockSchedule
from tests.rtl.bus.parameters import bus_sizes

from modeloom.interfaces.sector import StatusCode
from modeloom.rtl.bus.sector import CoreBus

FAULTS = ("short", "long", "gap", "wrong end", "any form", "no key", "size")

SHAPES = {
    "one lane": {"blocks": 7},
    "partial": {"blocks": 6, "tail": 5},
    "two lanes, half a beat": {"blocks": 9, "lanes": 2, "tail": 15},
    "two beats": {"blocks": 3, "lanes": 2},
    "one block": {"blocks": 1},
    "a quarter of a beat": {"blocks": 1, "lanes": 4, "tail": 7},
    "one beat": {"blocks": 2, "lanes": 2, "tail": 1},
    "eight lanes": {"blocks": 42, "lanes": 8, "tail": 3},
    "256-bit blocks": {"blocks": 6, "block_bits": 256, "tail": 31},
    "no tweak, one slot": {"blocks": 5, "tweak_blocks": 0, "key_slots": 1},
    "70 slots": {"blocks": 5, "key_slots": 70},
    "two tweak blocks, 17 slots": {"blocks": 5, "tweak_blocks": 2, "key_slots": 17, "cipher_key_bits": 256},
}


def random_traffic(faults, count: int = 25):
    async def script(host: Host) -> None:
        for slot in sorted({0, host.p.key_slots - 1}):
            await host.load_key(slot, host.generator.randbytes(host.p.keys.packet_bytes))
        usable = [f for f in faults if f != "gap" or host.p.beats > 1]
        for _ in range(count):
            host.send_sector(host.generator.choice(usable) if host.generator.random() < 0.4 else "")
        await host.finish()

    return script


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", [1, *slowly(2)])
def test_faults_gaps_and_back_pressure(shape: str, seed: int) -> None:
    traffic = Traffic.draw(random.Random(f"{shape} {seed}"))
    simulate(random_traffic(FAULTS), seed=seed, traffic=traffic, **SHAPES[shape])


@pytest.mark.parametrize("seed", range(2))
def test_long_interval_and_small_ring(seed: int) -> None:
    traffic = Traffic.draw(random.Random(seed))
    simulate(random_traffic(FAULTS), seed=seed, traffic=traffic, interval=19, latency=30, ring_sectors=1 + seed)


@pytest.mark.parametrize("fault", FAULTS)
def test_only_faults_then_a_sector(fault: str) -> None:
    async def script(host: Host) -> None:
        await host.load_key(1, host.generator.randbytes(host.p.keys.packet_bytes))
        for _ in range(12):
            host.send_sector(fault)
        host.send_sector()
        await host.finish()

    simulate(script, tail=9)


@pytest.mark.parametrize("built", ["encrypt", "decrypt"])
def test_direction_not_built(built: str) -> None:
    simulate(random_traffic(("direction",)), encrypt=built == "encrypt", decrypt=built == "decrypt")


def test_faults_of_the_command_come_first() -> None:
    async def script(host: Host) -> None:
        await host.load_key(0, host.generator.randbytes(host.p.keys.packet_bytes))
        tags = [
            host.send_command(slot=9, size=1, decrypt=True),
            host.send_command(slot=9, decrypt=True),
            host.send_command(slot=9),
            host.send_command(slot=0),
        ]
        for _ in tags:
            host.send_data(b"short")
        await host.until(lambda: len(host.statuses) == 4)
        codes = [StatusCode.UNKNOWN_SIZE, StatusCode.NO_DIRECTION, StatusCode.NO_KEY, StatusCode.TOO_SHORT]
        assert host.statuses == list(zip(tags, codes, strict=True))

    simulate(script, decrypt=False)


@pytest.mark.parametrize("first", ["cmd", "s"])
def test_one_bus_waits_for_the_other(first: str) -> None:
    async def script(host: Host) -> None:
        await host.load_key(0, host.generator.randbytes(host.p.keys.packet_bytes))
        for fault in ("", "short", "", "", "no key", ""):
            host.send_sector(fault)
        late = "s" if first == "cmd" else "cmd"
        setattr(host.traffic, late, 0.0)
        await host.steps(100)
        assert not host.statuses and not host.packets
        setattr(host.traffic, late, 1.0)
        await host.finish()

    simulate(script)


def test_data_do_not_wait_for_statuses_nor_statuses_for_ready() -> None:
    async def script(host: Host) -> None:
        await host.load_key(0, host.generator.randbytes(host.p.keys.packet_bytes))
        host.traffic.status = 0.0
        for _ in range(6):
            host.send_sector()
        await host.until(lambda: len(host.packets) == 6, 1000)
        assert host.ctx.get(host.core.bus.status.valid) and not host.statuses
        host.traffic.status = 1.0
        await host.finish()
        host.traffic.m = 0.0
        for _ in range(6):
            host.send_sector()
        await host.steps(300)
        assert host.ctx.get(host.core.bus.m.valid) and not host.statuses
        host.traffic.m = 1.0
        await host.finish()

    simulate(script)


@pytest.mark.parametrize("seed", [0, 1, *slowly(2, 3)])
def test_reset_anywhere(seed: int) -> None:
    async def script(host: Host) -> None:
        for _ in range(4):
            key = host.generator.randbytes(host.p.keys.packet_bytes)
            await host.load_key(2, key)
            for _ in range(8):
                host.send_sector(host.generator.choice(("", "", "", "short", "long")))
            await host.steps(host.generator.randrange(5, 120))
            await host.reset()
            assert host.ctx.get(host.core.bus.key_state.loaded) == 0
            await host.steps(60)
            assert not host.packets and not host.packet and not host.statuses
            host.send_sector("no key", slot=2)
            await host.finish()
            await host.load_key(2, key)
            host.send_sector()
            await host.finish()

    simulate(script, seed=seed, traffic=Traffic.draw(random.Random(seed)))


def test_wrong_parts() -> None:
    with pytest.raises(TypeError, match="parameters is a BusParameters"):
        CoreBus(7, MockSchedule(128))
    with pytest.raises(TypeError, match="key_schedule is a component"):
        CoreBus(bus_sizes(blocks=4, ring_sectors=2), None)
    assert isinstance(MockSchedule(128), wiring.Component)
