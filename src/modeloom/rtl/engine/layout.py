# SPDX-License-Identifier: Apache-2.0
"""Turns the rows of a program into the fields of the control store.

Every row belongs to a stage and has a variant for each direction.  Its fields have these names::

    NAME.stage        which stage the row belongs to
    NAME.valid        whether there is a row
    NAME.FIELD        its value for encryption (in set-up too)
    NAME.FIELD.dec    its value for decryption, a field of its own only in a core for both directions
    UNIT.batch        for each stage, whether a sector in it has an operation in the batch that begins; also with .dec
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from modeloom.allocate.build import CoreProgram
from modeloom.allocate.program import ChainName, Net, NetName, NetRow, OutName, OutRow, Row, UnitInstance, UnitName, batched
from modeloom.rtl.engine.sequencer import Columns
from modeloom.rtl.engine.storage import key_class
from modeloom.spec.kinds import Kind

__all__ = ["RowFields", "engine_fields", "result_cuts", "used_cores"]

R = TypeVar("R", bound=Row)

Numbers: TypeAlias = dict[str, Callable[[R, str], int]]
"""For each field, the function that gives its number for a row and a direction."""


class RowFields:
    """The fields of all rows of a program.  The rows of the main tables come first, and those of the set-up tables behind them."""

    def __init__(self, program: CoreProgram):
        self.program = program
        self.tables = program.tables
        self.main_rows = sum(table.rows for table in program.mains)
        self.columns = Columns(sum(table.rows for table in self.tables))
        self.both = len(program.directions) > 1

    def add(self, name: str, lists: Sequence[Sequence[R | None] | None], fields: Numbers[R], only: str | None = None) -> None:
        """Adds the fields of one list of rows in each table.

        Parameters
        ----------
        name : str
            What the names of the fields begin with.
        lists : sequence
            The list of rows in each table; None in a table that has none.
        fields : dict
            For each field, the function that gives its number for a row and a direction.  It gives 0 where the row has nothing for
            the direction.
        only : str or None
            "main" or "setup" if only the rows of these tables count.
        """
        rows: list[tuple[R | None, tuple[str, ...]]] = []
        for table, column in zip(self.tables, lists, strict=True):
            rows.extend((row, table.directions) for row in column or [None] * table.rows)
        if only is not None:
            keep = range(self.main_rows) if only == "main" else range(self.main_rows, len(rows))
            rows = [row if i in keep else (None, ()) for i, row in enumerate(rows)]
        self.columns.add(f"{name}.stage", [row.stage if row else 0 for row, _ in rows])
        self.columns.add(f"{name}.valid", [int(row is not None) for row, _ in rows], 1)
        for field, number in fields.items():
            sides = {"": 0, ".dec": 1} if self.both else {"": 0}
            values = {side: [number(row, dirs[min(i, len(dirs) - 1)]) if row else 0 for row, dirs in rows] for side, i in sides.items()}
            width = max(1, max(max(v) for v in values.values()).bit_length())
            for side, v in values.items():
                self.columns.add(f"{name}.{field}{side}", v, width)

    def add_batches(self, unit: UnitName) -> None:
        """Adds the field of a unit that takes batches."""
        for side, i in {"": 0, ".dec": 1}.items() if self.both else {"": 0}.items():
            masks = [
                sum(1 << stage for stage in row.stages.get(table.directions[min(i, len(table.directions) - 1)], ())) if row else 0
                for table in self.tables
                for row in table.batches.get(unit) or [None] * table.rows
            ]
            self.columns.add(f"{unit}.batch{side}", masks, self.program.stages)


def result_cuts(program: CoreProgram) -> tuple[int, ...]:
    """The numbers of bytes to which some result is cut, in rising order.

    A number below 0 says how many bytes are cut from the head of the result.
    """
    return tuple(sorted({n for t in program.tables for rows in t.nets.values() for row in rows if row for n in row.keep.values() if n}))


def _storage_fields(rows: RowFields) -> None:
    """Adds the fields of banks and of the key memory: what is read, and what is written."""
    tables = rows.tables
    for bank, port in sorted({key for t in tables for key in t.ports}):
        rows.add(f"{bank}.r{port}", [t.ports.get((bank, port)) for t in tables], {"cell": lambda row, d: row.cell.get(d, 0)})
    for place, port in sorted({key for t in tables for key in t.keys}):
        rows.add(f"{place}.k{port}", [t.keys.get((place, port)) for t in tables], {"word": lambda row, d: row.word.get(d, 0)})
    for unit_name in sorted({key for t in tables for key in t.writes}):
        rows.add(
            f"{unit_name}.w", [t.writes.get(unit_name) for t in tables],
            {"cell": lambda row, d: row.cell.get(d, 0), "we": lambda row, d: int(d in row.cell)},
        )  # fmt: skip


def engine_fields(program: CoreProgram) -> RowFields:
    """All fields of an engine.

    They control networks, addresses of banks and key words, writes, outputs and chains, and they mark the end of a sector.
    """
    rows = RowFields(program)
    keeps, tables = result_cuts(program), program.tables
    for name, net in program.nets.items():
        rows.add(name, [t.nets.get(name) for t in tables], _net_fields(program, name, net, keeps))
    _storage_fields(rows)
    for lane in range(program.lanes):
        fields: Numbers[OutRow] = {"index": lambda row, d: row.index.get(d, 0), "we": lambda row, d: int(d in row.index)}
        outs = [t.outs.get(lane) for t in tables]
        rows.add(f"{OutName(lane)}.o", outs, fields, "main")
        rows.add(f"{OutName(lane)}.key", outs, fields, "setup")
    for chain in program.chains:
        rows.add(
            f"{ChainName(chain.id)}.step", [t.chains.get(chain.id) for t in tables],
            {
                "load": lambda row, d: int(row.action == "load" and d in row.directions),
                "step": lambda row, d: int(row.action == "step" and d in row.directions),
            },
        )  # fmt: skip
    for unit in batched(program.units):
        rows.add_batches(unit)
    done = [int(i == main.latency % main.rows) for main in program.mains for i in range(main.rows)]
    stage = [main.latency // main.rows for main in program.mains for _ in range(main.rows)]
    behind = rows.columns.rows - len(done)
    rows.columns.add("done.valid", [*done, *[0] * behind], 1)
    rows.columns.add("done.stage", [*stage, *[stage[-1]] * behind])
    return rows


def used_cores(program: CoreProgram, unit: UnitInstance) -> tuple[Kind, ...]:
    """The cores of a unit that some row starts.

    A unit may have cores that no row starts, when it is one of several pipelines.  If no row starts any, this is the first core.
    """
    rows = [row for table in program.tables for row in table.nets.get(NetName(unit.name), ()) if row]
    started = {core for row in rows for core in row.core.values()}
    return tuple(core for core in unit.cores if core in started) or unit.cores[:1]


def _net_fields(program: CoreProgram, name: NetName, net: Net, keeps: tuple[int, ...]) -> Numbers[NetRow]:
    fields: Numbers[NetRow] = {
        "select": lambda row, d: sum(1 << n for n in row.select.get(d, ())),
        "issue": lambda row, d: int(d in row.select),
    }
    if any(source.kind == "const" for source in net.sources):
        fields["const"] = lambda row, d: row.const.get(d, 0)
    unit = next((u for u in program.units if u.name == name.owner), None)
    if unit is not None:
        fields |= _unit_fields(program, name, unit)
    if name.post and keeps:
        fields["keep"] = lambda row, d: (keeps.index(row.keep[d]) + 1) if row.keep.get(d) else 0
    return fields


def _unit_fields(program: CoreProgram, name: NetName, unit: UnitInstance) -> Numbers[NetRow]:
    """The fields of a network that control the unit behind it."""
    fields: Numbers[NetRow] = {}
    if unit.kind.type.either:
        fields["decrypt"] = lambda row, d: int(d in row.core and row.core[d].operation.inverse_keys)
    if name.first and any(core.operation.numbers for core in unit.cores):
        fields["number"] = lambda row, d: row.number.get(d, 0)
    elif name.first and unit.kind.type.keyed:
        numbers = key_class(program.cipher_bits, unit.kind.key_bits).numbers
        if len(numbers) > 1:
            fields["number"] = lambda row, d: numbers.index(row.number.get(d, 0)) if d in row.core else 0
    if name.post and not unit.kind.type.either and len(cores := used_cores(program, unit)) > 1:
        fields["form"] = lambda row, d: cores.index(row.core[d]) if d in row.core else 0
    return fields
