# SPDX-License-Identifier: Apache-2.0
"""The control store: the rows of all tables in one memory with a registered output.

Columns with the same bits in all rows are stored once, and constant columns are not stored at all.  A field is a choice of
columns::

    row ──▶ ROM (rows x distinct columns) ──register──▶ field a = {c3, c1}, field b = {c1, 0, c0}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.engine.sequencer import Sequencer

__all__ = ["Columns", "ControlStore", "RowReader"]


class Columns:
    """Collects the fields of the control store.  A field has a number for every row.

    Parameters
    ----------
    rows : int
        Number of rows of all tables together.
    """

    def __init__(self, rows: int):
        self.rows = rows
        self.columns: list[tuple[int, ...]] = []
        self.index: dict[tuple[int, ...], int] = {}
        self.fields: dict[str, list[int | None]] = {}

    def add(self, name: str, values: Sequence[int], width: int | None = None) -> None:
        """Adds a field of ``width`` bits.  By default it has as many bits as its largest value needs.

        Raises
        ------
        ValueError
            If there is a field of this name, or the number of values is not the number of rows.
        """
        if name in self.fields or len(values) != self.rows:
            raise ValueError(f"field {name}: new, with {self.rows} rows")
        bits = max(values, default=0).bit_length() if width is None else width
        self.fields[name] = [self._column(tuple(v >> i & 1 for v in values)) for i in range(bits)]

    def _column(self, column: tuple[int, ...]) -> int | None:
        """The number of a column.  It is None for a column of zeros, and -1 for a column of ones."""
        if not any(column):
            return None
        if all(column):
            return -1
        if column not in self.index:
            self.index[column] = len(self.columns)
            self.columns.append(column)
        return self.index[column]

    def words(self) -> list[int]:
        """The contents of the memory: a word for each row."""
        return [sum(column[row] << i for i, column in enumerate(self.columns)) for row in range(self.rows)]


class ControlStore(wiring.Component):
    """A ROM with a registered output.  Its latency is one cycle.

    Parameters
    ----------
    columns : Columns
        The fields of the store.

    Members
    -------
    row : In(range(rows))
        The row to read.
    data : Out(number of distinct columns)
        The distinct columns of the row that was asked for one cycle ago.
    """

    def __init__(self, columns: Columns):
        self.columns = columns
        self.width = max(1, len(columns.columns))
        super().__init__({"row": In(range(max(2, columns.rows))), "data": Out(self.width)})

    def field(self, name: str) -> Value:
        """A field of ``data``.  A field without bits is one bit that is zero."""
        bits = [C(0, 1) if i is None else C(1, 1) if i < 0 else self.data[i] for i in self.columns.fields[name]]
        return Cat(*bits) if bits else C(0, 1)

    def elaborate(self, platform):
        m = Module()
        # There are few rows and many columns, so logic is smaller and faster than a block memory.
        m.submodules.rom = rom = memory.Memory(
            shape=self.width, depth=max(2, self.columns.rows), init=self.columns.words(), attrs={"rom_style": "logic"}
        )
        port = rom.read_port()
        m.d.comb += [port.addr.eq(self.row), port.en.eq(1), self.data.eq(port.data)]
        return m


def pipe(m: Module, value: Value, stages: int, name: str, *, reset_less: bool = True) -> Value:
    """The value as it was ``stages`` cycles ago.  The registers in between are called ``name_0_reg`` and so on."""
    for i in range(stages):
        reg = Signal(value.shape(), name=f"{name}_{i}_reg", reset_less=reset_less)
        m.d.sync += reg.eq(value)
        value = reg
    return value


# -- rows --------------------------------------------------------------------------------------------------------------------------

# Reads the fields of rows from the control store, and delays them until they are needed.

class RowReader:
    """Reads fields of the row that the sequencer points at.

    Parameters
    ----------
    m : Module
        The module that the registers are added to.
    seq : Sequencer
        Gives the state of each stage.
    store : ControlStore
        Holds the rows.
    """

    def __init__(self, m: Module, seq: Sequencer, store: ControlStore):
        self.m, self.seq, self.store = m, seq, store

    def has(self, field: str) -> bool:
        """Whether the control store has a field."""
        return field in self.store.columns.fields

    def read(self, name: str, fields: Sequence[str], states: Mapping[str, Array] | None = None) -> dict[str, Value]:
        """The fields of a row, two cycles after the row pointer.

        Parameters
        ----------
        name : str
            The name of the row in the control store.
        fields : sequence of str
            The fields to read.  They come in their variant for the direction of the sector.
        states : mapping or None
            Arrays with a state for each stage.  The state of the stage that the row belongs to is returned under the name of the
            array.

        Returns
        -------
        dict
            The fields and states by their names, and "valid": there is a row, and a sector in its stage.
        """
        m, seq, store = self.m, self.seq, self.store
        stage = store.field(f"{name}.stage")
        result: dict[str, Value] = {}
        valid = seq.of_stage(seq.stage_valid, stage) & store.field(f"{name}.valid")
        result["valid"] = self._late(valid, f"{name}.valid", reset_less=False)
        if any(self.has(f"{name}.{field}.dec") for field in fields):
            decrypts = Signal(name=f"row_{name}_decrypts")
            m.d.comb += decrypts.eq(seq.of_stage(seq.stage_decrypt, stage))
        for field in fields:
            value = store.field(f"{name}.{field}")
            if self.has(f"{name}.{field}.dec"):
                value = Mux(decrypts, store.field(f"{name}.{field}.dec"), value)
            result[field] = self._late(value, f"{name}.{field}")
        for state, array in (states or {}).items():
            result[state] = self._late(seq.of_stage(array, stage), f"{name}.{state}")
        return result

    def batch(self, unit: str) -> Value:
        """Whether a batch of a unit begins, two cycles after the row pointer: a sector in some stage has an operation in it."""
        m, seq, store = self.m, self.seq, self.store
        stages: Value = store.field(f"{unit}.batch")
        if self.has(f"{unit}.batch.dec"):
            dec = store.field(f"{unit}.batch.dec")
            stages = Cat(Mux(decrypt, dec[q], stages[q]) for q, decrypt in enumerate(seq.stage_decrypt))
        begins = Signal(name=f"{unit}_batch_begins")
        m.d.comb += begins.eq((stages & Cat(*seq.stage_valid)).any())
        late = Signal(name=f"{unit}_batch_reg")
        m.d.sync += late.eq(begins)
        return late

    def _late(self, value: Value, name: str, *, reset_less: bool = True) -> Value:
        """The value of a cycle ago."""
        reg = Signal(len(value), name=f"row_{name.replace('.', '_')}_reg", reset_less=reset_less)
        self.m.d.sync += reg.eq(value)
        return reg
