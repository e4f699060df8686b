# SPDX-License-Identifier: Apache-2.0
"""The status queue by itself: order, room, and the sectors whose data have been taken."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import pytest
from amaranth.sim import Simulator

from modeloom.interfaces.sector import StatusCode
from modeloom.rtl.bus.ports import StatusQueue
from modeloom.rtl.bus.sector.parameters import CODE_BITS, STATUS


def run(depth: int, bench: Any) -> None:
    queue = StatusQueue(depth, STATUS, CODE_BITS)

    async def testbench(ctx: Any) -> None:
        await bench(ctx, queue)

    simulator = Simulator(queue)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()


@pytest.mark.parametrize("depth", [5, 6, 9])
def test_room(depth: int) -> None:
    """Sectors whose data nobody takes: ``depth`` of them wait; when they are taken, each has its status."""

    async def bench(ctx: Any, queue: StatusQueue) -> None:
        count = 0
        ctx.set(queue.verdict.code, StatusCode.OK)
        for _ in range(depth + 16):
            room = ctx.get(queue.verdict.room)
            ctx.set(queue.verdict.push, room)
            ctx.set(queue.verdict.tag, 100 + count)
            count += room
            await ctx.tick()
            assert not ctx.get(queue.status.valid)
        assert count == depth
        ctx.set(queue.verdict.push, 0)
        ctx.set(queue.status.ready, 1)
        for number in range(count):
            ctx.set(queue.delivered, 1)
            await ctx.tick()
            ctx.set(queue.delivered, 0)
            await ctx.tick()
            assert ctx.get(queue.status.valid) and ctx.get(queue.status.p.tag) == 100 + number, "two cycles from delivered"
        await ctx.tick()
        assert not ctx.get(queue.status.valid) and ctx.get(queue.verdict.room)

    run(depth, bench)


@pytest.mark.parametrize("seed", range(3))
def test_every_status_in_order(seed: int) -> None:
    """Any codes, any time until data are taken, any readiness of the host."""
    rng = random.Random(seed)

    async def bench(ctx: Any, queue: StatusQueue) -> None:
        verdict = queue.verdict
        sent: deque[tuple[int, int]] = deque()
        owed = taken = got = 0
        shown: tuple[int, int] | None = None
        for cycle in range(900):
            tag, code = rng.getrandbits(16), rng.choice([0, 0, *range(1, 7)])
            push = int(cycle < 800 and ctx.get(queue.verdict.room) and rng.random() < 0.6)
            deliver = int(owed > 0 and (cycle >= 800 or rng.random() < 0.5))
            ready = int(cycle >= 800 or rng.random() < 0.5)
            for port, value in (
                (verdict.push, push), (verdict.tag, tag), (verdict.code, code), (queue.delivered, deliver), (queue.status.ready, ready),
            ):  # fmt: skip
                ctx.set(port, value)
            valid, status = ctx.get(queue.status.valid), ctx.get(queue.status.payload.as_value())
            if not valid:
                assert not status, "the payload is zero while not valid"
            else:
                assert shown in (None, (status & 0xFFFF, status >> 16)), "it stands until it is taken"
                shown = (status & 0xFFFF, status >> 16)
                if ready:
                    assert shown == sent.popleft()
                    taken += shown[1] == StatusCode.OK
                    got += 1
                    shown = None
            await ctx.tick()
            if push:
                sent.append((tag, code))
                owed += code == StatusCode.OK
            owed -= deliver
            delivered = sum(1 for _, c in sent if c == StatusCode.OK) - owed
            assert delivered >= 0, "no status of a sector comes before its data"
        assert not sent and got > 100 and taken > 30

    run(6, bench)
