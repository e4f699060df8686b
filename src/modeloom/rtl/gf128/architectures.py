# SPDX-License-Identifier: Apache-2.0
"""The field multipliers for an engine, by name.  They have ports ``a``, ``b``, ``o``, interval 1, and a latency of ``stages`` cycles."""

from __future__ import annotations

from collections.abc import Callable

from amaranth.lib import wiring

from modeloom.rtl.gf128.fan_hasan import FanHasanMultiplier
from modeloom.rtl.gf128.karatsuba import KaratsubaMultiplier
from modeloom.rtl.gf128.lut6 import LutMultiplier
from modeloom.rtl.gf128.mastrovito import MastrovitoMultiplier
from modeloom.spec.field import Field

__all__ = ["MULTIPLIERS"]

MULTIPLIERS: dict[str, Callable[[Field, int], wiring.Component]] = {
    "karatsuba": KaratsubaMultiplier,
    "fan-hasan": FanHasanMultiplier,
    "mastrovito": MastrovitoMultiplier,
    "lut6": LutMultiplier,
}
"""Name to ``make(field, stages)``."""
