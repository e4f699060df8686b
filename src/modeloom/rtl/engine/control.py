# SPDX-License-Identifier: Apache-2.0
"""The control store: the rows of all tables as one memory with registered output.

Columns of bits that are the same in all rows are stored once, and constant ones not at all; a field is a choice of columns::

    row ──▶ ROM (rows x distinct columns) ──register──▶ field a = {c3, c1}, field b = {c1, 0, c0}
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import C, Cat, Module, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Columns", "ControlStore"]


class Columns:
    """Collects fields, each a number for every row.

    Parameters
    ----------
    rows : int
        Rows of all tables together.
    """

    def __init__(self, rows: int):
        self.rows = rows
        self.columns: list[tuple[int, ...]] = []
        self.index: dict[tuple[int, ...], int] = {}
        self.fields: dict[str, list[int | None]] = {}

    def add(self, name: str, values: Sequence[int], width: int | None = None) -> None:
        """A field of ``width`` bits (default: as many as its largest value needs).

        Raises ``ValueError`` if the field exists or the rows are not as many as the store's.
        """
        if name in self.fields or len(values) != self.rows:
            raise ValueError(f"field {name}: new, with {self.rows} rows")
        bits = max(values, default=0).bit_length() if width is None else width
        self.fields[name] = [self._column(tuple(v >> i & 1 for v in values)) for i in range(bits)]

    def _column(self, column: tuple[int, ...]) -> int | None:
        """Number of a column; None for zeros, -1 for ones."""
        if not any(column):
            return None
        if all(column):
            return -1
        if column not in self.index:
            self.index[column] = len(self.columns)
            self.columns.append(column)
        return self.index[column]

    def words(self) -> list[int]:
        """The memory's contents, a word for each row."""
        return [sum(column[row] << i for i, column in enumerate(self.columns)) for row in range(self.rows)]


class ControlStore(wiring.Component):
    """A ROM with a registered output: ``data`` is the row of the cycle before.

    Members
    -------
    row : In
        Row to read.
    data : Out
        Its distinct columns.
    """

    def __init__(self, columns: Columns):
        self.columns = columns
        self.width = max(1, len(columns.columns))
        super().__init__({"row": In(range(max(2, columns.rows))), "data": Out(self.width)})

    def field(self, name: str) -> Value:
        """A field of ``data``; one bit of zero if it is empty."""
        bits = [C(0, 1) if i is None else C(1, 1) if i < 0 else self.data[i] for i in self.columns.fields[name]]
        return Cat(*bits) if bits else C(0, 1)

    def elaborate(self, platform):
        m = Module()
        # Few rows and many columns: logic is smaller than a block memory, and faster.
        m.submodules.rom = rom = memory.Memory(
            shape=self.width, depth=max(2, self.columns.rows), init=self.columns.words(), attrs={"rom_style": "logic"}
        )
        port = rom.read_port()
        m.d.comb += [port.addr.eq(self.row), port.en.eq(1), self.data.eq(port.data)]
        return m


def pipe(m: Module, value: Value, stages: int, name: str, *, reset_less: bool = True) -> Value:
    """The value ``stages`` cycles later."""
    for i in range(stages):
        reg = Signal(value.shape(), name=f"{name}_{i}_reg", reset_less=reset_less)
        m.d.sync += reg.eq(value)
        value = reg
    return value
