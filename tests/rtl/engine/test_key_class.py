# SPDX-License-Identifier: Apache-2.0
"""Which keys a core holds, under which numbers: the picture of ``rtl.engine.key_memory``, and others."""

from __future__ import annotations

from typing import Any

import pytest
from amaranth.hdl import Module, Signal, Value
from amaranth.sim import Simulator

from modeloom.rtl.engine.storage import key_class

CASES = {
    "K, IV, J": ((0, 256, 0), {"enc": (0, 2), "enc256": (1,)}),
    "one": ((0,), {"cipher": (0,)}),
    "two of a length": ((0, 0), {"dec": (0, 1)}),
    "last of a length": ((256, 0, 192, 0, 0), {"cipher": (1, 3, 4), "dec256": (0,), "enc192": (2,)}),
}
"""Bits of the cipher keys (0: as most), and for kinds of units the keys that are theirs."""


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("slots", [1, 3])
def test_places_of_keys(case: str, slots: int) -> None:
    """Every key of every slot has a number of its own in the cores of its length, and the writes of others do not reach them."""
    bits, kinds = CASES[case]
    classes = {kind: key_class(bits, int("".join(c for c in kind if c.isdigit()) or 0)) for kind in kinds}
    key, slot = Signal(range(max(2, len(bits)))), Signal(range(max(2, slots)))
    m = Module()
    found: dict[str, tuple[Signal, Signal]] = {}
    for kind, numbers in kinds.items():
        keys = classes[kind]
        assert keys.numbers == numbers
        place, has = Signal(8, name=f"{kind}_number"), Signal(name=f"{kind}_has")
        mine: Value | None = keys.has(key)
        assert (mine is None) == (len(numbers) == len(bits)), "all keys need no look"
        m.d.comb += [place.eq(keys.slot(keys.place(key), slot)), has.eq(1 if mine is None else mine)]
        found[kind] = place, has

    async def bench(ctx: Any) -> None:
        for kind, numbers in kinds.items():
            seen = set()
            for n in range(len(bits)):
                for s in range(slots):
                    ctx.set(key, n)
                    ctx.set(slot, s)
                    assert ctx.get(found[kind][1]) == (n in numbers)
                    if n in numbers:
                        seen.add(ctx.get(found[kind][0]))
            assert len(seen) == slots * len(numbers) and max(seen) < classes[kind].slots(slots) < 2 * slots * len(numbers)

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()
