# SPDX-License-Identifier: Apache-2.0
"""Covers of random networks of sums: same values, LUTs as small as they may be, and as few as the sums need."""

import random

import pytest
from tests.rtl.gf128.lut_values import evaluate, signals_of, value_of

from modeloom.rtl.gf128.lut6 import Network, lut_count


def random_network(inputs, seed):
    """A network with 60 sums in three ranks, the last of them the outputs, and what its inputs are."""
    source = random.Random(seed)
    network = Network(inputs)
    basis = [network.new() for _ in range(16)]
    factors = [network.factor(*source.sample(basis, 2)) for _ in range(8)]
    factors += [network.factor(*source.sample(factors, 2)) for _ in range(8)]
    readable = []
    for _ in range(3):
        made = []
        for _ in range(20):
            pairs = {tuple(sorted(source.sample(basis + factors, 2))) for _ in range(source.randint(1, 9))}
            below = source.sample(readable, min(len(readable), source.randint(0, 5)))
            made.append(network.signal(frozenset(pairs) | frozenset(below)))
        readable += made
    return network, basis, set(made)


def values_of_network(network, basis):
    """The values as the network defines them, not the LUTs, for 64 random assignments of the inputs."""
    source = random.Random(5)
    values = {signal: source.getrandbits(64) for signal in basis}
    for signal, terms in [*network.factors.items(), *sorted(network.sums.items())]:
        values[signal] = value_of(terms, values)
    return values


@pytest.mark.parametrize("inputs", [4, 6])
@pytest.mark.parametrize("seed", range(4))
def test_filled_cover_has_the_same_values(inputs, seed):
    network, basis, outputs = random_network(inputs, seed)
    wanted = values_of_network(network, basis)
    before = network.cover(outputs)
    network.fill(outputs)
    after = network.cover(outputs)
    for luts in (before, after):
        values = evaluate(luts, {signal: wanted[signal] for signal in basis})
        assert all(values[signal] == wanted[signal] for signal in outputs)
    assert len(after) < len(before)


@pytest.mark.parametrize("inputs", [4, 6])
def test_luts_are_as_many_as_their_sums_need(inputs):
    network, basis, outputs = random_network(inputs, 9)
    luts = network.cover(outputs)
    levels = dict.fromkeys(basis, 0)
    for lut in luts:
        read = [signal for term in lut.terms for signal in signals_of(term)]
        assert len(read) <= inputs
        assert lut.level == 1 + max(levels[signal] for signal in read)
        levels[lut.signal] = lut.level
    needed = {lut.signal for lut in luts}
    slots = {signal: sum(len(signals_of(term)) for term in terms) for signal, terms in network.sums.items()}
    assert len(luts) == sum(lut_count(slots[s], inputs) for s in needed & slots.keys()) + len(needed & network.factors.keys())


def test_sums_of_8_products_fill_3_luts_of_6_inputs():
    assert [lut_count(2 * products, 6) for products in (1, 3, 4, 8, 9, 13)] == [1, 1, 2, 3, 4, 5]
    assert lut_count(1, 6) == lut_count(0, 6) == 0


def test_terms_that_meet_cancel():
    network = Network(6)
    a, b, c = (network.new() for _ in range(3))
    left = network.sum(frozenset([(a, b), c]))
    right = network.sum(left ^ frozenset([c]))
    output = network.signal(right ^ frozenset([(a, c)]))
    network.fill({output}, rounds=2000)
    luts = network.cover({output})
    assert {signal for lut in luts for term in lut.terms for signal in signals_of(term)} - {lut.signal for lut in luts} == {a, b, c}
    assert [lut.terms for lut in luts if len(lut.terms) > 1] == [((a, b), (a, c))]


def test_other_luts_are_refused():
    with pytest.raises(ValueError, match="4 or 6 inputs, not 5"):
        Network(5)
