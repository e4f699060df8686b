# SPDX-License-Identifier: Apache-2.0
"""The machine that a program describes, cycle by cycle, on values of any kind: symbols or numbers.

The actions of cycle t for every sector in flight, which entered in cycle E and uses the rows of cycle u = t - E::

    networks     add their sources: bank ports (cells read in t - 1), outputs y, chain registers, key words, constants
    batches      begin, if the row of some sector says so; they take operands in this cycle and in the next ones
    units        take operands; post_at cycles later the post network is added; latency cycles later the result is y
    ports        read their cells for cycle t + 1: they see what was written up to cycle t - 1
    end of t     results and input blocks are written, chains load or step, blocks leave

Rows whose stage holds no sector do nothing.  A value that was never written is ``undefined``, which the symbols
refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Generic, Protocol, TypeAlias, TypeVar

from modeloom.allocate.program import (
    POST,
    ChainName,
    ChainRow,
    KeyRow,
    NetName,
    NetRow,
    OutName,
    OutRow,
    PortRow,
    Program,
    Source,
    Table,
    UnitName,
    WriteRow,
    batched,
)
from modeloom.spec.kinds import Kind

__all__ = ["BANK", "BROKEN", "CHAIN", "CONST", "KEY", "Y", "Machine", "MachineError", "Plan", "Sector", "Step", "Values"]

BANK, Y, CHAIN, KEY, CONST, BROKEN = range(6)
"""Kinds of the terms of a network row."""


# The rows of a program's table, sorted by direction and by the cycle of a sector in which they act.

class Step:
    """The actions of one direction in one cycle of a sector.

    Attributes
    ----------
    nets : list
        (network, terms, core, bytes kept, number); a term is (kind, what, age, k, keep).
    reads : list
        ((bank, port), cell): reads for the next cycle.
    writes, outs, chains : list
        (unit, cell), (lane, index), (chain, action).
    batches : list
        Units that begin a batch.
    """

    __slots__ = ("nets", "reads", "writes", "outs", "chains", "batches")

    def __init__(self) -> None:
        self.nets: list[tuple[NetName, list[tuple], Kind | None, int, int]] = []
        self.reads: list[tuple[tuple[str, int], int]] = []
        self.writes: list[tuple[UnitName, int]] = []
        self.outs: list[tuple[int, int]] = []
        self.chains: list[tuple[int, str]] = []
        self.batches: list[UnitName] = []


class Plan:
    """The rows of a table by direction and cycle of a sector.

    Parameters
    ----------
    program : Program
    table : Table
        One of its tables.
    out_delay : int
        Cycles from an output network to the leaving of its block.
    key_delay : int
        Cycles from the leaving of a key word to its first use.
    """

    def __init__(self, program: Program, table: Table, out_delay: int, key_delay: int):
        self.program, self.table = program, table
        self.out_delay, self.key_delay = out_delay, key_delay
        self.units = {unit.name: unit for unit in program.units}
        self.strides = {chain.id: chain.stride for chain in program.chains}
        self.bank_of = {bank.writer: bank.name for bank in program.banks.values()}
        rows = list(table.all_rows())
        self.last = max([table.stages - 1, *(row.stage for *_, row in rows)]) * table.rows + table.rows - 1
        # One entry more in front: the ports of cycle 0 read in cycle -1.
        self.steps: dict[str, list[Step | None]] = {d: [None] * (self.last + 2) for d in table.directions}
        for what, key, slot, row in rows:
            getattr(self, f"_{what}")(key, slot, row, row.stage * table.rows + slot)
        for unit, batches in table.batches.items():
            for slot, batch in enumerate(batches):
                for direction, stages in batch.stages.items() if batch is not None else ():
                    for stage in stages:
                        self._step(direction, stage * table.rows + slot).batches.append(unit)
        ages = [s.index for net in program.nets.values() for s in net.sources if s.kind == "y"]
        self.oldest = max(ages, default=0)

    def _step(self, direction: str, cycle: int) -> Step:
        steps = self.steps[direction]
        step = steps[cycle + 1]
        if step is None:
            step = steps[cycle + 1] = Step()
        return step

    def _nets(self, name: NetName, slot: int, row: NetRow, cycle: int) -> None:
        sources = self.program.nets[name].sources
        for direction, numbers in row.select.items():
            terms = [self._source(name, slot, row, direction, sources[n]) for n in numbers]
            wires = (row.core.get(direction), row.keep.get(direction, 0), row.number.get(direction, 0))
            self._step(direction, cycle).nets.append((name, terms, *wires))

    def _source(self, net: NetName, slot: int, row: NetRow, direction: str, source: Source) -> tuple:
        wires = (source.k, source.keep)
        if source.kind == "bank":
            return BANK, (source.name, source.index), 0, *wires
        if source.kind == "y":
            return Y, source.name, source.index, *wires
        if source.kind == "chain":
            return CHAIN, source.index, 0, *wires
        if source.kind == "const":
            return CONST, row.const.get(direction, 0), 0, *wires
        column = self.table.keys.get((net, source.index))
        key = column[slot] if column else None
        word = key.word.get(direction) if key and key.stage == row.stage else None
        if word is None:
            return BROKEN, f"the key port {source.index} of {net} in row {slot}", 0, *wires
        return KEY, word, 0, *wires

    def _ports(self, key: tuple[str, int], slot: int, row: PortRow, cycle: int) -> None:
        for direction, cell in row.cell.items():
            self._step(direction, cycle - 1).reads.append((key, cell))

    def _keys(self, key: tuple[NetName, int], slot: int, row: KeyRow, cycle: int) -> None:
        """Key rows take effect together with the network row of their slot."""

    def _writes(self, unit: UnitName, slot: int, row: WriteRow, cycle: int) -> None:
        for direction, cell in row.cell.items():
            self._step(direction, cycle).writes.append((unit, cell))

    def _outs(self, lane: int, slot: int, row: OutRow, cycle: int) -> None:
        for direction, index in row.index.items():
            self._step(direction, cycle).outs.append((lane, index))

    def _chains(self, chain: int, slot: int, row: ChainRow, cycle: int) -> None:
        for direction in row.directions:
            self._step(direction, cycle).chains.append((chain, row.action))


# -- machine -----------------------------------------------------------------------------------------------------------------------

V = TypeVar("V")
F = TypeVar("F")
R = TypeVar("R")
"""Values, forms, and results of operations before the terms behind a unit are added."""


class MachineError(Exception):
    """A program does something impossible, such as reading an empty cell or starting two operations on one unit."""


class Values(Protocol[V, F, R]):
    """The values that the machine computes with.  A *value* is a stored block, and a *form* is the output of a network.

    A term is (value, k, keep): keep bytes of the value (0: all) times x^k.
    """

    def form(self, terms: list[tuple[V, int, int]]) -> F:
        """XOR of terms."""

    def term(self, form: F, k: int, keep: int) -> tuple[V, int, int]:
        """A form that a register holds, as a term."""

    def step(self, form: F, stride: int) -> F:
        """form * x^stride."""

    def operate(self, core: Kind, operands: list[F], number: int) -> R:
        """The result of an operation on some forms, before the post terms, with its number."""

    def result(self, raw: R, keep: int, post: F) -> V:
        """The value that is written: keep bytes of the core's result, and the post form."""

    def store(self, form: F) -> V:
        """A form as a value: a key word that set-up writes."""

    def const(self, number: int) -> V:
        """A constant as a value."""

    def undefined(self, what: str) -> V:
        """The contents of a cell that was never written."""


