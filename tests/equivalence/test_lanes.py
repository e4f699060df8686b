# SPDX-License-Identifier: Apache-2.0
"""Words of symbols: constants and sums are exact, and other operations are atoms of their operands."""

from __future__ import annotations

import random

import pytest
from tests.kinds import kind as named

from modeloom.equivalence import lanes
from modeloom.equivalence.cells import CELLS
from modeloom.equivalence.proof import Words
from modeloom.spec.field import GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER
from modeloom.taint.graph import Cell

WIDTH = 128


def test_numbers():
    for value in (0, 1, 5, 0x80, (1 << WIDTH) - 1):
        assert lanes.number(lanes.constant(value, WIDTH)) == value
    a = lanes.atom("a", WIDTH)
    assert lanes.number(a) is None and lanes.number(a ^ lanes.mask(WIDTH)) is None
    assert lanes.number(a ^ a ^ lanes.constant(9, WIDTH)) == 9
    assert lanes.number(a & lanes.mask(8)) is None


def test_bits():
    a = lanes.atom("a", 12)
    bits = lanes.bits_of(a, 12)
    assert len(set(bits)) == 12 and lanes.joined(bits) == a
    assert lanes.repeated(3) * bits[4] == lanes.joined([bits[4]] * 3)


@pytest.mark.parametrize("field", [GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER], ids=lambda field: field.name)
def test_multiples(field):
    """A sum of atoms behaves as the field says: on constants, and linearly."""
    rng = random.Random(1)
    a, b = lanes.atom("a", WIDTH), lanes.atom("b", WIDTH)
    for k in (-9, -1, 0, 1, 7, 64, 127, 200):
        value = rng.getrandbits(WIDTH)
        assert lanes.scaled(field, lanes.constant(value, WIDTH), k) == lanes.constant(field.scale(value, k), WIDTH)
        assert lanes.scaled(field, a ^ b, k) == lanes.scaled(field, a, k) ^ lanes.scaled(field, b, k)
        assert lanes.scaled(field, lanes.scaled(field, a, k), -k) == a
    assert lanes.scaled(field, a, 1) != a


def test_parts():
    a = lanes.atom("a", WIDTH)
    assert lanes.cut(a, WIDTH, 3) == a & lanes.mask(24)
    assert lanes.cut(a, WIDTH, 3) ^ lanes.cut(a, WIDTH, -3) == a
    assert lanes.cut(a, WIDTH, 0) == a


def test_operations_are_functions():
    a, b = lanes.atom("a", 8), lanes.atom("b", 8)
    assert lanes.operation("f", 8, a, b) == lanes.operation("f", 8, a, b)
    different = {
        lanes.operation("f", 8, a, b), lanes.operation("f", 8, b, a), lanes.operation("g", 8, a, b), lanes.operation("f", 8, a),
        lanes.operation("f", 8, a ^ lanes.ONE, b),
    }  # fmt: skip
    assert len(different) == 5


def test_products_commute_and_keys_matter():
    words = Words(GHASH_ORDER, [{"enc": 1, "dec": 2}, {"enc": 3, "dec": 4}], {})
    a, b = lanes.atom("a", WIDTH), lanes.atom("b", WIDTH)
    assert words.operate(named("mul"), [a, b], 0) == words.operate(named("mul"), [b, a], 0) != words.operate(named("mul"), [a, a], 0)
    results = [words.operate(named(core), [a], number) for core in ("enc", "dec") for number in (0, 1)]
    assert len(set(results)) == 4
    counted = words.operate(named("add"), [a], 5)
    assert counted & lanes.mask(96) == a & lanes.mask(96) and counted != a and words.operate(named("add"), [a], 6) != counted


def _cell(kind: str, width: int, *operands: str, **parameters: int) -> Cell:
    ports = {name: [10 * n + i for i in range(1, width + 1)] for n, name in enumerate(operands)}
    return Cell("c", kind, parameters, {**ports, "Y": [100 + i for i in range(1 if "eq" in kind or "reduce" in kind else width)]})


def _computed(cell: Cell, *words: int) -> int:
    kind = CELLS[cell.type]
    operands = kind.operands(cell)
    space = {"ONE": lanes.ONE}
    text = kind.line(cell, [f"w[{n}]" for n in range(len(operands))], operands, space, 0, [(0, 0)] * len(operands))
    return eval(text, space | {"w": words})


def test_gates_on_symbols():
    """A gate with a known operand in each bit is exact; with two symbols it is an atom, the same for the same operands."""
    a, b = lanes.atom("a", 4), lanes.atom("b", 4)
    gate = _cell("$and", 4, "A", "B")
    assert _computed(gate, a, lanes.constant(5, 4)) == a & lanes.constant(5, 4)
    assert _computed(gate, a, a) == a and _computed(gate, a, a ^ lanes.mask(4)) == 0
    both = _computed(gate, a, b)
    assert both == _computed(gate, b, a) != a & b
    # De Morgan holds of atoms, too.
    full = lanes.mask(4)
    assert _computed(_cell("$or", 4, "A", "B"), a ^ full, b ^ full) == both ^ full


def test_choices_and_comparisons():
    a, b = lanes.atom("a", 4), lanes.atom("b", 4)
    mux = Cell("c", "$mux", {}, {"A": [1, 2, 3, 4], "B": [5, 6, 7, 8], "S": [9], "Y": [11, 12, 13, 14]})
    unknown = lanes.atom("s", 1)
    assert _computed(mux, a, b, 0) == a and _computed(mux, a, b, lanes.ONE) == b
    assert _computed(mux, a, a, unknown) == a and _computed(mux, a, b, unknown) not in (a, b)
    equal = _cell("$eq", 4, "A", "B")
    assert _computed(equal, a, a) == lanes.ONE and _computed(equal, a, a ^ lanes.ONE) == 0
    assert lanes.number(_computed(equal, a, b)) is None
    some = _cell("$reduce_or", 4, "A")
    assert _computed(some, a | lanes.ONE) == lanes.ONE and lanes.number(_computed(some, a)) is None
    assert _computed(_cell("$reduce_xor", 4, "A"), lanes.repeated(4) * unknown) == 0


def test_numbers_in_cells():
    rng = random.Random(3)
    expected = {
        "$add": lambda a, b: a + b & 15, "$sub": lambda a, b: a - b & 15, "$mul": lambda a, b: a * b & 15,
        "$xnor": lambda a, b: ~(a ^ b) & 15, "$or": lambda a, b: a | b, "$shl": lambda a, b: a << b & 15, "$shr": lambda a, b: a >> b,
    }  # fmt: skip
    for kind, function in expected.items():
        for _ in range(20):
            a, b = rng.randrange(16), rng.randrange(16)
            assert lanes.number(_computed(_cell(kind, 4, "A", "B"), lanes.constant(a, 4), lanes.constant(b, 4))) == function(a, b), kind
