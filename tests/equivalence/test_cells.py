# SPDX-License-Identifier: Apache-2.0
"""Cells on numbers and on symbols: comparisons with and without a sign, and sums of a counter and numbers."""

from __future__ import annotations

from itertools import product
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import pytest

from modeloom.equivalence import lanes
from modeloom.equivalence.cells import CELLS, added, counted
from modeloom.equivalence.stream.words import product_of
from modeloom.modes.gcm import GCM
from modeloom.spec import COUNTERS
from modeloom.taint.graph import Bit, Cell

COMPARISONS = {"$lt": lt, "$le": le, "$gt": gt, "$ge": ge, "$eq": eq, "$ne": ne}


def function(type: str, a: int, b: int, width: int, **parameters: int) -> Any:
    """A cell with operands of so many bits, as a function of two words; constant zeros are above an operand of a sum."""
    ports: dict[str, list[Bit]] = {"A": list(range(a)), "B": list(range(100, 100 + b)), "Y": list(range(200, 200 + width))}
    cell = Cell("c", type, parameters, ports)
    rule, space = CELLS[type], {"ONE": lanes.ONE}
    line = rule.line(cell, ["a", "b"], rule.operands(cell), space, 0, [(0, 0), (0, 0)])
    return lambda a, b: eval(line, space, {"a": a, "b": b})


def signed(value: int, bits: int) -> int:
    return value - (value >> bits - 1 << bits)


@pytest.mark.parametrize("type", COMPARISONS)
@pytest.mark.parametrize("sign", [False, True])
def test_comparisons(type: str, sign: bool) -> None:
    found = function(type, 3, 3, 1, A_SIGNED=int(sign), B_SIGNED=int(sign))
    for a, b in product(range(8), repeat=2):
        values = (signed(a, 3), signed(b, 3)) if sign else (a, b)
        assert bool(found(lanes.constant(a, 3), lanes.constant(b, 3))) == COMPARISONS[type](*values)


def test_an_operand_that_is_shorter_keeps_its_sign() -> None:
    cell = Cell("c", "$lt", {"A_SIGNED": 1, "B_SIGNED": 1}, {"A": [1, 2], "B": [3, 4, 5], "Y": [6]})
    assert CELLS["$lt"].operands(cell) == [[1, 2, 2], [3, 4, 5]]


def test_nothing_is_below_zero() -> None:
    word = lanes.atom("a", 3)
    assert function("$lt", 3, 3, 1)(word, 0) == 0
    assert lanes.number(function("$lt", 3, 3, 1, A_SIGNED=1, B_SIGNED=1)(word, 0)) is None
    assert lanes.number(function("$lt", 3, 3, 1)(word, lanes.constant(1, 3))) is None


@pytest.mark.parametrize("count", [1, 2, 3, 40])
def test_choices(count: int) -> None:
    """One of many choices: on numbers, and on symbols for what is chosen.  The expression grows with their number only."""
    ports: dict[str, list[Bit]] = {"A": [0, 1], "B": list(range(2, 2 + 2 * count)), "S": list(range(500, 500 + count)), "Y": [900, 901]}
    cell, space = Cell("c", "$pmux", {}, ports), {"ONE": lanes.ONE}
    rule = CELLS["$pmux"]
    names = ["other", *(f"choice{n}" for n in range(count)), *(f"select{n}" for n in range(count))]
    line = rule.line(cell, names, rule.operands(cell), space, 0, [(0, 0)] * len(names))
    assert len(line) < 200 + 100 * count
    words = {"other": lanes.atom("other", 2)} | {f"choice{n}": lanes.atom(f"choice {n}", 2) for n in range(count)}
    for chosen in (None, 0, count // 2, count - 1):
        selects = {f"select{n}": lanes.ONE if n == chosen else 0 for n in range(count)}
        assert eval(line, space, words | selects) == words["other" if chosen is None else f"choice{chosen}"]
    unknown = {f"select{n}": lanes.atom("select", 1) if n == count - 1 else 0 for n in range(count)}
    found = eval(line, space, words | unknown)
    assert found == lanes.operation("mux", 2, unknown[f"select{count - 1}"], words["other"], words[f"choice{count - 1}"])


def test_sums_of_a_counter() -> None:
    word, total = lanes.atom("counter", 8), function("$add", 9, 9, 9)

    def plus(word: int, number: int) -> int:
        return total(word, lanes.constant(number, 9)) & lanes.mask(8)

    assert added(added(word, 1, 8), 2, 8) == added(word, 3, 8) != added(word, 2, 8)
    assert added(added(word, 200, 8), 56, 8) == word
    assert lanes.number(added(lanes.constant(255, 8), 3, 8)) == 2
    assert lanes.number(plus(lanes.constant(255, 9), 3)) == 2
    assert plus(word, 1) != plus(word, 2)


def test_a_sum_in_a_netlist_is_that_of_the_definition() -> None:
    """The constant zero above a counter makes room for its carry."""
    word = lanes.atom("other counter", 8)
    cell = Cell("c", "$add", {}, {"A": [*range(8), "0"], "B": ["1", *"00000000"], "Y": list(range(200, 209))})
    rule, space = CELLS["$add"], {}
    line = rule.line(cell, ["a", "b"], rule.operands(cell), space, 0, [(0, 0), (0, 0)])
    assert eval(line, space, {"a": word, "b": lanes.constant(1, 9)}) & lanes.mask(8) == added(word, 1, 8)


@pytest.mark.parametrize("name", COUNTERS)
def test_counters_of_blocks(name: str) -> None:
    counter, value = COUNTERS[name], (1 << 128) - 1 - (5 << 60)
    expected = counter.add(value, 7, 16)
    assert lanes.number(counted(lanes.constant(value, 128), counter, 7, 128)) == expected


def test_products() -> None:
    multiply, a, b = product_of(GCM.field), lanes.atom("a", 128), lanes.atom("b", 128)
    one = lanes.constant(GCM.field.one, 128)
    assert multiply(a, b) == multiply(b, a) and multiply(a, b) != multiply(a, a)
    assert multiply(a, 0) == 0 and multiply(a, one) == multiply(one, a) == a
