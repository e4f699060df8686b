# SPDX-License-Identifier: Apache-2.0
import random

import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator
from tests.rtl.gf128.bench import DENSE, FIELDS, SKEWED, name_of

from modeloom.rtl.gf128.reduction import fold_distances, parities, reduce, reduce_word, shift_coefficients
from modeloom.rtl.gf128.words import Word, evaluate, gate_counts, variables_of
from modeloom.spec.field import GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER, Field


def expected(field: Field, product: int) -> int:
    """The definition: coefficients out of the field's order, times x^factor, remainder."""
    polynomial = sum((product >> field.bit(i) & 1) << i for i in range(2 * field.width))
    return field.from_polynomial(field.poly_mul(field.reduce(polynomial), field.x_power(field.factor)))


@pytest.mark.parametrize("field", FIELDS, ids=name_of)
def test_reduction_is_linear_and_right_on_a_basis(field):
    product = Word.input(2 * field.width)
    block = reduce_word(field, product)
    assert block.width == field.width and variables_of(block) == {(product,)}
    for i in range(2 * field.width):
        assert evaluate(block, {product: 1 << i}) == expected(field, 1 << i), i
    value = random.Random(field.name).getrandbits(2 * field.width)
    assert evaluate(block, {product: value}) == expected(field, value)


@pytest.mark.parametrize("field", [GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER], ids=name_of)
def test_folding_costs_less_than_the_matrix_of_the_thesis(field):
    """gcm2008, section 3.3.2: 527 XORs by the Hamming weight of the matrix."""
    product = Word.input(2 * field.width)
    ands, xors = gate_counts(reduce_word(field, product & ~(1 << field.bit(2 * field.width - 1))))
    assert ands == 0 and xors < 527


def test_fold_distances():
    assert fold_distances(GHASH_ORDER, 1) == [0, 1, 2, 7]
    assert fold_distances(POLYVAL_ORDER, -1) == [0, 1, 2, 7]
    assert fold_distances(POLYVAL_ORDER, 1) is None
    assert fold_distances(DENSE, 1) is None and fold_distances(DENSE, -1) is None


@pytest.mark.parametrize("field", [GHASH_ORDER, XTS_ORDER], ids=name_of)
@pytest.mark.parametrize("k", [0, 1, 3, 7, 8, 13, 121, -1, -4, -8, -17, -127, 128, -128])
def test_coefficients_move(field, k):
    word = Word.input(128)
    shifted = shift_coefficients(field, word, k)
    for i in range(128):
        moved = 1 << field.bit(i + k) if 0 <= i + k < 128 else 0
        assert evaluate(shifted, {word: 1 << field.bit(i)}) == moved


def test_parities_take_any_number_of_coefficients():
    word = Word.input(40)
    block = parities(SKEWED, word, 250)
    for i in range(40):
        column = SKEWED.from_polynomial(SKEWED.x_power(i + 250))
        assert evaluate(block, {word: 1 << SKEWED.bit(i)}) == column


@pytest.mark.parametrize("field", FIELDS, ids=name_of)
def test_reduce_as_logic(field):
    m = Module()
    product, block = Signal(2 * field.width), Signal(field.width)
    m.d.comb += block.eq(reduce(field, product))
    source = random.Random(field.name)

    async def bench(context):
        for _ in range(10):
            value = source.getrandbits(2 * field.width)
            context.set(product, value)
            await context.delay(1e-9)
            assert context.get(block) == expected(field, value)

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()


def test_products_of_other_widths_are_refused():
    with pytest.raises(ValueError, match="256 bits, not 255"):
        reduce_word(XTS_ORDER, Word.input(255))
