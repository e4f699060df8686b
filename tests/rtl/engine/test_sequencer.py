# SPDX-License-Identifier: Apache-2.0
"""Which row acts in which cycle, for which sector: what ``rtl.engine.sequencer`` says, cycle by cycle.

The store gives the row of the cycle before, so that row ``row[t - 1]`` acts in cycle t, on the stages as they are in cycle t.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import pytest
from amaranth.sim import Simulator

from modeloom.rtl.engine.interface import engine_signature
from modeloom.rtl.engine.sequencer import Sequencer

DRAIN, WORDS, SLOTS, TICKET_BITS = 9, 3, 5, 3

SHAPES: dict[str, tuple[tuple[int, ...], tuple[int, ...], int, tuple[tuple[int, ...], ...]]] = {
    "one size": ((5,), (7,), 3, ((3,), (1,))),
    "one stage": ((6,), (4,), 1, ((2,),)),
    "two rows": ((2,), (2,), 4, ((5,), (2,))),
    "one row": ((1,), (1,), 3, ((4,), (1,))),
    "two sizes": ((4, 7), (5, 3), 3, ((3, 4), (2, 1))),
    "two sizes of two rows, set-ups of one": ((2, 2), (1, 1), 3, ((3, 3), (4, 1))),
    "three sizes": ((3, 2, 6), (1, 8, 2), 5, ((6, 5, 5), (1, 1, 2))),
}
"""Rows of the main and of the set-up table of each size, stages, cells of banks for each size."""


@dataclass
class Entry:
    """A sector that entered: in which cycle, as which one since the reset or the change of size, and what was said of it."""

    cycle: int
    number: int
    decrypt: int
    slot: int
    ticket: int


class Watch:
    """Drives a sequencer and compares it with what its pictures say."""

    def __init__(self, ctx: Any, seq: Sequencer, rng: random.Random):
        self.ctx, self.seq, self.rng = ctx, seq, rng
        self.starts = list(accumulate((*seq.rows, *seq.setup_rows), initial=0))
        self.cycle = self.size = self.number = 0
        self.pointer = 0
        self.entries: list[Entry] = []
        self.rows: list[tuple[int, int]] = []
        self.scrubbed: list[int] = []
        self.asks = 0.0
        self.setting_up = self.setup_slot = 0
        self.setup_from = self.pointed_at = -99

    def acting(self) -> dict[int, tuple[int, Entry]]:
        """For each stage that holds a sector, the row of the main table that acts on it in this cycle, and the sector."""
        rows, found = self.seq.rows[self.size], {}
        for entry in self.entries:
            stage, row = divmod(self.cycle - entry.cycle - 1, rows)
            if 0 <= stage < self.seq.stages:
                found[stage] = (row, entry)
        return found

    async def step(self) -> None:
        """A cycle, perhaps with a request to enter."""
        ctx, seq, rng = self.ctx, self.seq, self.rng
        get = ctx.get
        enter = int(rng.random() < self.asks)
        slot, ticket, decrypt = rng.randrange(SLOTS), rng.randrange(1 << TICKET_BITS), rng.getrandbits(1)
        for port, value in ((seq.enter.request, enter), (seq.enter.decrypt, decrypt), (seq.enter.slot, slot), (seq.enter.ticket, ticket)):
            ctx.set(port, value)
        valid = [get(v) for v in seq.stage_valid]
        acting = self.acting()
        if any(valid):
            self.pointed_at = self.cycle - 1
        if acting or not self.setting_up:
            assert valid == [int(q in acting) for q in range(seq.stages)], self.cycle
        elif any(valid):
            assert valid == [1] + [0] * (seq.stages - 1)
            assert get(seq.stage_slot[0]) == self.setup_slot and not get(seq.stage_decrypt[0])
            size = get(seq.table_size)
            self.rows.append((size, self.pointer))
            for cells, bases in seq.stage_base.items():
                assert get(bases[0]) < cells[size], "a base names a cell of the table that runs"
        start = self.starts[self.size]
        for stage, (row, entry) in acting.items():
            assert self.pointer - start == row, f"cycle {self.cycle}: row {self.pointer} for a sector that entered at {entry.cycle}"
            state = (get(seq.stage_decrypt[stage]), get(seq.stage_slot[stage]), get(seq.stage_ticket[stage]))
            assert state == (entry.decrypt, entry.slot, entry.ticket)
            for cells, bases in seq.stage_base.items():
                assert get(bases[stage]) == entry.number % cells[self.size]
        for cells in seq.moduli:
            assert get(seq.next_base[cells]) == self.number % cells[self.size]
            assert get(seq.ahead_base[cells]) == (self.number + 1) % cells[self.size]
        if get(seq.size.idle):
            assert not acting and self.cycle - self.pointed_at > DRAIN, f"cycle {self.cycle}: idle while rows take effect"
        if get(seq.scrub):
            assert self.setting_up and self.cycle - self.pointed_at >= DRAIN, "results are written behind the zeros"
            self.scrubbed.append(get(seq.scrub_address))
        if get(seq.enter.ack):
            assert enter and (not self.setting_up or self.cycle <= self.setup_from + 1)
            assert all((self.cycle - entry.cycle) % seq.rows[self.size] == 0 for _, entry in acting.values())
            self.entries.append(Entry(self.cycle, self.number, decrypt, slot, ticket))
            self.number += 1
        self.pointer = get(seq.row)
        await ctx.tick()
        self.cycle += 1

    async def steps(self, count: int) -> None:
        for _ in range(count):
            await self.step()

    async def until(self, condition: Callable[[], Any], limit: int = 400) -> None:
        for _ in range(limit):
            if condition():
                return
            await self.step()
        raise AssertionError(f"nothing after {limit} cycles")

    async def idle(self) -> None:
        self.asks = 0.0
        await self.until(lambda: self.ctx.get(self.seq.size.idle))

    async def change_size(self, size: int) -> None:
        """Another size, once nothing is in flight; the counters begin at 0 with the restart."""
        await self.idle()
        self.ctx.set(self.seq.size.number, size)
        await self.ctx.tick()
        self.ctx.set(self.seq.size.restart, 1)
        await self.ctx.tick()
        self.ctx.set(self.seq.size.restart, 0)
        self.size, self.number, self.entries = size, 0, []
        self.cycle += 2
        self.pointer = self.starts[size]
        assert self.ctx.get(self.seq.row) == self.pointer

    async def set_up(self, slot: int, scrub: bool) -> None:
        """A request, held until it is done."""
        ctx, seq = self.ctx, self.seq
        self.rows, self.scrubbed = [], []
        self.setting_up, self.setup_slot, self.setup_from = 1, slot, self.cycle
        for port, value in ((seq.setup.request, 1), (seq.setup.slot, slot), (seq.setup.scrub, int(scrub))):
            ctx.set(port, value)
        await self.until(lambda: ctx.get(seq.setup.done))
        starts = self.starts[seq.sizes :]
        every = [(n, start + row) for n, (start, rows) in enumerate(zip(starts, seq.setup_rows)) for row in range(rows)]
        assert self.rows == ([] if scrub else every), "each row of each table acts once, in their order"
        assert self.scrubbed == list(range(WORDS)), "each word once"
        await self.step()
        ctx.set(seq.setup.request, 0)
        self.setting_up = 0
        assert not ctx.get(seq.setup.done), "for one cycle"


def run(shape: str, script: Callable[[Watch], Awaitable[None]]) -> None:
    rows, setup_rows, stages, moduli = SHAPES[shape]
    seq = Sequencer(rows, setup_rows, stages, moduli, SLOTS, TICKET_BITS, DRAIN, WORDS)

    async def testbench(ctx: Any) -> None:
        await script(Watch(ctx, seq, random.Random(shape)))

    simulator = Simulator(seq)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()


@pytest.mark.parametrize("shape", SHAPES)
def test_rows_and_stages(shape: str) -> None:
    """Sectors one behind the other, at any distance, among set-ups and overwritings, in every size."""

    async def script(watch: Watch) -> None:
        seq, rng = watch.seq, watch.rng
        for size in (*range(seq.sizes), 0):
            if size != watch.size:
                await watch.change_size(size)
            await watch.set_up(3, scrub=False)
            for asks in (1.0, 0.5, 0.2):
                watch.asks, entered = asks, len(watch.entries)
                await watch.steps(30 + 10 * seq.rows[size])
                assert len(watch.entries) > entered
                for scrub in (False, True):
                    await watch.steps(rng.randrange(3 * seq.rows[size]))
                    await watch.set_up(rng.randrange(SLOTS), scrub)
            watch.asks = 1.0
            await watch.steps(4 * max(seq.rows))
            distances = {b.cycle - a.cycle for a, b in zip(watch.entries[-3:], watch.entries[-2:])}
            assert distances == {seq.rows[size]}, "an entry at every turn"
            await watch.idle()

    run(shape, script)


def test_wrong_rows() -> None:
    """Several tables need two rows each; two are enough."""
    with pytest.raises(ValueError, match="at least two cycles"):
        Sequencer((4, 1), (2, 2), 3, ((1, 1),), 1, 1, DRAIN, WORDS)
    assert Sequencer((4, 2), (2, 2), 3, ((1, 1),), 1, 1, DRAIN, WORDS).sizes == 2


def test_ports_are_those_of_the_engine() -> None:
    seq = Sequencer((4, 3), (2, 2), 3, ((1, 1),), SLOTS, TICKET_BITS, DRAIN, WORDS)
    engine = engine_signature(
        block_bits=128, lanes=1, blocks=4, tweak_blocks=1, key_slots=SLOTS, key_words=1, ticket_bits=TICKET_BITS, erase_bits=4,
        round_bits=4, round_key_bits=128, sizes=2,
    )  # fmt: skip
    groups = {"enter": engine, "size": engine, "setup": engine.members["preparation"].signature}
    for name, whole in groups.items():
        assert seq.signature.members[name].signature == whole.members[name].signature, name
