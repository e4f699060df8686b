# SPDX-License-Identifier: Apache-2.0
"""Second part of the proof: the program, executed cycle by cycle on symbols, computes what the graph says.

The set-up table runs first.  Then sectors of both directions run through the main table.  In one run they have no gaps,
and blocks arrive as early as the bus can bring them, until every bank has wrapped around.  In another run there are gaps
and restarts, and blocks arrive early or at the last moment.  Every block that leaves is compared, by identity, with the
expression that the graph gives for its sector.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from modeloom.allocate.program import TWEAK, LaneName, Program
from modeloom.ir.graph import OpGraph
from modeloom.prove.machine import F, Machine, MachineError, OnBlock, Plan, Sector, V
from modeloom.spec.errors import FailedCheck
from modeloom.spec.kinds import Kind

__all__ = [
    "KEY_DELAY", "Execution", "Form", "GraphSymbols", "ProofError", "Symbols", "direction_pattern", "entries_with_gaps",
    "make_sectors", "prove_program",
]  # fmt: skip


# -- symbols ---------------------------------------------------------------------------------------------------------------------------

# Hash-consed symbols: equal expressions are the same number.
#
# A value is the number of an atom::
#
#     ("block", sector, i) | ("tweak", sector, j) | ("key", name) | ("const", v) | ("form", terms)
#     ("op", core, number, operand forms, keep, post form)    operands that may change places in a fixed order
#
# A form is a XOR-set of terms (atom, k, keep), kept as a sorted tuple.

# The error that a failed proof raises.

class ProofError(FailedCheck):
    """The program, or a rewritten graph, does not compute the definition.  The message is one line that says
    where.
    """

Form = tuple[tuple[int, int, int], ...]


class Symbols:
    """Table of atoms; the ``Values`` of a symbolic machine."""

    def __init__(self) -> None:
        self._numbers: dict[tuple, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def atom(self, *name: object) -> int:
        """The atom of this name."""
        return self._numbers.setdefault(name, len(self._numbers))

    def form(self, terms: list[tuple[int, int, int]]) -> Form:
        """XOR of terms: equal ones cancel."""
        if len(terms) == 1:
            return (terms[0],)
        left: set[tuple[int, int, int]] = set()
        for term in terms:
            left ^= {term}
        return tuple(sorted(left))

    def term(self, form: Form, k: int, keep: int) -> tuple[int, int, int]:
        """A form as a term: its only one, or an atom for its sum."""
        if len(form) == 1 and not keep:
            atom, old, keep = form[0]
            return atom, old + k, keep
        return self.store(form), k, keep

    def step(self, form: Form, stride: int) -> Form:
        """form * x^stride."""
        return tuple((atom, k + stride, keep) for atom, k, keep in form)

    def operate(self, core: Kind, operands: list[Form], number: int) -> tuple:
        """An operation on some forms, with its number."""
        if core.operation.commutes:
            operands = sorted(operands)
        return (core, number, *operands)

    def result(self, raw: tuple, keep: int, post: Form) -> int:
        """The atom of an operation."""
        return self.atom("op", raw, keep, post)

    def store(self, form: Form) -> int:
        """The atom of a form."""
        if len(form) == 1 and not form[0][1] and not form[0][2]:
            return form[0][0]
        return self.atom("form", form)

    def const(self, number: int) -> int:
        """The atom of a constant."""
        return self.atom("const", number)

    def undefined(self, what: str) -> int:
        """Raises ``MachineError``: nothing may be read that was not written."""
        raise MachineError(f"{what} holds nothing when it is read")


class GraphSymbols:
    """What a lowered graph says that leaves: forms of the same symbols.

    Parameters
    ----------
    graph : OpGraph
    symbols : Symbols
    words : mapping
        Atoms of the key words by name.
    """

    def __init__(self, graph: OpGraph, symbols: Symbols, words: Mapping[str, int]):
        self.graph, self.symbols, self.words = graph, symbols, words
        self.ops = {d: list(graph.ops(d)) for d in graph.directions}

    def outputs(self, direction: str, sector: int) -> dict[object, Form]:
        """Forms of the blocks of one sector by number, or of the key words of a set-up by name."""
        symbols = self.symbols
        words: dict[str, int] = dict(self.words)
        values: dict[int, int] = {}
        leaving: dict[object, Form] = {}
        chains = [chain.base.get(direction) for chain in self.graph.chains]

        def atom(source: tuple) -> int:
            kind = source[0]
            if kind == "op":
                return values[source[1]]
            if kind == "key":
                if source[1] not in words:
                    raise ProofError(f"{self.graph.name}: {direction} reads key word {source[1]}, which is not written")
                return words[source[1]]
            if kind == "const":
                return symbols.const(source[1])
            return symbols.atom(kind, sector, source[1])

        def form(terms: tuple) -> Form:
            result = []
            for source, k, keep in terms:
                if source[0] == "chain":
                    base = chains[source[1]]
                    start: Form = ((atom(base.source), base.k, base.keep),)
                    result.append(symbols.term(symbols.step(start, self.graph.chains[source[1]].stride * source[2]), k, keep))
                else:
                    result.append((atom(source), k, keep))
            return symbols.form(result)

        for i, op in self.ops[direction]:
            if op.leaves:
                leaving[op.index] = value = form(op.pre[0])
                if isinstance(op.index, str):
                    words[op.index] = symbols.store(value)
            else:
                raw = symbols.operate(op.kind, [form(operand) for operand in op.pre], op.number)
                values[i] = symbols.result(raw, op.keep, form(op.post))
        return leaving


# -- execute ---------------------------------------------------------------------------------------------------------------------------

LEAD = 6
"""Cycles from the cycle in which the engine takes a sector to the sector's cycle 0 (``rtl.engine``)."""