@dataclass(eq=False)
class Sector(Generic[V, F]):
    """One pass through a table.

    Attributes
    ----------
    number : int
        Running number, which turns the banks.
    direction : str
    entry : int
        Cycle 0 of the sector.
    writes : list
        (cycle, bank, cell, value) of its blocks and tweak: at the end of that cycle.
    outputs : dict
        Forms that left, by block number (in set-up: by word).
    """

    number: int
    direction: str
    entry: int
    writes: list[tuple[int, str, int, V]] = field(default_factory=list)
    outputs: dict[int, F] = field(default_factory=dict)


OnBlock: TypeAlias = Callable[[Sector[V, F], int, F], None]


class Machine(Generic[V, F, R]):
    """Runs sectors through a plan.

    Parameters
    ----------
    plan : Plan
    values : Values
        What it computes with.
    words : sequence
        Values of the key memory; None where nothing is written yet.
    turn : callable
        ``turn(cells)``: what the counter of banks with so many cells shows for sector 0 (rotation has no fixed origin).
    memory : dict or None
        Contents of the banks, None for unwritten cells; may be handed from machine to machine.
    """

    def __init__(
        self, plan: Plan, values: Values[V, F, R], words: Sequence[V | None], turn: Callable[[int], int] = lambda cells: 0,
        memory: dict[str, list[V | None]] | None = None,
    ):  # fmt: skip
        self.plan, self.values = plan, values
        self.words: list[V | None] = list(words)
        banks = plan.program.banks.values()
        self.cells = {bank.name: bank.cells for bank in banks}
        self.turn = {bank.name: turn(bank.cells) for bank in banks}
        self.memory: dict[str, list[V | None]] = memory if memory is not None else {bank.name: [None] * bank.cells for bank in banks}
        self.cycles = 0
        self.port: dict[tuple[str, int], V | None] = {}
        self.chain: dict[int, F | None] = {}
        self.y: dict[str, list[V | None]] = {name: [None] * (plan.oldest + 1) for name in plan.units}
        self.cores: dict[str, dict[int, tuple[Kind, R]]] = {name: {} for name in plan.units}
        self.late: dict[str, dict[int, V]] = {name: {} for name in plan.units}
        self.leaving: dict[int, dict[int, F]] = {lane: {} for lane in range(plan.program.lanes)}
        self.new_words: dict[int, list[tuple[int, V]]] = {}
        self.free_at: dict[str, int] = {}
        self.slow_free_at: dict[str, int] = {}
        self.begun = dict.fromkeys(batched(plan.program.units), -1 << 60)
        self.done: set[tuple[str, str]] = set()
        self.rows: dict[NetName, tuple] = {}
        self.t = 0

    def run(self, sectors: Sequence[Sector[V, F]], on_block: OnBlock[V, F] | None = None) -> None:
        """Runs sectors, given in the order of their entries, until the last has left.

        ``on_block(sector, index, form)`` is called for each block (in set-up: key word) as it leaves.
        """
        for _ in self.steps(sectors, on_block):
            pass

    def steps(self, sectors: Sequence[Sector[V, F]], on_block: OnBlock[V, F] | None = None) -> Iterator[int]:
        """Like ``run``, one cycle at a time.  It yields the number of the completed cycle."""
        table = self.plan.table
        writes: dict[int, list[tuple[str, int, V]]] = {}
        for sector in sectors:
            for cycle, bank, cell, value in sector.writes:
                place = (cell + sector.number + self.turn[bank]) % self.cells[bank]
                writes.setdefault(cycle, []).append((bank, place, value))
        for a, b in pairwise(sectors):
            gap = b.entry - a.entry
            if gap < table.rows or (gap % table.rows and gap < table.rows * table.stages):
                raise MachineError(f"sectors enter {gap} cycles apart: the rows repeat every {table.rows}")
        waiting = list(sectors)
        flight: list[Sector[V, F]] = []
        first = min([sectors[0].entry - 1, *writes])
        last = sectors[-1].entry + self.plan.last + self.plan.out_delay
        for t in range(first, last + 1):
            if waiting and waiting[0].entry == t + 1:
                flight.append(waiting.pop(0))
                if t + 1 - flight[0].entry > self.plan.last:
                    flight = [s for s in flight if t - s.entry <= self.plan.last]
            self._cycle(t, flight, writes.pop(t, ()), on_block)
            self.cycles += 1
            yield t

    # -- one cycle ----------------------------------------------------------------------------------------------------

    def _cycle(
        self, t: int, flight: list[Sector[V, F]], arriving: Sequence[tuple[str, int, V]],
        on_block: OnBlock[V, F] | None,
    ) -> None:  # fmt: skip
        """The actions of a cycle in the order of the picture above: key words, batches, results of units, networks with the units and
        sums that they start, then for each sector what it writes, gives and reads, and at last what the end of the cycle stores.

        Networks read ports and chains as they were before the cycle, so that new values are collected and take effect together.
        """
        plan = self.plan
        self.t = t
        for word, value in self.new_words.pop(t, ()):
            self.words[word] = value
        active: list[tuple[Sector[V, F], Step]] = []
        for sector in flight:
            u = t - sector.entry + 1
            steps = plan.steps[sector.direction]
            if u < len(steps) and (step := steps[u]) is not None:
                active.append((sector, step))
        rows = self.rows = {}
        self.done.clear()
        for _, step in active:
            for row in step.nets:
                rows[row[0]] = row
            for unit in step.batches:
                self._begin(unit)
        self._outputs_of_units(t)
        forms: dict[NetName, F] = {}
        for name in rows:
            owner = name.owner
            if isinstance(owner, UnitName):
                if name.first:
                    self._issue(owner)
                elif name.post:
                    self._finish(owner)
            else:
                forms[name] = self._network(name)
        chains = []
        pending: list[tuple[str, int, V]] = []
        port: dict[tuple[str, int], V | None] = {}
        memory, cells, turn = self.memory, self.cells, self.turn
        for name, form in forms.items():
            if isinstance(name.owner, OutName):
                self.leaving[name.owner.number][t + plan.out_delay] = form
        for sector, step in active:
            for unit, cell in step.writes:
                result = self._y(unit, 0)
                if result is None:
                    result = self.values.undefined(f"the output of {unit}, which is written")
                bank = plan.bank_of[unit]
                pending.append((bank, (cell + sector.number + turn[bank]) % cells[bank], result))
            for lane, index in step.outs:
                block = self.leaving[lane].pop(t, None)
                if block is None:
                    block = self.values.form([(self.values.undefined(f"output lane {lane}"), 0, 0)])
                self._leave(sector, index, block, t, on_block)
            for chain, action in step.chains:
                chains.append((chain, action))
            for (bank, number), cell in step.reads:
                port[bank, number] = memory[bank][(cell + sector.number + turn[bank]) % cells[bank]]
        self.port = port
        for chain, action in chains:
            if action == "load":
                self.chain[chain] = forms.get(NetName(ChainName(chain)))
            elif (held := self.chain.get(chain)) is not None:
                self.chain[chain] = self.values.step(held, plan.strides[chain])
        for bank, place, value in (*pending, *arriving):
            memory[bank][place] = value

    def _leave(self, sector: Sector[V, F], index: int, form: F, t: int, on_block: OnBlock[V, F] | None) -> None:
        if index in sector.outputs:
            raise MachineError(f"block {index} of sector {sector.number} leaves twice")
        sector.outputs[index] = form
        if self.plan.table.name == "setup":
            if t + self.plan.key_delay in self.new_words:
                raise MachineError(f"two key words leave in cycle {t}, and the key memory has one write port")
            self.words[index] = None
            self.new_words.setdefault(t + self.plan.key_delay, []).append((index, self.values.store(form)))
        if on_block is not None:
            on_block(sector, index, form)

    def _outputs_of_units(self, t: int) -> None:
        """Registered outputs.  Outputs of units without a register are computed when the networks are evaluated."""
        for unit, history in self.y.items():
            history.insert(0, self.late[unit].pop(t, None))
            history.pop()

    def _begin(self, unit: UnitName) -> None:
        """Begins a batch of a unit, if no other sector has done so in this cycle."""
        if unit not in self.begun:
            raise MachineError(f"{unit} takes no batches")
        begun, interval = self.begun[unit], self.plan.units[unit].cadence.interval
        if begun < self.t < begun + interval:
            raise MachineError(f"a batch of {unit} begins in cycle {self.t}, and the one before it in cycle {begun}")
        self.begun[unit] = self.t

    def _issue(self, unit: UnitName) -> None:
        """Starts the operation of the operand rows of a unit, once in each cycle."""
        if ("a", unit) in self.done:
            return
        self.done.add(("a", unit))
        description = self.plan.units[unit]
        row = self.rows[NetName(unit)]
        core, number = row[2], row[4]
        if core not in description.cores:
            raise MachineError(f"{unit} has no core {core}")
        if self.free_at.get(unit, self.t) > self.t:
            raise MachineError(f"{unit} starts in cycle {self.t} before it is free")
        self.free_at[unit] = self.t + description.interval
        end = self.begun.get(unit, self.t) + description.cadence.blocks
        if self.t >= end:
            raise MachineError(f"{unit} starts in cycle {self.t}, which is in no batch")
        if core == description.slow_core:
            if self.slow_free_at.get(unit, self.t) > self.t:
                raise MachineError(f"{unit} starts its {core} core in cycle {self.t} before that is free")
            self.slow_free_at[unit] = self.t + description.slow_interval
        operands = [self._network(NetName(unit, operand)) for operand in description.operands]
        self.cores[unit][self.t + description.post_at] = (core, self.values.operate(core, operands, number))

    def _finish(self, unit: UnitName) -> None:
        """Adds the post network to the output of the core, once per cycle.  In a loop of networks, no output is found."""
        if ("post", unit) in self.done:
            return
        self.done.add(("post", unit))
        description = self.plan.units[unit]
        if not description.post_at and NetName(unit) in self.rows:
            self._issue(unit)
        row = self.rows[NetName(unit, POST)]
        result = self.cores[unit].pop(self.t, None)
        if result is None or result[0] != row[2]:
            value = self.values.undefined(f"the result of {unit}")
        else:
            value = self.values.result(result[1], row[3], self._network(row[0]))
        delay = description.latency - description.post_at
        if delay:
            self.late[unit][self.t + delay] = value
        else:
            self.y[unit][0] = value

    def _y(self, unit: UnitName, age: int) -> V | None:
        description = self.plan.units[unit]
        if not age and description.latency == description.post_at and NetName(unit, POST) in self.rows:
            self._finish(unit)
        return self.y[unit][age]

    def _network(self, name: NetName) -> F:
        row = self.rows.get(name)
        if row is None:
            return self.values.form([(self.values.undefined(f"network {name}"), 0, 0)])
        terms = []
        for kind, what, age, k, keep in row[1]:
            value: V | None = None
            if kind == BANK:
                value = self.port.get(what)
            elif kind == Y:
                value = self._y(what, age)
            elif kind == KEY:
                value = self.words[what]
            elif kind == CONST:
                value = self.values.const(what)
            elif kind == CHAIN:
                held = self.chain.get(what)
                if held is not None:
                    terms.append(self.values.term(held, k, keep))
                    continue
            if value is None:
                value = self.values.undefined(_named(kind, what, age))
            terms.append((value, k, keep))
        return self.values.form(terms)


def _named(kind: int, what: tuple[str, int] | str | int, age: int) -> str:
    if isinstance(what, tuple):
        return f"port {what[1]} of bank {what[0]}"
    if kind == Y:
        return f"the output of {what}" + (f" {age} cycles ago" if age else "")
    return {CHAIN: f"chain {what}", KEY: f"key word {what}"}.get(kind, str(what))
