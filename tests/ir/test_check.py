# SPDX-License-Identifier: Apache-2.0
"""The checker of graphs accepts what the compiler makes, and refuses each planted fault with a line that names it."""

import copy
from dataclasses import replace
from functools import cache

import pytest
from tests.kinds import kind

from modeloom.compiler.compile import compile_mode
from modeloom.ir.check import CheckError, check_graph
from modeloom.ir.graph import Chain, Op, Pair, Term
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.heh import HEH
from modeloom.options.sectors import Options


@cache
def made(mode, **options):
    return compile_mode(mode(), Options(**{"tweak": 16, "restarts": 0, **options}), prove=False)


def check(compiled, graph=None, terms=None):
    source = compiled.source
    check_graph(
        graph or compiled.graph,
        terms=terms or compiled.units.terms,
        blocks=source.blocks,
        tweak_blocks=source.tweak_blocks,
        block_bytes=source.block_bytes,
        raw_names=source.raw_names,
    )


def check_setup(compiled, graph=None):
    source = compiled.source
    check_graph(
        graph or compiled.setup_graph, terms=compiled.units.terms, blocks=0, tweak_blocks=0,
        block_bytes=source.block_bytes, raw_names=source.raw_names,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("mode", "options"),
    [
        (HCTR2, {}),
        (HCTR2, {"sector": 40, "tweak": 32}),
        (HCTR2, {"sector": 520, "direction": "decrypt"}),
        (HEH, {}),
        (HEH, {"sector": 32}),
        (HEH, {"sector": 1024, "cipher_cores": 2, "terms": 3}),
    ],
)
def test_what_the_compiler_makes_is_legal(mode, options):
    compiled = made(mode, **options)
    check(compiled)
    check_setup(compiled)


def test_more_terms_than_a_network_adds():
    with pytest.raises(CheckError, match="terms, more than 1|terms are added"):
        check(made(HEH), terms=1)


@pytest.mark.parametrize("terms", [1, 2, 3])
def test_as_many_terms_as_a_network_adds(terms):
    """A form of that many terms is legal, one more is not: in an operand as in what is added to a result."""
    compiled = made(HEH, sector=32)
    for place in ("operand", "result"):
        for more in (0, 1):
            graph = copy.deepcopy(compiled.graph)
            for pair in graph.pairs:
                for op in pair.ops.values():
                    op.pre = [form[:1] for form in op.pre]
                    op.post = op.post[:1]
            graph.chains.clear()
            for pair in graph.pairs:
                for op in pair.ops.values():
                    op.pre = [form if form[0].source[0] != "chain" else (Term(("const", 1)),) for form in op.pre]
                    op.post = tuple(t for t in op.post if t.source[0] != "chain")
            op = first(graph, "enc")
            form = tuple(Term(("tweak", 0), k=k) for k in range(terms + more))
            if place == "operand":
                op.pre[0] = form
            else:
                op.post = form
            if not more:
                check(compiled, graph, terms=terms)
                continue
            message = f"operation .*: {f'an operand has {terms + 1} terms' if place == 'operand' else f'{terms + 1} terms are added'}"
            with pytest.raises(CheckError, match=message):
                check(compiled, graph, terms=terms)


def first(graph, kind, direction="encrypt"):
    return next(p.ops[direction] for p in graph.pairs if direction in p.ops and p.ops[direction].kind == kind)


def plant_number(graph):
    graph.pairs[3].id = 4


def plant_empty(graph):
    graph.pairs[3].ops.clear()


def plant_direction(graph):
    graph.pairs[3].ops["sideways"] = next(iter(graph.pairs[3].ops.values()))


def plant_kinds(graph):
    next(p for p in graph.pairs if p.kind == "mul").ops["decrypt"].kind = kind("enc")


def plant_unknown(graph):
    for op in next(p for p in graph.pairs if p.kind == "mul").ops.values():
        op.kind = "divide"


def plant_square(graph):
    for op in next(p for p in graph.pairs if p.kind == "mul").ops.values():
        op.kind = kind("sqr")


def plant_operands(graph):
    first(graph, "mul").pre.pop()


def plant_post(graph):
    first(graph, "out").post = (Term(("block", 0)),)


def plant_keep(graph):
    first(graph, "mul").keep = 16


def plant_twice(graph):
    op = first(graph, "mul")
    op.pre[0] = (op.pre[0][0],) * 2


def plant_constants(graph):
    first(graph, "mul").pre[0] = (Term(("const", 1)), Term(("const", 2)))


def plant_zero(graph):
    first(graph, "mul").pre[0] = (Term(("const", 0)),)


def plant_block(graph):
    first(graph, "mul").pre[0] = (Term(("block", 32)),)


def plant_tweak(graph):
    first(graph, "mul").pre[0] = (Term(("tweak", 1)),)


def plant_key(graph):
    first(graph, "mul").pre[1] = (Term(("key", "g")),)


def plant_source(graph):
    first(graph, "mul").pre[0] = (Term(("magic", 0)),)


def plant_later(graph):
    first(graph, "mul").pre[0] = (Term(("op", len(graph.pairs) - 2)),)


def plant_itself(graph):
    pair = next(p for p in graph.pairs if p.kind == "mul" and "encrypt" in p.ops)
    pair.ops["encrypt"].pre[0] = (Term(("op", pair.id)),)


def plant_negative(graph):
    first(graph, "mul").pre[0] = (Term(("op", -1)),)


