# SPDX-License-Identifier: Apache-2.0
"""Broken squares: graphs that square too often or not enough, and programs with a changed squaring unit, are refused or harmless."""

import copy
import random
from functools import cache
from types import SimpleNamespace

import pytest
from tests.kinds import kind
from tests.program_runs import numeric_machine
from tests.prove.mutate import mutants

import modeloom_golden as golden
from modeloom.allocate.check import CheckError, check_program
from modeloom.compiler.compile import compile_mode
from modeloom.ir import expand as expand_pass
from modeloom.modes.heh import HEH
from modeloom.options.sectors import Options
from modeloom.prove import ProofError, prove
from modeloom.prove.execute import Symbols, direction_pattern, prove_program
from modeloom.prove.machine import MachineError
from modeloom.prove.rewrite import prove_rewrite

SECTOR = 144
SEED = 2013


@cache
def made():
    """HEH[BRW] on nine blocks: h^2, h^4 and h^8 in each hash."""
    compiled = compile_mode(HEH(), Options(sector=SECTOR, squares="fly", restarts=3), prove=False)
    units = compiled.units
    return SimpleNamespace(
        compiled=compiled, program=compiled.allocation.program, symbols=Symbols(),
        delays={"out_delay": units.unit("out").latency, "key_delay": units.key_delay},
    )  # fmt: skip


def refused(program) -> str:
    """Who refuses a program, "" for nobody."""
    bench = made()
    try:
        check_program(program, **bench.delays)
    except CheckError:
        return "checker"
    try:
        prove_program(program, bench.compiled.graph, bench.compiled.setup_graph, symbols=bench.symbols, **bench.delays)
    except ProofError:
        return "proof"
    return ""


def computes(program, sectors: int = 24) -> bool:
    """Whether some sectors on numbers are as the golden model says."""
    bench = made()
    rng = random.Random(SEED)
    key = rng.randbytes(32)
    machine = numeric_machine(bench.compiled, key, program=program)
    directions = direction_pattern(program.directions, program.main.stages + 1, sectors)[:sectors]
    tweaks, data = ([rng.randbytes(n) for _ in directions] for n in (16, SECTOR))
    result = machine.run(directions, [n * program.ii for n in range(len(directions))], [tweaks], [data])
    reference = golden.mode("heh-brw", key)
    return result.sectors[0] == [getattr(reference, d)(t, x) for d, t, x in zip(directions, tweaks, data, strict=True)]


def test_the_program_itself_passes():
    assert refused(made().program) == "" and computes(made().program)


@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
def test_mutants_of_the_squaring_unit(direction):
    """Of the mutants that change the unit, its operands, its bank or its key word."""
    chosen = [m for m in mutants(made().program, direction, SEED, 500) if "sqr0" in m.text]
    assert len(chosen) >= 25 and len({m.kind for m in chosen}) >= 5
    accepted = [m for m in chosen if not refused(m.program)]
    assert len(accepted) <= len(chosen) // 10
    for mutant in accepted:
        assert computes(mutant.program), f"{mutant.text}: accepted, and it computes something else"


def test_numbers_tell_broken_squares_apart():
    """The machine on numbers squares by itself: what the proof refuses gives other blocks."""
    noticed = tried = 0
    for mutant in mutants(made().program, "encrypt", SEED + 1, 400):
        if "sqr0" in mutant.text and mutant.kind in ("operand", "address"):
            tried += 1
            try:
                noticed += not computes(mutant.program, 8)
            except MachineError:
                noticed += 1
    assert tried >= 5 and noticed >= 0.9 * tried


def squares(graph, direction):
    return [op for _, op in graph.ops(direction) if op.kind == "sqr"]


def again(graph, direction):
    """h^4 is the square of h once more."""
    first, second = squares(graph, direction)[:2]
    second.pre = list(first.pre)


def added(graph, direction):
    """A term behind a square, which is linear."""
    op = squares(graph, direction)[0]
    op.post = op.pre[0]


def scaled(graph, direction):
    """(h x)^2 is h^2 x^2."""
    op = squares(graph, direction)[0]
    op.pre = [(op.pre[0][0]._replace(k=1),)]


def unsquared(graph, direction):
    """A sum in the place of a square."""
    squares(graph, direction)[-1].kind = kind("acc")


@pytest.mark.parametrize("change", [again, added, scaled, unsquared])
@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
def test_broken_graphs_are_refused(direction, change):
    compiled = made().compiled
    graph = copy.deepcopy(compiled.graph)
    change(graph, direction)
    with pytest.raises(ProofError, match=f"of {direction} in the graph is not what the definition says"):
        prove_rewrite(compiled.source, graph, compiled.setup_graph)


def test_a_wrong_rewrite_is_refused(monkeypatch):
    real = expand_pass._Rewriter.power
    monkeypatch.setattr(expand_pass._Rewriter, "power", lambda self, h, e: real(self, h, 2 if e == 4 else e))
    with pytest.raises(ProofError, match="block . of encrypt"):
        prove(compile_mode(HEH(), Options(sector=SECTOR, squares="fly", restarts=0), prove=False))
