# SPDX-License-Identifier: Apache-2.0
"""The matrix of a multiplication: its elements by the field alone, its runs, and the counts of gcm2008, section 3.1 and Fig. 3.2."""

import random

import pytest
from tests.rtl.gf128.bench import DENSE, FIELDS, NARROW, name_of

from modeloom.rtl.gf128.mastrovito import (
    Run,
    coefficients,
    element,
    in_block_order,
    linear_word,
    matrix_gates,
    run_elements,
    run_product,
    toeplitz_runs,
)
from modeloom.rtl.gf128.words import Word, evaluate, gate_counts, join, variables_of
from modeloom.spec.field import GHASH_ORDER, POLYVAL_ORDER
from modeloom_circuits.contract import X40_ORDER

EVERY = (*FIELDS, X40_ORDER)


@pytest.mark.parametrize("field", EVERY, ids=name_of)
def test_columns_are_the_factor_times_powers_of_x(field):
    """Column j is a * x^(j + factor), by the field's own ``scale``."""
    a = random.Random(field.name).getrandbits(field.width)
    terms = field.to_polynomial(a)
    for j in (0, 1, 2, field.width // 2, field.width - 2, field.width - 1):
        column = sum(((element(field, row, j) & terms).bit_count() & 1) << row for row in range(field.width))
        assert field.from_polynomial(column) == field.scale(a, j + field.factor)


@pytest.mark.parametrize("field", EVERY, ids=name_of)
def test_runs_are_toeplitz_and_as_long_as_can_be(field):
    n = field.width
    runs = toeplitz_runs(field)
    rows = [(run.start + i) % n for run in runs for i in range(run.length)]
    assert rows == [(rows[0] + i) % n for i in range(n)], "each row once, in rising order"
    assert runs[0].length == max(run.length for run in runs)
    for run in runs:
        elements = run_elements(field, run)
        assert len(elements) == run.length + n - 1
        for i in range(run.length):
            for j in (0, 1, n // 2, n - 1):
                assert element(field, run.start + i, j) == elements[i - j + n - 1]
    for run in runs[1:]:
        assert any(element(field, run.start - 1, j) != element(field, run.start, j + 1) for j in range(n - 1))


def test_runs_of_the_thesis():
    """Rows 7 to 127 and 0, row 1, rows 2 to 6."""
    assert toeplitz_runs(GHASH_ORDER) == [Run(7, 122), Run(1, 1), Run(2, 5)]
    assert toeplitz_runs(POLYVAL_ORDER) == [Run(127, 122), Run(121, 5), Run(126, 1)]
    assert [run.length for run in toeplitz_runs(X40_ORDER)] == [89, 1, 38]


def test_gates_of_figure_3_2():
    """784 XORs in all; at most 6 for an element; from row 7 on at most 4."""
    runs = {run.start: run_elements(GHASH_ORDER, run) for run in toeplitz_runs(GHASH_ORDER)}
    assert {start: matrix_gates(elements) for start, elements in runs.items()} == {7: 376, 1: 139, 2: 269}
    assert {start: max(row.bit_count() - 1 for row in elements) for start, elements in runs.items()} == {7: 4, 1: 4, 2: 6}
    different = {element(GHASH_ORDER, row, column) for row in range(128) for column in range(128)}
    assert matrix_gates(sorted(different)) == 784 and len(different) == 122 + 1 + 5 + 3 * 127


def test_eq_3_3():
    """The upper left corner as section 3.1 makes it: a_0, a_127, a_126 ... and the sum a_1 + a_0 + a_127 ... below."""
    assert [element(GHASH_ORDER, 0, j) for j in range(3)] == [1, 1 << 127, 1 << 126]
    assert [element(GHASH_ORDER, 1, j) for j in range(3)] == [2, 1 | 1 << 127, 1 << 127 | 1 << 126]
    assert [element(GHASH_ORDER, 2, j) for j in range(3)] == [4, 2 | 1 << 127, 1 | 1 << 127 | 1 << 126]


@pytest.mark.parametrize(("inputs", "outputs"), [(8, 8), (5, 20), (20, 5), (1, 3)])
def test_linear_maps(inputs, outputs):
    source = random.Random(inputs)
    rows = [source.getrandbits(inputs) for _ in range(outputs)]
    word = Word.input(inputs)
    result = linear_word(word, rows)
    for value in [0, *(1 << i for i in range(inputs)), *(source.getrandbits(inputs) for _ in range(5))]:
        expected = sum(((row & value).bit_count() & 1) << i for i, row in enumerate(rows))
        assert evaluate(result, {word: value}) == expected
    assert gate_counts(result) == (0, matrix_gates(rows))
    assert result.depth == (max(row.bit_count() for row in rows) - 1).bit_length()


def test_a_linear_map_to_nothing():
    word = Word.input(4)
    assert evaluate(linear_word(word, [0, 0]), {word: 15}) == 0
    assert matrix_gates([0, 0]) == 0


def test_products_of_runs():
    """Two runs of 2 and 3 rows, 4 columns, by the definition; and with some columns only."""
    source = random.Random(5)
    first, second, b = Word.input(5), Word.input(6), Word.input(4)
    whole = run_product([(first, 2), (second, 3)], 4, b)
    some = run_product([(first, 2), (second, 3)], 4, b, range(1, 3))
    assert variables_of(whole) == {(first, b), (second, b)}
    assert gate_counts(whole) == (5 * 4, 5 * 3) and whole.depth == 3
    for _ in range(20):
        u, w, x = source.getrandbits(5), source.getrandbits(6), source.getrandbits(4)
        for product, columns in ((whole, range(4)), (some, range(1, 3))):
            rows = [(u, i) for i in range(2)] + [(w, i) for i in range(3)]
            expected = sum((sum(t >> i - j + 3 & x >> j & 1 for j in columns) & 1) << r for r, (t, i) in enumerate(rows))
            assert evaluate(product, {first: u, second: w, b: x}) == expected


@pytest.mark.parametrize("field", [NARROW, DENSE], ids=name_of)
def test_bit_orders(field):
    """A product in rows from ``start`` on comes back as the block."""
    block = Word.input(field.width)
    polynomial = coefficients(field, block)
    value = random.Random(1).getrandbits(field.width)
    assert evaluate(polynomial, {block: value}) == field.to_polynomial(value)
    for start in (0, 1, field.width - 1):
        turned = join([polynomial.part(start, field.width - start), *([polynomial.part(0, start)] if start else [])])
        assert evaluate(in_block_order(field, turned, start), {block: value}) == value
