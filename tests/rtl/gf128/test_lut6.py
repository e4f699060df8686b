# SPDX-License-Identifier: Apache-2.0
"""The multiplier is proved in two steps: its LUTs compute sums of products of one bit of a and one of b (structure), and every pair of
one bit of a and one of b gives the right block (all pairs of the basis).
"""

import random
import re
from collections import Counter

import pytest
from amaranth.back import rtlil
from tests.built import slow
from tests.rtl.gf128.bench import FIELDS, NARROW, WIDE, Bank, name_of
from tests.rtl.gf128.lut_values import evaluate, signals_of

from modeloom.rtl.gf128.lut6 import LutMultiplier, multiplier_luts
from modeloom.spec.field import GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER, Field

INNER = Field("inner", 128, (1 << 128) | (1 << 40) | 7, bytewise_reversed=True)


def kinds_of(luts, width):
    """Which factors the terms of each signal contain: "a", "b", "ab"; a signal that mixes them or multiplies twice fails."""
    kinds = {signal: "ab"[signal >= width] for signal in range(2 * width)}
    for lut in luts:
        found = {"".join(sorted(kinds[signal] for signal in signals_of(term))) for term in lut.terms}
        assert found in ({"a"}, {"b"}, {"ab"})
        kinds[lut.signal] = found.pop()
    return kinds


def check_all_pairs(field, inputs, halt):
    """Each value holds one bit for each pair (i, j) of a basis element of a and one of b."""
    n = field.width
    luts, outputs = multiplier_luts(field, inputs, halt)
    kinds = kinds_of(luts, n)
    assert all(kinds[signal] == "ab" for signal in outputs)
    ones = (1 << n) - 1
    each = sum(1 << n * i for i in range(n))  # bit j of the i-th field of n bits is the pair (i, j)
    values = evaluate(luts, {i: ones << n * i for i in range(n)} | {n + j: each << j for j in range(n)})
    powers = [field.x_power(k + field.factor) for k in range(2 * n - 1)]
    for e, signal in enumerate(outputs):
        column = sum((powers[k] >> e & 1) << k for k in range(2 * n - 1))
        assert values[signal] == sum((column >> i & ones) << n * i for i in range(n))


@pytest.mark.parametrize("field", [*(field for field in FIELDS if field is not WIDE), INNER], ids=name_of)
def test_all_basis_pairs(field):
    check_all_pairs(field, 6, 8)


@slow
@pytest.mark.parametrize("halt", [1, 3, 16, 300])
@pytest.mark.parametrize("inputs", [4, 6])
@pytest.mark.parametrize("field", [*FIELDS, INNER], ids=name_of)
def test_all_basis_pairs_with_other_pieces(field, inputs, halt):
    check_all_pairs(field, inputs, halt)


@pytest.mark.parametrize(("inputs", "halt"), [(4, 4), (4, 8), (6, 1), (6, 5), (6, 24)])
def test_other_pieces_of_a_small_field(inputs, halt):
    check_all_pairs(NARROW, inputs, halt)


def registers(stages):
    """Pipeline registers by the level that they stand behind, and how many stand behind another register."""
    text = rtlil.convert(LutMultiplier(NARROW, stages))
    names = re.findall(r"\\(level\d+_\d+_reg[$\d]*)\n", text)
    levels = Counter(int(re.match(r"level(\d+)", name)[1]) for name in set(names))
    return levels, sum("$" in name for name in set(names))


def test_registers_stand_apart():
    """No two in a row while there are levels to stand behind; and each signal that is read later is held once."""
    levels = LutMultiplier(NARROW, 0).levels
    assert registers(0) == (Counter(), 0)
    for stages in range(1, levels):
        held, doubled = registers(stages)
        assert len(held) == stages and not doubled, stages
        assert set(held) <= set(range(1, levels))
    assert registers(levels)[1]
    # Where few signals cross, and the levels between are about equal.
    assert [registers(stages)[0] for stages in (1, 2)] == [{4: 55}, {3: 85, 5: 41}]


def test_every_latency_with_a_new_product_each_cycle():
    bank = Bank({f"o_{stages}": LutMultiplier(NARROW, stages) for stages in (1, 4)})
    simulation = bank.simulation()
    source = random.Random(2)
    pairs = [(source.getrandbits(24), source.getrandbits(24)) for _ in range(40)]
    for cycle, (a, b) in enumerate(pairs):
        simulation.set("a24", a)
        simulation.set("b24", b)
        for name, multiplier in bank.multipliers.items():
            if cycle >= multiplier.latency:
                assert simulation.get(name) == NARROW.mul(*pairs[cycle - multiplier.latency]), (name, cycle)
        simulation.step()


@slow
@pytest.mark.parametrize("field", [GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER], ids=name_of)
def test_simulated_products_of_the_usual_fields(field):
    bank = Bank({"o": LutMultiplier(field, 4)})
    simulation = bank.simulation()
    source = random.Random(3)
    pairs = [(source.getrandbits(128), source.getrandbits(128)) for _ in range(200)]
    for cycle, (a, b) in enumerate(pairs):
        simulation.set("a128", a)
        simulation.set("b128", b)
        if cycle >= 4:
            assert simulation.get("o") == field.mul(*pairs[cycle - 4])
        simulation.step()


def test_luts_of_the_usual_fields():
    for field in (GHASH_ORDER, XTS_ORDER, POLYVAL_ORDER):
        multiplier = LutMultiplier(field, 0)
        assert (multiplier.luts <= 3800, multiplier.levels <= 12) == (True, True)


def test_parameters():
    for arguments, error, text in (
        ((None, 0), TypeError, "field must be a Field"),
        ((NARROW, 1.5), TypeError, "stages must be an int"),
        ((NARROW, -1), ValueError, "stages must be at least 0"),
        ((Field("forward", 24, NARROW.modulus, factor=1), 0), ValueError, "x\\^-24 to x\\^0, not x\\^1"),
    ):
        with pytest.raises(error, match=text):
            LutMultiplier(*arguments)
    with pytest.raises(ValueError, match="not 5"):
        LutMultiplier(NARROW, 0, inputs=5)
    with pytest.raises(ValueError, match="halt must be at least 1"):
        LutMultiplier(NARROW, 0, halt=0)
