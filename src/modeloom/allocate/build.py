# SPDX-License-Identifier: Apache-2.0
"""Builds the program of a schedule and of its set-up: cells, read ports, sources of the networks, and rows of the tables."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TypeVar

from modeloom.allocate.program import (
    POST,
    TWEAK,
    Bank,
    BatchRow,
    ChainName,
    ChainRegister,
    ChainRow,
    InputName,
    KeyRow,
    LaneName,
    Net,
    NetName,
    NetRow,
    OutName,
    OutRow,
    PortRow,
    Program,
    Source,
    Table,
    UnitInstance,
    UnitName,
    WriteRow,
)
from modeloom.cycles import FILL_AHEAD, FILL_MARGIN, TWEAK_WRITE
from modeloom.ir.graph import Form, Op, Term, Trace
from modeloom.schedule.greedy import phases_of
from modeloom.schedule.modulo import Schedule
from modeloom.schedule.problem import use_offset
from modeloom.spec.kinds import OPERANDS, UnitKind

__all__ = ["BYPASS", "Allocation", "CoreProgram", "Life", "Use", "allocate", "lifetimes", "merge", "place_name", "rotate", "storage_bound"]


# -- merge -----------------------------------------------------------------------------------------------------------------------------

# Joins the programs of several sector sizes on the units of one engine.
#
# Units, networks, banks and the key memory are shared.  The tables follow one another::
#
#     key memory   | words of the host | set-up values of size 0 | of size 1 | ...
#     network      sources of all sizes, each once; a row selects some of them
#     bank         cells for the size that needs most; it rotates through the cells of the current size
#     control      main 0 | main 1 | ... | set-up 0 | set-up 1 | ...

Row = TypeVar("Row")
T = TypeVar("T")


@dataclass
class CoreProgram:
    """The source of an engine: the programs of its sector sizes, with consistent numbers.

    Attributes
    ----------
    mains, setups : list of Table
        For each size, the tables of its program.
    cells : dict
        For each bank, the number of its cells for each size; 0 if a size does not use it.
    blocks : list of int
        Blocks of a sector of each size.
    key_words : list of str
        Names of the words of the key memory: first those that the host loads.
    cipher_keys, cipher_bits, derived, nonzero, rest
        As in ``Program``.  The set-up of the first size makes the cipher keys.
    """

    block_bytes: int
    tweak_blocks: int
    lanes: int
    directions: tuple[str, ...]
    units: list[UnitInstance]
    banks: dict[str, Bank]
    cells: dict[str, tuple[int, ...]]
    nets: dict[NetName, Net]
    chains: list[ChainRegister]
    mains: list[Table]
    setups: list[Table]
    blocks: list[int]
    key_words: list[str]
    raw_words: int
    cipher_keys: list[str]
    cipher_bits: list[int]
    derived: list[tuple[int, ...]]
    nonzero: list[int]
    rest: int

    @property
    def sizes(self) -> int:
        """Number of sector sizes."""
        return len(self.mains)

    @property
    def tables(self) -> list[Table]:
        """All tables in the order of their rows."""
        return [*self.mains, *self.setups]

    @property
    def stages(self) -> int:
        """Largest number of sectors in flight."""
        return max(table.stages for table in self.mains)


def merge(programs: Sequence[Program]) -> CoreProgram:
    """Joins several programs of a mode for the same units into one core program.

    Raises ``ValueError`` if they differ in units, lanes, directions, tweak, key parts, or in how long a cell rests.
    """
    first = programs[0]
    for program in programs[1:]:
        common = ("block_bytes", "tweak_bytes", "lanes", "directions", "units", "raw_words", "cipher_keys", "cipher_bits", "rest")
        different = [name for name in common if getattr(program, name) != getattr(first, name)]
        if different or program.key_words[: first.raw_words] != first.key_words[: first.raw_words]:
            raise ValueError(f"programs for one core differ in {', '.join(different) or 'their keys'}")
    banks: dict[str, Bank] = {}
    nets: dict[NetName, Net] = {}
    chains: dict[int, ChainRegister] = {}
    key_words = list(first.key_words[: first.raw_words])
    mains: list[Table] = []
    setups: list[Table] = []
    nonzero: list[int] = []
    for number, program in enumerate(programs):
        for name, bank in program.banks.items():
            known = banks.setdefault(name, Bank(name, bank.writer, 0, 0))
            banks[name] = replace(known, cells=max(known.cells, bank.cells), ports=max(known.ports, bank.ports))
        numbers = _chain_numbers(program, chains)
        for chain in program.chains:
            chains[numbers[chain.id]] = ChainRegister(numbers[chain.id], chain.stride)
        places: dict[NetName, list[int]] = {}
        for net in program.nets.values():
            name = _net_name(net.name, numbers)
            shared = nets.setdefault(name, Net(name, []))
            shared.key_ports = max(shared.key_ports, net.key_ports)
            sources = [replace(source, index=numbers[source.index]) if source.kind == "chain" else source for source in net.sources]
            shared.sources += [source for source in dict.fromkeys(sources) if source not in shared.sources]
            places[net.name] = [shared.sources.index(source) for source in sources]
        offset = len(key_words) - first.raw_words
        nonzero += [word if word < first.raw_words else word + offset for word in program.nonzero]
        key_words += [f"{word} ({number})" if len(programs) > 1 else word for word in program.key_words[first.raw_words :]]
        for table, tables in ((program.main, mains), (program.tables["setup"], setups)):
            tables.append(_moved(table, places, numbers, offset, first.raw_words))
    cells = {name: tuple(p.banks[name].cells if name in p.banks else 0 for p in programs) for name in banks}
    return CoreProgram(
        first.block_bytes, first.tweak_blocks, first.lanes, first.directions, first.units, banks, cells, nets,
        list(chains.values()), mains, setups, [p.blocks for p in programs], key_words, first.raw_words,
        list(first.cipher_keys), list(first.cipher_bits), list(first.derived), nonzero, first.rest,
    )  # fmt: skip


def _chain_numbers(program: Program, chains: dict[int, ChainRegister]) -> dict[int, int]:
    """Numbers that the chains of a program have in the core: their own, or a new one where that chain has another stride."""
    numbers: dict[int, int] = {}
    for chain in program.chains:
        other = chain.id in chains and chains[chain.id].stride != chain.stride
        numbers[chain.id] = max([*chains, *numbers.values(), *(c.id for c in program.chains)]) + 1 if other else chain.id
    return numbers


def _net_name(name: NetName, chains: dict[int, int]) -> NetName:
    """The name of a network in the core.  A network before a chain has the number of the chain."""
    return NetName(ChainName(chains[name.owner.number])) if isinstance(name.owner, ChainName) else name


def _moved(table: Table, places: dict[NetName, list[int]], chains: dict[int, int], offset: int, raw: int) -> Table:
    """A table with the numbers of the core: sources of networks, chains and key words."""

    def word(number: int) -> int:
        return number if number < raw else number + offset

    def each(rows: list[Row | None], change: Callable[[Row], Row]) -> list[Row | None]:
        return [None if row is None else change(row) for row in rows]

    def net_row(name: NetName) -> Callable[[NetRow], NetRow]:
        def moved(row: NetRow) -> NetRow:
            return replace(row, select={d: tuple(places[name][n] for n in numbers) for d, numbers in row.select.items()})

        return moved

    def key_row(row: KeyRow) -> KeyRow:
        return replace(row, word={d: word(n) for d, n in row.word.items()})

    def out_row(row: OutRow) -> OutRow:
        return replace(row, index={d: word(n) for d, n in row.index.items()}) if table.name == "setup" else row

    return replace(
        table,
        nets={_net_name(name, chains): each(rows, net_row(name)) for name, rows in table.nets.items()},
        keys={(_net_name(net, chains), port): each(rows, key_row) for (net, port), rows in table.keys.items()},
        outs={lane: each(rows, out_row) for lane, rows in table.outs.items()},
        chains={chains[number]: rows for number, rows in table.chains.items()},
    )


# -- build -----------------------------------------------------------------------------------------------------------------------------

# When each value is written and last read, and the minimal storage that a schedule needs.
#
# A result is on the output of its unit in the cycle in which it is ready, and in a register behind it one cycle later.  Reads in these two
# cycles are bypasses.  Later reads come from the bank of the unit.  Its output is registered, so the cell is read one cycle earlier:
#
#     ready      ready+1     ready+2 ...
#     y, write   y delayed   bank

BYPASS = 1
"""Largest distance, in cycles, between readiness and use that needs no storage."""


@dataclass(frozen=True)
class Use:
    """One reading of a value: which operand of which pair reads it in which cycle, in which direction."""

    net: NetName
    cycle: int
    direction: str
    term: Term


@dataclass
class Life:
    """A value of a sector.

    Attributes
    ----------
    value : tuple
        ("op", pair), ("block", i) or ("tweak", j).
    bank : UnitName, InputName or TWEAK
        Where it is stored.
    write : int
        Cycle at whose end it is written, relative to the sector's entry.
    last : int
        Cycle of the last read of its cell; ``write`` if the cell is never read.
    """

    value: tuple
    bank: str
    write: int
    last: int
    uses: list[Use] = field(default_factory=list)

    @property
    def stored(self) -> bool:
        """Whether it needs a cell."""
        return self.last > self.write


def place_name(kind: UnitKind, number: int) -> UnitName | OutName:
    """The name of a unit, or of the lane on which blocks leave."""
    return OutName(number) if kind.type.leaves else UnitName(kind, number)


def lifetimes(schedule: Schedule) -> dict[tuple, Life]:
    """Every value of a sector with its uses; inputs are written before cycle 0."""
    problem = schedule.problem
    lanes = problem.units.lanes
    lives: dict[tuple, Life] = {}
    for pair in problem.graph.pairs:
        unit = problem.unit[pair.id]
        if not pair.leaves:
            ready = schedule.ready(pair.id)
            lives["op", pair.id] = Life(("op", pair.id), UnitName(unit.kind, schedule.instance[pair.id]), ready, ready)

    def read(term: Term, use: Use) -> None:
        kind = term.source[0]
        if kind in ("block", "tweak"):
            i = term.source[1]
            bank = InputName(i % lanes) if kind == "block" else TWEAK
            life = lives.setdefault(term.source, Life(term.source, bank, -1, -1))
        elif kind == "op":
            life = lives[term.source]
        else:
            return
        life.uses.append(use)
        if kind != "op" or use.cycle - life.write > BYPASS:
            life.last = max(life.last, use.cycle - 1)

    for pair in problem.graph.pairs:
        unit = problem.unit[pair.id]
        name = place_name(unit.kind, schedule.instance[pair.id])
        for direction, op in pair.ops.items():
            for operand, term in op.terms():
                cycle = schedule.start[pair.id] + use_offset(unit, operand)
                read(term, Use(NetName(name, operand), cycle, direction, term))
    for chain in problem.graph.chains:
        first, offset = problem.chain_uses[chain.id][0]
        for direction, term in chain.base.items():
            read(term, Use(NetName(ChainName(chain.id)), schedule.start[first] + offset - 1, direction, term))
    return lives


def storage_bound(lives: dict[tuple, Life], ii: int) -> int:
    """Largest number of values held at one time, from the entry of their sector (cycle 0) or their write to their last read."""
    busy = [0] * ii
    for life in lives.values():
        begin = max(0, life.write)
        for cycle in range(begin, life.last):
            busy[cycle % ii] += 1
    return max(busy, default=0)


# -- rotate ------------------------------------------------------------------------------------------------------------------------

# Binds values to the cells of a memory whose addresses rotate from sector to sector.
#
# Value v of sector s lies in cell (a_v + s) mod R.  Seen from one cell, values follow each other around a circle of R * II cycles: after
# v of sector s comes u of sector s + d, d >= 0, written no earlier than v was read last.  As sectors along the circle only grow, a sector
# that enters late moves everything after it, and nothing collides.  The order around the circle is a tour; R is its length / II.

def _step(write: int, end: int, ii: int) -> int:
    """The number of sectors d >= 0 after which a value written at ``write`` can follow a value that ends at ``end``."""
    return max(0, -((write - end) // ii))


def rotate(spans: Sequence[tuple[int, int]], ii: int) -> tuple[list[int], int]:
    """Cells of values given as (write, last read) cycles of their sector.

    Returns
    -------
    cells : list of int
        a_v for each value.
    count : int
        R, at least 1.
    """
    if not spans:
        return [], 1
    n = len(spans)
    bound = max(1, _bound(spans, ii))
    starts = sorted(range(n), key=lambda i: (spans[i][0] - spans[i][1], spans[i]))[: min(n, 40)]
    best: list[int] = []
    least: int | None = None
    for first in starts:
        tour = _tour(first, spans, ii)
        length = _cells(tour, spans, ii)
        if least is None or length < least:
            least, best = length, tour
        if least <= bound:
            break
    assert least is not None
    count, tour = _improve(best, least, bound, spans, ii)
    cells = [0] * n
    sector = 0
    for here, after in zip(tour, tour[1:] + tour[:1]):
        cells[here] = -sector % count
        sector += _step(spans[after][0], spans[here][1], ii)
    return cells, count


def _bound(spans: Sequence[tuple[int, int]], ii: int) -> int:
    busy = [0] * ii
    for write, last in spans:
        turns, rest = divmod(last - write, ii)
        for slot in range(ii):
            busy[slot] += turns
        for cycle in range(write, write + rest):
            busy[cycle % ii] += 1
    return max(busy)


def _tour(first: int, spans: Sequence[tuple[int, int]], ii: int) -> list[int]:
    """Nearest neighbour: each value is followed by the one that leaves the cell empty for the shortest time."""
    left = set(range(len(spans))) - {first}
    tour = [first]
    while left:
        end = spans[tour[-1]][1]
        nearest = min(left, key=lambda i: (spans[i][0] - end + ii * _step(spans[i][0], end, ii), spans[i][0] - spans[i][1], i))
        tour.append(nearest)
        left.remove(nearest)
    return tour


def _cells(tour: list[int], spans: Sequence[tuple[int, int]], ii: int) -> int:
    steps = sum(_step(spans[b][0], spans[a][1], ii) for a, b in zip(tour, tour[1:] + tour[:1]))
    return max(1, steps)


def _improve(tour: list[int], count: int, bound: int, spans: Sequence[tuple[int, int]], ii: int) -> tuple[int, list[int]]:
    """Moves single values to better positions as long as this saves a cell."""

    def edge(a: int, b: int) -> int:
        return _step(spans[b][0], spans[a][1], ii)

    improved = len(tour) > 3
    while improved and count > bound:
        improved = False
        for i in range(len(tour)):
            value = tour[i]
            rest = tour[:i] + tour[i + 1 :]
            saved = edge(rest[i - 1], value) + edge(value, rest[i % len(rest)]) - edge(rest[i - 1], rest[i % len(rest)])
            if saved <= 0:
                continue
            for j in range(len(rest)):
                before, after = rest[j - 1], rest[j]
                cost = edge(before, value) + edge(value, after) - edge(before, after)
                if cost < saved:
                    tour = rest[:j] + [value] + rest[j:]
                    count -= saved - cost
                    improved = True
                    break
            if improved:
                break
    return max(1, count), tour


def earliest_fill(beat: int, beats: int, ii: int) -> int:
    """Earliest cycle at whose end a beat is written, relative to cycle 0 of its own sector when sectors enter without gaps.

    The first beats may arrive as soon as the previous sector is complete, which may still wait to enter.  Their times count from the
    entry of the sector before that one.  The other beats arrive after the entry of the previous sector.
    """
    if beat < FILL_AHEAD:
        return max(0, beats - FILL_AHEAD) + beat - FILL_MARGIN - 2 * ii
    return beat - FILL_AHEAD - FILL_MARGIN - ii


@dataclass
class Allocation:
    """A program with the figures of its storage, in blocks."""

    program: Program
    storage_blocks: int
    storage_bound: int
    input_blocks: int


_Forms = dict[tuple[NetName, int], dict[str, tuple[Form, Op | None]]]
"""What each network adds in a cycle, in each direction, and for which operation of a unit."""


@dataclass
class Reading:
    """What a read port reads in a slot of a table, in each direction, and the networks that read it with what they make of it."""

    bank: str
    table: str
    slot: int
    port: int
    readers: set[tuple[NetName, int, int]] = field(default_factory=set)


_Asked = tuple[str, str, int, tuple[tuple[str, int], ...]]
"""A table, a bank, a cycle, and the cell of each direction."""


class _Builder:
    """``ports`` has the ports of readings, as far as they are chosen."""

    def __init__(self, program: Program, ports: Mapping[_Asked, int] | None = None):
        self.program, self.chosen_ports = program, ports or {}
        self.source_uses: dict[tuple[NetName, Source], int] = {}
        self.readings: dict[_Asked, Reading] = {}

    def net(self, name: NetName) -> Net:
        return self.program.nets.setdefault(name, Net(name, []))

    def source(self, net: NetName, source: Source) -> int:
        sources = self.net(net).sources
        self.source_uses[net, source] = self.source_uses.get((net, source), 0) + 1
        if source not in sources:
            sources.append(source)
        return sources.index(source)

    def table(self, schedule: Schedule, name: str, lives: dict[tuple, Life], cells: dict[tuple, int]) -> Table:
        """Rows of one schedule."""
        problem, ii = schedule.problem, schedule.ii
        graph = problem.graph
        last = schedule.latency
        table = Table(name, graph.directions, ii, last // ii + 1, latency=last)
        forms: _Forms = {}
        for pair in graph.pairs:
            unit = problem.unit[pair.id]
            owner = place_name(unit.kind, schedule.instance[pair.id])
            for direction, op in pair.ops.items():
                for operand, form in (*zip(OPERANDS, op.pre), *([] if pair.leaves else [(POST, op.post)])):
                    cycle = schedule.start[pair.id] + use_offset(unit, operand)
                    forms.setdefault((NetName(owner, operand), cycle), {})[direction] = form, op
            ready = schedule.ready(pair.id)
            if pair.leaves:
                row: object = OutRow(ready // ii, {d: self._index(op.index) for d, op in pair.ops.items()})
                self._put(table.outs, schedule.instance[pair.id], ready, row, ii)
            elif lives["op", pair.id].stored:
                row = WriteRow(ready // ii, dict.fromkeys(pair.ops, cells["op", pair.id]))
                self._put(table.writes, owner, ready, row, ii)
        for chain in graph.chains:
            times = [schedule.start[i] + offset for i, offset in problem.chain_uses[chain.id]]
            directions, load = tuple(chain.base), times[0] - 1
            forms[NetName(ChainName(chain.id)), load] = {direction: ((term,), None) for direction, term in chain.base.items()}
            self._put(table.chains, chain.id, load, ChainRow(load // ii, "load", directions), ii)
            for cycle in times[:-1]:
                self._put(table.chains, chain.id, cycle, ChainRow(cycle // ii, "step", directions), ii)
        self._rows(table, forms, lives, cells, ii)
        self._batches(table, schedule)
        for value in lives:
            if value[0] == "block":
                table.inputs[value[1]] = cells[value]
            elif value[0] == "tweak":
                table.tweaks[value[1]] = cells[value]
        return table

    def _batches(self, table: Table, schedule: Schedule) -> None:
        """The first rows of batches, with the stages of all operations in them."""
        problem, rows = schedule.problem, table.rows
        phases = phases_of(problem, schedule.start)
        if phases is None:
            raise ValueError(f"{problem.graph.name}: an operation starts in no batch of its unit")
        stages: dict[tuple[UnitName, int], dict[str, set[int]]] = {}
        for i in problem.in_batches:
            unit, start = problem.unit[i], schedule.start[i]
            first = start - (start - phases[unit.kind]) % unit.cadence.interval
            begin = stages.setdefault((UnitName(unit.kind, schedule.instance[i]), first % rows), {})
            for direction in problem.graph.pairs[i].ops:
                begin.setdefault(direction, set()).add(first // rows)
        for (name, slot), sides in sorted(stages.items()):
            column = table.batches.setdefault(name, [None] * rows)
            column[slot] = BatchRow({d: tuple(sorted(sides[d])) for d in table.directions if d in sides})

    def _index(self, index: int | str | None) -> int:
        return self.program.key_words.index(index) if isinstance(index, str) else int(index or 0)

    @staticmethod
    def _put(rows: dict, key: object, cycle: int, row: object, ii: int) -> None:
        column = rows.setdefault(key, [None] * ii)
        if column[cycle % ii] is not None:
            raise ValueError(f"{key}: two operations in slot {cycle % ii}")
        column[cycle % ii] = row

    def _rows(self, table: Table, forms: _Forms, lives: dict[tuple, Life], cells: dict[tuple, int], ii: int) -> None:
        """Net rows with their sources: banks, key words and constants."""
        busy: dict[tuple[str, int], set[int]] = {}
        for (net, cycle), sides in sorted(forms.items(), key=lambda item: (item[0][1] % ii, item[0])):
            const: dict[str, int] = {}
            ports: dict[tuple[str, int], dict[str, int]] = {}
            reads: dict[str, list[tuple[str, Term]]] = {}
            chosen: dict[str, list[int]] = {d: [] for d in sides}
            for direction, (form, _) in sides.items():
                reads[direction] = []
                keys = 0
                for term in form:
                    kind = term.source[0]
                    if kind == "const":
                        const[direction] = term.source[1]
                        source = Source("const", k=term.k, keep=term.keep)
                    elif kind == "key":
                        word = self.program.key_words.index(term.source[1])
                        column = table.keys.setdefault((net, keys), [None] * ii)
                        row = column[cycle % ii] or KeyRow(cycle // ii, {})
                        column[cycle % ii] = KeyRow(row.stage, {**row.word, direction: word})
                        source = Source("key", "", keys, k=term.k, keep=term.keep)
                        keys += 1
                        self.net(net).key_ports = max(self.net(net).key_ports, keys)
                    elif kind == "chain":
                        source = Source("chain", "", term.source[1], k=term.k, keep=term.keep)
                    else:
                        life = lives[term.source]
                        age = cycle - life.write
                        if kind != "op" or age > BYPASS:
                            reads[direction].append((life.bank, term))
                            continue
                        source = Source("y", life.bank, age, k=term.k, keep=term.keep)
                    chosen[direction].append(self.source(net, source))
            self._ports(table.name, net, cycle, ii, reads, cells, busy, ports, chosen)
            for (bank, port), cell in ports.items():
                reading = table.ports.setdefault((bank, port), [None] * ii)
                read = reading[cycle % ii] or PortRow(cycle // ii, {})
                reading[cycle % ii] = PortRow(read.stage, {**read.cell, **cell})
            select = {d: tuple(sorted(numbers)) for d, numbers in chosen.items()}
            ops = {d: op for d, (_, op) in sides.items() if op is not None}
            core = {d: op.kind for d, op in ops.items()}
            keep = {d: op.keep for d, op in ops.items() if net.post and op.keep}
            number = {d: op.number for d, op in ops.items() if net.first and op.number}
            self.net(net)
            self._put(table.nets, net, cycle, NetRow(cycle // ii, select, const, core, keep, number), ii)

    def _ports(
        self, table: str, net: NetName, cycle: int, ii: int, reads: dict[str, list[tuple[str, Term]]], cells: dict[tuple, int],
        busy: dict[tuple[str, int], set[int]], ports: dict[tuple[str, int], dict[str, int]], chosen: dict[str, list[int]],
    ) -> None:  # fmt: skip
        """Read ports for one net row.  The directions share a port for their i-th read of a bank, and nets share a port for equal reads."""
        for bank in sorted({bank for terms in reads.values() for bank, _ in terms}):
            columns = {d: [t for b, t in terms if b == bank] for d, terms in reads.items()}
            for i in range(max(map(len, columns.values()))):
                group = {d: terms[i] for d, terms in columns.items() if i < len(terms)}
                cell = {d: cells[t.source] for d, t in group.items()}
                key = (table, bank, cycle, tuple(sorted(cell.items())))
                if key in self.readings:
                    port = self.readings[key].port
                else:
                    taken = busy.setdefault((bank, cycle % ii), set())
                    known = max(len(taken) + 1, self.program.banks[bank].ports)
                    free = [p for p in range(known) if p not in taken]
                    # A port that this net reads already costs no further source; else the lowest one.
                    scores = [sum((net, Source("bank", bank, p, t.k, t.keep)) in self.source_uses for t in group.values()) for p in free]
                    port = self.chosen_ports.get(key, free[scores.index(max(scores))])
                    if port in taken:
                        raise ValueError(f"{bank}: two readings in slot {cycle % ii} at port {port}")
                    taken.add(port)
                    self.program.banks[bank].ports = max(self.program.banks[bank].ports, port + 1)
                    self.readings[key] = Reading(bank, table, cycle % ii, port)
                self.readings[key].readers.update((net, term.k, term.keep) for term in group.values())
                ports.setdefault((bank, port), {}).update(cell)
                for d, term in group.items():
                    chosen[d].append(self.source(net, Source("bank", bank, port, term.k, term.keep)))


def better_ports(readings: Mapping[_Asked, Reading], tries: int) -> dict[_Asked, int]:
    """Ports for readings, so that networks read few ports of each bank: readings of a slot exchange their ports, or take a free one.

    An exchange is kept if no network reads more ports, so that those that change nothing lead from one to the next.
    """
    rng, uses = random.Random(1), Counter((r.bank, r.port, reader) for r in readings.values() for reader in r.readers)
    ports = {bank: max(r.port for r in group) + 1 for bank, group in _grouped(readings.values(), lambda r: r.bank).items()}
    slots = _grouped(readings.values(), lambda r: (r.bank, r.table, r.slot))
    several = [r for r in readings.values() if ports[r.bank] > 1]

    def count(r: Reading, port: int, by: int) -> int:
        """Counts the networks of a reading at a port, and returns by how much the sources grow."""
        grown = 0
        for reader in r.readers:
            key = r.bank, port, reader
            uses[key] += by
            grown += (by > 0 and uses[key] == 1) - (by < 0 and not uses[key])
        return grown

    for _ in range(tries * len(several)):
        r = several[int(rng.random() * len(several))]
        here, port = r.port, int(rng.random() * ports[r.bank])
        others = [other for other in slots[r.bank, r.table, r.slot] if other.port == port]
        if port != here:
            grown = count(r, here, -1) + count(r, port, 1) + sum(count(other, port, -1) + count(other, here, 1) for other in others)
            if grown > 0:
                count(r, port, -1), count(r, here, 1), [(count(other, here, -1), count(other, port, 1)) for other in others]
            else:
                r.port = port
                for other in others:
                    other.port = here
    return {key: r.port for key, r in readings.items()}


def _grouped(readings: Iterable[Reading], key: Callable[[Reading], T]) -> dict[T, list[Reading]]:
    found: dict[T, list[Reading]] = {}
    for one in readings:
        found.setdefault(key(one), []).append(one)
    return found


def _pack(lives: dict[tuple, Life], ii: int, rest: int, fill: bool) -> tuple[dict[tuple, int], dict[str, int]]:
    """Cells of all stored values and inputs, and the size of each bank.

    With ``fill``, inputs arrive as early as the bus may bring them.  Otherwise they count from cycle 0, as in the bound.  Cells of inputs
    need no ``rest``, because they are read one cycle earlier than the others.
    """
    cells: dict[tuple, int] = {}
    sizes: dict[str, int] = {}
    members: dict[str, list[Life]] = {}
    for value in sorted(lives, key=lambda v: (v[0], v[1])):
        life = lives[value]
        if life.stored or value[0] != "op":
            members.setdefault(life.bank, []).append(life)
    lanes = len({life.bank for life in lives.values() if isinstance(life.bank, InputName)}) or 1
    beats = max((value[1] // lanes + 1 for value in lives if value[0] == "block"), default=1)
    for bank, values in members.items():
        spans = []
        for life in values:
            write = life.write
            if life.value[0] == "block":
                write = earliest_fill(life.value[1] // lanes, beats, ii) if fill else 0
            elif life.value[0] == "tweak":
                write = TWEAK_WRITE if fill else 0
            last = max(life.last, write + 1)
            spans.append((write, last + rest if life.value[0] == "op" else last))
        numbers, size = rotate(spans, ii)
        sizes[bank] = size
        cells.update({life.value: number for life, number in zip(values, numbers)})
    return cells, sizes


def allocate(
    trace: Trace, main: Schedule, setup: Schedule, key_words: Sequence[str], raw_words: int, rest: int = 0, tries: int = 0
) -> Allocation:
    """The program of a schedule, with its set-up; ``rest`` as in ``Program``.  ``tries`` are exchanges of the port of each reading, for
    fewer sources."""
    problem = main.problem
    units = []
    for unit in problem.units.units:
        if unit.kind.type.leaves:
            continue
        for n in range(unit.count):
            name = UnitName(unit.kind, n)
            units.append(
                UnitInstance(
                    name, unit.post_at, unit.latency, unit.operations, unit.interval, unit.slow_core, unit.slow_interval, unit.cadence
                )
            )
    program = Program(
        trace.mode, trace.block_bytes, trace.nbytes, trace.tweak_bytes, problem.units.lanes, problem.graph.directions,
        units, {}, {}, [ChainRegister(c.id, c.stride) for c in problem.graph.chains], {}, list(key_words), raw_words, FILL_AHEAD,
        list(trace.cipher_keys), list(trace.cipher_bits), [tuple(map(key_words.index, names)) for names in setup.problem.graph.derived],
        [key_words.index(name) for name in setup.problem.graph.nonzero], rest,
    )  # fmt: skip
    lives, setup_lives = lifetimes(main), lifetimes(setup)
    for i in range(trace.blocks):  # a block that nothing reads still arrives
        lives.setdefault(("block", i), Life(("block", i), InputName(i % program.lanes), -1, 0))
    for j in range(trace.tweak_blocks):
        lives.setdefault(("tweak", j), Life(("tweak", j), TWEAK, TWEAK_WRITE, TWEAK_WRITE + 1))
    held = _pack(lives, main.ii, rest, fill=False)[1]
    cells, sizes = _pack(lives, main.ii, rest, fill=True)
    setup_cells, setup_sizes = _pack(setup_lives, setup.ii, rest, fill=False)
    for bank in sorted(set(sizes) | set(setup_sizes)):
        size = max(sizes.get(bank, 0), setup_sizes.get(bank, 0))
        writer = LaneName(bank.number) if isinstance(bank, InputName) else bank
        program.banks[bank] = Bank(bank, writer, size, 0)
    plain, builder = deepcopy(program), _Builder(program)
    for _ in range(2 if tries else 1):
        builder = _Builder(replace(plain), better_ports(builder.readings, tries)) if builder.readings else builder
        builder.program.tables["main"] = builder.table(main, "main", lives, cells)
        builder.program.tables["setup"] = builder.table(setup, "setup", setup_lives, setup_cells)
    program = builder.program
    stored = [life for life in lives.values() if life.stored or life.value[0] != "op"]
    total = sum(held.values())
    inputs = sum(sizes[b] - held[b] for b in sizes if not isinstance(b, UnitName))
    return Allocation(program, total, storage_bound({life.value: life for life in stored}, main.ii), inputs)
