# SPDX-License-Identifier: Apache-2.0
"""The legality checker of programs, written independently of the builder. It reads the rows alone.

From them it derives when units take operands and give results, which value each read of a cell returns, and how long each
value lives.  A value v of a sector and a value u of the d-th sector after it share a cell if d = cell(v) - cell(u)
modulo R; u may be written no earlier than v is read last, for every gap between the sectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple
from itertools import pairwise
from typing import NamedTuple, TypeVar

from modeloom.allocate.program import (
    POST,
    TWEAK,
    Bank,
    ChainName,
    ChainRow,
    KeyRow,
    LaneName,
    NetName,
    NetRow,
    OutName,
    OutRow,
    Program,
    Row,
    Source,
    Table,
    UnitInstance,
    UnitName,
    batched,
)
from modeloom.ir.check import CheckError
from modeloom.schedule.check import check_schedule
from modeloom.spec.kinds import Kind

__all__ = ["CheckError", "check_program", "check_schedule", "check_storage"]

# The storage part of the checker of programs: the value that each read returns, and that no two values share a cell at one time.
#
# A value of a later sector must be written after the last read of the value of an earlier sector in its cell.  (A value that
# ends before the other one is written would do no harm either.  No builder relies on that, so the checker refuses it.)
#
# Times of a value, relative to cycle 0 of its sector:
#
#     first             earliest cycle of its write; for input blocks, relative to the entry of an earlier sector
#     last              cycle of the last read of its cell, plus its rest (``Program.rest``)
#
# A bus brings one beat in each cycle.  A beat below ``fill_ahead`` may arrive when the previous sector is complete, which
# is after the entry of the sector before that one.  Other beats arrive after the entry of the previous sector.

LEAD = 6
"""Cycles from the cycle in which the engine takes a sector to the sector's cycle 0 (``rtl.engine``)."""

FILL_DELAY = 3
"""Cycles from the bus until a block is in its bank."""

FILL_AHEAD = 4
"""Number of beats of a sector that the bus may bring while the previous sector asks to enter."""


class _Value(NamedTuple):
    """``first`` counts from the entry of the sector ``back`` before its own."""

    cell: int
    first: int
    back: int
    last: int | None


def check_storage(program: Program) -> None:
    """Raises ``CheckError`` unless every read finds its value, for all gaps between sectors."""
    for table in program.tables.values():
        for bank in program.banks.values():
            values: set[_Value] = set()
            for direction in table.directions:
                values.update(_values(program, table, bank, direction))
            if table.name == "main":
                _disjoint(program, table, bank, sorted(values, key=str))
    if program.fill_ahead != FILL_AHEAD:
        raise CheckError(f"{program.name}: the bus brings {FILL_AHEAD} beats ahead of their sector, not {program.fill_ahead}")


