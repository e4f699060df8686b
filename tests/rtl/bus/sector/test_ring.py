# SPDX-License-Identifier: Apache-2.0
"""The result buffer by itself, for one size and for several: blocks in any order, sectors in the order of their entry."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass
from typing import Any

import pytest
from amaranth.sim import Simulator
from tests.rtl.bus.parameters import bus_sizes

from modeloom.rtl.bus.sector import BusParameters
from modeloom.rtl.bus.sector.ring import ResultRing

SIZES: dict[str, dict[str, Any]] = {
    "one size": {"blocks": 5, "ring_sectors": 3, "tail": 3},
    "one place": {"blocks": 4, "ring_sectors": 1, "lanes": 2},
    "one beat": {"blocks": 2, "ring_sectors": 4, "lanes": 4, "tail": 1},
    "two sizes": {"blocks": 2, "ring_sectors": 3, "more_sizes": ((5, 9),)},
    "of one beat, too": {"blocks": 9, "ring_sectors": 5, "lanes": 2, "more_sizes": ((1, 7), (2, 0), (4, 15))},
    "all of one beat": {"blocks": 1, "ring_sectors": 2, "lanes": 4, "more_sizes": ((4, 0), (3, 1))},
}


@dataclass
class Sector:
    """A sector with its place, what it gives, and the blocks that each lane has still to give."""

    ticket: int
    size: int
    data: list[int]
    left: list[list[int]]


class Bench:
    """Gives sectors as an engine does, and takes beats as a host does."""

    def __init__(self, ctx: Any, ring: ResultRing, p: BusParameters, rng: random.Random):
        self.ctx, self.ring, self.p, self.rng = ctx, ring, p, rng
        self.admitted = self.cycle = 0
        self.inside: deque[Sector] = deque()
        self.wanted: deque[tuple[int, int, int]] = deque()
        self.shown: tuple[int, int, int] | None = None
        self.delivered = 0
        self.taken_at: list[int] = []

    def sector(self, size: int) -> Sector:
        p, rng = self.p, self.rng
        data = [rng.getrandbits(p.data.block_bits) for _ in range(p.sizes[size].blocks)]
        left = [rng.sample(range(lane, len(data), p.data.lanes), len(range(lane, len(data), p.data.lanes))) for lane in range(p.data.lanes)]
        return Sector(self.admitted % p.buffers.ring_sectors, size, data, left)

    def beats(self, sector: Sector) -> list[tuple[int, int, int]]:
        """tdata, tkeep and tlast of the packet of a sector."""
        p, size = self.p, self.p.sizes[sector.size]
        data = b"".join(block.to_bytes(p.data.block_bytes, "little") for block in sector.data)[: size.nbytes]
        parts = [data[at : at + p.beat_bytes] for at in range(0, len(data), p.beat_bytes)]
        return [(int.from_bytes(part, "little"), (1 << len(part)) - 1, int(n == len(parts) - 1)) for n, part in enumerate(parts)]

    async def step(self, *, admit: int | None, work: float, ready: bool) -> None:
        """A cycle: perhaps an admission of a size, blocks and ends of sectors, a beat for the host."""
        ctx, ring, rng, p = self.ctx, self.ring, self.rng, self.p
        get = ctx.get
        admits = admit is not None and get(ring.place.free)
        ctx.set(ring.place.admit, int(admits))
        ctx.set(ring.place.ticket, self.admitted % p.buffers.ring_sectors)
        ctx.set(ring.place.size, admit if admits else rng.getrandbits(p.size_bits))
        if admits:
            assert admit is not None and len(self.inside) < p.buffers.ring_sectors, "a place for each sector"
            self.inside.append(self.sector(admit))
            self.admitted += 1
        we = 0
        for lane in range(p.data.lanes):
            able = [sector for sector in list(self.inside)[: len(self.inside) - admits] if sector.left[lane]]
            ctx.set(ring.out.ticket[lane], rng.randrange(p.buffers.ring_sectors))
            ctx.set(ring.out.data[lane], rng.getrandbits(p.data.block_bits))
            if able and rng.random() < work:
                sector = rng.choice(able)
                index = sector.left[lane].pop()
                ctx.set(ring.out.index[lane], index)
                ctx.set(ring.out.ticket[lane], sector.ticket)
                ctx.set(ring.out.data[lane], sector.data[index])
                we |= 1 << lane
        ctx.set(ring.out.we, we)
        done = bool(self.inside) and not any(self.inside[0].left) and (not admits or len(self.inside) > 1) and rng.random() < work
        ctx.set(ring.done.valid, int(done))
        ctx.set(ring.m.ready, int(ready))
        beat = (get(ring.m.p.data), get(ring.m.p.keep), get(ring.m.p.last))
        last = 0
        if get(ring.m.valid):
            assert beat == self.wanted[0], f"cycle {self.cycle}"
            if ready:
                self.wanted.popleft()
                self.taken_at.append(self.cycle)
                last = beat[2]
        else:
            assert beat == (0, 0, 0) and self.shown is None, "zeros while not valid, and a beat stands until it is taken"
        self.shown = beat if get(ring.m.valid) and not ready else None
        assert get(ring.delivered) == last
        self.delivered += last
        if done:
            self.wanted.extend(self.beats(self.inside.popleft()))
        await ctx.tick()
        self.cycle += 1

    async def rest(self, *, ready: bool) -> None:
        """Some cycles in which nothing comes."""
        for _ in range(8):
            await self.step(admit=None, work=0.0, ready=ready)


def run(sizes: dict[str, Any], script: Any) -> None:
    p = bus_sizes(**sizes)
    ring = ResultRing(p)

    async def testbench(ctx: Any) -> None:
        await script(Bench(ctx, ring, p, random.Random(str(sizes))))

    simulator = Simulator(ring)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_sectors_of_all_sizes(sizes: dict[str, Any]) -> None:
    """At all paces of engine and host; every sector that found a place comes out, whole and once."""

    async def script(bench: Bench) -> None:
        rng, p = bench.rng, bench.p
        for work, takes in ((1.0, 1.0), (0.7, 0.3), (0.3, 1.0), (1.0, 0.5)):
            for _ in range(80):
                wants = rng.random() < 0.5
                await bench.step(admit=rng.randrange(len(p.sizes)) if wants else None, work=work, ready=rng.random() < takes)
        for _ in range(200):
            await bench.step(admit=None, work=1.0, ready=True)
        assert bench.delivered == bench.admitted > 20 and not bench.wanted

    run(sizes, script)


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_places_and_pauses(sizes: dict[str, Any]) -> None:
    """As many sectors as there are places; when they are done, their beats leave without a pause, and the places are free again."""

    async def script(bench: Bench) -> None:
        p = bench.p
        for turn in range(3):
            before = bench.admitted
            for n in range(20):
                await bench.step(admit=(n + turn) % len(p.sizes), work=0.0, ready=True)
            assert bench.admitted - before == p.buffers.ring_sectors and not bench.ctx.get(bench.ring.place.free)
            while bench.inside:
                await bench.step(admit=None, work=1.0, ready=False)
            await bench.rest(ready=False)
            bench.taken_at.clear()
            beats = len(bench.wanted)
            for _ in range(beats):
                await bench.step(admit=None, work=1.0, ready=True)
            assert len(bench.taken_at) == beats, "without a pause"
            await bench.rest(ready=True)
            assert bench.delivered == bench.admitted

    run(sizes, script)


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_cycles_from_done_to_the_bus(sizes: dict[str, Any]) -> None:
    """Five, for a sector of any size and place."""

    async def script(bench: Bench) -> None:
        for n in range(2 * len(bench.p.sizes) + 1):
            await bench.step(admit=n % len(bench.p.sizes), work=0.0, ready=True)
            bench.taken_at.clear()
            while bench.inside:
                await bench.step(admit=None, work=0.5, ready=True)
            done = bench.cycle - 1
            while bench.wanted:
                await bench.step(admit=None, work=1.0, ready=True)
            assert bench.taken_at == list(range(done + 5, bench.cycle))
            await bench.rest(ready=True)

    run(sizes, script)
