# SPDX-License-Identifier: Apache-2.0
"""The storage part of the checker of programs: the value that each read returns, and that no two values share a cell at one time.

A value of a later sector must be written after the last read of the value of an earlier sector in its cell.  (A value that
ends before the other one is written would do no harm either.  No builder relies on that, so the checker refuses it.)

Times of a value, relative to cycle 0 of its sector::

    first             earliest cycle of its write; for input blocks, relative to the entry of an earlier sector
    last              cycle of the last read of its cell, plus its rest (``Program.rest``)

A bus brings one beat in each cycle.  A beat below ``fill_ahead`` may arrive when the previous sector is complete, which
is after the entry of the sector before that one.  Other beats arrive after the entry of the previous sector.
"""

from __future__ import annotations

from typing import NamedTuple

from modeloom.allocate.names import LaneName, UnitName
from modeloom.allocate.program import Bank, Program, Table
from modeloom.ir.check import CheckError

__all__ = ["check_storage"]

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
    rows = table.writes.get(bank.writer, [])
    cycles = [(row.stage * table.rows + slot, row) for slot, row in enumerate(rows) if row is not None]
    return [(row.cell[direction], cycle, 0, cycle) for cycle, row in cycles if direction in row.cell]


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
        if name != bank.name:
            continue
        for slot, row in enumerate(rows):
            if row is None or direction not in row.cell:
                continue
            cell, read = row.cell[direction], row.stage * table.rows + slot - 1
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
