# SPDX-License-Identifier: Apache-2.0
"""The second part of the proof: what it runs, and that it accepts what the compiler makes for every option set."""

from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from tests.kinds import kind
from tests.prove.mutate import copy_program

from modeloom.allocate.build import allocate, lifetimes
from modeloom.allocate.check import CheckError, check_program
from modeloom.compiler.compile import compile_mode
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.heh import HEH
from modeloom.options.sectors import Options
from modeloom.prove import ProofError
from modeloom.prove.execute import direction_pattern, entries_with_gaps, make_sectors, prove_program
from modeloom.schedule.modulo import schedule
from modeloom.schedule.problem import Problem


@cache
def made(mode, **options):
    return compile_mode(mode(), Options(**{"tweak": 16, "restarts": 0, **options}), prove=False)


def run(compiled, program=None, graph=None):
    units = compiled.units
    return prove_program(
        program or compiled.allocation.program, graph or compiled.graph, compiled.setup_graph,
        out_delay=units.unit("out").latency, key_delay=units.key_delay,
    )  # fmt: skip


@pytest.mark.parametrize("distance", [1, 2, 4, 7, 12])
def test_every_pair_of_directions_at_every_distance(distance):
    pattern = direction_pattern(("encrypt", "decrypt"), distance, 10)
    for d in range(1, distance + 1):
        assert len({(a, b) for a, b in zip(pattern, pattern[d:], strict=False)}) == 4
    assert pattern == direction_pattern(("encrypt", "decrypt"), distance, 10)
    assert direction_pattern(("encrypt",), distance, 10) == ["encrypt"] * 10


@pytest.mark.parametrize(("rows", "stages"), [(32, 4), (1, 20), (70, 1)])
def test_gaps_are_whole_turns_or_restarts(rows, stages):
    gaps = [b - a for a, b in pairwise(entries_with_gaps(40, rows, stages))]
    assert all(gap >= rows and (gap % rows == 0 or gap >= rows * stages) for gap in gaps)
    assert rows in gaps and any(gap > rows for gap in gaps)
    if rows > 1:
        assert any(gap % rows for gap in gaps)


