# SPDX-License-Identifier: Apache-2.0
"""The multipliers beside the printed tables of gcm2008, chapter 3: every row; and their timing with other options than the defaults."""

from __future__ import annotations

import pytest
from tests.built import slow
from tests.circuits.units import measured

from modeloom.rtl.gf128.reduction import reduction_gates
from modeloom.spec import InputError
from modeloom.spec.field import Field, clmul
from modeloom_circuits import find_circuit, printed
from modeloom_circuits.contract import FIELDS, X40_ORDER

CIRCUITS = {"3.1": "karatsuba", "3.2": "fan-hasan"}
ROWS = [(CIRCUITS[row["table"]], int(row["row"]), row["values"]) for table in CIRCUITS for row in printed("gcm2008", table)]
TEXT = {row["row"]: row["values"] for row in printed("gcm2008", "text of chapters 3 and 5")}

CASES = (
    ("serial", {"digit": 16, "field": "polyval"}),
    ("serial", {"digit": 4, "field": "xts"}),
    ("mastrovito", {"stages": 3, "field": "polyval"}),
    ("karatsuba", {"halt": 4, "stages": 16, "field": "x40"}),
    ("karatsuba-refined", {"stages": 2, "field": "xts"}),
    ("karatsuba-refined", {"halt": 8, "together": "halves", "stages": 1}),
    ("fan-hasan", {"form": "key", "stages": 3}),
    ("fan-hasan", {"form": "key", "approach": 3, "field": "polyval", "halt": 8}),
    ("fan-hasan", {"approach": 2, "halt": 64, "stages": 5, "field": "x40"}),
    ("fan-hasan", {"approach": 3, "stages": 1}),
    *(("square", {"field": name}) for name in FIELDS),
)


@slow
@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_declared_latency_and_interval_of_more_options(name, options):
    built = find_circuit(name).build(**options)
    assert measured(built) == [(built.component.latency, built.component.interval)]


@pytest.mark.parametrize(("name", "halt", "values"), ROWS, ids=str)
def test_gates_are_those_of_tables_3_1_and_3_2(name, halt, values):
    gates = find_circuit(name).build(halt=halt).gates
    assert values == {
        "xor": gates.xors,
        "and": gates.ands,
        "total": gates.total,
        "nand2": gates.nand2,
        "delay_and": 1,
        "delay_xor": gates.depth - 1,
    }


def test_refined_karatsuba():
    """11620 are Bernstein's (2009) for 128 coefficients; by quarters they are fewer, and not as deep."""
    plain = find_circuit("karatsuba").build(halt=4).gates
    halves = find_circuit("karatsuba-refined").build(together="halves").gates
    quarters = find_circuit("karatsuba-refined").build().gates
    assert [(gates.total, gates.depth) for gates in (plain, halves, quarters)] == [(12343, 18), (11620, 18), (11494, 16)]
    assert quarters.ands == halves.ands == plain.ands
    assert quarters.nand2 < 41596 - 3000


def test_reduction():
    for name, expected in (("ghash", 527), ("xts", 527), ("polyval", 531)):
        figures = find_circuit("karatsuba").build(field=name).figures
        assert figures["reduction_xor"] == expected
    assert TEXT["karatsuba, ghash"]["reduction_xor"] == 527


def test_reduction_of_the_other_polynomial():
    """Printed: 623.  The reduction matrix of x^128 + x^40 + x^2 + x + 1 has 626 + 128 ones; 623 belongs to x^39 in place of x^40."""
    found = find_circuit("karatsuba").build(field="x40").figures["reduction_xor"]
    ones = sum(X40_ORDER.reduce(1 << k).bit_count() for k in range(255))
    assert found == ones - 128 == 626
    x39 = Field("x39", 128, (1 << 128) | (1 << 39) | 0x7)
    assert reduction_gates(x39) == TEXT["karatsuba, x40"]["reduction_xor"] == 623


def test_the_other_polynomial_is_reducible():
    rest = X40_ORDER.modulus
    while rest.bit_length() >= 4:
        rest ^= 0b1101 << rest.bit_length() - 4
    assert rest == 0, "as its docstring says"
    assert clmul(0b1101, 0b1101) == 0b1010001


