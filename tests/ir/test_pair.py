# SPDX-License-Identifier: Apache-2.0
"""Pairs: every operation once, in an order that both directions allow, by lines or by times; one direction alone."""

from __future__ import annotations

import random

import pytest

from modeloom.ir.graph import Chain, Op, OpGraph, Pair, Term
from modeloom.ir.pair import alone, match, pair_directions


def op(kind: str, *reads: int, block: int | None = None) -> Op:
    form = tuple(Term(("op", i)) for i in reads) or (Term(("block", block or 0)),)
    return Op(kind, [form, (Term(("key", "h")),)][: 2 if kind == "mul" else 1], block=block)


def random_side(rng: random.Random) -> list[Op]:
    ops: list[Op] = []
    for i in range(rng.randint(1, 14)):
        ops.append(op(rng.choice(["mul", "enc", "dec", "acc"]), *rng.sample(range(i), min(i, rng.randint(0, 2)))))
    return ops


def check_rows(sides: dict[str, list[Op]], rows: list[dict[str, int]]) -> None:
    for d, ops in sides.items():
        taken = [row[d] for row in rows if d in row]
        assert sorted(taken) == list(range(len(ops)))
        place = {i: n for n, i in enumerate(taken)}
        for i, one in enumerate(ops):
            assert all(place[t.source[1]] < place[i] for _, t in one.terms() if t.source[0] == "op")
    for row in rows:
        kinds = {"cipher" if sides[d][i].kind in ("enc", "dec") else sides[d][i].kind for d, i in row.items()}
        assert row and len(kinds) == 1


@pytest.mark.parametrize("seed", range(30))
def test_rows_hold_every_operation_once_and_in_order(seed: int) -> None:
    rng = random.Random(seed)
    sides = {"encrypt": random_side(rng), "decrypt": random_side(rng)}
    check_rows(sides, match(sides))
    times = {}
    for d, ops in sides.items():
        start: list[int] = []
        for one in ops:
            reads = [start[t.source[1]] + 1 for _, t in one.terms() if t.source[0] == "op"]
            start.append(max(reads, default=0) + rng.randint(0, 5))
        times[d] = start, [rng.choice([None, 0, 1]) for _ in ops]
    rows = match(sides, times)
    check_rows(sides, rows)
    for row in rows:
        assert len({times[d][1][i] for d, i in row.items()} - {None}) <= 1
    before = {d: [str(one) for one in ops] for d, ops in sides.items()}
    graph = pair_directions("random", sides, rows)
    assert {d: [str(one) for one in ops] for d, ops in sides.items()} == before
    for d in sides:
        assert sum(d in pair.ops for pair in graph.pairs) == len(sides[d])
        check_rows({d: [one for _, one in alone(graph, d, lambda _: None).ops(d)]}, [{d: i} for i in range(len(sides[d]))])


def test_like_work_in_like_order_is_paired_as_it_stands() -> None:
    sides = {"encrypt": [op("mul"), op("enc", 0)], "decrypt": [op("mul"), op("dec", 0)]}
    assert match(sides) == [{"encrypt": 0, "decrypt": 0}, {"encrypt": 1, "decrypt": 1}]


def test_times_tell_operations_of_one_kind_apart() -> None:
    """The product that stands early in one direction and late in the other: by lines it is paired with the first one behind the cipher."""
    encrypt = [op("mul"), op("enc", 0), op("mul", 0), op("mul", 1), op("mul", 3)]
    decrypt = [op("mul"), op("dec", 0), op("mul", 1), op("mul", 2), op("mul", 0)]
    sides = {"encrypt": encrypt, "decrypt": decrypt}
    assert {"encrypt": 2, "decrypt": 2} in match(sides)
    free: list[int | None] = [None] * 5
    rows = match(sides, {"encrypt": ([0, 5, 6, 9, 12], free), "decrypt": ([0, 5, 9, 12, 6], free)})
    assert [row["decrypt"] for row in sorted(rows, key=lambda row: row["encrypt"])] == [0, 1, 4, 2, 3]


def test_work_of_one_direction_alone() -> None:
    sides = {"encrypt": [op("mul"), op("mul", 0), op("enc", 1)], "decrypt": [op("dec")]}
    assert match(sides) == [{"encrypt": 0}, {"encrypt": 1}, {"encrypt": 2, "decrypt": 0}]


def test_operations_that_are_bound_apart_are_no_pair() -> None:
    sides = {"encrypt": [op("enc", block=0), op("enc", block=1)], "decrypt": [op("dec", block=1), op("dec", block=0)]}
    order = {"encrypt": ([0, 1], [0, 1]), "decrypt": ([0, 1], [1, 0])}
    assert sorted(match(sides, order), key=str) == [{"encrypt": 0, "decrypt": 1}, {"encrypt": 1, "decrypt": 0}]


def test_one_direction_of_a_graph() -> None:
    graph = OpGraph("both", ("encrypt", "decrypt"))
    mask = Term(("chain", 1, 0))
    graph.pairs = [
        Pair(0, {"encrypt": op("mul")}),
        Pair(1, {"encrypt": op("enc", block=2), "decrypt": Op("dec", [(Term(("block", 3)), mask)], block=3)}),
        Pair(2, {"decrypt": op("acc", 1)}),
        Pair(3, {"encrypt": op("out", 1, block=0), "decrypt": op("out", 2, block=0)}),
    ]
    graph.chains = [Chain(0, 1, 0, {"encrypt": Term(("tweak", 0))}), Chain(1, 1, 1, {"decrypt": Term(("tweak", 0))})]
    side = alone(graph, "decrypt", lambda one: one.block % 2 if one.block is not None else None)
    assert [(pair.id, pair.kind, pair.block) for pair in side.pairs] == [(0, "dec", None), (1, "acc", None), (2, "out", 0)]
    assert side.pairs[2].ops["decrypt"].pre == [(Term(("op", 1)),)]
    assert [chain.id for chain in side.chains] == [1]
    # On one instance both may be bound.
    assert alone(graph, "decrypt", lambda one: 0).pairs[0].block == 3
