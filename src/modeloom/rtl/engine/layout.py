# SPDX-License-Identifier: Apache-2.0
"""Turns the rows of a program into the fields of the control store.

Every row belongs to a stage and has a variant for each direction::

    NAME.stage        which stage the row belongs to
    NAME.valid        whether there is a row
    NAME.FIELD        its value for encryption (in set-up too)
    NAME.FIELD.dec    its value for decryption, a field of its own only in a core for both directions
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from modeloom.allocate.merge import CoreProgram
from modeloom.rtl.engine.control import Columns

__all__ = ["RowFields"]


class RowFields:
    """Fields of all rows of a program: the main tables, and the set-up tables behind them."""

    def __init__(self, program: CoreProgram):
        self.program = program
        self.tables = program.tables
        self.main_rows = sum(table.rows for table in program.mains)
        self.columns = Columns(sum(table.rows for table in self.tables))
        self.both = len(program.directions) > 1

    def _rows(self, what: str, key: Any) -> list[tuple[Any, tuple[str, ...]]]:
        rows: list[tuple[Any, tuple[str, ...]]] = []
        for table in self.tables:
            column = getattr(table, what).get(key) or [None] * table.rows
            rows.extend((row, table.directions) for row in column)
        return rows

    def add(self, name: str, what: str, key: Any, fields: dict[str, Callable[[Any, str], int]], table: str | None = None) -> None:
        """Fields of one list of rows.

        Parameters
        ----------
        what, key
            The list: an attribute of ``Table`` and the key in it.
        fields : dict
            For each field, its number for a row and a direction (0 where the row has nothing for the direction).
        table : str or None
            Only the rows of the tables of this name count.
        """
        rows = self._rows(what, key)
        if table is not None:
            keep = range(self.main_rows) if table == "main" else range(self.main_rows, len(rows))
            rows = [row if i in keep else (None, row[1]) for i, row in enumerate(rows)]
        self.columns.add(f"{name}.stage", [row.stage if row else 0 for row, _ in rows])
        self.columns.add(f"{name}.valid", [int(row is not None) for row, _ in rows], 1)
        for field, number in fields.items():
            sides = {"": 0, ".dec": 1} if self.both else {"": 0}
            values = {
                side: [number(row, dirs[min(i, len(dirs) - 1)]) if row else 0 for row, dirs in rows] for side, i in sides.items()
            }
            width = max(1, max(max(v) for v in values.values()).bit_length())
            for side, v in values.items():
                self.columns.add(f"{name}.{field}{side}", v, width)
