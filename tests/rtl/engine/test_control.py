# SPDX-License-Identifier: Apache-2.0
"""The control store against the numbers that were put into it."""

from __future__ import annotations

import random
from typing import Any

import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator

from modeloom.rtl.engine.sequencer import Columns, ControlStore


@pytest.mark.parametrize("rows", [1, 2, 7])
def test_fields_of_every_row(rows: int) -> None:
    """A cycle later; equal columns are stored once, and constant ones not at all."""
    rng = random.Random(rows)
    columns, fields = Columns(rows), {}
    for name, bits in (("wide", 9), ("narrow", 2), ("same", 2), ("flag", 1)):
        fields[name] = fields["narrow"] if name == "same" else [rng.getrandbits(bits) for _ in range(rows)]
        columns.add(name, fields[name], bits)
    stored = len(columns.columns)
    for name, value in (("zeros", 0), ("ones", 0b11)):
        fields[name] = [value] * rows
        columns.add(name, fields[name])
    assert len(columns.columns) == stored <= 12 and len(set(columns.columns)) == stored
    store = ControlStore(columns)
    m = Module()
    m.submodules.store = store
    found = {name: Signal(9, name=name) for name in fields}
    m.d.comb += [signal.eq(store.field(name)) for name, signal in found.items()]

    async def bench(ctx: Any) -> None:
        for row in rng.choices(range(rows), k=30):
            ctx.set(store.row, row)
            await ctx.tick()
            ctx.set(store.row, 0)
            for name, signal in found.items():
                assert ctx.get(signal) == fields[name][row], name

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


def test_wrong_fields() -> None:
    columns = Columns(3)
    columns.add("a", [1, 2, 3])
    for name, values in (("a", [1, 2, 3]), ("b", [1, 2])):
        with pytest.raises(ValueError, match=f"field {name}: new, with 3 rows"):
            columns.add(name, values)
