# SPDX-License-Identifier: Apache-2.0
"""What the intake finds out about the tkeep of a beat, for every pattern that says something."""

from __future__ import annotations

import pytest
from amaranth.sim import Simulator
from tests.rtl.bus.parameters import bus_sizes

from modeloom.rtl.bus.sector.core import BeatCheck

SIZES = {
    "whole, partial, whole": ({"blocks": 4, "tail": 0, "more_sizes": ((3, 8), (6, 0))}, (16, 8, 16)),
    "partial, whole": ({"blocks": 2, "tail": 1, "more_sizes": ((2, 0),)}, (1, 16)),
    "one": ({"blocks": 2, "tail": 15}, (15,)),
}


def patterns(width: int) -> list[int]:
    """All runs of ones from bit 0 on, and such with a gap, with a lone bit, and without bit 0."""
    runs = [(1 << n) - 1 for n in range(width + 1)]
    gaps = [run & ~(1 << n) for n in range(width) for run in runs[n + 2 :: 3]]
    return [*runs, *gaps, *(1 << n for n in range(1, width))]


@pytest.mark.parametrize("name", SIZES)
def test_keep(name: str) -> None:
    choice, last_bytes = SIZES[name]
    check = BeatCheck(bus_sizes(ring_sectors=2, **choice))
    data = int.from_bytes(bytes(range(0xA0, 0xB0)), "little")

    async def process(ctx):
        for keep in patterns(16):
            for last in (0, 1):
                ctx.set(check.i.p.data, data)
                ctx.set(check.i.p.keep, keep)
                ctx.set(check.i.p.last, last)
                ctx.set(check.i.valid, last)
                ctx.set(check.o.ready, 1 - last)
                o = check.o.p
                run = keep & (keep + 1) == 0
                assert ctx.get(o.bad) == (not run or not keep if last else keep != 0xFFFF), (hex(keep), last)
                assert ctx.get(o.last) == last and ctx.get(check.o.valid) == last and ctx.get(check.i.ready) == 1 - last
                assert ctx.get(o.missing) == sum((not keep >> n - 1 & 1) << i for i, n in enumerate(last_bytes)), hex(keep)
                assert ctx.get(o.extra) == sum((keep >> n & 1) << i for i, n in enumerate(last_bytes)), hex(keep)
                wanted = sum((data >> 8 * n & 0xFF) << 8 * n for n in range(16) if keep >> n & 1)
                assert ctx.get(o.data) == wanted, hex(keep)

    simulator = Simulator(check)
    simulator.add_testbench(process)
    simulator.run()