def plant_leaves_twice(graph):
    """One block leaves twice; the others leave, too."""
    copied = copy.deepcopy(next(p for p in graph.pairs if p.kind == "out" and "encrypt" in p.ops))
    copied.ops = {"encrypt": copied.ops["encrypt"]}
    copied.id = len(graph.pairs)
    graph.pairs.append(copied)


def plant_no_result(graph):
    outs = [p for p in graph.pairs if p.kind == "out" and "encrypt" in p.ops]
    outs[-1].ops["encrypt"].pre[0] = (Term(("op", outs[0].id)),)


def plant_two_outputs(graph):
    op = first(graph, "out")
    op.index = op.block = (op.index + 1) % 32


def plant_lane(graph):
    op = first(graph, "out")
    op.block = op.index + 1


def plant_index(graph):
    first(graph, "mul").index = 3


def plant_word_names(graph):
    graph.key_names[1] = graph.key_names[0]


PLANTS = [
    (plant_number, "operation 3: its number is 4"),
    (plant_empty, "operation 3: it is empty"),
    (plant_direction, "no direction 'sideways'"),
    (plant_kinds, "cannot be done by one unit"),
    (plant_unknown, "unknown kind 'divide'"),
    (plant_square, "sqr takes 1 operands, not 2"),
    (plant_operands, "mul takes 2 operands, not 1"),
    (plant_post, "out adds nothing"),
    (plant_keep, "keeps 16 bytes"),
    (plant_twice, "two equal terms"),
    (plant_constants, "two constants"),
    (plant_zero, "a constant is 0"),
    (plant_block, "there is no block 32"),
    (plant_tweak, "there is no tweak 1"),
    (plant_key, "there is no key word 'g'"),
    (plant_source, "unknown source 'magic'"),
    (plant_later, "which is not an earlier one"),
    (plant_itself, "which is not an earlier one"),
    (plant_negative, "reads operation -1, which is not an earlier one"),
    (plant_leaves_twice, "encrypt: not every block .* leaves once"),
    (plant_no_result, "which gives no result"),
    (plant_two_outputs, "not every block"),
    (plant_lane, "is taken for block"),
    (plant_index, "mul has an index"),
    (plant_word_names, "two key words have one name"),
]


@pytest.mark.parametrize(("plant", "message"), PLANTS, ids=[plant.__name__ for plant, _ in PLANTS])
@pytest.mark.parametrize("mode", [HCTR2, HEH])
def test_planted_faults(mode, plant, message):
    compiled = made(mode)
    graph = copy.deepcopy(compiled.graph)
    plant(graph)
    with pytest.raises(CheckError, match=message) as error:
        check(compiled, graph)
    assert "\n" not in str(error.value) and str(error.value).startswith(compiled.mode.name)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: replace(c, id=5), "its number is 5"),
        (lambda c: replace(c, stride=0), "no stride"),
        (lambda c: replace(c, length=c.length + 1), "does not use each of its"),
        (lambda c: replace(c, length=c.length - 1), "has no step|does not use each"),
        (lambda c: replace(c, base={"encrypt": c.base["encrypt"]}), "in decrypt"),
        (lambda c: replace(c, base={d: t._replace(keep=3) for d, t in c.base.items()}), "not a whole result"),
        (lambda c: replace(c, base={d: Term(("op", 10**6)) for d in c.base}), "not an earlier one"),
    ],
)
def test_planted_chain_faults(change, message):
    compiled = made(HEH)
    graph = copy.deepcopy(compiled.graph)
    graph.chains[0] = change(graph.chains[0])
    with pytest.raises(CheckError, match=message):
        check(compiled, graph)


def test_a_chain_starts_after_its_base():
    compiled = made(HEH)
    graph = copy.deepcopy(compiled.graph)
    last = max(p.id for p in graph.pairs if p.kind == "mul" and len(p.ops) == 2)
    graph.chains[0] = replace(graph.chains[0], base={d: Term(("op", last)) for d in graph.chains[0].base})
    with pytest.raises(CheckError, match="uses it before its base is computed"):
        check(compiled, graph)


def test_chain_terms_are_whole_and_exist():
    compiled = made(HEH)
    for change, message in (
        (lambda t: t._replace(k=1), "multiplied or cut"),
        (lambda t: t._replace(source=("chain", 9, 0)), "does not use each|no chain 9"),
    ):
        graph = copy.deepcopy(compiled.graph)
        op = next(
            p.ops["encrypt"]
            for p in graph.pairs
            if any(t.source[0] == "chain" for f in p.ops["encrypt"].pre for t in f)
        )
        op.pre[0] = tuple(change(t) if t.source[0] == "chain" else t for t in op.pre[0])
        with pytest.raises(CheckError, match=message):
            check(compiled, graph)


def test_set_ups():
    compiled = made(HCTR2)
    graph = copy.deepcopy(compiled.setup_graph)
    graph.pairs = [replace(p, id=i) for i, p in enumerate(q for q in graph.pairs if q.ops["setup"].index != "L")]
    with pytest.raises(CheckError):
        check_setup(compiled, graph)
    graph = copy.deepcopy(compiled.setup_graph)
    graph.pairs.insert(0, Pair(0, {"setup": Op("acc", [(Term(("key", "h^2")),)])}))
    for i, pair in enumerate(graph.pairs):
        pair.id = i
    with pytest.raises(CheckError, match="before it is written|not an earlier"):
        check_setup(compiled, graph)
    graph = copy.deepcopy(compiled.setup_graph)
    graph.chains.append(Chain(0, 1, 1, {"setup": Term(("op", 0))}))
    with pytest.raises(CheckError, match="does not use each of its 1 steps"):
        check_setup(compiled, graph)
