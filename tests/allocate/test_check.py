# SPDX-License-Identifier: Apache-2.0
"""The checker of programs accepts what the builder makes, and refuses each planted fault with a line that names it."""

from dataclasses import replace

import pytest
from tests.allocate.made import delays, made
from tests.prove.mutate import copy_program

from modeloom.allocate.check import CheckError, check_program
from modeloom.allocate.program import ChainRegister, Source
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.heh import HEH, HEHPermuted
from modeloom.modes.xts import XTS


@pytest.mark.parametrize("mode", [HCTR2, HEH, HEHPermuted])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sector": 32},
        {"sector": 1024, "terms": 3},
        {"overlap": False},
        {"cipher_cores": 2},
        {"cipher_cores": 4, "lanes": 2},
        {"direction": "encrypt"},
        {"direction": "decrypt"},
        {"preset_name": "brw2013-1core"},
        {"preset_name": "brw2013-2core"},
    ],
    ids=str,
)
def test_what_the_builder_makes_is_legal(mode, options):
    compiled = made(mode, **options)
    check_program(compiled.allocation.program, **delays(compiled))


@pytest.mark.parametrize("options", [{"sector": 40, "tweak": 32}, {"sector": 520}, {"sector": 16}], ids=str)
def test_partial_sectors_and_long_tweaks(options):
    compiled = made(HCTR2, **options)
    check_program(compiled.allocation.program, **delays(compiled))


def row_of(program, what, table="main", pick=lambda key, row: True):
    columns = getattr(program.tables[table], what)
    for key, rows in sorted(columns.items(), key=str):
        for slot, row in enumerate(rows):
            if row is not None and pick(key, row):
                return rows, slot, row, key
    raise AssertionError("no such row")


def swap_row(program, what, change, **where):
    rows, slot, row, _ = row_of(program, what, **where)
    rows[slot] = change(row)


def side(row, field, value):
    values = dict(getattr(row, field))
    values["encrypt" if "encrypt" in values else "setup"] = value
    return replace(row, **{field: values})


def plant_stage(p):
    swap_row(p, "nets", lambda r: replace(r, stage=9))


def plant_long_column(p):
    p.main.nets["mul0.a"].append(None)


def plant_unit_twice(p):
    p.units.append(p.units[0])


def plant_slow_sum(p):
    p.units[0] = replace(p.units[0], latency=p.units[0].latency + 5)


def plant_no_core(p):
    p.units[0] = replace(p.units[0], cores=())


def plant_words(p):
    p.key_words[1] = p.key_words[0]


def plant_writer(p):
    p.banks["mul0"] = replace(p.banks["mul0"], writer="mul9")


def plant_two_writers(p):
    p.banks["in0"] = replace(p.banks["in0"], writer="mul0")


def plant_no_cells(p):
    p.banks["mul0"] = replace(p.banks["mul0"], cells=0)


def plant_chain(p):
    p.chains.append(ChainRegister(0, 0))
    p.chains.append(ChainRegister(0, 1))


def plant_place(p):
    p.nets["mul0.c"] = replace(p.nets["mul0.a"], name="mul0.c")


def plant_source(p):
    p.nets["mul0.a"] = replace(p.nets["mul0.a"], sources=[*p.nets["mul0.a"].sources, Source("bank", "mul0", 99)])


def plant_source_twice(p):
    sources = p.nets["mul0.a"].sources
    p.nets["mul0.a"] = replace(p.nets["mul0.a"], sources=[*sources, sources[0]])


def plant_direction(p):
    swap_row(p, "writes", lambda r: replace(r, cell={"sideways": 0}))


def plant_cell(p):
    swap_row(p, "writes", lambda r: side(r, "cell", 10**6))


def plant_block(p):
    swap_row(p, "outs", lambda r: side(r, "index", 32))


def plant_out_twice(p):
    swap_row(p, "outs", lambda r: side(r, "index", (r.index["encrypt"] + 1) % 32))


def plant_no_out(p):
    swap_row(p, "outs", lambda r: None)


def plant_core(p):
    swap_row(p, "nets", lambda r: side(r, "core", "div"), pick=lambda key, r: key == "mul0.a")


def plant_sum_core(p):
    swap_row(p, "nets", lambda r: side(r, "core", "dec"), pick=lambda key, r: key == "cipher0.post")


def plant_no_sum(p):
    swap_row(p, "nets", lambda r: None, pick=lambda key, r: key == "mul0.post")


def plant_no_operand(p):
    swap_row(p, "nets", lambda r: None, pick=lambda key, r: key == "mul0.b")


def plant_select(p):
    swap_row(p, "nets", lambda r: side(r, "select", (99,)))


def plant_no_port(p):
    swap_row(p, "ports", lambda r: None)


