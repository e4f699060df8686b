# SPDX-License-Identifier: Apache-2.0
"""Fields of several widths and orders, and a bank of multipliers that share their inputs.

Coefficient i of a block is bit i, or bit 8*(i//8) + 7 - i%8 where ``bytewise_reversed``.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from amaranth.back import rtlil
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.gf128.karatsuba import KaratsubaMultiplier
from modeloom.rtl.gf128.multiplier import GraphMultiplier
from modeloom.sim import Simulation
from modeloom.spec.field import GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER, Field

TINY = Field("tiny", 16, (1 << 16) | 0x2B, bytewise_reversed=True)
NARROW = Field("narrow", 24, (1 << 24) | 0x87, bytewise_reversed=True)
HALF = Field("half", 64, (1 << 64) | 0x1B)
WIDE = Field("wide", 256, (1 << 256) | 0x425)
DENSE = Field("dense", 64, 0x1FF3C5A7B9D1E2F35)
SKEWED = Field("skewed", 128, XTS_ORDER.modulus, bytewise_reversed=True, factor=-5)
UPSIDE_DOWN = Field("upside-down", 64, (1 << 64) | (1 << 63) | (1 << 61) | (1 << 60) | 1, bytewise_reversed=True, factor=-64)

STANDARD = (GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER)
FIELDS = (*STANDARD, NARROW, HALF, WIDE, DENSE, SKEWED, UPSIDE_DOWN)


def name_of(field: Field) -> str:
    return field.name


class Bank(wiring.Component):
    """Multipliers with common inputs ``a<width>`` and ``b<width>`` for each width, and outputs by their names."""

    def __init__(self, multipliers: Mapping[str, KaratsubaMultiplier | GraphMultiplier]) -> None:
        self.multipliers = multipliers
        widths = sorted({multiplier.field.width for multiplier in multipliers.values()})
        super().__init__(
            {f"{side}{width}": In(width) for width in widths for side in "ab"}
            | {name: Out(multiplier.field.width) for name, multiplier in multipliers.items()}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for name, multiplier in self.multipliers.items():
            m.submodules[f"part_{name}"] = multiplier
            width = multiplier.field.width
            m.d.comb += [
                multiplier.a.eq(getattr(self, f"a{width}")),
                multiplier.b.eq(getattr(self, f"b{width}")),
                getattr(self, name).eq(multiplier.o),
            ]
        return m

    def simulation(self) -> Simulation:
        return Simulation.of(rtlil.convert(self, name="bank"), "bank", optimize=0)


def stream(bank: Bank, cycles: int = 40) -> None:
    """Random products, a new one each cycle, of multipliers of one field: each is right after exactly its latency."""
    (field,) = {multiplier.field for multiplier in bank.multipliers.values()}
    simulation, source = bank.simulation(), random.Random(7)
    outputs: dict[str, list[int]] = {name: [] for name in bank.multipliers}
    history = []
    for _ in range(cycles):
        a, b = source.getrandbits(field.width), source.getrandbits(field.width)
        history.append(field.mul(a, b))
        simulation.set(f"a{field.width}", a)
        simulation.set(f"b{field.width}", b)
        for name, seen in outputs.items():
            seen.append(simulation.get(name))
        simulation.step()
    for name, multiplier in bank.multipliers.items():
        measured = [d for d in range(cycles // 2) if outputs[name][d:] == history[: cycles - d]]
        assert measured == [multiplier.latency] == [multiplier.stages], name
