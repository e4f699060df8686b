# SPDX-License-Identifier: Apache-2.0
"""Delay lines of cores with a cadence: values of batches through memories, and bits that are not seen in a reset."""

from random import Random

import pytest
from amaranth.hdl import ClockDomain, Module, Signal
from amaranth.sim import Simulator

from modeloom.rtl.stream import storage
from modeloom.rtl.stream.storage import Batches, BatchLine, Line, QuietLine
from modeloom.spec.cadence import BATCH_LEAD, Cadence

BITS = 32


class Late:
    """A value of tokens that keep a cadence, in several stages."""

    def __init__(self, cadence, stages, born=0):
        self.m, self.batch, self.value = Module(), Signal(), Signal(BITS)
        begins = Line(self.m, self.batch, 0, "batch")
        late = BatchLine(self.m, self.value, born, "value", Batches(self.m, cadence, begins))
        # A value that is asked for has a name of its own.
        self.outputs = [Signal(BITS, name=f"at_{stage}") for stage in stages]
        self.m.d.comb += [out.eq(late.at(stage)) for out, stage in zip(self.outputs, stages, strict=True)]

    def run(self, cadence, stages, born, cycles, rng):
        """For each stage, whether all tokens had their values there."""
        right = [True] * len(stages)
        given = {}

        async def bench(ctx):
            for cycle in range(cycles):
                begun = cycle - BATCH_LEAD - born
                ctx.set(self.batch, (cycle % cadence.interval) == 0)
                ctx.set(self.value, given.setdefault(cycle, rng.getrandbits(BITS)))
                for n, stage in enumerate(stages):
                    entered = begun - (stage - born)
                    # The first token of the first batch is in stage 0 two cycles after the signal.
                    if entered >= 0 and entered % cadence.interval < cadence.blocks:
                        right[n] &= ctx.get(self.outputs[n]) == given[cycle - (stage - born)]
                await ctx.tick()

        simulator = Simulator(self.m)
        simulator.add_clock(1e-6)
        simulator.add_testbench(bench)
        simulator.run()
        return right


CASES = [
    (Cadence(10, 1), (11, 30), 0), (Cadence(20, 2), (3, 21, 24), 0), (Cadence(40, 4), (41, 42, 85), 0), (Cadence(40, 4), (52,), 9),
    (Cadence(56, 4), (58, 116), 0),
]  # fmt: skip


@pytest.mark.parametrize(("cadence", "stages", "born"), CASES)
def test_values_of_batches(cadence, stages, born):
    late = Late(cadence, stages, born)
    assert late.run(cadence, stages, born, 6 * max(stages), Random(1)) == [True] * len(stages)


def test_a_memory_of_too_few_batches_is_seen(monkeypatch):
    """The number of places is needed: a batch that is overwritten before it is read has wrong values."""
    cadence = Cadence(10, 1)
    full = Late(cadence, (30,))
    assert full.run(cadence, (30,), 0, 200, Random(2)) == [True]
    monkeypatch.setattr(storage, "batches_within", lambda cycles, cadence: 2)
    assert Late(cadence, (30,)).run(cadence, (30,), 0, 200, Random(2)) == [False]


def test_bits_are_not_seen_in_a_reset():
    m, bit, seen = Module(), Signal(), Signal()
    late = QuietLine(m, bit, 0, "bit")
    m.d.comb += seen.eq(late.at(12))
    given, rng = [], Random(3)

    async def bench(ctx):
        for cycle in range(100):
            given.append(rng.getrandbits(1) if not 40 <= cycle < 60 else 0)
            ctx.set(bit, given[-1])
            ctx.set(reset, 40 <= cycle < 60)
            expected = given[cycle - 12] if cycle >= 12 and not 40 <= cycle < 60 else 0
            assert ctx.get(seen) == expected
            await ctx.tick()
        assert any(given[60:88]) and any(given[28:40])

    m.domains.sync = domain = ClockDomain()
    reset = domain.rst
    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


def test_stages_before_the_first_one():
    with pytest.raises(ValueError, match="is born in stage 3, and asked for in stage 2"):
        Line(Module(), Signal(), 3, "late").at(2)