def plant_no_key(p):
    swap_row(p, "keys", lambda r: None)


def plant_early_write(p):
    for unit in (u for u in p.units if u.name in p.main.writes):
        rows, slot, row, _ = row_of(p, "writes", pick=lambda key, r, name=unit.name: key == name)
        issues = p.main.nets[f"{unit.name}.a"]
        free = next((i for i, r in enumerate(rows) if r is None and issues[(i - unit.latency) % len(rows)] is None), None)
        if free is not None:
            rows[slot], rows[free] = None, row
            return
    raise AssertionError("every unit is busy in every cycle")


def plant_output(p):
    for rows in p.main.nets.values():
        for slot, row in enumerate(rows):
            if row and "encrypt" in row.select:
                net = next(n for n, c in p.main.nets.items() if c is rows)
                p.nets[net] = replace(p.nets[net], sources=[*p.nets[net].sources, Source("y", "mul0", 40)])
                rows[slot] = side(row, "select", (*row.select["encrypt"], len(p.nets[net].sources) - 1))
                return


def plant_latency(p):
    p.main.latency += 1


def plant_table(p):
    p.tables["other"] = p.tables["setup"]


def plant_no_setup(p):
    del p.tables["setup"]


def plant_directions(p):
    p.tables["main"] = replace(p.main, directions=("encrypt",))


def plant_rotation(p):
    p.banks["in0"] = replace(p.banks["in0"], cells=p.banks["in0"].cells - 1)


def plant_input(p):
    p.main.inputs[3] = p.main.inputs[4]


def plant_no_input(p):
    del p.main.inputs[3]


def plant_tweak(p):
    p.main.tweaks[0] = 5


PLANTS = [
    (plant_stage, "there is no stage 9"),
    (plant_long_column, "rows of 3"),
    (plant_unit_twice, "two units have one name"),
    (plant_slow_sum, "cycles after issue"),
    (plant_no_core, "no core"),
    (plant_words, "key words are not different"),
    (plant_writer, "bank mul0 is written by mul9"),
    (plant_two_writers, "is written by"),
    (plant_no_cells, "has 0 cells"),
    (plant_chain, "chains have one number|no stride"),
    (plant_place, "no place for network mul0.c"),
    (plant_source, "source that does not exist"),
    (plant_source_twice, "has a source twice"),
    (plant_direction, "a direction that does not exist"),
    (plant_cell, "a number is not below"),
    (plant_block, "a number is not below 32"),
    (plant_out_twice, "does not give every block once"),
    (plant_no_out, "leave when its network gives none, or do not leave"),
    (plant_core, "starts a core 'div'"),
    (plant_sum_core, "and its sum do not belong together"),
    (plant_no_sum, "and its sum do not belong together"),
    (plant_no_operand, "operands issue in different cycles"),
    (plant_select, "selects a source twice, or one that does not exist"),
    (plant_no_port, "which reads nothing then"),
    (plant_no_key, "which reads nothing then|not written yet"),
    (plant_early_write, "has no result then|no value of its sector|overwritten"),
    (plant_output, "which has no result then"),
    (plant_latency, "the last block leaves in cycle"),
    (plant_table, "there is no table 'other'"),
    (plant_no_setup, "table is missing"),
    (plant_directions, "directions"),
    (plant_rotation, "overwritten|not below|no cell"),
    (plant_input, "or two are|overwritten"),
    (plant_no_input, "no cell for block 3"),
    (plant_tweak, "no cell for block 0|overwritten|no value"),
]


@pytest.mark.parametrize(("plant", "message"), PLANTS, ids=[plant.__name__ for plant, _ in PLANTS])
@pytest.mark.parametrize("mode", [HCTR2, HEH])
def test_planted_faults(mode, plant, message):
    compiled = made(mode)
    program = copy_program(compiled.allocation.program)
    plant(program)
    with pytest.raises(CheckError, match=message) as error:
        check_program(program, **delays(compiled))
    assert "\n" not in str(error.value) and str(error.value).startswith(compiled.mode.name)
    check_program(compiled.allocation.program, **delays(compiled))


@pytest.mark.parametrize("field", ["rows", "stages"])
def test_a_table_without_rows(field):
    """XTS has no set-up: nothing is missing in a table of no rows, which the sequencer cannot run."""
    compiled = made(XTS, sector=64)
    program = copy_program(compiled.allocation.program)
    check_program(program, **delays(compiled))
    program.tables["setup"] = replace(program.tables["setup"], **{field: 0})
    with pytest.raises(CheckError, match=rf"table setup: directions .*\b0 {field}"):
        check_program(program, **delays(compiled))


