# SPDX-License-Identifier: Apache-2.0
"""MixColumns and its inverse, one column, as circuits: gcm2008, section 2.2.4; luts2017, section 3.2."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.golden.aes_steps import inv_mix_column, mix_column
from modeloom.rtl.aes.layers.mixcolumns_lut6 import (
    both_mix_columns_lut6,
    both_network,
    forward_network,
    inv_mix_columns_lut6,
    inverse_network,
    mix_columns_lut6,
)
from modeloom.rtl.aes.parameters import LAYERS, Direction
from modeloom.rtl.logic.linear_layers import XorLuts
from modeloom.spec import InputError
from modeloom_circuits.catalogue.sboxes import OLD_DIRECTIONS
from modeloom_circuits.contract import Built, Circuit, Gates, Operation, Option

__all__ = ["CIRCUITS", "Column"]


class Column(wiring.Component):
    """MixColumns of one column, combinational.

    Parameters
    ----------
    direction : str
        ``forward``, ``inverse`` or ``both``.
    levels : int
        LUTs on the longest path of the inverse, 3 or 4.

    Members
    -------
    i : In(32)
        A column, row 0 at [7:0].
    inverse : In(1)
        With direction ``both`` only: 1 for InvMixColumns.
    o : Out(32)
        Its image.
    """

    latency = 0
    interval = 1

    def __init__(self, direction: str, levels: int = 4) -> None:
        self.direction, self.levels = Direction.of_layer(direction), levels
        super().__init__({"i": In(32), "o": Out(32), **self.direction.ports(inverse=In(1))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        match self.direction:
            case "forward":
                result = mix_columns_lut6(m, self.i)
            case "inverse":
                result = inv_mix_columns_lut6(m, self.i, levels=self.levels)
            case _:
                result = both_mix_columns_lut6(m, self.i, self.inverse)
        m.d.comb += self.o.eq(result)
        return m


def _build(direction: str, levels: int | None = None) -> Built:
    component = Column(direction, levels or 4)
    if levels is not None:
        component.direction.require(("inverse",), InputError(f"--levels is for direction inverse, not {direction}"))
    networks: dict[str, Callable[[], XorLuts]] = {
        "forward": forward_network, "inverse": lambda: inverse_network(levels or 4), "both": both_network,
    }  # fmt: skip
    network = networks[direction]()

    def operation(random: Random) -> Operation:
        column = random.randbytes(4)
        inverse, port = component.direction.draw(random)
        image = inv_mix_column(column) if inverse else mix_column(column)
        return Operation([{"i": int.from_bytes(column, "little"), **port}], [{"o": int.from_bytes(image, "little")}])

    gates = Gates(network.ands, network.xors, network.depth)
    figures: dict[str, int | float | str] = {"direction": direction, "lut6": network.luts, "lut6_levels": network.levels}
    return Built(component, operation, gates, figures)


_DIRECTION = Option("direction", "forward", "MixColumns, its inverse, or both by an input", choices=LAYERS, old=OLD_DIRECTIONS)
_LEVELS = Option("levels", None, "LUTs on the longest path of the inverse", choices=(3, 4))

CIRCUITS = (
    Circuit("mixcolumns", "MixColumns of one column", "luts2017, section 3.2", (_DIRECTION, _LEVELS), _build),
    Circuit(
        "inv-mixcolumns", "InvMixColumns of one column", "luts2017, section 3.2", (_LEVELS,),
        lambda levels: _build("inverse", levels),
    ),
)  # fmt: skip
