# SPDX-License-Identifier: Apache-2.0
"""The rows of a program's table, sorted by direction and by the cycle of a sector in which they act."""

from __future__ import annotations

from modeloom.allocate.names import NetName, UnitName
from modeloom.allocate.program import ChainRow, KeyRow, NetRow, OutRow, PortRow, Program, Source, Table, WriteRow
from modeloom.spec.kinds import Kind

__all__ = ["Plan", "Step", "BANK", "Y", "CHAIN", "KEY", "CONST", "BROKEN"]

BANK, Y, CHAIN, KEY, CONST, BROKEN = range(6)
"""Kinds of the terms of a network row."""


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
        if key is None or key.stage != row.stage or direction not in key.word:
            return BROKEN, f"the key port {source.index} of {net} in row {slot}", 0, *wires
        return KEY, key.word[direction], 0, *wires

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