FILL_DELAY = 3
"""Cycles from the bus until a block is in its bank."""

TWEAK_WRITE = 1 - LEAD
"""Cycle, relative to the sector's, at whose end the first block of its tweak is written; the others follow one by
one.
"""

KEY_DELAY = 4
"""Cycles from the leaving of a key word in set-up to its first use."""

LAST_FILL = FILL_DELAY - LEAD
"""Last cycle at whose end a block is written, relative to its sector's.  The engine reads input blocks in cycle u - 2 for cycle u,
the machine here in u - 1: the same block, as it is there from cycle -2 on and is not overwritten before u - 1."""

LONG_RUN = 20000
"""Cycles up to which the run without gaps wraps every bank around.  Longer programs start shortly before the wrap."""


@dataclass(frozen=True)
class Execution:
    """The extent of an execution."""

    sectors: int
    cycles: int


def direction_pattern(directions: Sequence[str], distance: int, least: int) -> list[str]:
    """A sequence of directions in which every ordered pair occurs at every distance up to ``distance``."""
    if len(directions) == 1:
        return list(directions) * least
    rng = random.Random(distance)
    result = [directions[0]]
    missing = {(a, b, d) for a in directions for b in directions for d in range(1, distance + 1)}
    while missing or len(result) < least:
        gains = {}
        for direction in directions:
            gains[direction] = sum((result[-d], direction, d) in missing for d in range(1, min(distance, len(result)) + 1))
        best = max(gains.values())
        chosen = rng.choice([d for d in directions if gains[d] == best])
        missing -= {(result[-d], chosen, d) for d in range(1, min(distance, len(result)) + 1)}
        result.append(chosen)
    return result


def entries_with_gaps(count: int, rows: int, stages: int) -> list[int]:
    """Entries of sectors: gaps of whole turns while others are in flight, restarts at any cycle after the last has
    left.
    """
    rng = random.Random(count)
    entries = [0]
    for _ in range(count - 1):
        kind = rng.randrange(4)
        gap = rows * (1 if kind < 2 else rng.randrange(2, stages + 2)) if kind < 3 else rows * stages + rng.randrange(rows)
        entries.append(entries[-1] + gap)
    return entries


