# SPDX-License-Identifier: Apache-2.0
"""The programs of several sizes keep their meaning on one engine: each can be read back from the core's program."""

import pytest
from tests.built import compiled

from modeloom.allocate.build import merge

CHOICES = (
    ("hctr2", {"sector": 64, "more_sectors": (128, 40)}),
    ("heh-brw", {"sector": 96, "more_sectors": (48, 160), "direction": "encrypt"}),
    ("heh-poly", {"sector": 64, "more_sectors": (256,), "cipher_cores": 2}),
)


def sources(net, row):
    """For each direction, what a row of a network adds, by the sources themselves."""
    return {direction: [net.sources[n] for n in numbers] for direction, numbers in row.select.items()}


@pytest.mark.parametrize(("mode", "changes"), CHOICES, ids=[mode for mode, _ in CHOICES])
def test_each_program_is_there(mode, changes):
    result = compiled(mode, **changes)
    core = result.core_program
    names = []
    for number, one in enumerate(result.sizes):
        program = one.allocation.program
        assert core.stages >= program.main.stages
        names += [f"{name} ({number})" for name in program.key_words[program.raw_words :]]
        for table, moved in ((program.main, core.mains[number]), (program.tables["setup"], core.setups[number])):
            assert (table.rows, table.stages, table.latency) == (moved.rows, moved.stages, moved.latency)
            assert (table.inputs, table.tweaks) == (moved.inputs, moved.tweaks)
            assert table.writes == moved.writes and table.ports == moved.ports and table.chains == moved.chains
            for name, rows in table.nets.items():
                for row, other in zip(rows, moved.nets[name], strict=True):
                    assert (row is None) == (other is None)
                    if row is not None:
                        assert sources(program.nets[name], row) == sources(core.nets[name], other)
                        assert (row.stage, row.const, row.core, row.keep) == (other.stage, other.const, other.core, other.keep)
            for key, rows in table.keys.items():
                for row, other in zip(rows, moved.keys[key], strict=True):
                    if row is not None:
                        assert [word(program, number, n) for n in row.word.values()] == [core.key_words[n] for n in other.word.values()]
            for lane, rows in table.outs.items():
                for row, other in zip(rows, moved.outs[lane], strict=True):
                    if row is not None and table.name == "setup":
                        assert [word(program, number, n) for n in row.index.values()] == [core.key_words[n] for n in other.index.values()]
                    else:
                        assert row == other
        assert all(core.cells[name][number] == bank.cells for name, bank in program.banks.items())
    assert core.key_words == [*result.allocation.program.key_words[: core.raw_words], *names]
    assert len(set(core.key_words)) == len(core.key_words)


def word(program, number, index):
    """Name in the core of a word of a program's key memory."""
    name = program.key_words[index]
    return name if index < program.raw_words else f"{name} ({number})"


def test_one_program_stays_as_it_is():
    program = compiled("hctr2", sector=64).allocation.program
    core = merge([program])
    assert core.mains == [program.main] and core.setups == [program.tables["setup"]]
    assert core.nets == program.nets and core.banks == program.banks and core.chains == program.chains
    assert core.key_words == program.key_words


def test_programs_for_other_units_are_refused():
    one, two = (compiled("hctr2", sector=64, mul=mul).allocation.program for mul in (2, 3))
    with pytest.raises(ValueError, match="units"):
        merge([one, two])


@pytest.mark.parametrize(("mode", "changes"), CHOICES, ids=[mode for mode, _ in CHOICES])
def test_as_many_sectors_are_in_flight_as_in_the_deepest_size(mode, changes):
    result = compiled(mode, **changes)
    depths = {one.allocation.program.main.stages for one in result.sizes}
    assert result.core_program.stages == max(depths)
    assert result.core_program.sizes == len(result.sizes)
