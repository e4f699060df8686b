# SPDX-License-Identifier: Apache-2.0
"""The serial multiplier: an iteration is proved by its graph, the whole by products in every field, and its time is always the same."""

import random

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from tests.rtl.gf128.bench import DENSE, FIELDS, NARROW, UPSIDE_DOWN, name_of

from modeloom.rtl.gf128.words import Word, evaluate, gate_counts, variables_of
from modeloom.sim import Simulation
from modeloom.spec.field import GHASH_ORDER, XTS_ORDER
from modeloom_circuits.contract import X40_ORDER
from modeloom_circuits.serial import SerialMultiplier, iteration


@pytest.mark.parametrize("digit", [1, 2, 8])
@pytest.mark.parametrize("field", [*FIELDS, X40_ORDER], ids=name_of)
def test_iterations_add_up_to_the_product(field, digit):
    """n / digit iterations of the graph, with the first factor's power of x as the docstring has it."""
    a, c, bits = Word.input(field.width), Word.input(field.width), Word.input(digit)
    total, shifted = iteration(field, a, c, bits)
    assert variables_of(total) == {(a, bits), (c,)} and variables_of(shifted) == {(a,)}
    source = random.Random(digit)
    down = field.factor == -field.width
    for _ in range(2):
        x, y = source.getrandbits(field.width), source.getrandbits(field.width)
        coefficients = [y >> field.bit(i) & 1 for i in range(field.width)]
        if down:
            coefficients.reverse()
        values = {a: field.scale(x, -1 if down else field.factor), c: 0}
        for start in range(0, field.width, digit):
            values[bits] = sum(bit << k for k, bit in enumerate(coefficients[start : start + digit]))
            values = {c: evaluate(total, values), a: evaluate(shifted, values)}
        assert values[c] == field.mul(x, y)


def test_gates_of_an_iteration():
    """n ANDs, n XORs, and an XOR for each inner term of the modulus."""
    for field, inner in ((GHASH_ORDER, 3), (XTS_ORDER, 3), (UPSIDE_DOWN, 3), (X40_ORDER, 3)):
        total, shifted = iteration(field, Word.input(field.width), Word.input(field.width), Word.input(1))
        assert gate_counts(total) == (field.width, field.width)
        assert gate_counts(shifted) == (0, inner)


def algorithm_1(a, h, iterations):
    """gcm2008, Algorithm 1, on bits with bit 0 the leftmost, the decision before the shift; F without its leading term."""
    a, h = ([value >> GHASH_ORDER.bit(i) & 1 for i in range(128)] for value in (a, h))
    c = [0] * 128
    for i in range(iterations):
        if h[i]:
            c = [x ^ y for x, y in zip(c, a)]
        leaving = a[127]
        a = [0, *a[:127]]
        if leaving:
            for exponent in (0, 1, 2, 7):
                a[exponent] ^= 1
    return sum(bit << GHASH_ORDER.bit(i) for i, bit in enumerate(c))


def test_algorithm_1_with_its_errata():
    """m iterations, not 0 to m: there is no H_128.  In another bit order it is another product."""
    source = random.Random(2)
    a, h = source.getrandbits(128), source.getrandbits(128)
    assert algorithm_1(a, h, 128) == GHASH_ORDER.mul(a, h) != XTS_ORDER.mul(a, h)
    with pytest.raises(IndexError):
        algorithm_1(a, h, 129)
    assert SerialMultiplier(GHASH_ORDER).latency == 128


UNITS = {"bits": (NARROW, 1), "threes": (NARROW, 3), "halves": (NARROW, 12), "down": (UPSIDE_DOWN, 4), "dense": (DENSE, 8)}


class Serials(wiring.Component):
    """Serial multipliers with a start each, and factors shared by their width."""

    def __init__(self):
        ports = {f"{side}{width}": In(width) for side in "ab" for width in (24, 64)}
        for name, (field, _) in UNITS.items():
            ports |= {f"start_{name}": In(1), f"o_{name}": Out(field.width), f"done_{name}": Out(1)}
        super().__init__(ports)

    def elaborate(self, platform):
        m = Module()
        for name, (field, digit) in UNITS.items():
            unit = m.submodules[name] = SerialMultiplier(field, digit)
            m.d.comb += [
                unit.start.eq(getattr(self, f"start_{name}")),
                unit.a.eq(getattr(self, f"a{field.width}")),
                unit.b.eq(getattr(self, f"b{field.width}")),
                getattr(self, f"o_{name}").eq(unit.o),
                getattr(self, f"done_{name}").eq(unit.done),
            ]
        return m


@pytest.fixture(scope="module")
def serials():
    return Simulation.of(rtlil.convert(Serials(), name="serials"), "serials", optimize=0)


@pytest.mark.parametrize("name", UNITS)
def test_products(serials, name):
    """Back to back, after a pause, and with a start that gives up the product under way; the ports change all the time."""
    field, digit = UNITS[name]
    unit = SerialMultiplier(field, digit)
    n = field.width // digit
    assert unit.latency == unit.interval == n
    starts = [0, n, 2 * n, 4 * n + 3, 5 * n + 2, 7 * n]
    given_up = 4 * n + 3  # the next start follows n - 1 cycles later
    source = random.Random(3)
    seen, products = [], {}
    serials.reset()
    for cycle in range(9 * n):
        a, b = source.getrandbits(field.width), source.getrandbits(field.width)
        if cycle in starts:
            products[cycle] = field.mul(a, b)
        for port, value in ((f"start_{name}", cycle in starts), (f"a{field.width}", a), (f"b{field.width}", b)):
            serials.set(port, int(value))
        seen.append((serials.get(f"o_{name}"), serials.get(f"done_{name}")))
        serials.step()
    del products[given_up]
    assert {cycle: o for cycle, (o, done) in enumerate(seen) if done} == {start + n: product for start, product in products.items()}
    # The product stands until the cycle of the next start.
    assert {o for o, _ in seen[3 * n : 4 * n + 4]} == {products[2 * n]}


def test_the_time_does_not_depend_on_the_factors(serials):
    times = set()
    for a, b in ((0, 0), (1, 0), (0, 1), ((1 << 24) - 1,) * 2, (NARROW.one, NARROW.one)):
        serials.reset()
        for cycle in range(30):
            for name, value in (("start_threes", cycle == 0), ("a24", a), ("b24", b)):
                serials.set(name, int(value))
            if serials.get("done_threes"):
                times.add(cycle)
                assert serials.get("o_threes") == NARROW.mul(a, b)
            serials.step()
    assert times == {8}


def test_parameters_are_checked():
    with pytest.raises(TypeError, match="SerialMultiplier: field must be a Field"):
        SerialMultiplier(128)
    with pytest.raises(TypeError, match="digit must be an int"):
        SerialMultiplier(NARROW, "1")
    for digit in (5, 24):
        with pytest.raises(ValueError, match=f"digit must be a divisor of 24 and less, not {digit}"):
            SerialMultiplier(NARROW, digit)
    with pytest.raises(ValueError, match="digit must be at least 1, not 0"):
        SerialMultiplier(NARROW, 0)
