# SPDX-License-Identifier: Apache-2.0
"""The whole proof, from a compiled mode to a report."""

import copy
from dataclasses import replace
from functools import cache

import pytest
from tests.prove.mutate import copy_program

from modeloom.compiler.compile import compile_mode
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.heh import HEH, HEHPermuted
from modeloom.options.sectors import Options, preset
from modeloom.prove import CheckError, ProofError, check, prove


@cache
def made(mode, preset_name="default", **options):
    chosen = preset(preset_name).but(**{"tweak": 16, "restarts": 0, **options})
    return compile_mode(mode(), chosen, prove=False)


@pytest.mark.parametrize("mode", [HCTR2, HEH, HEHPermuted])
@pytest.mark.parametrize("sector", [32, 64, 256, 512, 1024])
def test_sector_sizes(mode, sector):
    """The program of every mode is proved for several sector sizes."""
    report = prove(made(mode, sector=sector))
    assert report.sectors > 0 and report.cycles > 0 and report.monomials > 0


@pytest.mark.parametrize("mode", [HCTR2, HEH])
@pytest.mark.parametrize(
    "options",
    [
        {"direction": "encrypt"},
        {"direction": "decrypt"},
        {"overlap": False},
        {"preset_name": "brw2013-1core"},
        {"preset_name": "brw2013-2core"},
        {"preset_name": "tes2010-full", "sector": 128},
        {"preset_name": "tes2010-sequential", "sector": 128},
        {"cipher_arch": "sequential", "sector": 96, "cipher_cores": 2},
        {"cipher_cores": 4, "mul": 8, "terms": 2, "sector": 256},
        {"key_bits": 256, "mul_stages": 1},
    ],
    ids=str,
)
def test_option_sets(mode, options):
    """The program of every mode is proved with several sets of options, and the report is the same each time."""
    assert prove(made(mode, **options)) == prove(made(mode, **options))


@pytest.mark.parametrize(
    "options", [{"sector": 520}, {"sector": 40}, {"sector": 16}, {"tweak": 32}, {"sector": 31}], ids=str
)
def test_partial_sectors_and_long_tweaks(options):
    assert prove(made(HCTR2, **options)).sectors > 10


def test_the_compiler_runs_the_proof():
    compiled = compile_mode(HEH(), Options(sector=64, restarts=0))
    assert compiled.proved and compiled.explain()["proved"]


def with_program(compiled, **changes):
    program = replace(copy_program(compiled.allocation.program), **changes)
    allocation = replace(compiled.allocation, program=program)
    return replace(compiled, allocation=allocation)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nbytes": 496}, "bytes of a sector are 496, not 512"),
        ({"tweak_bytes": 32}, "bytes of a tweak"),
        ({"block_bytes": 32}, "bytes of a block"),
        ({"directions": ("encrypt",)}, "directions"),
        ({"lanes": 2}, "lanes"),
        ({"raw_words": 0}, "host's key words"),
        ({"key_words": ["h", "h^4", "h^2", "h^8", "h^16"]}, "key words are"),
    ],
)
def test_facts_that_do_not_fit(changes, message):
    with pytest.raises(CheckError, match=message):
        check(with_program(made(HEH), **changes))
    with pytest.raises(ProofError, match=message):
        prove(with_program(made(HEH), **changes))


def test_a_failure_is_one_line():
    compiled = made(HEH)
    for broken in (
        with_program(compiled, banks={}),
        replace(compiled, schedule=replace(compiled.schedule, ii=5)),
        replace(compiled, graph=copy.deepcopy(made(HCTR2).graph)),
    ):
        with pytest.raises(ProofError) as error:
            prove(broken)
        assert "\n" not in str(error.value) and len(str(error.value)) < 300


def out_of(graph):
    """An index that only an operation of kind "out" has: whoever computes takes no notice of it."""
    graph = copy.deepcopy(graph)
    op = next(op for pair in graph.pairs for op in pair.ops.values() if op.kind == "mul")
    op.index = 0
    return graph


def source_twice(compiled):
    """A program with a source that stands twice in a network, and is selected as before."""
    net = compiled.allocation.program.nets["mul0.a"]
    nets = {**compiled.allocation.program.nets, "mul0.a": replace(net, sources=[*net.sources, net.sources[0]])}
    return with_program(compiled, nets=nets)


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("graph", "mul has an index"), ("setup_graph", "mul has an index"), ("schedule", "initiation interval is 0"),
        ("setup_schedule", "initiation interval is 0"), ("program", "has a source twice"),
    ],
)  # fmt: skip
def test_each_checker_is_called(part, message):
    """Faults that change nothing of what is computed, so that a checker alone can find them."""
    compiled = made(HEH, sector=64)
    if part == "program":
        broken = source_twice(compiled)
    elif part.endswith("graph"):
        broken = replace(compiled, **{part: out_of(getattr(compiled, part))})
    else:
        broken = replace(compiled, **{part: replace(getattr(compiled, part), ii=0)})
    with pytest.raises(ProofError, match=message):
        prove(broken)
    with pytest.raises(CheckError, match=message):
        check(broken)
    assert prove(compiled)


def test_storage_is_checked():
    """Beats that come further ahead of their sector than cells are there for."""
    with pytest.raises(ProofError, match="bank in0 .* overwritten"):
        prove(with_program(made(HEH, overlap=False), fill_ahead=30))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cipher_keys": ["cipher", "tweak"]}, "cipher keys are"),
        ({"derived": [(0,)]}, "cipher keys of set-up are"),
        ({"nonzero": [1]}, "key words that are not 0 are"),
    ],
)
def test_facts_of_keys(changes, message):
    with pytest.raises(ProofError, match=message):
        prove(with_program(made(HEH), **changes))
