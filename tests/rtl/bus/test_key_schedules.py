# SPDX-License-Identifier: Apache-2.0
"""Key schedules of several lengths behind one port: the one that is named works, and the others do nothing."""

from __future__ import annotations

import random
from typing import Any

import pytest
from amaranth.sim import Simulator
from tests.rtl.bus.mock_engine import MockSchedule, mock_round_keys

from modeloom.rtl.bus import KeyParameters
from modeloom.rtl.bus.key_port import KeySchedules

ROUNDS = {64: 3, 128: 5, 256: 9}


@pytest.mark.parametrize("lengths", [(128, 256), (256, 64, 128)])
def test_each_length(lengths: tuple[int, ...]) -> None:
    """Requests of all lengths in any order, with anything on the inputs between them."""
    parts = [MockSchedule(bits, ROUNDS[bits]) for bits in lengths]
    both = KeySchedules(parts, KeyParameters.round_keys, KeyParameters.round_key_bits)
    rng = random.Random(1)
    assert len(both.key) == max(lengths)

    async def bench(ctx: Any) -> None:
        for number in [*range(len(lengths)), *(rng.randrange(len(lengths)) for _ in range(12))]:
            bits, erase = lengths[number], rng.random() < 0.3
            key = rng.getrandbits(max(lengths))
            for port, value in ((both.length, number), (both.start, not erase), (both.erase, erase), (both.key, key)):
                ctx.set(port, int(value))
            await ctx.tick()
            for port in (both.start, both.erase):
                ctx.set(port, 0)
            found, done = [], False
            for _ in range(ROUNDS[bits]):
                assert ctx.get(both.busy) and ctx.get(both.we) and not done
                assert [ctx.get(part.busy) for part in parts] == [int(n == number) for n in range(len(parts))]
                found.append((ctx.get(both.round), ctx.get(both.data), ctx.get(both.data_dec)))
                done = bool(ctx.get(both.done))
                ctx.set(both.key, rng.getrandbits(max(lengths)))
                await ctx.tick()
            assert done and not ctx.get(both.busy) and not ctx.get(both.we)
            keys = [(0, 0)] * ROUNDS[bits] if erase else mock_round_keys(key % (1 << bits), bits, ROUNDS[bits])
            assert found == [(r, *pair) for r, pair in enumerate(keys)]
            await ctx.tick().repeat(rng.randrange(1, 4))

    simulator = Simulator(both)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
