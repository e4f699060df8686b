# SPDX-License-Identifier: Apache-2.0
"""The multiplier is proved in two steps: its graph is a sum of products of one bit of a and one of b (structure), and every
pair of one bit of a and one of b gives the right block (128 x 128 pairs).
"""

import random

import pytest
from amaranth.back import rtlil
from tests.built import slowly
from tests.rtl.gf128.bench import FIELDS, HALF, NARROW, STANDARD, Bank, name_of
from tests.rtl.gf128.bitslice import basis_products, expected_products

from modeloom.rtl.gf128.karatsuba import KaratsubaMultiplier, polynomial_product, product_word
from modeloom.rtl.gf128.words import Word, bit_depth, evaluate, gate_counts, variables_of
from modeloom.spec.field import GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER, clmul


@pytest.fixture(scope="module")
def standard():
    """One multiplier for each field."""
    bank = Bank({field.name: KaratsubaMultiplier(field, 2, output_register=field.factor != 0) for field in STANDARD})
    return bank, bank.simulation()


def products(simulation, names, width, pairs, latency):
    """Outputs for one pair a cycle, aligned with the pairs."""
    result = []
    for t in range(len(pairs) + latency):
        a, b = pairs[min(t, len(pairs) - 1)]
        simulation.set(f"a{width}", a)
        simulation.set(f"b{width}", b)
        if t >= latency:
            result.append(tuple(simulation.get(name) for name in names))
        simulation.step()
    return result


@pytest.mark.parametrize("each", [64, *slowly(8, 1)])
def test_all_basis_pairs(standard, each):
    bank, simulation = standard
    # The graph is proved on all of them (test_all_basis_pairs_of_the_graph); its hardware is run on each 64th, too.
    chosen = [(i, j) for i in range(128) for j in range(128) if (3 * i + j) % each == 0]
    pairs = [(1 << i, 1 << j) for i, j in chosen]
    names = [field.name for field in STANDARD]
    powers = [
        [field.from_polynomial(field.x_power(k + field.factor)) for k in range(255)] for field in STANDARD
    ]
    # bit(i) is an involution, so it gives the coefficient of a bit as well as the bit of a coefficient
    expected = [
        tuple(powers[f][field.bit(i) + field.bit(j)] for f, field in enumerate(STANDARD)) for i, j in chosen
    ]
    assert products(simulation, names, 128, pairs, 2) == expected


def test_random_products(standard):
    bank, simulation = standard
    source = random.Random(1)
    pairs = [(source.getrandbits(128), source.getrandbits(128)) for _ in range(500)]
    pairs += [(field.one, source.getrandbits(128)) for field in STANDARD] + [((1 << 128) - 1,) * 2, (0, 5)]
    names = [field.name for field in STANDARD]
    assert products(simulation, names, 128, pairs, 2) == [
        tuple(field.mul(a, b) for field in STANDARD) for a, b in pairs
    ]


def test_another_bit_order_would_be_noticed(standard):
    bank, simulation = standard
    found = products(simulation, ["ghash"], 128, [(1 << i, 1 << 9) for i in range(128)], 2)
    assert sum(block != (XTS_ORDER.mul(1 << i, 1 << 9),) for i, block in enumerate(found)) > 100


@pytest.mark.parametrize("refined", [False, True])
@pytest.mark.parametrize("halt", [1, 2, 4, 5, 8, 16, 24, 32, 64, 300])
@pytest.mark.parametrize("field", FIELDS, ids=name_of)
def test_structure_is_bilinear_and_products_are_right(field, halt, refined):
    a, b = Word.input(field.width), Word.input(field.width)
    product = product_word(field, a, b, halt, refined=refined)
    assert variables_of(product) == {(a, b)}
    source = random.Random(halt)
    for _ in range(3):
        x, y = source.getrandbits(field.width), source.getrandbits(field.width)
        assert evaluate(product, {a: x, b: y}) == field.mul(x, y)


def test_every_latency_with_a_new_product_each_cycle():
    bank = Bank(
        {
            f"o_{stages}_{int(at_output)}": KaratsubaMultiplier(NARROW, stages, 8, output_register=at_output)
            for stages, at_output in ((0, False), (1, False), (1, True), (3, False), (5, True), (6, False))
        }
        | {"half": KaratsubaMultiplier(HALF, 4, 4)}
    )
    simulation = bank.simulation()
    source = random.Random(7)
    fields = {f"{field.width}": field for field in (NARROW, HALF)}
    history = []
    outputs = {name: [] for name in bank.multipliers}
    for _ in range(40):
        values = {width: (source.getrandbits(int(width)), source.getrandbits(int(width))) for width in fields}
        history.append({width: fields[width].mul(*pair) for width, pair in values.items()})
        for width, (a, b) in values.items():
            simulation.set(f"a{width}", a)
            simulation.set(f"b{width}", b)
        for name in outputs:
            outputs[name].append(simulation.get(name))
        simulation.step()
    for name, multiplier in bank.multipliers.items():
        expected = [products[f"{multiplier.field.width}"] for products in history]
        measured = [d for d in range(12) if outputs[name][d:] == expected[: len(expected) - d]]
        assert measured == [multiplier.latency] == [multiplier.stages], name
        assert multiplier.interval == 1


