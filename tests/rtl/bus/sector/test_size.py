# SPDX-License-Identifier: Apache-2.0
"""The gate of sizes by itself: whose packet may come, and when the engine is set to another size."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import pytest
from amaranth.sim import Simulator
from tests.rtl.bus.parameters import bus_sizes

from modeloom.rtl.bus.sector.core import SizeGate

UNKNOWN = -1


@pytest.mark.parametrize("sizes", [2, 3, 5])
def test_packets_of_commands(sizes: int) -> None:
    """Commands of all sizes, and of none that the core has, with any times between what happens to them."""
    p = bus_sizes(blocks=3, ring_sectors=2, more_sizes=tuple((n + 4, 0) for n in range(sizes - 1)))
    gate, rng = SizeGate(p), random.Random(sizes)

    async def bench(ctx: Any) -> None:
        get = ctx.get
        commands: deque[int] = deque()
        admitted = asks = busy = 0
        size = changes = opened = 0
        changed = False
        for cycle in range(3000):
            if len(commands) < 2 and rng.random() < 0.4:
                commands.append(rng.choice([UNKNOWN, *range(sizes), *range(sizes)]))
            first, following = (*commands, None, None)[:2]
            valid = first is not None
            for name, command in (("", first), ("next_", following)):
                known = command is not None and command != UNKNOWN
                ctx.set(getattr(gate.upcoming, f"{name}valid"), int(command is not None))
                ctx.set(getattr(gate.upcoming, f"{name}known"), int(known) if command is not None else rng.getrandbits(1))
                ctx.set(getattr(gate.upcoming, f"{name}size"), command if known else 0 if command is not None else rng.randrange(sizes))
            idle = not busy and not asks and rng.random() < 0.7
            ctx.set(gate.size.idle, int(idle))
            # A good packet is admitted, its sector asks to enter, and then its command goes.
            ctx.set(gate.opening.admitted, 0)
            if not asks and valid and first == size and get(gate.opening.open) and rng.random() < 0.3:
                admitted = 1
            under_way = bool(admitted or asks)
            ctx.set(gate.opening.admitted, int(under_way))
            mine = first if valid and not under_way else following
            allowed = mine is not None and mine in (UNKNOWN, size)
            assert get(gate.size.number) == get(gate.opening.size) == size
            assert get(gate.opening.open) == allowed, f"cycle {cycle}: {mine} at size {size}"
            assert get(gate.size.restart) == changed, "in the cycle after a change"
            opened += allowed
            changed = valid and not under_way and idle and first not in (UNKNOWN, size)
            await ctx.tick()
            assert get(gate.size.number) == (first if changed else size), "only while the engine is idle, and at once then"
            if changed:
                size, changes = get(gate.size.number), changes + 1
            if first == UNKNOWN and not under_way and rng.random() < 0.5:
                commands.popleft()
            if asks:
                asks -= 1
                if not asks:
                    commands.popleft()
                    busy = rng.randrange(1, 20)
            elif admitted:
                admitted, asks = 0, rng.randrange(1, 5)
            elif busy:
                busy -= 1
        assert changes > 40 and opened > 500

    simulator = Simulator(gate)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
