# SPDX-License-Identifier: Apache-2.0
"""Hash-consed symbols: equal expressions are one number, different ones are not."""

import pytest
from tests.kinds import kind

from modeloom.ir.graph import Chain, Op, OpGraph, Pair, Term
from modeloom.prove.execute import GraphSymbols, Symbols
from modeloom.prove.machine import MachineError


def test_forms_are_sets():
    symbols = Symbols()
    a, b = symbols.atom("block", 0, 0), symbols.atom("block", 0, 1)
    assert symbols.atom("block", 0, 0) == a != b
    assert symbols.form([(a, 0, 0), (b, 1, 0)]) == symbols.form([(b, 1, 0), (a, 0, 0)])
    assert symbols.form([(a, 0, 0), (b, 1, 0), (a, 0, 0)]) == symbols.form([(b, 1, 0)])
    assert symbols.form([(a, 0, 0), (a, 0, 0)]) == symbols.form([]) == ()
    assert symbols.form([(a, 1, 0)]) != symbols.form([(a, 0, 0)]) != symbols.form([(a, 0, 3)])


def test_operations():
    symbols = Symbols()
    a, b = (symbols.form([(symbols.atom("block", 0, i), 0, 0)]) for i in range(2))

    def product(*operands, keep=0, post=()):
        return symbols.result(symbols.operate(kind("mul"), list(operands), 0), keep, post)

    assert product(a, b) == product(b, a)
    assert len({product(a, b), product(a, a), product(a, b, keep=4), product(a, b, post=a), product(a, b, post=b)}) == 5
    enc, dec = (symbols.result(symbols.operate(kind(core), [a], 0), 0, ()) for core in ("enc", "dec"))
    assert enc != dec
    assert symbols.step(a, 2) == ((a[0][0], 2, 0),)
    assert symbols.term(symbols.step(a, 2), 1, 0) == (a[0][0], 3, 0)
    assert symbols.term(a, 0, 5) == (a[0][0], 0, 5)
    both = symbols.form([a[0], b[0]])
    assert symbols.term(both, 0, 0) == (symbols.store(both), 0, 0)
    assert symbols.store(a) == a[0][0] and symbols.const(5) == symbols.atom("const", 5)
    with pytest.raises(MachineError, match="cell 3 holds nothing"):
        symbols.undefined("cell 3")


def test_what_a_graph_says():
    block, h = Term(("block", 0)), Term(("key", "h"))
    ops = [
        Op("mul", [(block,), (h,)]),
        Op("enc", [(Term(("chain", 0, 2)), Term(("const", 3)))], post=(Term(("tweak", 0), 1, 4),), keep=9),
        Op("out", [(Term(("op", 1)),)], index=0, block=0),
    ]
    graph = OpGraph("test", ("encrypt",), [Pair(i, {"encrypt": op}) for i, op in enumerate(ops)])
    graph.chains.append(Chain(0, 2, 3, {"encrypt": Term(("op", 0), 1)}))
    symbols = Symbols()
    key = symbols.atom("key", "h")
    said = GraphSymbols(graph, symbols, {"h": key}).outputs("encrypt", 7)
    product = symbols.result(
        symbols.operate(kind("mul"), [symbols.form([(key, 0, 0)]), symbols.form([(symbols.atom("block", 7, 0), 0, 0)])], 0),
        0,
        (),
    )
    operand = symbols.form([(product, 5, 0), (symbols.const(3), 0, 0)])
    result = symbols.result(symbols.operate(kind("enc"), [operand], 0), 9, symbols.form([(symbols.atom("tweak", 7, 0), 1, 4)]))
    assert said == {0: ((result, 0, 0),)}
    assert GraphSymbols(graph, symbols, {"h": key}).outputs("encrypt", 8) != said
