# SPDX-License-Identifier: Apache-2.0
"""The Fan-Hasan multiplier: bilinear, right for all pairs of basis blocks in every approach, and its key register."""

import random

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from tests.rtl.gf128.bench import DENSE, HALF, NARROW, SKEWED, STANDARD, TINY, UPSIDE_DOWN, name_of
from tests.rtl.gf128.bitslice import basis_products, expected_products

from modeloom.rtl.gf128.fan_hasan import FanHasanMultiplier, element_words, elements_product, matrix_elements
from modeloom.rtl.gf128.mastrovito import matrix_gates, toeplitz_runs
from modeloom.rtl.gf128.words import Word, gate_counts, variables_of
from modeloom.sim import Simulation
from modeloom.spec.field import GHASH_ORDER, POLYVAL_ORDER, Field
from modeloom_circuits.contract import X40_ORDER

TRINOMIAL = Field("trinomial", 8, (1 << 8) | 0x3)
"""x^8 + x + 1 (a ring): every row belongs to the Toeplitz matrix."""


@pytest.mark.parametrize("approach", [1, 2, 3])
@pytest.mark.parametrize("field", [*STANDARD, NARROW, HALF, SKEWED, UPSIDE_DOWN, X40_ORDER, TRINOMIAL], ids=name_of)
def test_structure_is_bilinear_and_all_basis_pairs(field, approach):
    expected = expected_products(field)
    a, b = Word.input(field.width), Word.input(field.width)
    product = FanHasanMultiplier(field, 0, 4, approach=approach).product(a, b)
    assert variables_of(product) == {(a, b)}
    assert basis_products(product, a, b, field) == expected


def test_a_modulus_of_no_use():
    """Four rows of its matrix are a Toeplitz matrix; it is right all the same."""
    a, b = Word.input(64), Word.input(64)
    product = FanHasanMultiplier(DENSE, 0, 2).product(a, b)
    assert basis_products(product, a, b, DENSE) == expected_products(DENSE)


@pytest.mark.parametrize("halt", [1, 2, 8, 16, 64])
def test_all_basis_pairs_at_every_size(halt):
    a, b = Word.input(128), Word.input(128)
    product = FanHasanMultiplier(GHASH_ORDER, 0, halt, approach=2).product(a, b)  # 122 rows are halved with padding
    assert basis_products(product, a, b, GHASH_ORDER) == expected_products(GHASH_ORDER)


def test_rows_of_the_trinomial():
    assert [run.length for run in toeplitz_runs(TRINOMIAL)] == [8]


def test_the_compensation_is_hardly_sparse():
    """Section 3.4.3 calls the matrix of differences sparse.  In fact 752 of its 768 elements are there, though of at most three terms
    each, which is what saves 238 XORs.
    """
    _, *groups = matrix_elements(GHASH_ORDER, 3)
    lengths = [run.length for run in toeplitz_runs(GHASH_ORDER)[1:]]
    there = sum(
        elements[i - j + 127] != 0 for elements, length in zip(groups, lengths) for i in range(length) for j in range(128)
    )
    assert there == 752
    assert max(row.bit_count() for elements in groups for row in elements) == 3
    assert sum(matrix_gates(elements) for elements in matrix_elements(GHASH_ORDER, 3)) == 784 - 238


@pytest.mark.parametrize("approach", [1, 2, 3])
def test_gates_are_the_parts_together(approach):
    """The Toeplitz rows that are padded with zeros save up to 6 XORs in approach 1."""
    ands, xors = gate_counts(FanHasanMultiplier(GHASH_ORDER, approach=approach).product(Word.input(128), Word.input(128)))
    brute = 6 * 128
    if approach == 1:
        assert ands == 3888 + brute and 0 <= 7859 + 6 * 127 + 784 - xors <= 6
    elif approach == 2:
        assert ands > 3888 + brute and xors > 7859 + 784
    else:
        assert ands == 3888 + 752 and xors < 7859 + brute + 546


class Keyed(wiring.Component):
    """Multipliers with key registers, 0 and 3 stages, on the same ports."""

    stages = (0, 3)

    def __init__(self):
        super().__init__({"a": In(16), "b": In(16), "load": In(1), **{f"o{stages}": Out(16) for stages in self.stages}})

    def elaborate(self, platform):
        m = Module()
        for stages in self.stages:
            unit = m.submodules[f"unit{stages}"] = FanHasanMultiplier(TINY, stages, 8, approach=3 if stages else 1, form="key")
            m.d.comb += [unit.a.eq(self.a), unit.b.eq(self.b), unit.load.eq(self.load), self[f"o{stages}"].eq(unit.o)]
        return m

    def __getitem__(self, name):
        return getattr(self, name)


def test_key_register():
    """A key takes part from the cycle behind ``load`` on; products under way keep theirs."""
    simulation = Simulation.of(rtlil.convert(Keyed(), name="unit"), "unit", optimize=0)
    source = random.Random(4)
    key, expected, found = None, [], {stages: [] for stages in Keyed.stages}
    for cycle in range(60):
        values = {"a": source.getrandbits(16), "b": source.getrandbits(16), "load": cycle == 0 or source.random() < 0.2}
        for name, value in values.items():
            simulation.set(name, int(value))
        expected.append(None if key is None else TINY.mul(key, values["b"]))
        for stages, seen in found.items():
            seen.append(simulation.get(f"o{stages}"))
        simulation.step()
        if values["load"]:
            key = values["a"]
    for stages, seen in found.items():
        assert seen[1 + stages :] == expected[1 : len(expected) - stages]


def test_the_register_holds_the_elements():
    """Fig. 5.1: 2m - 1 bits for a matrix that is all Toeplitz; for GHASH 249 of the long run, 128 and 132 of the others."""
    words = element_words(GHASH_ORDER, Word.input(128), 1)
    assert [word.width for word in words] == [249, 128, 132]
    held = [Word.input(word.width) for word in words]
    b = Word.input(128)
    product = elements_product(GHASH_ORDER, held, b, 4, 1)
    assert variables_of(product) == {(word, b) if word.serial < b.serial else (b, word) for word in held}
    assert product.depth == 13
    text = rtlil.convert(FanHasanMultiplier(TINY, form="key"), name="unit")
    assert "cell $sdff" not in text


def test_polyval_is_the_mirror_image_of_ghash():
    assert [len(elements) for elements in matrix_elements(POLYVAL_ORDER, 1)] == [249, 132, 128]


def test_parameters_are_checked():
    with pytest.raises(TypeError, match="FanHasanMultiplier: field must be a Field"):
        FanHasanMultiplier("ghash")
    with pytest.raises(TypeError, match="halt must be an int"):
        FanHasanMultiplier(NARROW, 0, 2.0)
    with pytest.raises(ValueError, match="halt must be at least 1, not 0"):
        FanHasanMultiplier(NARROW, 0, 0)
    with pytest.raises(ValueError, match="stages must be at least 0, not -1"):
        FanHasanMultiplier(NARROW, -1)
    with pytest.raises(ValueError, match="approach must be 1, 2 or 3, not 4"):
        FanHasanMultiplier(NARROW, approach=4)
    with pytest.raises(ValueError, match="form must be direct or key, not register"):
        FanHasanMultiplier(NARROW, form="register")
