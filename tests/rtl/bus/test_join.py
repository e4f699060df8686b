# SPDX-License-Identifier: Apache-2.0
"""Members of the same name are connected as ``wiring.connect`` does, and what does not fit is refused."""

from __future__ import annotations

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from modeloom.rtl.bus.join import join, part_of


class Sides(wiring.Component):
    """A component whose ports a test gives."""

    def elaborate(self, platform: object) -> Module:
        return Module()


GIVER = {"a": Out(4), "b": Out(2).array(2), "c": In(3), "d": Out(1)}
TAKER = {"a": In(4), "b": In(2).array(2), "c": Out(3), "e": In(1)}


def test_both_ways_and_arrays() -> None:
    giver, taker, m = Sides(GIVER), Sides(TAKER), Module()
    join(m, giver, taker, "a", "b", "c")

    async def bench(ctx: object) -> None:
        for port, value in ((giver.a, 9), (giver.b[0], 1), (giver.b[1], 2), (taker.c, 5)):
            ctx.set(port, value)
        assert [ctx.get(port) for port in (taker.a, taker.b[0], taker.b[1], giver.c)] == [9, 1, 2, 5]

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize("taker", [{"a": In(5)}, {"a": Out(4)}, {"e": In(4)}])
def test_what_does_not_fit(taker: dict) -> None:
    with pytest.raises((wiring.ConnectionError, wiring.SignatureError, KeyError)):
        join(Module(), Sides(GIVER), Sides(taker), "a")


def test_a_part_has_the_ports_themselves() -> None:
    giver = Sides(GIVER)
    part = part_of(giver, ("a", "c"))
    assert part.a is giver.a and part.c is giver.c and list(part.signature.members) == ["a", "c"]