def test_mastrovito():
    """Section 3.2: 784 XORs for the elements, m^2 ANDs, m^2 - m XORs, T_A + (log2 m + log2 (6 + 1)) T_X.

    Section 5.2 prints 100420 NAND2 gates, which is what the (m - 1)^2 XORs of table 3.3 give: those are the XORs of a product of
    polynomials, not of a matrix with a vector.
    """
    built = find_circuit("mastrovito").build()
    assert (built.gates.ands, built.gates.xors, built.gates.depth) == (128**2, 128**2 - 128, 1 + 7)
    figures = built.figures
    assert figures["matrix_xor"] == TEXT["mastrovito, ghash"]["matrix_xor"] == 784
    assert figures["multiplier_xor"] == 128**2 - 128 + 784
    assert figures["multiplier_depth"] == 1 + 7 + 3
    as_printed = 2 * 128**2 + 4 * (127**2 + 784)
    assert TEXT["mastrovito, ghash"]["nand2"] == as_printed == figures["multiplier_nand2"] - 4 * 127


@pytest.mark.parametrize("approach", [1, 2, 3])
def test_fan_hasan_of_the_thesis(approach):
    """Section 3.4.3: the first approach has the least delay, the third the fewest gates; T_A + 15 T_X by sections 3.4.3 and 5.2."""
    first = find_circuit("fan-hasan").build().figures
    figures = find_circuit("fan-hasan").build(approach=approach).figures
    assert figures["multiplier_depth"] == (16 if approach == 1 else 17)
    assert figures["matrix_xor"] == (546 if approach == 3 else 784)
    assert figures["toeplitz_rows"] == (128 if approach == 3 else 122)
    if approach == 3:
        assert figures["multiplier_nand2"] < first["multiplier_nand2"]


def test_fan_hasan_with_the_key_register_behind_the_matrix():
    """Section 5.2: the form of Fig. 5.1 saves 3 T_X."""
    direct = find_circuit("fan-hasan").build()
    key = find_circuit("fan-hasan").build(form="key")
    assert direct.figures["multiplier_depth"] - key.figures["multiplier_depth"] == 3
    assert key.figures["multiplier_xor"] == direct.figures["multiplier_xor"]
    assert key.figures["key_register_bits"] == 249 + 128 + 132


def test_tables_3_3_and_3_4_agree_with_the_text_of_section_3_5():
    asic = {row["row"]: row["values"] for row in printed("gcm2008", "3.3")}
    fpga = {row["row"]: row["values"] for row in printed("gcm2008", "3.4")}
    assert [int(128 / asic[row]["delay"]) for row in ("FH, speed", "Mastrovito, speed")] == [79, 113]
    assert round(1 - asic["FH, speed"]["area"] / asic["KA, speed"]["area"], 2) == 0.07
    assert round(1 - asic["FH, speed"]["delay"] / asic["KA, speed"]["delay"], 2) == 0.05
    assert 0.35 <= 1 - asic["FH, speed"]["area"] / asic["Mastrovito, speed"]["area"] < 0.36
    assert asic["Mastrovito, area"]["area"] > 2 * asic["FH, area"]["area"] > 2 * asic["KA, area"]["area"]
    for values in fpga.values():
        assert abs(100 * values["slices"] / 42176 - values["utilization"]) < 0.01
    assert round(fpga["KA"]["delay"] / fpga["FH"]["delay"] - 1, 2) == 0.08


def test_the_count_of_a_serial_multiplier_is_that_of_a_cycle():
    gates = find_circuit("serial").build().gates
    assert (gates.ands, gates.xors, gates.depth) == (128, 128 + 3, 2)


def test_options_are_checked():
    with pytest.raises(InputError, match="--halt must be one of 2, 4, 8, 16, 32, 64, not 3"):
        find_circuit("karatsuba").build(halt=3)
    with pytest.raises(InputError, match="--field must be one of ghash, polyval, xts, x40, not aes"):
        find_circuit("square").build(field="aes")
    with pytest.raises(InputError, match="--approach must be one of 1, 2, 3, not 4"):
        find_circuit("fan-hasan").build(approach=4)
    with pytest.raises(InputError, match="--stages must be from 0 to 16, not 17"):
        find_circuit("mastrovito").build(stages=17)
