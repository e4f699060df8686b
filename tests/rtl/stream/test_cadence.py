# SPDX-License-Identifier: Apache-2.0
"""The counter of a cadence opens the entry in the phases that are asked for, and the signal of a batch precedes each of them."""

import pytest
from amaranth.sim import Simulator

from modeloom.rtl.stream.arbiter import TokenCadence
from modeloom.spec.cadence import BATCH_LEAD, Cadence

CASES = [(10, 1), (20, 2), (40, 4), (3, 2), (2, 1)]


@pytest.mark.parametrize(("interval", "blocks"), CASES)
def test_phases(interval, blocks):
    cadence = Cadence(interval, blocks)
    wanted = [phases for offsets in ((0,), (3,), (0, interval + 1)) if (phases := cadence.phases(offsets))]
    counter = TokenCadence(cadence, wanted)
    seen = []

    async def bench(context):
        for _ in range(4 * interval):
            seen.append((context.get(counter.batch), [context.get(counter.open[n]) for n in range(len(counter.sets))]))
            await context.tick()

    simulator = Simulator(counter)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    batches = [cycle for cycle, (batch, _) in enumerate(seen) if batch]
    assert [b - a for a, b in zip(batches, batches[1:], strict=False)] == [interval] * (len(batches) - 1)
    # A token is in stage 0 the cycle after it is decided on.
    first = batches[0] + BATCH_LEAD - 1
    assert first <= interval
    for number, phases in enumerate(counter.sets):
        opened = {cycle for cycle, (_, bits) in enumerate(seen) if bits[number]}
        after = range(first, 4 * interval)
        assert {cycle for cycle in opened if cycle in after} == {cycle for cycle in after if (cycle - first) % interval in phases}
        # What comes before the first batch has no cipher.
        assert number or min(opened) == first