@pytest.mark.parametrize("options", [{}, {"cipher_cores": 2}, {"overlap": False}, {"sector": 32}], ids=str)
@pytest.mark.parametrize("early", [True, False])
def test_the_bus_brings_one_beat_a_cycle(options, early):
    program = made(HEH, **options).allocation.program
    main = program.main
    entries = entries_with_gaps(12, main.rows, main.stages)
    sectors = make_sectors(
        program, ["encrypt"] * 12, entries, lambda n: early, lambda n, i: (n, i), lambda n, j: ("tweak", n, j), 5
    )
    beats = [
        sorted({(cycle, value[1] // program.lanes) for cycle, bank, _, value in s.writes if bank.startswith("in")})
        for s in sectors
    ]
    every = [cycle for beat in beats for cycle, _ in beat]
    assert all(a < b for a, b in pairwise(every)), "beats come one after another, sector after sector"
    for n, (sector, beat) in enumerate(zip(sectors, beats, strict=True)):
        assert [number for _, number in beat] == list(range(-(-program.blocks // program.lanes)))
        assert beat[-1][0] <= sector.entry - 3
        if not early:
            assert beat[-1][0] == sector.entry - 3
        for cycle, number in beat:
            before = n - (2 if number < program.fill_ahead else 1)
            if before >= 0:
                assert cycle > entries[before] - 6 + 3
        tweaks = [cycle for cycle, bank, _, _ in sector.writes if bank == "tweak"]
        assert tweaks == [sector.entry - 5]
        assert sector.number == n + 5


CASES = [
    (HCTR2, {}),
    (HEH, {}),
    (HCTR2, {"sector": 40, "tweak": 32}),
    (HCTR2, {"sector": 16}),
    (HCTR2, {"sector": 520}),
    (HEH, {"sector": 32}),
    (HEH, {"sector": 1024, "terms": 3}),
    (HCTR2, {"direction": "encrypt", "cipher_cores": 2}),
    (HEH, {"direction": "decrypt", "overlap": False}),
    (HEH, {"cipher_cores": 4, "registered": False}),
    (HCTR2, {"registered": False, "overlap": False, "cipher_stages": 1}),
    (HEH, {"cipher_cores": 2, "lanes": 1}),
]


@pytest.mark.parametrize(("mode", "options"), CASES, ids=str)
def test_what_the_compiler_makes_is_accepted(mode, options):
    compiled = made(mode, **options)
    executed = run(compiled)
    assert executed == run(compiled)
    most = max(bank.cells for bank in compiled.allocation.program.banks.values())
    if compiled.schedule.ii * most < 10_000:
        assert executed.sectors > most, "the run without gaps turns every bank once"
    assert executed.sectors > 2 * compiled.allocation.program.main.stages


@pytest.mark.parametrize("options", [{"sector": 512}, {"sector": 64}, {"sector": 512, "overlap": False}], ids=str)
def test_how_many_sectors_run(options):
    """Without gaps one for each cell of the largest bank, and one for each stage and one more; with gaps three for each stage and four
    more, and at least twelve."""
    compiled = made(HEH, direction="encrypt", **options)
    program = compiled.allocation.program
    cells, stages = max(bank.cells for bank in program.banks.values()), program.main.stages
    steady = cells + stages + 1
    assert run(compiled).sectors == steady + min(steady, max(12, 3 * stages + 4))


def test_another_graph_is_refused():
    """A program of one mode is not a program of another, and directions are not exchanged."""
    hctr2, heh = made(HCTR2), made(HEH)
    with pytest.raises(ProofError, match="heh-brw: block .* is not what the graph says"):
        run(heh, graph=replace(heh.graph, pairs=swapped(heh.graph.pairs)))
    with pytest.raises(ProofError, match="reads key word h, which is not written"):
        prove_program(hctr2.allocation.program, heh.graph, heh.setup_graph, out_delay=1, key_delay=3)


def swapped(pairs):
    names = {"encrypt": "decrypt", "decrypt": "encrypt"}
    return [replace(pair, ops={names[d]: op for d, op in pair.ops.items()}) for pair in pairs]


def test_a_block_that_never_leaves():
    compiled = made(HEH)
    program = copy_program(compiled.allocation.program)
    rows = program.main.outs[0]
    slot = next(i for i, row in enumerate(rows) if row and "decrypt" in row.index)
    number = rows[slot].index["decrypt"]
    rows[slot] = replace(rows[slot], index={"encrypt": rows[slot].index["encrypt"]})
    with pytest.raises(ProofError, match=rf"heh-brw: block {number} of sector \d+ \(decrypt\) never leaves"):
        run(compiled, program)


def test_a_key_word_that_is_never_written():
    compiled = made(HCTR2)
    program = copy_program(compiled.allocation.program)
    table = program.tables["setup"]
    slot = max(i for i, row in enumerate(table.outs[0]) if row)
    table.outs[0][slot] = None
    with pytest.raises(ProofError, match="set-up does not write key word"):
        run(compiled, program)


@pytest.mark.parametrize("aes", [1, 2, 4])
def test_key_words_leave_one_a_cycle(aes):
    """The key memory has one write port: a set-up that gives a word on two lanes in one cycle is no program."""
    compiled = made(HCTR2, sector=64, cipher_cores=aes)
    assert run(compiled).sectors
    if aes > 1:
        delays = {"out_delay": compiled.units.unit("out").latency, "key_delay": compiled.units.key_delay}
        on_all_lanes = schedule(Problem(compiled.setup_graph, compiled.units), overlap=False, restarts=0)
        words, raw = compiled.graph.key_names, len(compiled.source.raw_names)
        program = allocate(compiled.expanded, compiled.schedule, on_all_lanes, words, raw).program
        with pytest.raises(CheckError, match="two key words leave in cycle .*, and the key memory has one write port"):
            check_program(program, **delays)
        with pytest.raises(ProofError, match="two key words leave in cycle .*, and the key memory has one write port"):
            run(compiled, program)


def most_held(compiled, name):
    """Most values of a bank that are held at one time."""
    ii = compiled.schedule.ii
    busy = [0] * ii
    for life in lifetimes(compiled.schedule).values():
        for cycle in range(life.write, life.last) if life.bank == name else ():
            busy[cycle % ii] += 1
    return max(busy)


def test_a_bank_that_wraps_too_early():
    """Found by running alone: the values are right until a later sector overwrites them."""
    rejected = 0
    for mode in (HCTR2, HEH):
        compiled = made(mode)
        for name, bank in compiled.allocation.program.banks.items():
            program = copy_program(compiled.allocation.program)
            if bank.cells > 1:
                program.banks[name] = replace(bank, cells=bank.cells - 1)
                try:
                    run(compiled, program)
                except ProofError:
                    rejected += 1
                else:  # the bank has a cell more than it needs, and the values happen to lie right without it
                    assert bank.cells - 1 >= most_held(compiled, name)
    assert rejected >= 5


def test_errors_name_sector_and_direction():
    compiled = made(HEH)
    program = copy_program(compiled.allocation.program)
    rows = program.main.nets["cipher0.a"]
    slot = next(i for i, row in enumerate(rows) if row and row.core.get("decrypt") == "dec")
    program.main.nets["cipher0.a"][slot] = replace(rows[slot], core={**rows[slot].core, "decrypt": kind("enc")})
    with pytest.raises(ProofError) as error:
        run(compiled, program)
    assert str(error.value).startswith("heh-brw: the result of cipher0 holds nothing")
    with pytest.raises(ProofError, match="the bus cannot bring 32 beats every 20 cycles"):
        table = replace(compiled.allocation.program.main, rows=20)
        make_sectors(
            replace(compiled.allocation.program, tables={"main": table}), ["encrypt"] * 5, [20 * n for n in range(5)],
            lambda n: False, lambda n, i: 0, lambda n, j: 0,
        )  # fmt: skip
