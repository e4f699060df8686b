# SPDX-License-Identifier: Apache-2.0
"""Units whose core takes batches: results of batches, and what is left of blocks after ``clear``."""

from __future__ import annotations

import random
from typing import Any

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from modeloom.ciphers.software import aes_round_keys
from modeloom.rtl.aes.multistream import AESStreams
from modeloom.rtl.engine.unit import EngineUnit, UnitCore
from modeloom.spec.cadence import BATCH_LEAD, Cadence
from modeloom.spec.kinds import ENC, UNITS, UnitKind
from modeloom_golden.aes import AES

KEY = bytes(range(16))


def unit_of(streams: int, **changes: Any) -> EngineUnit:
    component = AESStreams(128, streams)
    core = UnitCore(component, (ENC.operation,), interval=component.interval, blocks=streams)
    options = {"cores": {"enc": core}, "operand_register": False, **changes}
    return EngineUnit(128, UnitKind(UNITS["enc"]), post_register=True, core_latency=component.latency, keeps=(), slots=1, round_bits=4,
                      round_key_bits=128, **options)  # fmt: skip


def run(unit: EngineUnit, bench: Any) -> None:
    simulator = Simulator(unit)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize("streams", [1, 2, 4])
def test_results_of_batches(streams: int) -> None:
    """Batches as close as they may be, and later; the terms behind the core are added in the cycle of the result."""
    unit, rng = unit_of(streams), random.Random(streams)
    assert unit.batched and unit.cores["enc"].cadence == Cadence(10 * streams, streams)
    begins = [3, 3 + unit.cores["enc"].interval, 3 + 2 * unit.cores["enc"].interval + 5]
    blocks = {begin + BATCH_LEAD + n: rng.randbytes(16) for begin in begins for n in range(streams)}
    posts = {cycle + unit.core_latency: rng.getrandbits(128) for cycle in blocks}

    async def bench(ctx: Any) -> None:
        for number, key in enumerate(aes_round_keys(KEY)):
            ctx.set(unit.rk_we, 1)
            ctx.set(unit.rk_round, number)
            ctx.set(unit.rk_data, int.from_bytes(key, "little"))
            await ctx.tick()
        ctx.set(unit.rk_we, 0)
        for cycle in range(max(posts) + 2):
            done = cycle - 1 - unit.core_latency
            if done in blocks:
                expected = int.from_bytes(AES(KEY).encrypt_block(blocks[done]), "little") ^ posts[cycle - 1]
                assert ctx.get(unit.y) == expected, f"the block of cycle {done}"
            ctx.set(unit.batch, cycle in begins)
            ctx.set(unit.a, int.from_bytes(blocks.get(cycle, rng.randbytes(16)), "little"))
            ctx.set(unit.post, posts.get(cycle, 0))
            await ctx.tick()

    run(unit, bench)


@pytest.mark.parametrize("streams", [1, 2, 4])
def test_nothing_goes_round_after_clear(streams: int) -> None:
    """Two runs differ in their blocks until the second cycle after ``clear``: without a batch, the results are the same from then on."""
    results: list[list[int]] = []
    for seed in range(2):
        unit, rng = unit_of(streams), random.Random(seed)
        seen: list[int] = []

        async def bench(ctx: Any, unit: EngineUnit = unit, rng: random.Random = rng, seen: list[int] = seen) -> None:
            cleared = 3 + unit.cores["enc"].interval // 2
            for cycle in range(cleared + 2 * unit.cores["enc"].interval):
                ctx.set(unit.batch, cycle == 1)
                ctx.set(unit.a, rng.getrandbits(128) if cycle <= cleared + 2 else 0)
                ctx.set(unit.clear, cycle == cleared)
                if cycle > cleared + streams + 6:
                    seen.append(ctx.get(unit.y))
                await ctx.tick()

        run(unit, bench)
        results.append(seen)
    assert results[0] == results[1] and len(set(results[0])) > 1


class Beside(wiring.Component):
    """Another core for the same unit."""

    latency = 1

    def __init__(self) -> None:
        super().__init__({"i": In(128), "o": Out(128), "key_we": In(1), "key_slot": In(1), "key_round": In(4), "key_data": In(128)})

    def elaborate(self, platform: object) -> Module:
        return Module()


@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
def test_such_a_core_is_alone_and_first() -> None:
    with pytest.raises(ValueError, match="enc: the enc core takes batches, and stands beside others or behind an operand register"):
        unit_of(2, operand_register=True)
    component = AESStreams(128, 2)
    cores = {"enc": UnitCore(component, (ENC.operation,), interval=20, blocks=2), "dec": UnitCore(Beside(), (ENC.operation,))}
    with pytest.raises(ValueError, match="takes batches, and stands beside others"):
        unit_of(2, cores=cores)