def make_sectors(
    program: Program, pattern: Sequence[str], entries: Sequence[int], early: Callable[[int], bool],
    block: Callable[[int, int], V], tweak: Callable[[int, int], V], first: int = 0,
) -> list[Sector[V, F]]:  # fmt: skip
    """Sectors with the cycles in which their blocks and tweaks are written.

    Parameters
    ----------
    pattern, entries : sequence
        Direction and cycle 0 of each sector.
    early : callable
        ``early(n)``: whether the blocks of the n-th sector come as early as the bus can bring them, or as late.
    block, tweak : callable
        ``block(number, i)``, ``tweak(number, j)``: their values.
    first : int
        Running number of the first sector.

    A bus brings one beat in each cycle.  The first ``fill_ahead`` beats may arrive while the previous sector still waits
    to enter, once it is complete.  The other beats arrive after it has entered.
    """
    lanes, main = program.lanes, program.main
    beats = -(-program.blocks // lanes)
    banks: dict[str, str] = {bank.writer: bank.name for bank in program.banks.values()}
    sectors = []
    done = entries[0] - LEAD - FILL_DELAY - 2 * beats - 2 * main.rows
    taken = [done] * 2 + [entry - LEAD for entry in entries]
    for n, (direction, entry) in enumerate(zip(pattern, entries, strict=True)):
        sector = Sector[V, F](first + n, direction, entry)
        cycle = done
        for beat in range(beats):
            cycle = max(cycle, taken[n] if beat < program.fill_ahead else taken[n + 1]) + 1
            late = entry + LAST_FILL - FILL_DELAY - (beats - 1 - beat)
            if not early(n):
                cycle = max(cycle, late)
            for i in range(beat * lanes, min(beat * lanes + lanes, program.blocks)):
                lane = LaneName(i % lanes)
                if lane in banks and i in main.inputs:
                    sector.writes.append((cycle + FILL_DELAY, banks[lane], main.inputs[i], block(first + n, i)))
        if cycle + FILL_DELAY > entry + LAST_FILL:
            raise ProofError(f"{program.name}: the bus cannot bring {beats} beats every {main.rows} cycles")
        done = cycle
        for j, cell in sorted(main.tweaks.items()):
            if TWEAK in banks:
                sector.writes.append((entry + TWEAK_WRITE + j, banks[TWEAK], cell, tweak(first + n, j)))
        sectors.append(sector)
    return sectors


def prove_program(
    program: Program, graph: OpGraph, setup: OpGraph, *, out_delay: int, key_delay: int, symbols: Symbols | None = None
) -> Execution:
    """Executes a program on symbols and compares every block with the graph.

    Parameters
    ----------
    graph, setup : OpGraph
        The lowered graphs of the directions and of the set-up.
    out_delay, key_delay : int
        The cycles from an output network until its block leaves, and from the leaving of a key word to its first use.
    symbols : Symbols or None
        A table of symbols to share among many programs of one graph.

    Raises
    ------
    ProofError
        A block differs or is missing, or the program reads something that was never written.
    """
    run = _Run(program, graph, setup, out_delay, key_delay, symbols or Symbols())
    run.setup()
    run.main()
    return Execution(run.sectors, run.cycles)


class _Run:
    def __init__(self, program: Program, graph: OpGraph, setup: OpGraph, out_delay: int, key_delay: int, symbols: Symbols):
        self.program, self.graph, self.setup_graph, self.symbols = program, graph, setup, symbols
        self.delays = out_delay, key_delay
        self.memory: dict[str, list[int | None]] = {bank.name: [None] * bank.cells for bank in program.banks.values()}
        self.words = [symbols.atom("key", name) for name in program.key_words]
        self.by_name = dict(zip(program.key_words, self.words, strict=True))
        self.expected: dict[tuple[str, int], dict[object, Form]] = {}
        self.sectors = self.cycles = 0

    def setup(self) -> None:
        """Runs the set-up table and compares the key words."""
        table = self.program.tables["setup"]
        raw = {name: self.by_name[name] for name in self.program.key_words[: self.program.raw_words]}
        wanted = GraphSymbols(self.setup_graph, self.symbols, raw).outputs("setup", 0)
        given = self.words[: self.program.raw_words]
        words = [*given, *[None] * (len(self.words) - len(given))]
        machine = self._machine(Plan(self.program, table, *self.delays), words, 0)

        def word(sector: Sector[int, Form], index: int, form: Form) -> None:
            name = self.program.key_words[index]
            if wanted.get(name) != form:
                raise ProofError(f"{self.program.name}: set-up writes key word {name} with another value than the graph's")

        sector = Sector[int, Form](0, "setup", 0)
        self._run(machine, [sector], word)
        for index, name in enumerate(self.program.key_words):
            if index >= self.program.raw_words and index not in sector.outputs:
                raise ProofError(f"{self.program.name}: set-up does not write key word {name}")

    def main(self) -> None:
        """Runs sectors without and with gaps."""
        main = self.program.main
        plan = Plan(self.program, main, *self.delays)
        most = max([1, *(bank.cells for bank in self.program.banks.values())])
        short = 3 * main.stages + 4
        pattern = direction_pattern(self.program.directions, main.stages + 1, short)
        whole = most + main.stages + 1
        long = whole * main.rows <= LONG_RUN
        if long:
            pattern = direction_pattern(self.program.directions, main.stages + 1, whole)
        steady = [n * main.rows for n in range(len(pattern))]
        # Counters start just before their wrap, so that a short run passes it too.
        self._sectors(plan, pattern, steady, lambda n: True, 0, -main.stages - 1)
        pattern = pattern[: max(short, 12)]
        with_gaps = entries_with_gaps(len(pattern), main.rows, main.stages)
        self._sectors(plan, pattern, with_gaps, lambda n: n % 3 == 0, 1000, -2)

    def _sectors(
        self,
        plan: Plan,
        pattern: Sequence[str],
        entries: Sequence[int],
        early: Callable[[int], bool],
        first: int,
        turn: int,
    ) -> None:
        symbols = self.symbols
        graph = GraphSymbols(self.graph, symbols, self.by_name)
        sectors: list[Sector[int, Form]] = make_sectors(
            self.program, pattern, entries, early, lambda n, i: symbols.atom("block", n, i),
            lambda n, j: symbols.atom("tweak", n, j), first,
        )  # fmt: skip

        def block(sector: Sector[int, Form], index: int, form: Form) -> None:
            key = sector.direction, sector.number
            if key not in self.expected:
                self.expected[key] = graph.outputs(*key)
            if self.expected[key].get(index) != form:
                raise ProofError(
                    f"{self.program.name}: block {index} of sector {sector.number - first} ({sector.direction}) "
                    "is not what the graph says"
                )

        machine = self._machine(plan, self.words, turn - first)
        self._run(machine, sectors, block)
        for sector in sectors:
            for index in range(self.program.blocks):
                if index not in sector.outputs:
                    where = f"sector {sector.number - first} ({sector.direction})"
                    raise ProofError(f"{self.program.name}: block {index} of {where} never leaves")
        self.sectors += len(sectors)

    def _machine(self, plan: Plan, words: Sequence[int | None], turn: int) -> Machine[int, Form, tuple]:
        return Machine(plan, self.symbols, words, lambda cells: turn % cells, self.memory)

    def _run(self, machine: Machine[int, Form, tuple], sectors: list[Sector[int, Form]], on_block: OnBlock[int, Form]) -> None:
        try:
            machine.run(sectors, on_block)
        except MachineError as error:
            raise ProofError(f"{self.program.name}: {error}") from None
        self.cycles += machine.cycles
