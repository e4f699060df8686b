# SPDX-License-Identifier: Apache-2.0
"""Runs of masks as registers that step: on results and on key words, in modes where not every block is in the run."""

from __future__ import annotations

import pytest
from tests.program_runs import computes

import modeloom_golden as golden
from modeloom.compiler.compile import Compiled, compile_mode
from modeloom.ir.graph import Op, OpGraph, Pair, Term
from modeloom.ir.pair import find_chains
from modeloom.modes import find
from modeloom.options.sectors import Options


def made(mode: str, *, prove: bool = False, **options) -> Compiled:  # type: ignore[no-untyped-def]
    return compile_mode(find(mode), Options(**{"restarts": 0, **options}), prove=prove)


@pytest.mark.parametrize("pipelines", [1, 2, 4])
@pytest.mark.parametrize("sector", [256, 260, 271])
def test_xts_reaches_its_bound_with_and_without_stealing(pipelines: int, sector: int) -> None:
    compiled = made("xts", prove=True, sector=sector, cipher_cores=pipelines)
    blocks = -(-sector // 16)
    assert compiled.schedule.ii == compiled.schedule.problem.ii_bound() == -(-(blocks + 1) // pipelines)
    assert computes(compiled, lambda key: golden.mode("xts", key), "xts", sectors=4)


@pytest.mark.parametrize("pipelines", [1, 2, 4])
@pytest.mark.parametrize("sector", [512, 516])
def test_both_directions_of_xts_share_each_register(pipelines: int, sector: int) -> None:
    compiled = made("xts", sector=sector, cipher_cores=pipelines)
    # A register in front of each pipeline and one behind it.
    assert len(compiled.graph.chains) == 2 * pipelines
    assert all(set(chain.base) == {"encrypt", "decrypt"} and chain.stride == pipelines for chain in compiled.graph.chains)
    blocks = sector // 16
    shared = blocks if not sector % 16 else blocks - 1
    # With stealing, the two blocks that exchange their masks take them by wire.
    assert sum(chain.length for chain in compiled.graph.chains) in range(2 * shared - 4, 2 * shared + 1)


@pytest.mark.parametrize("mode", ["eme", "eme2"])
def test_masks_of_a_key_word_are_no_key_words(mode: str) -> None:
    """L x^i for every block comes from one word and registers."""
    compiled = made(mode, sector=512)
    words = {"eme": 1, "eme2": 2}[mode]
    assert len(compiled.graph.key_names) == words
    of_key = [chain for chain in compiled.graph.chains if all(base.source[0] == "key" for base in chain.base.values())]
    assert of_key and sum(chain.length for chain in of_key) >= 2 * 30
    assert all(set(chain.base) == {"encrypt", "decrypt"} for chain in of_key)


def test_a_sector_of_few_blocks_takes_its_masks_by_wire() -> None:
    assert not made("eme", sector=48).graph.chains
    assert not made("xts", sector=48).graph.chains


def multiples(*powers: int) -> OpGraph:
    """A value of which each block takes a multiple x^k."""
    graph = OpGraph("multiples", ("encrypt",), [Pair(0, {"encrypt": Op("enc", [(Term(("tweak", 0)),)])})])
    for i, k in enumerate(powers):
        graph.pairs.append(Pair(i + 1, {"encrypt": Op("enc", [(Term(("block", i)), Term(("op", 0), k))], block=i)}))
    return graph


@pytest.mark.parametrize(
    ("powers", "run"),
    [
        ((20, 22, 24, 26), (20, 2, 4)),
        # Three of the lowest may come by wire, wherever they stand; of four, four multiples would.
        ((20, 22, 24, 26, 3), (20, 2, 4)),
        ((20, 22, 24, 26, 3, 7), (20, 2, 4)),
        ((20, 22, 24, 26, 3, 7, 0), (20, 2, 4)),
        ((20, 22, 24, 26, 3, 7, 0, 12), None),
        # Where the lowest three have a step of their own, the longer run counts.
        ((0, 1, 2, 20, 22, 24, 26), (20, 2, 4)),
        ((0, 1, 2, 3, 20, 22, 24), (0, 1, 4)),
        # Few multiples, and steps that differ, need no register.
        ((20, 22, 24), None),
        ((20, 22, 25, 26, 29), None),
    ],
    ids=str,
)
def test_the_lowest_multiples_may_stay_out_of_a_run(powers: tuple[int, ...], run: tuple[int, int, int] | None) -> None:
    graph = find_chains(multiples(*powers), lambda pair: 0)
    found = [(chain.base["encrypt"].k, chain.stride, chain.length) for chain in graph.chains]
    assert found == ([run] if run else [])
    wired = [term.k for _, op in graph.ops("encrypt") for _, term in op.terms() if term.source == ("op", 0)]
    first, step, length = run or (0, 1, 0)
    assert sorted(wired) == sorted(set(powers) - {first + step * n for n in range(length)})
