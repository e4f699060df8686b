# SPDX-License-Identifier: Apache-2.0
"""The sequencer knows which row runs, and which sector each stage holds.

The row pointer goes round the main table while a sector is in flight.  In every cycle at row 0 the stages shift, and a waiting
sector may enter stage 0.  Stage q holds the sector that entered q turns ago::

    row      … II-1 │ 0 │ 1 … II-1 │ 0 │ 1 …
    enter.ack       │ ▲ │          │ ▲ │           stage state changes with the store's output, one cycle behind the pointer

``ready_reg`` says a cycle ahead whether an entry would be granted, so that ``enter.ack`` is one gate.

The set-up table stands behind the main one and runs once, in stage 0, while no sector is in flight.  Then ``scrub`` overwrites the
banks of results, so that no intermediate value of a set-up outlives it.  After the erasure of a key only ``scrub`` happens.

A core for several sector sizes has a main table and a set-up table for each size.  A set-up runs all set-up tables, one after the
other.  The size changes only while nothing is in flight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.preparation import setup_signature
from modeloom.rtl.engine.interface import enter_signature, size_signature

__all__ = ["Columns", "ControlStore", "RowReader", "Sequencer"]


# -- sequencer -------------------------------------------------------------------------------------------------------------------------


def _name(cells: tuple[int, ...]) -> str:
    return "_".join(map(str, cells))


class Sequencer(wiring.Component):
    """Row pointer, stages and rotation counters.

    Parameters
    ----------
    rows, setup_rows : sequence of int
        Rows of the main table and of the set-up table, for each size.
    stages : int
        The most sectors that are in flight at a time.
    moduli : sequence of tuple of int
        For each bank, its number of cells for each size.  Each different tuple gets a counter.
    slots, ticket_bits : int
        Number of key slots, and the width of a ticket in bits.
    drain : int
        Cycles from a row to its last effect.
    scrub_words : int
        Words of the deepest bank of results.

    Members
    -------
    size : size_signature
    enter : enter_signature
    setup : setup_signature
        These three are ports of the engine.
    table_size : Out
        The size whose table runs.  In a set-up it is the size of the set-up table, otherwise ``size.number``.
    scrub, scrub_address : Out
        After a set-up, or instead of one (``setup.scrub``), this word of all banks of results is overwritten with zeros.

    Attributes
    ----------
    stage_valid, stage_decrypt, stage_slot, stage_ticket, stage_base
        The state of each stage, as arrays.  ``stage_base[R]`` counts sectors modulo R, where R is taken for the size that runs.
    next_base, ahead_base : dict
        The counter of the sector that enters next, and of the one after it.

    Raises
    ------
    ValueError
        If there are several sizes, and the table of one has a single row.
    """

    def __init__(
        self, rows: Sequence[int], setup_rows: Sequence[int], stages: int, moduli: Sequence[tuple[int, ...]], slots: int,
        ticket_bits: int, drain: int, scrub_words: int,
    ):  # fmt: skip
        self.rows, self.setup_rows = tuple(rows), tuple(setup_rows)
        self.stages, self.drain, self.scrub_words = stages, drain, scrub_words
        self.sizes = len(self.rows)
        if self.sizes > 1 and min(self.rows) < 2:
            raise ValueError("a core for several sizes needs an initiation interval of at least two cycles in each")
        self.moduli = tuple(sorted(set(moduli)))
        slot = range(max(2, slots))
        self.stage_valid = Array(Signal(name=f"stage{q}_valid") for q in range(stages))
        self.stage_decrypt = Array(Signal(name=f"stage{q}_decrypt") for q in range(stages))
        self.stage_slot = Array(Signal(slot, name=f"stage{q}_slot") for q in range(stages))
        self.stage_ticket = Array(Signal(ticket_bits, name=f"stage{q}_ticket") for q in range(stages))
        self.stage_base = {r: Array(Signal(range(max(2, *r)), name=f"stage{q}_base{_name(r)}") for q in range(stages)) for r in self.moduli}
        self.next_base = {r: Signal(range(max(2, *r)), name=f"next_base{_name(r)}") for r in self.moduli}
        self.ahead_base = {r: Signal(range(max(2, *r)), init=1 % r[0], name=f"ahead_base{_name(r)}") for r in self.moduli}
        super().__init__(
            {
                "row": Out(range(max(2, sum(self.rows) + sum(self.setup_rows)))),
                "size": In(size_signature(self.sizes)),
                "table_size": Out(range(max(2, self.sizes))),
                "enter": In(enter_signature(key_slots=slots, ticket_bits=ticket_bits)),
                "setup": In(setup_signature(slots)),
                "scrub": Out(1),
                "scrub_address": Out(range(max(2, scrub_words))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Makes what says that the engine rests, the grants of set-ups and entries, the row pointer, its flags, and the states of the
        stages.

        Each flag is computed a cycle ahead.  In set-up the pointer runs once through the rows of each size, and waits until the last
        results are written; otherwise it turns around as long as a sector is in flight.
        """
        m = Module()
        starts = list(accumulate((*self.rows, *self.setup_rows), initial=0))
        main_starts, setup_starts = starts[: self.sizes], starts[self.sizes : -1]
        ends = starts[1:]
        several = self.sizes > 1
        number = Signal(range(max(2, self.sizes)), name="setup_number_reg")
        start = self.pick(main_starts)
        in_setup = Signal(name="in_setup_reg")
        # These flags of the pointer's row are computed a cycle ahead, so that no comparison and no carry delays what they decide.
        at_start = Signal(init=1, name="at_start_reg")
        at_end = Signal(init=int(self.rows == (1,)), name="at_end_reg")
        ready = Signal(name="ready_reg")
        rest = Signal(range(self.drain + 2), name="rest_reg")
        quiet = Signal(name="quiet_reg")
        busy = Signal()
        stays = Signal()
        stop = Signal()
        start_setup = Signal()
        at_last = Signal(name="at_last_reg")
        finished = Signal(name="finished_reg")
        scrub = Signal(name="scrub_reg")
        scrub_address = Signal.like(self.scrub_address, name="scrub_address_reg")
        wait = Signal(range(self.drain + 1), name="wait_reg")
        m.d.comb += [
            busy.eq(Cat(*self.stage_valid).any()),
            stays.eq(Cat(*list(self.stage_valid)[:-1]).any() if self.stages > 1 else 0),
            self.size.idle.eq(quiet),
            self.table_size.eq(Mux(in_setup, number, self.size.number) if several else 0),
            self.scrub.eq(scrub),
            self.scrub_address.eq(scrub_address),
            # The buses use the entry of a sector in the same cycle, so only two registers decide it.
            self.enter.ack.eq(self.enter.request & ready),
        ]
        with m.If(busy | in_setup | self.enter.ack | start_setup):
            m.d.sync += [rest.eq(self.drain + 1), quiet.eq(0)]
        with m.Elif(rest != 0):
            m.d.sync += [rest.eq(rest - 1), quiet.eq(rest == 1)]
        with m.Else():
            m.d.sync += quiet.eq(1)

        # A request for set-up starts nothing in a cycle in which an entry may be granted.
        asked = Signal(name="asked_reg")
        m.d.sync += asked.eq(self.setup.request & ~self.setup.done)
        m.d.comb += [
            start_setup.eq(asked & quiet & ~ready & ~in_setup & (~self.size.restart if several else 1)),
            self.setup.done.eq(finished),
        ]
        run = Signal()
        m.d.comb += [run.eq(self.enter.ack | stays), stop.eq(asked | in_setup)]
        if self.rows != (1,):
            m.d.sync += ready.eq(Mux(at_start, ~run, at_end) & ~stop)
        else:
            m.d.sync += ready.eq(~stop)

        with m.If(in_setup):
            # The store and the stage are a cycle behind the pointer, so the rows act from the second cycle on, and the last one
            # once.
            with m.If((self.row == self.pick(setup_starts, number)) & (wait == 0)):
                m.d.sync += self.stage_valid[0].eq(1)
            with m.If(wait == 1):
                m.d.sync += self.stage_valid[0].eq(0)
            with m.If(~at_last):
                m.d.sync += [self.row.eq(self.row + 1), at_last.eq(self.row == self.pick([end - 2 for end in ends[self.sizes :]], number))]
            with m.Elif(scrub):
                m.d.sync += scrub_address.eq(scrub_address + 1)
                with m.If(scrub_address == self.scrub_words - 1):
                    m.d.sync += [scrub.eq(0), scrub_address.eq(0), finished.eq(1)]
            with m.Elif(~finished):
                m.d.sync += [wait.eq(wait + 1), scrub.eq(wait == self.drain - 1)]
                if several:
                    with m.If((wait == self.drain - 1) & (number != self.sizes - 1)):
                        following = [*range(1, self.sizes), 0]
                        m.d.sync += [
                            scrub.eq(0), wait.eq(0), number.eq(number + 1),
                            self.row.eq(self.pick([setup_starts[i] for i in following], number)),
                            at_last.eq(self.pick([int(self.setup_rows[i] == 1) for i in following], number)),
                        ]  # fmt: skip
            with m.Else():
                m.d.sync += [wait.eq(0), finished.eq(0), at_last.eq(0), in_setup.eq(0), self.row.eq(start)]
                if several:
                    m.d.sync += number.eq(0)
        with m.Elif(start_setup):
            m.d.sync += [
                in_setup.eq(1), self.row.eq(setup_starts[0]), at_last.eq(self.setup_rows[0] == 1),
                self.stage_decrypt[0].eq(0), self.stage_slot[0].eq(self.setup.slot),
            ]  # fmt: skip
            with m.If(self.setup.scrub):
                m.d.sync += [at_last.eq(1), wait.eq(self.drain), scrub.eq(1)]
        with m.Elif(at_end):
            m.d.sync += self.row.eq(start)
        with m.Elif(~at_start | run):
            m.d.sync += self.row.eq(self.row + 1)

        # The stages shift in every cycle at row 0.  While nothing is in flight they are empty.
        if self.rows != (1,):
            with m.If(in_setup):
                pass
            with m.Elif(at_start):
                m.d.sync += [at_start.eq(~run), at_end.eq(run & self.pick([int(rows == 2) for rows in self.rows]))]
            with m.Else():
                m.d.sync += [at_start.eq(at_end), at_end.eq(~at_end & (self.row == self.pick([end - 2 for end in ends[: self.sizes]])))]
        self._shift(m, at_start & ~in_setup, start_setup)
        if several:
            with m.If(self.size.restart & ~in_setup):
                m.d.sync += self.row.eq(start)
        return m

    def _shift(self, m: Module, shifts: Value, start_setup: Value) -> None:
        """Shifts the states of the stages, takes in those of the sector that enters, and counts the bases of rotating banks."""
        several = self.sizes > 1
        with m.If(shifts):
            m.d.sync += self.stage_valid[0].eq(self.enter.ack)
            with m.If(~start_setup):
                m.d.sync += [self.stage_decrypt[0].eq(self.enter.decrypt), self.stage_slot[0].eq(self.enter.slot)]
            m.d.sync += self.stage_ticket[0].eq(self.enter.ticket)
            # A set-up counts cells for its own size, and begins at 0.
            for r in self.moduli:
                base = Mux(start_setup, 0, self.next_base[r]) if several else self.next_base[r]
                m.d.sync += self.stage_base[r][0].eq(base)
            for q in range(1, self.stages):
                pairs: list[Array] = [self.stage_valid, self.stage_decrypt, self.stage_slot, self.stage_ticket]
                m.d.sync += [state[q].eq(state[q - 1]) for state in (*pairs, *self.stage_base.values())]
        for r in self.moduli:
            ahead = self.ahead_base[r]
            with m.If(self.enter.ack):
                m.d.sync += [self.next_base[r].eq(ahead), ahead.eq(Mux(ahead == self.pick([cells - 1 for cells in r]), 0, ahead + 1))]
            if several:
                with m.If(self.size.restart):
                    m.d.sync += [self.next_base[r].eq(0), ahead.eq(self.pick([1 % cells for cells in r]))]

    def pick(self, values: Sequence[int], by: Value | None = None) -> Value:
        """The value for the size ``by``, or for the size that runs."""
        if len(set(values)) == 1:
            return C(values[0], max(1, values[0].bit_length()))
        return Array(C(value, max(1, max(values).bit_length())) for value in values)[self.size.number if by is None else by]

    def of_stage(self, states: Array, stage: Value) -> Value:
        """The state of the stage that a field names."""
        return states[stage] if self.stages > 1 else states[0]


# -- control ---------------------------------------------------------------------------------------------------------------------------

# The control store: the rows of all tables in one memory with a registered output.
#
# Columns with the same bits in all rows are stored once, and constant columns are not stored at all.  A field is a choice of
# columns::
#
#     row ──▶ ROM (rows x distinct columns) ──register──▶ field a = {c3, c1}, field b = {c1, 0, c0}


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
