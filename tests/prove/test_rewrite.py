# SPDX-License-Identifier: Apache-2.0
"""The first part of the proof accepts what the compiler makes, and refuses planted wrong rewrites."""

import copy
from dataclasses import replace
from functools import cache

import pytest
from tests.kinds import kind

import modeloom.ir.expand as expand_pass
from modeloom.compiler.compile import compile_mode
from modeloom.ir.graph import Term
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.heh import HEH, HEHPermuted
from modeloom.options.sectors import Options
from modeloom.prove import ProofError, prove
from modeloom.prove.rewrite import prove_rewrite
from modeloom.spec import GHASH_ORDER, Keys, Mode


def make(mode, **options):
    return compile_mode(mode(), Options(**{"tweak": 16, "restarts": 0, **options}), prove=False)


@cache
def made(mode, sector=512):
    return make(mode, sector=sector)


def rewrite(compiled):
    return prove_rewrite(compiled.source, compiled.graph, compiled.setup_graph)


@pytest.mark.parametrize(
    ("mode", "options"),
    [
        (HCTR2, {}),
        (HEH, {}),
        (HEHPermuted, {}),
        (HCTR2, {"sector": 520}),
        (HCTR2, {"sector": 40, "tweak": 32}),
        (HCTR2, {"sector": 16}),
        (HEH, {"sector": 32}),
        (HEH, {"sector": 1024, "terms": 3}),
        (HCTR2, {"direction": "decrypt", "mul": 4}),
        (HEH, {"direction": "encrypt", "cipher_cores": 2}),
    ],
)
def test_what_the_compiler_makes_is_accepted(mode, options):
    assert rewrite(make(mode, **options)) > 0


def test_the_hash_stays_small():
    """A sum that is hashed is one indeterminate; BRW on 31 sums of three terms would have thousands of monomials."""
    assert rewrite(made(HEH)) < 1500


def test_a_wrong_power_is_refused(monkeypatch):
    real = expand_pass._Rewriter.power
    monkeypatch.setattr(expand_pass._Rewriter, "power", lambda self, h, e: real(self, h, e + 1 if e == 5 else e))
    with pytest.raises(ProofError, match="hctr2: block 0 of encrypt|key word"):
        rewrite(make(HCTR2, sector=512))


def test_a_wrong_decimation_is_refused(monkeypatch):
    real = expand_pass._Rewriter.poly

    def poly(self, h, last, blocks):
        return real(self, h, last, (*blocks[:2][::-1], *blocks[2:]))

    monkeypatch.setattr(expand_pass._Rewriter, "poly", poly)
    with pytest.raises(ProofError, match="block 0 of encrypt"):
        prove(make(HCTR2, sector=512))


def changed(compiled, direction, change):
    """A copy of the graph with an operation changed: the first one that ``change`` accepts."""
    graph = copy.deepcopy(compiled.graph)
    for pair in graph.pairs:
        if direction in pair.ops and change(pair.ops[direction]):
            return graph
    raise AssertionError("nothing to change")


def drop_post(op):
    if op.post:
        op.post = op.post[1:]
    return bool(op.post)


def double_operand(op):
    if op.kind == "mul" and op.pre[0]:
        op.pre[0] = (op.pre[0][0]._replace(k=op.pre[0][0].k + 1), *op.pre[0][1:])
        return True
    return False


def other_core(op):
    if op.kind == "enc":
        op.kind = kind("dec")
        return True
    return False


def other_key(op):
    for i, form in enumerate(op.pre):
        for term in form:
            if term.source == ("key", "h"):
                op.pre[i] = tuple(t._replace(source=("key", "h^2")) if t == term else t for t in form)
                return True
    return False


def cut(op):
    if op.kind == "enc" and not op.keep:
        op.keep = 8
        return True
    return False


def swapped_out(op):
    if op.kind == "out":
        op.pre[0] = (Term(("block", 3)),)
        return True
    return False


@pytest.mark.parametrize("change", [drop_post, double_operand, other_core, other_key, cut, swapped_out])
@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
@pytest.mark.parametrize("mode", [HCTR2, HEH])
def test_a_changed_graph_is_refused(mode, direction, change):
    compiled = made(mode)
    graph = changed(compiled, direction, change)
    with pytest.raises(ProofError, match=direction) as error:
        prove_rewrite(compiled.source, graph, compiled.setup_graph)
    assert "\n" not in str(error.value)


def test_a_wrong_mask_chain_is_refused():
    compiled = made(HEH)
    for n, chain in enumerate(compiled.graph.chains):
        for wrong in (
            replace(chain, stride=chain.stride + 1),
            replace(chain, base={d: t._replace(k=t.k + 1) for d, t in chain.base.items()}),
        ):
            graph = copy.deepcopy(compiled.graph)
            graph.chains[n] = wrong
            with pytest.raises(ProofError, match="is not what the definition says"):
                prove_rewrite(compiled.source, graph, compiled.setup_graph)


def test_wrong_set_ups_are_refused():
    compiled = made(HCTR2)
    for index, message in (("h^2", "key word"), ("L", "key word L is not what set-up gives")):
        setup = copy.deepcopy(compiled.setup_graph)
        for pair in setup.pairs:
            op = pair.ops["setup"]
            if op.kind == "out" and op.index == index:
                op.pre[0] = (*op.pre[0], Term(("const", 1)))
        with pytest.raises(ProofError, match=message):
            prove_rewrite(compiled.source, compiled.graph, setup)


def test_a_missing_block_is_refused():
    compiled = made(HEH)
    graph = copy.deepcopy(compiled.graph)
    graph.pairs = [p for p in graph.pairs if not any(op.index == 5 for op in p.ops.values())]
    with pytest.raises(ProofError, match="gives no block 5"):
        prove_rewrite(compiled.source, graph, compiled.setup_graph)


class Masked(Mode):
    """Sums, masks and products on values that depend on one another in every way a definition can write."""

    name = "masked"
    title = source = security = "test"
    field = GHASH_ORDER
    key_parts = ("cipher", "h")
    partial = True

    def setup(self, o, key):
        return Keys(h=key.h, g=o.mul(key.h, o.enc(key.h)) ^ o.const(7))

    def encrypt(self, o, k, tweak, p):
        a = o.enc(p[0] ^ k.g)
        b = o.dec(o.enc(p[1]) ^ o.double(a, 2))
        s = a ^ b ^ tweak[0]
        t = o.head(o.double(o.mul(s, a), 3), 5) ^ o.pad(p[1], 9, 1)
        return [o.poly(s, [a, b, t, s]), t ^ o.poly(k.h, [tweak[0], s, b, t])]

    decrypt = encrypt


def test_definitions_of_every_shape():
    for sector in (32, 25):
        compiled = make(Masked, sector=sector)
        assert prove(compiled).monomials > 10
