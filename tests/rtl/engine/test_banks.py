# SPDX-License-Identifier: Apache-2.0
"""The banks of an engine: cells that rotate from sector to sector, tweaks of two blocks, and how many words there are."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Const, Module, Signal
from amaranth.sim import Simulator
from tests.rtl.engine.bench import Host, compiled, engine_of, simulate
from tests.rtl.engine.definitions import Tweaks

from modeloom import cycles
from modeloom.compiler.compile import Compiled
from modeloom.rtl.engine.interface import engine_signature
from modeloom.rtl.engine.layout import engine_fields
from modeloom.rtl.engine.sequencer import ControlStore, RowReader, Sequencer
from modeloom.rtl.engine.storage import FEW_WORDS, Banks, BankStyles, holds_results, rotations

CASES: dict[str, dict[str, Any]] = {
    "one lane": {"sector": 48},
    "two lanes, half a beat": {"sector": 48, "cipher_cores": 2},
    "sequential": {"sector": 64, "cipher_arch": "sequential"},
    "sizes of one and two beats": {"sector": 32, "more_sectors": (80, 16), "cipher_cores": 4},
}


@pytest.mark.parametrize("case", CASES)
def test_tweaks_and_blocks_of_every_sector(case: str) -> None:
    """The tweak is there in the cycle of the entry and in the next one only, the blocks before; cells turn over many sectors."""

    async def script(host: Host) -> None:
        await host.load_keys()
        for size in range(len(host.p.sizes)):
            if size:
                await host.change_size(size)
            for gaps in (0.0, 0.3, 0.7):
                host.gaps = gaps
                host.send(9)
                await host.finish()

    simulate(compiled(Tweaks, **CASES[case]), script)


@pytest.mark.parametrize("storage", ["lut", "auto"])
@pytest.mark.parametrize("sizes", [(), (32,)], ids=["one size", "two sizes"])
def test_words_of_the_banks(sizes: tuple[int, ...], storage: str) -> None:
    """As many as cells; in a core for several sizes as many as their addresses can name, and no more.  A few words are registers, as many
    as cells."""
    design = compiled("hctr2", sector=48, more_sectors=sizes, storage=storage)
    program = design.core_program
    text = rtlil.convert(engine_of(design, []), name="top")
    found: dict[str, int] = {}
    for name, body in re.findall(r"^module \\top\.bank_(\w+)$(.*?)^end$", text, re.DOTALL | re.MULTILINE):
        found[name] = sum(int(words) for words in re.findall(r"^\s*memory width 128 size (\d+) ", body, re.MULTILINE))
        found[name] += len(re.findall(r"^  wire width 128 \\word\d_reg$", body, re.MULTILINE))
    cells = {name: max(2, bank.cells) for name, bank in program.banks.items()}
    wanted = {name: 1 << (count - 1).bit_length() for name, count in cells.items()} if sizes else cells
    few = {name: bank.cells for name, bank in program.banks.items() if storage == "auto" and name != "in0" and bank.cells <= FEW_WORDS}
    assert bool(few) == (storage == "auto")
    assert found == wanted | few and len(found) > 3


def test_which_banks_hold_results() -> None:
    """Those are overwritten after a set-up; what the host gives is not."""
    banks = compiled("hctr2", sector=48).core_program.banks.values()
    assert {bank.name for bank in banks if not holds_results(bank)} == {"in0", "tweak"}


class Alone:
    """Banks with a sequencer and a control store, and noise in the place of units, against a model of memories that rotate."""

    def __init__(self, design: Compiled, rng: random.Random):
        self.program, self.rng = design.core_program, rng
        program = self.program
        self.module = m = Module()
        store = ControlStore(engine_fields(program).columns)
        seq = Sequencer(
            [table.rows for table in program.mains], [table.rows for table in program.setups], program.stages,
            tuple(rotations(program).values()), 1, 3, cycles.DRAIN, 2,
        )  # fmt: skip
        m.submodules.store, m.submodules.seq = store, seq
        self.seq, self.noise = seq, {unit.name: Signal(128, name=f"{unit.name}_noise") for unit in program.units}
        sizes = {"block_bits": 128, "lanes": program.lanes, "blocks": max(program.blocks), "tweak_blocks": program.tweak_blocks}
        self.ports = engine_signature(
            **sizes, key_slots=1, key_words=4, ticket_bits=3, erase_bits=8, round_bits=4, round_key_bits=8
        ).create()  # fmt: skip
        m.d.comb += [
            store.row.eq(seq.row), seq.enter.request.eq(self.ports.enter.request), self.ports.enter.ack.eq(seq.enter.ack),
        ]  # fmt: skip
        banks = Banks(
            m, self.ports, program, 128, RowReader(m, seq, store), BankStyles(), self.noise.__getitem__, Const(0), Const(0, 8)
        )  # fmt: skip
        # A name of its own: otherwise what nothing reads would not be simulated.
        self.data = {key: Signal(128, name=f"seen_{key[0]}_{key[1]}") for key in banks.data}
        m.d.comb += [self.data[key].eq(value) for key, value in banks.data.items()]
        self.memory: dict[str, list[int | None]] = {name: [None] * bank.cells for name, bank in program.banks.items()}
        self.later: list[tuple[int, str, int, int]] = []
        self.entries: list[int] = []
        self.cycle = self.read = 0

    def write(self, cycle: int, bank: str, cell: int, sector: int, value: int) -> None:
        """A value that is in its bank at the end of a cycle: reads whose data stand two cycles later see it."""
        self.later.append((cycle + 2, bank, (cell + sector) % self.program.banks[bank].cells, value))

    def rows(self, cycle: int, lists: Any) -> Iterator[tuple[Any, Any, int]]:
        """Key, row and sector of the rows that act in a cycle."""
        table = self.program.mains[0]
        for sector, entry in enumerate(self.entries):
            u = cycle - entry - cycles.LEAD
            for key, column in lists.items() if 0 <= u < table.rows * table.stages else ():
                row = column[u % table.rows]
                if row is not None and row.stage == u // table.rows:
                    yield key, row, sector

    async def erase(self, ctx: Any) -> None:
        """When no sector is inside, zeros go to every word that the host fills."""
        ctx.set(self.ports.enter.request, 0)
        ctx.set(self.ports.fill.we, 0)
        ctx.set(self.ports.fill.data, 0)
        quiet, words = 100, 1 << len(self.ports.erase.address)
        for number in range(-quiet, words + quiet):
            ctx.set(self.ports.erase.we, 0 <= number < words)
            ctx.set(self.ports.erase.address, number % words)
            await ctx.tick()
        self.cycle += words + 2 * quiet
        self.later.clear()
        for bank in self.memory:
            if bank.startswith("in"):
                self.memory[bank] = [0] * len(self.memory[bank])

    async def run(self, ctx: Any, sectors: int, fill: bool = True) -> None:
        """Sectors enter, with blocks that the host writes or, without ``fill``, with what the banks have."""
        table, program, ports, rng = self.program.mains[0], self.program, self.ports, self.rng
        beats = -(-program.blocks[0] // program.lanes)
        known, read, empty = len(self.entries), self.read, 0 if fill else beats
        filled, cycle, asked = empty, self.cycle, False
        tweak = rng.getrandbits(128 * program.tweak_blocks)
        end = cycle + sectors * 60
        while cycle < end:
            for signal in self.noise.values():
                ctx.set(signal, rng.getrandbits(128))
            ctx.set(ports.fill.we, filled < beats)
            ctx.set(ports.fill.beat, min(filled, beats - 1))
            ctx.set(ports.fill.data, beat := rng.getrandbits(128 * program.lanes))
            if filled < beats:
                for lane in range(program.lanes):
                    block = filled * program.lanes + lane
                    if block in table.inputs and f"in{lane}" in program.banks:
                        value = beat >> 128 * lane & (1 << 128) - 1
                        self.write(cycle + cycles.FILL_DELAY, f"in{lane}", table.inputs[block], len(self.entries), value)
                filled += 1
            elif not asked and rng.random() < 0.7:
                asked = True
            ctx.set(ports.enter.request, asked)
            ctx.set(ports.tweak, tweak)
            if ctx.get(self.seq.enter.ack):
                self.entries.append(cycle)
                for j, cell in table.tweaks.items():
                    value = tweak >> 128 * j & (1 << 128) - 1
                    self.write(cycle + cycles.LEAD + cycles.TWEAK_WRITE + j, "tweak", cell, len(self.entries) - 1, value)
                filled, asked = empty, False
            elif not asked:
                tweak = tweak if self.entries and self.entries[-1] == cycle - 1 else rng.getrandbits(128 * program.tweak_blocks)
            for place in [place for place in self.later if place[0] <= cycle]:
                self.later.remove(place)
                self.memory[place[1]][place[2]] = place[3]
            for (bank, port), row, sector in self.rows(cycle, table.ports):
                cell = (row.cell["encrypt"] + sector) % program.banks[bank].cells
                assert ctx.get(self.data[bank, port]) == self.memory[bank][cell], f"cycle {cycle}: port {port} of {bank}, sector {sector}"
                self.read += 1
            for unit, row, sector in self.rows(cycle, table.writes):
                self.write(cycle, unit, row.cell["encrypt"], sector, ctx.get(self.noise[unit]))
            await ctx.tick()
            cycle += 1
        self.cycle = cycle
        assert len(self.entries) >= known + sectors and self.read > read + 4 * sectors


ALONE: dict[str, tuple[Any, dict[str, Any]]] = {
    "results and inputs": ("hctr2", {"sector": 64}),
    "two lanes": ("heh-brw", {"sector": 96, "aes": 2}),
    "tweaks of two blocks": (Tweaks, {"sector": 48}),
}


def alone(case: str, spoil: Callable[[Alone], None] = lambda banks: None, erase: bool = False) -> None:
    mode, options = ALONE[case]
    banks = Alone(compiled(mode, direction="encrypt", **options), random.Random(case))
    spoil(banks)

    async def testbench(ctx: Any) -> None:
        await banks.run(ctx, 12)
        if erase:
            await banks.erase(ctx)
            await banks.run(ctx, 6, fill=False)

    simulator = Simulator(banks.module)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()


@pytest.mark.parametrize("case", ALONE)
def test_cells_of_every_read_and_write(case: str) -> None:
    """Each read gives what was written last into the cell that its row names, turned by the number of its sector."""
    alone(case)


@pytest.mark.parametrize("case", ["results and inputs", "two lanes"])
def test_blocks_of_the_host_are_erased(case: str) -> None:
    """Sectors that enter afterwards without a new block find zeros."""
    alone(case, erase=True)


def test_a_cell_that_does_not_turn_is_seen() -> None:
    """Of the model: a row with another cell, reads of the next sector, a write that is forgotten."""

    def other_cell(banks: Alone) -> None:
        table = banks.program.mains[0]
        key = next(iter(table.ports))
        column = [row and replace(row, cell={"encrypt": row.cell["encrypt"] + 1}) for row in table.ports[key]]
        banks.program = replace(banks.program, mains=[replace(table, ports={**table.ports, key: column})])

    def other_turn(banks: Alone) -> None:
        rows, ports = banks.rows, banks.program.mains[0].ports
        banks.rows = lambda cycle, lists: ((key, row, sector + (lists is ports)) for key, row, sector in rows(cycle, lists))  # type: ignore

    def forgotten(banks: Alone) -> None:
        table = banks.program.mains[0]
        banks.program = replace(banks.program, mains=[replace(table, writes=dict(list(table.writes.items())[1:]))])

    for spoil in (other_cell, other_turn, forgotten):
        with pytest.raises(AssertionError, match=r"port \d of"):
            alone("results and inputs", spoil)
