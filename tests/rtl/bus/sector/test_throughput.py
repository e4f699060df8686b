# SPDX-License-Identifier: Apache-2.0
"""Cycles: one sector every interval, exactly, with the smallest ring; latencies from pin to engine and back."""

from __future__ import annotations

import pytest
from tests.rtl.bus.bench import Host, simulate

from modeloom.cycles import DONE_TO_FIRST_BEAT, ENTRY_CYCLES, LAST_BEAT_TO_ENTRY, ring_depth


@pytest.mark.parametrize(
    "blocks, lanes, extra, latency",
    [(32, 1, 0, 91), (32, 1, 1, 70), (8, 1, 0, 60), (5, 1, 0, 33), (4, 1, 0, 50)]
    + [(3, 1, 1, 20), (16, 8, 0, 40), (2, 2, 0, 17)],
)
def test_throughput(blocks: int, lanes: int, extra: int, latency: int) -> None:
    """One sector every interval, with the smallest ring that ring_depth allows; one place less is slower."""
    beats = -(-blocks // lanes)
    interval = max(beats + extra, ENTRY_CYCLES)
    enters = {}

    def script_for(depth: int | None):
        async def script(host: Host) -> None:
            await host.load_key(0, host.generator.randbytes(host.p.keys.packet_bytes))
            sectors = 4 * host.p.buffers.ring_sectors + 4
            for _ in range(sectors):
                host.send_sector(slot=0)
            host.enters.clear()
            await host.until(lambda: len(host.packet_ends) == sectors)
            enters[depth] = list(host.enters), list(host.packet_ends)
            await host.finish()

        return script

    simulate(script_for(None), blocks=blocks, lanes=lanes, interval=interval, latency=latency)
    for events in enters[None]:
        assert {b - a for a, b in zip(events, events[1:], strict=False)} == {interval}

    depth = ring_depth(latency, interval, beats) - 1
    simulate(script_for(depth), blocks=blocks, lanes=lanes, interval=interval, latency=latency, ring_sectors=depth)
    sectors = len(enters[depth][0])
    assert enters[depth][0][-1] > enters[None][0][sectors - 1]


def test_what_faulty_sectors_cost() -> None:
    async def script(host: Host) -> None:
        await host.load_key(0, host.generator.randbytes(host.p.keys.packet_bytes))
        host.enters.clear()
        for fault in ("", "", "", "gap", "", "size", ""):
            host.send_sector(fault, slot=0)
        await host.until(lambda: len(host.enters) == 5)
        steps = [b - a for a, b in zip(host.enters, host.enters[1:], strict=False)]
        assert steps == [8, 8, 24, 16], "a refusal costs a cycle more, and the engine takes sectors every 8 cycles"
        await host.finish()

    simulate(script, blocks=8)


def test_latencies() -> None:
    async def script(host: Host) -> None:
        await host.load_key(0, host.generator.randbytes(host.p.keys.packet_bytes))
        host.send_sector()
        await host.until(lambda: not host.beats)
        last_taken = host.cycle - 1
        await host.until(lambda: bool(host.enters))
        assert host.enters[0] - last_taken == LAST_BEAT_TO_ENTRY
        await host.until(lambda: bool(host.ctx.get(host.core.bus.m.valid)))
        assert host.cycle == host.enters[0] + 26 + DONE_TO_FIRST_BEAT
        await host.finish()

    simulate(script, blocks=7, latency=26)
