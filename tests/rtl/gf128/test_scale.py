# SPDX-License-Identifier: Apache-2.0
import random

import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator
from tests.rtl.gf128.bench import FIELDS, name_of

from modeloom.rtl.gf128.reduction import scale, scale_word
from modeloom.rtl.gf128.words import Word, evaluate, gate_counts, variables_of
from modeloom.spec.field import GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER


@pytest.mark.parametrize("k", [0, 1, 2, 3, 7, 8, 9, 64, 127, 128, 300, -1, -2, -3, -8, -13, -64, -128, -300])
@pytest.mark.parametrize("field", FIELDS, ids=name_of)
def test_scale_is_linear_and_right_on_a_basis(field, k):
    block = Word.input(field.width)
    scaled = scale_word(field, block, k)
    assert scaled.width == field.width and variables_of(scaled) == {(block,)}
    step = 1 if abs(k) <= 9 else 7
    for i in range(0, field.width, step):
        assert evaluate(scaled, {block: 1 << i}) == field.scale(1 << i, k), i
    value = random.Random(k).getrandbits(field.width)
    assert evaluate(scaled, {block: value}) == field.scale(value, k)


@pytest.mark.parametrize("field", [GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER], ids=name_of)
@pytest.mark.parametrize("k", [1, -1])
def test_doubling_costs_three_gates(field, k):
    assert gate_counts(scale_word(field, Word.input(128), k)) == (0, 3)


@pytest.mark.parametrize("field", FIELDS, ids=name_of)
def test_scale_as_logic(field):
    powers = (1, 3, -2, 8)
    m = Module()
    block = Signal(field.width)
    results = [Signal(field.width, name=f"r{k}") for k in powers]
    m.d.comb += [result.eq(scale(field, block, k)) for result, k in zip(results, powers, strict=True)]
    source = random.Random(field.name)

    async def bench(context):
        for _ in range(10):
            value = source.getrandbits(field.width)
            context.set(block, value)
            await context.delay(1e-9)
            assert [context.get(result) for result in results] == [field.scale(value, k) for k in powers]

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()


def test_parameters_are_checked():
    with pytest.raises(TypeError, match="field must be a Field"):
        scale("ghash", Signal(128), 1)
    with pytest.raises(TypeError, match="k must be an int"):
        scale(GHASH_ORDER, Signal(128), 1.0)
    with pytest.raises(ValueError, match="128 bits, not 64"):
        scale(GHASH_ORDER, Signal(64), 1)
