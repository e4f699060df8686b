# SPDX-License-Identifier: Apache-2.0
"""The storage checker against plain simulation of one bank, on random programs of a few values."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kinds import kind as named
from tests.kinds import unit

from modeloom.allocate.check import check_storage
from modeloom.allocate.program import Bank, LaneName, PortRow, Program, Table, UnitInstance, WriteRow
from modeloom.ir.check import CheckError

D = "encrypt"
UNIT = UnitInstance(unit("acc"), 0, 1, (named("acc"),))


def accepted(program):
    try:
        check_storage(program)
    except CheckError:
        return False
    return True


def program(rows, cells, table, *, writer=UNIT.name, nbytes=16, lanes=1, rest=0):
    bank = Bank("bank", writer, cells, 8)
    tables = {"main": table, "setup": Table("setup", ("setup",), 1, 1)}
    return Program("test", 16, nbytes, 0, lanes, (D,), [UNIT], {"bank": bank}, {}, [], tables, [], 0, 4, rest=rest)


@st.composite
def results(draw):
    """(rows, cells, [(cell, write, last)], rest): values of a unit, one write a slot."""
    rows = draw(st.integers(2, 6))
    slots = draw(st.lists(st.integers(0, rows - 1), min_size=1, max_size=4, unique=True))
    cells = draw(st.integers(1, 6))
    values = []
    for slot in slots:
        write = slot + rows * draw(st.integers(0, 2))
        values.append((draw(st.integers(0, cells - 1)), write, write + draw(st.integers(1, 2 * rows))))
    return rows, cells, values, draw(st.integers(0, 1))


def bank_program(rows, cells, values, rest=0):
    table = Table("main", (D,), rows, 9)
    table.writes[UNIT.name] = [None] * rows
    for n, (cell, write, last) in enumerate(values):
        table.writes[UNIT.name][write % rows] = WriteRow(write // rows, {D: cell})
        table.ports["bank", n] = [None] * rows
        table.ports["bank", n][(last + 1) % rows] = PortRow((last + 1) // rows, {D: cell})
    return program(rows, cells, table, rest=rest)


def reads_go_wrong(cells, values, entries, rest):
    """Whether a sector reads what it did not write last; a read sees what earlier cycles wrote, or with ``rest`` nothing if its cell
    is written."""
    writes, reads = [], []
    for s, entry in enumerate(entries):
        for n, (cell, write, last) in enumerate(values):
            writes.append((entry + write, (cell + s) % cells, (s, n)))
            mine = [(w, m) for m, (c, w, _) in enumerate(values) if c == cell and w < last]
            reads.append((entry + last, (cell + s) % cells, (s, max(mine)[1])))
    for cycle, place, wanted in reads:
        before = [(when, value) for when, at, value in writes if at == place and when < cycle]
        if max(before)[1] != wanted or (rest and any(at == place and when == cycle for when, at, _ in writes)):
            return True
    return False


@settings(max_examples=300, deadline=None)
@given(bank=results(), gaps=st.lists(st.sampled_from([1, 1, 1, 2, 3, 5]), min_size=14, max_size=14))
def test_results(bank, gaps):
    rows, cells, values, rest = bank
    steady = [n * rows for n in range(3 * cells + 8)]
    if accepted(bank_program(rows, cells, values, rest)):
        assert not reads_go_wrong(cells, values, steady, rest)
        entries = [0]
        for gap in gaps:
            entries.append(entries[-1] + gap * rows)
        assert not reads_go_wrong(cells, values, entries, rest)


@settings(max_examples=100, deadline=None)
@given(bank=results())
def test_values_that_follow_one_another_in_time_are_accepted(bank):
    """Refused is only what goes wrong, or what is right because a later sector's value comes first."""
    rows, cells, values, rest = bank
    if accepted(bank_program(rows, cells, values, rest)):
        return
    steady = [n * rows for n in range(3 * cells + 8)]
    overtaken = any(
        u[1] + d * rows < v[2] + rest
        for v in values
        for u in values
        for d in range(1, 9 * rows)
        if (v[0] - u[0] - d) % cells == 0
    )
    assert reads_go_wrong(cells, values, steady, rest) or overtaken


def input_program(rows, cells, places, lasts):
    beats = len(places)
    table = Table("main", (D,), rows, 9, inputs=dict(enumerate(places)))
    for i, last in enumerate(lasts):
        if last is not None:
            table.ports["bank", i] = [None] * rows
            table.ports["bank", i][(last + 1) % rows] = PortRow((last + 1) // rows, {D: places[i]})
    return program(rows, cells, table, writer=LaneName(0), nbytes=16 * beats)


@st.composite
def inputs(draw):
    """Blocks of a sector in cells of their own, read between cycle 0 and some turns later."""
    beats = draw(st.integers(1, 7))
    rows = beats + draw(st.integers(0, 4))
    cells = draw(st.integers(beats, 4 * beats + 3))
    places = draw(st.permutations(range(cells)))[:beats]
    lasts = [draw(st.none() | st.integers(-1, 2 * rows - 2)) for _ in range(beats)]
    waits = draw(st.lists(st.sampled_from([0, 0, 0, 1, 3]), min_size=12, max_size=12))
    return rows, cells, places, lasts, waits


@settings(max_examples=300, deadline=None)
@given(bank=inputs())
def test_inputs_that_come_as_early_as_the_bus_can_bring_them(bank):
    rows, cells, places, lasts, waits = bank
    if not accepted(input_program(rows, cells, places, lasts)):
        return
    entries = [100]
    for wait in waits:
        entries.append(entries[-1] + rows * (1 + wait))
    memory = {}
    events = []
    taken = [0, 0] + [entry - 4 for entry in entries]
    now = 0
    for s, entry in enumerate(entries):
        for beat, cell in enumerate(places):
            now = max(now, taken[s] if beat < 4 else taken[s + 1]) + 1
            events.append((now + 2, 1, (cell + s) % cells, (s, beat)))
            assert now + 2 <= entry - 2
        for beat, last in enumerate(lasts):
            if last is not None:
                events.append((entry + last, 0, (places[beat] + s) % cells, (s, beat)))
    for _, kind, place, value in sorted(events):
        if kind:
            memory[place] = value
        else:
            assert memory[place] == value


def test_enough_cells_are_accepted():
    """The checker does not refuse everything: with plenty of cells any bank is legal."""
    for rows in (4, 9):
        places = list(range(4))
        assert accepted(input_program(rows, 60, [p * 15 for p in places], [rows + 3] * 4))
        assert not accepted(input_program(rows, 4, places, [rows + 3] * 4))
        values = [(15 * n, n, n + 2 * rows) for n in range(4)]
        assert accepted(bank_program(rows, 60, values))
        assert not accepted(bank_program(rows, 1, values))


def test_a_read_in_the_cycle_of_its_write_finds_nothing():
    """A result is in its bank from the end of the cycle of its write on."""
    for last, legal in ((5, False), (6, True)):
        made = bank_program(4, 9, [(3, 5, last)])
        assert accepted(made) == legal, last


def test_a_read_means_the_value_before_it():
    """Of two values of a sector in one cell that one which stands there."""
    for read, until in ((8, 16), (5, 16)):
        table = Table("main", (D,), 16, 2)
        table.writes[UNIT.name] = [None] * 16
        for slot in (2, 6):
            table.writes[UNIT.name][slot] = WriteRow(0, {D: 0})
        for port, cycle in enumerate((5, read)):
            table.ports["bank", port] = [None] * 16
            table.ports["bank", port][cycle + 1] = PortRow(0, {D: 0})
        assert accepted(program(until, 1, table)), read