@pytest.mark.parametrize(
    ("halt", "xors", "ands", "delay"),
    [(2, 9913, 2916, 19), (4, 8455, 3888, 17), (8, 7969, 5184, 15), (16, 8455, 6912, 13), (32, 9913, 9216, 11),
     (64, 12415, 12288, 9)],
)  # fmt: skip
def test_plain_gate_counts_are_those_of_the_thesis(halt, xors, ands, delay):
    """gcm2008, table 3.1; the refined form has fewer XORs and the same delay."""
    a, b = Word.input(128), Word.input(128)
    plain = polynomial_product(a, b, halt, refined=False)
    assert gate_counts(plain) == (ands, xors)
    assert plain.depth == 1 + delay
    refined = polynomial_product(a, b, halt)
    assert refined.depth == plain.depth
    assert gate_counts(refined)[0] == ands and gate_counts(refined)[1] < xors


@pytest.mark.parametrize(
    ("halt", "gates", "depth"),
    [(1, 13195, 19), (2, 11688, 17), (4, 11494, 16), (8, 12579, 14), (16, 15031, 13), (32, 18942, 11), (64, 24640, 10)],
)
def test_two_levels_put_together_at_once_save_gates_and_depth(halt, gates, depth):
    a, b = Word.input(128), Word.input(128)
    product = polynomial_product(a, b, halt, quarters=True)
    assert sum(gate_counts(product)) == gates
    assert bit_depth(product) == depth
    halves = polynomial_product(a, b, halt)
    assert gates <= sum(gate_counts(halves)) and depth <= halves.depth


@pytest.mark.parametrize(("n", "halt"), [(4, 1), (16, 1), (32, 2), (4, 4), (16, 4), (8, 8), (32, 8), (16, 16)])
def test_gates_of_a_product_by_quarters(n, halt):
    """9 M(n) + 34n - 11 for 4n coefficients, if an even number of levels leads to n."""
    sizes = [sum(gate_counts(polynomial_product(Word.input(m), Word.input(m), halt, quarters=True))) for m in (n, 4 * n)]
    assert sizes[1] == 9 * sizes[0] + 34 * n - 11


@pytest.mark.parametrize("field", FIELDS, ids=name_of)
def test_all_basis_pairs_of_the_graph(field):
    a, b = Word.input(field.width), Word.input(field.width)
    expected = expected_products(field)
    for halt, quarters in ((2, True), (4, True), (8, True), (16, False)):
        product = product_word(field, a, b, halt, quarters=quarters)
        assert variables_of(product) == {(a, b)}
        assert basis_products(product, a, b, field) == expected


def test_printed_formulas_are_wrong_and_the_corrected_ones_hold():
    """brw2013, appendix A, writes B = B^H + B^L x^64; gcm2008, eq. (3.5), D1 = (A_h + B_l)(A_l + B_h)."""
    source = random.Random(3)
    mask = (1 << 64) - 1
    a, b = source.getrandbits(128), source.getrandbits(128)
    al, ah, bl, bh = a & mask, a >> 64, b & mask, b >> 64
    low, high = clmul(al, bl), clmul(ah, bh)

    def karatsuba(low, middle, high):
        return low ^ (middle ^ low ^ high) << 64 ^ high << 128

    assert karatsuba(low, clmul(ah ^ al, bl ^ bh), high) == clmul(a, b)
    assert karatsuba(low, clmul(ah ^ bl, al ^ bh), high) != clmul(a, b)
    assert karatsuba(clmul(al, bh), clmul(ah ^ al, bl ^ bh), clmul(ah, bl)) != clmul(a, b)
    x, y = Word.input(128), Word.input(128)
    assert evaluate(polynomial_product(x, y, 64, refined=False), {x: a, y: b}) == clmul(a, b)


@pytest.mark.parametrize("stages", [1, 3])
def test_pipeline_registers_have_neither_reset_nor_enable(stages):
    text = rtlil.convert(KaratsubaMultiplier(POLYVAL_ORDER, stages), name="multiplier")
    assert "cell $dff " in text
    for other in ("$sdff", "$dffe", "$adff", "$sdffe", "$sdffce"):
        assert f"cell {other} " not in text


def test_elaboration_is_deterministic():
    texts = {rtlil.convert(KaratsubaMultiplier(HALF, 2), name="multiplier") for _ in range(2)}
    assert len(texts) == 1


def test_parameters_are_checked():
    with pytest.raises(TypeError, match="field must be a Field"):
        KaratsubaMultiplier("ghash", 1)
    with pytest.raises(TypeError, match="stages must be an int"):
        KaratsubaMultiplier(GHASH_ORDER, 1.5)
    with pytest.raises(TypeError, match="halt must be an int"):
        KaratsubaMultiplier(GHASH_ORDER, 1, True)
    with pytest.raises(ValueError, match="stages must be at least 0, not -1"):
        KaratsubaMultiplier(GHASH_ORDER, -1)
    with pytest.raises(ValueError, match="halt must be at least 1, not 0"):
        KaratsubaMultiplier(GHASH_ORDER, 1, 0)
    with pytest.raises(ValueError, match="output register needs"):
        KaratsubaMultiplier(GHASH_ORDER, 0, output_register=True)
