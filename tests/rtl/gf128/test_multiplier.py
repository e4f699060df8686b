# SPDX-License-Identifier: Apache-2.0
"""The multipliers made from graphs, as hardware: each latency, a new product each cycle, in one simulation."""

import pytest
from amaranth.back import rtlil
from tests.rtl.gf128.bench import TINY, Bank, stream

from modeloom.rtl.gf128.fan_hasan import FanHasanMultiplier
from modeloom.rtl.gf128.karatsuba import KaratsubaMultiplier
from modeloom.rtl.gf128.mastrovito import MastrovitoMultiplier
from modeloom.rtl.gf128.multiplier import GraphMultiplier


def test_every_latency_with_a_new_product_each_cycle():
    multipliers = {f"mastrovito{stages}": MastrovitoMultiplier(TINY, stages) for stages in (0, 3)}
    multipliers |= {
        f"fan_hasan{approach}_{stages}": FanHasanMultiplier(TINY, stages, 8, approach=approach)
        for approach, stages in ((1, 0), (2, 2), (3, 5))
    }
    multipliers["quarters"] = KaratsubaMultiplier(TINY, 3, 4, quarters=True)
    stream(Bank(multipliers), cycles=40)


@pytest.mark.parametrize("multiplier", [MastrovitoMultiplier, FanHasanMultiplier])
def test_pipeline_registers_have_neither_reset_nor_enable(multiplier):
    text = rtlil.convert(multiplier(TINY, 2), name="multiplier")
    assert "cell $dff " in text
    for other in ("$sdff", "$dffe", "$adff", "$sdffe", "$sdffce"):
        assert f"cell {other} " not in text


def test_a_multiplier_needs_a_graph():
    with pytest.raises(NotImplementedError):
        rtlil.convert(GraphMultiplier(TINY), name="multiplier")
