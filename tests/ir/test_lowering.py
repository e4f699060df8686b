# SPDX-License-Identifier: Apache-2.0
"""Tracing, expansion and lowering: what becomes one node, how many products there are, where sums get their names."""

from __future__ import annotations

import pytest

from modeloom.ir.expand import expand
from modeloom.ir.graph import Term
from modeloom.ir.lower import key_words, lower_direction
from modeloom.ir.pair import find_chains, pair_directions
from modeloom.ir.trace import trace
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.heh import HEH


def lowered(mode, nbytes, tweak, chains, terms=4):  # type: ignore[no-untyped-def]
    expanded = expand(trace(mode, nbytes, tweak), chains)
    _, names = key_words(expanded)
    latency = {"enc": 22, "dec": 22, "mul": 5, "acc": 1, "out": 0}
    return expanded, {d: lower_direction(expanded, d, names, terms, latency.__getitem__) for d in expanded.outputs}


def count(ops, kind):  # type: ignore[no-untyped-def]
    return sum(op.kind == kind for op in ops)


@pytest.mark.parametrize("chains", [1, 2, 3, 5, 8, 13, 31, 40])
@pytest.mark.parametrize("tweak", [16, 32])
def test_interleaved_chains_cost_no_products(chains: int, tweak: int) -> None:
    for ops in lowered(HCTR2(), 512, tweak, chains)[1].values():
        # The tweak's products are shared by both hashes, that of the length is a key word.
        assert count(ops, "mul") == 62 + tweak // 16
        assert count(ops, "enc") + count(ops, "dec") == 32


@pytest.mark.parametrize("blocks", [2, 3, 4, 9, 32, 64])
def test_heh_counts(blocks: int) -> None:
    for ops in lowered(HEH(), 16 * blocks, 16, 1)[1].values():
        # floor((m - 1) / 2) products for each BRW polynomial and one with h (brw2013, section 2.1).
        assert count(ops, "mul") == 2 * ((blocks - 1) // 2 + 1)
        assert count(ops, "enc") + count(ops, "dec") == blocks + 1


@pytest.mark.parametrize("terms", [2, 3, 4, 8])
@pytest.mark.parametrize("mode", [HCTR2(), HEH()])
def test_no_form_is_longer_than_allowed(terms: int, mode) -> None:  # type: ignore[no-untyped-def]
    for ops in lowered(mode, 512, 16, 10, terms)[1].values():
        assert max(len(form) for op in ops for form in op.pre) <= terms
        assert max(len(op.post) for op in ops) <= terms


def test_operations_are_in_order() -> None:
    for ops in lowered(HEH(), 512, 16, 1)[1].values():
        for i, op in enumerate(ops):
            assert all(term.source[1] < i for _, term in op.terms() if term.source[0] == "op")


def test_masks_become_chains_on_each_instance() -> None:
    for cores in (1, 2, 4):
        _, sides = lowered(HEH(), 512, 16, 1)
        graph = find_chains(pair_directions("heh-brw", sides), lambda pair, cores=cores: (pair.block or 0) % cores)
        assert len(graph.chains) == 2 * cores
        assert all(chain.stride == cores for chain in graph.chains)
        assert sum(chain.length for chain in graph.chains) == 2 * 31


def test_a_run_of_masks_over_several_registers() -> None:
    _, sides = lowered(HEH(), 512, 16, 1)
    graph = find_chains(pair_directions("heh-brw", sides), lambda pair: (pair.block or 0) % 2, 4)
    assert len(graph.chains) == 16
    assert all(chain.stride == 8 for chain in graph.chains)
    assert sum(chain.length for chain in graph.chains) == 2 * 31


def test_directions_pair_one_to_one() -> None:
    for mode in (HCTR2(), HEH()):
        _, sides = lowered(mode, 512, 16, 10)
        graph = pair_directions(mode.name, sides)
        assert all(len(pair.ops) == 2 for pair in graph.pairs)


def test_a_partial_block_is_cut() -> None:
    _, sides = lowered(HCTR2(), 40, 16, 4)
    cut = [op for op in sides["encrypt"] if op.keep]
    assert [op.keep for op in cut] == [8]
    assert any(t == Term(("const", 1 << 64)) for op in sides["encrypt"] for _, t in op.terms())


def test_chains_must_be_positive() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        expand(trace(HCTR2(), 64, 16), 0)
