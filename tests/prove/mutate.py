# SPDX-License-Identifier: Apache-2.0
"""Broken programs: changes of one used field of a program at a time.

A proof is useful only if it refuses wrong programs.  These are the kinds of mutation.  Each affects one direction if the field has two:

========  ====================================================================
operand   a network has a different source, one more or one fewer
address   a different cell (of a read, a write, an input block) or key word
write     a result is written a row earlier or later
core      a different core, constant, or number of bytes that are kept
latency   a unit's result or its sum comes earlier or later
rotation  a bank has a different number of cells, or a row is in a different stage
chain     a register steps instead of loading, not at all, or by a different stride
output    a block leaves with a different number
number    a cipher call uses a different key, or a different number is added
batch     a batch begins a row earlier or later, or not for a stage
========  ====================================================================
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from modeloom.allocate.program import (
    TWEAK,
    BatchRow,
    ChainRow,
    InputName,
    KeyRow,
    Net,
    NetName,
    NetRow,
    OutRow,
    PortRow,
    Program,
    Row,
    Table,
    WriteRow,
)
from modeloom.spec.kinds import OPERATIONS, Kind

__all__ = ["Mutation", "KINDS", "copy_program", "mutants"]

K = TypeVar("K")
R = TypeVar("R", bound=Row | BatchRow)

NUMBERS: dict[type, str] = {
    NetRow: "select", PortRow: "cell", KeyRow: "word", WriteRow: "cell", OutRow: "index", ChainRow: "directions",
    BatchRow: "stages",
}  # fmt: skip
"""The member of a row that has an entry for each direction which uses it."""

KINDS = ("operand", "address", "write", "core", "latency", "rotation", "chain", "output", "number", "batch")


@dataclass(frozen=True)
class Mutation:
    """A broken program, and a description of the change."""

    kind: str
    text: str
    program: Program


def copy_program(program: Program) -> Program:
    """A copy whose lists and tables can be changed.  Rows are replaced and never changed."""
    tables = {}
    for name, table in program.tables.items():
        tables[name] = replace(
            table, nets=_copied(table.nets), ports=_copied(table.ports), keys=_copied(table.keys), writes=_copied(table.writes),
            outs=_copied(table.outs), chains=_copied(table.chains), batches=_copied(table.batches), inputs=dict(table.inputs),
            tweaks=dict(table.tweaks),
        )  # fmt: skip
    return replace(
        program,
        units=list(program.units),
        banks=dict(program.banks),
        nets={name: Net(name, list(net.sources), net.key_ports) for name, net in program.nets.items()},
        chains=list(program.chains),
        key_words=list(program.key_words),
        tables=tables,
    )


def _copied(lists: dict[K, list[R | None]]) -> dict[K, list[R | None]]:
    return {key: list(rows) for key, rows in lists.items()}


def mutants(program: Program, direction: str, seed: int, count: int) -> Iterator[Mutation]:
    """Different mutants of the rows that one direction uses (``"setup"``: of the set-up table), as the seed chooses.

    Kinds take turns; a kind that has no more different mutants is left out.  Raises ``ValueError`` if there are too
    few.
    """
    rng = random.Random(f"{program.name} {direction} {seed}")
    maker = _Maker(program, direction, rng)
    seen: set[str] = set()
    kinds = list(KINDS)
    tries = {kind: 0 for kind in kinds}
    made = 0
    while made < count:
        if not kinds:
            raise ValueError(f"{program.name}: only {made} different mutants of {direction}")
        for kind in list(kinds):
            mutant = maker.make(kind)
            tries[kind] += 1
            if mutant is None or mutant.text in seen:
                if tries[kind] > 60:
                    kinds.remove(kind)
                continue
            tries[kind] = 0
            seen.add(mutant.text)
            made += 1
            yield mutant
            if made == count:
                return


def _bits(numbers: range) -> int:
    """Bits of the largest of the numbers of an operation."""
    return (numbers.stop - 1).bit_length()


class _Maker:
    def __init__(self, program: Program, direction: str, rng: random.Random):
        self.base, self.direction, self.rng = program, direction, rng
        self.table_name = "setup" if direction == "setup" else "main"

    def make(self, kind: str) -> Mutation | None:
        """A mutant of a kind, or None if the choice changes nothing."""
        program = copy_program(self.base)
        text = getattr(self, f"_{kind}")(program, program.tables[self.table_name])
        return Mutation(kind, f"{kind}: {text}", program) if text else None

    # -- choices ------------------------------------------------------------------------------------------------------

    def _row(self, lists: Mapping[K, Sequence[R | None]], fits: Callable[[K, R], bool] = lambda key, row: True) -> tuple[K, int, R] | None:
        """A suitable row that the direction uses, of some lists of a table."""
        found: list[tuple[K, int, R]] = []
        for key, rows in sorted(lists.items(), key=str):
            for slot, row in enumerate(rows):
                if row is not None and self.direction in getattr(row, NUMBERS[type(row)]) and fits(key, row):
                    found.append((key, slot, row))
        return self.rng.choice(found) if found else None

    def _other(self, number: int, limit: int) -> int:
        """Another number below a limit, or the same number if there is no other."""
        return (number + self.rng.randrange(1, limit)) % limit if limit > 1 else number

    def _side(self, row: R, field: str, value: object) -> R:
        changes: dict[str, Any] = {field: {**getattr(row, field), self.direction: value}}
        return replace(row, **changes)

    # -- kinds --------------------------------------------------------------------------------------------------------

    def _operand(self, program: Program, table: Table) -> str:
        picked = self._row(table.nets)
        if picked is None:
            return ""
        name, slot, row = picked
        selected = set(row.select[self.direction])
        others = [n for n in range(len(program.nets[name].sources)) if n not in selected]
        ways = (["less", "other"] if selected else []) + (["more"] if others else [])
        way = self.rng.choice(ways) if ways else ""
        if way in ("less", "other") and selected:
            selected.remove(self.rng.choice(sorted(selected)))
        if way in ("more", "other") and others:
            selected.add(self.rng.choice(others))
        now = tuple(sorted(selected))
        if now == tuple(row.select[self.direction]):
            return ""
        const = (
            {self.direction: 0, **row.const}
            if any(program.nets[name].sources[n].kind == "const" for n in now)
            else row.const
        )
        table.nets[name][slot] = replace(self._side(row, "select", now), const=const)
        return f"{name} row {slot} takes {now}, not {tuple(row.select[self.direction])}"

    def _address(self, program: Program, table: Table) -> str:
        what = self.rng.choice(("ports", "writes", "keys", "inputs"))
        if what == "inputs":
            cells = {**{("P", i): c for i, c in table.inputs.items()}, **{("T", j): c for j, c in table.tweaks.items()}}
            if not cells:
                return ""
            (which, i), cell = self.rng.choice(sorted(cells.items()))
            bank = TWEAK if which == "T" else InputName(i % program.lanes)
            new = self._other(cell, program.banks[bank].cells)
            (table.tweaks if which == "T" else table.inputs)[i] = new
            return f"{which}{i} in cell {new}, not {cell}" if new != cell else ""
        picked = self._row(getattr(table, what))
        if picked is None:
            return ""
        key, slot, row = picked
        field = "word" if what == "keys" else "cell"
        bank_name = key[0] if what == "ports" else key
        limit = len(program.key_words) if what == "keys" else program.banks[bank_name].cells
        old = getattr(row, field)[self.direction]
        new = self._other(old, limit)
        getattr(table, what)[key][slot] = self._side(row, field, new)
        return f"{what} {key} row {slot} {field} {new}, not {old}" if new != old else ""

    def _write(self, program: Program, table: Table) -> str:
        picked = self._row(table.writes)
        if picked is None or table.rows < 2:
            return ""
        unit, slot, row = picked
        step = self.rng.choice((-1, 1))
        cycle = row.stage * table.rows + slot + step
        if cycle < 0:
            return ""
        table.writes[unit][slot] = None
        table.writes[unit][cycle % table.rows] = replace(row, stage=cycle // table.rows)
        return f"{unit} row {slot} is written {step:+d} rows away"

    def _core(self, program: Program, table: Table) -> str:
        picked = self._row(table.nets)
        if picked is None:
            return ""
        name, slot, row = picked
        core = row.core.get(self.direction)
        selected = [program.nets[name].sources[n].kind for n in row.select[self.direction]]
        if "const" in selected:
            old = row.const[self.direction]
            new = old ^ 1 << self.rng.randrange(8 * program.block_bytes)
            table.nets[name][slot] = self._side(row, "const", new)
            return f"{name} row {slot} constant {new:#x}, not {old:#x}"
        if name.post and (row.keep or self.rng.randrange(4) == 0):
            old = row.keep.get(self.direction, 0)
            new = self._other(old, program.block_bytes)
            table.nets[name][slot] = self._side(row, "keep", new)
            return f"{name} row {slot} keeps {new} bytes, not {old}"
        if core and core.operation.inverse:
            new_core = Kind(OPERATIONS[core.operation.inverse], core.key_bits)
            table.nets[name][slot] = self._side(row, "core", new_core)
            return f"{name} row {slot} core {new_core}"
        if core and len(others := [other for other in OPERATIONS.values() if other.unit is core.operation.unit]) > 1:
            new_core = Kind(self.rng.choice([other for other in others if other is not core.operation]), core.key_bits)
            table.nets[name][slot] = self._side(row, "core", new_core)
            return f"{name} row {slot} counter {new_core}"
        return ""

    def _latency(self, program: Program, table: Table) -> str:
        i = self.rng.randrange(len(program.units))
        unit = program.units[i]
        if not any(row for row in table.nets.get(NetName(unit.name), []) if row and self.direction in row.select):
            return ""
        field = self.rng.choice(("latency", "post_at", "both"))
        step = self.rng.choice((-2, -1, 1, 2))
        changes = {name: getattr(unit, name) + step for name in ("latency", "post_at") if field in (name, "both")}
        if min(changes.values()) < 0:
            return ""
        program.units[i] = replace(unit, **changes)
        return f"{unit.name} {field} {step:+d}"

    def _rotation(self, program: Program, table: Table) -> str:
        if self.rng.randrange(2):
            names = sorted(
                {
                    key if isinstance(key, str) else key[0]
                    for what in ("ports", "writes")
                    for key in getattr(table, what)
                }
            )
            if not names:
                return ""
            bank = program.banks[self.rng.choice(names)]
            cells = bank.cells + self.rng.choice((-3, -2, -1, 1))
            if cells < 1:
                return ""
            program.banks[bank.name] = replace(bank, cells=cells)
            return f"bank {bank.name} has {cells} cells, not {bank.cells}"
        what = self.rng.choice(("nets", "ports", "writes", "outs", "chains", "keys"))
        picked = self._row(getattr(table, what))
        if picked is None:
            return ""
        key, slot, row = picked
        stage = row.stage + self.rng.choice((-1, 1))
        if not 0 <= stage < table.stages:
            return ""
        getattr(table, what)[key][slot] = replace(row, stage=stage)
        return f"{what} {key} row {slot} stage {stage}, not {row.stage}"

    def _chain(self, program: Program, table: Table) -> str:
        picked = self._row(table.chains)
        if picked is None:
            return ""
        chain, slot, row = picked
        way = self.rng.choice(("action", "drop", "stride", "shift"))
        if way == "stride":
            at = next(i for i, c in enumerate(program.chains) if c.id == chain)
            stride = program.chains[at].stride + self.rng.choice((-1, 1, 2))
            program.chains[at] = replace(program.chains[at], stride=stride)
            return f"chain {chain} steps by x^{stride}"
        if way == "shift":
            to = (slot + self.rng.choice((-1, 1))) % table.rows
            if table.chains[chain][to] is not None:
                return ""
            table.chains[chain][slot], table.chains[chain][to] = None, row
            return f"chain {chain} row {slot} acts in row {to}"
        if way == "drop":
            left = tuple(d for d in row.directions if d != self.direction)
            table.chains[chain][slot] = replace(row, directions=left) if left else None
            return f"chain {chain} row {slot} does nothing in {self.direction}"
        action = "step" if row.action == "load" else "load"
        table.chains[chain][slot] = replace(row, action=action)
        return f"chain {chain} row {slot} does a {action}"

    def _is_numbered(self, name: NetName, row: NetRow) -> bool:
        """Whether a row is before the first operand of a unit and starts an operation with a number."""
        core = row.core.get(self.direction)
        return name.first and core is not None and core.operation.numbered

    def _number(self, program: Program, table: Table) -> str:
        picked = self._row(table.nets, self._is_numbered)
        if picked is None:
            return ""
        name, slot, row = picked
        old = row.number.get(self.direction, 0)
        # One cipher key more than there are: a number that no key has is wrong, too.
        numbers = row.core[self.direction].operation.numbers
        new = (old ^ 1 << self.rng.randrange(_bits(numbers))) if numbers else self._other(old, len(program.cipher_keys) + 1)
        table.nets[name][slot] = self._side(row, "number", new)
        return f"{name} row {slot} number {new}, not {old}"

    def _output(self, program: Program, table: Table) -> str:
        picked = self._row(table.outs)
        if picked is None:
            return ""
        lane, slot, row = picked
        limit = len(program.key_words) if self.direction == "setup" else program.blocks
        old = row.index[self.direction]
        new = self._other(old, limit)
        table.outs[lane][slot] = self._side(row, "index", new)
        return f"lane {lane} row {slot} gives {new}, not {old}" if new != old else ""

    def _batch(self, program: Program, table: Table) -> str:
        picked = self._row(table.batches)
        if picked is None:
            return ""
        unit, slot, row = picked
        rows, way = table.batches[unit], self.rng.choice((-1, 1, 0))
        if way and rows[(slot + way) % table.rows] is None:
            rows[slot], rows[(slot + way) % table.rows] = None, row
            return f"{unit} begins the batch of row {slot} {way:+d} rows away"
        stage = self.rng.choice(row.stages[self.direction])
        left = tuple(other for other in row.stages[self.direction] if other != stage)
        sides = {**row.stages, self.direction: left}
        rows[slot] = replace(row, stages={d: stages for d, stages in sides.items() if stages})
        return f"{unit} does not begin the batch of row {slot} for stage {stage}"
