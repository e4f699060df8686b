# SPDX-License-Identifier: Apache-2.0
"""BRW trees and collapsed forests against the definition of the polynomial and proposition 1 of brw2013."""

import pytest
from tests.circuits.brw.bench import SMALL, brw_of

import modeloom_golden as golden
from modeloom_circuits.brw.products import brw_tree, collapsed_forest


def value(node, x, h):
    if node.kind == "X":
        return x[node.number - 1]
    if node.kind == "h":
        return SMALL.power(h, node.number)
    left, right = value(node.left, x, h), value(node.right, x, h)
    return SMALL.mul(left, right) if node.kind == "*" else left ^ right


def test_trees_as_printed():
    """Fig. 1, and the products that section 2.1 names."""
    assert str(brw_tree(2)) == "((X2 * h) + X1)"
    assert str(brw_tree(3)) == "(((X2 + h^2) * (X1 + h)) + X3)"
    assert str(brw_tree(4)) == f"((h^4 + X4) * {brw_tree(3)})"
    assert str(brw_tree(8)) == f"((h^8 + X8) * {brw_tree(7)})"


@pytest.mark.parametrize("m", range(1, 41))
def test_trees_are_the_polynomial(m):
    x = [SMALL.power(0x1234, 3 * j) for j in range(1, m + 1)]
    assert value(brw_tree(m), x, 0x4321) == brw_of(0x4321, x, SMALL.mul)


def test_forests_as_printed():
    """Fig. 3 and what section 3 says of it: 16, 24, 28 and 30 are the roots for 30 blocks."""
    forest = collapsed_forest(16)
    assert forest.children == {2: (), 4: (2,), 6: (), 8: (4, 6), 10: (), 12: (10,), 14: (), 16: (8, 12, 14)}
    assert forest.levels == {2: 0, 4: 1, 6: 0, 8: 2, 10: 0, 12: 1, 14: 0, 16: 3}
    assert forest.independent == (2, 6, 10, 14)
    assert collapsed_forest(30).roots == (16, 24, 28, 30)
    assert collapsed_forest(6).trees == ((2, 4), (6,))


def test_proposition_1():
    for m in range(1, 260):
        forest = collapsed_forest(m)
        p = m // 2
        assert list(forest.parents) == [2 * i for i in range(1, p + 1)]
        assert [len(tree) for tree in forest.trees] == [1 << i for i in reversed(range(p.bit_length())) if p >> i & 1]
        assert {label for label in forest.parents if label % 4 == 2} == set(forest.independent)
        for label in forest.parents:
            if label % 8 == 0:
                assert {label - 2, label - 4} <= set(forest.children[label])
            elif label % 8 == 4:
                assert forest.children[label] == (label - 2,)
        if m % 2 == 0:
            assert forest.parents == collapsed_forest(m + 1).parents


def test_parents_by_another_way():
    for m in (1, 2, 3, 31, 64, 200):
        forest = collapsed_forest(m)
        assert forest.parents == golden.collapsed_forest(m)
        assert all((above or m + 1) == min(label + (label & -label), m + 1) for label, above in forest.parents.items())


@pytest.mark.parametrize("m", (0, -1, True, 2.0, "4"))
def test_refused(m):
    with pytest.raises((TypeError, ValueError), match="m must be"):
        brw_tree(m)