def test_chain_faults():
    compiled = made(HEH)
    program = compiled.allocation.program
    for change, message in (
        (lambda rows, load, step: rows.__setitem__(load, None), "is not loaded"),
        (
            lambda rows, load, step: rows.__setitem__(step, replace(rows[load], stage=rows[step].stage)),
            "not loaded once",
        ),
        (lambda rows, load, step: rows.__setitem__(step, replace(rows[step], action="hop")), "what is no action"),
        (lambda rows, load, step: rows.__setitem__(load, replace(rows[load], stage=rows[load].stage + 1)), "chain 0"),
    ):
        broken = copy_program(program)
        rows = broken.main.chains[0]
        load = next(i for i, r in enumerate(rows) if r and r.action == "load")
        step = next(i for i, r in enumerate(rows) if r and r.action == "step")
        change(rows, load, step)
        with pytest.raises(CheckError, match=message):
            check_program(broken, **delays(compiled))


def test_sums_without_registers_form_no_loop():
    compiled = made(HEH, "brw2013-2core")
    program = copy_program(compiled.allocation.program)
    program.nets["cipher0.post"].sources.append(Source("y", "cipher1", 0))
    check_program(program, **delays(compiled))
    program.nets["cipher1.post"].sources.append(Source("y", "cipher0", 0))
    with pytest.raises(CheckError, match="the sum behind cipher0 is part of a loop of sums without a register"):
        check_program(program, **delays(compiled))
    registered = made(HEH, cipher_cores=2)
    program = copy_program(registered.allocation.program)
    for n in (0, 1):
        program.nets[f"cipher{n}.post"].sources.append(Source("y", f"cipher{1 - n}", 0, 7))
    check_program(program, **delays(registered))


def test_two_key_words_do_not_leave_at_once():
    """The key memory has one write port, whatever the number of lanes."""
    compiled = made(HEH, cipher_cores=4, lanes=2)
    program = copy_program(compiled.allocation.program)
    table = program.tables["setup"]
    network, outs = table.nets["out0.a"], table.outs[0]
    first, second = (slot for slot, row in enumerate(outs) if row is not None and row.index["setup"] in (3, 4))
    read = first - delays(compiled)["out_delay"]
    sources = program.nets["out1.a"].sources
    program.nets["out1.a"] = replace(program.nets["out1.a"], sources=[*sources, Source("const")])
    select = (len(sources),)
    table.nets["out1.a"] = [None] * table.rows
    table.nets["out1.a"][read] = replace(network[read], select={"setup": select}, const={"setup": 1})
    table.outs[1] = [None] * table.rows
    table.outs[1][first] = outs[second]
    network[second - delays(compiled)["out_delay"]] = outs[second] = None
    table.latency = first
    with pytest.raises(CheckError, match=f"two key words leave in cycle {first}"):
        check_program(program, **delays(compiled))


@pytest.mark.parametrize(("table", "what"), [("main", "block"), ("setup", "key word")])
def test_each_block_and_word_leaves_once(table, what):
    compiled = made(HEH)
    program = copy_program(compiled.allocation.program)
    side = program.tables[table]
    direction = side.directions[0]
    rows = [(rows, slot) for rows in side.outs.values() for slot, row in enumerate(rows) if row and direction in row.index]
    first, *_, (column, slot) = sorted(rows, key=lambda entry: entry[0][entry[1]].index[direction])
    number = first[0][first[1]].index[direction]
    column[slot] = replace(column[slot], index={**column[slot].index, direction: number})
    with pytest.raises(CheckError, match=f"{direction} does not give every {what} once"):
        check_program(program, **delays(compiled))


def test_a_slow_core_is_not_started_too_often():
    compiled = made(HCTR2)
    program = copy_program(compiled.allocation.program)
    program.units[0] = replace(program.units[0], slow_core="enc", slow_interval=11)
    with pytest.raises(CheckError, match="core enc starts in slots"):
        check_program(program, **delays(compiled))
    program.units[0] = replace(program.units[0], slow_core=None, interval=2)
    with pytest.raises(CheckError, match="cipher0 starts in slots"):
        check_program(program, **delays(compiled))


def test_the_delays_of_outputs_and_key_words_count():
    compiled = made(HCTR2)
    program = compiled.allocation.program
    with pytest.raises(CheckError, match="lane 0"):
        check_program(program, **{**delays(compiled), "out_delay": 0})
    with pytest.raises(CheckError, match="not written yet"):
        check_program(program, **{**delays(compiled), "key_delay": 9})


def test_early_beats_of_the_bus_count():
    """Beats that come while the sector before waits are written far ahead: in other cells than blocks in use."""
    compiled = made(HEH, overlap=False)
    program = copy_program(compiled.allocation.program)
    with pytest.raises(CheckError, match="bank in0 .* overwritten"):
        check_program(replace(program, fill_ahead=30), **delays(compiled))