def _written(program: Program, table: Table, bank: Bank, direction: str) -> list[tuple[int, int, int, int]]:
    """(cell, earliest write, back, latest write) of the values of a bank."""
    if not isinstance(bank.writer, UnitName):
        if table.name != "main":
            return []
        if not isinstance(bank.writer, LaneName):
            cells, count = table.tweaks, range(program.tweak_blocks)
        else:
            cells, count = table.inputs, range(bank.writer.number, program.blocks, program.lanes)
        for i in count:
            if not 0 <= cells.get(i, -1) < bank.cells:
                raise CheckError(f"{program.name}: bank {bank.name} has no cell for block {i}")
        if not isinstance(bank.writer, LaneName):
            return [(cells[j], 1 - LEAD + j, 0, 1 - LEAD + j) for j in count]
        beats = -(-program.blocks // program.lanes)
        taken = 1 - LEAD + FILL_DELAY
        values = []
        for i in count:
            beat = i // program.lanes
            if beat < program.fill_ahead:
                first, back = taken + max(0, beats - program.fill_ahead) + beat, 2
            else:
                first, back = taken + beat - program.fill_ahead, 1
            values.append((cells[i], first, back, FILL_DELAY - LEAD))
        return values
    return [(cell, cycle, 0, cycle) for cycle, _, cell in _used(table.writes.get(bank.writer, ()), direction)]


def _values(program: Program, table: Table, bank: Bank, direction: str) -> list[_Value]:
    """The values of a bank with their last reads."""
    written = sorted(_written(program, table, bank, direction), key=lambda w: w[3])
    last: dict[int, int] = {}
    by_cell: dict[int, list[int]] = {}
    for n, (cell, *_) in enumerate(written):
        by_cell.setdefault(cell, []).append(n)
    # What comes from the host. (In a set-up nothing does, and nothing is found below; that only units write is checked before.)
    inputs = not isinstance(bank.writer, UnitName)
    rest = 0 if inputs else program.rest
    for (name, port), rows in table.ports.items():
        for cycle, _, cell in _used(rows, direction) if name == bank.name else ():
            read = cycle - 1
            found = [n for n in by_cell.get(cell, ()) if written[n][3] < read]
            why = ", where no value of its sector is, or two are" if not found or (inputs and len(by_cell[cell]) > 1) else ""
            if any(read <= written[n][3] < read + rest for n in by_cell.get(cell, ())):
                why = " while it is written"
            if why:
                where = f"table {table.name}: port {port} of {name} reads cell {cell} in cycle {read} of {direction}"
                raise CheckError(f"{program.name}: {where}{why}")
            last[found[-1]] = max(last.get(found[-1], read), read + rest)
    return [_Value(cell, first, back, last.get(n)) for n, (cell, first, back, _) in enumerate(written)]


def _disjoint(program: Program, table: Table, bank: Bank, values: list[_Value]) -> None:
    """Checks that no value is overwritten by a value of a later sector before its last read."""
    for v in values:
        for u in values:
            d = (v.cell - u.cell) % bank.cells or bank.cells
            if v.last is None:
                # Nothing reads it.  But it must not come after u, and the bus keeps the order of blocks.
                if not v.back and not u.back and u.first + d * table.rows <= v.first:
                    _clash(program, bank, v, u, d)
            elif d < u.back or u.first + (d - u.back) * table.rows < v.last:
                _clash(program, bank, v, u, d)


def _clash(program: Program, bank: Bank, v: _Value, u: _Value, d: int) -> None:
    raise CheckError(
        f"{program.name}: bank {bank.name} of {bank.cells} cells: the value of cell {v.cell} is overwritten "
        f"by that of cell {u.cell} of a sector {d} after it"
    )


# -- check -------------------------------------------------------------------------------------------------------------------------

R = TypeVar("R", bound=Row)


def check_program(program: Program, *, out_delay: int, key_delay: int) -> None:
    """Raises ``CheckError`` unless a program is legal.

    Parameters
    ----------
    out_delay : int
        Cycles from an output network until its block leaves.
    key_delay : int
        Cycles from the cycle in which a key word leaves the set-up to its first use.
    """
    _parts(program)
    for name, table in program.tables.items():
        if name != table.name or name not in ("main", "setup"):
            _fail(program, f"there is no table {name!r}")
        _TableChecker(program, table).run(out_delay, key_delay)
    if set(program.tables) != {"main", "setup"}:
        _fail(program, "the main or the set-up table is missing")
    check_storage(program)


def _fail(program: Program, message: str) -> None:
    raise CheckError(f"{program.name}: {message}")


def _parts(program: Program) -> None:
    """Checks units, banks, networks and chains by themselves."""
    units = {unit.name: unit for unit in program.units}
    if len(units) != len(program.units):
        _fail(program, "two units have one name")
    for unit in program.units:
        if not 0 <= unit.post_at <= unit.latency <= unit.post_at + 1:
            _fail(program, f"{unit.name}: its result comes {unit.latency} cycles, the sum {unit.post_at} cycles after issue")
        if unit.interval < 1 or not unit.cores or (unit.slow_core is not None and unit.slow_interval < 1):
            _fail(program, f"{unit.name}: it has no core or no interval")
    _key_words(program)
    _banks(program, units)
    chains = [chain.id for chain in program.chains]
    if len(set(chains)) != len(chains) or not all(chain.stride for chain in program.chains):
        _fail(program, "two chains have one number, or one has no stride")
    _networks(program, units, chains)
    _loops(program, units)


def _key_words(program: Program) -> None:
    words = [*program.nonzero, *(i for words in program.derived for i in words)]
    if not all(0 <= i < len(program.key_words) for i in words) or program.host_keys < 1:
        _fail(program, "a word that must not be 0 or holds a cipher key does not exist, or the host loads no cipher key")
    if len(set(program.key_words)) != len(program.key_words) or not 0 <= program.raw_words <= len(program.key_words):
        _fail(program, "the key words are not different ones, the host's first")


def _banks(program: Program, units: dict[UnitName, UnitInstance]) -> None:
    writers: list[str] = [*units, TWEAK, *map(LaneName, range(program.lanes))]
    for name, bank in program.banks.items():
        if bank.name != name or bank.writer not in writers:
            _fail(program, f"bank {name} is written by {bank.writer}")
        writers.remove(bank.writer)
        if bank.cells < 1 or bank.ports < 0:
            _fail(program, f"bank {name} has {bank.cells} cells and {bank.ports} read ports")


def _networks(program: Program, units: dict[UnitName, UnitInstance], chains: list[int]) -> None:
    places = {NetName(unit.name, operand) for unit in program.units for operand in (*unit.operands, POST)}
    places |= {NetName(OutName(n)) for n in range(program.lanes)} | {NetName(ChainName(n)) for n in chains}
    for name, net in program.nets.items():
        if net.name != name or name not in places:
            _fail(program, f"there is no place for network {name}")
        if len(set(net.sources)) != len(net.sources):
            _fail(program, f"network {name} has a source twice")
        for source in net.sources:
            if not _exists(program, name, source, units, chains):
                _fail(program, f"network {name} has a source that does not exist: {astuple(source)}")


def _loops(program: Program, units: dict[UnitName, UnitInstance]) -> None:
    """Checks that networks form no loop without a register, from outputs y without one, through sums and adders, to other such outputs."""
    reads: dict[str, set[str]] = {}
    for name, net in program.nets.items():
        owner = units.get(name.owner) if isinstance(name.owner, UnitName) else None
        if owner is None or owner.latency > (owner.post_at if name.post else 0):
            continue
        reads.setdefault(owner.name, set()).update(s.name for s in net.sources if s.kind == "y" and not s.index)
    done: set[str] = set()
    while left := sorted(set(reads) - done):
        ready = [unit for unit in left if not any(other in reads and other not in done for other in reads[unit])]
        if not ready:
            _fail(program, f"the sum behind {left[0]} is part of a loop of sums without a register")
        done.update(ready)


def _exists(program: Program, net: NetName, source: Source, units: dict[UnitName, UnitInstance], chains: list[int]) -> bool:
    if not abs(source.keep) < program.block_bytes:
        return False
    if source.kind == "bank":
        return source.name in program.banks and 0 <= source.index < program.banks[source.name].ports
    if source.kind == "y":
        return source.name in units and source.index >= 0
    if source.kind == "chain":
        return source.index in chains
    if source.kind == "key":
        return 0 <= source.index < program.nets[net].key_ports
    return source.kind == "const"


def _numbers(row: Row) -> dict[str, int]:
    """For each direction that uses a row, its cell, word or block; 0 if the row has no such number."""
    if isinstance(row, NetRow):
        return dict.fromkeys(row.select, 0)
    if isinstance(row, ChainRow):
        return dict.fromkeys(row.directions, 0)
    return row.word if isinstance(row, KeyRow) else row.index if isinstance(row, OutRow) else row.cell


def _used(rows: Sequence[R | None], direction: str) -> Iterator[tuple[int, R, int]]:
    """The rows of a list that a direction uses: the cycle of the sector (row ``slot`` of stage q is cycle q * rows + slot), the row, and
    its cell, word or block."""
    for slot, row in enumerate(rows):
        number = None if row is None else _numbers(row).get(direction)
        if row is not None and number is not None:
            yield row.stage * len(rows) + slot, row, number


class _Checker:
    def __init__(self, program: Program, table: Table):
        self.program, self.table = program, table
        self.units = {unit.name: unit for unit in program.units}

    def fail(self, message: str) -> None:
        _fail(self.program, f"table {self.table.name}: {message}")


class _TableChecker(_Checker):
    """Rows of one table."""

    def run(self, out_delay: int, key_delay: int) -> None:
        table = self.table
        wanted = self.program.directions if table.name == "main" else ("setup",)
        if table.directions != wanted or table.rows < 1 or table.stages < 1:
            self.fail(f"directions {table.directions}, {table.rows} rows, {table.stages} stages")
        for what, key, slot, row in table.all_rows():
            rows = getattr(table, what)[key]
            if len(rows) != table.rows:
                self.fail(f"{what} of {key} has {len(rows)} rows of {table.rows}")
            if not 0 <= row.stage < table.stages:
                self.fail(f"{what} of {key}, row {slot}: there is no stage {row.stage}")
        self.lists()
        sides = [_SideChecker(self.program, table, direction, out_delay, key_delay) for direction in table.directions]
        for side in sides:
            side.operations()
        for name in self.units:
            self.intervals(name, sides)
        self.batches(sides)
        for side in sides:
            side.chains()
            side.sources()
            side.writes()
            side.outs()

    def lists(self) -> None:
        """Checks that every list belongs to something, and that every number in it is in range."""
        for what, key, rows, limit in self.columns():
            for slot, row in enumerate(rows):
                if row is None:
                    continue
                if limit is None:
                    self.fail(f"{what}: there is no {key}")
                where, numbers = f"{what} of {key}, row {slot}", _numbers(row)
                if not numbers or not set(numbers) <= set(self.table.directions):
                    self.fail(f"{where}: nothing, or for a direction that does not exist")
                if limit and not all(0 <= number < limit for number in numbers.values()):
                    self.fail(f"{where}: a number is not below {limit}")

    def columns(self) -> Iterator[tuple[str, object, Sequence[Row | None], int | None]]:
        """Every list with what it belongs to, and the limit of its numbers: 0 without numbers, None if what it belongs to does not
        exist."""
        program, table = self.program, self.table
        leaving = range(program.lanes)
        cells, words = {bank.writer: bank.cells for bank in program.banks.values()}, len(program.key_words)
        for name, nets in table.nets.items():
            yield "nets", name, nets, 0 if name in program.nets else None
        for port, ports in table.ports.items():
            bank = program.banks.get(port[0])
            yield "ports", port, ports, bank.cells if bank and 0 <= port[1] < bank.ports else None
        for key, keys in table.keys.items():
            net = program.nets.get(key[0])
            yield "keys", key, keys, words if net and 0 <= key[1] < net.key_ports else None
        for unit, writes in table.writes.items():
            yield "writes", unit, writes, cells.get(unit) if unit in self.units else None
        for lane, outs in table.outs.items():
            most = words if table.name == "setup" else program.blocks
            yield "outs", lane, outs, most if lane in leaving else None
        for number, actions in table.chains.items():
            yield "chains", number, actions, 0 if any(chain.id == number for chain in program.chains) else None

    def intervals(self, name: UnitName, sides: Sequence[_SideChecker]) -> None:
        """Operations of one instance, and of its slow core, are far enough apart, for all combinations of the directions of the
        sectors.
        """
        unit = self.units[name]
        issues = [(cycle % self.table.rows, core) for side in sides for cycle, core in side.issues[name].items()]
        every, slow = {slot for slot, _ in issues}, {slot for slot, core in issues if core == unit.slow_core}
        for slots, interval, what in ((every, unit.interval, name), (slow, unit.slow_interval, f"{name}: core {unit.slow_core}")):
            ordered = sorted(slots)
            for a, b in pairwise([*ordered, *(s + self.table.rows for s in ordered[:1])]):
                if b - a < interval:
                    self.fail(f"{what} starts in slots {a} and {b % self.table.rows}, and needs {interval} cycles")

    def batches(self, sides: Sequence[_SideChecker]) -> None:
        """Every operation of a unit that takes batches is in one, of which its sector knows, and batches are an interval apart."""
        rows = self.table.rows
        cadences = batched(self.program.units)
        if strange := [name for name in self.table.batches if name not in cadences]:
            self.fail(f"batches of {strange[0]}, which takes none")
        for name, cadence in cadences.items():
            interval, blocks = cadence.interval, cadence.blocks
            column = self.table.batches.get(name, [None] * rows)
            if len(column) != rows:
                self.fail(f"batches of {name} have {len(column)} rows of {rows}")
            slots = [slot for slot, row in enumerate(column) if row is not None]
            for a, b in pairwise([*slots, *(slot + rows for slot in slots[:1])]):
                if b - a < interval:
                    self.fail(f"{name}: batches begin in rows {a} and {b % rows}, and take {interval} cycles")
            wanted: dict[int, dict[str, set[int]]] = {}
            for side in sides:
                for cycle in side.issues[name]:
                    begun = [slot for slot in slots if slot <= cycle % rows < slot + blocks]
                    if not begun:
                        self.fail(f"{name}: cycle {cycle} of {side.direction} is in no batch")
                    wanted.setdefault(begun[0], {}).setdefault(side.direction, set()).add(cycle // rows)
            found = {slot: {d: set(s) for d, s in row.stages.items()} for slot, row in enumerate(column) if row is not None}
            if found != wanted:
                slot = min(slot for slot in {*found, *wanted} if found.get(slot) != wanted.get(slot))
                self.fail(f"{name}: the batch of row {slot} and the operations in it do not belong to the same stages")


class _SideChecker(_Checker):
    """Rows of one table that one direction uses.

    Attributes
    ----------
    issues : dict
        For each unit, the cycles of its operations with their cores.
    results : dict
        For each unit, the cycles of its results.
    """

    def __init__(self, program: Program, table: Table, direction: str, out_delay: int, key_delay: int):
        super().__init__(program, table)
        self.direction, self.out_delay, self.key_delay = direction, out_delay, key_delay
        self.issues: dict[str, dict[int, Kind | None]] = {}
        self.results: dict[str, set[int]] = {}
        self.loads: dict[int, list[int]] = {}

    def net(self, name: NetName) -> dict[int, NetRow]:
        """Rows of a network by cycle."""
        return {cycle: row for cycle, row, _ in _used(self.table.nets.get(name, ()), self.direction)}

    # -- units --------------------------------------------------------------------------------------------------------

    def operations(self) -> None:
        """Checks that all operands of a unit issue together, and that the sum of each operation follows ``post_at`` cycles later."""
        direction = self.direction
        for name, unit in self.units.items():
            first = self.net(NetName(name))
            issues = {cycle: row.core.get(direction) for cycle, row in first.items()}
            for operand in unit.operands[1:]:
                if set(self.net(NetName(name, operand))) != set(issues):
                    self.fail(f"{name}: its operands issue in different cycles in {direction}")
            for cycle, core in issues.items():
                if core is None or core not in unit.cores:
                    self.fail(f"{name}: cycle {cycle} of {direction} starts a core {core or ''!r}")
                elif not self.numbered(core, first[cycle]):
                    self.fail(f"{name}: cycle {cycle} of {direction} gives the core {core} a number that it does not take")
            post = self.net(NetName(name, POST))
            sums = {cycle - unit.post_at: row.core.get(direction) for cycle, row in post.items()}
            if sums != issues:
                cycle = min(cycle for cycle, _ in set(sums.items()) ^ set(issues.items()))
                self.fail(f"{name}: the operation of cycle {cycle} of {direction} and its sum do not belong together")
            for keep in (row.keep.get(direction, 0) for row in post.values()):
                if not abs(keep) < self.program.block_bytes:
                    self.fail(f"{name}: {direction} keeps {keep} bytes")
            self.issues[name] = issues
            self.results[name] = {cycle + unit.latency for cycle in issues}

    def numbered(self, core: Kind, row: NetRow) -> bool:
        """Whether a core accepts the number of a row.  In the set-up, there are only the cipher keys of the host."""
        number = row.number.get(self.direction, 0)
        if core.operation.keyed:
            known = self.program.host_keys if self.table.name == "setup" else len(self.program.cipher_keys)
            return 0 <= number < known and core.key_bits == self.program.cipher_bits[number]
        return number in core.operation.numbers if core.operation.numbers else not number

    # -- what networks read -------------------------------------------------------------------------------------------

    def sources(self) -> None:
        for name, net in self.program.nets.items():
            for cycle, row in self.net(name).items():
                numbers = row.select[self.direction]
                where = f"{name} in cycle {cycle} of {self.direction}"
                if len(set(numbers)) != len(numbers) or not all(0 <= n < len(net.sources) for n in numbers):
                    self.fail(f"{where} selects a source twice, or one that does not exist")
                for n in numbers:
                    self.source(name, net.sources[n], cycle, row, where)

    def source(self, name: NetName, source: Source, cycle: int, row: NetRow, where: str) -> None:
        table = self.table
        if source.kind == "bank":
            if self.read(table.ports.get((source.name, source.index)), cycle) is None:
                self.fail(f"{where} reads port {source.index} of {source.name}, which reads nothing then")
        elif source.kind == "y":
            if cycle - source.index not in self.results[source.name]:
                self.fail(f"{where} takes the output of {source.name}, which has no result then")
        elif source.kind == "key":
            word = self.read(table.keys.get((name, source.index)), cycle)
            if word is None:
                self.fail(f"{where} reads key port {source.index}, which reads nothing then")
            elif table.name == "setup" and word >= self.program.raw_words:
                written = self.leaving().get(word)
                if written is None or written + self.key_delay > cycle:
                    self.fail(f"{where} reads a key word that is not written yet")
        elif source.kind == "chain":
            load = self.loads.get(source.index)
            if not load or not load[0] < cycle <= load[0] + table.rows:
                self.fail(f"{where} reads chain {source.index}, which is not loaded then")
        else:
            const = row.const.get(self.direction, -1)
            if not 0 <= const < 1 << 8 * self.program.block_bytes:
                self.fail(f"{where} has no constant that fits a block")

    def read(self, column: Sequence[Row | None] | None, cycle: int) -> int | None:
        """The cell or word that a port reads for a cycle, if it reads one."""
        row = column[cycle % self.table.rows] if column else None
        return None if row is None or row.stage != cycle // self.table.rows else _numbers(row).get(self.direction)

    def chains(self) -> None:
        for chain, column in self.table.chains.items():
            rows = list(_used(column, self.direction))
            loads = self.loads[chain] = [cycle for cycle, row, _ in rows if row.action == "load"]
            where, net = f"chain {chain} of {self.direction}", self.net(NetName(ChainName(chain)))
            for cycle, row, _ in rows:
                if row.action not in ("load", "step") or len(loads) != 1:
                    self.fail(f"{where} is not loaded once, or does what is no action")
                if row.action == "load" and cycle not in net:
                    self.fail(f"{where} loads in cycle {cycle}, and its network gives nothing")
                if row.action == "step" and not loads[0] < cycle < loads[0] + self.table.rows:
                    self.fail(f"{where} steps in cycle {cycle}, and loads in cycle {loads[0]}")

    # -- what is written and leaves -----------------------------------------------------------------------------------

    def writes(self) -> None:
        for unit, column in self.table.writes.items():
            for cycle, *_ in _used(column, self.direction):
                if cycle not in self.results[unit]:
                    self.fail(f"{unit} is written in cycle {cycle} of {self.direction}, and has no result then")

    def leaving(self) -> dict[int, int]:
        """Cycle in which each block (in set-up: key word) leaves."""
        found: dict[int, int] = {}
        for column in self.table.outs.values():
            for cycle, _, index in _used(column, self.direction):
                found.setdefault(index, cycle)
        return found

    def outs(self) -> None:
        """Checks that every block leaves once, on its lane, that every use of an output network leaves, and one key word in a cycle."""
        table, main, direction, count = self.table, self.table.name == "main", self.direction, self.program.lanes
        if not main:
            leave = [cycle for column in table.outs.values() for cycle, *_ in _used(column, direction)]
            for a, b in pairwise(sorted(leave)):
                if a == b:
                    self.fail(f"two key words leave in cycle {a}, and the key memory has one write port")
        seen: list[int] = []
        for lane in range(count):
            blocks = {cycle - self.out_delay: index for cycle, _, index in _used(table.outs.get(lane, ()), direction)}
            seen += blocks.values()
            wrong = [index for index in blocks.values() if (index - lane) % count]
            if wrong and main:
                self.fail(f"block {wrong[0]} leaves on lane {lane} in {direction}")
            if set(blocks) != set(self.net(NetName(OutName(lane)))):
                self.fail(f"lane {lane}: blocks of {direction} leave when its network gives none, or do not leave")
        wanted = range(self.program.blocks) if main else range(self.program.raw_words, len(self.program.key_words))
        if sorted(seen) != list(wanted):
            self.fail(f"{direction} does not give every {'block' if main else 'key word'} once")
        latest = max((row.stage * table.rows + slot for what, _, slot, row in table.all_rows() if what == "outs"), default=0)
        if table.latency != latest or table.stages != latest // table.rows + 1:
            self.fail(f"the last block leaves in cycle {latest}, not {table.latency} of {table.stages} stages")
