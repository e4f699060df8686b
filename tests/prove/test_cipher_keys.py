# SPDX-License-Identifier: Apache-2.0
"""Cipher keys, counters and values that must not be 0: programs and graphs that take another one are refused."""

import copy
from dataclasses import replace
from functools import cache

import pytest
from tests.prove.mutate import copy_program, mutants

from modeloom.allocate.check import CheckError, check_program
from modeloom.compiler.compile import compile_mode
from modeloom.modes import find
from modeloom.options.sectors import Options
from modeloom.prove import ProofError, check, prove
from modeloom.prove.execute import prove_program
from modeloom.prove.rewrite import prove_rewrite

SECTORS = {"xts": 70, "cmc": 64, "tet": 48, "xcb": 64, "xcb-1619": 43, "hctr2": 48}


@cache
def made(name):
    return compile_mode(find(name), Options(sector=SECTORS[name], restarts=0), prove=False)


def delays(compiled):
    return {"out_delay": compiled.units.unit("out").latency, "key_delay": compiled.units.key_delay}


def refused(compiled, program):
    """Who refuses a program, "" for nobody."""
    try:
        check_program(program, **delays(compiled))
    except CheckError:
        return "checker"
    try:
        prove_program(program, compiled.graph, compiled.setup_graph, **delays(compiled))
    except ProofError:
        return "proof"
    return ""


@pytest.mark.parametrize("name", SECTORS)
def test_every_other_number_is_refused(name):
    """A call under another key computes something else, whatever the keys are."""
    compiled = made(name)
    program = compiled.allocation.program
    found = set()
    for direction in (*program.directions, "setup"):
        uses = any("enc" in row.core.values() for rows in program.tables["setup"].nets.values() for row in rows if row)
        if direction == "setup" and not uses:
            continue
        chosen = [m for m in mutants(program, direction, 5, 90) if m.kind == "number"]
        assert chosen
        for mutant in chosen:
            by = refused(compiled, mutant.program)
            assert by, f"{mutant.text}: accepted"
            found.add(by)
    assert found == ({"proof", "checker"} if len(program.cipher_keys) > 1 else {"checker"})


@pytest.mark.parametrize("name", ["xts", "cmc", "tet", "xcb", "xcb-1619"])
@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
def test_graphs_with_another_key_are_refused(name, direction):
    compiled = made(name)
    for pair in compiled.graph.pairs:
        if direction in pair.ops and pair.ops[direction].kind in ("enc", "dec"):
            graph = copy.deepcopy(compiled.graph)
            op = graph.pairs[pair.id].ops[direction]
            op.number = (op.number + 1) % len(compiled.source.cipher_keys)
            with pytest.raises(ProofError, match=f"of {direction} in the graph is not what the definition says"):
                prove_rewrite(compiled.source, graph, compiled.setup_graph)


@pytest.mark.parametrize("name", ["xcb", "xcb-1619"])
@pytest.mark.parametrize("change", [1, -1, 1 << 31])
def test_graphs_with_another_counter_are_refused(name, change):
    compiled = made(name)
    for direction in ("encrypt", "decrypt"):
        graph = copy.deepcopy(compiled.graph)
        op = next(op for _, op in graph.ops(direction) if op.kind == "add")
        op.number += change
        with pytest.raises(ProofError, match=f"of {direction} in the graph is not what the definition says"):
            prove_rewrite(compiled.source, graph, compiled.setup_graph)


@pytest.mark.parametrize("name", ["xcb", "xcb-1619"])
def test_wrong_words_of_derived_keys_are_refused(name):
    compiled = made(name)
    setup = copy.deepcopy(compiled.setup_graph)
    first, *rest = setup.derived
    setup.derived = (*rest, first)
    with pytest.raises(ProofError, match="a cipher key that set-up makes is not what the definition says"):
        prove_rewrite(compiled.source, compiled.graph, setup)
    program = copy_program(compiled.allocation.program)
    program.derived = [program.derived[1], program.derived[0], *program.derived[2:]]
    broken = replace(compiled, allocation=replace(compiled.allocation, program=program))
    with pytest.raises(CheckError, match="the program's cipher keys of set-up are"):
        check(broken)
    with pytest.raises(ProofError, match="the program's cipher keys of set-up are"):
        prove(broken)
    program.derived = program.derived[:2]
    with pytest.raises(CheckError, match="cipher keys"):
        check(broken)


def test_wrong_values_that_must_not_be_zero_are_refused():
    compiled = made("tet")
    word = compiled.setup_graph.nonzero
    assert word == ("sigma",)
    for names in ((), ("tau",), ("last",)):
        setup = copy.deepcopy(compiled.setup_graph)
        setup.nonzero = names
        with pytest.raises(ProofError, match="must not be 0|is not what|is not the power|too large"):
            prove_rewrite(compiled.source, compiled.graph, setup)
    program = copy_program(compiled.allocation.program)
    program.nonzero = []
    broken = replace(compiled, allocation=replace(compiled.allocation, program=program))
    with pytest.raises(ProofError, match="the program's key words that are not 0 are"):
        prove(broken)


def test_a_wrong_inverse_is_refused(monkeypatch):
    from modeloom.ir import expand as expand_pass

    real = expand_pass._Rewriter.inverse
    monkeypatch.setattr(expand_pass._Rewriter, "inverse", lambda self, a: self.mul(real(self, a), a))
    with pytest.raises(ProofError, match="tet: "):
        prove(compile_mode(find("tet"), Options(sector=48, restarts=0), prove=False))


def test_names_of_cipher_keys_belong_to_the_program():
    compiled = made("xts")
    program = copy_program(compiled.allocation.program)
    program.cipher_keys = ["K1"]
    with pytest.raises(CheckError, match="cipher keys"):
        check(replace(compiled, allocation=replace(compiled.allocation, program=program)))
