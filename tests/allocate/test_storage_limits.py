# SPDX-License-Identifier: Apache-2.0
"""The storage checker at its limits: what is legal by one cycle, and illegal by one cycle less, of every bound that it has.

Cycles are those of a sector.  Its tweak block j is written at the end of cycle j - 5, and its blocks are in their banks at the end of
cycle -3 at the latest.  The earliest beat of a later sector comes 2 cycles before cycle 0 of the sector that its own one follows.
"""

import pytest
from tests.kinds import kind, unit

from modeloom.allocate.check import check_storage
from modeloom.allocate.program import Bank, LaneName, PortRow, Program, Table, UnitInstance, WriteRow
from modeloom.ir.check import CheckError

BOTH = ("encrypt", "decrypt")
UNIT = UnitInstance(unit("acc"), 0, 1, (kind("acc"),))


def port(rows, reads):
    """A read port: (cycle, cell, directions) of each read."""
    column = [None] * rows
    for cycle, cell, directions in reads:
        column[(cycle + 1) % rows] = PortRow((cycle + 1) // rows, dict.fromkeys(directions, cell))
    return column


def program(writer, cells, table, *, blocks=1, lanes=1, tweak_blocks=0, rest=0, setup=None):
    tables = {"main": table, "setup": setup or Table("setup", ("setup",), 1, 1)}
    bank = Bank("bank", writer, cells, 8)
    return Program(
        "test", 16, 16 * blocks, 16 * tweak_blocks, lanes, table.directions, [UNIT], {"bank": bank}, {}, [], tables, [], 0, 4, rest=rest
    )  # fmt: skip


def refused(made):
    """The message of the checker, or "" if the program is legal."""
    try:
        check_storage(made)
    except CheckError as error:
        return str(error)
    return ""


# -- tweaks ---------------------------------------------------------------------------------------------------------------


def tweaks(rows, cells, reads, count=1, places=None):
    table = Table("main", ("encrypt",), rows, 9, tweaks=places or dict(enumerate(range(count))))
    for number, (cycle, cell) in enumerate(reads):
        table.ports["bank", number] = port(rows, [(cycle, cell, ("encrypt",))])
    return program("tweak", cells, table, tweak_blocks=count)


@pytest.mark.parametrize("block", range(4, 9))
def test_a_tweak_is_read_after_its_write(block):
    """Long tweaks are not built; the checker knows when each of their blocks would be there."""
    for cycle in range(-1, block):
        legal = cycle > block - 5
        assert (not refused(tweaks(32, 20, [(cycle, block)], count=9))) == legal, cycle


@pytest.mark.parametrize("rows", (4, 9))
@pytest.mark.parametrize("cells", (1, 2, 3))
@pytest.mark.parametrize("block", (0, 1))
def test_a_tweak_is_read_before_the_next_one_comes(rows, cells, block):
    """The sector that is ``cells`` later writes the cell at the end of cycle block - 5 of its own."""
    if cells == 1 and block:
        return
    last = block - 5 + cells * rows
    places = {0: 0, 1: 0} if cells == 1 else {0: 0, 1: 1}
    reads = [(last, places[block])]
    count = block + 1
    if cells > 1 and block:
        # Block 0 of a later sector reaches the cell earlier than block 1 of the one after it.
        last = min(last, -5 + (cells + 1) * rows, -5 + rows)
        reads = [(last, 1)]
    if last > -5 + block:
        assert not refused(tweaks(rows, cells, reads, count, places)), last
        later = [(cycle + 1, cell) for cycle, cell in reads]
        assert "is overwritten" in refused(tweaks(rows, cells, later, count, places)), last


def test_a_cell_for_each_block():
    assert not refused(tweaks(8, 2, [], count=2, places={0: 0, 1: 1}))
    assert "no cell for block 1" in refused(tweaks(8, 2, [], count=2, places={0: 0, 1: 2}))
    assert "no cell for block 1" in refused(tweaks(8, 2, [], count=2, places={0: 0, 1: -1}))
    assert "no cell for block 1" in refused(tweaks(8, 2, [], count=2, places={0: 0}))


# -- blocks from the bus --------------------------------------------------------------------------------------------------


def lanes_program(rows, cells, blocks, lanes, reads, lane=0, directions=("encrypt",)):
    mine = range(lane, blocks, lanes)
    table = Table("main", directions, rows, 9, inputs={block: 2 * number for number, block in enumerate(mine)})
    for number, (cycle, cell, where) in enumerate(reads):
        table.ports["bank", number] = port(rows, [(cycle, cell, where)])
    return program(LaneName(lane), cells, table, blocks=blocks, lanes=lanes)


def earliest(beat, beats):
    """(first cycle in which a beat is written, which entry it counts from): the cycles of the docstring above, written again."""
    return (-2 + max(0, beats - 4) + beat, 2) if beat < 4 else (-2 + beat - 4, 1)


@pytest.mark.parametrize("lanes", (1, 2, 4))
@pytest.mark.parametrize("blocks", (1, 3, 6, 7, 13))
@pytest.mark.parametrize("lane", (0, 1))
def test_a_block_is_read_before_a_later_one_comes(lanes, blocks, lane):
    """One block is read as late as it may be, with every number of cells."""
    mine = list(range(lane, blocks, lanes))
    if not mine or lane >= lanes:
        return
    beats = -(-blocks // lanes)
    rows = beats + 1
    for cells in range(2 * len(mine), 6 * len(mine) + 4):
        for number in range(len(mine)):
            # Blocks stand in cells 0, 2, 4, ..: a later one of block u, d sectors on, is in this cell if 2 u + d = 2 number.
            limit = min(
                (first + (d - back) * rows if d >= back else -99)
                for u in range(len(mine))
                for d in [(2 * number - 2 * u) % cells or cells]
                for first, back in [earliest(mine[u] // lanes, beats)]
            )
            cell = 2 * number
            if limit > -1:
                assert not refused(lanes_program(rows, cells, blocks, lanes, [(limit, cell, ("encrypt",))], lane))
            if limit + 1 >= -1 and limit > -90:
                assert "is overwritten" in refused(lanes_program(rows, cells, blocks, lanes, [(limit + 1, cell, ("encrypt",))], lane))
            elif limit < -90:
                assert "is overwritten" in refused(lanes_program(rows, cells, blocks, lanes, [(0, cell, ("encrypt",))], lane))


def test_input_cells_hold_one_block_each():
    """Two blocks of a sector in one cell: a read would mean either."""
    table = Table("main", ("encrypt",), 8, 9, inputs={0: 3, 1: 3})
    table.ports["bank", 0] = port(8, [(0, 3, ("encrypt",))])
    assert "or two are" in refused(program(LaneName(0), 9, table, blocks=2))


def test_inputs_need_no_rest():
    """Only what a unit writes can be written while it is read."""
    table = Table("main", ("encrypt",), 8, 9, inputs={0: 0})
    table.ports["bank", 0] = port(8, [(-1, 0, ("encrypt",))])
    assert not refused(program(LaneName(0), 4, table, rest=1))


# -- results, by direction ------------------------------------------------------------------------------------------------


def results(rows, cells, writes, reads, *, rest=0, name="main", directions=BOTH):
    table = Table(name, directions, rows, 9)
    table.writes[UNIT.name] = [None] * rows
    for cycle, where in writes:
        table.writes[UNIT.name][cycle % rows] = WriteRow(cycle // rows, where)
    for number, (cycle, cell, those) in enumerate(reads):
        table.ports["bank", number] = port(rows, [(cycle, cell, those)])
    if name == "main":
        return program(UNIT.name, cells, table, rest=rest)
    return program(UNIT.name, cells, Table("main", ("encrypt",), 4, 1), rest=rest, setup=table)


def test_a_direction_reads_its_own_values():
    """What encryption writes is no value of decryption, nor is a read of the one a read of the other."""
    made = results(8, 4, [(2, {"encrypt": 1})], [(5, 1, ("decrypt",))])
    assert "no value of its sector" in refused(made)
    assert not refused(results(8, 4, [(2, {"encrypt": 1})], [(5, 1, ("encrypt",))]))
    # The late read is decryption's: it means the value that decryption wrote.
    writes = [(2, {"encrypt": 1}), (3, {"decrypt": 1})]
    assert not refused(results(8, 2, writes, [(9, 1, ("encrypt",))]))
    assert "is overwritten" in refused(results(8, 2, writes, [(9, 1, ("encrypt",)), (19, 1, ("decrypt",))]))


def test_set_up_reads_what_it_wrote():
    made = results(16, 2, [(2, {"setup": 1})], [(2, 1, ("setup",))], name="setup", directions=("setup",))
    assert "no value of its sector" in refused(made)
    assert not refused(results(16, 2, [(2, {"setup": 1})], [(3, 1, ("setup",))], name="setup", directions=("setup",)))


def test_the_rest_of_a_block_memory():
    """With a cycle of rest, a value is not read in the cycle of a write, and a cycle before the next write at the latest."""
    for rest in (0, 1):
        for cycle in range(4, 8):
            why = refused(results(16, 9, [(5, {"encrypt": 3})], [(cycle, 3, ("encrypt",))], rest=rest))
            assert (not why) == (cycle > 5), (rest, cycle)
            assert ("while it is written" in why) == (rest == 1 and cycle == 5)
        for late in (20, 21, 22):
            made = results(16, 1, [(5, {"encrypt": 0})], [(late, 0, ("encrypt",))], rest=rest)
            assert (not refused(made)) == (late + rest <= 21), (rest, late)


def test_a_value_that_nobody_reads_comes_before_later_ones():
    """A block that is written and not read must not be written over a later sector's value."""
    for gap in (15, 17):
        # Cell 1 of a sector and cell 0 of the next one are one; the unread value comes in cycle 2 + gap.
        made = results(16, 4, [(2, {"encrypt": 0}), (2 + gap, {"encrypt": 1})], [(4, 0, ("encrypt",))])
        assert ("the value of cell 1 is overwritten by that of cell 0 of a sector 1 after it" in refused(made)) == (gap > 16), gap


def test_the_bus_brings_as_many_beats_ahead_as_the_contract_says():
    table = Table("main", ("encrypt",), 8, 9, inputs={0: 0})
    made = program(LaneName(0), 4, table)
    assert not refused(made)
    made.fill_ahead = 3
    assert "beats ahead of their sector, not 3" in refused(made)
